"""Whether numbers are what they must be; what is not known never is.

>>> halved = Criterion("fixed", "graphs", "<=", 0.5, of="ratio")
>>> check(halved, {"graphs": 8.0}, {"graphs": 2.0})
Checked(criterion=Criterion(state='fixed', metric='graphs', op='<=', bound=0.5, of='ratio'), \
value=0.25, holds=True)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass

from ascend_doctor.harness.scenarios.model import Criterion, Metrics, State

_OPERATORS = {"==": operator.eq, "<=": operator.le, ">=": operator.ge}


@dataclass(frozen=True, slots=True)
class Checked:
    """A criterion, the number that it was held against (None: not known), and the answer."""

    criterion: Criterion
    value: float | None
    holds: bool


def check(criterion: Criterion, broken: Metrics, own: Metrics) -> Checked:
    """Hold a criterion against what a run measured, beside what the broken one did."""
    value = _value(criterion, broken, own)
    holds = value is not None and _OPERATORS[criterion.op](value, criterion.bound)
    return Checked(criterion, value, holds)


def check_all(
    criteria: Iterable[Criterion], state: State, broken: Metrics, own: Metrics
) -> tuple[Checked, ...]:
    """Hold the criteria of one state against what a run measured."""
    return tuple(check(item, broken, own) for item in criteria if item.state == state)


def _value(criterion: Criterion, broken: Metrics, own: Metrics) -> float | None:
    value = _finite(own.get(criterion.metric))
    if criterion.of == "value" or value is None:
        return value
    before = _finite(broken.get(criterion.metric))
    if before is None:
        return None
    if criterion.of == "distance":
        return abs(value - before)
    return value / before if before else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
