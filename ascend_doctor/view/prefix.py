r"""Prefixes that launchers, servers and log collectors put before a message.

They stack: compose name, worker name, logging header. Each is peeled off and its fields
are kept; of several levels the innermost counts, as it was given by whoever wrote the
message.

>>> prefix, rest = peel(b"(Worker_TP1 pid=42) ERROR 07-01 08:38:50 [executor.py:492] boom")
>>> prefix.pid, prefix.level, rest
(42, 'ERROR', b'boom')
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import regex
from msgspec import Struct

from ascend_doctor import late
from ascend_doctor.view.digits import ZEROS

# Deeper stacks were never seen; the bound keeps a hostile line cheap.
MAX_DEPTH = 6

_LEVELS = {
    "V": "DEBUG", "D": "DEBUG", "I": "INFO", "W": "WARNING", "E": "ERROR", "F": "FATAL",
    "WARN": "WARNING", "CRITICAL": "FATAL", "SUCCESS": "INFO", "NOTICE": "INFO",
}  # fmt: skip
_LEVEL = r"(?P<level>DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL|SUCCESS)"
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,:]\d{1,9})?"
_DATE = r"\d{4}-\d\d-\d\d"
_SYSLOG = r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
_NUMBER = r"(?:\[\d{1,10}\])"
_DIGITS, _UPPER = string.digits, string.ascii_uppercase
_NAMES = string.ascii_letters + string.digits + "_.-"
_PYTHON = r"python[\d.]{0,8}\[(?P<pid>\d{1,10})\]"

# How prefixes look, by the characters that they begin with; those of a line are tried in turn.
_FORMS = (
    # vLLM workers and Ray actors
    (
        "(",
        r"\((?P<name>[\w.<>-]{1,64})(?: rank=(?P<rank>\d{1,6}))?,? pid=(?P<pid>\d{1,10})"
        r"(?:, ip=(?P<node>[\da-fA-F.:]{1,45}))?\) ?",
    ),
    # torch elastic, mpirun; torchrun's own tee counts the processes of a node, which are no ranks
    ("[", r"\[(?:[\w.-]{1,32}:)?rank ?(?P<rank>\d{1,6})\]: ?"),
    ("[", r"\[\d{1,6},(?P<rank>\d{1,6})\]<std(?:out|err)>: ?"),
    ("[", r"\[(?P<name>(?:default|trainer|worker)\d{1,6})\]: ?"),
    # pdsh and DeepSpeed launchers
    ("wnrh", r"(?P<name>(?:worker|node|rank|host)[-_]?\d{1,6}): "),
    # vLLM, SGLang
    (
        _UPPER,
        rf"{_LEVEL} +(?P<time>\d\d-\d\d {_CLOCK}) +\[?[\w./-]{{1,120}}:\d{{1,6}}\] ?",
    ),
    ("[", rf"\[(?P<time>{_DATE} {_CLOCK})(?: [A-Z]{{2}}\d{{1,3}})+\] "),
    # logging and loguru headers
    (_DIGITS, rf"(?P<time>{_DATE}[ T]{_CLOCK}) - [\w. -]{{1,80}}? - {_LEVEL} - "),
    (
        _DIGITS,
        rf"(?P<time>{_DATE}[ T]{_CLOCK})(?:[+-]\d\d:?\d\d|Z)? - [\w.]{{1,120}} - {_LEVEL} - ",
    ),
    (
        _DIGITS,
        rf"(?P<time>{_DATE}[ T]{_CLOCK}) +\| +{_LEVEL} +\| (?:[\w.<>:-]{{1,160}} +- )?",
    ),
    (_UPPER, rf"{_LEVEL} +\| (?:[\w.<>:-]{{1,160}} +- )?"),
    (_DIGITS, rf"\d\d/\d\d {_CLOCK} - [\w.]{{1,80}} - {_LEVEL} - "),
    (
        "[",
        rf"\[(?P<time>{_DATE} {_CLOCK})\] (?:\[\d{{1,4}}/\d{{1,4}}\] )?[\w.]{{1,120}}: "
        rf"\[{_LEVEL}\] (?:\[\d{{1,10}}\] )?",
    ),
    (_DIGITS, rf"(?P<time>{_DATE} {_CLOCK}) {_LEVEL}:? "),
    (_UPPER, rf"{_LEVEL}:[\w.]{{1,120}}:"),
    # MindIE
    (
        "[",
        rf"\[(?P<time>{_DATE} {_CLOCK})(?:[+-]\d\d:\d\d)?\] \[(?P<pid>\d{{1,10}})\] \[\d{{1,20}}\] "
        rf"\[[\w-]{{1,32}}\] \[{_LEVEL}\] ?\[[\w./-]{{1,120}}[:-]\d{{1,6}}\] ?(?:: )?",
    ),
    # the device's log daemon about itself
    (_DIGITS, rf"(?P<time>{_DATE} {_CLOCK})\[{_LEVEL}\] "),
    # journald and syslog; only an interpreter logs for itself, others for what they run
    (
        _UPPER,
        rf"{_SYSLOG} (?P<node>[\w.-]{{1,64}}) (?:{_PYTHON}|(?P<name>[\w./@-]{{1,64}}{_NUMBER}?)): ",
    ),
    (
        _DIGITS,
        rf"(?P<time>{_DATE}T{_CLOCK})(?:Z|[+-]\d\d:\d\d) (?P<node>[\w.-]{{1,64}}) "
        rf"(?:{_PYTHON}|(?P<name>[\w./@-]{{1,64}}{_NUMBER})): ",
    ),
    # kubectl
    ("[", r"\[pod/(?P<name>[\w.-]{1,253}/[\w.-]{1,253})\] ?"),
    # a bare clock in brackets, a counter before it, container runtimes
    ("[", rf"\[(?P<time>{_DATE}[ T]{_CLOCK})\] ?"),
    ("[", r"\[\d{1,10}\] (?=\[\d{4}-\d\d-\d\d )"),
    (_DIGITS, rf"(?P<time>{_DATE}T{_CLOCK})(?:Z|[+-]\d\d:?\d\d) (?:std(?:out|err) [FP] )?"),
    # grep over several files
    (
        _NAMES + "/",
        r"/?[\w.-]{1,255}(?:/[\w.@+-]{1,255}){0,24}\.(?:log|txt|out|err)(?::\d{1,9}:|:|-\d{1,9}-)",
    ),
    # docker compose, and anything that names a service before a bar
    (_NAMES, r"(?P<name>[\w.-]{1,64}) *\| "),
    # the margin of an exception group
    (" ", r" {1,24}\| (?=[ \t]|Traceback|Exception Group|[A-Za-z_][\w.]{0,160}(?:: |$))"),
    # a quoted report
    (">", r"> "),
)


def _by_start() -> dict[bytes, tuple[re.Pattern[bytes], ...]]:
    """Return the forms that a line with a certain first byte may begin with."""
    found: dict[bytes, tuple[re.Pattern[bytes], ...]] = {}
    for starts, form in _FORMS:
        pattern = late.pattern(form.encode())
        for start in starts:
            found[start.encode()] = (*found.get(start.encode(), ()), pattern)
    return found


_BY_START = _by_start()
# So many bytes of a line rule most forms out; behind a date it takes more.
_START, _DATED_START = 3, 24
# A line whose digits are zeros looks like many others: what stands before its message is looked for
# once. So many such lines, of so many bytes at most, are remembered.
_MAX_SHAPES, _MAX_SHAPE = 2048, 512


def _forms(shape: bytes) -> tuple[re.Pattern[bytes], ...]:
    """Return the forms that a line of a shape may begin with."""
    size = _DATED_START if shape[4:5] == b"-" and shape.startswith(b"0") else _START
    return _forms_of(shape[:size])


@lru_cache(maxsize=4096)
def _forms_of(start: bytes) -> tuple[re.Pattern[bytes], ...]:
    return tuple(form for form in _BY_START.get(start[:1], ()) if may_begin(form, start))


def may_begin(form: re.Pattern[bytes], start: bytes) -> bool:
    """Say whether a text that begins with ``start``, or is no more than that, may match a form."""
    return _ahead(form.pattern).match(start, partial=True) is not None


@cache
def _ahead(pattern: bytes) -> regex.Pattern[bytes]:
    return regex.compile(pattern)


class Prefix(Struct, frozen=True):
    """What the peeled prefixes of a line say of the process that wrote it."""

    level: str = ""
    name: str | None = None
    rank: int | None = None
    pid: int | None = None
    time: str | None = None
    node: str | None = None


NONE = Prefix()
_RANKS = late.pattern(
    rb"(?m)\brank ?(\d{1,6})\]|^\[\d{1,6},(\d{1,6})\]<std|\brank=(\d{1,6}),? pid="
    rb"|^rank[-_]?(\d{1,6}): "
)


def peel(line: bytes) -> tuple[Prefix, bytes]:
    """Split ``line`` into the fields of its prefixes and the message itself."""
    # No form tells digits apart.
    shape = line.translate(ZEROS)
    end, fields = _places_in(shape) if len(shape) <= _MAX_SHAPE else _places(shape)
    if end == 0:
        return NONE, line
    return Prefix(**{name: _READ[name](line[low:high]) for name, low, high in fields}), line[end:]


def _places(shape: bytes) -> tuple[int, tuple[tuple[str, int, int], ...]]:
    """Return where the message of a line begins, and the fields before it; the last one counts."""
    fields: dict[str, tuple[str, int, int]] = {}
    end = 0
    for _ in range(MAX_DEPTH):
        for form in _forms(shape[end:]):
            found = form.match(shape[end:])
            if found is not None:
                for name in found.groupdict():
                    low, high = found.span(name)
                    if low >= 0:
                        fields[name] = (name, end + low, end + high)
                end += found.end()
                break
        else:
            break
    return end, tuple(fields.values())


_places_in = lru_cache(maxsize=_MAX_SHAPES)(_places)


def joined(outer: Prefix, inner: Prefix) -> Prefix:
    """Return the fields of two prefixes; what stands nearer to the message wins."""
    if inner is NONE or outer is NONE:
        return outer if inner is NONE else inner
    return Prefix(
        level=inner.level or outer.level,
        name=inner.name or outer.name,
        rank=outer.rank if inner.rank is None else inner.rank,
        pid=outer.pid if inner.pid is None else inner.pid,
        time=inner.time or outer.time,
        node=inner.node or outer.node,
    )


def level_name(level: str) -> str:
    """Return the one name that we use for a level, however a log spells it."""
    return _LEVELS.get(level, level)


# How each field of a prefix is read.
_READ: dict[str, Callable[[bytes], Any]] = {
    "level": lambda text: level_name(text.decode()),
    "name": bytes.decode,
    "rank": int,
    "pid": int,
    "time": bytes.decode,
    "node": bytes.decode,
}


def ranks_in(text: bytes, start: int, end: int) -> set[int]:
    r"""Return the ranks that prefixes of lines name in a stretch of a text.

    >>> sorted(ranks_in(b"[rank3]: x\n[1,5]<stdout>: y\n(Worker rank=8 pid=7) z\nrank 9\n", 0, 60))
    [3, 5, 8]
    """
    # A line may name another rank in its words: then one too many is told.
    return {int(found[found.lastindex or 0]) for found in _RANKS.finditer(text, start, end)}
