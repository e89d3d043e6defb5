"""Windows that are dense with plog errors, taken apart at the headers of their messages.

What is to be said of a message that fits a template is known. It is counted, unless it is one of
the earliest; what fits none is looked at in the usual way, and perhaps becomes a template.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from msgspec import Struct, field

from ascend_doctor.facts import MAX_SIGHTINGS
from ascend_doctor.formats import plog
from ascend_doctor.scan.asides import Asides
from ascend_doctor.scan.fold import Template, Templates
from ascend_doctor.scan.judging import Judged, Judging
from ascend_doctor.scan.literals import Literals
from ascend_doctor.scan.part import Part
from ascend_doctor.scan.shape import images_of
from ascend_doctor.scan.targets import Targets
from ascend_doctor.view.printed import MARKS
from ascend_doctor.view.raw import Raw
from ascend_doctor.view.window import Window

# Bytes of messages that are taken apart at once: they stay in a processor's own memory.
SLAB = 256 << 10

_HEAD = b"\n["
_HEADS = re.compile(re.escape(_HEAD))
# A line that no message goes on with.
_ERROR = re.compile(rb"^\[ERROR\] [^\n]*\n", re.MULTILINE)
_LATEST = b"~"


class _Tally(Struct):
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
    """Some messages of a window, the first of which begins at ``start``.

    Attributes:
        texts: each without its opening bracket and the newline behind it, its lines ending as
            they are shown.
        images: their images, and their marks behind: each a head, which stands in no text, and
            what follows.
    """

    def __init__(self, data: bytes, start: int, end: int) -> None:
        self._start = start
        text = data[start + 1 : end - 1]
        raw = self.texts = _HEADS.split(text)
        self._sizes = [0, *accumulate(map(len, raw))]
        self._ending = b""
        if b"\r" in text and text.count(b"\r\n") == text.count(b"\n"):
            # A literal that holds a newline is found in none of these.
            self._ending = _HEAD + b"\r"
            self.texts = _HEADS.split(text.replace(b"\r\n", b"\n").removesuffix(b"\r"))
        self.images = images_of(self.texts)
        if self._ending:
            self.images = [image + self._ending for image in self.images]
        self._marks: dict[int, bytes] = {}

    def begin(self, number: int) -> int:
        """Return where a message begins in the window."""
        return self._start + self._sizes[number] + len(_HEAD) * number

    def span(self, number: int) -> tuple[int, int]:
        """Return where a message begins and ends in the window."""
        return self.begin(number), self.begin(number + 1)

    def mark(self, offset: int, word: bytes) -> None:
        """Note that a word stands in the message at ``offset``."""
        number = bisect_right(range(len(self.texts)), offset, key=self.begin) - 1
        mark = _HEAD + word
        self._marks[number] = self.marks(number) + mark
        self.images[number] += mark

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
        self._tallies: dict[Template | None, _Tally] = {}
        # The signs of a loss that any message of a template may hold.
        self._signs: dict[bytes, None] = {}
        templates.begin()

    def read(self, window: Window, view: Raw, judging: Judging) -> tuple[int, list[bytes]]:
        """Gather what one window says.

        Return how many of its messages were spared a judgement, though they hold what is looked
        for, and the signs of a loss that are in it.
        """
        data, (low, high) = window.data, window.body
        first = _header(data, low, high)
        last = _last_header(data, first, high)
        if low < first:
            self._look(window, view, judging, low, first)
        spared = 0
        while first < last:
            end = min(last, _header(data, first + SLAB, high))
            messages = _Messages(data, first, end)
            for offset, word in self._templates.words_in(data, first, end):
                messages.mark(offset, word)
            spared += self._fold(window, view, judging, messages)
            first = end
        # Whether the last message ends here is not known, nor where its record does.
        self._look(window, view, judging, last, _end_of(data, high))
        return spared, [*self._signs]

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
        """Count messages, or look at them; return how many were counted."""
        # The innermost loop of a storm: what it needs is at hand, and nothing is called twice.
        templates, tallies = self._templates, self._tallies.get
        plain, hexadecimal = templates.shapes.plain.get, templates.shapes.find
        counted = 0
        # The tally of the message above, if that was counted, and its latest time before: if the
        # next one has no header, it may belong to the one above, which then fits none.
        above: _Tally | None = None
        above_last = b""
        for number, (text, image) in enumerate(zip(messages.texts, messages.images, strict=True)):
            shape = plain(image)
            if shape is None:
                template = hexadecimal(text, image)
            else:
                template = shape.templates.get(shape.key(text))
            if template is None:
                template = templates.find(text, image, messages.marks(number))
            tally = tallies(template)
            if tally is not None:
                if tally.judged is None:
                    # Whatever goes on below it is looked at with its own lines.
                    above = None
                    continue
                time = text[tally.start : tally.end]
                if time >= tally.limit:
                    above, above_last = tally, tally.last
                    tally.count += 1
                    counted += 1
                    if time > above_last:
                        tally.last = time
                    continue
                self._look(window, view, judging, *messages.span(number))
                tally.add_earliest(time)
            elif above is not None and not plog.begins(b"[" + text):
                above.undo(above_last)
                counted -= 1
                self._look(window, view, judging, *messages.span(number - 1))
                self._look(window, view, judging, *messages.span(number))
            else:
                self._meet(window, view, judging, messages, number, template)
            above = None
        return counted

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
        begin, end = messages.span(number)
        is_plain = self._look(window, view, judging, begin, end)
        text, marks = messages.texts[number], messages.marks(number)
        time = plog.TIME.search(text, 0, plog.MAX_HEAD)
        if not is_plain or time is None or not plog.begins(b"[" + text):
            return
        if judging.is_passed(begin) or (
            template is None and not self._templates.is_wanted(text, marks)
        ):
            return
        record, judged = judging.noted(begin), None
        if record is not None:
            if record.text != b"[" + text:
                return
            judged = judging.judged(begin)
        template = self._templates.learn(text, marks, judged, template)
        if template is not None:
            tally = self._tallies[template] = _Tally(*time.span(), judged)
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


def _header(data: bytes, start: int, end: int) -> int:
    """Return where the first message begins from the line at or behind ``start`` on, or ``end``."""
    for head in _HEADS.finditer(data, max(0, start - 1), end):
        if plog.begins(data[head.start() + 1 : head.start() + 1 + plog.MAX_HEAD]):
            return head.start() + 1
    return end


def _last_header(data: bytes, start: int, end: int) -> int:
    """Return where the last message begins before ``end``, or ``start``."""
    place = end
    while (place := data.rfind(_HEAD, max(0, start - 1), place)) >= 0:
        if plog.begins(data[place + 1 : place + 1 + plog.MAX_HEAD]):
            return place + 1
    return start


def _end_of(data: bytes, high: int) -> int:
    """Return how far from ``high`` on lines may belong to a message that begins before."""
    for error in _ERROR.finditer(data, high):
        if plog.begins(data[error.start() : error.start() + plog.MAX_HEAD]):
            return error.end()
    return len(data)
