"""Patterns under attack: texts made to slow a rule's regex down must not.

A regex meets hostile text: a run of one character, a list without end, its own literals again
and again. The scan cuts it off after a while, and then the rule has missed whatever stood there.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from ascend_doctor import resources
from ascend_doctor.knowledge.index import load
from ascend_doctor.knowledge.load import rule_files
from ascend_doctor.knowledge.match import REGEX_TIMEOUT_S, WINDOW_AFTER, WINDOW_BEFORE
from ascend_doctor.knowledge.rule import Variant

# CPU seconds that a search may take on any of the texts. An ordinary one takes a millisecond;
# half of what the scan allows leaves room for a slower machine.
LIMIT_S = REGEX_TIMEOUT_S / 2
# Seconds after which a search is given up: long enough to exceed the limit on a busy machine.
PATIENCE_S = 1.0

# What fills the gaps between the literals: runs of each kind of character that patterns repeat.
_FILLINGS = (
    *(b"a", b"1", b" ", b"_", b".", b",", b"[", b":", b"\n", b"-", b"/", b"'", b'"', b"("),
    *(b"a ", b"1,", b"1 ", b"a.", b"a,", b"a=1, ", b"[1]", b"(1)", b"a: 1\n", b"0x1 "),
    *(b"a/", b"a_1"),
    "红".encode(),
)  # fmt: skip


# What repeats are pumped with behind a literal.
_PUMPS = (b"a", b"1", b" ", b"a ", b"a1", b"ab", b"a,", b"x", b"_")


def attacks(variant: Variant) -> Iterator[bytes]:
    """Yield texts as long as a regex ever sees, in which the literals of ``variant`` stand."""
    literals = variant.literals
    room = WINDOW_BEFORE + WINDOW_AFTER - sum(map(len, literals))
    for filling in chain(_FILLINGS, literals):
        gap = filling * max(1, room // (len(filling) * (len(literals) + 1)))
        yield gap + gap.join(literals) + gap
    again = b" ".join(literals) + b" "
    yield again * (room // len(again))
    # Behind a literal, what the pattern asks for next and then a run that never ends; what it
    # asks for last stands at the end, out of reach, lest the engine see at once that it lacks.
    plain = _plain(variant.pattern or "")
    for literal in literals:
        for start in _behind(plain, literal):
            for filling in _PUMPS:
                yield start + filling * (room // len(filling)) + b"\x00" + plain


# In a pattern: a character that is meant, a blank, and what is not to be taken literally.
_SYNTAX = re.compile(
    r"\\(?P<meant>[^a-zA-Z\d])|(?P<blank>\\s)|\\.|\(\?(?:P<\w+>|[:=!>|])|[()\[\]{}*+?.|^$]"
)


def _plain(pattern: str) -> bytes:
    r"""Return what of a pattern is to be taken literally, run together.

    >>> _plain(r"at \[(?P<x>\w+)\]:\s(?:a|b)!")
    b'at []: ab!'
    """
    return _SYNTAX.sub(lambda found: found["meant"] or " " * bool(found["blank"]), pattern).encode()


def _behind(plain: bytes, literal: bytes) -> Iterator[bytes]:
    """Yield beginnings of what a pattern asks for from ``literal`` on."""
    at = plain.find(literal)
    if at >= 0:
        for more in range(4):
            yield plain[at : at + len(literal) + more]


def slow_attack(variant: Variant) -> tuple[float, bytes] | None:
    """Return the CPU seconds and the text of the first attack that takes too long, if one does."""
    for text in attacks(variant):
        spent = _seconds(variant, text)
        if spent > LIMIT_S:  # once more: a busy machine may have slowed it down
            spent = min(spent, _seconds(variant, text))
        if spent > LIMIT_S:
            return spent, text
    return None


def _seconds(variant: Variant, text: bytes) -> float:
    assert variant.compiled is not None
    begin = time.process_time()
    with suppress(TimeoutError):
        variant.compiled.search(text, timeout=PATIENCE_S)
    return time.process_time() - begin


def lint(extra: Path | None = None, select: str = "") -> tuple[int, list[str]]:
    """Return how many rules were looked at and the lines that tell which patterns are too slow.

    Looked at are the rules of ``extra``, or the built-in ones, whose id contains ``select``.

    Raises:
        RuleError: a rule file is wrong.
    """
    folder = resources.patterns() if extra is None else extra
    paths = [path for path in rule_files(folder) if select in path.stem]
    rules = load(extra).rules if paths else {}
    failures = []
    for path in paths:
        for variant in rules[path.stem].match:
            slow = None if variant.compiled is None else slow_attack(variant)
            if slow is not None:
                spent, text = slow
                failures.append(
                    f"{path}: {path.stem}: match.{variant.number}.regex: "
                    f"{spent:.1f} s on {len(text)} bytes that begin with "
                    f"{text[:40].decode('ascii', 'backslashreplace')!r}; bound its repeats"
                )
    return len(paths), failures
