"""Where the time of steps went, in words and numbers that every reporter shows alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ascend_doctor.records import Lang
from ascend_doctor.report import PARTS, Bar, Breakdown, Part, Place, Track
from ascend_doctor.reporters.labels import label

# A part below this share of a step is not worth a word.
_LEAST_SHARE = 0.01
_MAX_REASONS = 2


def names(breakdown: Breakdown) -> list[str]:
    """Return what each track is called: its rank, else its device, else the file.

    Those that share a name are told apart by their profile.
    """
    short = [_short(track) for track in breakdown.tracks]
    counts = Counter(short)
    return [
        name if counts[name] == 1 or name == track.profile else f"{name} ({track.profile})"
        for name, track in zip(short, breakdown.tracks, strict=True)
    ]


def _short(track: Track) -> str:
    if track.rank is not None:
        return f"rank {track.rank}"
    return track.profile if track.device is None else f"device {track.device}"


def heading(breakdown: Breakdown, lang: Lang) -> str:
    """Return what the numbers of a breakdown are: means of each rank, or of so many steps."""
    if len(breakdown.tracks) != 1:
        return label("step_time", lang)
    return label("step_time_of", lang, count=f"{breakdown.tracks[0].steps:,}")


def proof(track: Track) -> Place:
    """Return the line of the step that a diagnosis is about, or else of the longest."""
    return max(track.bars, key=lambda bar: (bool(bar.positions), mean(bar))).proof


def step_name(bar: Bar, lang: Lang) -> str:
    """Return what a bar is called: ``step 10``, ``steps 10–14``, or nothing if it has no name."""
    if not bar.first and not bar.last:
        return ""
    if bar.steps == 1:
        return label("step", lang, step=bar.first)
    if not bar.last:
        return label("steps_from", lang, first=bar.first, count=f"{bar.steps:,}")
    return label("steps", lang, first=bar.first, last=bar.last)


def mean(item: Track | Bar) -> float:
    """Return how long a step took, in ms: of several, their mean."""
    return item.total_ms / item.steps


def parts_of(items: Sequence[Track | Bar]) -> list[Part]:
    """Return the parts that any of some bars has time in, in their order."""
    return [part for part in PARTS if any(item.parts.get(part) for item in items)]


def reasons(item: Track | Bar, lang: Lang) -> str:
    """Say what took most of the time in which nothing was computed, as shares of the step.

    >>> from ascend_doctor.report import Place
    >>> bar = Bar("7", "7", 1, 10.0, {"computing": 6.0, "fetch": 3.0, "free": 1.0}, Place("a", 1))
    >>> reasons(bar, "en")
    '30% waiting for data, 10% otherwise idle'
    """
    shares = {
        part: took / item.total_ms
        for part, took in item.parts.items()
        if part != "computing" and item.total_ms and took / item.total_ms >= _LEAST_SHARE
    }
    worst = sorted(shares, key=lambda part: -shares[part])[:_MAX_REASONS]
    told = [f"{100 * shares[part]:.0f}% {label(f'part_{part}', lang)}" for part in worst]
    return (", " if lang == "en" else "，").join(told)


def milliseconds(value: float) -> str:
    """Return milliseconds as people write them.

    >>> [milliseconds(value) for value in (0.0, 3.14159, 812.345, 12345.6)]
    ['0', '3.14', '812.3', '12,346']
    """
    if not value:
        return "0"
    digits = 2 if value < 10 else 1 if value < 1000 else 0
    return f"{value:,.{digits}f}"


def told_bars(track: Track, most: int) -> list[Bar]:
    """Return the bars that say most: those a diagnosis is about, then the longest, by their time.

    A track of one bar has nothing to tell beside it.
    """
    if len(track.bars) < 2:
        return []
    numbers = range(len(track.bars))
    ranked = sorted(numbers, key=lambda n: (not track.bars[n].positions, -mean(track.bars[n])))
    return [track.bars[number] for number in sorted(ranked[:most])]
