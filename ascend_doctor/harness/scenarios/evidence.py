"""Evidence: all that a verdict rests on, as JSON. ``docs/schema/evidence-1.json`` describes it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.scenarios import judge
from ascend_doctor.harness.scenarios.children import Exit
from ascend_doctor.harness.scenarios.judge import Conclusion
from ascend_doctor.harness.scenarios.model import (
    Criterion,
    Expected,
    Machine,
    Scenario,
    State,
    Support,
    Value,
)
from ascend_doctor.harness.scenarios.trial import Found, Trial
from ascend_doctor.records import LANGS
from ascend_doctor.reporters.safe import json_escaped
from ascend_doctor.version import __version__

SCHEMA_VERSION = "1.0"
NAME = "evidence.json"
ROLES = ("broken", "fixed", "decoy")
# A scenario has a few runs of some KiB each.
_MAX_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was run, what came out, and what was concluded.

    ``runs`` are in the order of their repeats; ``decoy_conclusion`` is None where no decoy was run.
    """

    scenario: Scenario
    machine: Machine
    support: Support
    conclusion: Conclusion
    runs: Mapping[str, Sequence[Trial]]
    decoy_conclusion: Conclusion | None
    environment: Mapping[str, str]
    seed: int
    threads: int
    is_quick: bool
    rules_digest: str = ""
    version: str = __version__

    @property
    def is_proof(self) -> bool:
        """True if the fix is verified and the decoy is not."""
        decoy = self.decoy_conclusion
        return self.conclusion.verdict == "VERIFIED" and (
            decoy is not None and decoy.verdict == "NOT_FIXED"
        )


def folder_of(role: str, repeat: int) -> str:
    """Return the name of the folder of a run: ``broken``, and ``broken-2`` for its repeat."""
    return role if repeat == 1 else f"{role}-{repeat}"


def write(evidence: Evidence, path: Path) -> None:
    """Write evidence as JSON."""
    told = json.dumps(as_dict(evidence), ensure_ascii=False, indent=1, allow_nan=False)
    path.write_text(json_escaped(told) + "\n", encoding="utf-8")


def as_dict(evidence: Evidence) -> dict[str, Any]:
    """Return evidence as plain data in the order of the schema."""
    scenario = evidence.scenario
    runs = evidence.runs
    configs = {role: dict(runs[role][0].config) for role in ROLES if runs.get(role)}
    broken = configs.get("broken", {})
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {
            "name": "ascend-doctor",
            "version": evidence.version,
            "rules_digest": evidence.rules_digest,
        },
        "scenario": {"id": scenario.id, "title": _texts(scenario.title)},
        "verdict": evidence.conclusion.verdict,
        "reason": _texts(evidence.conclusion.reason),
        "support": {"level": evidence.support.level, "reason": _texts(evidence.support.reason)},
        "is_npu_evidence": evidence.support.level == "real",
        "machine": asdict(evidence.machine),
        "threads": evidence.threads,
        "environment": dict(evidence.environment),
        "seed": evidence.seed,
        "quick": evidence.is_quick,
        "expected": asdict(scenario.expected),
        "criteria": [asdict(criterion) for criterion in scenario.criteria],
        "config": {
            **configs,
            "changed": {
                role: {key: list(pair) for key, pair in judge.changes(broken, config).items()}
                for role, config in configs.items()
                if role != "broken"
            },
        },
        "decoy": {
            "title": _texts(scenario.decoy.title),
            "verdict": evidence.decoy_conclusion and evidence.decoy_conclusion.verdict,
            "reason": evidence.decoy_conclusion and _texts(evidence.decoy_conclusion.reason),
        },
        "runs": [
            _run(evidence, role, repeat, trial)
            for role in ROLES
            for repeat, trial in enumerate(runs.get(role, ()), 1)
        ],
    }


def _run(evidence: Evidence, role: str, repeat: int, trial: Trial) -> dict[str, Any]:
    state: State = "broken" if role == "broken" else "fixed"
    before = evidence.runs["broken"][0].metrics
    checked = judge.checked(evidence.scenario.criteria, state, before, trial)
    return {
        "role": role,
        "repeat": repeat,
        "folder": folder_of(role, repeat),
        "exit_code": trial.exit.code,
        "overdue": trial.exit.is_overdue,
        "metrics": {name: finite(value) for name, value in trial.metrics.items()},
        "criteria": [
            {
                "metric": item.criterion.metric,
                "of": item.criterion.of,
                "op": item.criterion.op,
                "bound": item.criterion.bound,
                "value": item.value,
                "holds": item.holds,
            }
            for item in checked
        ],
        "diagnoses": [
            {
                "rule": found.rule,
                "family": found.family,
                "severity": found.severity,
                "file": found.file,
                "line": found.line,
                "log_line": found.log_line,
                "excerpt": found.excerpt,
                "remedies": [{"id": name, "params": dict(given)} for name, given in found.remedies],
                "captures": dict(found.captures),
            }
            for found in trial.found
        ],
        "artefacts": dict(trial.artefacts),
    }


def read(path: Path) -> dict[str, Any]:
    """Return stored evidence as plain data that has the fields of the schema.

    Raises:
        HarnessError: it cannot be read, or is none.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise HarnessError(f"{path}: larger than evidence ever is")
        told = json.loads(data)
    except OSError as err:
        raise HarnessError(f"{path}: cannot be read: {err.strerror}") from err
    except (ValueError, RecursionError) as err:
        raise HarnessError(f"{path}: not JSON: {err}") from err
    if not isinstance(told, dict) or not isinstance(told.get("schema_version"), str):
        raise HarnessError(f"{path}: no evidence of a harness: it has no schema_version")
    if told["schema_version"].partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
        raise HarnessError(
            f"{path}: has schema {told['schema_version']}; this version reads {SCHEMA_VERSION}"
        )
    return told


def trial_of(run: Mapping[str, Any], config: Mapping[str, Value], fault: int | None) -> Trial:
    """Return a stored run as it was judged."""
    return Trial(
        config=config,
        exit=Exit(run["exit_code"]),
        metrics=run["metrics"],
        found=tuple(
            Found(
                rule=item["rule"],
                family=item["family"],
                severity=item["severity"],
                file=item["file"],
                line=item["line"],
                log_line=item["log_line"],
                excerpt=item["excerpt"],
                remedies=tuple((r["id"], r["params"]) for r in item["remedies"]),
                captures=item["captures"],
            )
            for item in run["diagnoses"]
        ),
        artefacts=run["artefacts"],
        fault_line=fault,
    )


def criteria_of(told: Mapping[str, Any]) -> tuple[Criterion, ...]:
    """Return the criteria of stored evidence."""
    return tuple(Criterion(**item) for item in told["criteria"])


def expected_of(told: Mapping[str, Any]) -> Expected:
    """Return the diagnosis that stored evidence was to have."""
    return Expected(**told["expected"])


def _texts(texts: Mapping[Any, str] | None) -> dict[str, str] | None:
    return None if texts is None else {lang: texts[lang] for lang in LANGS}


def finite(value: float | None) -> float | None:
    """Return a number that JSON can hold, None for what is none."""
    return value if value is not None and math.isfinite(value) else None
