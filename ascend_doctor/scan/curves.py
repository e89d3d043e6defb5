"""The loss curves of one source, drawn while it is scanned, and what is wrong with them.

Bounds: in the first part of a source, the first ``READ`` lines that mention a loss or a gradient
are read; behind them one in each block of bytes, which stands for all of it, and blocks grow with
the distance from the beginning. Each writer has one curve a name of the loss, at most
``MAX_CURVES`` in a source, and a curve is a bounded ``Series``. What the curves say does not depend
on how a part is cut into windows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from ascend_doctor.formats import metrics, plog
from ascend_doctor.formats.sniff import is_of_cann
from ascend_doctor.records import Origin
from ascend_doctor.scan.blocks import COUNTED, blocks, lines_with, middle
from ascend_doctor.scan.series import Line, Point, Series
from ascend_doctor.scan.telling import Telling, Told
from ascend_doctor.scope import EVERYTHING, Scope
from ascend_doctor.view.prefix import Prefix, peel
from ascend_doctor.view.printed import may_differ
from ascend_doctor.view.raw import Raw
from ascend_doctor.view.view import Printed, View
from ascend_doctor.view.window import Window

if TYPE_CHECKING:
    from ascend_doctor.profile.model import Measures

READ = 20_000
# Where so many lines in a row were CANN's own, no more are read one by one, and of blocks only one
# in ``STRIDES`` is looked at until another kind of line is found: the more were seen in a row,
# the fewer.
IDLE = 8
STRIDES = (1, 8, 64)
MAX_CURVES = 32
# What a line must hold to be read.
SIGNS = (b"loss", b"Loss", b"grad_norm", b"grad norm", b"global_norm")

_Writer = tuple[object, ...]


class _Gradients(Struct):
    """How often a writer printed a finite norm of the gradient, and the first of them."""

    norm: str
    line: Line
    count: int


class Curves:
    """All curves of one source."""

    def __init__(
        self, source: str, scope: Scope = EVERYTHING, origin: Origin | None = None
    ) -> None:
        self._source = source
        self._is_of_cann = is_of_cann(source)
        self._scope = scope
        self._telling = Telling(source, origin or Origin())
        self._series: dict[tuple[_Writer, str], Series] = {}
        self._read = self._idle = self._idle_blocks = 0
        self._weight = 1
        self._gradients: dict[_Writer, _Gradients] = {}

    def see(self, window: Window, view: Printed | Raw, signs: Sequence[bytes]) -> None:
        """Read lines of one window; of ``SIGNS``, no others than ``signs`` stand in it."""
        if not signs or self._is_of_cann:
            return
        if isinstance(view, Raw) and (window.part > 0 or self._read == READ):
            self._sample(window, view, signs, window.body[0])
            return
        is_raw = isinstance(view, Raw)
        text = view.data if isinstance(view, Raw) else view.text
        for place in lines_with(signs, text, *view.body):
            if self._read < READ:
                self._read += 1
                start = view.line_start(place)
                if is_raw and _is_canns(text, start):
                    self._idle += 1
                    if self._idle == IDLE:
                        self._read, self._idle_blocks = READ, IDLE
                else:
                    self._see_line(view, start)
            if self._read == READ:
                if isinstance(view, Raw):
                    self._sample(window, view, signs, text.find(b"\n", place) + 1 or len(text))
                return

    def _sample(self, window: Window, view: Raw, signs: Sequence[bytes], low: int) -> None:
        """Read one line of each block that begins in the body, from ``low`` on."""
        data, (_, high) = window.data, window.body
        for place, size in blocks(window.offset + low, window.offset + high, self._stride):
            begin = place - window.offset
            inside = begin + middle(place, size)
            for sign in signs:
                at = data.find(sign, inside, begin + size)
                if at < 0:
                    at = data.find(sign, begin, inside)
                if at >= 0:
                    start = view.line_start(at)
                    if _is_canns(data, start):
                        self._idle_blocks += 1
                        break  # of them it does not matter how many there are
                    stride = self._stride()
                    self._idle_blocks = 0
                    end = data.find(b"\n", at)
                    alike = data.count(sign, start, end if end >= 0 else at + size)
                    counted = min(size, COUNTED)
                    first = min(inside, begin + size - counted)
                    in_all = data.count(sign, first, first + counted) * size // counted
                    self._weight = stride * max(1, in_all // max(1, alike))
                    self._see_line(view, start)
                    break
        self._weight = 1

    def _stride(self) -> int:
        return STRIDES[min(self._idle_blocks // IDLE, len(STRIDES) - 1)]

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
            if not may_differ(raw):
                if len(raw) <= metrics.MAX_LINE:
                    prefix, said = peel(raw)
                    self._read_line(view, start, raw, None, said, _named(prefix))
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
            record = self._telling.record(line)
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
        """Yield what is wrong with the curves: of each writer, that of the longest one."""
        for found in self._gradients.values():
            yield self._telling.gradient(found.norm, found.line, found.count)
        for series in self._longest():
            yield from self._telling.of(series)

    def measures(self) -> tuple[Measures, ...]:
        """Return how long steps took, of each writer those that its longest curve keeps."""
        from ascend_doctor.profile.model import STEP_LINES, Measures

        told = (self._telling.steps(series) for series in self._longest())
        return tuple(
            Measures(STEP_LINES, self._source, rank=steps[0].proof.origin.rank, steps=steps)
            for steps in told
            if steps
        )

    def _longest(self) -> Iterator[Series]:
        """Yield the longest curve of each writer; a shorter one is of parts, or of summaries."""
        best: dict[_Writer, Series] = {}
        for (writer, _), series in self._series.items():
            if writer not in best or series.count > best[writer].count:
                best[writer] = series
        yield from best.values()


def _is_canns(text: bytes, start: int) -> bool:
    """Say whether CANN logged the line at ``start``: it is no step of a training."""
    return text.startswith(b"[", start) and plog.HEAD.match(text, start) is not None


def _named(prefix: Prefix) -> _Writer:
    return (prefix.node, prefix.name, prefix.pid, prefix.rank)
