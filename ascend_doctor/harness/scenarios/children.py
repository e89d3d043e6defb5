"""Programs run in processes of their own, which end at the latest with us."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# What a group gets to end by itself once its leader is gone or was told to.
_GRACE_S = 1.0
_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Exit:
    """How a program ended: its exit code, minus the signal that ended it, None if it was killed
    because its time was up."""

    code: int | None

    @property
    def is_overdue(self) -> bool:
        """True if it had to be killed."""
        return self.code is None


class Children:
    """Starts programs, and ends all that still run when it is closed.

    Each has a process group of its own, so that what it started ends with it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._is_closed = False

    def __enter__(self) -> Children:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def run(
        self,
        command: Sequence[str],
        *,
        log: Path,
        folder: Path,
        environment: Mapping[str, str],
        timeout_s: float,
    ) -> Exit:
        """Run a program to its end in ``folder``; what it prints goes to ``log``.

        Raises:
            OSError: it cannot be started, or its log cannot be written.
            Stopped: the children were closed meanwhile.
        """
        with log.open("wb") as output:
            with self._lock:
                if self._is_closed:
                    raise Stopped
                process = subprocess.Popen(  # noqa: S603 - programs of ours
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    cwd=folder,
                    env=dict(environment),
                    start_new_session=True,
                )
                self._groups.add(process.pid)
            try:
                code: int | None = process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                _end(process)
                with self._lock:
                    self._groups.discard(process.pid)
            if self._is_closed:
                raise Stopped
        return Exit(code)

    def close(self) -> None:
        """End all programs that still run, and start none any more."""
        with self._lock:
            self._is_closed = True
            for group in self._groups:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, signal.SIGKILL)


class Stopped(Exception):
    """The run was interrupted; nothing is to be concluded from what a program did."""


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is left of a program's group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGTERM)
        until = time.monotonic() + _GRACE_S
        while time.monotonic() < until:
            process.poll()
            os.killpg(process.pid, 0)
            time.sleep(_POLL_S)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
