"""Runs scenarios: the fault, its diagnosis, the fix that this asks for, and a decoy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.scenarios import evidence as stored
from ascend_doctor.harness.scenarios import judge, trial
from ascend_doctor.harness.scenarios.children import Children
from ascend_doctor.harness.scenarios.evidence import Evidence, folder_of
from ascend_doctor.harness.scenarios.judge import Conclusion
from ascend_doctor.harness.scenarios.model import Config, Machine, Scenario, Value
from ascend_doctor.harness.scenarios.privacy import Hidden
from ascend_doctor.harness.scenarios.trial import Task, Trial

# What a program reads beside the settings of its scenario.
SEED, DEVICE = "seed", "device"
# How many times longer a program may take where graphs are compiled for an NPU.
NPU_PATIENCE = 10

# Told of each step: the scenario, the role of the run, its repeat.
Told = Callable[[Scenario, str, int], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """How scenarios are run.

    Attributes:
        out: the folder that gets one folder a scenario.
        repeats: how often each state is run; every run must meet the criteria.
        at_once: how many scenarios may run beside each other, those that measure time never do.
    """

    out: Path
    machine: Machine
    hidden: Hidden
    environment: Mapping[str, str]
    seed: int = 0
    threads: int = 1
    repeats: int = 1
    is_quick: bool = False
    at_once: int = 1
    rules_digest: str = ""
    tell: Told = field(default=lambda scenario, role, repeat: None)


def run_all(
    scenarios: Sequence[Scenario], settings: Settings, children: Children
) -> Iterator[Evidence]:
    """Run scenarios, and yield the evidence of each when it is complete.

    Raises:
        HarnessError: one could not be run at all.
        Stopped: ``children`` was closed meanwhile.
    """
    alone = [item for item in scenarios if item.is_timed]
    others = [item for item in scenarios if not item.is_timed]
    with ThreadPoolExecutor(max(1, settings.at_once)) as pool:
        waiting: set[Future[Evidence]] = {
            pool.submit(run_one, item, settings, children) for item in others
        }
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        except BaseException:
            children.close()
            for future in waiting:
                future.cancel()
            raise
    for item in alone:
        yield run_one(item, settings, children)


def run_one(scenario: Scenario, settings: Settings, children: Children) -> Evidence:
    """Run a scenario, and write its evidence."""
    return _Run(scenario, settings, children).evidence()


class _Run:
    def __init__(self, scenario: Scenario, settings: Settings, children: Children) -> None:
        self._scenario = scenario
        self._settings = settings
        self._children = children
        self._folder = settings.out / scenario.id
        self._runs: dict[str, list[Trial]] = {}

    def evidence(self) -> Evidence:
        scenario, settings = self._scenario, self._settings
        support = scenario.support(settings.machine)
        if judge.is_dishonest(support, settings.machine):
            raise HarnessError(f"{scenario.id}: only an NPU can give real evidence")
        conclusion = judge.unsupported(support)
        decoy = None
        if conclusion is None:
            conclusion, decoy = self._conclusions()
        self._folder.mkdir(parents=True, exist_ok=True)
        found = Evidence(
            scenario=scenario,
            machine=settings.machine,
            support=support,
            conclusion=conclusion,
            runs=self._runs,
            decoy_conclusion=decoy,
            environment=trial.shown(settings.environment, settings.hidden),
            seed=settings.seed,
            threads=settings.threads,
            is_quick=settings.is_quick,
            rules_digest=settings.rules_digest,
        )
        stored.write(found, self._folder / stored.NAME)
        return found

    def _conclusions(self) -> tuple[Conclusion, Conclusion | None]:
        """Run all that is needed for a verdict, and not more."""
        scenario = self._scenario
        config: dict[str, Value] = {**scenario.broken}
        if self._settings.is_quick:
            config |= scenario.quick
        config |= {SEED: self._settings.seed, DEVICE: self._settings.machine.device}
        broken = self._run("broken", config)
        wrong = judge.before_fix(scenario.expected, scenario.criteria, broken)
        if wrong is not None:
            return wrong, None
        fixed = judge.fix(broken[0])
        assert fixed is not None  # or it would be misdiagnosed
        before = broken[0].metrics
        conclusion = judge.after_change(scenario.criteria, before, self._run("fixed", fixed))
        tried = self._run("decoy", {**config, **scenario.decoy.changes})
        return conclusion, judge.after_change(scenario.criteria, before, tried)

    def _run(self, role: str, config: Config) -> list[Trial]:
        done = self._runs.setdefault(role, [])
        for repeat in range(1, self._settings.repeats + 1):
            self._settings.tell(self._scenario, role, repeat)
            is_npu = self._settings.machine.kind == "npu"
            most_s = self._scenario.timeout_s * (NPU_PATIENCE if is_npu else 1)
            task = Task(self._scenario.program, config, most_s)
            folder = self._folder / folder_of(role, repeat)
            settings = self._settings
            done.append(
                trial.run(task, folder, settings.environment, self._children, settings.hidden)
            )
        return done
