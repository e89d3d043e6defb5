"""Follow logs and tell what goes wrong in them while it does."""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec import Struct, field

from ascend_doctor.diagnosis.diagnose import diagnose
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.records import Severity
from ascend_doctor.report import Diagnosis, Report
from ascend_doctor.running.follow import Follower
from ascend_doctor.running.silence import Silence

# Errors come in bursts: what is new is told when nothing has come for one look, or after so long.
_BURST_S = 5.0


class News(Struct, frozen=True):
    """What one look found.

    Attributes:
        report: the diagnosis of all that was read until now.
        causes: diagnoses that were not told before.
    """

    report: Report
    causes: tuple[Diagnosis, ...]


class Watching(Struct):
    """Looks at logs again and again.

    Attributes:
        follower: reads what is new in them.
        knowledge: what is known.
        silence: tells when nothing is written for too long.
        clock: seconds, for how long something lasts.
    """

    follower: Follower
    knowledge: Knowledge
    silence: Silence
    clock: Callable[[], float] = time.monotonic
    _told: set[str] = field(default_factory=set)
    _news_since: float | None = None

    def look(self) -> News | None:
        """Look once; return what is new, if there is anything and it has come to rest."""
        now = self.clock()
        has_grown = self.follower.poll()
        if has_grown:
            self.silence.broken()
        if not self.follower.has_news:
            return None
        if self._news_since is None:
            self._news_since = now
        if has_grown and now - self._news_since < _BURST_S:
            return None
        self._news_since = None
        report = diagnose(self.follower.facts(), self.knowledge)
        causes = tuple(
            diagnosis
            for diagnosis in report.diagnoses
            if diagnosis.severity >= Severity.WARNING and diagnosis.rule not in self._told
        )
        self._told.update(diagnosis.rule for diagnosis in causes)
        return News(report, causes)

    def report(self) -> Report:
        """Read what waits, and return the diagnosis of all."""
        self.follower.finish()
        return diagnose(self.follower.facts(), self.knowledge)
