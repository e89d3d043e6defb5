"""Processes that read: each has one task at a time, and tells how it gets on."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType

from msgspec import Struct

from ascend_doctor.engines.reader import Reader
from ascend_doctor.engines.tasks import Answer, Task
from ascend_doctor.engines.worker import NO_MEMORY, STOPPING, work

# Forked, a process has the knowledge and its automaton at once, and shares their memory.
_FORKS = sys.platform == "linux"
_CONTEXT = get_context("fork") if _FORKS else get_context("spawn")
# Seconds that one that was killed is waited for; one that hangs in a read may take its time.
_PATIENCE_S = 1.0


class WorkerError(RuntimeError):
    """A bug showed in another process; the message is its traceback."""


class Death(Struct, frozen=True):
    """How a process ended that should not have."""

    how: str


class _Worker(Struct):
    process: BaseProcess
    connection: Connection
    task: Task | None = None


class Pool:
    """At most ``size`` processes, started when there is work for them; use as a context."""

    def __init__(self, size: int, reader: Reader) -> None:
        self._size = size
        self._reader = reader
        self._workers: list[_Worker] = []

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join(_PATIENCE_S)
            worker.connection.close()
        self._workers.clear()

    @property
    def has_room(self) -> bool:
        """Say whether a task would be begun at once."""
        return len(self.tasks) < self._size

    @property
    def tasks(self) -> list[Task]:
        """What is being worked on."""
        return [worker.task for worker in self._workers if worker.task is not None]

    def begin(self, task: Task) -> bool:
        """Give a task to a process that has none, or to a new one.

        Return False if there is none and none can be started; from then on there is room for no
        more than there are.
        """
        for worker in [worker for worker in self._workers if worker.task is None]:
            with suppress(OSError):
                worker.connection.send((task.work, task.tries > 0))
                worker.task = task
                return True
            self._bury(worker)  # it died of something else meanwhile
        try:
            worker = self._hire()
        except OSError:
            self._size = len(self._workers)
            return False
        worker.task = task
        # One that dies at once is found out when it does not answer.
        with suppress(OSError):
            worker.connection.send((task.work, task.tries > 0))
        return True

    def answers(self, timeout_s: float) -> Iterator[tuple[Task, Answer | Death]]:
        """Yield what processes say within so many seconds; after a death, the task is free.

        Raises:
            WorkerError: there is a bug.
        """
        busy = {worker.connection: worker for worker in self._workers if worker.task is not None}
        for ready in wait([*busy], timeout_s):
            worker = busy[ready]  # type: ignore[index]
            task = worker.task
            assert task is not None
            try:
                answer = worker.connection.recv()
            except (EOFError, OSError):
                yield task, self._bury(worker)
                continue
            if isinstance(answer, str):
                raise WorkerError(answer)
            if answer.is_last:
                worker.task = None
            yield task, answer

    def stop(self) -> None:
        """Ask all processes to end what they read."""
        for worker in self._workers:
            worker.process.terminate()

    def _hire(self) -> _Worker:
        ours, theirs = _CONTEXT.Pipe()
        # What is open here is open in a forked process as well.
        others = [ours, *(worker.connection for worker in self._workers)] if _FORKS else []
        process = _CONTEXT.Process(target=work, args=(theirs, others, self._reader), daemon=True)
        # Until it has handlers of its own, a signal would be handled as if it were this process.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker

    def _bury(self, worker: _Worker) -> Death:
        self._workers.remove(worker)
        worker.connection.close()
        worker.process.join(_PATIENCE_S)
        worker.process.kill()
        code = worker.process.exitcode
        if code is not None and code < 0:
            return Death(signal.Signals(-code).name)
        return Death("MemoryError" if code == NO_MEMORY else f"exit code {code}")
