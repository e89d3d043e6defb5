"""What a process does that was started to read."""

from __future__ import annotations

import gc
import signal
import sys
import time
import traceback
from collections.abc import Iterable
from multiprocessing.connection import Connection

from ascend_doctor.engines.reader import Cut, Reader
from ascend_doctor.engines.tasks import Answer, Large, OnePart, Whole
from ascend_doctor.engines.watch import Watch
from ascend_doctor.facts import Shard
from ascend_doctor.ingest.source import Skipped, Source
from ascend_doctor.scan.part import Part

# Signals that are blocked while a process is started.
STOPPING = (signal.SIGINT, signal.SIGTERM)
# The exit code of a process that asked for more memory than it may have.
NO_MEMORY = 12
# Seconds between answers that a task is under way.
_EVERY_S = 0.2
# Results that are sent in one answer; an archive may have very many.
_MOST = 256


def work(parent: Connection, others: Iterable[Connection], reader: Reader) -> None:
    """Do what ``parent`` asks, until it hangs up or is no more.

    Args:
        parent: gives work, and whether another process died of it; is given each `Answer`. A text
            in place of one is the traceback of a bug.
        others: to be closed: a process must not keep the lines of others open.
        reader: reads.
    """
    for other in others:
        other.close()
    # What was there before is neither searched for garbage nor copied for it.
    gc.freeze()
    watch = reader.watch = Watch()
    # A terminal interrupts all processes; what is to be done then is told by the first.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: watch.stop())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    try:
        while True:
            task, is_risky = parent.recv()
            _Desk(parent, reader, 1 if is_risky else _MOST).do(task)
    except (EOFError, ConnectionError):
        return
    except MemoryError:
        sys.exit(NO_MEMORY)
    except Exception:
        parent.send(traceback.format_exc())


class _Desk:
    """The work on one task."""

    def __init__(self, parent: Connection, reader: Reader, most: int) -> None:
        self._parent = parent
        self._most = most
        self._reader = reader
        self._read = self._count = 0
        self._path = ""
        self._results: list[Shard | Skipped] = []
        self._last = time.monotonic()
        reader.note = self._note

    def do(self, task: Whole | Large | OnePart) -> None:
        cut: Cut | None = None
        part: Part | None = None
        if isinstance(task, OnePart):
            self._path = task.cut.source.path
            part = self._reader.part(task.cut, task.number)
        elif isinstance(task, Large):
            self._path = task.source.path
            begun = self._reader.cut(task.source)
            if begun is None:
                self._read_whole(task.source)
            else:
                cut, part = begun
        else:
            for source in task.sources:
                if self._reader.watch.is_stopped:
                    break
                self._read_whole(source)
        self._answer(is_last=True, cut=cut, part=part)

    def _read_whole(self, source: Source) -> None:
        self._path = source.path
        is_begun = False
        for result in self._reader.read(source):
            is_begun = True
            self._path = result.path
            self._results.append(result)
            if len(self._results) == self._most:
                self._answer()
        self._count += is_begun or not self._reader.watch.is_stopped

    def _note(self, count: int) -> None:
        self._read += count
        if time.monotonic() - self._last >= _EVERY_S:
            self._answer()

    def _answer(
        self, *, is_last: bool = False, cut: Cut | None = None, part: Part | None = None
    ) -> None:
        results, self._results = self._results, []
        self._last = time.monotonic()
        self._parent.send(Answer(is_last, self._read, self._count, self._path, results, cut, part))
