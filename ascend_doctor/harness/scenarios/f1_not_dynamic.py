"""F1: a length is promised to be dynamic, and the code fixes it."""

from __future__ import annotations

from ascend_doctor.harness.scenarios import support
from ascend_doctor.harness.scenarios.model import Criterion, Decoy, Expected, Scenario

SCENARIO = Scenario(
    id="f1-not-dynamic",
    title={
        "en": "A length marked dynamic is fixed by a table kept for each length",
        "zh": "序列长度已标记为动态，却被“每种长度一张表”的缓存固化",
    },
    program="not_dynamic.py",
    expected=Expected(
        "static_fallback", "static-fallback-dynamic-dim-specialised", is_located=True
    ),
    broken={"length_table": "kept", "mark": "mark_dynamic"},
    decoy=Decoy(
        {
            "en": "maybe_mark_dynamic in place of mark_dynamic, as the message advises",
            "zh": "按报错提示改用 maybe_mark_dynamic",
        },
        {"mark": "maybe_mark_dynamic"},
    ),
    criteria=(
        Criterion("broken", "failed", "==", 1),
        Criterion("broken", "lengths", "==", 0),
        Criterion("fixed", "graphs", "==", 1),
        Criterion("fixed", "lengths", ">=", 9),
        Criterion("fixed", "loss_error", "<=", 1e-5),
    ),
    support=support.of_torch,
)
