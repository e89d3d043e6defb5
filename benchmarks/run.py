"""Measure ``ascend-doctor analyze`` and say how it compares.

    python -m benchmarks.run plog storm --repetitions 3

Exit codes: 0 measured, and all answers are right; 1 an answer is wrong; 2 could not be run.
Figures above their bar are marked and do not fail: machines are too different, and too busy.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from benchmarks.cases import CASES, Bench
from benchmarks.chinese import write_twin
from benchmarks.generate import add_options, generate
from benchmarks.product import Product
from benchmarks.rows import Row, into_document, line, machine, ripgrep_version

_NO_RIPGREP = "ripgrep (rg) is not installed, and is what is compared with: apt-get install ripgrep"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases that the command line names, all if it names none."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.run", description="Measure ascend-doctor analyze."
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}; all")
    add_options(parser)
    parser.add_argument(
        "--repetitions", type=int, default=5, metavar="N", help="timed runs of each (%(default)s)"
    )
    parser.add_argument(
        "--msprof-analyze",
        dest="advisor",
        metavar="COMMAND",
        help="what profiles are compared with, of a virtual environment of its own",
    )
    parser.add_argument(
        "--program",
        metavar="COMMAND",
        help="the installed ascend-doctor that is measured; that of this checkout unless given",
    )
    parser.add_argument(
        "--markdown",
        type=Path,
        metavar="FILE.md",
        help="also write the table into this document, and in Chinese into FILE.zh.md beside it; "
        "of named cases, their rows only",
    )
    options = parser.parse_args(arguments)
    if options.repetitions < 1:
        parser.error("--repetitions: at least 1")
    for name in options.cases:
        if name not in CASES:
            parser.error(f"there is no case {name!r}; there are {', '.join(CASES)}")
    cases = {name: CASES[name] for name in options.cases or CASES}
    if any(case.needs_ripgrep for case in cases.values()) and ripgrep_version() is None:
        parser.exit(2, f"error: {_NO_RIPGREP}\n")
    logs = partial(generate, out=options.data, scale=options.scale, seed=options.seed)
    for option, command in (("msprof-analyze", options.advisor), ("program", options.program)):
        if command is not None and shutil.which(command) is None:
            parser.error(f"--{option}: there is no command {command!r}")
    rows: list[Row] = []
    notes = [
        f"{machine()}. Scale {options.scale} of the full size, {options.repetitions} timed runs."
    ]
    sys.stdout.write("\n".join(notes) + "\n")
    with tempfile.TemporaryDirectory() as scratch:
        measured = Product((options.program,)) if options.program else Product()
        bench = Bench(logs, Path(scratch), options.repetitions, options.advisor, measured)
        try:
            for row in chain.from_iterable(case.run(bench) for case in cases.values()):
                rows.append(row)
                sys.stdout.write(line(row) + "\n")
                sys.stdout.flush()
            if options.markdown is not None:
                told = [f"Wrong in this run: {wrong}." for wrong in bench.wrong]
                into_document(options.markdown, rows, [*notes, *told], options.cases)
                write_twin(options.markdown)
        except (OSError, ValueError) as err:
            parser.exit(2, f"error: {err}\n")
    for wrong in bench.wrong:
        sys.stderr.write(f"wrong: {wrong}\n")
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
