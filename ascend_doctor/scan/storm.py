"""Windows that are dense with plog errors, taken apart at the headers of their messages.

A message is compared with the templates of messages that are equal but for digits; what fits
none is looked at in the usual way, and perhaps becomes one.
"""

from __future__ import annotations

from ascend_doctor.formats import plog
from ascend_doctor.scan.asides import Asides
from ascend_doctor.scan.fold import Template, Templates, key_of, shapes_of
from ascend_doctor.scan.judging import Judging
from ascend_doctor.scan.literals import Literal, Literals
from ascend_doctor.scan.part import Part
from ascend_doctor.scan.targets import Targets
from ascend_doctor.scan.template import BLANK, Reach
from ascend_doctor.view.raw import Raw
from ascend_doctor.view.window import Window

_HEAD = b"\n["


class Storm:
    """Reads dense windows of one part."""

    def __init__(
        self,
        literals: Literals,
        targets: Targets,
        asides: Asides,
        reach: Reach,
        part: Part,
    ) -> None:
        self._literals = literals
        self._targets = targets
        self._asides = asides
        self._templates = Templates(reach)
        self._alone: Literals | None = None
        self._words: list[bytes] = []
        self._part = part
        # The signs of a loss that any message of a template may hold.
        self._signs: dict[bytes, None] = {}

    def read(self, window: Window, view: Raw, judging: Judging) -> tuple[float, list[bytes]]:
        """Gather what one window says.

        Return what share of its messages was folded, and the signs of a loss that are in it.
        """
        data, (low, high) = window.data, window.body
        first = low if data.startswith(b"[", low) else data.find(_HEAD, low, high) + 1 or high
        if first == high or data.find(BLANK, low, high) >= 0:
            self._look(window, view, judging, low, len(data))
            return 0.0, [*self._signs]
        if first > low:
            self._look(window, view, judging, low, first)
        text = data[first + 1 : high]
        units = text.split(_HEAD)
        shapes = shapes_of(text).split(_HEAD)
        words = self._tell_apart(data, first, high, units, shapes)
        # Whether the last message ends here is not known.
        last = units.pop()
        folded = self._fold(window, view, judging, first, units, shapes, words)
        # Nor where its record does.
        self._look(window, view, judging, high - len(last) - 1, len(data))
        return folded / (len(units) + 1), [*self._signs]

    def _tell_apart(
        self, data: bytes, start: int, end: int, units: list[bytes], shapes: list[bytes]
    ) -> dict[int, bytes]:
        """Tell messages apart by words in them that are nothing but digits; return these."""
        self._templates.settle()
        if len(self._words) < len(self._templates.alone):
            self._words = sorted(self._templates.alone)
            self._alone = Literals([*map(Literal, self._words)])
        found: dict[int, bytes] = {}
        number, below = -1, start
        for offset, word in self._alone.hits(data, start, end) if self._alone else ():
            while offset >= below:
                number += 1
                below += len(units[number]) + 2
            found[number] = found.get(number, b"") + b"\n" + self._words[word]
        for number, words in found.items():
            shapes[number] += words
        return found

    def finish(self) -> None:
        """Count the messages that were folded."""
        for template in self._templates.counted():
            judged = template.judged
            if judged is not None:
                self._part.collection.repeat(
                    judged.process,
                    judged.record,
                    judged.judgement,
                    template.count,
                    plog.iso(template.last),
                )

    def _fold(
        self,
        window: Window,
        view: Raw,
        judging: Judging,
        at: int,
        units: list[bytes],
        shapes: list[bytes],
        words: dict[int, bytes],
    ) -> int:
        # The innermost loop of a storm: what it needs is at hand, and nothing is called twice.
        shaped, find = self._templates.shaped.get, self._templates.find
        folded = 0
        # The template of the message above, where that is, and when it was last seen before: if
        # the next unit is no message of its own, it may belong to it, which then fits none.
        above: Template | None = None
        above_at, above_last = at, b""
        for number, (unit, shape) in enumerate(zip(units, shapes, strict=False)):
            below = at + len(unit) + 2
            template: Template | None = None
            for like, fixed in shaped(shape, ()):
                for start, end, digits in fixed:
                    if unit[start:end] != digits:
                        break
                else:
                    template = like
                    break
            if template is None:
                template = find(unit, shape, words.get(number, b""))
            if template is None:
                begin = at
                if above is not None and not plog.begins(b"[" + unit):
                    above.undo(above_last)
                    folded -= 1
                    begin = above_at
                above = None
                self._learn(window, view, judging, begin, below, words.get(number, b""))
            else:
                time = unit[template.time : template.time + plog.TIME_LENGTH]
                if time < template.limit:
                    self._look(window, view, judging, at, below)
                    template.add_earliest(time)
                    above = None
                else:
                    above, above_at, above_last = template, at, template.last
                    template.count += 1
                    folded += 1
                    if time > above_last:
                        template.last = time
            at = below
        if above is not None and not plog.begins(window.data[at : at + plog.MAX_HEAD]):
            above.undo(above_last)
            self._look(window, view, judging, above_at, at)
        return folded

    def _learn(
        self, window: Window, view: Raw, judging: Judging, at: int, below: int, words: bytes
    ) -> None:
        """Look at a message that fits no template, and keep its own if it comes again."""
        is_plain = self._look(window, view, judging, at, below)
        text = window.data[at : below - 1]
        key = key_of(text[1:], words)
        if judging.is_passed(at) or not (is_plain and plog.begins(text)):
            return
        if not self._templates.is_wanted(key):
            return
        record = judging.noted(at)
        if record is None:
            self._templates.learn(key, text, None)
        elif record.text == text:
            self._templates.learn(key, text, judging.judged(at))

    def _look(self, window: Window, view: Raw, judging: Judging, at: int, below: int) -> bool:
        """Look at some lines as in any window; return whether others like them need no look."""
        hits = self._literals.hits(window.data, at, below)
        seen = self._asides.note(window, hits, self._part)
        self._signs.update(dict.fromkeys(seen.signs))
        judging.take(self._targets.of(view, hits))
        return not (seen.is_marked or seen.is_environment)
