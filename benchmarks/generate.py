"""Make the logs that are measured, from a seed, and write down what they hold.

    python -m benchmarks.generate --scale 1/256 plog storm

A set lies in a folder of its own: its files below ``logs/``, and ``expected.json``, which is
written last. A set that is there in the same seed, scale and version of this generator is kept.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.planted import Planted
from benchmarks.sets import SETS

ROOT = Path(__file__).parent.parent
DATA = ROOT / ".cache" / "benchmarks"
SEED = 1
_SOURCES = (
    *("messages.py", "planted.py", "plogs.py", "sets.py", "stdout.py", "tables.py", "trace.py"),
)
_SPARE = 1.1


@dataclass(frozen=True, slots=True)
class Logs:
    """A set of logs on disk, and what a right analysis of it answers."""

    name: str
    path: Path
    answers: Mapping[str, Any]

    @property
    def input(self) -> Path:
        """The one file of the set, or the folder of all of them."""
        files = [path for path in self.path.rglob("*") if path.is_file()]
        return files[0] if len(files) == 1 else self.path


def generate(name: str, out: Path, *, scale: Fraction = Fraction(1), seed: int = SEED) -> Logs:
    """Return the set ``name`` below ``out``, made if it is not there.

    Raises:
        OSError: the disk is too small, or cannot be written to.
    """
    folder = out / f"{name}-{seed}-{scale.numerator}_{scale.denominator}"
    logs, expected = folder / "logs", folder / "expected.json"
    version = _version()
    if expected.is_file():
        known = json.loads(expected.read_text(encoding="utf-8"))
        if known["version"] == version:
            return Logs(name, logs, known["answers"])
    shutil.rmtree(folder, ignore_errors=True)
    logs.mkdir(parents=True)
    needed = int(SETS[name].bytes * scale * _SPARE)
    if shutil.disk_usage(folder).free < needed:
        raise OSError(f"{folder}: {name} needs {needed >> 20} MiB; name another folder with --data")
    planted = Planted()
    SETS[name].write(logs, seed, scale, planted)
    answers = planted.answers()
    text = json.dumps({"version": version, "answers": answers}, indent=1)
    expected.write_text(text + "\n", encoding="utf-8")
    return Logs(name, logs, answers)


def _version() -> str:
    """Return a digest of all that decides what a seed makes."""
    digest = hashlib.sha256()
    for name in _SOURCES:
        digest.update(Path(__file__).with_name(name).read_bytes())
    return digest.hexdigest()[:16]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which logs: their folder, scale and seed."""
    parser.add_argument(
        "--data", type=Path, default=DATA, metavar="DIR", help="where the logs lie (%(default)s)"
    )
    parser.add_argument(
        "--scale", type=_scale, default=Fraction(1), help="share of the full size, such as 1/256"
    )
    parser.add_argument("--seed", type=int, default=SEED, help="what the logs are made from")


def _scale(text: str) -> Fraction:
    try:
        scale = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"{text!r} is no number such as 1/256 or 0.5") from None
    if not 0 < scale <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most 1")
    return scale


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the sets that the command line names, all if it names none."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.generate", description="Make the logs that are measured."
    )
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}; all")
    add_options(parser)
    options = parser.parse_args(arguments)
    for name in options.sets:
        if name not in SETS:
            parser.error(f"there is no set {name!r}; there are {', '.join(SETS)}")
    for name in options.sets or SETS:
        start = time.perf_counter()
        try:
            logs = generate(name, options.data, scale=options.scale, seed=options.seed)
        except OSError as err:
            parser.exit(2, f"error: {err}\n")
        sys.stdout.write(f"{name}: {logs.path} ({time.perf_counter() - start:.1f} s)\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
