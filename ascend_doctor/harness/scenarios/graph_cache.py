"""Compiled graphs are kept from start to start: cold, warm, stale, and where they cannot be."""

from __future__ import annotations

from ascend_doctor.harness.scenarios import support
from ascend_doctor.harness.scenarios.model import Criterion, Decoy, Expected, Scenario

SCENARIO = Scenario(
    id="graph-cache",
    title={
        "en": "The cache of compiled graphs cannot be written, so that no start gets far",
        "zh": "编译图缓存无法写入，任务无法启动",
    },
    program="graph_cache.py",
    expected=Expected("host_resource", "host-resource-graph-cache", is_located=True),
    broken={"cache": "unusable"},
    decoy=Decoy(
        {"en": "a fresh temporary folder for each start", "zh": "每次启动使用新的临时目录"},
        {"cache": "fresh"},
    ),
    criteria=(
        Criterion("broken", "failed", "==", 1),
        Criterion("fixed", "cold_misses", ">=", 1),
        Criterion("fixed", "warm_hits", ">=", 1),
        Criterion("fixed", "warm_misses", "==", 0),
        # What is compiled from other code must not be answered from the cache.
        Criterion("fixed", "stale_hits", "==", 0),
        Criterion("fixed", "cold_error", "<=", 1e-5),
        Criterion("fixed", "warm_error", "<=", 1e-5),
        Criterion("fixed", "stale_error", "<=", 1e-5),
    ),
    support=support.of_inductor,
)
