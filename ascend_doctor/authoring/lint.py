"""Patterns under attack: texts made to slow a rule's regex down must not.

A regex meets hostile text: a run of one character, a list without end, its own literals again
and again. The scan cuts it off after a while, and then the rule has missed whatever stood there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import regex

from ascend_doctor import resources
from ascend_doctor.knowledge.index import load
from ascend_doctor.knowledge.load import rule_files
from ascend_doctor.knowledge.match import REGEX_TIMEOUT_S, WINDOW_AFTER, WINDOW_BEFORE
from ascend_doctor.knowledge.rule import Variant

# CPU seconds that a search may take on any of the texts. An ordinary one takes a millisecond;
# half of what the scan allows leaves room for a slower machine.
LIMIT_S = REGEX_TIMEOUT_S / 2

# What fills the gaps between the literals: runs of each kind of character that patterns repeat.
_FILLINGS = (
    *(b"a", b"1", b" ", b"_", b".", b",", b"[", b":", b"\n", b"-", b"/", b"'", b'"', b"("),
    *(b"a ", b"1,", b"1 ", b"a.", b"a,", b"a=1, ", b"[1]", b"(1)", b"a: 1\n", b"0x1 "),
    *(b"a/", b"a_1"),
    "红".encode(),
)  # fmt: skip


def attacks(variant: Variant) -> Iterator[bytes]:
    """Yield texts as long as a regex ever sees, in which the literals of ``variant`` stand."""
    literals = variant.literals
    room = WINDOW_BEFORE + WINDOW_AFTER - sum(map(len, literals))
    for filling in chain(_FILLINGS, literals):
        gap = filling * max(1, room // (len(filling) * (len(literals) + 1)))
        yield gap + gap.join(literals) + gap
    again = b" ".join(literals) + b" "
    yield again * (room // len(again))


def slowest(variant: Variant) -> tuple[float, bytes]:
    """Return the CPU seconds of the slowest search in any attack, and the text's beginning."""
    worst = (0.0, b"")
    for text in attacks(variant):
        spent = _seconds(variant, text)
        if spent > LIMIT_S:  # once more: another process may have had the core
            spent = min(spent, _seconds(variant, text))
        worst = max(worst, (spent, text[:40]))
    return worst


def _seconds(variant: Variant, text: bytes) -> float:
    assert variant.compiled is not None
    begin = time.process_time()
    try:
        variant.compiled.search(text, timeout=10 * REGEX_TIMEOUT_S)
    except TimeoutError:
        return 10 * REGEX_TIMEOUT_S
    return time.process_time() - begin


def lint(extra: Path | None = None, select: str = "") -> tuple[int, list[str]]:
    """Return how many patterns were attacked and the lines that tell which were too slow.

    Attacked are the rules of ``extra``, or the built-in ones, whose id contains ``select``.

    Raises:
        RuleError: a rule file is wrong.
    """
    rules = load(extra).rules
    folder = resources.patterns() if extra is None else extra
    count, failures = 0, []
    for path in rule_files(folder):
        if select not in path.stem:
            continue
        for variant in rules[path.stem].match:
            if variant.compiled is None:
                continue
            count += 1
            spent, text = slowest(variant)
            if spent > LIMIT_S:
                failures.append(
                    f"{path}: {path.stem}: match.{variant.number}.regex: "
                    f"{spent:.1f} s on {WINDOW_BEFORE + WINDOW_AFTER} bytes that begin with "
                    f"{regex.sub(r'[^ -~]', '?', text.decode('latin-1'))!r}; bound its repeats"
                )
    return count, failures
