"""Long healthy logs stay clean, a stop on purpose is a remark, and one fault in them is found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.field.longrun import KINDS, run_log, with_fault

LINES = 3000
# Where only the end or one message counts.
FEWER_LINES = 1500
FAULTS = yaml.safe_load(Path(__file__).with_name("longrun_faults.yaml").read_text(encoding="utf-8"))
STOPS = [(kind, stop) for kind, texts in KINDS.items() for stop in texts["stops"]]
# Each kind of run hides three faults, and each fault hides in three kinds.
HIDDEN = [
    (kind, FAULTS[(number + shift) % len(FAULTS)], (0.5, 0.8, 1.0)[shift // 3])
    for number, kind in enumerate(KINDS)
    for shift in (0, 3, 6)
]
ON_PURPOSE = {
    "framework-error-stopped",
    "framework-error-server-shutdown",
    "framework-error-job-cancelled",
}


@pytest.fixture
def report(run, tmp_path):
    """Analyse the lines of a log."""

    def analyse(lines):
        path = tmp_path / "run.log"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return json.loads(run("analyze", path, "--format", "json").stdout)

    return analyse


def said(report):
    """Return the rules of warning and above, the remarks on a stop, and what nobody knows."""
    rules = [d["rule"] for d in report["diagnoses"] if d["severity"] != "info"]
    stops = [d["rule"] for d in report["diagnoses"] if d["rule"] in ON_PURPOSE]
    return rules, stops, [item["template"] for item in report["unexplained"]]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_a_long_healthy_log_is_clean(report, kind, seed):
    found = report(run_log(kind, LINES, seed))
    assert (found["status"], said(found)) == ("clean", ([], [], []))


@pytest.mark.parametrize(("kind", "stop"), STOPS, ids=[f"{k}-{s['rule']}" for k, s in STOPS])
def test_a_stop_on_purpose_is_said_once(report, kind, stop):
    found = report(run_log(kind, FEWER_LINES, seed=7, end=stop["log"]))
    assert (found["status"], said(found)) == ("clean", ([], [stop["rule"]], []))


@pytest.mark.parametrize(
    ("kind", "fault", "place"), HIDDEN, ids=[f"{f['rule']}-in-{k}" for k, f, _ in HIDDEN]
)
def test_one_fault_in_a_long_log_comes_first(report, kind, fault, place):
    log = run_log(kind, FEWER_LINES, seed=11)
    found = report(with_fault(log, fault["log"], place))
    assert said(found)[0] == [fault["rule"]]


def test_a_fault_before_the_stop_stays_the_cause(report):
    stopped = run_log("megatron", FEWER_LINES, seed=5, end=KINDS["megatron"]["stops"][0]["log"])
    fault = next(f for f in FAULTS if f["rule"] == "framework-error-python-exception")
    found = report(with_fault(stopped, fault["log"], place=0.6))
    assert said(found) == ([fault["rule"]], ["framework-error-stopped"], [])


def test_a_stop_in_an_earlier_run_of_the_file_explains_nothing(report):
    first = run_log("transformers", 400, seed=1, end=KINDS["transformers"]["stops"][0]["log"])
    lost = "RuntimeError: DataLoader worker (pid(s) 2210) exited unexpectedly"
    found = report([*first, *with_fault(run_log("transformers", 800, seed=2), lost, place=0.9)])
    assert said(found)[0] == ["dataload-loader-worker-exited"]


def test_workers_that_go_with_their_process_are_part_of_the_stop(report):
    lost = "RuntimeError: DataLoader worker (pid(s) 2210) exited unexpectedly"
    log = run_log("transformers", 400, seed=1, end=KINDS["transformers"]["stops"][0]["log"])
    assert said(report([*log, lost])) == ([], ["framework-error-stopped"], [])
