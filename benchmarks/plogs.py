"""Plogs as a process writes them: the header of each line, and levels in given shares."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from random import Random
from typing import BinaryIO

from benchmarks.messages import ERRORS, EVENT, INFO, REMARKS, STORM, WARNING, Message
from benchmarks.planted import Planted

# Lines that are written at once.
BATCH = 4096
_START = datetime(2026, 3, 4, 5, 6, 7)
_MILLION = 1_000_000
# What is drawn for each line, to choose its level, is less than this.
_WHOLE = 1 << 20
# Threads of a process that log.
_THREADS = 32


@dataclass(frozen=True, slots=True)
class Mix:
    """How many of a million lines are of which level, and which errors there are."""

    errors: int
    warnings: int
    remarks: int
    events: int
    error_messages: Sequence[Message]

    def shares(self) -> list[tuple[int, str, Sequence[Message]]]:
        """Return the messages with their level and share; INFO has what is left of a million."""
        rarer = self.errors + self.warnings + self.remarks + self.events
        return [
            (self.errors, "ERROR", self.error_messages),
            (self.warnings, "WARNING", WARNING),
            (self.remarks, "INFO", REMARKS),
            (self.events, "EVENT", EVENT),
            (_MILLION - rarer, "INFO", INFO),
        ]


HEALTHY = Mix(errors=200, warnings=1_000, remarks=1_000, events=120_000, error_messages=ERRORS)
ERROR_STORM = Mix(
    errors=600_000, warnings=50_000, remarks=1_000, events=50_000, error_messages=STORM
)


class PlogWriter:
    """Writes the plog of one job on one host, over one file or several.

    The bytes depend on ``seed``, ``pids`` and ``mix`` only: a smaller file is the beginning
    of a larger one.
    """

    def __init__(self, seed: str, pids: Sequence[int], mix: Mix, planted: Planted) -> None:
        self._bits = Random(seed).getrandbits  # noqa: S311 - the same bytes for a seed are wanted
        self._pids = pids
        self._us = self._bits(32)
        self._planted = planted
        self._second, self._clock = -1, ""
        shares = mix.shares()
        self._bounds = [
            bound * _WHOLE // _MILLION for bound in accumulate(share for share, _, _ in shares)
        ]
        self._pools = [(level, messages) for _, level, messages in shares]

    @property
    def stamp(self) -> str:
        """The time of the last line, as names of plog files carry it."""
        return f"{self._now():%Y%m%d%H%M%S}{self._us // 1000 % 1000:03}"

    def write(self, stream: BinaryIO, size: int) -> None:
        """Write whole messages until there are at least ``size`` bytes."""
        written = 0
        while written < size:
            lines: list[str] = []
            while written < size and len(lines) < BATCH:
                lines.append(self._message())
                written += len(lines[-1])
            text = "".join(lines)
            self._planted.lines += text.count("\n")
            stream.write(text.encode("ascii"))
        self._planted.files += 1
        self._planted.bytes += written

    def _now(self) -> datetime:
        return _START + timedelta(microseconds=self._us)

    def _message(self) -> str:
        share, bits = self._bits(20), self._bits(62)
        level, messages = self._pools[bisect_right(self._bounds, share)]
        message = messages[(bits >> 8) % len(messages)]
        if message.rules or level == "ERROR":
            self._planted.count(message.rules, is_error=level == "ERROR")
        pid = self._pids[(bits >> 48) % len(self._pids)]
        # Half a millisecond between two lines, as a busy process logs at this level.
        self._us += 1 + (bits & 1023)
        second, us = divmod(self._us, 1_000_000)
        if second != self._second:
            self._second, self._clock = second, f"{self._now():%Y-%m-%d-%H:%M:%S}"
        values = {
            "tid": pid + bits % _THREADS,
            "n": bits >> 20 & 0xFFFFFF,
            "m": bits >> 28 & 0xFFFF,
            "s": bits >> 44 & 63,
            "dev": bits >> 50 & 7,
            "addr": 0x12C000000000 + (bits >> 8 & 0xFFFFFFFF0),
            "hex": bits & 0xFFFFFFFFFFFF,
            "big": bits,
            "us": self._us,
        }
        text = f"{message.text}\n{message.more}" % values
        return (
            f"[{level}] {message.module}({pid},python3):{self._clock}"
            f".{us // 1000:03}.{us % 1000:03} {text}"
        )
