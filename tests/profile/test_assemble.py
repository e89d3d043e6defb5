"""Files of one profile belong together, and what several of them tell counts once."""

from __future__ import annotations

from itertools import permutations

import pytest

from ascend_doctor.profile.assemble import assemble
from ascend_doctor.profile.model import Measures, Memory, Sample, Span, Step, Tally
from ascend_doctor.records import Evidence

FOLDER = "run/w_ascend_pt"
OUTPUT = f"{FOLDER}/ASCEND_PROFILER_OUTPUT"


def proof(path: str = f"{OUTPUT}/x.csv", line: int = 2) -> Evidence:
    return Evidence(path, line, "row", (line, 0))


def tally(kind, name, total, path=f"{OUTPUT}/x.csv", **more):
    return Tally(kind, name, 1, total, Span(total, proof(path)), **more)


def step(name, path="step_trace_time.csv", total=1000.0, **more):
    return Step(name, proof(f"{OUTPUT}/{path}"), total, **more)


def told(profiles):
    return [(p.key, p.rank, p.device, [s.name for s in p.steps]) for p in profiles]


def test_all_files_of_a_folder_are_of_its_rank_and_device():
    info = Measures("profiler_info", FOLDER, rank=3, facts={"level": "Level1"})
    trace = Measures("step_trace", FOLDER, steps=(step("1", device="0"),))
    kernels = Measures("kernel_details", FOLDER, device="0", tallies=(tally("kernel", "Add", 1),))
    operators = Measures("operators", FOLDER, tallies=(tally("host", "aten::add", 1),))
    parts = [info, trace, kernels, operators]
    for order in permutations(parts):
        [profile] = assemble(order)
        assert (profile.key, profile.rank, profile.device) == (FOLDER, 3, "0")
        assert profile.facts == {"level": "Level1"}
        assert {item.name for item in profile.tallies} == {"Add", "aten::add"}
        assert profile.measures == order


def test_devices_of_one_process_are_told_apart():
    trace = Measures("step_trace", FOLDER, steps=(step("1", device="0"), step("1", device="1")))
    calls = Measures("api_statistic", FOLDER, tallies=(tally("api", "launch", 1),))
    assert told(assemble([trace, calls])) == [
        (FOLDER, None, None, []),
        (FOLDER, None, "0", ["1"]),
        (FOLDER, None, "1", ["1"]),
    ]


def test_ranks_of_a_summary_are_told_apart():
    key = "run/cluster_analysis_output"
    rows = tuple(step("1", rank=rank) for rank in (0, 1))
    assert told(assemble([Measures("step_trace", key, steps=rows)])) == [
        (key, 0, None, ["1"]),
        (key, 1, None, ["1"]),
    ]


def test_a_summary_does_not_repeat_profiles_beside_it():
    summary = Measures(
        "step_trace",
        "run/cluster_analysis_output",
        steps=tuple(step("1", rank=rank) for rank in (0, 1)),
    )
    own = Measures("step_trace", FOLDER, rank=1, steps=(step("1"),))
    other = Measures("step_trace", "elsewhere/w_ascend_pt", rank=0, steps=(step("1"),))
    assert told(assemble([summary, own, other])) == [
        ("elsewhere/w_ascend_pt", 0, None, ["1"]),
        ("run/cluster_analysis_output", 0, None, ["1"]),
        (FOLDER, 1, None, ["1"]),
    ]


def test_steps_that_several_files_tell_are_put_together():
    table = Measures(
        "step_trace",
        FOLDER,
        steps=(step("10", computing_us=1.0, free_us=9.0), step("9", free_us=8.0)),
    )
    trace = Measures(
        "trace",
        FOLDER,
        steps=(
            step("9", "trace_view.json", 1100.0, fetch_us=5.0, begin_us=7.0),
            step("10", "trace_view.json", 1200.0, fetch_us=6.0, begin_us=8.0),
            step("11", "trace_view.json", 1300.0, fetch_us=7.0, begin_us=9.0),
        ),
    )
    for order in permutations([table, trace]):
        [profile] = assemble(order)
        assert profile.steps == (
            step("9", free_us=8.0, fetch_us=5.0, begin_us=7.0),
            step("10", computing_us=1.0, free_us=9.0, fetch_us=6.0, begin_us=8.0),
            step("11", "trace_view.json", 1300.0, fetch_us=7.0, begin_us=9.0),
        )


def test_a_name_that_one_file_uses_twice_is_two_steps():
    rows = (step("1", free_us=1.0), step("1", free_us=2.0))
    [profile] = assemble([Measures("step_trace", FOLDER, steps=rows)])
    assert profile.steps == rows


NESTED = f"{FOLDER}/PROF_1/mindstudio_profiler_output"


@pytest.mark.parametrize(
    ("formats", "kind", "chosen"),
    [
        ([("kernel_details", "a"), ("op_statistic", "b"), ("database", "c")], "kernel", ["a"]),
        ([("op_statistic", "b"), ("database", "c"), ("trace", "d")], "ai_cpu", ["b"]),
        ([("database", "c"), ("trace", "d")], "kernel", ["c"]),
        ([("kernel_details", "a"), ("communication", "e")], "collective", ["e"]),
        ([("api_statistic", "f"), ("database", "c")], "compile", ["f"]),
        ([("analysis", "g"), ("database", "c")], "collective", ["g"]),
        ([("kernel_details", "a"), ("trace", "d")], "fetch", ["a"]),
    ],
)
def test_the_most_exact_file_is_believed(formats, kind, chosen):
    parts = [Measures(name, FOLDER, tallies=(tally(kind, text, 5.0),)) for name, text in formats]
    for order in permutations(parts):
        [profile] = assemble(order)
        assert [item.name for item in profile.tallies] == chosen


def test_exports_of_cann_within_a_profile_do_not_count_again():
    parts = [
        Measures(
            "op_statistic",
            FOLDER,
            tallies=(tally("kernel", name, 5.0, f"{folder}/op_statistic.csv"),),
        )
        for name, folder in (("inner", NESTED), ("outer", OUTPUT))
    ]
    for order in permutations(parts):
        [profile] = assemble(order)
        assert [item.name for item in profile.tallies] == ["outer"]


def test_of_exports_the_last_one_counts_and_the_parts_of_a_table_count_together():
    names = [
        "op_summary_20260102030405.csv",
        "op_summary_slice_0_20260102030500.csv",
        "op_summary_slice_1_20260102030500.csv",
    ]
    parts = [
        Measures("op_summary", "run/PROF_1", tallies=(tally("kernel", n, 5.0, f"run/PROF_1/{n}"),))
        for n in names
    ]
    for order in permutations(parts):
        [profile] = assemble(order)
        assert {item.name for item in profile.tallies} == set(names[1:])


@pytest.mark.parametrize(
    ("operators", "calls", "chosen"),
    [(60.0, 100.0, "aten::item"), (40.0, 100.0, "aclrtSynchronizeStream")],
)
def test_a_wait_is_told_by_its_operator_if_that_explains_it(operators, calls, chosen):
    parts = [
        Measures("operators", FOLDER, tallies=(tally("sync", "aten::item", operators),)),
        Measures(
            "api_statistic", FOLDER, tallies=(tally("sync", "aclrtSynchronizeStream", calls),)
        ),
    ]
    for order in permutations(parts):
        [profile] = assemble(order)
        assert [item.name for item in profile.tallies] == [chosen]


def test_memory_of_a_component_is_told_once():
    def curve(format, reserved, device):
        peak = Sample(1.0, reserved)
        memory = Memory("PTA", device, peak, proof(f"{OUTPUT}/{format}.csv"))
        return Measures(format, FOLDER, memory=(memory,))

    parts = [
        curve("memory", 5.0, "NPU:0"),
        curve("operator_memory", 4.0, "NPU:0"),
        curve("database", 6.0, "0"),
    ]
    for order in permutations(parts):
        [profile] = assemble(order)
        assert [memory.peak.reserved for memory in profile.memory] == [5.0]


def test_files_that_say_nothing_make_no_profile():
    assert assemble([Measures("silent", FOLDER), Measures("profiler_info", FOLDER, rank=1)]) == ()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["10", "9", "11"], ["9", "10", "11"]),
        (["b", "a"], ["b", "a"]),
        (["2", ""], ["2", ""]),
        (["2", "1" * 5000], ["2", "1" * 5000]),
    ],
)
def test_steps_are_in_the_order_of_their_numbers(given, expected):
    parts = [Measures("step_trace", FOLDER, steps=tuple(map(step, given)))]
    assert told(assemble(parts)) == [(FOLDER, None, None, expected)]


def test_times_of_steps_go_before_numbers():
    begins = (("1", 30.0), ("2", 10.0), ("3", 20.0))
    steps = tuple(step(name, begin_us=begin) for name, begin in begins)
    parts = [Measures("step_trace", FOLDER, steps=steps)]
    assert told(assemble(parts)) == [(FOLDER, None, None, ["2", "3", "1"])]
