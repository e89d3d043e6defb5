"""Profiles with one thing wrong, and healthy ones that look as if: what must be said of each.

Files go by their paths. ``expect`` names the first diagnosis and some of its captures. Of a healthy
profile nothing but the remark that it names may be said.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field

from tests.conftest import ROOT
from tests.profile.authored.writing import (
    CALLS,
    KERNELS,
    OPERATORS,
    PREPROCESS,
    STATISTIC,
    STEP_TRACE,
    Trace,
    cluster,
    fetch,
    info,
    kernel,
    samples,
    step,
    steps,
    table,
)

OUTPUT = "ASCEND_PROFILER_OUTPUT"
RECORDED = ROOT / "tests" / "profile" / "recorded"


@dataclass(frozen=True)
class Case:
    """A profile: its files, what is to be said first of it, and what follows from that."""

    name: str
    files: dict
    expect: str | None = None
    captures: dict = field(default_factory=dict)
    severity: str = "warning"
    follows: tuple = ()
    ranks: tuple = ()
    location: tuple | None = None


def one(**files):
    """Return the files of a profile of one rank; names are those of tables."""
    known = {"trace_view": "json"}
    return {f"run/{OUTPUT}/{name}.{known.get(name, 'csv')}": text for name, text in files.items()}


def recorded(name):
    """Return a trace that torch.profiler wrote."""
    text = gzip.decompress((RECORDED / f"{name}.json.gz").read_bytes()).decode()
    return {f"{name}.json": text}


def busy(*numbers, **more):
    """Return rows of steps in which the device has enough to do."""
    return [step(number, computing=90, free=10, **more) for number in numbers]


def idle(*numbers):
    """Return rows of steps in which it has not."""
    return [step(number, computing=55, free=45) for number in numbers]


def loading(numbers, fetched, *, length=100, workers=False):
    """Return a trace in which each step fetches first."""
    trace = Trace()
    for number, took in zip(numbers, fetched, strict=True):
        trace.step(number, length, fetch(took, workers=workers), ("aten::linear", 5))
    return trace.text()


def compiling(numbers, times, name="AscendCL@opCompile"):
    """Return a trace in which some steps compile for a while."""
    trace = Trace()
    for number, took in zip(numbers, times, strict=True):
        parts = [(name, took)] if took else []
        trace.step(number, 100, ("aten::linear", 5), *parts)
    return trace.text()


def calls(*rows):
    """Return api_statistic.csv of names, how often, and how long in all (µs)."""
    return table(
        CALLS,
        *(["host", "acl", n, total, k, total / k, 1.0, total / k, 10.0] for n, k, total in rows),
    )


def statistic(*rows):
    """Return op_statistic.csv of types, units, how often, and how long in all (µs)."""
    return table(
        STATISTIC,
        *([0, n, core, k, total, 1.0, total / k, total / k, 50.0] for n, core, k, total in rows),
    )


def preprocessing(count, took):
    """Return data_preprocess.csv of so many operators that took so long each (µs)."""
    rows = ([0, 17.0e14, "DecodeJpeg", 9e3, 1, 9e3, 1, took, 3, n] for n in range(count))
    return table(PREPROCESS, *rows)


def operators(*rows):
    """Return operator_details.csv of names, how long on the host (µs), and call stacks."""
    return table(
        OPERATORS, *([n, "", stack, took, took, 0.0, 0.0, 0.0, 0.0] for n, took, stack in rows)
    )


def ranks(rows):
    """Return the folders of several ranks, with the steps of each."""
    files = {}
    for rank, told in enumerate(rows):
        folder = f"job/node1_{100 + rank}_2026010100000{rank}_ascend_pt"
        files[f"{folder}/{OUTPUT}/step_trace_time.csv"] = steps(*told)
        files[f"{folder}/profiler_info_{rank}.json"] = info(rank)
    return files


def waves(number, *, low=20_000, high=6_000):
    """Return live memory of a step that rises and falls."""
    return low + high * (number % 6) / 5


def late(number):
    """Return for how long (ms) a rank is late that writes a checkpoint in two steps of twenty."""
    return 200 if number in (9, 18) else 0


SIX = range(5, 11)

FAULTS = [
    Case(
        "loader-in-training-thread",
        one(
            step_trace_time=steps(*idle(*SIX)),
            trace_view=loading(SIX, [95, 40, 42, 41, 43, 44]),
        ),
        "dataload-loader-in-training-thread",
        {"share": "42", "data": "42.0", "compute": "58.0", "worst": "44.0", "worst_step": "10"},
    ),
    Case(
        "loader-slower-than-step",
        one(trace_view=loading(SIX, [95, 70, 72, 71, 73, 74])),
        "dataload-loader-slower-than-step",
        {"share": "72", "wanted": "3", "worst_step": "10"},
    ),
    Case(
        "loader-workers-stall-in-turns",
        one(
            step_trace_time=steps(*idle(*range(5, 17))),
            trace_view=loading(range(5, 17), [1, 1, 1, 190] * 3, length=200, workers=True),
        ),
        "dataload-loader-workers-behind",
        {"worst": "190.0"},
    ),
    Case(
        "loader-recorded",
        recorded("slow-loader-no-workers"),
        "dataload-loader-in-training-thread",
        {"steps": "3", "left_out": "1"},
    ),
    Case(
        "workers-behind-recorded",
        recorded("slow-loader-2-workers"),
        "dataload-loader-workers-behind",
        {"worst_step": "4"},
    ),
    Case(
        "loader-of-one-rank-recorded",
        recorded("ranks-one-slow-loader-rank0") | recorded("ranks-one-slow-loader-rank1"),
        "dataload-loader-slower-than-step",
        {"rank": "1", "wanted": "2"},
        ranks=(1,),
    ),
    Case(
        "loader-in-a-trace-that-is-cut-off",
        one(trace_view=loading(SIX, [95, 70, 72, 71, 73, 74])[:-300]),
        "dataload-loader-slower-than-step",
        {"worst_step": "9"},
    ),
    Case(
        "steps-out-of-order",
        one(trace_view=Trace().text(), step_trace_time=steps(*reversed(idle(8, 9, 10, 11)))),
        "dataload-device-idle",
        {"share": "45", "steps": "3", "left_out": "1"},
    ),
    Case(
        "every-fourth-step-stalls",
        one(
            step_trace_time=steps(
                *(step(n, computing=90, free=10 if n % 4 else 210) for n in range(5, 18))
            )
        ),
        "dataload-device-stalls",
        {"count": "3", "steps": "12", "every": "4", "worst": "210.0", "worst_step": "8"},
    ),
    Case(
        "preparing",
        one(
            step_trace_time=steps(
                *(step(n, computing=60, free=40, preparing=36) for n in SIX),
            )
        ),
        "dataload-host-prepares",
        {"share": "40", "preparing": "36.0"},
    ),
    Case(
        "preprocessing-on-the-device",
        one(step_trace_time=steps(*idle(5, 6)), data_preprocess=preprocessing(4, 12_000.0)),
        "dataload-device-preprocessing",
        {"operator": "DecodeJpeg", "count": "4", "spent": "48.0", "share": "24", "idle": "45"},
    ),
    Case(
        "preprocessing-beside-steps-of-unknown-idleness",
        one(
            trace_view=loading((5, 6), (1, 1), workers=True),
            data_preprocess=preprocessing(4, 9500.0),
        ),
        "dataload-preprocessing-beside-steps",
        {"operator": "DecodeJpeg", "spent": "38.0", "share": "19", "idle": None},
    ),
    Case(
        "preprocessing-is-the-least-of-what-is-idle",
        one(
            step_trace_time=steps(*(step(n, computing=20, free=80) for n in (5, 6))),
            data_preprocess=preprocessing(4, 9500.0),
        ),
        "dataload-preprocessing-beside-steps",
        {"share": "19", "idle": "80"},
        follows=("dataload-device-idle",),
    ),
    Case(
        "late-rank-in-a-table-of-the-cluster",
        {
            "cluster_analysis_output/cluster_step_trace_time.csv": cluster(
                *(
                    step(n, device=r, computing=200, communication=150, free=5)
                    for r in (0, 1, 3)
                    for n in (9, 8, 7)
                ),
                *(step(n, device=2, computing=200, communication=10, free=145) for n in (7, 9, 8)),
            )
        },
        "dataload-slow-rank",
        {"rank": "2", "ranks": "4", "waits": "140.0", "share": "39", "idle": "145.0"},
    ),
    Case(
        "late-rank-among-folders",
        ranks(
            [
                *([step(n, computing=100, communication=60, free=3) for n in (8, 9)],) * 2,
                [step(n, computing=100, communication=2, free=61) for n in (8, 9)],
            ]
        ),
        "dataload-slow-rank",
        {"rank": "2", "waits": "58.0"},
        ranks=(0, 2),
    ),
    Case(
        "two-late-ranks-of-eight",
        {
            "cluster_step_trace_time.csv": cluster(
                *(
                    step(n, device=r, computing=200, communication=10, free=145)
                    if r in (2, 5)
                    else step(n, device=r, computing=200, communication=150, free=5)
                    for r in range(8)
                    for n in (7, 8, 9)
                ),
            )
        },
        "dataload-slow-rank",
        {"rank": "2", "late": "5", "ranks": "8", "waits": "140.0", "share": "39"},
        ranks=(0, 2, 5),
    ),
    Case(
        "late-rank-waits-for-its-loader",
        ranks(
            [
                [step(n, computing=100, communication=60, free=3) for n in (8, 9, 10)],
                [step(n, computing=100, communication=2, free=61) for n in (8, 9, 10)],
            ]
        )
        | {
            f"job/node1_101_20260101000001_ascend_pt/{OUTPUT}/trace_view.json": loading(
                (8, 9, 10), [58, 58, 58], length=163
            )
        },
        "dataload-loader-in-training-thread",
        {"rank": "1", "worst": "58.0"},
        follows=("dataload-slow-rank",),
    ),
    Case(
        "uneven-tokens",
        {
            "cluster_step_trace_time.csv": cluster(
                *(step(3, device=r, computing=200, communication=120, free=5) for r in (0, 1, 2)),
                step(3, device=3, computing=310, communication=8, free=7),
            )
        },
        "dataload-uneven-ranks",
        {"rank": "3", "computing": "310.0", "usual": "200.0"},
    ),
    Case(
        "all-hosts-late",
        {
            "cluster_step_trace_time.csv": cluster(
                step("", device=0, computing=80, communication=500, free=420),
                step("", device=1, computing=80, communication=20, free=900),
                step("", device=2, computing=80, communication=300, free=620),
            )
        },
        "dataload-all-ranks-idle",
        {"ranks": "3", "least": "42", "least_rank": "0", "share": "90", "rank": "1"},
    ),
    Case(
        "operators-compiled-per-length",
        one(
            step_trace_time=steps(*idle(*SIX)),
            trace_view=compiling(SIX, [90, 30, 0, 45, 20, 25]),
        ),
        "static-fallback-operators-compiled-in-steps",
        {"hit": "4", "steps": "5", "spent": "120.0", "share": "24", "worst_step": "8"},
    ),
    Case(
        "graphs-compiled-per-length",
        recorded("recompiled-per-length"),
        "static-fallback-graph-compiled-in-steps",
        {"hit": "2"},
    ),
    Case(
        "graphs-compiled-per-length-and-said-so",
        recorded("recompiled-per-length")
        | {
            "train.log": "W0905 09:12:44.120000 7781 torch/_dynamo/convert_frame.py:1213] [3/8] "
            "torch._dynamo hit config.recompile_limit (8)\n"
        },
        "static-fallback-recompile-limit",
        {"limit": "8"},
        follows=("static-fallback-graph-compiled-in-steps",),
    ),
    Case(
        "tiling-on-the-host",
        one(
            step_trace_time=steps(*idle(5, 6)),
            api_statistic=calls(
                ("aclnnMatmulGetWorkspaceSize", 400, 38_000.0), ("launch", 400, 4000.0)
            ),
        ),
        "static-fallback-host-tiling",
        {"operator": "aclnnMatmulGetWorkspaceSize", "share": "19", "idle": "45"},
    ),
    Case(
        "operators-on-ai-cpus",
        one(
            step_trace_time=steps(*busy(10, 11)),
            kernel_details=table(
                KERNELS,
                kernel("aclnnIndex_Index", "AI_CPU", 9000.0, dtype="INT64;INT64"),
                kernel("aclnnIndex_Index", "AI_CPU", 7000.0, dtype="INT64;INT64", step=11),
                *(kernel("aclnnMm_MatMulV2", "AI_CORE", 8000.0, at=n) for n in range(20)),
            ),
        ),
        "static-fallback-ai-cpu-operators",
        {"operator": "Index", "count": "2", "spent": "16.0", "longest": "9.0", "dtype": "INT64"},
    ),
    Case(
        "operators-on-ai-cpus-in-milliseconds",
        one(
            step_trace_time=steps(*busy(10, 11)),
            kernel_details=table(
                KERNELS.replace("Duration(us)", "Duration(ms)"),
                kernel("aclnnIndex_Index", "AI_CPU", 16.0, dtype="DT_INT64"),
                kernel("aclnnMm_MatMulV2", "AI_CORE", 160.0),
            ),
        ),
        "static-fallback-ai-cpu-operators",
        {"operator": "Index", "spent": "16.0", "share": "8", "dtype": "INT64"},
    ),
    Case(
        "launch-blocking",
        one(
            step_trace_time=steps(*idle(5, 6)),
            api_statistic=calls(("aclrtSynchronizeStream", 1190, 60_000.0)),
            op_statistic=statistic(
                ("MatMulV2", "AI_CORE", 800, 90_000.0), ("Add", "AI_VECTOR_CORE", 400, 9000.0)
            ),
        ),
        "runtime-misuse-launch-blocking",
        {"syncs": "1190", "kernels": "1200", "share": "99"},
    ),
    Case(
        "numbers-read-in-each-step",
        one(
            step_trace_time=steps(*idle(5, 6)),
            operator_details=operators(
                *(("aten::item", 800.0 + n, "/job/train.py(58): step") for n in range(40)),
                *(("aten::linear", 40.0, "/job/model.py(7): forward") for _ in range(40)),
            ),
        ),
        "runtime-misuse-sync-in-steps",
        {"count": "20", "call": "aten::item", "file": "/job/train.py", "line": "58"},
        location=("/job/train.py", 58),
    ),
    Case(
        "launch-bound",
        one(
            step_trace_time=steps(*(step(n, computing=35, free=65) for n in (5, 6, 7))),
            op_statistic=statistic(("Add", "AI_VECTOR_CORE", 15_000, 105_000.0)),
            operator_details=operators(*(("aten::add", 9000.0, "") for _ in range(30))),
        ),
        "host-resource-launch-bound",
        {"kernels": "5000", "mean": "7.0", "idle": "65", "busy": "90"},
    ),
    Case(
        "live-memory-grows",
        one(memory_record=samples(*((waves(n) + 300 * n, 40_000 + 200 * n) for n in range(60)))),
        "buffer-oom-live-memory-grows",
        {"samples": "50"},
    ),
    Case(
        "pool-fragments",
        one(memory_record=samples(*((waves(n), 30_000 + 400 * n) for n in range(60)))),
        "buffer-oom-pool-fragments",
        {"live": "25.39", "reserved": "52.34"},
    ),
    Case(
        "mostly-padding",
        {
            "train.jsonl": "".join(
                f'{{"step": {n}, "rank": 0, "loss": 2.1, "data_s": 0.01, "step_s": 1.0, '
                f'"tokens": 2600, "slots": 8192, "recompiles": 0, "reserved_mib": 900, '
                f'"time": 17000000{n:02}.5}}\n'
                for n in range(12)
            )
        },
        "dataload-padding",
        {"padding": "68", "effective": "32"},
    ),
]

HEALTHY = [
    Case(
        "all-files",
        one(
            step_trace_time=steps(*busy(*SIX)),
            trace_view=loading(SIX, [1] * 6, workers=True),
            kernel_details=table(
                KERNELS,
                *(kernel("aclnnMm_MatMulV2", "AI_CORE", 800.0, at=n) for n in range(20)),
                kernel("aclnnOneHot_OneHot", "AI_CPU", 90.0, dtype="INT64"),
            ),
            op_statistic=statistic(("MatMulV2", "AI_CORE", 600, 480_000.0)),
            api_statistic=calls(("aclrtSynchronizeStream", 6, 480_000.0), ("launch", 600, 9000.0)),
            operator_details=operators(("aten::item", 79_000.0, "/job/train.py(58): step")),
            memory_record=samples(*((waves(n), 27_000) for n in range(60))),
        ),
    ),
    Case("warm-up-compiles", one(trace_view=compiling(SIX, [95, 0, 0, 0, 0, 0]))),
    Case(
        "warm-up-is-idle",
        one(step_trace_time=steps(step(0, computing=90, free=9000), *busy(1, 2, 3))),
    ),
    Case("epoch-ends", recorded("healthy-epoch-ends")),
    Case("two-workers", recorded("healthy-2-workers")),
    Case("compiled-once", recorded("compiled-once")),
    Case("reads-its-loss-on-a-cpu", recorded("item-every-step")),
    Case("collects-garbage", recorded("collects-garbage")),
    Case(
        "one-slow-fetch-in-two-hundred",
        one(trace_view=loading(range(200), [2] * 120 + [900] + [2] * 79, length=1000)),
        "dataload-slow-fetch",
        {"worst": "900.0", "worst_step": "120", "usual": "2.0"},
        severity="info",
    ),
    Case(
        "a-checkpoint-in-sixty-steps",
        one(
            step_trace_time=steps(
                *busy(*range(30)), step(30, computing=90, free=6000), *busy(*range(31, 60))
            )
        ),
        "dataload-slow-steps",
        {"count": "1", "worst_step": "30"},
        severity="info",
    ),
    Case(
        "fetches-while-the-device-is-busy",
        one(step_trace_time=steps(*busy(*SIX)), trace_view=loading(SIX, [60] * 6)),
    ),
    Case(
        "waits-for-its-loss-once-a-step",
        one(
            step_trace_time=steps(*busy(*SIX)),
            operator_details=operators(
                *(("aten::item", 85_000.0, "/job/train.py(58): step") for _ in SIX)
            ),
        ),
    ),
    Case(
        "preprocesses-while-the-device-is-busy",
        one(
            step_trace_time=steps(*(step(n, computing=95, free=5) for n in SIX)),
            data_preprocess=preprocessing(60, 9500.0),
        ),
    ),
    Case(
        "one-slow-fetch-while-the-device-is-busy",
        one(
            step_trace_time=steps(*(step(n, computing=980, free=20) for n in range(20))),
            trace_view=loading(range(20), [2] * 12 + [900] + [2] * 7, length=1000),
        ),
    ),
    Case(
        "operators-compiled-while-the-device-is-busy",
        one(
            step_trace_time=steps(*(step(n, computing=95, free=5) for n in SIX)),
            api_statistic=calls(("aclopCompileAndExecute", 30, 90_000.0)),
        ),
    ),
    Case(
        "log-says-that-steps-fetch-while-the-device-is-busy",
        {
            f"rank_0/{OUTPUT}/step_trace_time.csv": steps(*busy(*range(5, 12))),
            "rank_0/train.log": "".join(
                f"step {n}: step_time: 1.00 s data_time: 0.60 s loss: 2.1\n" for n in range(40)
            ),
        },
    ),
    Case(
        "two-evaluations-in-twenty-steps",
        one(
            step_trace_time=steps(
                *(step(n, computing=90, free=900 if n in (8, 16) else 10) for n in range(20))
            )
        ),
        "dataload-slow-steps",
        {"count": "2", "steps": "19"},
    ),
    Case(
        "two-checkpoints-in-twenty-steps-of-one-rank",
        ranks(
            [
                *([step(n, computing=90, communication=5 + late(n), free=5) for n in range(20)],)
                * 3,
                [step(n, computing=90, communication=5, free=5 + late(n)) for n in range(20)],
            ]
        ),
    ),
    Case(
        "a-single-step",
        one(step_trace_time=steps(step(0, computing=90, free=910))),
        "dataload-idle-step",
        {"share": "91", "idle": "910.0", "step": "1000.0"},
    ),
    Case("no-steps", one(step_trace_time=steps(step("", computing=800, free=150)))),
    Case(
        "cut-off-trace",
        one(trace_view=loading(SIX, [1] * 6, workers=True)[:-700]),
    ),
    Case(
        "pipeline-stages",
        {
            "cluster_step_trace_time.csv": cluster(
                step(5, device=0, computing=200, communication=100, bubble=95, free=8),
                step(5, device=1, computing=290, communication=9, bubble=4, free=9),
            )
        },
    ),
    Case(
        "communication-is-long-everywhere",
        {
            "cluster_step_trace_time.csv": cluster(
                *(step(5, device=r, computing=200, communication=150 + r, free=8) for r in range(8))
            )
        },
    ),
    Case(
        "pool-is-large-from-the-begin",
        one(memory_record=samples(*((waves(n), 55_000) for n in range(60)))),
    ),
    Case(
        "memory-builds-up-at-first",
        one(
            memory_record=samples(
                *(
                    (min(20_000, 2500 * n) + waves(n, low=0), min(30_000, 4000 * n))
                    for n in range(60)
                )
            )
        ),
    ),
    Case(
        "little-padding",
        {
            "train.jsonl": "".join(
                f'{{"step": {n}, "rank": 0, "loss": 2.1, "data_s": 0.01, "step_s": 1.0, '
                f'"tokens": 7900, "slots": 8192, "recompiles": 0, "reserved_mib": 900, '
                f'"time": 17000000{n:02}.5}}\n'
                for n in range(12)
            )
        },
    ),
]

# Nothing is in them that could be judged: no green answer.
NOTHING = [
    Case("headers-only", one(step_trace_time=STEP_TRACE + "\n", kernel_details=KERNELS + "\n")),
    Case("nan-only", one(step_trace_time=table(STEP_TRACE, *([0, n, *["nan"] * 9] for n in SIX)))),
]
