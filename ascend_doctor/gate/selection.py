"""Which diagnoses are reported at all: ``--select`` and ``--ignore``."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ascend_doctor.errors import SettingError
from ascend_doctor.records import FAMILIES
from ascend_doctor.report import Consequence, Diagnosis, Hidden, Report

if TYPE_CHECKING:
    from ascend_doctor.knowledge.index import Knowledge

_WILD = frozenset("*?[")


def names_of(knowledge: Knowledge) -> frozenset[str]:
    """Return all names that a diagnosis may be called by: ids of rules and codes, and families."""
    codes = (row.rule for row in knowledge.codes.rows())
    return frozenset({*knowledge.rules, *FAMILIES, *codes})


def check_names(what: str, patterns: Iterable[str], names: Collection[str]) -> None:
    """Check that each of some ids, families and wildcards names something.

    Raises:
        SettingError: one names nothing; it says what is meant perhaps. ``what`` begins it.
    """
    from difflib import get_close_matches

    for pattern in patterns:
        if _WILD.isdisjoint(pattern):
            if pattern in names:
                continue
            close = get_close_matches(pattern, sorted(names), n=3)
            said = f"no rule or family is called {pattern!r}"
            mend = f"did you mean {', '.join(close)}?" if close else "see: ascend-doctor rules list"
        elif any(fnmatchcase(name, pattern) for name in names):
            continue
        else:
            said, mend = f"no rule or family fits {pattern!r}", "see: ascend-doctor rules list"
        raise SettingError(f"{what}: {said}; {mend}")


class Selection(Struct, frozen=True):
    """Ids of rules, families, or wildcards of either; without ``select``, everything is."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def applied(self, report: Report) -> Report:
        """Return the report without the diagnoses that are not wanted, which it counts.

        What follows from a hidden cause is hidden with it: it is no cause of its own. What is
        selected is shown even if it followed from something else, then with its cause. Places in
        the order stay, so that no other diagnosis is taken for the root cause.
        """
        if not (self.select or self.ignore):
            return report
        shown, hidden = [], []
        for diagnosis in report.diagnoses:
            by = self._hides(diagnosis)
            if by is None:
                shown.append(self._told(diagnosis))
                continue
            hidden.append(
                Hidden(diagnosis.rule, diagnosis.family, diagnosis.severity, diagnosis.count, by)
            )
        gate = replace(report.gate, hidden=(*report.gate.hidden, *hidden))
        places = {diagnosis.position for diagnosis in shown}
        activities = tuple(a for a in report.timeline.activities if a.position in places)
        timeline = replace(report.timeline, activities=activities)
        return replace(
            report,
            diagnoses=tuple(shown),
            timeline=timeline,
            breakdown=report.breakdown.about(places),
            gate=gate,
        )

    def _told(self, diagnosis: Diagnosis) -> Diagnosis:
        """Return a diagnosis with what is selected of its followers first: few are shown."""
        followers = sorted(diagnosis.consequences, key=lambda item: not is_named(item, self.select))
        return replace(diagnosis, consequences=tuple(followers))

    def _hides(self, diagnosis: Diagnosis) -> str | None:
        if is_named(diagnosis, self.ignore):
            return "--ignore"
        members: tuple[Diagnosis | Consequence, ...] = (diagnosis, *diagnosis.consequences)
        if self.select and not any(is_named(item, self.select) for item in members):
            return "--select"
        return None


def is_named(item: Diagnosis | Consequence, patterns: Iterable[str]) -> bool:
    """Say whether one of some ids, families and wildcards names a diagnosis."""
    return any(
        fnmatchcase(item.rule, pattern) or fnmatchcase(item.family, pattern) for pattern in patterns
    )
