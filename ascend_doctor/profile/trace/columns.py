"""Many events in little memory: columns of numbers, and each text once."""

from __future__ import annotations

from array import array
from collections.abc import Hashable
from itertools import compress

from ascend_doctor.profile.model import OTHERS
from ascend_doctor.profile.trace.cover import Cover


class Texts:
    """Texts by number; the first stands for what is beyond the bound."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._numbers: dict[Hashable, int] = {OTHERS: 0}
        self.texts: list[Hashable] = [OTHERS]

    def number(self, text: Hashable) -> int:
        """Return the number of a text, the same for the same."""
        found = self._numbers.get(text)
        if found is None:
            if len(self.texts) >= self._limit:
                return 0
            found = self._numbers[text] = len(self.texts)
            self.texts.append(_encodable(text))
        return found

    def __getitem__(self, number: int) -> str:
        return str(self.texts[number])


def _encodable(text: Hashable) -> Hashable:
    """Return a text without halves of characters, which JSON may have and no output can."""
    if isinstance(text, tuple):
        return tuple(map(_encodable, text))
    return text.encode("utf-8", "replace").decode() if isinstance(text, str) else text


class Spans:
    """Events of one role.

    Attributes:
        begin, duration: when and how long, in µs; ``thread``, ``name``: numbers of ``Texts``.
        note: something more, as the role has it; 0 is nothing.
        dropped: how many there were beyond the bound.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.begin, self.duration = array("d"), array("d")
        self.thread, self.name, self.note = array("I"), array("I"), array("q")
        self.dropped = 0

    def __len__(self) -> int:
        return len(self.begin)

    def add(self, begin: float, duration: float, thread: int, name: int, note: int = 0) -> int:
        """Keep an event and return its number, -1 if there is no room for it."""
        number = len(self.begin)
        if number >= self._limit:
            self.dropped += 1
            return -1
        self.begin.append(begin)
        self.duration.append(duration)
        self.thread.append(thread)
        self.name.append(name)
        self.note.append(note)
        return number

    def cover(self, threads: frozenset[int] | None = None) -> Cover:
        """Return the time that they took together, or those of some threads."""
        ends = (begin + long for begin, long in zip(self.begin, self.duration, strict=True))
        if threads is None:
            return Cover.of(self.begin, ends)
        kept = array("b", (thread in threads for thread in self.thread))
        return Cover.of(compress(self.begin, kept), compress(ends, kept))
