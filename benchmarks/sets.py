"""The sets of logs: what lies in which file, at a scale of the full size."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from benchmarks.planted import Planted
from benchmarks.plogs import ERROR_STORM, HEALTHY, Mix, PlogWriter
from benchmarks.stdout import StdoutWriter
from benchmarks.tables import OUTPUT, TablesWriter
from benchmarks.trace import TraceWriter

MIB = 1 << 20
# At which size the software begins another plog file.
_ROTATION = 20 * MIB
_GZIP_LEVEL = 6
_WRITE_BYTES = 1 << 20

Write = Callable[[Path, int, Fraction, Planted], None]


@dataclass(frozen=True, slots=True)
class LogSet:
    """A set of logs: ``write`` puts it into an empty folder, ``bytes`` is what it takes there."""

    bytes: int
    write: Write


def _plog(
    size: int, *, mix: Mix = HEALTHY, pids: Sequence[int] = (41207,), is_scaled: bool = True
) -> LogSet:
    """Return a set of one plog of ``size`` bytes; of one mix, the smaller begin the larger."""

    def write(folder: Path, seed: int, scale: Fraction, planted: Planted) -> None:
        writer = PlogWriter(f"{seed} plog", pids, mix, planted)
        with _created(folder / f"plog-{pids[0]}_{writer.stamp}.log").open("wb") as stream:
            writer.write(stream, int(size * scale) if is_scaled else size)

    return LogSet(size, write)


def _packed(size: int) -> LogSet:
    def write(folder: Path, seed: int, scale: Fraction, planted: Planted) -> None:
        writer = PlogWriter(f"{seed} plog", (41207,), HEALTHY, planted)
        path = _created(folder / f"plog-41207_{writer.stamp}.log.gz")
        # A name or a time in the header would make the bytes depend on more than the seed.
        with (
            path.open("wb", buffering=_WRITE_BYTES) as packed,
            gzip.GzipFile("", "wb", _GZIP_LEVEL, packed, mtime=0) as stream,
        ):
            writer.write(stream, int(size * scale))  # type: ignore[arg-type]

    return LogSet(size // 4, write)


def _ranks(files: int, size: int, ranks: int) -> LogSet:
    """Return many small plogs of a job, in the folders that launchers make for each rank."""

    def write(folder: Path, seed: int, scale: Fraction, planted: Planted) -> None:
        for number in range(max(2, int(files * scale))):
            pid = 20_000 + 37 * number
            writer = PlogWriter(f"{seed} rank {number}", (pid,), HEALTHY, planted)
            plogs = folder / f"rank_{number % ranks}" / "debug" / "plog"
            with _created(plogs / f"plog-{pid}_{writer.stamp}.log").open("wb") as stream:
                writer.write(stream, size)

    return LogSet(files * size, write)


def _rotated(size: int, ranks: int) -> LogSet:
    """Return the plogs of a job, of each rank one process whose file was rotated."""

    def write(folder: Path, seed: int, scale: Fraction, planted: Planted) -> None:
        for rank in range(ranks):
            pid = 30_000 + 91 * rank
            writer = PlogWriter(f"{seed} rotated {rank}", (pid,), HEALTHY, planted)
            plogs = folder / f"rank_{rank}" / "debug" / "plog"
            left = int(size * scale) // ranks
            while left > 0:
                part = min(left, int(_ROTATION * scale))
                with _created(plogs / f"plog-{pid}_{writer.stamp}.log").open("wb") as stream:
                    writer.write(stream, part)
                left -= part

    return LogSet(size, write)


def _stdout(size: int, long_line: int) -> LogSet:
    def write(folder: Path, seed: int, scale: Fraction, planted: Planted) -> None:
        with _created(folder / "train.log").open("wb") as stream:
            writer = StdoutWriter(f"{seed} stdout", planted)
            writer.write(stream, int(size * scale), int(long_line * scale))

    return LogSet(size, write)


def _trace(size: int) -> LogSet:
    """Return a profile whose trace is ``size`` bytes, with the little that tools want beside it."""

    def write(folder: Path, seed: int, scale: Fraction, planted: Planted) -> None:
        profile = folder / "host_41207_20260304050607001_ascend_pt"
        with _created(profile / OUTPUT / "trace_view.json").open("wb") as stream:
            TraceWriter(f"{seed} trace", planted).write(stream, int(size * scale))
        TablesWriter(f"{seed} trace", 0, planted).beside_a_trace(profile)

    return LogSet(size, write)


def _profiles(size: int, ranks: int) -> LogSet:
    """Return profiles of many ranks, without traces."""

    def write(folder: Path, seed: int, scale: Fraction, planted: Planted) -> None:
        for rank in range(max(min(ranks, 2), int(ranks * scale))):
            profile = folder / f"host_{41207 + rank}_20260304050607{rank:03}_ascend_pt"
            TablesWriter(f"{seed} profiles", rank, planted).write(profile, size)

    return LogSet(ranks * size, write)


def _created(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


SETS: dict[str, LogSet] = {
    "plog": _plog(1024 * MIB),
    "ranks": _ranks(files=2000, size=250_000, ranks=64),
    "storm": _plog(256 * MIB, mix=ERROR_STORM, pids=(51207, 51244, 51281, 51318)),
    "stdout": _stdout(256 * MIB, long_line=50 * MIB),
    "gzip": _packed(256 * MIB),
    "job": _rotated(201 * MIB, ranks=8),
    "quarter": _plog(256 * MIB),
    "fourfold": _plog(4096 * MIB),
    "trace": _trace(100_000_000),
    "profiles": _profiles(5_000_000, ranks=64),
    "profile": _profiles(5_000_000, ranks=1),
    "small": _plog(250_000, is_scaled=False),
}
