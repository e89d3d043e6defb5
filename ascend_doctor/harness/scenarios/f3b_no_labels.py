"""F3b: a micro-batch without any label is divided by its zero tokens."""

from __future__ import annotations

from ascend_doctor.harness.scenarios import support
from ascend_doctor.harness.scenarios.model import Criterion, Decoy, Expected, Scenario

SCENARIO = Scenario(
    id="f3b-no-labels",
    title={
        "en": "A micro-batch without a label makes the loss nan",
        "zh": "某个 micro-batch 没有有效标签，loss 变为 nan",
    },
    program="accumulation.py",
    expected=Expected("numerics", "numerics-loss-not-finite"),
    broken={"normalise": "micro-batch", "unlabelled": True, "learning_rate": 0.1},
    decoy=Decoy(
        {"en": "a learning rate a thousand times lower", "zh": "学习率降为千分之一"},
        {"learning_rate": 1e-4},
    ),
    criteria=(
        Criterion("broken", "finite_steps", "==", 0),
        Criterion("fixed", "finite_steps", "==", 4),
        Criterion("fixed", "gradient_error", "<=", 1e-5),
    ),
    support=support.of_torch,
)
