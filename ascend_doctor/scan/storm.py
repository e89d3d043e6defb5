"""Windows that are dense with plog errors, taken apart at the headers of their messages.

What is to be said of a message that fits a template is known. It is counted, unless it is one of
the earliest; what fits none is looked at in the usual way, and perhaps becomes a template.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate

from ascend_doctor.facts import MAX_SIGHTINGS
from ascend_doctor.formats import plog
from ascend_doctor.scan.asides import Asides
from ascend_doctor.scan.fold import Template, Templates
from ascend_doctor.scan.judging import Judged, Judging
from ascend_doctor.scan.literals import Literals
from ascend_doctor.scan.part import Part
from ascend_doctor.scan.shape import image_of
from ascend_doctor.scan.targets import Targets
from ascend_doctor.view.printed import MARKS
from ascend_doctor.view.raw import Raw
from ascend_doctor.view.window import Window

_HEAD = b"\n["
_HEADS = re.compile(re.escape(_HEAD))
_LATEST = b"~"


@dataclass(slots=True)
class Tally:
    """Messages of one part that are counted as one.

    Attributes:
        start, end: where the time stands in such a message, without its opening bracket.
        judged: what is said of each; None, if they hold nothing that is looked for.
        earliest: the earliest times of those that were judged.
        limit: what is earlier is judged, as it may be kept as proof.
        count, last: how many were not, and the latest time of them.
    """

    start: int
    end: int
    judged: Judged | None
    earliest: list[bytes] = field(default_factory=list)
    limit: bytes = b""
    count: int = 0
    last: bytes = b""

    def add_earliest(self, time: bytes) -> None:
        """Note that a message of that time was judged."""
        # A whole second is told after what happened within it: see ``records.sortable``.
        shown = time[:-7] + b"999.999" if time.endswith(b".000.000") else time
        self.earliest = sorted([*self.earliest, shown])[:MAX_SIGHTINGS]
        self.limit = self.earliest[-1] if len(self.earliest) == MAX_SIGHTINGS else _LATEST

    def undo(self, last: bytes) -> None:
        """Take back that a message was counted, before which ``last`` was the latest time."""
        self.count -= 1
        self.last = last


class _Messages:
    """The messages of one window that begin in its body, from ``first`` on.

    Attributes:
        texts: each without its opening bracket and the newline behind it, its lines ending as
            they are shown.
        images: their images, and the marks behind them.
    """

    def __init__(self, window: Window, first: int) -> None:
        self._first = first
        text = window.data[first + 1 : window.body[1]]
        raw = self.texts = _HEADS.split(text)
        self._sizes = [0, *accumulate(map(len, raw))]
        self._ending = b""
        if b"\r" in text and text.count(b"\r\n") == text.count(b"\n"):
            # A literal that holds a newline is found in none of these.
            self._ending = b"\r"
            self.texts = _HEADS.split(text.replace(b"\r\n", b"\n"))
        self.images = [image_of(text) + self._ending for text in self.texts]
        self._marks: dict[int, bytes] = {}

    def begin(self, number: int) -> int:
        """Return where a message begins in the window."""
        return self._first + self._sizes[number] + len(_HEAD) * number

    def mark(self, offset: int, word: bytes) -> None:
        """Note that a word stands in the message at ``offset``."""
        number = bisect_right(range(len(self.texts)), offset, key=self.begin) - 1
        self._marks[number] = self.marks(number) + b"\n" + word
        self.images[number] += b"\n" + word

    def marks(self, number: int) -> bytes:
        """Return what tells a message apart from others that look alike."""
        return self._marks.get(number, self._ending)


class Storm:
    """Reads dense windows of one part."""

    def __init__(
        self,
        literals: Literals,
        targets: Targets,
        asides: Asides,
        templates: Templates,
        part: Part,
    ) -> None:
        self._literals = literals
        self._targets = targets
        self._asides = asides
        self._templates = templates
        self._part = part
        self._tallies: dict[Template | None, Tally] = {}
        # The signs of a loss that any message of a template may hold.
        self._signs: dict[bytes, None] = {}
        templates.begin()

    def read(self, window: Window, view: Raw, judging: Judging) -> tuple[float, list[bytes]]:
        """Gather what one window says.

        Return what share of its messages was folded, and the signs of a loss that are in it.
        """
        data, (low, high) = window.data, window.body
        first = low if data.startswith(b"[", low) else data.find(_HEAD, low, high) + 1 or high
        if first == high:
            self._look(window, view, judging, low, len(data))
            return 0.0, [*self._signs]
        if first > low:
            self._look(window, view, judging, low, first)
        messages = _Messages(window, first)
        for offset, word in self._templates.words_in(data, first, high):
            messages.mark(offset, word)
        folded = self._fold(window, view, judging, messages)
        # Whether the last message ends here is not known, nor where its record does.
        self._look(window, view, judging, messages.begin(len(messages.texts) - 1), len(data))
        return folded / len(messages.texts), [*self._signs]

    def finish(self) -> None:
        """Count the messages that were folded."""
        for tally in self._tallies.values():
            judged = tally.judged
            if judged is not None and tally.count:
                last = plog.iso(tally.last)
                self._part.collection.repeat(
                    judged.process, judged.record, judged.judgement, tally.count, last
                )

    def _fold(self, window: Window, view: Raw, judging: Judging, messages: _Messages) -> int:
        """Count all messages but the last, or look at them; return how many were counted."""
        # The innermost loop of a storm: what it needs is at hand, and nothing is called twice.
        templates, tallies = self._templates, self._tallies.get
        plain, hexadecimal = templates.shapes.plain.get, templates.shapes.find
        last = len(messages.texts) - 1
        folded = 0
        # The tally of the message above, if that was counted, and its latest time before: if the
        # next one has no header, it may belong to the one above, which then fits none.
        above: Tally | None = None
        above_last = b""
        for number, text, image in zip(range(last), messages.texts, messages.images, strict=False):
            shape = plain(image)
            if shape is None:
                template = hexadecimal(text, image)
            else:
                template = shape.templates.get(shape.key(text))
            if template is None:
                template = templates.find(text, image, messages.marks(number))
            tally = tallies(template)
            if tally is not None:
                time = text[tally.start : tally.end]
                if time >= tally.limit:
                    above, above_last = tally, tally.last
                    tally.count += 1
                    folded += 1
                    if time > above_last:
                        tally.last = time
                    continue
                self._look(
                    window, view, judging, messages.begin(number), messages.begin(number + 1)
                )
                tally.add_earliest(time)
            elif above is not None and not plog.begins(b"[" + text):
                above.undo(above_last)
                folded -= 1
                begin, end = messages.begin(number - 1), messages.begin(number + 1)
                self._look(window, view, judging, begin, end)
            else:
                self._meet(window, view, judging, messages, number, template)
            above = None
        end = messages.begin(last)
        if above is not None and not plog.begins(window.data[end : end + plog.MAX_HEAD]):
            above.undo(above_last)
            self._look(window, view, judging, messages.begin(last - 1), end)
        return folded

    def _meet(
        self,
        window: Window,
        view: Raw,
        judging: Judging,
        messages: _Messages,
        number: int,
        template: Template | None,
    ) -> None:
        """Look at a message that is not counted yet, and count those like it from now on."""
        begin, end = messages.begin(number), messages.begin(number + 1)
        is_plain = self._look(window, view, judging, begin, end)
        text, marks = messages.texts[number], messages.marks(number)
        time = plog.TIME.search(text, 0, plog.MAX_HEAD)
        if judging.is_passed(begin) or not is_plain or time is None:
            return
        if template is None and not self._templates.is_wanted(text, marks):
            return
        record, judged = judging.noted(begin), None
        if record is not None:
            if record.text != b"[" + text:
                return
            judged = judging.judged(begin)
        template = self._templates.learn(text, marks, judged, template)
        if template is not None:
            tally = self._tallies[template] = Tally(*time.span(), judged)
            if judged is not None:
                tally.add_earliest(time[0])

    def _look(self, window: Window, view: Raw, judging: Judging, begin: int, end: int) -> bool:
        """Look at some lines as in any window; return whether others like them need no look."""
        hits = self._literals.hits(window.data, begin, end)
        seen = self._asides.note(window, hits, self._part)
        self._signs.update(dict.fromkeys(seen.signs))
        judging.take(self._targets.of(view, hits))
        if seen.is_marked:
            lines = window.data[begin:end].replace(b"\r\n", b"\n")
            seen.is_marked = any(mark in lines for mark in MARKS)
        return not (seen.is_marked or seen.is_environment)
