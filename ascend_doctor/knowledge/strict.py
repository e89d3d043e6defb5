"""What all files of ``patterns/`` are made of: strict models, and texts in both languages.

Only authors' tools and the build read this module.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator

# The automaton of all literals takes no NUL.
Line = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\x00]*$")]
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
