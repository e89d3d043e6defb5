"""F3e: each micro-batch is divided by its own tokens, and the means are averaged."""

from __future__ import annotations

from ascend_doctor.harness.scenarios import support
from ascend_doctor.harness.scenarios.model import Criterion, Decoy, Expected, Scenario

SCENARIO = Scenario(
    id="f3e-micro-batch-weights",
    title={
        "en": "A mean of means: short micro-batches weigh as much as long ones",
        "zh": "对平均值求平均：短 micro-batch 与长 micro-batch 权重相同",
    },
    program="accumulation.py",
    expected=Expected("numerics", "numerics-gate-token-weights"),
    broken={"normalise": "micro-batch", "unlabelled": False, "learning_rate": 0.1},
    decoy=Decoy(
        {"en": "a learning rate ten times lower", "zh": "学习率降为十分之一"},
        {"learning_rate": 0.01},
    ),
    criteria=(
        Criterion("broken", "gradient_error", ">=", 0.01),
        Criterion("fixed", "gradient_error", "<=", 1e-5),
    ),
    support=support.of_torch,
)
