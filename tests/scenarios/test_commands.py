"""What the commands say, and their exit codes; none of these needs torch."""

from __future__ import annotations

import shutil

from ascend_doctor.harness.scenarios import evidence as stored
from tests.conftest import ROOT


def test_the_list_says_how_near_each_comes_to_an_npu(run):
    import ascend_doctor.harness.scenarios as scenarios

    done = run("harness", "list")
    *listed, between, note = done.stdout.splitlines()
    lines = [line.split()[:5] for line in listed]
    near = {
        "f2-library-missing": ("emulated", "real"),
        "f4-buffer-oom": ("analogue", "analogue"),
        "graph-cache": ("analogue", "analogue"),
    }
    assert lines == [
        [item.id, "cpu", cpu, "npu", npu]
        for item in scenarios.all_scenarios()
        for cpu, npu in [near.get(item.id, ("analogue", "real"))]
    ]
    assert (between, note) == (
        "",
        "This is what a run on such a device would give. None has been seen on an NPU yet: "
        "docs/hardware.md.",
    )
    chinese = run("harness", "list", "--lang", "zh").stdout
    assert "找不到 libascendcl.so" in chinese
    assert "尚无任何场景在 NPU 上实际运行过" in chinese


def test_the_list_does_not_say_that_nothing_was_seen_once_something_was():
    for name, said in (("hardware.md", "**NPU evidence: none yet.**"), ("hardware.zh.md", "尚无")):
        assert said in (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_evidence_that_holds_is_told_and_that_which_does_not(proof, run, tmp_path):
    _, path = proof
    done = run("harness", "verify", path.parent.parent)
    assert (done.exit_code, done.stdout.split()) == (
        0,
        ["HOLDS", "f0-fake", "VERIFIED", "analogue"],
    )
    done = run("harness", "export", path, "-o", tmp_path / "samples")
    assert done.exit_code == 0
    assert done.stdout == f"{tmp_path}/samples/numerics-harness-f0-fake\n"

    shutil.rmtree(path.parent / "fixed")
    done = run("harness", "verify", path)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0].split()[0] == "WRONG"
    assert "       fixed: its files are missing" in done.stdout.splitlines()

    done = run("harness", "verify", tmp_path / "samples")
    assert done.exit_code == 2
    assert done.stderr == f"error: {tmp_path}/samples: holds no {stored.NAME}\n"


def test_what_is_to_be_run_must_be_said_and_be_there(run, tmp_path):
    out = tmp_path / "out"
    done = run("harness", "run", "-o", out)
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (
        2,
        "Error: give either ids of scenarios or --all",
    )
    assert run("harness", "run", "--all", "f1", "-o", out).exit_code == 2
    done = run("harness", "run", "f9", "-o", out)
    assert done.exit_code == 2
    assert done.stderr.startswith("error: no scenario f9; one of f")
    assert not out.exists()
