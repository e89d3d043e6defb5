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
from dataclasses import dataclass, replace

# Deeper stacks were never seen; the bound keeps a hostile line cheap.
MAX_DEPTH = 6

_LEVELS = {
    "V": "DEBUG", "D": "DEBUG", "I": "INFO", "W": "WARNING", "E": "ERROR", "F": "FATAL",
    "WARN": "WARNING", "CRITICAL": "FATAL", "SUCCESS": "INFO", "NOTICE": "INFO",
}  # fmt: skip
_LEVEL = r"(?P<level>DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL|SUCCESS)"
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,:]\d{1,9})?"
_DATE = r"\d{4}-\d\d-\d\d"

# Each is tried at the start of what is left of the line.
_FORMS = tuple(
    re.compile(form.encode())
    for form in (
        # vLLM workers and Ray actors
        r"\((?P<name>[\w.<>-]{1,64})(?: rank=(?P<rank>\d{1,6}))?,? pid=(?P<pid>\d{1,10})"
        r"(?:, ip=[\da-fA-F.:]{1,45})?\) ?",
        # torch elastic, mpirun, pdsh and DeepSpeed launchers
        r"\[(?:[\w.-]{1,32}:)?rank ?(?P<rank>\d{1,6})\]: ?",
        r"\[\d{1,6},(?P<rank>\d{1,6})\]<std(?:out|err)>: ?",
        r"(?P<name>(?:worker|node|rank|host)[-_]?\d{1,6}): ",
        # vLLM, SGLang
        rf"{_LEVEL} +(?P<time>\d\d-\d\d {_CLOCK}) +\[?[\w./-]{{1,120}}:\d{{1,6}}\] ?",
        rf"\[(?P<time>{_DATE} {_CLOCK})(?: [A-Z]{{2}}\d{{1,3}})+\] ",
        # logging and loguru headers
        rf"(?P<time>{_DATE}[ T]{_CLOCK}) - [\w. -]{{1,80}}? - {_LEVEL} - ",
        rf"(?P<time>{_DATE}[ T]{_CLOCK})(?:[+-]\d\d:?\d\d|Z)? - [\w.]{{1,120}} - {_LEVEL} - ",
        rf"(?P<time>{_DATE}[ T]{_CLOCK}) +\| +{_LEVEL} +\| +(?:[\w.<>:-]{{1,160}} +- +)?",
        rf"{_LEVEL} +\| +(?:[\w.<>:-]{{1,160}} +- +)?",
        rf"\d\d/\d\d {_CLOCK} - [\w.]{{1,80}} - {_LEVEL} - ",
        rf"\[(?P<time>{_DATE} {_CLOCK})\] (?:\[\d{{1,4}}/\d{{1,4}}\] )?[\w.]{{1,120}}: "
        rf"\[{_LEVEL}\] (?:\[\d{{1,10}}\] )?",
        rf"(?P<time>{_DATE} {_CLOCK}) {_LEVEL}:? ",
        rf"{_LEVEL}:[\w.]{{1,120}}:",
        # MindIE
        rf"\[(?P<time>{_DATE} {_CLOCK})(?:[+-]\d\d:\d\d)?\] \[(?P<pid>\d{{1,10}})\] \[\d{{1,20}}\] "
        rf"\[[\w-]{{1,32}}\] \[{_LEVEL}\] ?\[[\w./-]{{1,120}}[:-]\d{{1,6}}\] ?(?:: )?",
        # the device's log daemon about itself
        rf"(?P<time>{_DATE} {_CLOCK})\[{_LEVEL}\] ",
        # a bare clock in brackets, container runtimes, a counter before it
        rf"\[(?P<time>{_DATE}[ T]{_CLOCK})\] ?",
        r"\[\d{1,10}\] (?=\[\d{4}-\d\d-\d\d )",
        rf"(?P<time>{_DATE}T{_CLOCK})(?:Z|[+-]\d\d:?\d\d) (?:std(?:out|err) [FP] )?",
        # grep over several files
        r"/?[\w.-]{1,255}(?:/[\w.@+-]{1,255}){0,24}\.(?:log|txt|out|err)(?::\d{1,9}:|:|-\d{1,9}-)",
        # docker compose, and anything that names a service before a bar
        r"(?P<name>[\w.-]{1,64}) *\| ",
        # a quoted report
        r"> ",
    )
)
_QUICK = re.compile(
    rb"[\[(/>]|[\w.-]{1,64} *\| |\d\d|(?:DEBUG|INFO|WARN|ERROR|CRITICAL|FATAL)"
    rb"|(?:worker|node|rank|host)[-_]?\d|[\w./@+-]{1,255}\.(?:log|txt|out|err)[:-]"
)


@dataclass(frozen=True, slots=True)
class Prefix:
    """What the peeled prefixes of a line say of the process that wrote it."""

    level: str = ""
    name: str | None = None
    rank: int | None = None
    pid: int | None = None
    time: str | None = None


NONE = Prefix()


def peel(line: bytes) -> tuple[Prefix, bytes]:
    """Split ``line`` into the fields of its prefixes and the message itself."""
    prefix = NONE
    for _ in range(MAX_DEPTH):
        if not _QUICK.match(line):
            break
        for form in _FORMS:
            found = form.match(line)
            if found is not None:
                prefix = _with(prefix, found)
                line = line[found.end() :]
                break
        else:
            break
    return prefix, line


def _with(prefix: Prefix, found: re.Match[bytes]) -> Prefix:
    fields = {k: v.decode() for k, v in found.groupdict().items() if v is not None}
    level = fields.get("level")
    return replace(
        prefix,
        level=level_name(level) if level else prefix.level,
        name=fields.get("name", prefix.name),
        rank=int(fields["rank"]) if "rank" in fields else prefix.rank,
        pid=int(fields["pid"]) if "pid" in fields else prefix.pid,
        time=fields.get("time", prefix.time),
    )


def level_name(level: str) -> str:
    """Return the one name that we use for a level, however a log spells it."""
    return _LEVELS.get(level, level)
