"""F3: each length is compiled anew until Dynamo gives up and runs eagerly."""

from __future__ import annotations

from ascend_doctor.harness.scenarios import support
from ascend_doctor.harness.scenarios.model import Criterion, Decoy, Expected, Scenario

SCENARIO = Scenario(
    id="f3-recompiles",
    title={
        "en": "A length read as a Python number is compiled anew until Dynamo falls back to eager",
        "zh": "长度以 Python 数值参与编译，反复重编译直至 Dynamo 退回 eager",
    },
    program="recompiles.py",
    expected=Expected("static_fallback", "static-fallback-recompile-limit", is_located=True),
    broken={"slice": "inside", "mark": None, "recompile_limit": 8},
    decoy=Decoy(
        {"en": "a higher recompile_limit", "zh": "调大 recompile_limit"},
        {"recompile_limit": 64},
    ),
    criteria=(
        Criterion("broken", "eager_steps", ">=", 1),
        Criterion("broken", "graphs", ">=", 8),
        Criterion("fixed", "graphs", "<=", 2),
        Criterion("fixed", "eager_steps", "==", 0),
        Criterion("fixed", "loss", "<=", 1e-5, of="distance"),
    ),
    support=support.of_torch,
)
