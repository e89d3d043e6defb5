"""One run of a program, and what the analyser says of what it printed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.scenarios.children import Children, Exit
from ascend_doctor.harness.scenarios.model import Config, Metrics, Value
from ascend_doctor.harness.scenarios.privacy import Hidden

PACKAGE = Path(__file__).parents[3]
PROGRAMS = Path(__file__).parents[1] / "programs"
# The files of a run; what is kept of it as proof.
PROGRAM, CONFIG, LOG, METRICS = "program.py", "config.json", "log.txt", "metrics.json"
REPORT, PAGE = "report.json", "report.html"
KEPT = (PROGRAM, CONFIG, LOG, METRICS)
# Variables that decide how a program runs, and that evidence may show.
ALLOWED = (
    "ASCEND_LAUNCH_BLOCKING",
    "ASCEND_RT_VISIBLE_DEVICES",
    "CUDA_VISIBLE_DEVICES",
    "LD_LIBRARY_PATH",
    "MALLOC_ARENA_MAX",
    "MALLOC_MMAP_THRESHOLD_",
    "OMP_NUM_THREADS",
    "OMP_WAIT_POLICY",
    "PYTORCH_NPU_ALLOC_CONF",
    "TASK_QUEUE_ENABLE",
    "TORCHINDUCTOR_CACHE_DIR",
    "TORCH_DEVICE_BACKEND_AUTOLOAD",
    "TORCH_LOGS",
)
_ANALYZE_S = 120.0
# A program writes some dozen numbers.
_MAX_METRICS_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Found:
    """A diagnosis, as the analyser's JSON gives it; ``line`` is that of the code, if known."""

    rule: str
    family: str
    severity: str
    file: str | None
    line: int | None
    log_line: int
    excerpt: str
    remedies: tuple[tuple[str, Mapping[str, str]], ...] = ()
    captures: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_problem(self) -> bool:
        """True from warnings on."""
        return self.severity != "info"


@dataclass(frozen=True, slots=True)
class Trial:
    """A run that has ended, and what was found in its log."""

    config: Config
    exit: Exit
    metrics: Metrics
    found: tuple[Found, ...]
    artefacts: Mapping[str, str]
    fault_line: int | None = None

    @property
    def problems(self) -> tuple[Found, ...]:
        """What the analyser calls a problem, the root cause first."""
        return tuple(item for item in self.found if item.is_problem)


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be run: a program of ours, its settings, and for how long at most."""

    program: str
    config: Config
    timeout_s: float


def run(
    task: Task, folder: Path, environment: Mapping[str, str], children: Children, hidden: Hidden
) -> Trial:
    """Run a program in ``folder``, and have its log analysed there, both in processes of their own.

    Raises:
        HarnessError: the analyser could not do its work, or the folder cannot be written.
        Stopped: the children were closed meanwhile.
    """
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    shutil.copyfile(PROGRAMS / task.program, folder / PROGRAM)
    _write(folder / CONFIG, task.config)
    ended = children.run(
        [sys.executable, PROGRAM, CONFIG, METRICS],
        log=folder / LOG,
        folder=folder,
        environment=environment,
        timeout_s=task.timeout_s,
    )
    hidden.file(folder / LOG)
    report = _analyze(folder, environment, children)
    _tidy(folder)
    return Trial(
        config=task.config,
        exit=ended,
        metrics=metrics_of(folder, ended),
        found=found_in(report),
        artefacts=digests(folder),
        fault_line=fault_line(folder / PROGRAM),
    )


def _tidy(folder: Path) -> None:
    """Remove what is no proof: caches and stand-ins, which also tell where they were made."""
    for path in folder.iterdir():
        if path.name in (*KEPT, REPORT, PAGE):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _analyze(folder: Path, environment: Mapping[str, str], children: Children) -> Any:
    log = folder / "analyze.txt"
    command = [
        sys.executable,
        "-m",
        "ascend_doctor",
        "analyze",
        LOG,
        "--no-progress",
        "--jobs",
        "1",
    ]
    command += ["--fail-on", "never", "-f", f"json={REPORT}", "-f", f"html={PAGE}"]
    # What a site has set for its own reports must not decide here.
    own = {k: v for k, v in environment.items() if not k.startswith("ASCEND_DOCTOR_")}
    ended = children.run(command, log=log, folder=folder, environment=own, timeout_s=_ANALYZE_S)
    # A log without a line is a program that said nothing: exit code 3.
    if ended.code not in (0, 3) or not (folder / REPORT).is_file():
        said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        raise HarnessError(
            f"{folder / LOG} could not be analysed: {said[-1] if said else ended.code}"
        )
    log.unlink()
    return json.loads((folder / REPORT).read_text(encoding="utf-8"))


def found_in(report: Mapping[str, Any]) -> tuple[Found, ...]:
    """Return the diagnoses of a report, as ``analyze -f json`` writes it."""
    return tuple(_found(item) for item in report["diagnoses"])


def _found(item: Mapping[str, Any]) -> Found:
    place = item["code_location"] or {}
    proof = item["evidence"][0]
    return Found(
        rule=item["rule"],
        family=item["family"],
        severity=item["severity"],
        file=place.get("file"),
        line=place.get("line"),
        log_line=proof["line"],
        excerpt=proof["text"][:300],
        remedies=tuple((remedy["id"], remedy["params"]) for remedy in item["remedies"]),
        captures=item["captures"],
    )


def fault_line(program: Path) -> int | None:
    """Return the number of the line that is the fault, None if none is marked."""
    lines = program.read_text(encoding="utf-8").splitlines()
    marked = (number for number, line in enumerate(lines, 1) if line.endswith("# fault"))
    return next(marked, None)


def metrics_of(folder: Path, ended: Exit) -> dict[str, float | None]:
    """Return what a program measured, and whether it ``failed``."""
    return {**read_metrics(folder / METRICS), "failed": float(ended.code != 0)}


def read_metrics(path: Path) -> dict[str, float | None]:
    """Return what a program measured: nothing if it did not get so far, or wrote something else."""
    try:
        with path.open("rb") as file:
            given = json.loads(file.read(_MAX_METRICS_BYTES))
    except (OSError, ValueError):
        return {}
    if not isinstance(given, dict):
        return {}
    return {name: _finite(value) for name, value in given.items()}


def _finite(value: object) -> float | None:
    """Return a measured number as one that can be compared; evidence may come from anybody."""
    try:
        return float(value) if isinstance(value, int | float) else None
    except OverflowError:
        return None


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a run that is kept as proof."""
    return {name: digest(folder / name) for name in KEPT if (folder / name).is_file()}


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, however large."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()


def environment(threads: int) -> dict[str, str]:
    """Return the environment of the programs: ours, and what makes runs alike."""
    given = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "PASSIVE"}
    given |= {"PYTHONUNBUFFERED": "1", "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
    given |= {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "65536"}
    known = [str(PACKAGE), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    given["PYTHONPATH"] = os.pathsep.join(known)
    return given


def shown(environment: Mapping[str, str], hidden: Hidden) -> dict[str, str]:
    """Return what evidence says of an environment."""
    return {name: hidden.text(environment[name]) for name in ALLOWED if name in environment}


def _write(path: Path, config: Mapping[str, Value]) -> None:
    path.write_text(json.dumps(dict(config), indent=1, sort_keys=True) + "\n", encoding="utf-8")
