"""Batching: documents of all lengths are padded to the longest that is allowed."""

from __future__ import annotations

from ascend_doctor.harness.scenarios import support
from ascend_doctor.harness.scenarios.model import Criterion, Decoy, Expected, Scenario

SCENARIO = Scenario(
    id="padding",
    title={
        "en": "Batches are padded to the maximum, and most of the work is padding",
        "zh": "batch 一律填充到最大长度，大部分计算花在填充上",
    },
    program="padding.py",
    expected=Expected("dataload", "dataload-padding"),
    broken={"batching": "padded"},
    decoy=Decoy(
        {"en": "padding to the longest of each batch", "zh": "只填充到各 batch 内的最大长度"},
        {"batching": "batch-max"},
    ),
    criteria=(
        Criterion("broken", "effective", "<=", 0.45),
        Criterion("fixed", "grouped", ">=", 0.90),
        Criterion("fixed", "effective", ">=", 0.99),
        Criterion("fixed", "gradient_error", "<=", 1e-5),
    ),
    support=support.of_torch,
)
