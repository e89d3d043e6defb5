r"""A line that is one JSON object around a log line, as container runtimes and loggers write it.

Only objects are opened whose other fields say no more than where and when: what else stands
in an object may be the very thing that is looked for, and stays in sight.

>>> prefix, message = parse(b'{"log":"boom\\n","stream":"stderr","time":"2026-01-02T03:04:05.6Z"}')
>>> prefix.time, message
('2026-01-02T03:04:05.6Z', b'boom')
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ascend_doctor.view.prefix import Prefix, level_name

# Docker cuts lines at 16 KiB; escaped, with fields around, they stay well below this.
MAX_LINE = 64 << 10

_MESSAGE = ("log", "message", "msg")
_LEVEL = ("level", "severity", "levelname", "lvl")
_TIME = ("time", "ts", "timestamp", "@timestamp", "asctime")
_PID = ("pid", "process")
_NODE = ("node", "host", "hostname")
_KNOWN = frozenset(
    (
        *(*_MESSAGE, *_LEVEL, *_TIME, *_PID, *_NODE, "rank"),
        *("stream", "logtag", "attrs", "tag", "name", "logger", "thread", "threadName"),
        *("file", "filename", "pathname", "line", "lineno", "func", "funcName", "function"),
        *("module", "caller", "source", "kubernetes", "container", "container_name", "pod"),
    )
)
_QUOTED_MESSAGES = tuple(f'"{name}"'.encode() for name in _MESSAGE)
# Fields go into reports unescaped by any view, so that only what they ought to be is believed.
_LEVELS = frozenset({"DEBUG", "TRACE", "INFO", "EVENT", "WARNING", "ERROR", "FATAL"})
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,Z+: -]{0,20}", re.ASCII)
_HOST = re.compile(r"[\w.:-]{1,253}", re.ASCII)


def may_stand_in(data: bytes) -> bool:
    """Say whether any line of ``data`` may be such an object; cheap, and seldom wrong."""
    return b'{"' in data and any(name in data for name in _QUOTED_MESSAGES)


def parse(line: bytes) -> tuple[Prefix, bytes] | None:
    """Return the fields and the message of an object, None if ``line`` is no such thing."""
    line = line.rstrip()
    if not (line.startswith(b'{"') and line.endswith(b"}")) or len(line) > MAX_LINE:
        return None
    try:
        fields = json.loads(line.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return None
    message = _first(fields, _MESSAGE)
    if not isinstance(message, str) or not fields.keys() <= _KNOWN:
        return None
    level, time, node = (_first(fields, names) for names in (_LEVEL, _TIME, _NODE))
    told = level_name(level.upper()) if isinstance(level, str) else ""
    prefix = Prefix(
        level=told if told in _LEVELS else "",
        rank=_number(fields.get("rank")),
        pid=_number(_first(fields, _PID)),
        time=_matching(_MOMENT, time),
        node=_matching(_HOST, node),
    )
    return prefix, _encoded(message.removesuffix("\n"))


def _first(fields: Mapping[str, object], names: tuple[str, ...]) -> object:
    return next((fields[name] for name in names if name in fields), None)


def _number(value: object) -> int | None:
    # JSON's true would be a number to isinstance.
    return value if type(value) is int and 0 <= value < 1 << 31 else None


def _matching(form: re.Pattern[str], value: object) -> str | None:
    return value if isinstance(value, str) and form.fullmatch(value) else None


def _encoded(message: str) -> bytes:
    try:
        return message.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a pair, written as an escape
        return message.encode("utf-8", "replace")
