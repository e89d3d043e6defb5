"""What curves say: verdicts with the lines that prove them, and how long steps took."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from ascend_doctor.formats import metrics, pace
from ascend_doctor.formats.record import Records
from ascend_doctor.knowledge import curve as arithmetic
from ascend_doctor.records import Origin, Record, Sighting
from ascend_doctor.scan.judge import evidence
from ascend_doctor.scan.series import Line, Point, Series
from ascend_doctor.view.prefix import Prefix, peel

if TYPE_CHECKING:
    from ascend_doctor.profile.model import Step

# A loss that was not finite has recovered if it was finite this often since.
RECOVERED_LINES = 20


class Told(Struct, frozen=True):
    """A verdict on a curve: whose it is, the places that prove it, and what they say."""

    verdict: str
    record: Record
    sighting: Sighting
    count: int


class _Alone:
    """The view of a line that was kept."""

    body = (0, 1)

    def __init__(self, line: Line) -> None:
        self._line = (
            peel(line.text.rstrip(b"\r")) if line.prefix is None else (line.prefix, line.text)
        )
        self._number = line.place

    def line(self, start: int) -> tuple[Prefix, bytes]:
        return self._line

    def above(self, start: int) -> None:
        return None

    def below(self, start: int) -> None:
        return None

    def number(self, start: int) -> tuple[int, int]:
        return self._number


class Telling:
    """Puts the lines of a source that were kept together as records."""

    def __init__(self, source: str, origin: Origin) -> None:
        self._source = source
        self._origin = origin

    def record(self, line: Line) -> Record:
        """Return the record of a line that was kept."""
        return Records(_Alone(line), self._source, self._origin).at(0)[1]

    def gradient(self, norm: str, line: Line, count: int) -> Told:
        """Tell that norms of the gradient are finite."""
        record = self.record(line)
        sighting = Sighting((evidence(record, 0),), {"norm": norm})
        return Told("gradient_finite", record, sighting, count)

    def of(self, series: Series) -> Iterator[Told]:
        """Yield what is wrong with a curve.

        Where it ended in nan, the rules for nan have the word; nan that was skipped is told, and
        the rest of the curve is judged as any other.
        """
        if series.bad is not None:
            if series.finite_since < RECOVERED_LINES:
                return
            yield self._recovered(series, series.bad)
        if series.is_plain and series.groups:
            verdict = arithmetic.verdict(series.curve())
            if verdict is not None and _may_be(verdict.name, series):
                yield self._bad(series, verdict)

    def steps(self, series: Series) -> tuple[Step, ...]:
        """Return how long the steps took that a curve keeps, as far as its lines say it."""
        from ascend_doctor.profile.model import Step

        steps = []
        for point in (group.first for group in series.groups):
            seconds = pace.seconds(point.line.text)
            if seconds is not None and seconds > 0:
                number = point.step.step
                name = "" if number is None else str(number)
                proof = evidence(self.record(point.line), 0)
                steps.append(Step(name=name, proof=proof, total_us=1e6 * seconds))
        return tuple(steps)

    def _bad(self, series: Series, verdict: arithmetic.Verdict) -> Told:
        groups = series.groups
        first = groups[verdict.first]
        # What froze or was cut off is seen where it is lowest, what exploded where it is highest.
        point = first.high if verdict.name == "exploded" else first.low
        best = groups[max(0, verdict.first - 1) if verdict.best is None else verdict.best].first
        captures = {
            "loss": point.step.text,
            "best": best.step.text,
            "last": groups[-1].first.step.text,
            "lines": str((len(groups) - verdict.first) * series.stride),
            **_counters("", point.step),
            **_counters("best_", best.step),
        }
        record = self.record(point.line)
        proof = (evidence(record, 0), evidence(self.record(best.line), 0))
        return Told(verdict.name, record, Sighting(proof, captures), 1)

    def _recovered(self, series: Series, bad: Point) -> Told:
        captures = {
            "loss": bad.step.text,
            "count": str(series.bad_count),
            "lines": str(series.finite_since),
            **_counters("", bad.step),
        }
        record = self.record(bad.line)
        sighting = Sighting((evidence(record, 0),), captures)
        return Told("recovered", record, sighting, series.finite_since)


def _may_be(verdict: str, series: Series) -> bool:
    """Say whether a curve of such lines can bear a verdict.

    Without a counter, runs that follow each other look like one. A progress bar repeats
    values that nothing has computed anew.
    """
    if verdict == "zero":
        return True
    return series.is_counted and not (verdict == "stuck" and series.groups[-1].low.step.is_bar)


def _counters(prefix: str, step: metrics.StepLine) -> dict[str, str]:
    """Return epoch and step as captures; a fraction of an epoch is as good as a step."""
    said = {}
    if step.epoch is not None:
        said[f"{prefix}epoch"] = f"{step.epoch:.10g}"
    if step.step is not None:
        said[f"{prefix}step"] = str(step.step)
    return said
