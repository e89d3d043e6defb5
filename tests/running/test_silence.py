"""When a job counts as silent, by a clock that stands still unless it is moved."""

from __future__ import annotations

import pytest

from ascend_doctor.running.silence import Silence


class Job:
    def __init__(self, seconds: float) -> None:
        self.now = 0.0
        self.logs = 0
        self.silence = Silence(seconds, lambda: self.logs, lambda: self.now)

    def told(self, until: float) -> list[tuple[float, float]]:
        """Look whenever it is due; return when silence was told, and how long it was."""
        found = []
        while (due_s := self.silence.due_s) is not None and self.now + due_s <= until:
            self.now += due_s
            lasts = self.silence.look()
            if lasts is not None:
                found.append((self.now, lasts))
        self.now = until
        return found


def test_silence_is_told_once():
    assert Job(100).told(1000) == [(100.0, 100.0)]


def test_output_ends_it_and_it_may_be_told_again():
    job = Job(100)
    assert job.told(130) == [(100.0, 100.0)]
    job.silence.broken()
    # What is looked at every tenth of the time is told so much later at most.
    assert job.told(1000) == [(230.0, 100.0)]


def test_logs_that_grow_are_no_silence():
    job = Job(100)
    found = []
    for until in range(50, 500, 50):
        job.logs += 1
        found += job.told(until)
    assert found == []
    assert job.told(1000) == [(510.0, 100.0)]


def test_logs_are_not_looked_at_while_there_is_output():
    job = Job(100)
    job.silence = Silence(100, lambda: pytest.fail("looked at"), lambda: job.now)
    for until in range(5, 500, 5):
        assert job.told(until) == []
        job.silence.broken()


def test_none_is_told_if_none_is_asked_for():
    job = Job(0)
    assert (job.silence.due_s, job.silence.look()) == (None, None)
