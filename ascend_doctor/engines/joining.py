"""The parts of one file, joined in their order as they come in."""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.engines.reader import Cut
from ascend_doctor.scan.part import Part


class Joining:
    """A file whose parts are read by several processes; ``whole`` is what was joined so far.

    It ends with the first part that breaks off: on which lines the rest stands is not known.
    ``ahead`` bounds how many parts are given out beyond those that were joined.
    """

    def __init__(self, place: int, cut: Cut, first: Part, ahead: int) -> None:
        self.place = place
        self.cut = cut
        self.whole = first
        self._joined = self._given = 1
        self._end = cut.count if first.coverage.broken is None else 1
        self._ahead = ahead
        self._waiting: dict[int, Part] = {}

    @property
    def is_done(self) -> bool:
        """Say whether there is nothing more to join."""
        return self._joined >= self._end

    def give(self) -> Iterator[int]:
        """Yield the numbers of parts that may be read now; a number is given once."""
        while self._given < min(self._end, self._joined + self._ahead):
            self._given += 1
            yield self._given - 1

    def take(self, number: int, part: Part) -> None:
        """Join a part, if all before it are there, or keep it until then."""
        if part.coverage.broken is not None:
            self._end = min(self._end, number + 1)
        self._waiting[number] = part
        while not self.is_done and self._joined in self._waiting:
            self.whole.join(self._waiting.pop(self._joined))
            self._joined += 1

    def end_here(self, reason: str) -> None:
        """End the file behind what was joined."""
        self.end_at(self._joined, reason)

    def end_at(self, number: int, reason: str) -> None:
        """End the file before a part that could not be read."""
        part = Part(self.whole.source)
        part.coverage.broken = reason
        self.take(number, part)
