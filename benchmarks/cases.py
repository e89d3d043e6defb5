"""The cases: what is run against what, how fast it has to be, and what it has to answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks import product, site_rules
from benchmarks.generate import Logs
from benchmarks.measure import Command, Run, Spread, interleaved, peak_memory
from benchmarks.planted import answers_of
from benchmarks.rows import Row, compared, ratio

_CLICK: Command = (sys.executable, "-c", "import click")
MEMORY_BAR_MIB = 150
# The same log sixteen times as long may take so much more memory.
_FLAT_BAR = 1.1
_TWO_BAR = 0.65
_JOB_BAR_S = 2
_ENGINE_BAR = 4
# Of profiles: seconds of a processor, and what share of msprof-analyze's may be taken.
_TRACE_BAR_S, _TABLES_BAR_S, _RANK_BAR_S = 10, 40, 4
_PROFILE_BAR_MIB = 300
_ADVISOR_BAR = 1 / 3
_PROCESSES = {1: "one process", 2: "two processes"}


@dataclass
class Bench:
    """One run of the benchmarks: where logs come from, and what was wrong with the answers.

    ``advisor`` is the command of msprof-analyze, None where there is none; ``product`` is what is
    measured.
    """

    logs: Callable[[str], Logs]
    scratch: Path
    repetitions: int
    advisor: str | None = None
    product: product.Product = field(default_factory=product.Product)
    wrong: list[str] = field(default_factory=list)

    def check(self, what: str, logs: Logs, runs: Sequence[Run]) -> None:
        """Compare what runs answered with what was planted, and with each other."""
        for output, exit_code in dict.fromkeys((done.output, done.exit_code) for done in runs):
            try:
                answers = answers_of(json.loads(output), exit_code)
            except ValueError:
                answers = {"exit_code": exit_code, "report": "is no JSON"}
            self.wrong += [
                f"{what}: {name} is {answers.get(name)}, not {expected}"
                for name, expected in logs.answers.items()
                if answers.get(name) != expected
            ]
        if len({done.output for done in runs}) > 1:
            self.wrong.append(f"{what}: runs over the same logs gave different reports")


@dataclass(frozen=True, slots=True)
class Case:
    """Something to measure; ``run`` yields its rows."""

    what: str
    run: Callable[[Bench], Iterator[Row]]
    needs_ripgrep: bool = False


def search(bench: Bench, logs: Logs) -> Command:
    """Return ripgrep's search for the literals of the product, in one thread."""
    patterns = bench.scratch / "literals"
    patterns.write_bytes(b"\n".join(product.literals()) + b"\n")
    path = logs.input
    command: Command = ("rg", "--no-config", "-a", "-c", "--no-unicode", "-F", "-j1", "--no-ignore")
    command += ("-z",) if path.suffix == ".gz" else ()
    return (*command, "-f", str(patterns), str(path))


def _scan(bench: Bench, *, name: str, bar: float, aim: float, in_two: bool = True) -> Iterator[Row]:
    """Measure a set against ripgrep, and two processes against one."""
    logs = bench.logs(name)
    commands = {"rg": search(bench, logs), "one": bench.product.analyze(logs.input)}
    if in_two:
        commands["two"] = bench.product.analyze(logs.input, jobs=2)
    runs = interleaved(commands, bench.repetitions)
    if any(done.exit_code > 1 for done in runs["rg"]):
        bench.wrong.append(f"{name}: rg failed, so there is nothing to compare with")
    bench.check(name, logs, [*runs["one"], *runs.get("two", ())])
    yield ratio(f"{name}, one process", "rg", runs["one"], runs["rg"], bar=bar, aim=aim)
    if "two" in runs:
        yield ratio(f"{name}, two processes", "one process", runs["two"], runs["one"], bar=_TWO_BAR)


def _job(bench: Bench) -> Iterator[Row]:
    """Measure the processor time of the plogs of a job."""
    logs = bench.logs("job")
    runs = interleaved({"one": bench.product.analyze(logs.input)}, bench.repetitions)["one"]
    bench.check("job", logs, runs)
    spread = Spread.of([done.cpu_s for done in runs])
    yield Row("job, one process, CPU", "", spread, "s", bar=_JOB_BAR_S)


def _profile(bench: Bench, *, name: str, bar: float) -> Iterator[Row]:
    """Measure processor time and memory of profiles, beside msprof-analyze's advisor."""
    logs = bench.logs(name)
    commands = {"one": bench.product.analyze(logs.path)}
    if bench.advisor is not None:
        # Of one profile it takes the folder itself, of several the one that they are in.
        folders = [*logs.path.iterdir()]
        folder = folders[0] if len(folders) == 1 else logs.path
        told = ("-d", str(folder), "-o", str(bench.scratch / "advisor"), "-l", "en", "--force")
        commands["advisor"] = (bench.advisor, "advisor", "all", *told)
    peaks: dict[str, list[float]] = {who: [] for who in commands}
    runs: dict[str, list[Run]] = {who: [] for who in commands}
    for _ in range(bench.repetitions):
        for who, command in commands.items():
            peak, done = peak_memory(command)
            peaks[who].append(peak)
            runs[who].append(done)
    bench.check(name, logs, runs["one"])
    cpu = {who: [done.cpu_s for done in every] for who, every in runs.items()}
    yield Row(f"{name}, one process, CPU", "", Spread.of(cpu["one"]), "s", bar=bar)
    memory = Spread.of(peaks["one"])
    yield Row(f"memory of {name}, one process", "", memory, "MiB", bar=_PROFILE_BAR_MIB)
    if bench.advisor is None:
        return
    if any(done.exit_code for done in runs["advisor"]):
        bench.wrong.append(f"{name}: msprof-analyze failed, so there is nothing to compare with")
        return
    for label, of in (
        (f"{name}, one process, CPU", cpu),
        (f"memory of {name}, one process", peaks),
    ):
        yield compared(label, "msprof-analyze", of["one"], of["advisor"], bar=_ADVISOR_BAR)


def _rules(bench: Bench) -> Iterator[Row]:
    """Measure what many more rules cost."""
    logs = bench.logs("plog")
    rules = site_rules.write_rules(bench.scratch / "rules")
    commands = {
        "without": bench.product.analyze(logs.input),
        "with": bench.product.analyze(logs.input, rules=rules),
    }
    runs = interleaved(commands, bench.repetitions)
    for name, done in runs.items():
        bench.check(f"plog {name} further rules", logs, done)
    label = f"plog, {site_rules.COUNT} further rules"
    yield ratio(label, "without them", runs["with"], runs["without"], bar=1.3)


def _engine(bench: Bench) -> Iterator[Row]:
    """Measure the standard library's engine against hyperscan's, which answers the same."""
    for name in ("quarter", "storm", "stdout"):
        logs = bench.logs(name)
        analyze = bench.product.analyze(logs.input)
        commands = {engine: product.by(engine, analyze) for engine in ("hyperscan", "stdlib")}
        runs = interleaved(commands, bench.repetitions)
        bench.check(f"{name} by both engines", logs, [*runs["hyperscan"], *runs["stdlib"]])
        label = f"{name}, standard library"
        yield ratio(label, "hyperscan", runs["stdlib"], runs["hyperscan"], bar=_ENGINE_BAR)


def _start(bench: Bench) -> Iterator[Row]:
    """Measure how long it takes to say anything at all."""
    logs = bench.logs("small")
    commands = {
        "click": _CLICK,
        "help": (*bench.product.program, "--help"),
        "small": bench.product.analyze(logs.input),
    }
    runs = interleaved(commands, bench.repetitions)
    bench.check("small", logs, runs["small"])
    yield ratio("--help", "import click", runs["help"], runs["click"], bar=3)
    yield ratio("a log of 250 KB", "import click", runs["small"], runs["click"], bar=6)


def _memory(bench: Bench) -> Iterator[Row]:
    """Measure the most memory of all processes together, for all sets and for a longer log."""
    sets = ("quarter", "plog", "fourfold", "ranks", "storm", "stdout", "gzip", "job")
    for jobs in (1, 2):
        peaks: dict[str, float] = {}
        for name in sets:
            logs = bench.logs(name)
            peaks[name], done = peak_memory(bench.product.analyze(logs.input, jobs=jobs))
            bench.check(f"{name}, {_PROCESSES[jobs]}", logs, (done,))
            label = f"memory of {name}, {_PROCESSES[jobs]}"
            yield Row(label, "", Spread.of([peaks[name]]), "MiB", bar=MEMORY_BAR_MIB)
        growth = Spread.of([peaks["fourfold"] / peaks["quarter"]])
        label = f"memory of fourfold, {_PROCESSES[jobs]}"
        yield Row(label, "memory of quarter", growth, "", bar=_FLAT_BAR)


def _scan_case(what: str, **figures: object) -> Case:
    return Case(what, partial(_scan, **figures), needs_ripgrep=True)  # type: ignore[arg-type]


CASES: dict[str, Case] = {
    "plog": _scan_case("a plog of 1 GiB, nearly all INFO", name="plog", bar=1.2, aim=1.0),
    "ranks": _scan_case("2,000 plogs of 64 ranks", name="ranks", bar=1.4, aim=1.0),
    "storm": _scan_case("256 MiB, most of it errors", name="storm", bar=8, aim=5),
    "stdout": _scan_case("256 MiB of training output", name="stdout", bar=1.6, aim=1.2),
    "gzip": _scan_case("256 MiB of plog, packed", name="gzip", bar=0.8, aim=0.6, in_two=False),
    "job": Case("201 MiB of rotated plogs of 8 ranks", _job),
    "trace": Case("a trace of 100 MB", partial(_profile, name="trace", bar=_TRACE_BAR_S)),
    "profiles": Case("tables of 64 ranks", partial(_profile, name="profiles", bar=_TABLES_BAR_S)),
    "profile": Case("tables of one rank", partial(_profile, name="profile", bar=_RANK_BAR_S)),
    "rules": Case("plog, with 500 rules of a site", _rules),
    "engine": Case("the standard library in place of hyperscan", _engine),
    "start": Case("start-up", _start),
    "memory": Case("memory of all processes", _memory),
}
