"""Patterns that are compiled when the first line asks for them.

The patterns of all formats take as long to compile as a small log to read, which needs few of them.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    r"""Return what ``re.compile`` would, but for what only the interpreter could tell apart.

    A pattern that is wrong is found out when it is first used.

    >>> pattern(rb"loss: (\d+)").search(b"loss: 12")[1]
    b'12'
    """
    return cast("re.Pattern[AnyStr]", _Late(text, flags))


class _Late:
    """Stands for a pattern; each method of it is looked up once."""

    def __init__(self, text: Any, flags: int) -> None:
        self.pattern = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, found)
        return found
