"""F4: batches are padded to a maximum that was guessed, for which there is no memory."""

from __future__ import annotations

from ascend_doctor.harness.scenarios import support
from ascend_doctor.harness.scenarios.model import Criterion, Decoy, Expected, Scenario

SCENARIO = Scenario(
    id="f4-buffer-oom",
    title={
        "en": "The longest sequence was guessed, and its buffers do not fit into memory",
        "zh": "最大序列长度凭猜测设定，其缓冲区超出内存",
    },
    program="padded_too_long.py",
    expected=Expected("host_resource", "host-resource-out-of-memory", is_located=True),
    broken={"max_seq_length": 4096, "stretch": 1.0, "budget_mib": 400},
    quick={"budget_mib": 256},
    decoy=Decoy(
        {
            "en": "a quarter more than the longest length that is safe",
            "zh": "比安全的最大长度再长四分之一",
        },
        {"max_seq_length": "fitted", "stretch": 1.25},
    ),
    criteria=(
        Criterion("broken", "passed", "==", 0),
        Criterion("fixed", "held_out_error", "<=", 0.10),
        Criterion("fixed", "passed", "==", 3),
    ),
    support=support.of_host_memory,
)
