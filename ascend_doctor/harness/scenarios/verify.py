"""Evidence tried again, without a device: files, diagnoses, criteria, fix and verdict."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ascend_doctor.api import analyze
from ascend_doctor.errors import HarnessError
from ascend_doctor.harness import scenarios
from ascend_doctor.harness.scenarios import evidence as stored
from ascend_doctor.harness.scenarios import judge, trial
from ascend_doctor.harness.scenarios.children import Exit
from ascend_doctor.harness.scenarios.judge import Conclusion
from ascend_doctor.harness.scenarios.model import Machine, Scenario, Support, Value
from ascend_doctor.harness.scenarios.trial import Found, Trial
from ascend_doctor.reporters.json import as_dict
from ascend_doctor.version import __version__

# Evidence comes from others; logs of our programs have some KiB.
_MAX_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong with evidence, nothing if it holds; and what it says."""

    told: Mapping[str, Any]
    wrong: tuple[str, ...]


def verify(path: Path) -> Checked:
    """Try evidence again with the files that lie beside it.

    Raises:
        HarnessError: it cannot be read, is none, or is about a scenario that is not known.
    """
    told = stored.read(path)
    try:
        scenario = scenarios.scenario(told["scenario"]["id"])
        return Checked(told, tuple(_Verification(told, scenario, path.parent).wrong()))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as err:
        raise HarnessError(f"{path}: no evidence as its schema says: {err!r}") from err


class _Verification:
    def __init__(self, told: Mapping[str, Any], scenario: Scenario, folder: Path) -> None:
        self._told = told
        self._scenario = scenario
        self._folder = folder
        self._runs: dict[str, list[Trial]] = {}

    def wrong(self) -> Iterator[str]:
        told, scenario = self._told, self._scenario
        if stored.criteria_of(told) != scenario.criteria:
            yield "the criteria are not those of this scenario"
        if stored.expected_of(told) != scenario.expected:
            yield "the diagnosis that is expected is not that of this scenario"
        support = Support(told["support"]["level"], told["support"]["reason"])
        machine = Machine(**told["machine"])
        if judge.is_dishonest(support, machine) or (
            told["is_npu_evidence"] != (support.level == "real")
        ):
            yield f"a {machine.device} cannot give evidence of an NPU"
        if scenario.support(machine).level != support.level:
            yield f"support on {machine.device} is not {support.level}"
        for run in told["runs"]:
            yield from self._run(run)
        yield from self._configs()
        yield from self._conclusions(support)

    def _run(self, run: Mapping[str, Any]) -> Iterator[str]:
        """Try the files of a run, and remember it as they tell it."""
        role, repeat = run["role"], int(run["repeat"])
        if role not in stored.ROLES:
            raise ValueError(role)
        name = stored.folder_of(role, repeat)
        folder = self._folder / name
        digests = trial.digests(folder)
        for file in sorted({*digests, *run["artefacts"]}):
            if digests.get(file) != run["artefacts"].get(file):
                yield f"{name}/{file} is not the file that was judged"
        program = folder / trial.PROGRAM
        if not program.is_file() or not (folder / trial.LOG).is_file():
            yield f"{name}: its files are missing"
            return
        if any((folder / file).stat().st_size > _MAX_BYTES for file in digests):
            yield f"{name}: its files are larger than a program of ours writes"
            return
        ours = trial.PROGRAMS / self._scenario.program
        is_same_version = self._told["tool"]["version"] == __version__
        if is_same_version and digests[trial.PROGRAM] != trial.digest(ours):
            yield f"{name}/{trial.PROGRAM} is not the program of this scenario"
        again = self._again(run, folder)
        self._runs.setdefault(role, []).append(again)
        if dict(again.metrics) != run["metrics"]:
            yield f"{name}: the metrics are not those that the program wrote"
        said = stored.trial_of(run, again.config, again.fault_line).found
        if [*map(_comparable, again.found)] != [*map(_comparable, said)]:
            found = ", ".join(item.rule for item in again.found) or "nothing"
            yield f"{name}: its log is diagnosed otherwise now: {found}"

    def _again(self, run: Mapping[str, Any], folder: Path) -> Trial:
        code = run["exit_code"]
        ended = Exit(None if run["overdue"] else int(code))
        metrics = {
            key: stored.finite(value) for key, value in trial.metrics_of(folder, ended).items()
        }
        return Trial(
            config=_config(folder),
            exit=ended,
            metrics=metrics,
            found=trial.found_in(as_dict(analyze(folder / trial.LOG))),
            artefacts=run["artefacts"],
            fault_line=trial.fault_line(folder / trial.PROGRAM),
        )

    def _configs(self) -> Iterator[str]:
        """Try whether each configuration follows from what it should follow from."""
        told = self._told["config"]
        for role, runs in self._runs.items():
            if any(dict(item.config) != told.get(role) for item in runs):
                yield f"{role}: the configuration is not the one that was run"
        broken = self._runs.get("broken")
        if not broken:
            return
        start = {**self._scenario.broken, **(self._scenario.quick if self._told["quick"] else {})}
        start |= {"seed": self._told["seed"], "device": self._told["machine"]["device"]}
        if dict(broken[0].config) != start:
            yield "broken: the configuration is not that of this scenario"
        wanted = {
            "fixed": judge.fix(broken[0]),
            "decoy": {**start, **self._scenario.decoy.changes},
        }
        for role, config in wanted.items():
            if any(dict(item.config) != config for item in self._runs.get(role, ())):
                yield f"{role}: the configuration does not follow from the diagnosis or the decoy"

    def _conclusions(self, support: Support) -> Iterator[str]:
        conclusion, decoy = self._concluded(support)
        if conclusion.verdict != self._told["verdict"]:
            yield f"the verdict is {conclusion.verdict}, not {self._told['verdict']}"
        verdict = decoy and decoy.verdict
        if verdict != self._told["decoy"]["verdict"]:
            yield f"the verdict of the decoy is {verdict}, not {self._told['decoy']['verdict']}"
        before = self._runs["broken"][0].metrics if self._runs.get("broken") else {}
        for run in self._told["runs"]:
            trials = self._runs.get(run["role"], [])
            if len(trials) < run["repeat"]:
                continue
            state = "broken" if run["role"] == "broken" else "fixed"
            checked = judge.checked(
                self._scenario.criteria,
                state,  # type: ignore[arg-type]
                before,
                trials[run["repeat"] - 1],
            )
            holds = [(item.value, item.holds) for item in checked]
            if holds != [(item["value"], item["holds"]) for item in run["criteria"]]:
                yield f"{run['folder']}: a criterion does not hold as it is said to"

    def _concluded(self, support: Support) -> tuple[Conclusion, Conclusion | None]:
        conclusion = judge.unsupported(support)
        if conclusion is not None:
            return conclusion, None
        scenario, runs = self._scenario, self._runs
        if not runs.get("broken"):
            return Conclusion("NOT_REPRODUCED"), None
        conclusion = judge.before_fix(scenario.expected, scenario.criteria, runs["broken"])
        if conclusion is not None:
            return conclusion, None
        before = runs["broken"][0].metrics
        fixed, decoy = (
            judge.after_change(scenario.criteria, before, runs[role])
            if runs.get(role)
            else Conclusion("NOT_FIXED")
            for role in ("fixed", "decoy")
        )
        return fixed, decoy


def _config(folder: Path) -> dict[str, Value]:
    try:
        config = json.loads((folder / trial.CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return config if isinstance(config, dict) else {}


def _comparable(found: Found) -> dict[str, Any]:
    return {**asdict(found), "captures": dict(found.captures)}
