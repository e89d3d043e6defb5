r"""CANN host and device logs (plog, slog) and what shares their header.

    [ERROR] HCCL(812,python3):2024-05-02-11:04:09.120.001 [a.cc:88][812]message

Variants seen: a thread id between pid and name (MindSpore), an empty name, a number for an
unknown level or module, a blank between date and time (torchair), no name and time at all
(very old), lines of other collectors in front. A line without a header continues the one
a warning before it, since messages may hold newlines.

>>> head = parse(b"[ERROR] GE(7,py):2024-05-02-11:04:09.120.001 [a.cc:1]7 boom")
>>> head.level, head.module, head.pid, head.time
('ERROR', 'GE', 7, '2024-05-02T11:04:09.120001')
"""

from __future__ import annotations

import re

from msgspec import Struct

# How a message begins.
HEAD = re.compile(
    rb"[\t >]{0,16}\[(?P<level>DEBUG|INFO|WARNING|ERROR|NULL|EVENT|TRACE|\d{1,3})\] ?"
    rb"(?P<module>[A-Z][A-Z0-9_]{1,31}|\d{1,3})\((?P<pid>\d{1,10})"
    rb"(?:,(?:[0-9a-f]{6,16},)?(?P<name>[^)\n]{0,255}))?\)"
    rb"(?::(?P<date>\d{4}-\d\d-\d\d)[- ](?P<clock>\d\d:\d\d:\d\d)\.(?P<ms>\d{3})\.?(?P<us>\d{3}))?"
)

# Bytes that a header may have.
MAX_HEAD = 320
# The time of a header with all its digits, which sorts as bytes.
TIME = re.compile(rb"\d{4}-\d\d-\d\d[- ]\d\d:\d\d:\d\d\.\d{3}\.\d{3}")
TIME_LENGTH = 27

REMARKS = frozenset({"DEBUG", "INFO", "EVENT", "TRACE"})
_QUIET = REMARKS | {"WARNING"}
_REMARKS = tuple(f"[{level}]".encode() for level in sorted(REMARKS))


class Head(Struct, frozen=True):
    """The fields of a plog header; ``time`` is ISO without a zone, as the log has none."""

    level: str
    module: str
    pid: int
    time: str | None

    @property
    def is_quiet(self) -> bool:
        """True if the message is no error."""
        return self.level in _QUIET


def begins(line: bytes) -> bool:
    """Say whether ``line`` begins with a plog header."""
    return HEAD.match(line) is not None


def is_remark(data: bytes, start: int) -> bool:
    """Say whether a message of less than a warning begins at ``start``."""
    return data.startswith(_REMARKS, start) and begins(data[start : start + MAX_HEAD])


def iso(time: bytes) -> str:
    """Return a time that ``TIME`` matches in the form of a head.

    >>> iso(b"2024-05-02-11:04:09.120.001")
    '2024-05-02T11:04:09.120001'
    """
    text = time.decode()
    return f"{text[:10]}T{text[11:19]}.{text[20:23]}{text[24:]}"


def parse(line: bytes) -> Head | None:
    """Return the header that ``line`` begins with, if it does."""
    found = HEAD.match(line)
    if found is None:
        return None
    level, module, pid, date, us = found.group("level", "module", "pid", "date", "us")
    time = None
    if date is not None:
        text = line[found.start("date") : found.end("us")].decode()
        time = f"{text[:10]}T{text[11:19]}.{text[20:23]}{us.decode()}"
    return Head(level=level.decode(), module=module.decode(), pid=int(pid), time=time)
