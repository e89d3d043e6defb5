"""The loss curves of one source, drawn while it is scanned, and what is wrong with them.

Bounds: of the lines of a source that mention a loss or a gradient, the first ``READ`` are
read one by one, then as many of one in two, of one in four, and so on: ten million cost a
hundred thousand. Each writer has one curve a name of the loss, at most ``MAX_CURVES`` in a
source, and a curve is a bounded ``Series``. What the curves say does not depend on how the
source is cut into windows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ascend_doctor.formats import metrics
from ascend_doctor.formats.record import Records
from ascend_doctor.formats.sniff import origin_of
from ascend_doctor.knowledge import curve as arithmetic
from ascend_doctor.records import Record, Sighting
from ascend_doctor.scan.judge import evidence
from ascend_doctor.scan.series import Line, Point, Series
from ascend_doctor.view.prefix import NONE, Prefix, peel
from ascend_doctor.view.view import View, of
from ascend_doctor.view.window import Window

READ = 10_000
# One line in 2 ** 13 is read in the end.
MAX_SPARSITY = 13
# Multiples of the golden ratio are spread evenly and repeat in no period, so that of writers or
# kinds of lines that take turns each has its share of what is read.
_GOLDEN, _CIRCLE = 0x9E3779B9, 1 << 32
MAX_CURVES = 32
# What a line must hold to be read.
_SIGNS = (b"loss", b"Loss", b"grad_norm", b"grad norm", b"global_norm")

# A loss that was not finite has recovered if it was finite this often since.
RECOVERED_LINES = 20
# Shapes of line heads that are known to name no writer.
MAX_SHAPES = 256
_DIGITS = b"0123456789"

_Writer = tuple[object, ...]


@dataclass(slots=True)
class _Gradients:
    """How often a writer printed a finite norm of the gradient, and the first of them."""

    norm: str
    line: Line
    count: int


@dataclass(frozen=True, slots=True)
class Told:
    """A verdict on a curve: whose it is, the places that prove it, and what they say."""

    verdict: str
    record: Record
    sighting: Sighting
    count: int


class Curves:
    """All curves of one source."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._origin = origin_of(source)
        self._series: dict[tuple[_Writer, str], Series] = {}
        self._mentions = self._read = self._sparsity = 0
        self._weight = 1
        self._anonymous: set[bytes] = set()
        self._gradients: dict[_Writer, _Gradients] = {}

    def see(self, view: View, *, is_raw: bool) -> None:
        """Read the step lines of one window; if ``is_raw``, no prefix was taken off its lines."""
        for start, end in self._lines(view):
            text = view.text[start:end]
            prefix = None if is_raw else view.prefix(start)
            writer, said = self._peeled(text) if prefix is None else (_named(prefix), text)
            line = Line(text, view.number(start), prefix)
            norm = metrics.finite_gradient(said) if b"norm" in said else None
            if norm is not None:
                self._count_gradient(writer, norm, line)
            step = metrics.parse(said)
            if step is None:
                continue
            key = (writer, step.name)
            series = self._series.get(key)
            if series is None:
                if len(self._series) >= MAX_CURVES:
                    continue
                series = self._series[key] = Series()
            elif series.starts_again(step):
                series = self._series[key] = Series()
            series.add(Point(step, line), self._weight)

    def _count_gradient(self, writer: _Writer, norm: str, line: Line) -> None:
        known = self._gradients.get(writer)
        if known is not None:
            known.count += self._weight
        elif len(self._gradients) < MAX_CURVES:
            self._gradients[writer] = _Gradients(norm, line, self._weight)

    def told(self) -> Iterator[Told]:
        """Yield what is wrong with the curves: of each writer, that of the longest one.

        Where a curve ended in nan, the rules for nan have the word; nan that was skipped is told,
        and the rest of the curve is judged as any other.
        """
        for found in self._gradients.values():
            record = self._record(found.line)
            sighting = Sighting((evidence(record, 0),), {"norm": found.norm})
            yield Told("gradient_finite", record, sighting, found.count)
        for series in self._longest():
            if series.bad is not None:
                if series.finite_since < RECOVERED_LINES:
                    continue
                yield self._recovered(series, series.bad)
            if series.is_plain and series.groups:
                curve = series.curve()
                verdict = arithmetic.verdict(curve)
                if verdict is not None and _may_be(verdict.name, series):
                    yield self._bad(series, verdict)

    def _longest(self) -> Iterator[Series]:
        """Yield the longest curve of each writer; a shorter one is of parts, or of summaries."""
        best: dict[_Writer, Series] = {}
        for (writer, _), series in self._series.items():
            if writer not in best or series.count > best[writer].count:
                best[writer] = series
        yield from best.values()

    def _lines(self, view: View) -> Iterator[tuple[int, int]]:
        """Yield where each line begins and ends that holds a sign and is to be read."""
        text = view.text
        low, high = view.body
        places = {word: text.find(word, low) for word in _SIGNS}
        while (at := min((place for place in places.values() if place >= 0), default=-1)) >= 0:
            start = text.rfind(b"\n", max(0, at - metrics.MAX_LINE), at) + 1
            end = text.find(b"\n", at, at + metrics.MAX_LINE)
            if end < 0:
                end = min(len(text), at + metrics.MAX_LINE)
            if start >= high:
                break
            if start >= low and end - start <= metrics.MAX_LINE and self._is_due():
                yield start, end
            for word, place in places.items():
                if 0 <= place < end:
                    places[word] = text.find(word, end)

    def _is_due(self) -> bool:
        """Count one more line that mentions a loss, and say whether it is to be read."""
        self._mentions += 1
        if self._mentions * _GOLDEN % _CIRCLE >= _CIRCLE >> self._sparsity:
            return False
        self._read += 1
        self._weight = 1 << self._sparsity
        if self._read % READ == 0 and self._sparsity < MAX_SPARSITY:
            self._sparsity += 1
        return True

    def _peeled(self, line: bytes) -> tuple[_Writer, bytes]:
        """Return who wrote a raw line, and what; heads that differ in digits are tried once."""
        # A writer stands before what both spellings of the words have in common.
        head = min(line.partition(b"oss")[0], line.partition(b"norm")[0], key=len)
        shape = head.translate(None, _DIGITS)
        if shape in self._anonymous:
            return _NOBODY, line
        prefix, said = peel(line)
        writer = _named(prefix)
        if writer == _NOBODY and len(self._anonymous) < MAX_SHAPES:
            self._anonymous.add(shape)
        return writer, said

    def _record(self, line: Line) -> Record:
        text = line.text + b"\n"
        if line.prefix is None:
            view = of(Window(text, (0, len(text)), line.place[0]))
        else:
            prefixes = {} if line.prefix is NONE else {0: line.prefix}
            view = View(text, (0, len(text)), line.place[0], [0], [line.place], prefixes)
        return Records(view, self._source, self._origin).at(0)[1]

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
        record = self._record(point.line)
        proof = (evidence(record, 0), evidence(self._record(best.line), 0))
        return Told(verdict.name, record, Sighting(proof, captures), 1)

    def _recovered(self, series: Series, bad: Point) -> Told:
        captures = {
            "loss": bad.step.text,
            "count": str(series.bad_count),
            "lines": str(series.finite_since),
            **_counters("", bad.step),
        }
        record = self._record(bad.line)
        sighting = Sighting((evidence(record, 0),), captures)
        return Told("recovered", record, sighting, series.finite_since)


def _named(prefix: Prefix) -> _Writer:
    return (prefix.node, prefix.name, prefix.pid, prefix.rank)


_NOBODY = _named(NONE)


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
