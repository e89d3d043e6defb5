"""A training that was ended at any point goes on as if it had not been."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time

import pytest
import torch

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness import devices
from ascend_doctor.harness.ranks import Ranks
from ascend_doctor.harness.train import checkpoint
from ascend_doctor.harness.train.loop import Training, train
from tests.harness.conftest import TINY


def weights(path):
    return torch.load(path, weights_only=True)["model"]


def lines(folder):
    text = (folder / "metrics.rank0.jsonl").read_text(encoding="utf-8")
    found = [json.loads(line) for line in text.splitlines()]
    # What depends on the clock.
    return [
        {key: value for key, value in line.items() if not key.endswith("_s") and key != "time"}
        for line in found
    ]


def same(ours, theirs):
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if not torch.equal(ours[name], theirs[name])] == []


@pytest.mark.parametrize("policy", ["packed", "grouped"])
@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
def test_resumed_equals_uninterrupted(cpu, tiny, tmp_path, policy, precision):
    config = tiny(
        batching__policy=policy,
        training__accumulate=2,
        training__precision=precision,
        training__steps=9,  # into the second epoch
        training__checkpoint_every=1,
        training__evaluate_every=3,
    )
    whole = train(config, cpu, tmp_path / "whole")
    first = Training(config, cpu, tmp_path / "parts", Ranks())
    windows = first.feed.windows(first.documents, first.progress)
    log = []
    for _ in range(5):
        log.append(first._one(windows))
        first.save()
    parts = train(config, cpu, tmp_path / "parts", resume=True)
    assert (parts.loss, parts.heldout_loss) == (whole.loss, whole.heldout_loss)
    assert parts.tokens == whole.tokens
    same(*(weights(tmp_path / name / "step-00000009.pt") for name in ("whole", "parts")))
    assert lines(tmp_path / "parts") == lines(tmp_path / "whole")[5:]


COMMAND = [
    sys.executable, "-m", "ascend_doctor", "harness", "train", "--device", "cpu", "--resume",
    *(part for key, value in TINY.items() for part in ("--set", f"{key}={value}")),
    "--set", "training.steps=40", "--set", "training.checkpoint_every=1",
]  # fmt: skip


def test_a_training_that_is_killed_at_random_points_ends_the_same(tmp_path):
    environment = devices.environment()
    out = tmp_path / "killed"
    chance = random.Random(5)
    kills = 0
    for _ in range(2):
        job = subprocess.Popen(
            [*COMMAND, "--out", str(out)], env=environment, stderr=subprocess.DEVNULL
        )
        # A while after its first checkpoint, wherever it is then.
        before = {*out.glob("step-*.pt")}
        while job.poll() is None and {*out.glob("step-*.pt")} == before:
            time.sleep(0.01)
        time.sleep(chance.random() / 4)
        job.send_signal(signal.SIGKILL)
        kills += job.wait() == -signal.SIGKILL
    assert kills == 2
    for name in ("killed", "whole"):
        subprocess.run(
            [*COMMAND, "--out", str(tmp_path / name)], env=environment, check=True,
            capture_output=True,
        )  # fmt: skip
    same(*(weights(tmp_path / name / "step-00000040.pt") for name in ("whole", "killed")))
    assert lines(out) == lines(tmp_path / "whole")


def test_a_checkpoint_that_is_cut_gives_way_to_the_one_before(cpu, tiny, tmp_path):
    config = tiny(training__checkpoint_every=1)
    train(config, cpu, tmp_path)
    last = tmp_path / "step-00000006.pt"
    expected = weights(last)
    last.write_bytes(last.read_bytes()[:-2000])
    said = []
    train(config, cpu, tmp_path, resume=True, say=said.append)
    assert said[-2].startswith(f"{last} cannot be read: ")
    assert said[-1] == f"goes on from {tmp_path / 'step-00000005.pt'}"
    same(weights(last), expected)


def test_only_checkpoints_that_cannot_be_read_are_an_error(cpu, tiny, tmp_path):
    (tmp_path / "step-00000001.pt").write_bytes(b"none")
    with pytest.raises(HarnessError, match=r"step-00000001.pt cannot be read: "):
        train(tiny(), cpu, tmp_path, resume=True)


def test_another_training_is_not_gone_on_with(cpu, tiny, tmp_path):
    train(tiny(), cpu, tmp_path)
    with pytest.raises(HarnessError) as caught:
        train(tiny(batching__batch_size=5), cpu, tmp_path, resume=True)
    assert str(caught.value) == (
        f"{tmp_path / 'step-00000006.pt'} cannot be gone on from: batching.batch_size is 5, was 4"
    )


def test_the_latest_checkpoints_are_kept(cpu, tiny, tmp_path):
    (tmp_path / "unfinished-1.pt").write_bytes(b"of a process that was killed")
    train(tiny(training__checkpoint_every=1, training__keep=3), cpu, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "metrics.rank0.jsonl",
        "step-00000004.pt",
        "step-00000005.pt",
        "step-00000006.pt",
    ]


def test_a_checkpoint_runs_no_code(tmp_path):
    class Evil:
        def __reduce__(self):
            return (print, ("run",))

    torch.save({"model": Evil()}, tmp_path / "step-00000001.pt")
    with pytest.raises(HarnessError, match="cannot be read"):
        checkpoint.latest(tmp_path)
