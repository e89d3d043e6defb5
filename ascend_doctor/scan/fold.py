"""Templates of plog messages, each of which stands for many.

The first messages of a template are judged like any other, and so is each that is earlier than
those; the rest is only counted. No template is made of messages whose further lines may belong
elsewhere, or whose rules do arithmetic on numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from ascend_doctor.facts import MAX_SIGHTINGS
from ascend_doctor.formats import plog
from ascend_doctor.knowledge.match import REGEX_TIMEOUT_S, places
from ascend_doctor.knowledge.rule import Variant
from ascend_doctor.knowledge.uniform import DECIMAL, HEXADECIMAL, words_with_digits
from ascend_doctor.scan.judging import Judged
from ascend_doctor.scan.template import (
    ADDRESS,
    MAX_DIGITS,
    Number,
    Reach,
    blanked,
    fitting,
    open_numbers,
)

# A message is looked at whole by the expressions of rules only if it is no longer.
MAX_MESSAGE = 2048
# Templates that are kept of a part, and of messages that are alike.
MAX_TEMPLATES = 4096
MAX_ALIKE = 24
# Messages that were seen once are remembered, so many of them.
MAX_SEEN = 1 << 16
# Shapes of messages that are known.
MAX_SHAPES = 1 << 15

_DIGITS = re.compile(rb"\d+")
_LATEST = b"~"

# Bytes that equal messages may differ in.
_DROPPED = b"0123456789abcdef"
_ZEROS = bytes.maketrans(b"123456789", b"000000000")

# A wording, and whether its expression is found in a message.
Check = tuple[Variant, bool]
# Where digits stand in a message of a certain shape, and which.
Fixed = tuple[int, int, bytes]


@dataclass(slots=True)
class Template:
    """Messages that are counted as one.

    Attributes:
        fits: matches a message without its opening bracket, if it is one of these.
        time: where its time begins in such a message.
        checks: what the expression of a wording must say of each message again.
        judged: what is said of each; None, if they hold nothing that is looked for.
        is_steady: what is said of one is said of all whose numbers have as many digits.
        numbers, addresses: which of its decimal numbers, and of its addresses, in their order,
            are the same in all of them.
        earliest: the earliest times of those that were judged.
        limit: what is earlier is judged, as it may be kept as proof.
        count, last: how many were not, and the latest time of them.
    """

    fits: Callable[[bytes], re.Match[bytes] | None]
    time: int
    checks: tuple[Check, ...]
    judged: Judged | None
    numbers: tuple[int, ...]
    addresses: tuple[int, ...]
    is_steady: bool = False
    earliest: list[bytes] = field(default_factory=list)
    limit: bytes = b""
    count: int = 0
    last: bytes = b""

    def add_earliest(self, time: bytes) -> None:
        """Note that a message of that time was judged."""
        # A whole second is told after what happened within it: see ``records.sortable``.
        shown = time[:-7] + b"999.999" if time.endswith(b".000.000") else time
        self.earliest = sorted([*self.earliest, shown])[:MAX_SIGHTINGS]
        if len(self.earliest) == MAX_SIGHTINGS:
            self.limit = self.earliest[-1]

    def undo(self, last: bytes) -> None:
        """Take back that a message was counted, before which ``last`` was the latest time."""
        self.count -= 1
        self.last = last


# The template of messages of a shape, and the numbers that are fixed in them.
Shaped = tuple[Template, tuple[Fixed, ...]]


class Templates:
    """The templates of one part."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        # Words of nothing but digits that tell messages apart, and templates that wait for more
        # of them to be looked for.
        self.alone = {*reach.alone}
        self._waiting: list[Template] = []
        # Templates by what is left of their messages without digits; and by the shape of those
        # that need no other look than at their fixed digits.
        self._known: dict[bytes, list[Template]] = {}
        self.shaped: dict[bytes, list[Shaped]] = {}
        self._shapes = 0
        self._seen: set[bytes] = set()
        self._count = 0

    def find(self, unit: bytes, shape: bytes, words: bytes) -> Template | None:
        """Return the template that a message without its opening bracket fits.

        ``words`` are those in it that tell messages apart: see ``alone``.
        """
        for template in self._known.get(key_of(unit, words), ()):
            if template.fits(unit) is None:
                continue
            if template.checks and not _fit_again(template.checks, b"[" + unit):
                continue
            if template.is_steady and self._shapes < MAX_SHAPES:
                self._shapes += 1
                fixed = _fixed_in(template, unit)
                self.shaped.setdefault(shape, []).append((template, fixed))
            return template
        return None

    def is_wanted(self, key: bytes) -> bool:
        """Say whether a message with that key is worth a template: if it is not the first."""
        if key in self._seen:
            return self._count < MAX_TEMPLATES and len(self._known.get(key, ())) < MAX_ALIKE
        if len(self._seen) >= MAX_SEEN:
            self._seen.clear()
        self._seen.add(key)
        return False

    def learn(self, key: bytes, text: bytes, judged: Judged | None) -> None:
        """Keep the template of a message, if it can stand for others."""
        time = plog.TIME.search(text, 0, plog.MAX_HEAD)
        head = plog.parse(text)
        if time is None or head is None or head.time is None or not _is_closed(text, head):
            return
        checks = () if judged is None else _checks(judged, text)
        if checks is None:
            return
        numbers = open_numbers(text, time.end(), self._reach, self.alone)
        if numbers is None or len(text) + MAX_DIGITS * len(numbers) > MAX_MESSAGE:
            return
        begin = re.escape(text[1 : time.start()])
        body = fitting(text, time.end(), numbers)
        fits = re.compile(b"%b%b%b" % (begin, plog.TIME.pattern, body), re.DOTALL).fullmatch
        template = Template(fits, time.start() - 1, checks, judged, *_fixed(text, time, numbers))
        if judged is not None:
            template.limit = _LATEST
            template.add_earliest(time[0])
        self._consider(template, numbers)
        self._known.setdefault(key, []).append(template)
        self._count += 1

    def settle(self) -> None:
        """Let templates be steady whose words are told apart from now on: see ``alone``."""
        for template in self._waiting:
            template.is_steady = True
            for variant, _ in template.checks:
                self.alone |= {word for word in _words(variant) if HEXADECIMAL.issuperset(word)}
        self._waiting.clear()

    def _consider(self, template: Template, numbers: Sequence[Number]) -> None:
        """Make a template steady if its expressions cannot tell its numbers apart."""
        if any(number.is_word for number in numbers):
            return
        if not template.checks:
            template.is_steady = True
        elif all(_is_uniform(variant, numbers) for variant, _ in template.checks):
            self._waiting.append(template)

    def counted(self) -> Iterator[Template]:
        """Yield the templates that stand for messages which were not judged."""
        for alike in self._known.values():
            for template in alike:
                if template.count:
                    yield template


def shapes_of(text: bytes) -> bytes:
    """Return messages as their shapes: with all digits alike, and as many."""
    return blanked(text).translate(_ZEROS)


def key_of(unit: bytes, words: bytes) -> bytes:
    """Return what messages have in common that one template may stand for."""
    head, _, said = unit.partition(b"):")
    return head + said.translate(None, _DROPPED) + words


def _fixed(
    text: bytes, time: re.Match[bytes], numbers: Sequence[Number]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return which decimal numbers and addresses of a message are neither open nor in its time."""
    starts = {number.start for number in numbers}
    decimal = tuple(
        ordinal
        for ordinal, found in enumerate(_DIGITS.finditer(blanked(text)))
        if not (time.start() <= found.start() < time.end() or found.start() in starts)
    )
    addresses = tuple(
        ordinal
        for ordinal, found in enumerate(ADDRESS.finditer(text))
        if found.start() + 2 not in starts
    )
    return decimal, addresses


def _fixed_in(template: Template, unit: bytes) -> tuple[Fixed, ...]:
    """Return where the fixed numbers of a template stand in a message that fits it."""
    decimal, addresses = [*_DIGITS.finditer(blanked(unit))], [*ADDRESS.finditer(unit)]
    found = [decimal[ordinal] for ordinal in template.numbers]
    found += [addresses[ordinal] for ordinal in template.addresses]
    return tuple((*number.span(), number[0]) for number in found)


def _checks(judged: Judged, text: bytes) -> tuple[Check, ...] | None:
    """Return what the expressions of the rules that were tried say of a message.

    None, if one of them computes with its numbers, or was cut off.
    """
    if judged.judgement.slow:
        return None
    checks: list[Check] = []
    for rule in judged.tried:
        if rule.explainer is not None:
            return None
        for variant in rule.match:
            if places(variant, text) is None:
                continue
            if variant.compiled is None:
                break
            try:
                fits = variant.compiled.search(text, timeout=REGEX_TIMEOUT_S) is not None
            except TimeoutError:
                return None
            checks.append((variant, fits))
            if fits:
                break
    return tuple(checks)


def _is_uniform(variant: Variant, numbers: Sequence[Number]) -> bool:
    """Say whether an expression treats all digits of open numbers alike."""
    for is_hex, digits in ((False, DECIMAL), (True, HEXADECIMAL)):
        open_ones = [number for number in numbers if number.is_hex is is_hex]
        if open_ones:
            words = words_with_digits(variant.pattern or "", digits)
            if words is None:
                return False
            reach = _reach_of(words)
            if any(reach.touches(n.before, n.behind, is_hex=is_hex) for n in open_ones):
                return False
    return True


def _words(variant: Variant) -> Iterator[bytes]:
    for digits in (DECIMAL, HEXADECIMAL):
        yield from words_with_digits(variant.pattern or "", digits) or ()


@cache
def _reach_of(words: tuple[bytes, ...]) -> Reach:
    return Reach(words)


def _is_closed(text: bytes, head: plog.Head) -> bool:
    """Say whether no more lines than these can belong to a message, and all of these do.

    Those of a remark or a warning may belong to a report that began before; a stack may go on
    behind other messages. Lines that begin with a number may be taken for a header.
    """
    _, *others = text.split(b"\n")
    if not others:
        return True
    return not head.is_quiet and all(
        line[:1] in (b" ", b"\t") and line.lstrip()[:1] != b"[" and b'File "' not in line
        for line in others
    )


def _fit_again(checks: Sequence[Check], text: bytes) -> bool:
    """Say whether the expressions say the same of another message."""
    try:
        return all(
            (variant.compiled is not None
             and variant.compiled.search(text, timeout=REGEX_TIMEOUT_S) is not None) is expected
            for variant, expected in checks
        )  # fmt: skip
    except TimeoutError:
        return False
