"""Who has the terminal: a job that reads from it gets it, and stops when it is told to."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Protocol

_ASKS = (signal.SIGTTIN, signal.SIGTTOU)


class Stopped(Protocol):
    """A job that is stopped."""

    pid: int

    def send(self, number: int) -> None:
        """Send a signal to its group."""


class Foreground:
    """Hands the terminal to a job when that asks for it, as a shell would.

    Until then we keep it: a pager behind us in a pipeline needs it, too, and the terminal's
    Ctrl-C comes to us and is passed on.
    """

    def __init__(self) -> None:
        self._is_given = False

    def stopped(self, job: Stopped, number: int) -> None:
        """Do what is to be done when the job was stopped by a signal."""
        terminal = _opened()
        if terminal is None:
            return  # nobody could continue us
        try:
            if number in _ASKS and os.tcgetpgrp(terminal) == os.getpgrp():
                self._give(terminal, job)
            elif number in (*_ASKS, signal.SIGTSTP):
                self._stop_with(terminal, job, number)
        finally:
            os.close(terminal)

    def take_back(self) -> None:
        """Have the terminal again, if it was given away."""
        terminal = _opened() if self._is_given else None
        if terminal is not None:
            _hand_to(terminal, os.getpgrp())
            os.close(terminal)
        self._is_given = False

    def _give(self, terminal: int, job: Stopped) -> None:
        self._is_given = True
        _hand_to(terminal, job.pid)
        job.send(signal.SIGCONT)

    def _stop_with(self, terminal: int, job: Stopped, number: int) -> None:
        """Stop with all that the shell runs as one with us; go on when it continues us."""
        was_given = self._is_given
        self.take_back()
        handler = signal.signal(number, signal.SIG_DFL)
        os.killpg(os.getpgrp(), number)
        signal.signal(number, handler)
        if (was_given or number in _ASKS) and os.tcgetpgrp(terminal) == os.getpgrp():
            self._give(terminal, job)
        else:
            job.send(signal.SIGCONT)


def _opened() -> int | None:
    with suppress(OSError):
        return os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
    return None


def _hand_to(terminal: int, group: int) -> None:
    # Who is in the background is stopped for it, unless it ignores that.
    handler = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    with suppress(OSError):
        os.tcsetpgrp(terminal, group)
    signal.signal(signal.SIGTTOU, handler)
