"""One loss curve as a bounded series of groups of step lines.

A series is at most ``MAX_GROUPS`` groups of about equally many step lines, each with its first,
lowest and highest line: the shape of a curve of any length, and the lines that prove it.
"""

from __future__ import annotations

import math

from msgspec import Struct, field
from msgspec.structs import replace

from ascend_doctor.formats import metrics
from ascend_doctor.knowledge.curve import Curve
from ascend_doctor.view.prefix import Prefix

MAX_GROUPS = 256


class Line(Struct, frozen=True):
    """A line as it was printed, and where it stands; no prefix means that none was taken off."""

    text: bytes
    place: tuple[int, int]
    prefix: Prefix | None

    def moved(self, lines: int) -> Line:
        """Return the same line counted from ``lines`` further up."""
        return replace(self, place=(self.place[0] + lines, self.place[1]))


class Point(Struct, frozen=True):
    """What one step line says, and the line."""

    step: metrics.StepLine
    line: Line

    def moved(self, lines: int) -> Point:
        """Return the same point counted from ``lines`` further up."""
        return replace(self, line=self.line.moved(lines))


class Group(Struct):
    """Step lines in a row: the first, the lowest and the highest of them."""

    first: Point
    low: Point
    high: Point

    def add(self, other: Group) -> None:
        """Take in the group behind this one; of equal points the earlier one stays."""
        if other.low.step.value < self.low.step.value:
            self.low = other.low
        if other.high.step.value > self.high.step.value:
            self.high = other.high


class Series(Struct):
    """The curve of one run; when its counter starts again, another run begins.

    ``opening`` is its first step line; ``is_restarted`` says that it stands behind another run.
    """

    opening: metrics.StepLine | None = None
    is_restarted: bool = False
    count: int = 0
    epoch: float = -1.0
    step: int = -1
    is_counted: bool = True
    is_plain: bool = True
    stride: int = 1
    groups: list[Group] = field(default_factory=list)
    in_last: int = 0
    bad: Point | None = None
    bad_count: int = 0
    finite_since: int = 0

    def starts_again(self, step: metrics.StepLine) -> bool:
        """Say whether ``step`` is of a new run; to go back a little is to resume."""
        if step.epoch is not None and step.epoch != self.epoch:
            return step.epoch < self.epoch
        return step.step is not None and self.step > 0 and 2 * step.step <= self.step

    def add(self, point: Point, weight: int) -> None:
        """Go on with one step line, which stands for ``weight`` of them."""
        step = point.step
        if step.epoch is not None and step.epoch != self.epoch:
            self.epoch, self.step = step.epoch, -1
        self.step = max(self.step, -1 if step.step is None else step.step)
        self.count += weight
        self.is_counted = self.is_counted and (step.epoch is not None or step.step is not None)
        if not math.isfinite(step.value):
            self.bad = self.bad or point
            self.bad_count += weight
            self.finite_since = 0
            return
        self.finite_since += weight
        while weight >= 2 * self.stride and self.groups:
            # From here on fewer lines are read: groups must stand for as many each.
            self._halve()
        group = Group(point, point, point)
        if self.groups and self.in_last < self.stride:
            self.groups[-1].add(group)
            self.in_last += weight
            return
        if self.is_plain:
            self.is_plain = not metrics.has_other_objective(point.line.text)
        if not self.groups:
            # Where only some lines are read, groups of fewer would be joined later than others.
            self.stride = weight
        if len(self.groups) == MAX_GROUPS:
            self._halve()
        self.groups.append(group)
        self.in_last = weight

    def move(self, lines: int) -> None:
        """Count the lines from ``lines`` further up."""
        if self.bad is not None:
            self.bad = self.bad.moved(lines)
        for group in self.groups:
            # Most points have two or three of these places: they stay one object.
            moved = {id(p): p.moved(lines) for p in (group.first, group.low, group.high)}
            group.first, group.low, group.high = (
                moved[id(p)] for p in (group.first, group.low, group.high)
            )

    def join(self, other: Series) -> None:
        """Go on with what another part of the source says of the same run."""
        self.count += other.count
        self.step = other.step if other.epoch != self.epoch else max(self.step, other.step)
        self.epoch = other.epoch
        self.is_counted = self.is_counted and other.is_counted
        self.is_plain = self.is_plain and other.is_plain
        self.bad = self.bad or other.bad
        self.bad_count += other.bad_count
        self.finite_since = (
            other.finite_since if other.bad_count else self.finite_since + other.finite_since
        )
        while other.groups and self.stride < other.stride and self.groups:
            self._halve()
        while other.stride < self.stride and other.groups:
            other._halve()
        if not self.groups:
            self.stride = other.stride
        if other.groups:
            self.groups += other.groups
            self.in_last = other.in_last
        while len(self.groups) > MAX_GROUPS:
            self._halve()

    def _halve(self) -> None:
        """Put every two groups together."""
        for left, right in zip(self.groups[::2], self.groups[1::2], strict=False):
            left.add(right)
        if len(self.groups) % 2 == 0:
            self.in_last += self.stride
        del self.groups[1::2]
        self.stride *= 2

    def curve(self) -> Curve:
        """Return the numbers of it."""
        groups = self.groups
        return Curve(
            values=[group.first.step.value for group in groups],
            lows=[group.low.step.value for group in groups],
            highs=[group.high.step.value for group in groups],
            stride=self.stride,
            # A round value may be printed with fewer places than the others.
            unit=min(metrics.precision(group.high.step.text)[0] for group in groups),
            digits=metrics.precision(groups[-1].low.step.text)[1],
        )
