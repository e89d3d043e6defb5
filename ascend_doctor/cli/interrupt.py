"""What Ctrl-C does while logs are read."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ascend_doctor.engines.watch import Watch

# Those who end a job from outside (containers, CI) send SIGTERM, and wait before they kill.
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interruptible(watch: Watch) -> Iterator[None]:
    """Let the first signal stop reading, so that what was read is told, and the second the run.

    A signal that was ignored before (``nohup``) is ignored still.

    Raises:
        KeyboardInterrupt: on the second one.
    """

    def take(number: int, frame: FrameType | None) -> None:
        if watch.is_stopped:
            raise KeyboardInterrupt
        watch.stop()

    before = {number: signal.getsignal(number) for number in _SIGNALS}
    taken = [number for number in _SIGNALS if before[number] is not signal.SIG_IGN]
    try:
        for number in taken:
            signal.signal(number, take)
        yield
    finally:
        for number in taken:
            signal.signal(number, before[number])
