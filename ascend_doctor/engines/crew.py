"""Reading by several processes: who does what next, and what comes of it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain

from ascend_doctor.engines.bounds import Bounds
from ascend_doctor.engines.gathering import Gathering
from ascend_doctor.engines.joining import Joining
from ascend_doctor.engines.pool import Death, Pool
from ascend_doctor.engines.reader import Reader
from ascend_doctor.engines.tasks import Answer, Large, OnePart, Task
from ascend_doctor.engines.watch import INTERRUPTED, Progress
from ascend_doctor.ingest.source import Skipped

# Seconds between two looks at signals and at how far the processes are.
_TICK_S = 0.2
# Seconds that processes have to say what they read before they were stopped.
_GRACE_S = 2.0


class Crew:
    """Does the tasks of a scan with ``jobs`` processes, few at a time."""

    def __init__(
        self,
        reader: Reader,
        jobs: int,
        bounds: Bounds,
        gathering: Gathering,
        progress: Progress,
    ) -> None:
        self._reader = reader
        self._jobs = jobs
        self._ahead = bounds.ahead * jobs
        self._gathering = gathering
        self._progress = progress
        self._joinings: dict[int, Joining] = {}
        self._parts: deque[Task] = deque()
        self._again: deque[Task] = deque()
        self._done_bytes = 0

    def read(self, tasks: Iterator[Task]) -> Iterable[Task]:
        """Do tasks until all are done, or reading is stopped; return those to be done here.

        They are those of pipes, and all that is left if no process can be started.
        """
        pipes: list[Task] = []

        def following() -> Task | None:
            for task in tasks:
                if not task.is_of_pipe:
                    return task
                pipes.append(task)
            return None

        watch = self._reader.watch
        with Pool(self._jobs, self._reader) as pool:
            # Found while all are busy, what comes next is there when one of them is not.
            ready = following()
            while not watch.is_stopped:
                while pool.has_room and (task := self._urgent() or ready) is not None:
                    if task is ready:
                        ready = following()
                    if not pool.begin(task):
                        self._again.appendleft(task)
                if not pool.tasks:
                    break
                self._listen(pool, _TICK_S)
            if watch.is_stopped:
                self._end(pool)
                return pipes
        begun = [
            Task(joining.place, Large(joining.cut.source)) for joining in self._joinings.values()
        ]
        again = [task for task in self._again if not isinstance(task.work, OnePart)]
        return chain(begun, again, [] if ready is None else [ready], tasks, pipes)

    def _end(self, pool: Pool) -> None:
        """Take what processes have to say of what they read until now."""
        pool.stop()
        end = time.monotonic() + _GRACE_S
        while pool.tasks and (left := end - time.monotonic()) > 0:
            self._listen(pool, min(left, _TICK_S))
        for task in pool.tasks:
            self._gathering.add(task.place, task.results)
            self._progress.done += task.count
        for joining in [*self._joinings.values()]:
            joining.end_here(INTERRUPTED)
            self._finish(joining)

    def _urgent(self) -> Task | None:
        """Return what is to be done before anything new."""
        if self._again:
            return self._again.popleft()
        while self._parts:
            task = self._parts.popleft()
            if task.place in self._joinings:
                return task
        return None

    def _listen(self, pool: Pool, timeout_s: float) -> None:
        for task, answer in pool.answers(timeout_s):
            if isinstance(answer, Death):
                self._mourn(task, answer)
            else:
                self._take(task, answer)
        under_way = pool.tasks
        self._progress.done_bytes = self._done_bytes + sum(task.read for task in under_way)
        self._reader.watch.see(self._progress)

    def _take(self, task: Task, answer: Answer) -> None:
        task.take(answer)
        self._progress.path = answer.path
        if not answer.is_last:
            return
        self._done_bytes += task.read
        if answer.part is None:
            self._progress.done += task.count
            self._gathering.add(task.place, task.results)
            return
        if answer.cut is not None:
            joining = Joining(task.place, answer.cut, answer.part, self._ahead)
            self._joinings[task.place] = joining
        else:
            assert isinstance(task.work, OnePart)
            if task.place not in self._joinings:
                return  # the file ends before this part
            joining = self._joinings[task.place]
            joining.take(task.work.number, answer.part)
        self._go_on(joining)

    def _mourn(self, task: Task, death: Death) -> None:
        """Try again what a process died of, or say that it was not read."""
        self._again += (again := task.again())
        if again:
            return
        reason = f"the process that read it was ended twice, the last time by {death.how}"
        if isinstance(task.work, OnePart):
            joining = self._joinings.get(task.place)
            if joining is not None:
                joining.end_at(task.work.number, reason)
                self._go_on(joining)
            return
        if not task.count:
            rest = "; what follows was not read" if task.results else ""
            task.results.append(Skipped(task.sources[0].path, reason + rest))
        self._progress.done += 1
        self._gathering.add(task.place, task.results)

    def _go_on(self, joining: Joining) -> None:
        for number in joining.give():
            self._parts.append(Task(joining.place, OnePart(joining.cut, number)))
        if joining.is_done:
            self._finish(joining)

    def _finish(self, joining: Joining) -> None:
        del self._joinings[joining.place]
        shard = self._reader.scanner.shard_of([joining.whole], joining.cut.kind)
        self._gathering.add(joining.place, [shard])
        self._progress.done += 1
