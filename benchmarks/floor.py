"""What no analysis can do without, as a multiple of ripgrep: the floor that bars stand on.

    python -m benchmarks.floor stdout ranks

It is what a run would take that starts, reads, numbers lines and searches for the literals, and
looks at nothing that it found. Seconds are those of processors, the least of several runs: what
others on the machine disturbed the least.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from ascend_doctor.knowledge import index
from ascend_doctor.scan.literals import Literals
from ascend_doctor.scan.meanings import Vocabulary
from ascend_doctor.view.window import SIZES, Window, windows_of_part
from benchmarks.cases import Bench, search
from benchmarks.generate import add_options, generate
from benchmarks.measure import Command, run
from benchmarks.product import Product

_RUNS = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the floor of the sets that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.floor", description="Measure what no analysis can do without."
    )
    parser.add_argument("sets", nargs="+", metavar="SET", help="plain ones, such as stdout")
    parser.add_argument("--program", metavar="COMMAND", help="as for benchmarks.run")
    add_options(parser)
    options = parser.parse_args(arguments)
    logs = partial(generate, out=options.data, scale=options.scale, seed=options.seed)
    product = Product((options.program,)) if options.program else Product()
    literals = Vocabulary(index.load().rules.values()).literals
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(logs, Path(scratch), _RUNS, product=product)
        start = _least(lambda: run(product.analyze(logs("small").input)).cpu_s)
        for name in options.sets:
            found = logs(name)
            lines = _least(partial(_spent, found.input, None))
            searched = _least(partial(_spent, found.input, literals)) - lines
            yardstick = _least(lambda found=found: run(search(bench, found)).cpu_s)  # type: ignore[misc]
            whole = _least(lambda found=found: run(product.analyze(found.input)).cpu_s)  # type: ignore[misc]
            two = _least(partial(_at_once, search(bench, found)))
            alone = _least(lambda found=found: run(search(bench, found)).wall_s)  # type: ignore[misc]
            floor = start + lines + searched
            sys.stdout.write(
                f"{name}: start {start:.2f} s, reading and line numbers {lines:.2f} s, search "
                f"{searched:.2f} s: {floor:.2f} s, {floor / yardstick:.2f} times ripgrep's "
                f"{yardstick:.2f} s; the whole analysis {whole:.2f} s, {whole / yardstick:.2f} "
                f"times; two of ripgrep at once take {two / (2 * alone):.2f} of what they take one "
                "after the other\n"
            )
    return 0


def _least(measured: Callable[[], float]) -> float:
    return min(measured() for _ in range(_RUNS))


def _at_once(command: Command) -> float:
    """Return the seconds of the clock in which two copies of a command end."""
    begin = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        [*pool.map(run, (command, command))]
    return time.perf_counter() - begin


def _spent(path: Path, literals: Literals | None) -> float:
    """Return the seconds that it takes to read files, and to search them if literals are given."""
    begin = time.process_time()
    for file in (path,) if path.is_file() else sorted(path.rglob("*")):
        if file.is_file():
            for window in file_windows(file):
                if literals is not None:
                    literals.hits(window.data, window.body[0])
    return time.process_time() - begin


def file_windows(path: Path) -> Iterator[Window]:
    """Yield the windows of a file; to go from one to the next, its lines are counted."""
    with path.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size

        def read_at(offset: int, count: int) -> bytes:
            return os.pread(stream.fileno(), count, offset)

        for part in range(SIZES.part_at(max(0, size - 1)) + 1):
            yield from windows_of_part(read_at, size, part)


if __name__ == "__main__":
    sys.exit(main())
