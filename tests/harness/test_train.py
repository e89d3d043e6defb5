"""``harness train`` as it is typed, alone and as two ranks."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys

import pytest
import torch

from ascend_doctor.harness import devices
from ascend_doctor.harness.train.loop import train
from tests.harness.conftest import TINY

SET = [part for key, value in TINY.items() for part in ("--set", f"{key}={value}")]


def test_a_training_says_what_it_does(run, tmp_path):
    done = run("harness", "train", "--device", "cpu", "--out", tmp_path / "out", *SET)
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0] == "data: mix, 267 documents"
    assert lines[1].startswith("batching: packed, 9")
    assert lines[2] == (
        "attention: the plain loop; torch has no kernel for documents of varying length on cpu"
    )
    assert lines[3].startswith("model: 4,944 parameters on cpu (")
    assert lines[4].startswith("6 steps, loss 4.")
    assert " held out 4." in lines[4]


def test_it_learns(run, tmp_path):
    done = run(
        "harness", "train", "--device", "cpu", "--out", tmp_path, *SET,
        "--set", "training.steps=120", "--set", "training.learning_rate=0.02",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    held_out = float(done.output.rpartition("held out ")[2].split(",")[0])
    # 4.16 nats is to know nothing, 0.91 all there is to know.
    assert held_out < 3.4


def test_a_profile_is_written(run, tmp_path):
    done = run(
        "harness", "train", "--device", "cpu", "--out", tmp_path / "out", "--profile",
        tmp_path / "profile", *SET,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    with gzip.open(tmp_path / "profile" / "trace.rank0.json.gz") as file:
        names = {event.get("name") for event in json.load(file)["traceEvents"]}
    assert {"ProfilerStep#3", "ProfilerStep#4", "ProfilerStep#5"} <= names


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--device", "tpu"), "error: no device is called 'tpu'"),
        (("--set", "training.steps"), "write it as section.key=value"),
        (("--set", "training.stepz=3"), "error: training.stepz: no such key; steps was meant?"),
        (("--preset", "huge"), "error: preset: must be one of tiny, small, 160m, 1b"),
        (("--policy", "best"), "error: batching.policy: must be one of padded"),
        (("--data", "none.jsonl"), "error: none.jsonl: no such file or directory"),
        (("--set", "training.attention=fast"), "error: attention fast does not work on cpu: there"),
    ],
)
def test_what_is_wrong_is_one_line(run, tmp_path, options, message):
    if "--device" not in options:
        options = ("--device", "cpu", *options)
    done = run("harness", "train", "--out", tmp_path, *options)
    assert done.exit_code == 2
    assert message in done.output
    assert "Traceback" not in done.output


def test_without_torch_it_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from ascend_doctor.cli import main\n"
        "main(['harness', 'train', '--device', 'cpu', '--out', 'out'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**devices.environment(), "PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        2,
        'error: the harness needs torch: pip install "ascend-doctor[harness]"\n',
    )


def test_two_ranks_learn_what_one_does(run, tmp_path):
    """Two ranks of one batch each take the step that one rank takes on two."""
    options = [*SET, "--set", "training.precision=fp64", "--device", "cpu"]
    subprocess.run(
        [
            sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2",
            "--master-port", "0", "--rdzv-backend", "c10d", "--rdzv-endpoint", "127.0.0.1:0",
            "-m", "ascend_doctor", "harness", "train", "--out", str(tmp_path / "two"), *options,
        ],
        env=devices.environment(), check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    done = run(
        "harness", "train", "--out", tmp_path / "one", *options, "--set", "training.accumulate=2"
    )
    assert done.exit_code == 0, done.output
    two, one = (
        torch.load(tmp_path / name / "step-00000006.pt", weights_only=True)["model"]
        for name in ("two", "one")
    )
    for name, weight in one.items():
        torch.testing.assert_close(two[name], weight, rtol=1e-9, atol=1e-11)
    ranks = [
        [json.loads(line) for line in path.read_text().splitlines()]
        for path in sorted((tmp_path / "two").glob("metrics.rank*.jsonl"))
    ]
    assert [[line["rank"] for line in lines] for lines in ranks] == [[0] * 6, [1] * 6]
    assert [line["loss"] for line in ranks[0]] == [line["loss"] for line in ranks[1]]


def test_its_metrics_are_read_by_analyze(run, tmp_path):
    done = run("harness", "train", "--device", "cpu", "--out", tmp_path, *SET)
    assert done.exit_code == 0, done.output
    report = json.loads(run("analyze", tmp_path, "-f", "json").stdout)
    assert report["status"] == "clean"
    [track] = report["breakdown"]["tracks"]
    assert (track["rank"], track["steps"]) == (0, 6)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_how_far_it_is(cpu, tiny, tmp_path):
    terminal, pipe = Terminal(), io.StringIO()
    train(tiny(), cpu, tmp_path / "a", terminal=terminal)
    train(tiny(), cpu, tmp_path / "b", terminal=pipe)
    assert "6/6" in terminal.getvalue()
    assert " effective  data " in terminal.getvalue()
    assert pipe.getvalue() == ""
