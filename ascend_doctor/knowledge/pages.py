"""What is written by hand about codes, variables and the article's terms: YAML in, pages out.

Only the build reads this module; ``explain`` and the diagnosis read the compiled index.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError, model_validator

from ascend_doctor.errors import RuleError
from ascend_doctor.knowledge.load import line_of, load_yaml
from ascend_doctor.knowledge.strict import Bilingual, BilingualSteps, Line, Strict, first_error

# The tables that pages go with, then what no table holds.
SECTIONS = ("acl", "error_manager", "hccl", "torch_npu", "variables", "article", "profile")

Status = Literal["real", "deprecated", "article-only"]
_NO_STEPS = BilingualSteps(en=(), zh=())


class Page(Strict):
    """What a person should know of one code, variable or term.

    ``also`` are other spellings that people search for, ``claim`` is what the article says of
    it, ``instead`` names what is real or current, ``default`` is a variable's default value.
    """

    also: tuple[Line, ...] = ()
    status: Status = "real"
    default: Line | None = None
    instead: Line | None = None
    claim: Bilingual | None = None
    means: Bilingual
    causes: BilingualSteps = _NO_STEPS
    next: BilingualSteps = _NO_STEPS

    @model_validator(mode="after")
    def _says_what_to_do(self) -> Page:
        if self.status != "real" and self.instead is None and not self.next.en:
            raise ValueError("what is not real or not current needs instead or next")
        return self


_PAGES = TypeAdapter(dict[Line, Page])


def compile_pages(patterns: Path) -> dict[str, Any]:
    """Return the pages of a patterns folder, section by section; a missing file is empty.

    Raises:
        RuleError: a file is wrong; the message starts with ``file:line: field:``.
    """
    return {name: _section(patterns / "glossary" / f"{name}.yaml") for name in SECTIONS}


def _section(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    tree, data = load_yaml(path)
    try:
        pages = _PAGES.validate_python(data)
    except ValidationError as err:
        loc, where, message = first_error(err)
        raise RuleError(f"{path}:{line_of(tree, loc)}: {where}: {message}") from err
    return {term: page.model_dump(mode="json") for term, page in pages.items()}
