"""A command that runs as a job of its own: signals reach it as if we were not there."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

from ascend_doctor.errors import DoctorError
from ascend_doctor.running.foreground import Foreground
from ascend_doctor.running.processes import processes_of

# What others send to a program to end it, or to tell it something.
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_PASSED = (*_ENDING, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTSTP, signal.SIGCONT)
_PR_SET_PDEATHSIG = 1
# As a shell says it: not found, and found but not to be run.
NOT_FOUND, NOT_RUNNABLE = 127, 126


class CannotStart(DoctorError):
    """The command cannot be started; ``exit_code`` is what a shell would return."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Job:
    """A command in a process group of its own.

    A group of its own gets each signal once: what is sent to us is passed on, whoever it was sent
    to besides, and what the terminal sends reaches either us or the group.

    Attributes:
        pid: its process, which leads the group.
        returncode: its exit code, or minus the signal that ended it; None while it runs.
        was_asked: it was told from outside to end.
    """

    def __init__(self) -> None:
        self.pid = 0
        self.returncode: int | None = None
        self.was_asked = False
        self._process: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []
        self._terminal = Foreground()

    def start(
        self, command: Sequence[str], stdout: int | None = None, stderr: int | None = None
    ) -> None:
        """Start it; standard input, other descriptors, folder and variables are ours.

        Raises:
            CannotStart: there is no such command, or it is none.
        """
        try:
            self._process = self._popen(command, stdout, stderr)
        except OSError as err:
            if err.errno != errno.ENOEXEC:
                raise _cannot(command[0], err) from err
            # A script without #!: the shell's own way to run it.
            path = shutil.which(command[0]) or command[0]
            self._process = self._popen(["/bin/sh", path, *command[1:]], stdout, stderr)
        except ValueError as err:  # a NUL in an argument
            raise CannotStart(f"{command[0]}: {err}", NOT_RUNNABLE) from err
        self.pid = self._process.pid
        for number in self._early:
            self.send(number)

    def _popen(
        self, command: Sequence[str], stdout: int | None, stderr: int | None
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603
            command,
            stdout=stdout,
            stderr=stderr,
            # Descriptors that we were given are for it; our own are closed on exec.
            close_fds=False,
            preexec_fn=_own_group(os.getpid()),
        )

    def send(self, number: int) -> None:
        """Send a signal to the group, as soon as there is one and as long as it is there."""
        if not self.pid:
            self._early.append(number)
        elif self.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def terminate(self) -> None:
        """Ask the group to end."""
        self.send(signal.SIGTERM)
        self.send(signal.SIGCONT)  # what is stopped does not hear it

    def kill(self) -> None:
        """End the group, and what it started that has a group of its own."""
        for process in processes_of(self.pid, self.pid):
            if process.pid != self.pid or self.returncode is None:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process.pid, signal.SIGKILL)

    def look(self) -> bool:
        """Take note of what became of it; return whether it has ended."""
        while self.returncode is None:
            # As the first process of a container, we are handed orphans that nobody waits for.
            pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
            if pid == 0:
                break
            if pid != self.pid:
                continue
            if os.WIFSTOPPED(status):
                self._terminal.stopped(self, os.WSTOPSIG(status))
            else:
                self._ended(os.waitstatus_to_exitcode(status))
        return self.returncode is not None

    def _ended(self, returncode: int) -> None:
        self.returncode = returncode
        # The terminal may have sent it by itself.
        self.was_asked = self.was_asked or returncode in (-signal.SIGINT, 128 + signal.SIGINT)
        self._terminal.take_back()
        if self._process is not None:
            # It was waited for here, and must not be again.
            self._process.returncode = returncode


@contextmanager
def passing_signals(job: Job, on_resize: Callable[[], None]) -> Iterator[int]:
    """Pass signals on to a job; yield a descriptor that can be read from once one has come.

    A signal that is ignored (``nohup``) is so for the job as well. A handler sends it on at once:
    this process may be waiting for a terminal that takes nothing.
    """
    ours, theirs = os.pipe()
    for end in (ours, theirs):
        os.set_blocking(end, False)

    def send(number: int, frame: FrameType | None) -> None:
        job.was_asked = job.was_asked or number in _ENDING
        job.send(number)

    def resize(number: int, frame: FrameType | None) -> None:
        on_resize()
        job.send(number)

    def look(number: int, frame: FrameType | None) -> None:
        """Let the call be interrupted; who waits for the descriptor looks."""

    handlers = dict.fromkeys(_PASSED, send)
    handlers |= {signal.SIGCHLD: look, signal.SIGWINCH: resize}
    before = {number: signal.getsignal(number) for number in handlers}
    kept = signal.SIG_IGN
    taken = [n for n in handlers if before[n] is not kept or n == signal.SIGCHLD]
    waker = signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    try:
        for number in taken:
            signal.signal(number, handlers[number])
        yield ours
    finally:
        for number in taken:
            signal.signal(number, before[number])
        signal.set_wakeup_fd(waker)
        os.close(ours)
        os.close(theirs)


def die_of(number: int) -> None:
    """End by a signal, as a command did that died of it; return only if nothing dies of it."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    # One core file, that of the command, is enough.
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with suppress(OSError, ValueError):  # of SIGKILL and the like
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)


def _own_group(parent: int) -> Callable[[], None]:
    prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None

    def begin() -> None:
        os.setpgid(0, 0)
        if prctl is not None:
            # If we are killed, nobody reads its output or waits for it.
            prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
            if os.getppid() != parent:
                os.kill(os.getpid(), signal.SIGTERM)

    return begin


def _cannot(name: str, err: OSError) -> CannotStart:
    if isinstance(err, (FileNotFoundError, NotADirectoryError)):
        return CannotStart(f"{name}: command not found", NOT_FOUND)
    return CannotStart(f"{name}: cannot be run: {(err.strerror or str(err)).lower()}", NOT_RUNNABLE)
