"""Ways in which a text reaches us: prefixes, colours, escapes, encodings, neighbours."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain

from tests.grammar import plog

Lines = list[str]

_DAY, _CLOCK = "2026-03-19", "15:04:57"
# A process id in a prefix belongs to the process that the text comes from.
_PID = plog.PID


def _each(prefix: str) -> Callable[[Lines], Lines]:
    return lambda lines: [prefix + line for line in lines]


def _first(prefix: str) -> Callable[[Lines], Lines]:
    return lambda lines: [prefix + lines[0], *lines[1:]]


# What launchers, servers and collectors put before every line; the first stands nearest to it.
LAUNCHERS: Mapping[str, Callable[[Lines], Lines]] = {
    "none": _each(""),
    "vllm": _each(f"(EngineCore_DP0 pid={_PID}) ERROR 07-01 08:38:50 [core.py:396] "),
    "vllm, name only": _each(f"(EngineCore_DP0 pid={_PID}) "),
    "rank": _each("[rank3]: "),
    "tee": _each("[default3]:"),
    "ray": _each(f"(RayTrainWorker pid={_PID}, ip=10.7.0.3) "),
    "loguru": _each(f"{_DAY} {_CLOCK}.204 | ERROR    | job.train:run:31 - "),
    "loguru, first line": _first(f"{_DAY} {_CLOCK}.204 | ERROR    | job.train:run:31 - "),
    "logging": _each(f"{_DAY} {_CLOCK},204 - job.train - ERROR - "),
    "logging, first line": _first(f"{_DAY} {_CLOCK},204 - job.train - ERROR - "),
    "clock": _each(f"[{_DAY} {_CLOCK}] "),
    "mpirun": _each("[1,3]<stderr>:"),
    "torch elastic": _each("[trainer3:rank3]:"),
}

COLLECTORS: Mapping[str, Callable[[Lines], Lines]] = {
    "none": _each(""),
    "compose": _each("svc-1  | "),
    "container runtime": _each(f"{_DAY}T{_CLOCK}.123456789Z stderr F "),
    "kubectl": _each("[pod/train-worker-3/main] "),
    "kubectl with times": _each(f"[pod/train-worker-3/main] {_DAY}T{_CLOCK}.123456789Z "),
    "journald": _each(f"Mar 19 {_CLOCK} node-7 python3[{_PID}]: "),
    "syslog with a year": _each(f"{_DAY}T{_CLOCK}.123456+08:00 node-7 python3[{_PID}]: "),
    "docker": lambda lines: [
        json.dumps(
            {"log": f"{line}\n", "stream": "stderr", "time": f"{_DAY}T{_CLOCK}.123456789Z"},
            separators=(",", ":"),
            ensure_ascii=False,
        )
        for line in lines
    ],
    "json lines": lambda lines: [
        json.dumps({"ts": f"{_DAY}T{_CLOCK}Z", "level": "error", "message": line}) for line in lines
    ],
    "escaped": lambda lines: [
        f"{_DAY} {_CLOCK}.123 | ERROR | server:infer:95 - request failed: 500: "
        + json.dumps({"detail": "\n".join(lines)}, ensure_ascii=False)
    ],
    "grep": lambda lines: [f"out/rank3.log:{n}:{line}" for n, line in enumerate(lines, start=1)],
    "quoted": _each("> "),
}


def _coloured(lines: Lines) -> Lines:
    return [
        f"\x1b[31m{line.replace(' ', chr(27) + '[0m ', 1)}\x1b[m" if line else "" for line in lines
    ]


def _interleaved(lines: Lines) -> Lines:
    neighbour = iter(plog.healthy(4 * len(lines)))
    return [*chain.from_iterable((line, next(neighbour), next(neighbour)) for line in lines)]


def _two_workers(lines: Lines) -> Lines:
    """Two workers write by turns, each line with its worker's name and process id."""
    busy = [f"step {n} of 90000, 31.20 samples a second" for n in range(len(lines))]
    return [
        *chain.from_iterable(
            (f"(Worker_TP3 pid={_PID}) {line}", f"(Worker_TP4 pid=5200) {other}")
            for line, other in zip(lines, busy, strict=True)
        )
    ]


NEIGHBOURS: Mapping[str, Callable[[Lines], Lines]] = {
    "none": _each(""),
    "plog around": lambda lines: plog.healthy(9) + lines + plog.healthy(9, start=90_000_000),
    "plog between": _interleaved,
    "another worker between": _two_workers,
    "steps around": lambda lines: [
        *(f"step {n}: 31.2 samples/s" for n in range(9)),
        *lines,
        "",
        "cleaning up",
    ],
    "a bar": lambda lines: ["  0%|      | 0/90\r 50%|###   | 45/90\r100%|######| 90/90", *lines],
}


def _text(lines: Lines) -> bytes:
    return ("\n".join(lines) + "\n").encode()


BYTES: Mapping[str, Callable[[Lines], bytes]] = {
    "plain": _text,
    "no newline at the end": lambda lines: _text(lines)[:-1],
    "crlf": lambda lines: _text(lines).replace(b"\n", b"\r\n"),
    "colours": lambda lines: _text(_coloured(lines)),
    "gzip": lambda lines: gzip.compress(_text(lines), mtime=0),
    "utf-8 with mark": lambda lines: b"\xef\xbb\xbf" + _text(lines),
    "utf-16": lambda lines: _text(lines).decode().encode("utf-16"),
    "gb18030": lambda lines: _text(["训练任务日志", *lines]).decode().encode("gb18030"),
}


def wrapped(lines: Lines, columns: int) -> Lines:
    """Return what a terminal of so many columns leaves: longer lines are broken anywhere."""
    return [
        line[at : at + columns] for line in lines for at in range(0, max(len(line), 1), columns)
    ]


@dataclass(frozen=True)
class Wrapping:
    """One way through all layers, from the process outwards."""

    launcher: str = "none"
    collector: str = "none"
    neighbour: str = "none"
    encoding: str = "plain"

    def __call__(self, lines: Lines) -> bytes:
        """Return what arrives of ``lines``."""
        lines = LAUNCHERS[self.launcher](lines)
        lines = NEIGHBOURS[self.neighbour](lines)
        return BYTES[self.encoding](COLLECTORS[self.collector](lines))

    def __str__(self) -> str:
        told = (self.launcher, self.collector, self.neighbour, self.encoding)
        return ", ".join(name for name in told if name not in ("none", "plain")) or "plain"


PLAIN = Wrapping()
SINGLE = (
    *(Wrapping(launcher=name) for name in LAUNCHERS if name != "none"),
    *(Wrapping(collector=name) for name in COLLECTORS if name != "none"),
    *(Wrapping(neighbour=name) for name in NEIGHBOURS if name != "none"),
    *(Wrapping(encoding=name) for name in BYTES if name != "plain"),
)
