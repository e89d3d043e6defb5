"""Where a process of the bad run leaves the path that it took in the good one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from ascend_doctor.comparing.lines import Lines, Writer

# How far above the place a line is looked for that both runs have.
MAX_BACK = 200
# Lines that are shown before and behind.
AROUND = 3


class Fork(Struct, frozen=True):
    """Two places: behind ``good`` lines, the process wrote another line than behind ``bad``.

    ``ends`` says that the bad one wrote nothing more.
    """

    good: int
    bad: int
    ends: bool = False


def pairs(good: Lines, bad: Lines) -> Iterator[tuple[Writer, Writer]]:
    """Yield the processes that both runs have: by rank and file, or those left alone of a rank."""
    left_good = [writer for writer in good.sequences if writer not in bad.sequences]
    left_bad = [writer for writer in bad.sequences if writer not in good.sequences]
    for writer in bad.sequences:
        if writer in good.sequences:
            yield writer, writer
    for who in dict.fromkeys(writer[0] for writer in left_bad):
        ours = [writer for writer in left_good if writer[0] == who]
        theirs = [writer for writer in left_bad if writer[0] == who]
        if len(ours) == len(theirs) == 1:
            yield ours[0], theirs[0]


def fork(good: Sequence[int], bad: Sequence[int], said: Collection[int]) -> Fork | None:
    """Return where ``bad`` leaves ``good``, None if it does not.

    That is at its first wording that the good run never has (``said`` are those it has), or at its
    end if the good one goes on with what the bad one never says. Of what both say, the nth time
    in one is the nth time in the other.
    """
    at = next((n for n, wording in enumerate(bad) if wording >= 0 and wording not in said), None)
    if at is not None:
        return Fork(_alike(good, bad, at), at)
    behind = _alike(good, bad, len(bad))
    heard = {*bad}
    if any(wording >= 0 and wording not in heard for wording in good[behind:]):
        return Fork(behind, len(bad), ends=True)
    return None


def _alike(good: Sequence[int], bad: Sequence[int], at: int) -> int:
    """Return how many lines of ``good`` stand before the place that ``at`` is in ``bad``."""
    known = {*good}
    above = range(at - 1, max(-1, at - 1 - MAX_BACK), -1)
    place = next((n for n in above if bad[n] >= 0 and bad[n] in known), None)
    if place is None:
        return 0
    wording = bad[place]
    # Sequences may have millions of lines, and are counted by what is not Python.
    times = bad[: place + 1].count(wording)
    behind = 0
    for _ in range(min(times, good.count(wording))):
        behind = good.index(wording, behind) + 1
    return behind


def around(place: int, count: int) -> range:
    """Return the places that are shown around one of ``count``."""
    return range(max(0, place - AROUND), min(count, place + 1 + AROUND))
