"""Long healthy logs, made from a seed: thousands of lines of a run with the noise of its kind."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from string import Template

import yaml

KINDS = yaml.safe_load(Path(__file__).with_name("longrun.yaml").read_text(encoding="utf-8"))

# One message of noise in so many steps; as dense as drivers and servers get.
NOISE_EVERY = 6
# Seconds between two lines, at most.
PACE_S = 3


def run_log(kind: str, lines: int, seed: int, end: list[str] | None = None) -> list[str]:
    """Return at least ``lines`` lines of a healthy run of ``kind``.

    It ends by itself, or with ``end``: templates as in ``longrun.yaml``.
    """
    texts, random = KINDS[kind], Random(f"{kind} {seed}")
    clock = datetime(2026, 2, 3, 11, 20, 41) + timedelta(hours=random.randrange(12))
    made: list[str] = []

    def write(templates: list[str], step: int) -> None:
        nonlocal clock
        for template in templates:
            clock += timedelta(milliseconds=random.randrange(PACE_S * 1000))
            filled = Template(template).substitute(_values(random, clock, step))
            made.extend(filled.split("\n"))

    write(texts["head"], 0)
    for step in _steps(lines, made):
        write(texts["steps"], step)
        if random.randrange(NOISE_EVERY) == 0:
            write([random.choice(texts["noise"])], step)
        if step % texts["every"] == 0:
            write(texts["evaluation"], step)
    write(texts["tail"] if end is None else end, step)
    return made


def with_fault(log: list[str], fault: str, place: float) -> list[str]:
    """Put a message into a log, ``place`` from its beginning: 0.5 is the middle, 1 the end.

    It never comes between the lines of another message.
    """
    at = int(len(log) * place)
    while at < len(log) and _continues(log[at]):
        at += 1
    return [*log[:at], *fault.splitlines(), *log[at:]]


def _continues(line: str) -> bool:
    return line.startswith(" ") or any(word in line for word in ("Traceback", "File ", "Error: "))


def _steps(lines: int, made: list[str]) -> Iterator[int]:
    step = 0
    while len(made) < lines:
        step += 1
        yield step


def _values(random: Random, clock: datetime, step: int) -> dict[str, str]:
    """Return what templates may name; the loss falls and jitters as losses do."""
    loss = 0.4 + 6 * math.exp(-step / 700) * random.uniform(0.9, 1.1)
    return {
        "step": str(step),
        "samples": str(64 * step),
        "loss": f"{loss:.4f}",
        "norm": f"{random.uniform(0.3, 2.4):.3f}",
        "ms": f"{random.uniform(790, 830):.1f}",
        "n": str(random.randrange(100, 1000)),
        "pid": "4117",
        "stamp": f"{clock:%Y-%m-%d %H:%M:%S},118",
        "plog": f"{clock:%Y-%m-%d-%H:%M:%S}.118.402",
        "glog": f"{clock:%m%d %H:%M:%S}.118402",
        "date": f"{clock:%Y-%m-%d %H:%M:%S}",
        "slashed": f"{clock:%Y/%m/%d %H:%M:%S}",
        "short": f"{clock:%m-%d %H:%M:%S}",
        "clock": f"{clock:%Y-%m-%d %H:%M:%S}",
    }
