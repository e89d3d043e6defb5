"""The loss curves of one source, drawn while it is scanned, and what is wrong with them.

Bounds: in the first part of a source, the first ``READ`` lines that mention a loss or a gradient
are read; behind them one in each block of bytes, which stands for all of it, and blocks grow with
the distance from the beginning. Each writer has one curve a name of the loss, at most
``MAX_CURVES`` in a source, and a curve is a bounded ``Series``. What the curves say does not depend
on how a part is cut into windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ascend_doctor.formats import metrics, pace, plog
from ascend_doctor.formats.record import Records
from ascend_doctor.knowledge import curve as arithmetic
from ascend_doctor.records import Origin, Record, Sighting
from ascend_doctor.scan.judge import evidence
from ascend_doctor.scan.series import Line, Point, Series
from ascend_doctor.scope import EVERYTHING, Scope
from ascend_doctor.view.prefix import NONE, Prefix, peel
from ascend_doctor.view.printed import may_differ
from ascend_doctor.view.raw import Raw
from ascend_doctor.view.view import Printed, View
from ascend_doctor.view.window import Window

if TYPE_CHECKING:
    from ascend_doctor.profile.model import Measures, Step

READ = 20_000
# Blocks of a source of each of which one line is read: up to where, and how long they are.
BLOCK = 1 << 10
TIERS = ((2 << 20, BLOCK), (16 << 20, 8 << 10), (64 << 20, 32 << 10))
FAR_BLOCK = 128 << 10
# How many lines one of a block stands for is counted in so much of the block.
COUNTED = 8 << 10
# Where so many lines in a row were CANN's own, no more are read one by one, and of blocks only one
# in so many is looked at until another kind of line is found.
IDLE = 8
# Multiples of the golden ratio are spread evenly and repeat in no period: of writers or kinds of
# lines that take turns, each has its share of what is read.
_GOLDEN, _CIRCLE = 0x9E3779B9, 1 << 32
MAX_CURVES = 32
# What a line must hold to be read.
SIGNS = (b"loss", b"Loss", b"grad_norm", b"grad norm", b"global_norm")

# A loss that was not finite has recovered if it was finite this often since.
RECOVERED_LINES = 20
# Shapes of line heads that are known to name no writer.
MAX_SHAPES = 256
_DIGITS = b"0123456789"

_Writer = tuple[object, ...]


def _lines_with(signs: Sequence[bytes], text: bytes, low: int, high: int) -> Iterator[int]:
    """Yield one place in each line that holds one of ``signs``."""
    places = [text.find(sign, low, high) for sign in signs]
    while (at := min((place for place in places if place >= 0), default=-1)) >= 0:
        yield at
        end = text.find(b"\n", at, high)
        if end < 0:
            return
        for number, place in enumerate(places):
            if 0 <= place < end:
                places[number] = text.find(signs[number], end, high)


def _blocks(low: int, high: int, stride: Callable[[], int]) -> Iterator[tuple[int, int]]:
    """Yield the blocks of a source that begin from ``low`` on and before ``high``.

    ``stride`` tells, block by block, of how many only one is looked at.
    """
    for limit, size in (*TIERS, (high, FAR_BLOCK)):
        end = min(limit, high)
        place = -(-low // size) * size
        while place < end:
            step = size * stride()
            if place % step == 0:
                yield place, size
                place += size
            else:
                place += step - place % step
        low = max(low, end)


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

    def __init__(
        self, source: str, scope: Scope = EVERYTHING, origin: Origin | None = None
    ) -> None:
        self._source = source
        self._scope = scope
        self._origin = origin or Origin()
        self._series: dict[tuple[_Writer, str], Series] = {}
        self._read = self._idle = self._idle_blocks = 0
        self._weight = 1
        self._anonymous: set[bytes] = set()
        self._gradients: dict[_Writer, _Gradients] = {}

    def see(self, window: Window, view: Printed | Raw, signs: Sequence[bytes]) -> None:
        """Read lines of one window; of ``SIGNS``, no others than ``signs`` stand in it."""
        if not signs:
            return
        if isinstance(view, Raw) and (window.part > 0 or self._read == READ):
            self._sample(window, view, signs, window.body[0])
            return
        text = view.data if isinstance(view, Raw) else view.text
        for place in _lines_with(signs, text, *view.body):
            if self._read < READ:
                self._read += 1
                self._see_line(view, view.line_start(place))
            if self._read == READ:
                if isinstance(view, Raw):
                    self._sample(window, view, signs, text.find(b"\n", place) + 1 or len(text))
                return

    def _sample(self, window: Window, view: Raw, signs: Sequence[bytes], low: int) -> None:
        """Read one line of each block that begins in the body, from ``low`` on."""
        data, (_, high) = window.data, window.body
        for place, size in _blocks(window.offset + low, window.offset + high, self._stride):
            stride = self._stride()
            begin = place - window.offset
            middle = begin + place // BLOCK * _GOLDEN % _CIRCLE * size // _CIRCLE
            for sign in signs:
                at = data.find(sign, middle, begin + size)
                if at < 0:
                    at = data.find(sign, begin, middle)
                if at >= 0:
                    start = view.line_start(at)
                    if data.startswith(b"[", start) and plog.HEAD.match(data, start, at):
                        self._idle_blocks += 1
                        break  # of CANN's own lines it does not matter how many there are
                    self._idle_blocks = 0
                    end = data.find(b"\n", at)
                    alike = data.count(sign, start, end if end >= 0 else at + size)
                    counted = min(size, COUNTED)
                    first = min(middle, begin + size - counted)
                    in_all = data.count(sign, first, first + counted) * size // counted
                    self._weight = stride * max(1, in_all // max(1, alike))
                    self._see_line(view, start)
                    break
        self._weight = 1

    def _stride(self) -> int:
        return IDLE if self._idle_blocks >= IDLE else 1

    def join(self, other: Curves, lines: int) -> None:
        """Go on with the part behind this one; ``lines`` stand before it."""
        for key, series in other._series.items():
            series.move(lines)
            known = self._series.get(key)
            if known is None:
                if len(self._series) < MAX_CURVES:
                    self._series[key] = series
            elif series.is_restarted or (series.opening and known.starts_again(series.opening)):
                self._series[key] = series
            else:
                known.join(series)
        for writer, found in other._gradients.items():
            gradients = self._gradients.get(writer)
            if gradients is not None:
                gradients.count += found.count
            elif len(self._gradients) < MAX_CURVES:
                found.line = found.line.moved(lines)
                self._gradients[writer] = found

    def _see_line(self, view: Printed | Raw, start: int) -> None:
        """Read what the line at ``start`` shows."""
        if isinstance(view, Raw):
            raw = view.raw_line(start).rstrip(b"\r")
            # What CANN logs is no step of a training.
            if raw.startswith(b"[") and plog.begins(raw):
                self._idle += 1
                if self._idle == IDLE:
                    self._read = READ
                return
            if not may_differ(raw):
                if len(raw) <= metrics.MAX_LINE:
                    writer, said = self._peeled(raw)
                    self._read_line(view, start, raw, None, said, writer)
                return
            shown = view.shown(start)
        else:
            shown = (view.line(start),)
        for place, (prefix, text) in enumerate(shown, start=start):
            if len(text) <= metrics.MAX_LINE and any(sign in text for sign in SIGNS):
                self._read_line(view, place, text, prefix, text, _named(prefix))

    def _read_line(
        self,
        view: View,
        start: int,
        text: bytes,
        prefix: Prefix | None,
        said: bytes,
        writer: _Writer,
    ) -> None:
        norm = metrics.finite_gradient(said) if b"norm" in said else None
        step = metrics.parse(said)
        if norm is None and step is None:
            return
        line = Line(text, view.number(start), prefix)
        if not self._scope.is_all:
            record = self._record(line)
            if self._scope.place(record.time, record.origin.rank) == "outside":
                return
        if norm is not None:
            self._count_gradient(writer, norm, line)
        if step is None:
            return
        key = (writer, step.name)
        series = self._series.get(key)
        if series is None:
            if len(self._series) >= MAX_CURVES:
                return
            series = self._series[key] = Series(step)
        elif series.starts_again(step):
            series = self._series[key] = Series(step, is_restarted=True)
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

    def measures(self) -> tuple[Measures, ...]:
        """Return how long steps took, of each writer those that its longest curve keeps."""
        from ascend_doctor.profile.model import Measures

        told = (self._pace(series) for series in self._longest())
        return tuple(
            Measures("step_lines", self._source, rank=steps[0].proof.origin.rank, steps=steps)
            for steps in told
            if steps
        )

    def _pace(self, series: Series) -> tuple[Step, ...]:
        from ascend_doctor.profile.model import Step

        steps = []
        for point in (group.first for group in series.groups):
            seconds = pace.seconds(point.line.text)
            if seconds is not None and seconds > 0:
                number = point.step.step
                name = "" if number is None else str(number)
                proof = evidence(self._record(point.line), 0)
                steps.append(Step(name=name, proof=proof, total_us=1e6 * seconds))
        return tuple(steps)

    def _longest(self) -> Iterator[Series]:
        """Yield the longest curve of each writer; a shorter one is of parts, or of summaries."""
        best: dict[_Writer, Series] = {}
        for (writer, _), series in self._series.items():
            if writer not in best or series.count > best[writer].count:
                best[writer] = series
        yield from best.values()

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
        records = Records(_Alone(line), self._source, self._origin)
        return records.at(0)[1]

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
