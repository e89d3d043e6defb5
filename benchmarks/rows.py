"""What was measured, as rows of a table: for a terminal, and for the documentation."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from benchmarks.measure import Run, Spread

_HEADER = (
    "| measured | against | figure | lowest–highest | CPU time | bar | aim | seconds |",
    "|---|---|---|---|---|---|---|---|",
)
_BEGIN, _END = "<!-- results -->\n", "<!-- end of results -->\n"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: the median with its spread, and the bar that it has to keep below.

    ``cpu`` is the same figure for processor time, ``seconds`` the medians it was made from.
    """

    measured: str
    against: str
    figure: Spread
    unit: str
    bar: float
    aim: float | None = None
    cpu: float | None = None
    seconds: tuple[float, ...] = ()

    @property
    def is_kept(self) -> bool:
        """True if the median keeps below the bar."""
        return self.figure.median <= self.bar

    def cells(self) -> tuple[str, ...]:
        """Return the row as texts, in the order of the table."""
        digits = 0 if self.unit == "MiB" else 2
        unit = f" {self.unit}" if self.unit else ""
        spread = f"{self.figure.low:.{digits}f}–{self.figure.high:.{digits}f}"
        return (
            self.measured,
            self.against,
            f"{self.figure.median:.{digits}f}{unit}" + ("" if self.is_kept else ", above the bar"),
            "" if self.figure.low == self.figure.high else spread,
            "" if self.cpu is None else f"{self.cpu:.2f}",
            f"{self.bar:g}" if self.bar >= 1 else f"{self.bar:.2g}",
            "" if self.aim is None else f"{self.aim:g}",
            " / ".join(f"{value:.2f}" for value in self.seconds),
        )


def ratio(
    measured: str,
    against: str,
    runs: Sequence[Run],
    base: Sequence[Run],
    *,
    bar: float,
    aim: float | None = None,
) -> Row:
    """Return how much longer ``runs`` took than ``base``, which took turns with them.

    The figure is the ratio of the medians; its spread is that of neighbouring runs.
    """
    pairs = [one.wall_s / other.wall_s for one, other in zip(runs, base, strict=True)]
    own, theirs = (Spread.of([item.wall_s for item in items]).median for items in (runs, base))
    cpu, base_cpu = (Spread.of([item.cpu_s for item in items]).median for items in (runs, base))
    return Row(
        measured,
        against,
        Spread(own / theirs, min(pairs), max(pairs)),
        "",
        bar,
        aim,
        cpu=cpu / base_cpu if base_cpu else None,
        seconds=(own, theirs),
    )


def compared(
    measured: str, against: str, values: Sequence[float], base: Sequence[float], *, bar: float
) -> Row:
    """Return what share ``values`` are of ``base``, which were measured in turn with them."""
    pairs = [one / other for one, other in zip(values, base, strict=True)]
    share = Spread.of(values).median / Spread.of(base).median
    return Row(measured, against, Spread(share, min(pairs), max(pairs)), "", bar)


def line(row: Row) -> str:
    """Return a row for a terminal."""
    measured, against, figure, spread, cpu, bar, aim, seconds = row.cells()
    compared = f"{measured} / {against}" if against else measured
    told = f"{compared:44} {figure:23} bar {bar:5} aim {aim or '-':4} {spread:13}"
    return f"{told} CPU {cpu:6} {seconds}" if cpu else told.rstrip()


def machine() -> str:
    """Describe this machine in general words, with the versions that matter."""
    model = platform.machine()
    for text in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if text.startswith("model name"):
            model = text.partition(":")[2].strip()
            break
    return (
        f"{model}, {os.cpu_count()} cores, Linux, Python {platform.python_version()}, "
        f"{ripgrep_version() or 'without ripgrep'}, {date.today():%Y-%m-%d}"
    )


def ripgrep_version() -> str | None:
    """Return the name and version of the ripgrep on the path, None without one."""
    try:
        shown = subprocess.run(("rg", "--version"), capture_output=True, text=True, check=True)  # noqa: S607
    except (OSError, subprocess.CalledProcessError):
        return None
    return " ".join(shown.stdout.split()[:2])


def into_document(
    path: Path, rows: Iterable[Row], notes: Iterable[str], cases: Sequence[str] = ()
) -> None:
    """Put the table and its notes between the two markers of a Markdown document.

    Args:
        cases: what was measured, if not all: other rows stay then, and notes say whose they are.

    Raises:
        ValueError: the document lacks a marker.
    """
    lines = [f"| {' | '.join(row.cells())} |" for row in rows]
    told = list(notes)
    if cases:
        about = f"{', '.join(cases)}: "
        told = [f"{about}{note}" for note in told]
        before = results(path).splitlines()
        told = [line for line in before if line and line[0] != "|" and about not in line] + told
        known = [line for line in before if line.startswith("|")][len(_HEADER) :]
        lines = _merged(known, lines)
    table = "\n".join((*_HEADER, *lines))
    text = "\n".join(told)
    path.write_text(with_results(path, f"{text}\n\n{table}\n"), encoding="utf-8")


def _merged(known: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return rows of a table in which new ones stand in place of those about the same."""

    def key(line: str) -> list[str]:
        return line.split(" | ")[:2]

    merged = {tuple(key(line)): line for line in known}
    merged.update((tuple(key(line)), line) for line in new)
    return [*merged.values()]


def results(path: Path) -> str:
    """Return what stands between the two markers of a document.

    Raises:
        ValueError: the document lacks a marker.
    """
    return _parts(path)[1]


def with_results(path: Path, told: str) -> str:
    """Return the text of a document with ``told`` between its two markers.

    Raises:
        ValueError: the document lacks a marker.
    """
    before, _, after = _parts(path)
    return f"{before}{_BEGIN}{told}{_END}{after}"


def _parts(path: Path) -> tuple[str, str, str]:
    """Return what stands before, between and behind the markers."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(_BEGIN)
    told, end, after = rest.partition(_END)
    if not (begin and end):
        raise ValueError(f"{path}: no lines {_BEGIN.strip()} and {_END.strip()} to write between")
    return before, told, after
