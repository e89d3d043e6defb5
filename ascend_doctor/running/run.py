"""Run a command with its output unchanged and copied; tell when it is silent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from msgspec import Struct, field

from ascend_doctor.running.channel import channels, ends
from ascend_doctor.running.job import Job, passing_signals
from ascend_doctor.running.relay import Relay
from ascend_doctor.running.silence import Silence
from ascend_doctor.running.spool import Spool

# How long a job may take to end when it is told to, before it is killed.
TERM_S = 10.0


class Ending(Struct, frozen=True):
    """How a command ended.

    Attributes:
        returncode: its exit code, or minus the signal that ended it.
        seconds: how long it ran.
        was_asked: it was told from outside to end.
        was_killed: it was silent for too long, and ended for it.
        is_held: processes that it started hold its output open still; what they print is not shown.
        unwritten: why our own output took nothing more; empty if it took all.
    """

    returncode: int
    seconds: float
    was_asked: bool = False
    was_killed: bool = False
    is_held: bool = False
    unwritten: tuple[OSError, ...] = ()


class Run(Struct):
    """A command to be run.

    Attributes:
        command: the program and its arguments.
        streams: which of our standard streams are open.
        spool: takes a copy of what it prints.
        silence: tells when nothing is written for too long.
        on_stall: is told of it: seconds, and the process that leads the job.
        kills_stalled: end it when it is silent for too long.
    """

    command: Sequence[str]
    streams: Sequence[int]
    spool: Spool
    silence: Silence
    on_stall: Callable[[float, int], None]
    kills_stalled: bool = False
    _job: Job = field(default_factory=Job)
    _is_ending: bool = False
    _kill_at: float | None = None

    def run(self) -> Ending:
        """Run it to its end.

        Raises:
            CannotStart: there is no such command, or it is none.
        """
        ways = channels(self.streams)

        def resize() -> None:
            for way in ways:
                way.resize()

        begin = time.monotonic()
        with passing_signals(self._job, resize) as waker:
            try:
                out, err = ends(ways)
                self._job.start(self.command, out, err)
            finally:
                for way in ways:
                    way.started()
            relay = Relay(ways, self.spool, waker)
            while not self._has_ended():
                if relay.turn(self._wait_s()):
                    self.silence.broken()
                self._look()
            if self._is_ending:
                self._job.kill()
            is_held = not relay.drain()
        for way in ways:
            way.close()
        self.spool.finish()
        assert self._job.returncode is not None
        return Ending(
            self._job.returncode,
            time.monotonic() - begin,
            was_asked=self._job.was_asked,
            was_killed=self._is_ending,
            is_held=is_held,
            unwritten=tuple(way.broken for way in ways if way.broken is not None),
        )

    def _has_ended(self) -> bool:
        before = time.monotonic()
        has_ended = self._job.look()
        if time.monotonic() - before > 1:  # it was stopped, and continued
            self.silence.broken()
        return has_ended

    def _wait_s(self) -> float | None:
        waits = [self.silence.due_s]
        if self._kill_at is not None:
            waits.append(max(0.0, self._kill_at - time.monotonic()))
        return min((wait for wait in waits if wait is not None), default=None)

    def _look(self) -> None:
        if self._is_ending:
            if self._kill_at is not None and time.monotonic() >= self._kill_at:
                self._job.kill()
                self._kill_at = None
            return
        seconds = self.silence.look()
        if seconds is None or self._job.look():
            return
        self.on_stall(seconds, self._job.pid)
        if self.kills_stalled:
            self._job.terminate()
            self._is_ending = True
            self._kill_at = time.monotonic() + TERM_S
