"""Each verdict, and why, from runs that are made up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ascend_doctor.harness.scenarios import judge
from ascend_doctor.harness.scenarios.children import Exit
from ascend_doctor.harness.scenarios.criteria import check
from ascend_doctor.harness.scenarios.model import Criterion, Expected, Machine, Support
from ascend_doctor.harness.scenarios.remedies import mended
from ascend_doctor.harness.scenarios.trial import Found, Trial

NAN = Found(
    rule="numerics-loss-not-finite",
    family="numerics",
    severity="error",
    file="/runs/x/broken/program.py",
    line=6,
    log_line=2,
    excerpt="step 2 loss: nan",
    remedies=(("stop-on-non-finite-loss", {}), ("divide-by-valid-tokens", {})),
)
BROKEN = Trial(
    config={"normalise": "micro-batch", "seed": 0},
    exit=Exit(0),
    metrics={"finite": 1.0, "loss": 2.5, "failed": 0.0},
    found=(NAN,),
    artefacts={},
    fault_line=6,
)
FIXED = replace(
    BROKEN,
    config={"normalise": "tokens", "seed": 0},
    metrics={"finite": 2.0, "loss": 2.5, "failed": 0.0},
    found=(),
)
EXPECTED = Expected("numerics", "numerics-loss-not-finite", is_located=True)
CRITERIA = (
    Criterion("broken", "finite", "<=", 1),
    Criterion("fixed", "finite", "==", 2),
    Criterion("fixed", "loss", "<=", 1e-5, of="distance"),
)


@pytest.mark.parametrize(
    ("changed", "expected", "verdict", "said"),
    [
        ({}, {}, None, None),
        ({"metrics": {"finite": 2.0}}, {}, "NOT_REPRODUCED", "finite is 2, and must be <= 1"),
        ({"metrics": {}}, {}, "NOT_REPRODUCED", "finite is ?, and must be <= 1"),
        (
            {"exit": Exit(None)},
            {},
            "NOT_REPRODUCED",
            "the program did not end in time and was killed",
        ),
        (
            {"found": ()},
            {},
            "MISDIAGNOSED",
            "the analyser found nothing, and should have found numerics-loss-not-finite",
        ),
        (
            {"found": (replace(NAN, severity="info"),)},
            {},
            "MISDIAGNOSED",
            "the analyser found nothing, and should have found numerics-loss-not-finite",
        ),
        (
            {"found": (replace(NAN, rule="numerics-other"), NAN)},
            {},
            "MISDIAGNOSED",
            "the analyser's root cause is numerics-other, and should be numerics-loss-not-finite",
        ),
        (
            {"found": (replace(NAN, line=7),)},
            {},
            "MISDIAGNOSED",
            "the analyser points at program.py:7; the fault is at program.py:6",
        ),
        ({"found": (replace(NAN, line=7),)}, {"is_located": False}, None, None),
        (
            {"found": (replace(NAN, file=None, line=None),)},
            {},
            "MISDIAGNOSED",
            "the analyser points at -; the fault is at program.py:6",
        ),
        (
            {"found": (replace(NAN, remedies=(("stop-on-non-finite-loss", {}),)),)},
            {},
            "MISDIAGNOSED",
            "numerics-loss-not-finite has no remedy that changes anything in this program",
        ),
    ],
)
def test_the_broken_run_must_show_the_fault_and_be_diagnosed(changed, expected, verdict, said):
    runs = [BROKEN, replace(BROKEN, **changed)]
    found = judge.before_fix(replace(EXPECTED, **expected), CRITERIA, runs)
    if verdict is None:
        assert found is None
    else:
        assert (found.verdict, found.reason["en"]) == (verdict, said)
        assert found.reason["zh"]


@pytest.mark.parametrize(
    ("changed", "verdict", "said"),
    [
        ({}, "VERIFIED", None),
        (
            {"metrics": {"finite": 1.0, "loss": 2.5, "failed": 0.0}},
            "NOT_FIXED",
            "finite is 1, and must be == 2",
        ),
        (
            {"metrics": {"finite": 2.0, "loss": 2.6, "failed": 0.0}},
            "NOT_FIXED",
            "loss: distance from the broken run is 0.1, and must be <= 1e-05",
        ),
        ({"found": (NAN,)}, "NOT_FIXED", "the analyser still finds numerics-loss-not-finite"),
        (
            {"metrics": {"finite": 2.0, "loss": 2.5, "failed": 1.0}, "exit": Exit(-9)},
            "NOT_FIXED",
            "the program ended with exit code -9",
        ),
        (
            {"metrics": {"failed": 1.0}, "exit": Exit(None)},
            "NOT_FIXED",
            "the program did not end in time and was killed",
        ),
    ],
)
def test_a_fix_must_meet_the_criteria_in_each_run_and_leave_nothing_to_find(changed, verdict, said):
    runs = [FIXED, replace(FIXED, **changed)]
    found = judge.after_change(CRITERIA, BROKEN.metrics, runs)
    assert (found.verdict, found.reason and found.reason["en"]) == (verdict, said)


def test_the_fix_is_what_the_root_cause_asks_for_and_nothing_else():
    assert judge.fix(BROKEN) == {"normalise": "tokens", "seed": 0}
    other = replace(NAN, rule="dataload-x", remedies=(("raise-num-workers", {}),))
    assert judge.fix(replace(BROKEN, found=(other, NAN))) is None
    assert judge.fix(replace(BROKEN, found=())) is None


@pytest.mark.parametrize(
    ("config", "remedies", "captures", "after"),
    [
        ({"workers": 0}, [("raise-num-workers", {})], {"data": "0.041", "step": "0.066"}, 2),
        ({"workers": 0}, [("raise-num-workers", {})], {"data": "0.9", "compute": "0.3"}, 3),
        # A step that is nothing but waiting does not ask for hundreds.
        ({"workers": 0}, [("raise-num-workers", {})], {"data": "1.0", "step": "1.0"}, 8),
        ({"workers": 0}, [("raise-num-workers", {})], {"workers": "3", "data": "9"}, 3),
        ({"workers": 0}, [("raise-num-workers", {})], {"workers": "512"}, 8),
        ({"workers": 2}, [("no-such-remedy", {})], {"data": "1.0", "step": "1.0"}, None),
    ],
)
def test_workers_follow_from_the_times_that_were_diagnosed(config, remedies, captures, after):
    found = mended(config, remedies, captures)
    assert found == (None if after is None else {"workers": after})


@pytest.mark.parametrize(
    ("own", "of", "value"),
    [
        (6.0, "value", 6.0),
        (6.0, "ratio", 2.0),
        (1.0, "distance", 2.0),
        (None, "value", None),
        (float("nan"), "ratio", None),
    ],
)
def test_a_criterion_is_held_against_a_number(own, of, value):
    found = check(Criterion("fixed", "n", ">=", 2.0, of=of), {"n": 3.0}, {"n": own})
    assert (found.value, found.holds) == (value, value is not None)
    # What the broken run did not measure cannot be compared with.
    assert check(Criterion("fixed", "n", "<=", 9, of="ratio"), {}, {"n": 1.0}).value is None


@pytest.mark.parametrize(
    ("level", "machine", "dishonest"),
    [
        ("real", Machine("cpu", torch="2.13.0"), True),
        ("real", Machine("cuda:0", torch="2.13.0"), True),
        ("real", Machine("npu:0", torch="2.13.0"), True),
        ("real", Machine("npu:0", torch="2.13.0", torch_npu="2.13.0"), False),
        ("analogue", Machine("cpu"), False),
    ],
)
def test_only_an_npu_gives_real_evidence(level, machine, dishonest):
    assert judge.is_dishonest(Support(level), machine) is dishonest
