"""What is told beside the records: levels, versions, and where step lines stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from ascend_doctor.scan.literals import Hit
from ascend_doctor.scan.meanings import Aside
from ascend_doctor.scan.part import Part
from ascend_doctor.view.window import Window


class Seen(Struct):
    """What some bytes hold beside records.

    Attributes:
        is_marked: lines may be shown otherwise than they are.
        is_environment: versions or variables may be told, and more of them would be read.
        signs: the words of step lines.
        is_card: npu-smi printed something.
    """

    is_marked: bool = False
    is_environment: bool = False
    signs: list[bytes] = field(default_factory=list)
    is_card: bool = False


class Asides:
    """Notes what is told beside the records; ``first`` is the number of the first such literal."""

    def __init__(self, asides: Sequence[Aside], first: int) -> None:
        self._asides = asides
        self._first = first

    def is_marked(self, hits: Iterable[Hit]) -> bool:
        """Say whether lines may be shown otherwise than they are."""
        return any(n >= self._first and self._asides[n - self._first].is_mark for _, n in hits)

    def note(self, window: Window, hits: Iterable[Hit], part: Part) -> Seen:
        """Note levels and environment of the body of a window."""
        seen = Seen()
        end = window.body[1]
        for offset, number in hits:
            if number < self._first or offset >= end:
                continue
            aside = self._asides[number - self._first]
            if aside.name:
                if part.environment.see(window, offset, aside.name):
                    seen.is_environment = True
            elif aside.level:
                part.coverage.levels.add(aside.level)
            elif aside.is_mark:
                seen.is_marked = True
            elif aside.is_card:
                seen.is_card = True
            else:
                seen.signs.append(aside.metric)
        return seen
