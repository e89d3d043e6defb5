"""What the reader of profiles may answer."""

from __future__ import annotations

from collections.abc import Mapping

_LOADER = frozenset({"steps", "share", "data", "step", "compute", "worst", "limit"})
_RANKS = frozenset({"rank", "ranks", "limit"})
_LATE = _RANKS | {"waits", "share", "longest_rank", "longest", "own", "usual"}
_PADDING = frozenset({"padding", "effective", "tokens", "slots", "batches", "limit"})
_COMPILED = frozenset(
    {"operator", "spent", "share", "hit", "steps", "each", "worst", "worst_step", "limit"}
)
_PREPROCESSED = frozenset({"operator", "count", "spent", "share", "limit"})

# The verdicts of ``profile.verdicts``, and what each captures.
PROFILE: Mapping[str, frozenset[str]] = {
    "idle": frozenset({"steps", "share", "idle", "step", "limit"}),
    "idle_once": frozenset({"share", "idle", "step", "limit"}),
    "stalls": frozenset({"count", "steps", "share", "idle", "worst", "worst_step", "limit"}),
    "prepares": frozenset({"steps", "share", "preparing", "step", "limit"}),
    "slow_steps": frozenset({"count", "steps", "usual", "worst", "worst_step", "share", "limit"}),
    **dict.fromkeys(("loader_serial", "loader_serial_slow", "loader_behind"), _LOADER),
    "loader_waits": _LOADER,
    "slow_fetch": frozenset({"worst", "worst_step", "usual", "steps"}),
    "preprocessing": _PREPROCESSED | {"idle"},
    "preprocessing_beside": _PREPROCESSED,
    "slow_rank": _LATE | {"idle"},
    "uneven_ranks": _LATE | {"computing"},
    "all_idle": _RANKS | {"share", "least", "least_rank", "idle", "step"},
    "operators_compiled": _COMPILED,
    "graph_compiled": _COMPILED,
    "compiled_unplaced": frozenset({"operator", "count", "spent", "limit"}),
    "host_tiling": frozenset({"operator", "count", "spent", "share", "idle", "limit"}),
    "ai_cpu": frozenset({"operator", "count", "spent", "all", "share", "longest", "limit"}),
    "blocking": frozenset({"syncs", "kernels", "share", "limit"}),
    "syncing": frozenset({"count", "idle", "call", "calls", "longest", "limit"}),
    "dispatching": frozenset({"kernels", "mean", "idle", "busy", "limit"}),
    "memory_near_full": frozenset({"live", "reserved", "capacity", "share", "limit"}),
    "memory_leaks": frozenset({"before", "after", "grown", "samples", "limit"}),
    "memory_fragments": frozenset(
        {"reserved", "live", "gap", "share", "grown", "samples", "limit"}
    ),
    **dict.fromkeys(
        ("step_waits", "article_step_waits"),
        frozenset({"share", "data", "step", "waiting", "steps"}),
    ),
    "step_slow_twice": frozenset(
        {"data", "step", "at", "other_data", "other_step", "other_at", "usual"}
    ),
    "steps_slower": frozenset({"before", "after", "times"}),
    "card_held": frozenset({"npu", "capacity", "pid", "held"}),
    "card_shared": frozenset({"npu", "capacity", "pid", "held", "processes", "others"}),
    "card_unlisted": frozenset({"npu", "capacity", "held", "card", "chip"}),
    "padding": _PADDING,
    "padding_some": _PADDING,
}
# What some capture as well, if a profile says it; ``rank`` or ``device`` say whose it is.
PROFILE_SOMETIMES = frozenset(
    {
        *("rank", "device", "ranks", "left_out", "worst_step", "wanted", "workers", "times"),
        *("operators", "shapes", "dynamic", "dtype", "waits", "file", "line"),
        *("at", "every", "idle", "late", "peers", "process", "size"),
        *("grouped", "budgeted", "packed", "budget"),
    }
)
