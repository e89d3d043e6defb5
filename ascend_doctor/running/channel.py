"""The ways out of a job: what it writes to, and where that goes on to."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import termios
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

# As much as an ordinary user may have in a pipe.
PIPE_BYTES = 1 << 20
STDOUT, STDERR = 1, 2
# Size of the struct that tells rows and columns.
_WINSIZE = bytes(8)


class Channel(Struct):
    """One way out: what is read from ``source`` goes to ``target``, byte for byte.

    Attributes:
        target: descriptor of our own standard output or error.
        source: descriptor that the job's output is read from, -1 once it is closed.
        inner: descriptor for the job to write to, -1 once it is closed here.
        is_terminal: it is a terminal at both ends.
        is_shared: it is the way of both standard output and standard error.
        broken: why the target takes nothing any more.
    """

    target: int
    source: int
    inner: int
    is_terminal: bool = False
    is_shared: bool = False
    broken: OSError | None = None

    def resize(self) -> None:
        """Give the job's terminal the size of ours."""
        if self.is_terminal and self.source >= 0:
            with contextlib.suppress(OSError):
                size = fcntl.ioctl(self.target, termios.TIOCGWINSZ, _WINSIZE)
                fcntl.ioctl(self.source, termios.TIOCSWINSZ, size)

    def started(self) -> None:
        """Close the job's end here, so that the output ends when the job has closed its own."""
        os.close(self.inner)
        self.inner = -1

    def read(self, buffer: memoryview) -> int:
        """Read what has arrived into ``buffer``; return how much, 0 at the end."""
        try:
            return os.readv(self.source, [buffer])
        except BlockingIOError:
            return -1
        except OSError:  # how a terminal ends
            return 0

    def write(self, data: memoryview) -> None:
        """Pass it on; where that fails, the job gets what it would get from a closed pipe."""
        try:
            while data:
                data = data[self._write_some(data) :]
        except OSError as err:
            self.broken = err
            self.close()

    def _write_some(self, data: memoryview) -> int:
        try:
            return os.write(self.target, data)
        except BlockingIOError:
            # Whoever shares our output may have told it not to wait.
            select.select([], [self.target], [])
            return 0

    def close(self) -> None:
        """Read nothing more."""
        if self.source >= 0:
            os.close(self.source)
            self.source = -1


def standard_streams() -> tuple[int, ...]:
    """Return which of standard output and error are open; call it before anything is opened.

    Those that are closed are opened on nothing, so that nothing else gets their numbers; a command
    finds them closed.
    """
    found = tuple(target for target in (STDOUT, STDERR) if _is_open(target))
    while (descriptor := os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)) <= STDERR:
        pass
    os.close(descriptor)
    return found


def channels(targets: Sequence[int]) -> list[Channel]:
    """Open a way out for each of our standard streams.

    They share one if ours do, so that the order of what is written to them is kept.
    """
    if len(targets) == 2 and os.path.sameopenfile(STDOUT, STDERR):
        return [replace(_opened(STDOUT), is_shared=True)]
    return [_opened(target) for target in targets]


def ends(ways: Iterable[Channel]) -> tuple[int | None, int | None]:
    """Return what a job is to have for standard output and error; None is what we have."""
    found: dict[int, int] = {}
    for way in ways:
        found[way.target] = way.inner
        if way.is_shared:
            found[STDERR] = way.inner
    return found.get(STDOUT), found.get(STDERR)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _opened(target: int) -> Channel:
    if os.isatty(target):
        outer, inner = os.openpty()
        channel = Channel(target, outer, inner, is_terminal=True)
        attributes = termios.tcgetattr(inner)
        # The terminal that it goes on to turns newlines into lines; nobody types into this one.
        attributes[1] &= ~termios.OPOST
        attributes[3] &= ~termios.ECHO
        termios.tcsetattr(inner, termios.TCSANOW, attributes)
        channel.resize()
    else:
        outer, inner = os.pipe()
        with contextlib.suppress(OSError, AttributeError):
            fcntl.fcntl(outer, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        channel = Channel(target, outer, inner)
    os.set_blocking(outer, False)
    return channel
