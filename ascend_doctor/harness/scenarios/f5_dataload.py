"""F5: the device waits for samples that one process reads one after the other."""

from __future__ import annotations

from ascend_doctor.harness.scenarios import support
from ascend_doctor.harness.scenarios.model import Criterion, Decoy, Expected, Scenario

SCENARIO = Scenario(
    id="f5-dataload",
    title={
        "en": "Steps wait for samples that are read in the training process",
        "zh": "样本在训练进程内读取，step 一直在等数据",
    },
    program="slow_loading.py",
    expected=Expected("dataload", "dataload-step-waits-for-data"),
    broken={"workers": 0, "prefetch": "none", "steps": 60},
    quick={"steps": 30},
    decoy=Decoy(
        {
            "en": "one thread that fetches in advance, in place of workers",
            "zh": "不加 worker，只用一个线程预取",
        },
        {"prefetch": "thread"},
    ),
    criteria=(
        Criterion("broken", "data_share", ">=", 0.5),
        Criterion("fixed", "data_share", "<=", 0.15),
        Criterion("fixed", "tokens_per_s", ">=", 1.5, of="ratio"),
    ),
    support=support.of_torch,
    is_timed=True,
)
