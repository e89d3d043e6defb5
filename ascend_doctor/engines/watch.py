"""Who looks on while logs are read, and may stop it."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from msgspec import Struct

INTERRUPTED = "interrupted"

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Stopped(OSError):
    """Reading was stopped on request; to what reads, the stream is broken, and says why."""

    def __init__(self) -> None:
        # After EINTR, Python's own streams would try again.
        super().__init__(errno.ECANCELED, INTERRUPTED)

    def __str__(self) -> str:
        return INTERRUPTED


class Progress(Struct):
    """How far a scan has come.

    Attributes:
        found: files that were found so far.
        found_bytes: their size on disk.
        is_all_found: no more will be found.
        done: files that were read, or could not be.
        done_bytes: how much of the size of all files was read.
        path: what is being read.
    """

    found: int = 0
    found_bytes: int = 0
    is_all_found: bool = False
    done: int = 0
    done_bytes: int = 0
    path: str = ""


class Watch:
    """Is told how far a scan has come, and may stop it; this one does neither by itself."""

    def __init__(self) -> None:
        self.is_stopped = False
        self._may_block = False

    def see(self, progress: Progress) -> None:
        """Look on; called often."""

    def stop(self) -> None:
        """Stop reading; a handler of signals may call it.

        Raises:
            Stopped: out of a call that may be blocked, to the one who made it.
        """
        if not self.is_stopped:
            self.is_stopped = True
            if self._may_block:
                raise Stopped

    def guard(self, call: Callable[_P, _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Make a call that may block.

        Raises:
            Stopped: reading was stopped, before or while it was made.
        """
        self._may_block = True
        try:
            if self.is_stopped:
                raise Stopped
            return call(*args, **kwargs)
        finally:
            self._may_block = False
