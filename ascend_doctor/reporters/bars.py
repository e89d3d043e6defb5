"""Where the time of steps went, as bars for a terminal that tell parts apart without colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich.cells import cell_len
from rich.text import Text

from ascend_doctor.records import Lang
from ascend_doctor.report import PARTS, Bar, Breakdown, Part, Place, Track
from ascend_doctor.reporters import times
from ascend_doctor.reporters.labels import label
from ascend_doctor.reporters.layout import wrapped
from ascend_doctor.reporters.safe import visible

# Lines that a screen has for it; the JSON has all of it.
MAX_ROWS = 6
_MAX_NAME = 24
_MIN_BAR, _MAX_BAR = 12, 40

# Each part has a sign of its own, in ASCII as well (see ``cli.terminal``).
SIGNS: Mapping[Part, tuple[str, str]] = {
    "computing": ("█", "green"),
    "communication": ("▓", "blue"),
    "fetch": ("▒", "yellow"),
    "compile": ("▚", "magenta"),
    "sync": ("▞", "cyan"),
    "preparing": ("▖", "cyan"),
    "free": ("░", "dim"),
    "unknown": ("?", "dim"),
}


def lines(breakdown: Breakdown, lang: Lang, width: int) -> Iterator[Text]:
    """Yield the lines that show a breakdown in ``width`` columns: a row a rank, or a step.

    Of a single rank some steps are shown as well: those a diagnosis is about, then the longest.
    """
    tracks = breakdown.tracks[:MAX_ROWS]
    rows: list[tuple[str, Track | Bar, Place]] = [
        (name, track, times.proof(track))
        for name, track in zip(times.names(breakdown), tracks, strict=False)
    ]
    if len(breakdown.tracks) == 1:
        rows += [
            (times.step_name(bar, lang), bar, bar.proof)
            for bar in times.told_bars(tracks[0], MAX_ROWS - 1)
        ]
    shown = [(_fitting(visible(name)), item, place) for name, item, place in rows]
    column = 2 + max(cell_len(name) for name, _, _ in shown)
    cells = max(_MIN_BAR, min(_MAX_BAR, (width - column) // 3))
    longest = max(times.mean(item) for _, item, _ in shown)
    yield Text(times.heading(breakdown, lang), style="bold")
    for name, item, place in shown:
        line = Text.assemble(("✗ ", "bold red") if item.positions else "  ", name)
        line.append(" " * (column - cell_len(name)))
        line.append_text(_bar(item, cells, longest))
        line.append(f"{times.milliseconds(times.mean(item)):>9} ms")
        yield from _beside(line, times.reasons(item, lang), place, width, bool(item.positions))
    parts = times.parts_of([item for _, item, _ in shown])
    yield from _legend(parts, lang, width)
    more = len(breakdown.tracks) - len(tracks) + breakdown.left_out
    if more:
        yield Text(f"  {label('more_ranks', lang, count=more)}", style="dim")
    told = sum(item.steps for _, item, _ in rows[1:])
    if told and len(tracks) == 1 and tracks[0].steps > told:
        count = f"{tracks[0].steps - told:,}"
        yield Text(f"  {label('more_steps', lang, count=count)}", style="dim")
    if any(track.is_average for track in tracks):
        yield from (Text(f"  {line.plain}", style="dim") for line in _note(lang, width))


def _fitting(name: str) -> str:
    """Cut a name to its end, which tells a folder from its neighbours."""
    if cell_len(name) <= _MAX_NAME:
        return name
    while cell_len(name) >= _MAX_NAME:
        name = name[1 + len(name) // 2 :] if len(name) > 4 * _MAX_NAME else name[1:]
    # Once more: what was within a word may begin one now.
    return visible(f"…{name}")


def _legend(parts: Iterable[Part], lang: Lang, width: int) -> Iterator[Text]:
    line = ""
    for part in parts:
        entry = f"  {SIGNS[part][0]} {label(f'part_{part}', lang)}"
        if line and cell_len(line + entry) > width:
            yield Text(line, style="dim")
            line = ""
        line += entry
    yield Text(line, style="dim")


def _note(lang: Lang, width: int) -> list[Text]:
    return wrapped(Text(label("running_averages", lang)), width - 2)


def _shown(place: Place) -> Text:
    return Text(f"{visible(place.path)}:{place.line}", style="cyan")


def _bar(item: Track | Bar, cells: int, longest: float) -> Text:
    bar, at, end = Text(), 0.0, 0
    for part in PARTS:
        at += item.parts.get(part, 0.0) / item.steps
        # A stored result may claim parts that are more than the whole.
        edge = round(min(cells, cells * at / longest)) if longest else 0
        sign, style = SIGNS[part]
        bar.append(sign * (edge - end), style=style)
        end = max(end, edge)
    bar.append(" " * (cells - end))
    return bar


def _beside(line: Text, reasons: str, place: Place, width: int, is_told: bool) -> Iterator[Text]:
    """Yield a line with what fits beside it; the proof of a guilty one stands below if need be."""
    for text in (Text(reasons), _shown(place)):
        if text.plain and line.cell_len + 2 + text.cell_len <= width:
            line.append("  ").append_text(text)
        elif text.plain and is_told:
            yield line
            below = wrapped(text, width - 4)
            yield from (Text.assemble("    ", part) for part in below[:-1])
            line = Text.assemble("    ", below[-1])
    yield line
