"""What the regex of a rule may be: whoever writes one cannot take all memory with it.

Time is bounded where it is searched with; see ``knowledge/match.py``.
"""

from __future__ import annotations

import re

import regex

# Five times the longest one shipped. A pattern that calls itself can take all memory.
MAX_CHARACTERS = 4000
# Elements once every repeat is written out as often as it must match at least, which is what the
# compiler does: a million of them take 300 MB. Seventy times the longest one shipped.
MAX_ELEMENTS = 50_000

_RECURSION = re.compile(r"\(\?(?:R|[+-]?\d+|&\w+|P>\w+)\)")
_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<open>\()|(?P<close>\))|\{(?P<times>\d+)(?:,\d*)?\}|.",
    re.DOTALL,
)


def check(pattern: str) -> None:
    """Refuse a pattern that is none, or that is too long.

    Raises:
        ValueError: with what to do about it.
    """
    if len(pattern) > MAX_CHARACTERS or _RECURSION.search(pattern):
        raise ValueError(
            f"a regex has at most {MAX_CHARACTERS} characters, and does not call itself"
        )
    if elements(pattern) > MAX_ELEMENTS:
        raise ValueError("a regex whose repeats multiply to more than memory holds; lower them")
    try:
        regex.compile(pattern.encode())
    except (regex.error, RecursionError) as err:
        raise ValueError(f"not a valid regex: {err}") from err


def elements(pattern: str) -> int:
    r"""Return about how many elements a pattern has, with the least of each repeat written out.

    >>> elements(r"ab\d{3}"), elements(r"(a{10}){20,30}"), elements(r"[a{9}]x{0,99}")
    (5, 200, 2)
    """
    sums, last = [0], 0
    for token in _TOKEN.finditer(pattern):
        if token["open"]:
            sums.append(0)
            continue
        if token["times"]:
            times = max(1, int(token["times"][:9]))
            sums[-1] += last * (times - 1)
            last *= times
            continue
        last = 1
        if token["close"] and len(sums) > 1:
            last = sums.pop()
        sums[-1] += last
    return sum(sums)
