"""Templates of plog messages, each of which stands for many.

What is known of them depends on the rules alone: a process keeps it from one part to the next. No
template is made of messages whose further lines may belong elsewhere, or whose rules do arithmetic
on numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from msgspec import Struct

from ascend_doctor.formats import plog
from ascend_doctor.knowledge.match import REGEX_TIMEOUT_S, places
from ascend_doctor.knowledge.rule import Variant
from ascend_doctor.knowledge.uniform import DECIMAL, HEXADECIMAL, words_with_digits
from ascend_doctor.scan.judging import Judged
from ascend_doctor.scan.literals import Literal, Literals
from ascend_doctor.scan.shape import Holes, Shapes
from ascend_doctor.scan.template import MAX_DIGITS, Number, Reach, fitting, open_numbers

# A message is looked at whole by the expressions of rules only if it is no longer.
MAX_MESSAGE = 2048
# Templates that are kept, and of messages that are alike.
MAX_TEMPLATES = 4096
MAX_ALIKE = 24
# Messages that were seen once are remembered, so many of them.
MAX_SEEN = 1 << 16

# Bytes that equal messages may differ in.
_DROPPED = b"0123456789abcdef"

# A wording, and whether its expression is found in a message.
Check = tuple[Variant, bool]


class Template(Struct, eq=False):
    """Messages of which the same is to be said.

    Attributes:
        head: what each begins with, without its opening bracket.
        body: matches the rest; its groups are the time and the open numbers.
        numbers: these numbers, in one of the messages.
        checks: what the expression of a wording must say of each message again.
        tried: the rules that were tried on one; None, if they hold nothing that is looked for.
        is_steady: what is said of one is said of all whose numbers have as many digits.
    """

    head: bytes
    body: re.Pattern[bytes]
    numbers: Sequence[Number]
    checks: tuple[Check, ...]
    tried: frozenset[str] | None
    is_steady: bool = False


class Templates:
    """The templates that are known under one state of the rules."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        # Words of nothing but digits that tell messages apart, and templates that wait for more
        # of them to be looked for.
        self._alone = {*reach.alone}
        self._words: list[bytes] = []
        self._literals: Literals | None = None
        self._waiting: list[Template] = []
        # Templates by what is left of their messages without digits, and by their shapes.
        self._known: dict[bytes, list[Template]] = {}
        self.shapes: Shapes[Template] = Shapes()
        self._seen: set[bytes] = set()
        self._count = 0

    def begin(self) -> None:
        """Make room for those of another part, if there is little left."""
        if self._count > MAX_TEMPLATES // 2 or self.shapes.is_full:
            self._known.clear()
            self._waiting.clear()
            self.shapes = Shapes()
            self._count = 0

    def find(self, message: bytes, image: bytes, marks: bytes) -> Template | None:
        """Return the template that a message without its opening bracket fits.

        ``marks`` tell it apart from others that look alike; they stand behind its ``image``.
        """
        for template in self._known.get(_key_of(message, marks), ()):
            if not message.startswith(template.head):
                continue
            found = template.body.fullmatch(message, len(template.head))
            if found is None:
                continue
            if template.checks and not _fit_again(template.checks, b"[" + message):
                continue
            if template.is_steady:
                self.shapes.add(message, image, _holes(template, found), template)
            return template
        return None

    def is_wanted(self, message: bytes, marks: bytes) -> bool:
        """Say whether a message is worth a template: if it is not the first like it."""
        key = _key_of(message, marks)
        if key in self._seen:
            return self._count < MAX_TEMPLATES and len(self._known.get(key, ())) < MAX_ALIKE
        if len(self._seen) >= MAX_SEEN:
            self._seen.clear()
        self._seen.add(key)
        return False

    def learn(
        self, message: bytes, marks: bytes, judged: Judged | None, known: Template | None
    ) -> Template | None:
        """Return the template of a message that was judged, if it can stand for others.

        It is the ``known`` one that it fits, unless other rules were tried on that.
        """
        tried = None if judged is None else frozenset(rule.id for rule in judged.tried)
        alike = self._known.setdefault(_key_of(message, marks), [])
        if known is not None:
            if known.tried == tried:
                return known
            if known in alike:
                alike.remove(known)
                self._count -= 1
        text = b"[" + message
        time = plog.TIME.search(text, 0, plog.MAX_HEAD)
        head = plog.parse(text)
        if time is None or head is None or head.time is None or not _is_closed(text, head):
            return None
        checks = () if judged is None else _checks(judged, text)
        if checks is None:
            return None
        numbers = open_numbers(text, time.end(), self._reach, self._alone)
        if numbers is None or len(text) + MAX_DIGITS * len(numbers) > MAX_MESSAGE:
            return None
        # Equal messages of several processes have one body.
        body = b"(%b)%b" % (plog.TIME.pattern, fitting(text, time.end(), numbers))
        template = Template(
            text[1 : time.start()],
            re.compile(body, re.DOTALL),
            numbers,
            checks,
            tried,
            is_steady=not checks,
        )
        if checks and all(_is_uniform(variant, numbers) for variant, _ in checks):
            self._waiting.append(template)
        alike.append(template)
        self._count += 1
        return template

    def words_in(self, data: bytes, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """Yield where words of nothing but digits stand that tell messages apart.

        Templates that waited for words to be looked for are steady from now on.
        """
        for template in self._waiting:
            template.is_steady = True
            for variant, _ in template.checks:
                self._alone |= {word for word in _words(variant) if HEXADECIMAL.issuperset(word)}
        self._waiting.clear()
        if len(self._words) < len(self._alone):
            self._words = sorted(self._alone)
            self._literals = Literals([*map(Literal, self._words)])
        for offset, word in self._literals.hits(data, start, end) if self._literals else ():
            yield offset, self._words[word]


def _key_of(message: bytes, marks: bytes) -> bytes:
    """Return what messages have in common that one template may stand for."""
    head, _, said = message.partition(b"):")
    return head + said.translate(None, _DROPPED) + marks


def _holes(template: Template, found: re.Match[bytes]) -> Holes:
    """Return where the time and the open numbers of a message stand that fits a template."""
    time, *spans = (found.span(group) for group in range(1, len(template.numbers) + 2))
    numbered = [*zip(spans, template.numbers, strict=True)]
    return Holes(
        [time, *(span for span, number in numbered if not number.is_hex)],
        [span for span, number in numbered if number.is_hex],
        [span for span, number in numbered if number.is_word],
    )


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
