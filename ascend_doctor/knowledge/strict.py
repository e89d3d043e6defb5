"""What all files of ``patterns/`` are made of: strict models, and texts in both languages.

Only authors' tools and the build read this module.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    StringConstraints,
    ValidationError,
    model_validator,
)


def _without_nul(text: str) -> str:
    # The automaton of all literals takes none.
    if "\x00" in text:
        raise ValueError("must not hold a NUL character")
    return text


Line = Annotated[str, StringConstraints(min_length=1), AfterValidator(_without_nul)]
Prose = Annotated[str, StringConstraints(min_length=2, strip_whitespace=True)]


class Strict(BaseModel):
    """A model that refuses unknown fields and silent conversions."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _lists_are_tuples(cls, data: Any) -> Any:
        # YAML knows only lists; strict mode would refuse them for tuples.
        return _tuples(data)


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


class Bilingual(Strict):
    """One text in both languages."""

    en: Prose
    zh: Prose


class BilingualSteps(Strict):
    """Steps in both languages, one to one."""

    en: tuple[Prose, ...]
    zh: tuple[Prose, ...]

    @model_validator(mode="after")
    def _same_length(self) -> BilingualSteps:
        if len(self.en) != len(self.zh):
            raise ValueError(f"{len(self.en)} steps in en, {len(self.zh)} in zh")
        return self


# What a check that pydantic does itself says to the author of a file.
_SAID = {
    "bool_type": "must be true or false",
    "dict_type": "must hold fields, `name: value`",
    "extra_forbidden": "there is no such field",
    "invalid_key": "there is no such field",
    "int_type": "must be a whole number, without quotes",
    "literal_error": "must be {expected}",
    "missing": "is missing",
    "model_type": "must hold fields, `name: value`",
    "string_too_short": "is empty, or too short to say anything",
    "string_type": "must be text; put a number or a date in quotes",
    "too_short": "must hold {min_length} or more",
    "tuple_type": "must be a list: [in brackets], or an item a line behind hyphens",
}


def first_error(err: ValidationError) -> tuple[tuple[int | str, ...], str, str]:
    """Return where the most telling error stands, as a path, as text, and what it is.

    A misspelt field is both unknown and missing: the line where it stands says more.
    """
    worst = min(err.errors(), key=lambda error: error["type"] != "extra_forbidden")
    said = _SAID.get(worst["type"])
    if said is None:
        message = worst["msg"].removeprefix("Value error, ")
    else:
        message = said.format(**worst.get("ctx", {}))
    # What a union was taken for ("<list>") or that a key is meant ("[key]") is no step in the file.
    loc = tuple(step for step in worst["loc"] if not str(step).startswith(("<", "[")))
    return loc, ".".join(map(str, loc)) or "rule", message
