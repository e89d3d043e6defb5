"""What a scenario is: a fault that can be made, found, mended and tried again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ascend_doctor.records import Lang

Value = str | int | float | bool | None
Config = Mapping[str, Value]
# What a program measured; None is what it could not.
Metrics = Mapping[str, float | None]
Texts = Mapping[Lang, str]

# How near a run comes to the fault on an NPU: that fault on an NPU; the same fault of torch on
# another device; a stand-in for a part that is not there; not at all.
Level = Literal["real", "analogue", "emulated", "unavailable"]
Verdict = Literal["VERIFIED", "NOT_FIXED", "NOT_REPRODUCED", "MISDIAGNOSED", "UNSUPPORTED"]
State = Literal["broken", "fixed"]


@dataclass(frozen=True, slots=True)
class Machine:
    """Where programs run, and what is installed there; None is what is not known.

    ``device`` is what torch calls it, ``cpu``, ``cuda:0`` or ``npu:0``, ``hardware`` the chip.
    """

    device: str
    hardware: str | None = None
    torch: str | None = None
    torch_npu: str | None = None
    cann: str | None = None
    driver: str | None = None
    python: str | None = None

    @property
    def kind(self) -> str:
        """Return ``cpu``, ``cuda`` or ``npu``."""
        return self.device.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Support:
    """How a device can show a fault, and why not better."""

    level: Level
    reason: Texts | None = None


@dataclass(frozen=True, slots=True)
class Criterion:
    """What must hold of a metric in one state.

    ``of`` says of what: the value itself, its ratio to the broken run, or its distance from that.
    """

    state: State
    metric: str
    op: Literal["==", "<=", ">="]
    bound: float
    of: Literal["value", "ratio", "distance"] = "value"


@dataclass(frozen=True, slots=True)
class Expected:
    """The diagnosis that the broken run must get first.

    ``is_located`` asks for the line of the program that ends in ``# fault``; not all logs name
    one.
    """

    family: str
    rule: str
    is_located: bool = False


@dataclass(frozen=True, slots=True)
class Decoy:
    """A change that people try, and that must not count as a fix."""

    title: Texts
    changes: Config


@dataclass(frozen=True, slots=True)
class Scenario:
    """A fault, as data.

    Attributes:
        program: the file in ``harness/programs`` that is run; it reads its configuration from
            the file that is its first argument, and writes its metrics into the second.
        broken: the configuration with the fault.
        quick: what ``--quick`` changes in it.
        needs: settings that a remedy may compute; see ``remedies``.
        support: how a device can show it.
        is_timed: it measures time, so nothing may run beside it.
        timeout_s: after so many seconds a run is killed.
    """

    id: str
    title: Texts
    program: str
    expected: Expected
    broken: Config
    decoy: Decoy
    criteria: tuple[Criterion, ...]
    support: Callable[[Machine], Support]
    quick: Config = field(default_factory=dict)
    is_timed: bool = False
    timeout_s: float = 120.0
