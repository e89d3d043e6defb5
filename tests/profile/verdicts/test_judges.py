"""Judges by themselves: where each begins to speak, and what keeps it silent."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from ascend_doctor.knowledge.index import load
from ascend_doctor.knowledge.profile import PROFILE, PROFILE_SOMETIMES
from ascend_doctor.profile.model import Card, Measures
from ascend_doctor.profile.verdicts import judge
from ascend_doctor.records import Location
from tests.conftest import ROOT
from tests.profile.verdicts.making import (
    LIMITS,
    names,
    pool,
    profile,
    proof,
    steps,
    tally,
    verdict,
)

JUDGES = ROOT / "ascend_doctor" / "profile" / "verdicts"

SINGLE = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
MULTIPLE = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def loading(*fetches, name=SINGLE, length=100, facts=None, **more):
    """Return a profile whose steps fetch for so long (ms)."""
    told = steps(*[length] * len(fetches), fetch_us=list(fetches), **more)
    return profile(
        steps=told,
        tallies=(tally("fetch", name, len(fetches), sum(fetches), step="2"),),
        facts=facts or {},
    )


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (loading(90, 30, 30, 30), ["loader_serial"]),
        (loading(90, 29, 29, 29), []),
        (loading(90, 50, 50, 50), ["loader_serial"]),
        (loading(90, 51, 51, 51), ["loader_serial_slow"]),
        (loading(90, 51, 51, 51, name=MULTIPLE), ["loader_behind"]),
        (loading(90, 51, 51, 51, facts={"workers": "4"}, name="dataloader"), ["loader_behind"]),
        (
            loading(90, 51, 51, 51, facts={"workers": "0"}, name="dataloader"),
            ["loader_serial_slow"],
        ),
        (loading(90, 51, 51, 51, name="dataloader"), ["loader_waits"]),
        (loading(90, 51, 51, 51, is_average=True), ["loader_waits"]),
        (loading(51), ["loader_waits"]),
        # The device had enough to do meanwhile.
        (loading(90, 51, 51, 51, free_us=25), []),
        (loading(90, 51, 51, 51, free_us=26), ["loader_serial_slow"]),
    ],
)
def test_a_loader_is_told_by_its_kind_and_its_time(told, expected):
    assert names(told, idle_share=1.0) == expected


def test_workers_are_computed_from_the_times():
    serial = verdict(loading(1, 80, 80, 80)).captures
    behind = verdict(loading(1, 80, 80, 80, name=MULTIPLE, facts={"workers": "4"})).captures
    assert serial["wanted"] == "4"
    assert (behind["wanted"], behind["times"]) == ("20", "5.0")


def test_a_step_that_only_fetches_asks_for_no_number_of_workers():
    found = verdict(loading(1, 100, 100, 100)).captures
    assert (found["share"], found.get("wanted")) == ("100", None)


def test_a_profile_without_steps_leaves_its_first_fetch_out():
    told = steps(1000, first=1)[0]
    whole = profile(
        steps=(type(told)("", told.proof, told.total_us),),
        tallies=(tally("fetch", SINGLE, 11, 900, longest=500),),
    )
    assert verdict(whole).captures["share"] == "80"
    quick = profile(steps=whole.steps, tallies=(tally("fetch", SINGLE, 11, 600, longest=500),))
    assert names(quick) == []


@pytest.mark.parametrize(
    ("fetches", "expected"),
    [
        ((1, 1, 1, 1, 199), []),
        ((1, 1, 1, 1, 200), ["slow_fetch"]),
        ((1, 100, 100, 100, 299), []),
        ((1, 1, 1, 1, 1, 1), []),
        ((1, 1, 300), []),
    ],
)
def test_one_slow_fetch_is_a_remark(fetches, expected):
    assert names(loading(*fetches, length=10_000)) == expected


def idle_for(*shares, **more):
    """Return steps of 100 ms that are idle for so many."""
    return steps(*[100] * len(shares), free_us=list(shares), **more)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (profile(steps=idle_for(99, 30, 30)), ["idle"]),
        (profile(steps=idle_for(99, 29, 29)), []),
        (profile(steps=idle_for(99, 40, 40, preparing_us=20)), ["prepares"]),
        (profile(steps=idle_for(99, 40, 40, preparing_us=19)), ["idle"]),
        (profile(steps=steps(100, 100)), []),
        # A row without a name is about all of a profile.
        (profile(steps=idle_for(30)), ["idle_once"]),
        (profile(steps=idle_for(29)), []),
        (profile(steps=(replace(idle_for(30)[0], name=""),)), ["idle"]),
        (profile(), []),
    ],
)
def test_idle_time_alone_is_the_last_resort(told, expected):
    assert names(told) == expected


def test_of_several_idle_devices_the_worst_is_told():
    found = verdict(*(profile(device=str(n), steps=idle_for(1, 40 + n, 40 + n)) for n in range(4)))
    assert (found.captures["device"], found.captures["ranks"]) == ("3", "4")


def rank(number, *, computing, communication, free, key="job", count=3):
    """Return a profile of a rank; times in ms."""
    told = steps(
        *[computing + communication + free] * count,
        computing_us=computing,
        communication_us=communication,
        free_us=free,
    )
    return profile(key=key, rank=number, steps=told)


@pytest.mark.parametrize(
    ("others", "late", "expected"),
    [
        ((200, 100, 0), (200, 0, 100), ["slow_rank"]),
        ((200, 100, 0), (300, 0, 0), ["uneven_ranks"]),
        ((200, 50, 0), (200, 0, 50), ["slow_rank"]),
        ((200, 49, 0), (200, 0, 49), []),
        # All communicate for long: nobody is late.
        ((200, 100, 0), (200, 99, 1), []),
        # The one with little communication has no other sign of being late.
        ((200, 100, 0), (150, 0, 40), []),
        ((50, 20, 60), (50, 0, 80), ["all_idle"]),
    ],
)
def test_the_late_rank_is_told_apart_from_those_that_wait(others, late, expected):
    told = [
        rank(number, computing=c, communication=w, free=f)
        for number, (c, w, f) in enumerate([others, others, late])
    ]
    assert names(*told) == expected
    if expected and expected != ["all_idle"]:
        assert verdict(*told).profile.rank == 2


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ([90], ["idle_once"]),
        ([90, 10, 10, 900, 10, 10, 900, 10, 10, 10, 10, 10], ["slow_steps"] * 3),
        ([10, *[10, 10, 900] * 3], ["stalls"]),
    ],
)
def test_all_ranks_that_are_idle_in_few_steps_have_no_idle_hosts(shares, expected):
    told = steps(
        *(80 + share for share in shares), computing_us=80, communication_us=0, free_us=shares
    )
    assert names(*(profile(key="job", rank=n, steps=told) for n in range(3))) == expected


@pytest.mark.parametrize(
    "keys",
    [
        ("job",) * 3,
        ("job/a", "job/b", "job/c"),
        ("a.tar.gz!prof", "b.tar.gz!prof", "c.tar.gz!prof"),
    ],
)
def test_ranks_of_a_job_are_compared_wherever_they_lie(keys):
    amounts = ((200, 100, 0), (200, 100, 0), (200, 0, 100))
    told = [
        rank(number, computing=c, communication=w, free=f, key=key)
        for number, (key, (c, w, f)) in enumerate(zip(keys, amounts, strict=True))
    ]
    assert (names(*told), verdict(*told).profile.rank) == (["slow_rank"], 2)


def test_jobs_with_the_same_ranks_are_judged_apart():
    def job(key, late):
        amounts = [(200, 0, 100) if n == late else (200, 100, 0) for n in range(3)]
        return [
            rank(n, computing=c, communication=w, free=f, key=f"{key}/{n}")
            for n, (c, w, f) in enumerate(amounts)
        ]

    found = judge([*job("one", 0), *job("two", 2)], LIMITS)
    assert [(v.name, v.profile.key) for v in found] == [
        ("slow_rank", "one/0"),
        ("slow_rank", "two/2"),
    ]


WAITS, IDLES, COMPUTES, LATER = (200, 100, 0), (200, 0, 100), (300, 0, 0), (200, 30, 70)


@pytest.mark.parametrize(
    ("amounts", "expected"),
    [
        ([WAITS, IDLES, *[WAITS] * 5, IDLES], [("slow_rank", "1", "7")]),
        ([WAITS, COMPUTES, WAITS, COMPUTES, COMPUTES, WAITS], [("uneven_ranks", "1", "3, 4")]),
        # The one that is waited for longest comes first.
        ([LATER, WAITS, IDLES, WAITS], [("slow_rank", "2", "0")]),
        ([IDLES, IDLES, WAITS], [("slow_rank", "0", "1")]),
        # For each reason, those that are late for it.
        (
            [WAITS, IDLES, COMPUTES, WAITS, WAITS],
            [("slow_rank", "1", None), ("uneven_ranks", "2", None)],
        ),
        # One has little to communicate, and nothing keeps it.
        ([WAITS, IDLES, WAITS, (150, 10, 0), WAITS], [("slow_rank", "1", None)]),
        ([IDLES, WAITS], [("slow_rank", "0", None)]),
    ],
)
def test_all_late_ranks_are_told_with_what_keeps_them(amounts, expected):
    told = [
        rank(number, computing=c, communication=w, free=f)
        for number, (c, w, f) in enumerate(amounts)
    ]
    found = [*judge(told, LIMITS)]
    assert [(v.name, v.captures["rank"], v.captures.get("late")) for v in found] == expected


def test_of_very_many_late_ranks_a_text_names_some():
    told = [
        rank(number, computing=c, communication=w, free=f)
        for number, (c, w, f) in enumerate([IDLES] * 40 + [WAITS] * 41)
    ]
    found = verdict(*told)
    assert found.captures["late"] == ", ".join([*map(str, range(1, 33)), "…"])
    assert len(found.proofs) == 8


def test_the_guilty_rank_proves_it_and_the_victim_follows():
    found = verdict(
        rank(3, computing=200, communication=100, free=0, key="job/a"),
        rank(7, computing=200, communication=0, free=100, key="job/b"),
    )
    assert [proof.origin.rank for proof in found.proofs] == [7, 3]


@pytest.mark.parametrize("second", [None, 0])
def test_ranks_that_cannot_be_told_apart_are_not_compared(second):
    told = (
        rank(0, computing=200, communication=100, free=0, key="job/a"),
        rank(second, computing=200, communication=0, free=80, key="job/b"),
    )
    assert names(*told) == []


def compiling(times, *, name="opCompile", **more):
    """Return a profile whose steps compile for so long (ms)."""
    spent = {str(n): 1000.0 * t for n, t in enumerate(times, start=1) if t}
    told = tally("compile", name, len(spent) or 1, sum(times) or 1, step="2", by_step=spent, **more)
    return profile(steps=steps(*[100] * len(times)), tallies=(told,))


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (compiling([90, 10, 10, 10]), ["operators_compiled"]),
        (compiling([90, 9, 9, 9]), []),
        (compiling([90, 0, 0, 0]), []),
        (compiling([90, 60, 60, 0]), []),
        (compiling([90, 60, 60]), ["operators_compiled"]),
        (
            compiling([0, 60, 60, 60], name="_compile.compile_inner (dynamo_timed)"),
            ["graph_compiled"],
        ),
    ],
)
def test_compiling_is_told_behind_the_warm_up(told, expected):
    assert names(told) == expected


def test_what_is_compiled_is_named_with_its_shapes():
    told = compiling([90, 30, 20, 10], name="MatMul", shapes=17)
    assert verdict(told).captures == {
        **{"operator": "MatMul", "shapes": "17", "spent": "60.0", "share": "20", "hit": "3"},
        **{"steps": "3", "left_out": "1", "each": "20.0", "worst": "30.0", "worst_step": "2"},
        "limit": "10",
    }


def test_the_file_that_knows_the_steps_is_asked_for_the_operators():
    placed = compiling([90, 30, 20, 10], name="MatMul")
    summed = tally("compile", "aclopCompileAndExecute", 4, 150)
    told = profile(
        steps=placed.steps,
        tallies=(summed,),
        measures=(Measures("trace", "run", tallies=placed.tallies),),
    )
    assert verdict(told).captures["operator"] == "MatMul"


@pytest.mark.parametrize(
    ("kernels", "ai_cpu", "expected"),
    [(950, 50, ["ai_cpu"]), (950, 49, []), (0, 1, ["ai_cpu"]), (10, 0, [])],
)
def test_ai_cpus_are_told_from_a_share_on(kernels, ai_cpu, expected):
    told = [
        tally(kind, name, 3, total)
        for kind, name, total in (("kernel", "MatMul", kernels), ("ai_cpu", "Index", ai_cpu))
        if total
    ]
    assert names(profile(tallies=tuple(told))) == expected


def hosts(*told, free=50):
    """Return a profile of ten steps with some tallies."""
    known = steps(*[100] * 10) if free is None else idle_for(*[free] * 10)
    return profile(steps=known, tallies=told)


def evaluating(*told):
    """Return a profile of twenty steps, of which two are long, with some tallies."""
    free = [5000 if place in (9, 15) else 10 for place in range(20)]
    return profile(steps=steps(*(100 + idle for idle in free), free_us=free), tallies=told)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (hosts(tally("sync", "wait", 90, 9), tally("kernel", "Add", 100, 9)), ["blocking"]),
        (hosts(tally("sync", "wait", 89, 9), tally("kernel", "Add", 100, 9)), ["idle"]),
        (hosts(tally("sync", "wait", 90, 9), tally("kernel", "Add", 99, 9)), ["idle"]),
        (hosts(tally("sync", "wait", 100, 9)), ["syncing"]),
        (hosts(tally("sync", "wait", 94, 9)), ["idle"]),
        (hosts(tally("sync", "wait", 100, 9), free=29), []),
        # Idle in two evaluations only.
        (evaluating(tally("sync", "wait", 900, 9)), ["slow_steps"]),
        (evaluating(tally("sync", "wait", 900, 9), tally("kernel", "Add", 950, 9)), ["slow_steps"]),
        (evaluating(tally("api", "aclnnAddGetWorkspaceSize", 9, 9000)), ["slow_steps"]),
        (evaluating(tally("preprocess", "Decode", 9, 9000)), ["slow_steps"]),
        (hosts(tally("sync", "wait", 100, 9), tally("kernel", "Add", 5001, 900)), ["idle"]),
        (hosts(tally("kernel", "Add", 100, 1.9), tally("host", "add", 9, 600)), ["dispatching"]),
        (hosts(tally("kernel", "Add", 100, 2.0), tally("host", "add", 9, 600)), ["idle"]),
        (hosts(tally("kernel", "Add", 100, 1.9), tally("host", "add", 9, 599)), ["idle"]),
        (hosts(tally("kernel", "Add", 99, 1.9), tally("host", "add", 9, 600)), ["idle"]),
        (hosts(tally("kernel", "Add", 100, 1.9)), ["idle"]),
        (hosts(tally("api", "aclnnAddGetWorkspaceSize", 9, 150)), ["host_tiling"]),
        (hosts(tally("api", "aclnnAddGetWorkspaceSize", 9, 149)), ["idle"]),
        (hosts(tally("api", "aclnnAddGetWorkspaceSize", 9, 150), free=29), []),
        (hosts(tally("preprocess", "Decode", 9, 150), free=30), ["preprocessing"]),
        (hosts(tally("preprocess", "Decode", 9, 149), free=30), ["idle"]),
        (hosts(tally("preprocess", "Decode", 9, 900), free=29), []),
        (hosts(tally("preprocess", "Decode", 9, 150), free=31), ["preprocessing_beside", "idle"]),
        (hosts(tally("preprocess", "Decode", 9, 150), free=None), ["preprocessing_beside"]),
        (hosts(tally("preprocess", "Decode", 9, 149), free=None), []),
    ],
)
def test_what_the_host_did_is_told_apart(told, expected):
    assert names(told) == expected


def test_a_wait_is_told_with_the_line_that_waits():
    stack = "/usr/lib/python3.11/site-packages/torch/_tensor.py(40): item;\n/job/t.py(58): step"
    found = verdict(
        hosts(
            tally("sync", "aclrtSynchronizeStream", 400, 90),
            tally("sync", "aten::item", 100, 80, detail={"stack": stack}),
        )
    )
    assert found.location == Location("/job/t.py", 58, "step")
    said = [found.captures[name] for name in ("call", "calls", "file", "line")]
    assert said == ["aten::item", "100", "/job/t.py", "58"]


def card(capacity):
    """Return a profile of what npu-smi shows of a card."""
    shown = Card(0, 0, 0, "910B3", "OK", 100.0, capacity, 5.0, proof(1))
    return profile(key="npu-smi", cards=(shown,))


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ([profile(memory=(pool((950, 980), capacity=1000.0),))], ["memory_near_full"]),
        ([profile(memory=(pool((949, 980), capacity=1000.0),))], []),
        ([profile(memory=(pool((950, 980)),))], []),
        ([profile(memory=(pool((950, 980)),)), card(1000.0)], ["memory_near_full"]),
        # Which of the two cards is meant?
        ([profile(memory=(pool((950, 980)),)), card(1000.0), card(2000.0)], []),
    ],
)
def test_capacity_is_never_guessed(told, expected):
    assert names(*told) == expected


def growing(count, *, live=lambda n: 10_000, reserved=lambda n: 20_000):
    """Return memory over some samples."""
    return profile(memory=(pool(*((live(n), reserved(n)) for n in range(count))),))


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (growing(60, live=lambda n: 10_000 + 100 * n), ["memory_leaks"]),
        (growing(20, live=lambda n: 10_000 + 300 * n), []),
        (growing(60, live=lambda n: 10_000 + 10 * n), []),
        (growing(60, live=lambda n: 10_000 + 3000 * (n % 7)), []),
        (growing(60, live=lambda n: min(15_000, 1500 * n)), []),
        (growing(60, reserved=lambda n: 20_000 + 200 * n), ["memory_fragments"]),
        (growing(60, reserved=lambda n: 20_000), []),
        (growing(60, reserved=lambda n: 12_000 + 20 * n), []),
        # Counted from what was held when recording began.
        (growing(60, live=lambda n: -1, reserved=lambda n: 20_000 + 200 * n), []),
    ],
)
def test_growth_behind_the_warm_up_decides(told, expected):
    assert names(told) == expected


def test_what_is_not_known_is_no_verdict():
    bare = pool((1, 2))
    unknown = type(bare)("PTA", None, type(bare.peak)(0.0, None), proof(1))
    assert names(profile(memory=(unknown,))) == []


def test_every_threshold_is_used_and_every_one_used_exists():
    text = "".join(path.read_text(encoding="utf-8") for path in JUDGES.glob("*.py"))
    used = set(re.findall(r'limits\[\s*"([\w-]+)"', text))
    used |= set(re.findall(r'"(padding-\w+)"', text))
    assert used == {*load().thresholds}


def test_every_verdict_has_a_rule_and_every_capture_a_name():
    told = {
        (name, capture)
        for rule in load().rules.values()
        if rule.reader == "profile"
        for name in rule.verdicts
        for capture in rule.captures
    }
    assert {name for name, _ in told} == {*PROFILE}
    known = {(n, c) for n, always in PROFILE.items() for c in always | PROFILE_SOMETIMES}
    assert told <= known


def test_more_bubble_than_communication_is_no_less_than_none():
    others = [rank(number, computing=150, communication=10, free=10) for number in range(3)]
    told = steps(210, 210, computing_us=150, communication_us=10, free_us=50, bubble_us=60)
    assert names(*others, profile(key="job", rank=3, steps=told)) == []


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ([90], ["idle_once"]),
        ([90, 10], []),
        ([90, 40], ["idle"]),
        ([50, 10, 10, 90], []),
        ([50, 10, 40, 90], ["idle"]),
        # Two evaluations.
        ([50, *[10] * 7, 490, *[10] * 7, 490, 10, 10, 10], ["slow_steps"]),
        ([50, *[10] * 7, 290, *[10] * 7, 290, 10, 10, 10], []),
        # A loader with eight workers may keep every eighth step waiting.
        ([50] + ([10] * 7 + [490]) * 3, ["stalls"]),
        ([50] + ([10] * 8 + [490]) * 3, ["slow_steps"]),
        ([50] + ([10] * 7 + [190]) * 3, []),
        # At uneven distances, a quarter of the steps.
        ([50, 490, 10, 10, 490, 10, 490, *[10] * 6], ["stalls"]),
        ([50, 490, 10, 10, 490, 10, 490, *[10] * 7], ["slow_steps"]),
        # Most steps, and two evaluations.
        ([50, *[40] * 9, 4900, *[40] * 9, 4900], ["idle"]),
    ],
)
def test_one_idle_step_of_few_is_no_idle_device(shares, expected):
    told = steps(*[max(100, share + 50) for share in shares], free_us=shares)
    assert names(profile(steps=told)) == expected


def test_stalls_are_counted_with_their_distance_and_their_share_of_all_time():
    told = steps(*[100, *[100, 100, 100, 300] * 3], free_us=[10, *[10, 10, 10, 210] * 3])
    assert verdict(profile(rank=1, steps=told)).captures == {
        **{"rank": "1", "count": "3", "steps": "12", "every": "4", "share": "40"},
        **{"idle": "630.0", "worst": "210.0", "worst_step": "5", "limit": "30"},
    }


@pytest.mark.parametrize(
    ("fetches", "expected"),
    [
        # Two validations, whose loader fetches in the step before.
        ([2, *[2] * 8, 5000, *[2] * 8, 5000], ["slow_fetch", "slow_steps"]),
        ([2, *[2] * 7, 5000, *[2] * 7, 5000, *[2] * 7, 5000], ["loader_serial_slow"]),
    ],
)
def test_fetches_of_a_few_steps_are_no_slow_loader(fetches, expected):
    told = steps(*(100 + took for took in fetches), fetch_us=fetches)
    assert names(profile(steps=told, tallies=(tally("fetch", SINGLE, 9, 99),))) == expected


@pytest.mark.parametrize(("count", "expected"), [(1, []), (2, []), (3, ["memory_leaks"])])
def test_memory_that_rises_within_a_step_is_no_leak(count, expected):
    growth = pool(*((10_000 + 500 * n, 50_000) for n in range(60)))
    assert names(profile(steps=steps(*[100] * count), memory=(growth,))) == expected


@pytest.mark.parametrize(
    ("late", "expected"),
    [
        ([0, 1000, 0], []),
        ([0, 1000, 1000], ["slow_rank"]),
        ([0, 0, 1000, 0, 1000, 1000], ["slow_rank"]),
        # Two checkpoints, and a loader with four workers.
        ([0, *[0] * 8, 1000, *[0] * 8, 1000], ["slow_steps"] * 4),
        ([0, *[0, 0, 0, 1000] * 4], ["slow_rank"]),
    ],
)
def test_a_rank_that_is_late_once_in_few_steps_is_not_slow(late, expected):
    lengths = [130 + extra for extra in late]
    waits = [30 + extra for extra in late]
    others = steps(*lengths, computing_us=100, communication_us=waits, free_us=0)
    told = steps(*lengths, computing_us=100, communication_us=30, free_us=late)
    ranks = [profile(key="job", rank=number, steps=others) for number in range(3)]
    assert names(*ranks, profile(key="job", rank=3, steps=told)) == expected


@pytest.mark.parametrize(
    ("free", "expected"), [(14, []), (15, ["operators_compiled"]), (None, ["operators_compiled"])]
)
def test_compiling_costs_nothing_while_the_device_has_enough_to_do(free, expected):
    told = steps(*[100] * 5, compile_us=30, free_us=free) if free else steps(*[100] * 5)
    opcompile = tally("compile", "opCompile", 5, 150, by_step={str(n): 3e4 for n in range(1, 6)})
    assert names(profile(steps=told, tallies=(opcompile,))) == expected
