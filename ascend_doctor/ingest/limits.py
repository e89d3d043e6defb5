"""How much one archive may ask of the run, and the account that is kept of it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing

from msgspec import Struct

from ascend_doctor.ingest.stream import Stream

# Below this no ratio is looked at: a short log of equal lines packs as well as a bomb.
RATIO_FROM = 64 << 20


class Limits(Struct, frozen=True):
    """What is unpacked of one file on disk, archives within it included.

    They hold for each file by itself, so that what is read of it does not depend on what else
    is read, nor in which order.

    Attributes:
        members: most members.
        ratio: most unpacked bytes for each packed byte, once 64 MiB are unpacked.
        unpacked: most bytes that come out of unpacking. What a plain tar holds is not packed.
        depth: most archives around a log: 2 opens an archive within an archive.
    """

    members: int = 200_000
    ratio: int = 500
    unpacked: int = 64 << 30
    depth: int = 2


DEFAULT = Limits()


class LimitError(OSError):
    """A limit was reached; the message names it and the option that raises it."""


class Meter:
    """Counts what is unpacked of one file."""

    def __init__(self, limits: Limits, packed: Stream) -> None:
        self.limits = limits
        self.reached: LimitError | None = None
        self._packed = packed
        self.members = 0
        self._unpacked = 0

    def member(self, name: str) -> None:
        """Count a member; one with a long name counts for several, since names are kept.

        Raises:
            LimitError: there are too many.
        """
        self.members += 1 + len(name) // 256
        if self.members > self.limits.members:
            self._stop(f"more than {self.limits.members:,} members", "--max-members")

    def unpacking(self, blocks: Generator[bytes, None, None]) -> Generator[bytes, None, None]:
        """Count the bytes that come out of unpacking, and yield them; close what unpacks.

        Raises:
            LimitError: there are too many, or too many for what went in.
        """
        with closing(blocks):
            for block in blocks:
                # What is there already is not thrown away.
                yield block
                self._count(len(block))

    def _count(self, count: int) -> None:
        self._unpacked += count
        if self._unpacked > self.limits.unpacked:
            self._stop(f"unpacks to more than {_amount(self.limits.unpacked)}", "--max-unpacked")
        if self._unpacked > RATIO_FROM:
            packed = self._packed.taken
            if self._packed.size is not None:
                # Members of a zip archive may lie over each other.
                packed = min(packed, self._packed.size)
            if self._unpacked > self.limits.ratio * packed:
                self._stop(
                    f"unpacks to more than {self.limits.ratio} times its size", "--max-ratio"
                )

    def _stop(self, reason: str, option: str) -> None:
        self.reached = LimitError(f"{reason}; {option} raises this limit")
        raise self.reached


def _amount(count: int) -> str:
    """Return a number of bytes as the option takes it."""
    for unit, shift in (("T", 40), ("G", 30), ("M", 20), ("K", 10)):
        if count and not count % (1 << shift):
            return f"{count >> shift}{unit}"
    return f"{count} bytes"
