"""Where the time of steps went, for each rank or device that profiles or logs tell of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

# What a stretch of a step was spent on, in the order in which it is drawn.
#   computing      the device computed
#   communication  it communicated and did not compute
#   fetch          it did neither, while the training thread waited for its loader
#   compile        it did neither, while an operator or graph was compiled
#   sync           it did neither, while the host waited for what it had given the device
#   preparing      it did neither, since it had not yet been given anything in this step
#   free           it did neither, for a reason that nothing tells
#   unknown        nothing tells what it did
Part = Literal[
    "computing", "communication", "fetch", "compile", "sync", "preparing", "free", "unknown"
]
PARTS: tuple[Part, ...] = (
    *("computing", "communication", "fetch", "compile", "sync", "preparing", "free", "unknown"),
)


class Place(Struct, frozen=True):
    """A line of a file."""

    path: str
    line: int


class Bar(Struct, frozen=True):
    """A step, or neighbouring ones put together.

    Attributes:
        first, last: what the file calls the first and the last of them. One may have no name, and
            where a step stands for others behind it, the last is not known.
        steps: how many they are.
        total_ms: how long they took together.
        parts: what that was spent on, in ms; they add up to it. What is missing was not measured.
        proof: the row or line of the step that a diagnosis is about, or else of the longest.
        positions: of the diagnoses that are about one of them.
    """

    first: str
    last: str
    steps: int
    total_ms: float
    parts: Mapping[Part, float]
    proof: Place
    positions: tuple[int, ...] = ()


class Track(Struct, frozen=True):
    """The steps of one rank or device.

    Attributes:
        profile: the folder, or the file, that tells of them.
        steps, total_ms, parts: of all its steps together, as in ``Bar``.
        bars: in the order of time; where there are too many steps, neighbours share one.
        positions: of the diagnoses that are about this rank, the root cause first.
        is_average: its numbers are running averages, in which earlier steps have a share.
    """

    profile: str
    rank: int | None
    device: str | None
    steps: int
    total_ms: float
    parts: Mapping[Part, float]
    bars: tuple[Bar, ...]
    positions: tuple[int, ...] = ()
    is_average: bool = False


class Breakdown(Struct, frozen=True):
    """Where the time of steps went, first on the ranks that a diagnosis is about.

    ``left_out`` counts the ranks that are too many.
    """

    tracks: tuple[Track, ...] = ()
    left_out: int = 0

    def about(self, positions: Collection[int]) -> Breakdown:
        """Return the same without marks of other diagnoses than these."""

        def kept(marks: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(position for position in marks if position in positions)

        return replace(
            self,
            tracks=tuple(
                replace(
                    track,
                    positions=kept(track.positions),
                    bars=tuple(replace(bar, positions=kept(bar.positions)) for bar in track.bars),
                )
                for track in self.tracks
            ),
        )
