"""Two runs side by side: all that a reporter needs to tell how the bad one differs."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ascend_doctor.records import Evidence
from ascend_doctor.report import Diagnosis, Report

PROBLEMS = frozenset({"WARNING", "ERROR", "FATAL"})


class Wording(Struct, frozen=True):
    """Lines that differ only in numbers, paths, hosts and times.

    Attributes:
        template: what they have in common.
        level: how bad they say they are, empty if they do not.
        good: how many there are in the good run.
        bad: how many there are in the bad one.
        first: the first of them, in the bad run if it has any.
    """

    template: str
    level: str
    good: int
    bad: int
    first: Evidence

    @property
    def is_problem(self) -> bool:
        """True if it is a warning or worse."""
        return self.level in PROBLEMS


class Stretch(Struct, frozen=True):
    """Some lines of one process, in their order.

    Attributes:
        path: the file in which they stand.
        lines: number and text of each.
        at: number of the line that is meant; None behind the last one.
    """

    path: str
    lines: tuple[tuple[int, str], ...]
    at: int | None


class Divergence(Struct, frozen=True):
    """Where a process of the bad run leaves the path that it took in the good one.

    ``ends`` says that it says nothing new there, but no more at all.
    """

    process: str
    good: Stretch
    bad: Stretch
    ends: bool = False


class Comparison(Struct, frozen=True):
    """How a bad run differs from a good one.

    Attributes:
        good: the diagnosis of the good run.
        bad: the diagnosis of the bad one.
        new: wordings that only the bad run has, in order of appearance.
        more: wordings that it has many more times.
        gone: wordings that only the good run has.
        new_diagnoses: what was diagnosed only in the bad run.
        gone_diagnoses: what was diagnosed only in the good one.
        environment: by name, what the good and the bad run say of versions and variables, where
            they differ; empty where one says nothing.
        divergences: where processes leave the path, the earliest first.
        cut: there were more wordings or lines than can be told apart.
    """

    good: Report
    bad: Report
    new: tuple[Wording, ...]
    more: tuple[Wording, ...]
    gone: tuple[Wording, ...]
    new_diagnoses: tuple[Diagnosis, ...]
    gone_diagnoses: tuple[Diagnosis, ...]
    environment: Mapping[str, tuple[str, str]]
    divergences: tuple[Divergence, ...]
    cut: bool = False
