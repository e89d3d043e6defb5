"""One pass over the text for all literals at once; only what they hit is looked at further.

The only module that knows that there is more than one way to find them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from ascend_doctor.errors import SettingError

# Where a literal stands, and its number.
Hit = tuple[int, int]

# Names the engine, where it is not to be chosen by what is installed.
VARIABLE = "ASCEND_DOCTOR_ENGINE"


class Literal(Struct, frozen=True):
    """A byte string to be found wherever it stands.

    Attributes:
        text: the bytes, one at least, none of which is NUL.
        any_case: the letters of ASCII are equal in both cases.
        once: only whether it stands in a text is asked, and where first.
    """

    text: bytes
    any_case: bool = False
    once: bool = False


class Engine(Protocol):
    """A way to find literals, of which it is given one at least."""

    def hits(self, text: bytes, start: int, end: int) -> list[Hit]:
        """Return what `Literals.hits` does, in any order; 0 <= start <= end <= len(text)."""
        ...


class Literals:
    """A compiled set of literals.

    Raises:
        SettingError: the engine that the environment names is none, or not installed.
    """

    def __init__(self, literals: Sequence[Literal]) -> None:
        self._engine = _engine(literals)

    def hits(self, text: bytes, start: int = 0, end: int | None = None) -> list[Hit]:
        """Return the occurrences that lie within ``text[start:end]``, in the order of the text.

        Those that begin at the same byte are in the order of their numbers. One that overlaps an
        earlier one of the same literal is left out: a line of nothing but dashes would have one
        at each byte, and they say nothing new. Of a literal that is asked for once, it is the
        first that is told.
        """
        end = len(text) if end is None else min(end, len(text))
        if start >= end:
            return []
        found = self._engine.hits(text, start, end)
        found.sort()
        return found


def engine_name() -> str:
    """Return the name of the engine that literals are found with.

    Raises:
        SettingError: the one that the environment names is none, or not installed.
    """
    name = os.environ.get(VARIABLE, "")
    if name not in ("", "hyperscan", "stdlib"):
        raise SettingError(f"{VARIABLE}: {name!r} is no engine; use hyperscan or stdlib")
    if name == "stdlib":
        return name
    try:
        import ascend_doctor.scan.engine_hyperscan  # noqa: F401
    except ImportError as err:
        if name:
            raise SettingError(
                f"{VARIABLE}: hyperscan cannot be imported ({err}); install it, or use stdlib"
            ) from err
        return "stdlib"
    return "hyperscan"


def _engine(literals: Sequence[Literal]) -> Engine:
    if engine_name() == "hyperscan":
        from ascend_doctor.scan import engine_hyperscan

        return engine_hyperscan.Engine(literals)
    from ascend_doctor.scan import engine_stdlib

    return engine_stdlib.Engine(literals)
