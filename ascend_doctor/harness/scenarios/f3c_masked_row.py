"""F3c: a row of attention that sees nothing has a softmax of 0/0."""

from __future__ import annotations

from ascend_doctor.harness.scenarios import support
from ascend_doctor.harness.scenarios.model import Criterion, Decoy, Expected, Scenario

SCENARIO = Scenario(
    id="f3c-masked-row",
    title={
        "en": "A fully masked row of attention makes the loss nan",
        "zh": "注意力中有一行被完全 mask，loss 变为 nan",
    },
    program="masked_row.py",
    expected=Expected("numerics", "numerics-loss-not-finite"),
    broken={"empty_rows": "nan", "learning_rate": 0.1},
    decoy=Decoy(
        {"en": "a learning rate a thousand times lower", "zh": "学习率降为千分之一"},
        {"learning_rate": 1e-4},
    ),
    criteria=(
        Criterion("broken", "finite_steps", "==", 0),
        Criterion("fixed", "finite_steps", "==", 4),
    ),
    support=support.of_torch,
)
