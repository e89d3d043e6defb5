"""Scenarios run from end to end, with programs that need no torch."""

from __future__ import annotations

import html
import json
import os
import sys
import time
from dataclasses import replace

import pytest

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.scenarios import evidence as stored
from ascend_doctor.harness.scenarios import runner, verify
from ascend_doctor.harness.scenarios.children import Children, Exit, Stopped
from ascend_doctor.harness.scenarios.export import export
from ascend_doctor.harness.scenarios.model import Criterion, Decoy, Support
from ascend_doctor.harness.scenarios.page import render, write_index
from ascend_doctor.harness.scenarios.trial import KEPT


def test_a_scenario_is_verified_and_its_evidence_holds(proof, schema_of):
    found, path = proof
    assert found.is_proof
    assert found.decoy_conclusion.reason["en"] == "finite is 1, and must be == 2"
    assert {role: dict(runs[0].config) for role, runs in found.runs.items()} == {
        "broken": {"normalise": "micro-batch", "learning_rate": 0.1, "sleep": 0, **_GIVEN},
        "fixed": {"normalise": "tokens", "learning_rate": 0.1, "sleep": 0, **_GIVEN},
        "decoy": {"normalise": "micro-batch", "learning_rate": 1e-4, "sleep": 0, **_GIVEN},
    }
    told = json.loads(path.read_text(encoding="utf-8"))
    schema_of("evidence-1").validate(told)
    assert told == stored.as_dict(found)
    assert told["config"]["changed"] == {
        "fixed": {"normalise": ["micro-batch", "tokens"]},
        "decoy": {"learning_rate": [0.1, 1e-4]},
    }
    assert verify.verify(path).wrong == ()
    files = {file.name for file in path.parent.rglob("*") if file.is_file()}
    assert files == {stored.NAME, *KEPT, "report.json", "report.html"}


SAID = {"en": "no", "zh": "无"}
_GIVEN = {"seed": 0, "device": "cpu"}


@pytest.mark.parametrize(
    ("file", "old", "new", "wrong"),
    [
        (
            "broken/log.txt",
            "nan",
            "2.4",
            [
                "broken/log.txt is not the file that was judged",
                "broken: its log is diagnosed otherwise now: nothing",
                "fixed: the configuration does not follow from the diagnosis or the decoy",
                "the verdict is MISDIAGNOSED, not VERIFIED",
                "the verdict of the decoy is None, not NOT_FIXED",
            ],
        ),
        (
            "fixed/metrics.json",
            '"finite": 2',
            '"finite": 1',
            [
                "fixed/metrics.json is not the file that was judged",
                "fixed: the metrics are not those that the program wrote",
                "the verdict is NOT_FIXED, not VERIFIED",
                "fixed: a criterion does not hold as it is said to",
            ],
        ),
        (
            "evidence.json",
            '"bound": 1e-05,',
            '"bound": 10,',
            ["the criteria are not those of this scenario"],
        ),
        (
            "evidence.json",
            '"verdict": "NOT_FIXED"',
            '"verdict": "VERIFIED"',
            ["the verdict of the decoy is NOT_FIXED, not VERIFIED"],
        ),
        (
            "evidence.json",
            '"device": "cpu",\n  "hardware"',
            '"device": "npu:0",\n  "hardware"',
            [
                "broken: the configuration is not that of this scenario",
                "decoy: the configuration does not follow from the diagnosis or the decoy",
            ],
        ),
        (
            "evidence.json",
            '"level": "analogue"',
            '"level": "real"',
            ["a cpu cannot give evidence of an NPU", "support on cpu is not real"],
        ),
        (
            "decoy/program.py",
            "2.5",
            "2.6",
            [
                "decoy/program.py is not the file that was judged",
                "decoy/program.py is not the program of this scenario",
            ],
        ),
    ],
)
def test_what_was_changed_afterwards_is_found(proof, file, old, new, wrong):
    _, path = proof
    changed = path.parent / file
    text = changed.read_text(encoding="utf-8")
    assert old in text
    changed.write_text(text.replace(old, new), encoding="utf-8")
    assert [*verify.verify(path).wrong] == wrong


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("[]", "no schema_version"),
        ('{"schema_version": "2.0"}', "has schema 2.0; this version reads 1.0"),
        ('{"schema_version": "1.0"}', "no evidence as its schema says"),
        ('{"schema_version": "1.0", "scenario": {"id": "zz"}}', "no scenario zz"),
    ],
)
def test_what_is_no_evidence_is_said_to_be_none(tmp_path, text, said):
    path = tmp_path / "evidence.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(HarnessError, match=said):
        verify.verify(path)


@pytest.mark.parametrize(
    ("changed", "verdict", "roles"),
    [
        ({"support": lambda machine: Support("unavailable", SAID)}, "UNSUPPORTED", []),
        ({"criteria": (Criterion("broken", "finite", "==", 7),)}, "NOT_REPRODUCED", ["broken"]),
        ({"timeout_s": 0.3, "broken": {"sleep": 60}}, "NOT_REPRODUCED", ["broken"]),
        ({"criteria": (Criterion("fixed", "finite", "==", 7),)}, "NOT_FIXED", [*stored.ROLES]),
    ],
)  # fmt: skip
def test_a_run_stops_where_the_verdict_is_clear(fake, evidence, changed, verdict, roles):
    found = evidence(fake(**changed))
    assert (found.conclusion.verdict, [*found.runs]) == (verdict, roles)
    assert not found.is_proof


def test_a_decoy_that_passes_is_no_proof(fake, evidence):
    found = evidence(fake(decoy=Decoy({"en": "x", "zh": "x"}, {"normalise": "tokens"})))
    assert found.conclusion.verdict == found.decoy_conclusion.verdict == "VERIFIED"
    assert not found.is_proof


def test_real_evidence_of_a_cpu_is_refused(fake, evidence):
    with pytest.raises(HarnessError, match="only an NPU can give real evidence"):
        evidence(fake(support=lambda machine: Support("real")))


def test_a_sample_is_made_of_evidence_that_holds_only(proof, tmp_path):
    _, path = proof
    folder = export(path, tmp_path / "samples")
    assert folder.name == "numerics-harness-f0-fake"
    assert {file.relative_to(folder).as_posix() for file in folder.rglob("*.*")} == {
        "PROVENANCE.json",
        "SOURCE.md",
        "program.py",
        *(f"{state}/{name}" for state in ("broken", "fixed") for name in KEPT[1:]),
    }
    assert (folder / "broken/log.txt").read_text() == "step 1 loss: 2.5\nstep 2 loss: nan\n"
    (path.parent / "fixed/log.txt").write_text("step 1 loss: nan\n", encoding="utf-8")
    with pytest.raises(HarnessError, match="only evidence that holds is exported"):
        export(path, tmp_path / "samples")


def test_the_page_shows_the_runs_side_by_side_and_what_they_are_not(proof):
    found, _ = proof
    text = render(found)
    for said in (
        "Fixed as diagnosed",
        "micro-batch → tokens",
        "numerics-loss-not-finite",
        "不是 NPU",
    ):
        assert said in text
    assert "This is no evidence of what an NPU does." in text
    assert "<script" not in text
    title = f"{found.scenario.id}: {found.scenario.title['en']} · ascend-doctor harness"
    assert f"<title>{html.escape(title)}</title>" in text
    assert '<a href="../index.html">← <span lang="en">All scenarios</span>' in text


def test_the_index_says_what_each_scenario_is_in_both_languages(proof, tmp_path):
    found, _ = proof
    title = {"en": "a < b", "zh": "甲 < 乙"}
    write_index([replace(found, scenario=replace(found.scenario, title=title))], tmp_path)
    assert (tmp_path / "index.html").read_text(encoding="utf-8").splitlines()[-4:] == [
        "<ul>",
        f'<li><a href="{found.scenario.id}/index.html">{found.scenario.id}</a> '
        f"<strong>{found.conclusion.verdict}</strong> · {found.support.level}<br>"
        '<span lang="en">a &lt; b</span> <span lang="zh-CN" class="other">甲 &lt; 乙</span></li>',
        "</ul>",
        "</html>",
    ]


def test_a_hanging_program_is_killed_with_all_that_it_started(tmp_path):
    code = (
        "from subprocess import *; p = Popen(['sleep', '600']); print(p.pid, flush=True); p.wait()"
    )
    with Children() as children:
        ended = children.run(
            [sys.executable, "-c", code],
            log=tmp_path / "log",
            folder=tmp_path,
            environment=dict(os.environ),
            timeout_s=2.0,
        )
    assert ended == Exit(None)
    assert not _runs(int((tmp_path / "log").read_text()))


def test_what_still_runs_ends_when_the_children_are_closed(fake, settings):
    scenario = fake(broken={"normalise": "x", "learning_rate": 0, "sleep": 600})
    children = Children()

    def tell(scenario, role, repeat):
        # As Ctrl-C comes, from another thread.
        from threading import Timer

        Timer(0.5, children.close).start()

    start = time.monotonic()
    with pytest.raises(Stopped):
        [*runner.run_all([scenario], replace(settings, tell=tell), children)]
    assert time.monotonic() - start < 60
    with pytest.raises(Stopped):
        runner.run_one(scenario, settings, children)


def test_all_runs_of_a_state_must_hold_and_are_kept(fake, settings):
    with Children() as children:
        found = runner.run_one(fake(), replace(settings, repeats=2), children)
    assert found.is_proof
    folders = {run["folder"] for run in stored.as_dict(found)["runs"]}
    assert folders == {"broken", "broken-2", "fixed", "fixed-2", "decoy", "decoy-2"}


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False
