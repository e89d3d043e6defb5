"""The verdict, from runs that have ended: a pure function, so that anyone can reach it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ascend_doctor.harness.scenarios import remedies
from ascend_doctor.harness.scenarios.criteria import Checked, check_all
from ascend_doctor.harness.scenarios.model import (
    Config,
    Criterion,
    Expected,
    Machine,
    Metrics,
    State,
    Support,
    Texts,
    Value,
    Verdict,
)
from ascend_doctor.harness.scenarios.trial import PROGRAM, Trial
from ascend_doctor.harness.scenarios.words import say


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A verdict, and the reason in both languages; None where it is VERIFIED."""

    verdict: Verdict
    reason: Texts | None = None


VERIFIED = Conclusion("VERIFIED")


def unsupported(support: Support) -> Conclusion | None:
    """Return the verdict on a device that cannot show a fault; None if it can."""
    return Conclusion("UNSUPPORTED", support.reason) if support.level == "unavailable" else None


def before_fix(
    expected: Expected, criteria: Sequence[Criterion], broken: Sequence[Trial]
) -> Conclusion | None:
    """Judge the broken runs: the fault must be there, and be found; None if both are so."""
    for trial in broken:
        missed = _missed(criteria, "broken", broken[0].metrics, trial)
        if missed is not None:
            return Conclusion("NOT_REPRODUCED", missed)
    for trial in broken:
        wrong = misdiagnosed(expected, trial)
        if wrong is not None:
            return Conclusion("MISDIAGNOSED", wrong)
    return None


def misdiagnosed(expected: Expected, trial: Trial) -> Texts | None:
    """Return what is wrong with the root cause that the analyser found; None if it is right."""
    if not trial.problems:
        return say("nothing_found", rule=expected.rule)
    found = trial.problems[0]
    if (found.rule, found.family) != (expected.rule, expected.family):
        return say("other_rule", rule=expected.rule, found=found.rule)
    if expected.is_located:
        name = (found.file or "").rpartition("/")[2]
        if (name, found.line) != (PROGRAM, trial.fault_line):
            place = f"{name}:{found.line}" if name else "-"
            return say("other_line", line=f"{PROGRAM}:{trial.fault_line}", found=place)
    if fix(trial) is None:
        return say("no_remedy", rule=found.rule)
    return None


def fix(trial: Trial) -> dict[str, Value] | None:
    """Return the configuration that the diagnosis of a run asks for; None if it asks for nothing.

    Only the root cause has a say, and only by its remedies.
    """
    if not trial.problems:
        return None
    root = trial.problems[0]
    return remedies.mended(trial.config, root.remedies, root.captures)


def after_change(
    criteria: Sequence[Criterion], broken: Metrics, changed: Sequence[Trial]
) -> Conclusion:
    """Judge runs of a changed program: what must hold holds, and nothing is found any more."""
    for trial in changed:
        if trial.metrics["failed"]:
            code = trial.exit.code
            said = say("overdue") if code is None else say("failed", code=code)
            return Conclusion("NOT_FIXED", said)
        missed = _missed(criteria, "fixed", broken, trial)
        if missed is not None:
            return Conclusion("NOT_FIXED", missed)
        if trial.problems:
            return Conclusion("NOT_FIXED", say("still_found", rule=trial.problems[0].rule))
    return VERIFIED


def checked(
    criteria: Sequence[Criterion], state: State, broken: Metrics, trial: Trial
) -> tuple[Checked, ...]:
    """Hold the criteria of a state against a run."""
    return check_all(criteria, state, broken, trial.metrics)


def changes(before: Config, after: Config) -> dict[str, tuple[Value, Value]]:
    """Return what differs between two configurations."""
    return {
        key: (before.get(key), after.get(key))
        for key in {**before, **after}
        if before.get(key) != after.get(key)
    }


def is_dishonest(support: Support, machine: Machine) -> bool:
    """True where evidence is called real, and no NPU of a known CANN made it."""
    is_npu = machine.kind == "npu" and machine.torch_npu is not None
    return support.level == "real" and not is_npu


def _missed(
    criteria: Sequence[Criterion], state: State, broken: Metrics, trial: Trial
) -> Texts | None:
    """Return the first thing that does not hold of a run, None if all does."""
    if trial.exit.is_overdue:
        return say("overdue")
    for item in checked(criteria, state, broken, trial):
        if not item.holds:
            return say("criterion", **_told(item))
    return None


def _told(item: Checked) -> Mapping[str, str]:
    value = "?" if item.value is None else f"{item.value:.4g}"
    one = item.criterion
    return {
        "metric": one.metric,
        "of": one.of,
        "op": one.op,
        "bound": f"{one.bound:g}",
        "value": value,
    }
