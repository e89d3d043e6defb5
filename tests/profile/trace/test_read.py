"""What the events of a trace say of steps, loader, compilations, waits and device."""

from __future__ import annotations

import gzip
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ascend_doctor.profile.model import MAX_STEPS, MAX_TALLIES, OTHERS, Measures, Span, Step
from ascend_doctor.profile.readers import reader_of
from ascend_doctor.profile.trace.head import is_trace
from ascend_doctor.profile.trace.read import read
from ascend_doctor.records import Evidence, Note, Origin
from tests.profile.trace.test_recorded import RECORDED

FETCH = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
WORKERS = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
TRAINING, BACKWARD, QUEUE, OTHER = 11, 12, 13, 14
PYTHON, CANN, NPU, OVERLAP, HCCL = 100, 102, 104, 105, 106


def event(name, begin, duration, *, cat="cpu_op", tid=TRAINING, pid=PYTHON, **args):
    return {
        **{"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": f"17000000{begin:08}.250"},
        **{"dur": duration, "args": args},
        **({} if cat is None else {"cat": cat}),
    }


def call(name, begin, duration, tid=TRAINING):
    return event(f"AscendCL@{name}", begin, duration, cat=None, tid=tid, pid=CANN, Mode="ACL")


def task(name, begin, duration, kind="AI_CORE"):
    return event(name, begin, duration, cat=None, tid=3, pid=NPU, **{"Task Type": kind})


def row(name, begin, duration):
    return event(name, begin, duration, cat=None, tid=0, pid=OVERLAP)


def step(number, begin, duration):
    return event(f"ProfilerStep#{number}", begin, duration)


def label(pid, text):
    return {"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "args": {"labels": text}}


def told(events, path="trace_view.json", size=1 << 16):
    """Return what a list of events says, or an object with one."""
    raw = json.dumps(events).encode()
    return read(path, (raw[at : at + size] for at in range(0, len(raw), size)))


def tallies(measures):
    """Return kind, name, count and time of each tally, and what is said of the longest."""
    return [(t.kind, t.name, t.count, t.total_us, dict(t.longest.detail)) for t in measures.tallies]


def hosted(measures):
    """Return step, total, and time of loader, compilations and waits of each step."""
    return [(s.name, s.total_us, s.fetch_us, s.compile_us, s.sync_us) for s in measures.steps]


def test_a_trace_of_torch_npu_says_all_of_it():
    events = [
        label(NPU, "NPU 3"),
        step(7, 1000, 1000.0),
        event(FETCH, 1000, 300.0),
        event("aten::relu", 1350, 50.0, **{"Input Dims": "8,16;\r\n"}),
        event("Enqueue", 1360, 5.0, cat="enqueue", correlation_id=5),
        event("Dequeue@Conv2D", 1400, 210.0, cat="dequeue", tid=QUEUE, correlation_id=5),
        call("aclopCompileAndExecute", 1400, 200.0, QUEUE),
        call("opCompile", 1400, 150.5, QUEUE),
        event("aten::to", 1700, 150.0, **{"Call stack": "train.py(3): step;\r\ntrain.py(9): main"}),
        event("aten::copy_", 1710, 140.0),
        call("aclrtSynchronizeStream", 1720, 100.0),
        call("aclrtMemcpy", 1830, 10.0),
        task("aclnnRelu_ReluAiCore_Relu", 1410, 20.0, "AI_VECTOR_CORE"),
        task("Unique2", 1440, 30.0, "AI_CPU"),
        task("EVENT_WAIT", 1480, 500.0, "EVENT_WAIT"),
        task("MEMCPY_ASYNC", 1500, 5.0, "MEMCPY_ASYNC"),
        event("hcom_allReduce__628_1_1", 1600, 40.0, cat=None, pid=NPU),
        row("Computing", 1410, 60.0),
        row("Communication", 1600, 40.0),
        row("Communication(Not Overlapped)", 1620, 20.0),
        row("Free", 1470, 130.0),
    ]
    measures = told(events)
    text = json.dumps(events)

    def proof(index):
        shown = json.dumps(events[index])
        order = 1, text.index(shown)
        return Evidence(
            "trace_view.json", 1, shown if len(shown) <= 300 else shown[:299] + "…", order
        )

    assert measures == Measures(
        "trace",
        "trace_view.json",
        device="3",
        steps=(
            Step(
                "7",
                proof(1),
                1000.0,
                begin_us=1700000000001000.25,
                computing_us=60.0,
                communication_us=20.0,
                overlapped_us=20.0,
                free_us=920.0,
                fetch_us=300.0,
                compile_us=150.5,
                sync_us=100.0,
            ),
        ),
        tallies=measures.tallies,
        facts={
            "profiler": "torch_npu",
            "loader": "single process",
            "workers": "0",
            "with_stack": "true",
            "record_shapes": "true",
        },
    )
    assert tallies(measures) == [
        ("ai_cpu", "Unique2", 1, 30.0, {}),
        ("collective", "hcom_allReduce_", 1, 40.0, {}),
        (
            *("compile", "Conv2D", 1, 150.5),
            {"operator": "Conv2D", "shapes": "8,16", "function": "opCompile"},
        ),
        ("fetch", FETCH, 1, 300.0, {}),
        ("kernel", "Relu", 1, 20.0, {}),
        (
            *("sync", "aclrtSynchronizeStream", 1, 100.0),
            {"operator": "aten::to", "stack": "train.py(3): step; train.py(9): main"},
        ),
        (
            *("transfer", "aclrtMemcpy", 1, 10.0),
            {"operator": "aten::to", "stack": "train.py(3): step; train.py(9): main"},
        ),
        ("transfer", "MEMCPY_ASYNC", 1, 5.0, {}),
        ("host", "dispatch", 2, 100.0, {"operator": "aten::to"}),
    ]
    compiled = measures.tallies[2]
    assert (compiled.shapes, dict(compiled.by_step)) == (1, {"7": 150.5})
    assert compiled.longest == Span(
        150.5, proof(7), 1700000000001400.25, "7", compiled.longest.detail
    )


def test_a_trace_of_cuda_says_what_its_kernels_say():
    def device(name, begin, duration, cat="kernel"):
        return event(name, begin, duration, cat=cat, tid=7, pid=0, device=0)

    events = [
        label(0, "GPU 0"),
        event("ProfilerStep#1", 0, 100.0, cat="user_annotation"),
        device("ProfilerStep#1", 0, 500.0, "gpu_user_annotation"),
        event("aten::item", 60, 30.0),
        event("aten::_local_scalar_dense", 61, 28.0),
        event("cudaStreamSynchronize", 70, 15.0, cat="cuda_runtime"),
        device("gemm", 10, 20.0),
        device("gemm", 25, 15.0),
        device("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 35, 25.0),
        device("Memcpy DtoH (Device -> Pageable)", 62, 1.0, "gpu_memcpy"),
    ]
    trace = {"distributedInfo": {"rank": 5, "world_size": 8}, "traceEvents": events}
    measures = told(trace, "run/host.pt.trace.json")
    [one] = measures.steps
    assert (measures.profile, measures.rank, measures.device) == ("run/host.pt.trace.json", 5, "0")
    assert (one.computing_us, one.communication_us, one.overlapped_us, one.free_us) == (
        *(30.0, 20.0),
        *(5.0, 50.0),
    )
    assert (one.fetch_us, one.compile_us, one.sync_us) == (None, 0.0, 30.0)
    assert one.proof.origin == Origin(rank=5)
    assert measures.facts == {"profiler": "torch", "world_size": "8"}
    assert tallies(measures) == [
        ("collective", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 1, 25.0, {}),
        ("kernel", "gemm", 2, 35.0, {}),
        ("sync", "aten::item", 1, 30.0, {"operator": "aten::item"}),
        ("transfer", "Memcpy DtoH (Device -> Pageable)", 1, 1.0, {}),
        ("host", "dispatch", 1, 0.0, {"operator": "aten::item"}),
    ]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], (None, None, None)),
        ([event("aten::mm", 10, 5.0)], (None, 0.0, 0.0)),
        # the loader within the loader, and what it waits for
        (
            [event("dataloader", 10, 50.0), event(FETCH, 12, 40.0), event("aten::item", 20, 5.0)],
            (50.0, 0.0, 0.0),
        ),
        # of a thread that fetches ahead
        ([event(FETCH, 10, 50.0, tid=OTHER)], (None, None, None)),
        # reaching over the end of the step
        ([event(FETCH, 80, 50.0)], (20.0, 0.0, 0.0)),
        # waiting for what a queue's thread compiles
        (
            [
                call("aclrtSynchronizeDevice", 10, 60.0),
                call("aclopCompileAndExecute", 20, 40.0, 13),
            ],
            (None, 40.0, 20.0),
        ),
        # a call that also executes: what it compiled counts
        (
            [call("aclopCompileAndExecuteV2", 10, 60.0, 13), call("opCompile", 11, 2.0, 13)],
            (None, 2.0, 0.0),
        ),
        # of torch.compile, the outermost; what it runs is no compilation
        (
            [
                event("dynamo", 10, 50.0),
                event("entire_frame_compile", 11, 40.0),
                event("_compile.compile_inner (dynamo_timed)", 12, 30.0),
                event("gc (dynamo_timed)", 70, 9.0),
                event("Torch-Compiled Region: 0/1", 80, 10.0),
            ],
            (None, 50.0, 0.0),
        ),
        # waits of other threads, and of the backward pass
        (
            [
                event("cudaDeviceSynchronize", 10, 30.0, cat="cuda_runtime", tid=OTHER),
                event("autograd::engine::evaluate_function: X", 50, 30.0, tid=BACKWARD),
                event("aten::item", 55, 20.0, tid=BACKWARD),
            ],
            (None, 0.0, 20.0),
        ),
        # a mark of the loader of another framework
        ([event("Iterator::Root::Prefetch::GetNext", 5, 7.0)], (7.0, 0.0, 0.0)),
    ],
)
def test_each_moment_of_the_host_counts_once(events, expected):
    assert hosted(told([step(1, 0, 100.0), *events])) == [("1", 100.0, *expected)]


def test_a_wait_is_told_with_the_operator_it_was_in_and_the_stack():
    frames = [
        event(name, begin, duration, cat="python_function")
        for name, begin, duration in [
            ("train.py(9): <module>", 0, 99.0),
            ("train.py(5): step", 10, 60.0),
            ("torch/x.py(1): done", 80, 5.0),
            ("<built-in method item of Tensor object at 0x7f00>", 19, 21.0),
        ]
    ]
    events = [
        step(1, 0, 100.0),
        *frames,
        event("aten::item", 20, 20.0),
        event("aten::to", 50, 9.0),
        call("aclrtSynchronizeStreamWithTimeout", 51, 5.0),
    ]
    stack = "train.py(5): step; train.py(9): <module>"
    inner = "<built-in method item of Tensor object>; " + stack
    assert tallies(told(events))[:2] == [
        ("sync", "aten::item", 1, 20.0, {"operator": "aten::item", "stack": inner}),
        (
            *("sync", "aclrtSynchronizeStreamWithTimeout", 1, 5.0),
            {"operator": "aten::to", "stack": stack},
        ),
    ]


def seeds(begin):
    """Return what a loader calls when one of its iterators begins."""
    return [
        event("aten::empty", begin, 2.0),
        event("aten::random_", begin + 3, 2.0),
        event("aten::item", begin + 6, 2.0),
    ]


@pytest.mark.parametrize(
    ("events", "borders", "expected"),
    [
        # an epoch ends in the second step
        (
            [
                event(WORKERS, 10, 5.0),
                event("aten::mm", 20, 5.0),
                event(WORKERS, 110, 6.0),
                *seeds(120),
                event(WORKERS, 140, 30.0),
            ],
            [False, True],
            [(1, 5.0, {}), (1, 6.0, {"last": "yes"}), (1, 30.0, {"first": "yes"})],
        ),
        # an iterator each step
        (
            [
                *seeds(1),
                event(FETCH, 10, 5.0),
                event("aten::mm", 20, 5.0),
                *seeds(101),
                event(FETCH, 110, 6.0),
            ],
            [True, True],
            [(2, 11.0, {"first": "yes"})],
        ),
        # random numbers of the training
        (
            [
                event("aten::random_", 1, 2.0),
                event(FETCH, 10, 5.0),
                event("aten::randint", 20, 9.0),
                event("aten::random_", 21, 2.0),
                event("aten::item", 31, 2.0),
                event(FETCH, 110, 6.0),
            ],
            [True, False],
            [(1, 5.0, {"first": "yes"}), (1, 6.0, {})],
        ),
    ],
)
def test_where_a_loader_begins_anew_is_told(events, borders, expected):
    measures = told([step(1, 0, 100.0), step(2, 100, 100.0), *events])
    found = [
        (c, total, detail) for kind, _, c, total, detail in tallies(measures) if kind == "fetch"
    ]
    assert [one.is_border for one in measures.steps] == borders
    assert sorted(found, key=lambda item: item[1]) == expected


def test_what_was_compiled_again_is_told_with_its_frame_and_shapes():
    def compiled(begin, number, length):
        return [
            event("dynamo", begin, 40.0),
            event(f"dynamo_data: compile_id=0/{number}", begin + 1, 1.0, cat="user_annotation"),
            event(
                *("CompiledFunction", begin + 45, 5.0), **{"Input Dims": [[4, 4], [8, length], []]}
            ),
        ]

    measures = told([step(1, 0, 200.0), *compiled(10, 1, 20), *compiled(100, 2, 30)])
    tally = measures.tallies[0]
    assert (tally.kind, tally.name, tally.count, tally.total_us, tally.shapes) == (
        *("compile", "dynamo", 2, 80.0, 2),
    )
    assert tally.longest.detail == {
        "shapes": "4,4;8,20",
        "compile_id": "0/1",
        "function": "dynamo",
    }


@pytest.mark.parametrize("name", ["GC", "Python GC"])
def test_collections_of_garbage_are_told_of_any_thread(name):
    measures = told([step(1, 0, 100.0), event(name, 10, 20.0, tid=OTHER, cat="GC")])
    assert tallies(measures) == [("gc", name, 1, 20.0, {})]


def test_a_trace_without_steps_is_one_step_without_a_name():
    measures = told([event("aten::mm", 10, 30.0), task("Mul", 25, 40.0)])
    assert [replace(s, proof=None) for s in measures.steps] == [
        Step(
            *("", None, 55.0),
            begin_us=1700000000000010.25,
            computing_us=40.0,
            communication_us=0.0,
            overlapped_us=0.0,
            free_us=15.0,
            compile_us=0.0,
            sync_us=0.0,
        )
    ]
    assert [dict(tally.by_step) for tally in measures.tallies] == [{}, {}]


def test_iterations_of_msprof_are_steps_if_there_are_no_others():
    events = [row("Iteration 2", 10, 50.0), row("Iteration 1", 0, 10.0), task("Mul", 5, 40.0)]
    measures = told(events, "PROF_1/mindstudio_profiler_output/msprof_20260101.json")
    assert [(s.name, s.total_us, s.computing_us) for s in measures.steps] == [
        ("1", 10.0, 5.0),
        ("2", 50.0, 35.0),
    ]
    assert (measures.profile, measures.facts) == ("PROF_1", {"profiler": "msprof"})


def test_begins_and_ends_that_stand_apart_are_put_together():
    def half(phase, begin, tid=TRAINING, name="aten::item"):
        return {"ph": phase, "name": name, "cat": "cpu_op", "ts": begin, "pid": 1, "tid": tid}

    events = [half("E", 5, OTHER), half("B", 10), half("B", 12, name="aten::mm"), half("E", 15)]
    events += [half("E", 40), half("B", 90)]
    measures = told([*events, {**step(1, 0, 100.0), "ts": 0}])
    assert hosted(measures) == [("1", 100.0, None, 0.0, 30.0)]
    assert measures.notes == (Note("events_unpaired", {"count": "2"}),)


@pytest.mark.parametrize(
    "bad",
    [
        {"ts": None},
        {"ts": "soon"},
        {"ts": [1]},
        {"ts": float("nan")},
        {"ts": 10**400},
        {"ts": "9" * 400},
        {"ts": "9" * 20},
        {"ts": 1e300},
        {"dur": None},
        {"dur": -1.0},
        {"dur": float("inf")},
        {"dur": 18446744073709551.6},
        {"dur": {}},
    ],
)
def test_an_event_without_a_time_is_left_out_and_told(bad):
    events = [step(1, 0, 100.0), {**event("aten::item", 10, 30.0), **bad}]
    for order in (events, events[::-1]):
        measures = told(order)
        assert hosted(measures) == [("1", 100.0, None, None, None)]
        assert measures.notes == (Note("events_untimed", {"count": "1"}),)


@pytest.mark.parametrize(
    "odd",
    [
        {"name": None},
        {"name": ["aten::item"]},
        {"name": "x" * 100_000},
        {"ph": ["X"]},
        {"ph": "E", "tid": {}},
        {"ph": "M", "name": "process_labels", "args": {"labels": 7}},
        {"ph": "M", "name": "process_labels", "args": 7, "pid": []},
    ],
)
def test_odd_events_change_nothing(odd):
    measures = told([step(1, 0, 100.0), {**event("aten::item", 10, 30.0), **odd}])
    assert hosted(measures) == [("1", 100.0, None, None, None)]


@pytest.mark.parametrize(
    "odd",
    [
        {"ts": 1700000000000010.25},
        {"ts": "1700000000000010.250\t"},
        {"dur": "30.0"},
        {"dur": 30},
        {"args": None},
        {"args": {"Input Dims": [[[[]]]], "Call stack": 7}},
        {"cat": ["cpu_op"], "name": "aten::item"},
    ],
)
def test_numbers_may_be_texts_and_arguments_anything(odd):
    measures = told([step(1, 0, 100.0), {**event("aten::item", 10, 30.0), **odd}])
    assert hosted(measures) == [("1", 100.0, None, 0.0, 30.0)]


def test_a_thread_may_be_named_by_anything():
    events = [{**step(1, 0, 100.0), "tid": None}, {**event(FETCH, 10, 30.0), "tid": {"a": []}}]
    assert hosted(told(events)) == [("1", 100.0, 30.0, 0.0, 0.0)]


def test_halves_of_characters_can_be_printed():
    halves = "aten::\ud800"
    events = [event(halves, 5, 9.0), event("aten::item", 6, 1.0), task("\udfff", 5, 1.0, "\udfff")]
    repr(told(events)).encode()


def test_more_steps_than_can_be_told_are_cut_and_said():
    measures = told([step(n, n * 10, 10.0) for n in reversed(range(MAX_STEPS + 5))])
    assert [s.name for s in measures.steps] == [str(n) for n in range(MAX_STEPS)]
    assert measures.notes == (Note("steps_left_out", {"count": str(MAX_STEPS)}),)


def test_calls_that_are_too_many_to_be_shown_are_summed_up():
    long = [call("aclrtSynchronizeDevice", n * 20, 10.0) for n in range(MAX_STEPS)]
    short = [
        event(name, (MAX_STEPS + n) * 20 + more, 9.0 - more, cat=category)
        for n in range(3)
        for name, more, category in [
            ("aten::nonzero", 0, "cpu_op"),
            ("AscendCL@aclrtSynchronizeStream", 2, None),
        ]
    ]
    measures = told([*short, *long])
    assert [t[:4] for t in tallies(measures)] == [
        ("sync", "aclrtSynchronizeDevice", MAX_STEPS, 10.0 * MAX_STEPS),
        ("sync", OTHERS, 3, 21.0),
        ("host", "dispatch", 3, 6.0),
    ]
    assert measures.tallies[1].longest.duration_us == 10.0


def test_more_names_than_can_be_told_are_summed_up():
    measures = told([task(f"K{n}", n * 10, 1.0 + n) for n in range(MAX_TALLIES + 5)])
    assert len(measures.tallies) == MAX_TALLIES
    last = measures.tallies[-1]
    assert (last.name, last.count, last.total_us) == (OTHERS, 6, sum(range(1, 7)))


def test_an_empty_trace_says_so():
    assert told([]) == Measures("trace", "trace_view.json", notes=(Note("no_events"),))


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b'[{"ph": "X"', True),
        (b'[\r\n  {"name": "a", "args": {"x": {}}, "ph": "M"}', True),
        (b'\xef\xbb\xbf[{"name": "{[", "ph": "X"}, {', True),
        (b'{"traceEvents": [', True),
        (b'{\n  "schemaVersion": 1,\n', True),
        (b'{"displayTimeUnit": "ms", "otherData": {"a": "b"}, "traceEvents": [', True),
        (b"[ERROR] HCCL(1,python3): x", False),
        (b'[{"level": "INFO", "message": "x"}]', False),
        (b"[]", False),
        (b'{"message": "no \\"traceEvents\\": [ here"}', False),
        (b'{"step1": {"p2p": {}}}', False),
        (b"", False),
    ],
)
def test_a_trace_is_known_by_its_begin(head, expected):
    assert is_trace(head) is expected
    found = reader_of(head)
    assert (found is not None and found.format == "trace") is expected


def without_places(measures):
    """Return what does not depend on where events stand."""
    text = repr(measures)
    proofs = {step.proof for step in measures.steps}
    proofs |= {tally.longest.proof for tally in measures.tallies}
    for proof in proofs:
        text = text.replace(repr(proof), repr(proof.text))
    return text


NAMES = [
    *(FETCH, "aten::item", "aten::mm", "aten::random_", "AscendCL@aclrtSynchronizeStream"),
    *("AscendCL@aclopCompileAndExecute", "AscendCL@opCompile", "dynamo", "Dequeue@Mul", "Enqueue"),
    *("Computing", "Communication", "Communication(Not Overlapped)", "hcom_broadcast__1_2"),
]


@st.composite
def traces(draw):
    """Return events at different moments, in any order."""
    begins = draw(st.lists(st.integers(0, 300), unique=True, max_size=25))
    events = [step(1, 0, 100.0), step(2, 100, 150.0)]
    for begin in begins:
        name = draw(st.sampled_from(NAMES))
        is_host = name.startswith(("aten::", "enum", "dynamo", "Dequeue", "Enqueue"))
        events.append(
            event(
                name,
                begin,
                draw(st.integers(0, 90)) + begin / 1000,
                cat="cpu_op" if is_host else None,
                tid=draw(st.sampled_from([TRAINING, QUEUE])),
                correlation_id=draw(st.integers(0, 3)),
            )
        )
    return events


@settings(deadline=None)
@given(traces(), st.randoms(use_true_random=False), st.integers(5, 400))
def test_neither_order_nor_blocks_change_what_is_said(events, order, size):
    shuffled = [*events]
    order.shuffle(shuffled)
    assert without_places(told(shuffled, size=size)) == without_places(told(events))


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_a_trace_that_is_cut_off_says_no_more_than_the_whole(data):
    name = data.draw(st.sampled_from(["recorded", "made"]))
    if name == "recorded":
        raw = gzip.decompress((RECORDED / "compiled-once.json.gz").read_bytes())
    else:
        raw = json.dumps([step(1, 0, 50.0), event(FETCH, 10, 5.0), event("aten::item", 20, 5.0)])
        raw = raw.encode()
    whole = read("t.json", iter([raw]))
    part = read("t.json", iter([raw[: data.draw(st.integers(0, len(raw) - 1))]]))
    names = {(tally.kind, tally.name): tally.count for tally in whole.tallies}
    assert {s.name for s in part.steps} <= {s.name for s in whole.steps} | {""}
    assert all(tally.count <= names[tally.kind, tally.name] for tally in part.tallies)
    assert part.broken is not None


def test_the_text_of_a_proof_is_the_event():
    rng = random.Random(1)
    events = [event(rng.choice(NAMES), n * 10, 5.0) for n in range(50)]
    measures = told([step(1, 0, 400.0), *events])
    for tally in measures.tallies:
        shown = json.loads(tally.longest.proof.text)
        assert shown["dur"] == tally.longest.duration_us


@pytest.mark.parametrize(
    ("labels", "device", "notes"),
    [
        (["NPU 3", "NPU 3"], "3", ()),
        (["NPU 3", "NPU 4"], None, (Note("devices_as_one", {"count": "2"}),)),
        ([], None, (Note("devices_as_one", {"count": "2"}),)),
    ],
)
def test_processes_with_one_label_are_one_device(labels, device, notes):
    events = [label(pid, text) for pid, text in zip((NPU, HCCL), labels, strict=False)]
    events += [step(1, 0, 100), task("MatMulV2", 10, 20)]
    events.append(event("hcom_allReduce__1_0_1", 40, 20, cat=None, tid=3, pid=HCCL))
    measures = told(events)
    assert (measures.device, measures.notes) == (device, notes)


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_of_a_trace_that_is_cut_off_nothing_is_known_of_the_device(cut):
    # Hosts are written first, so that what is cut off is the device's.
    host = [step(1, 0, 100), step(2, 100, 100), event(FETCH, 5, 10.0)]
    raw = json.dumps([*host, task("MatMulV2", 20, 70), task("MatMulV2", 120, 70)]).encode()
    whole, part = (read("trace_view.json", iter([text])) for text in (raw, raw[:-cut]))
    assert [found.free_us for found in whole.steps] == [30, 30]
    assert [(found.fetch_us, found.free_us, found.computing_us) for found in part.steps] == [
        (10, None, None),
        (0, None, None),
    ]


def test_where_tasks_are_left_out_nothing_is_known_of_the_device(monkeypatch):
    events = [step(1, 0, 100), step(2, 100, 100), task("A", 0, 90), task("A", 100, 90)]
    assert [found.free_us for found in told(events).steps] == [10, 10]
    monkeypatch.setattr("ascend_doctor.profile.trace.gather._MANY", 1)
    measures = told(events)
    assert [found.free_us for found in measures.steps] == [None, None]
    assert measures.notes == (Note("events_left_out", {"count": "1"}),)
    # Where one row sums up the tasks, they are not needed.
    assert [found.free_us for found in told([*events, row("Computing", 0, 190)]).steps] == [0, 10]
