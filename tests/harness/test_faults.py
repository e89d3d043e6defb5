"""What is wrong with data, disk, workers or numbers is one clear line."""

from __future__ import annotations

import errno
import json
import os
import signal

import numpy as np
import pytest
import torch

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.ranks import Ranks
from ascend_doctor.harness.train import checkpoint, corpus
from ascend_doctor.harness.train.batches import Planned
from ascend_doctor.harness.train.loop import Training, train

WANTED = "give a .jsonl file with text or input_ids, or an .npz file with tokens and lengths"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": holds no document of two tokens or more"),
        ('{"input_ids": [1, 2]}\n{"input_ids": [1, 2\n', f":2: no JSON; {WANTED}"),
        ("[1, 2]\n", f":1: JSON, but no object; {WANTED}"),
        ('{"tokens": [1]}\n', ":1: has neither text nor input_ids"),
        ('{"input_ids": [1, 64]}\n', ":1: input_ids must be whole numbers from 0 to 63"),
        ('{"input_ids": [1, -1]}\n', ":1: input_ids must be whole numbers from 0 to 63"),
        ('{"input_ids": [1, true]}\n', ":1: input_ids must be whole numbers from 0 to 63"),
        ('{"text": "ab"}\n', ":1: text is trained on byte by byte, which takes a model.vocab of "
         "257 or more"),
        ('{"input_ids": [7]}\n', ": holds no document of two tokens or more"),
    ],
)  # fmt: skip
def test_lines_that_are_no_documents(tmp_path, text, message):
    path = tmp_path / "data.jsonl"
    path.write_text(text)
    with pytest.raises(HarnessError) as caught:
        corpus.read(path, 64, 16)
    assert str(caught.value) == f"{path}{message}"


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"tokens": np.array([1, 2])}, "lengths is not a file in the archive; "),
        ({"tokens": np.ones(3), "lengths": np.array([3])}, "tokens must be one row of whole"),
        ({"tokens": np.array([1, 2]), "lengths": np.array([3])}, "lengths sum up to 3, but there"),
        ({"tokens": np.array([1, 2]), "lengths": np.array([3, -1])}, "lengths sum up to 2, but"),
        ({"tokens": np.array([1, 64]), "lengths": np.array([2])}, "token 64 lies outside of the"),
        ({"tokens": np.array([1, 2**40]), "lengths": np.array([2])}, "token 1099511627776 is none"),
        ({"tokens": np.array([{}]), "lengths": np.array([1])}, "Object arrays cannot be loaded"),
    ],
)  # fmt: skip
def test_arrays_that_are_no_documents(tmp_path, arrays, message):
    path = tmp_path / "data.npz"
    np.savez(path, **arrays)
    with pytest.raises(HarnessError) as caught:
        corpus.read(path, 64, 16)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_files_of_documents_are_read(tmp_path):
    lines = tmp_path / "data.jsonl"
    lines.write_text('{"text": "abc"}\n\n{"input_ids": [5, 6]}\n{"text": ""}\n', encoding="utf-8")
    found = corpus.read(lines, 300, 3)
    assert [found[n].tolist() for n in range(len(found))] == [[97, 98, 99], [5, 6]]
    assert (found.cut, found.left_out) == (1, 1)
    arrays = tmp_path / "data.npz"
    np.savez(arrays, tokens=np.arange(7, dtype=np.uint16), lengths=np.array([2, 5]))
    found = corpus.read(arrays, 300, 8)
    assert [found[n].tolist() for n in range(len(found))] == [[0, 1], [2, 3, 4, 5, 6]]


def test_a_broken_archive_is_one_line(tmp_path):
    path = tmp_path / "data.npz"
    path.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(HarnessError, match=f"^{path}: "):
        corpus.read(path, 64, 16)


def test_too_little_data_is_one_line(cpu, tiny, tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text('{"input_ids": [1, 2, 3]}\n')
    with pytest.raises(HarnessError) as caught:
        train(tiny(data__source=str(path)), cpu, tmp_path)
    assert str(caught.value) == "the data has 1 documents, so 4 cannot be held out"


def test_a_full_disk_leaves_the_checkpoints_before_it(cpu, tiny, tmp_path, monkeypatch):
    fsync, calls = os.fsync, []

    def full(handle):
        calls.append(handle)
        if len(calls) > 4:  # file and folder of two checkpoints
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(handle)

    monkeypatch.setattr(checkpoint.os, "fsync", full)
    with pytest.raises(HarnessError) as caught:
        train(tiny(training__checkpoint_every=1), cpu, tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / 'step-00000003.pt'} cannot be written: no space left on device; "
        "earlier checkpoints are as they were"
    )
    assert sorted(path.name for path in tmp_path.glob("*.pt")) == [
        "step-00000001.pt",
        "step-00000002.pt",
    ]
    monkeypatch.undo()
    train(tiny(training__checkpoint_every=1), cpu, tmp_path, resume=True)
    assert (tmp_path / "step-00000006.pt").exists()


def test_a_write_that_fails_midway_is_told_as_the_system_does(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    (tmp_path / f"unfinished-{os.getpid()}.pt").symlink_to("/dev/full")

    class Full(type(tmp_path)):
        """A folder in which what is written goes to a device that is full."""

        def glob(self, pattern):
            return iter(())

    with pytest.raises(HarnessError, match=r"cannot be written: (file exists|no space left)"):
        checkpoint.save(Full(tmp_path), 1, {"model": torch.zeros(100_000)}, 2)


def test_metrics_on_a_full_disk_are_one_line(cpu, tiny, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "metrics.rank0.jsonl").mkdir()
    with pytest.raises(HarnessError, match="metrics.rank0.jsonl cannot be written: is a directory"):
        train(tiny(), cpu, tmp_path / "out")


def test_a_worker_that_dies_is_one_line(cpu, tiny, tmp_path, monkeypatch):
    main = os.getpid()
    whole = Planned.__getitem__

    def killed(self, number):
        if number == 3 and os.getpid() != main:
            os.kill(os.getpid(), signal.SIGKILL)
        return whole(self, number)

    monkeypatch.setattr(Planned, "__getitem__", killed)
    with pytest.raises(HarnessError) as caught:
        train(tiny(data__workers=1), cpu, tmp_path)
    said = str(caught.value)
    assert said.startswith("DataLoader worker ")
    assert said.endswith("try fewer data.workers, or 0 to see its own error")
    assert "\n" not in said


def test_workers_change_nothing(cpu, tiny, tmp_path):
    losses = [
        train(tiny(data__workers=workers), cpu, tmp_path / str(workers)).loss for workers in (0, 2)
    ]
    assert losses[0] == losses[1]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_loss_that_is_not_finite_is_not_stepped_on(cpu, tiny, tmp_path, value):
    training = Training(tiny(), cpu, tmp_path, Ranks())
    windows = training.feed.windows(training.documents, training.progress)
    training._one(windows)
    with torch.no_grad():
        training.model.norm.weight[0] = value
    before = [parameter.clone() for parameter in training.model.parameters()]
    with pytest.raises(HarnessError, match=r"step 2: the loss is nan, so the step is not taken"):
        training._one(windows)
    for old, new in zip(before, training.model.parameters(), strict=True):
        torch.testing.assert_close(old, new, rtol=0, atol=0, equal_nan=True)


def test_a_gradient_that_is_not_finite_is_not_stepped_on(cpu, tiny, tmp_path):
    training = Training(tiny(), cpu, tmp_path, Ranks())
    weight = training.model.norm.weight
    weight.register_hook(lambda gradient: gradient * float("inf"))
    with pytest.raises(HarnessError, match=r"step 1: the gradient's norm is (inf|nan), so the"):
        training._one(training.feed.windows(training.documents, training.progress))


def test_a_scale_that_sinks_for_ever_ends_the_training(cpu, tiny, tmp_path):
    training = Training(tiny(training__precision="fp16"), cpu, tmp_path, Ranks())
    training.model.norm.weight.register_hook(lambda gradient: gradient * float("inf"))
    before = [parameter.detach().clone() for parameter in training.model.parameters()]
    windows = training.feed.windows(training.documents, training.progress)
    for _ in range(16):  # 65536 is halved down to 1
        training._one(windows)
    with pytest.raises(HarnessError, match=r"step 17: the loss scale fell below 1"):
        training._one(windows)
    for old, new in zip(before, training.model.parameters(), strict=True):
        assert torch.equal(old, new)


def test_metrics_say_what_is_read_of_them(cpu, tiny, tmp_path):
    train(tiny(training__accumulate=2, training__evaluate_every=4), cpu, tmp_path)
    text = (tmp_path / "metrics.rank0.jsonl").read_text(encoding="utf-8")
    found = [json.loads(line) for line in text.splitlines()]
    assert [line["step"] for line in found] == [1, 2, 3, 4, 5, 6]
    assert ["heldout_loss" in line for line in found] == [False, False, False, True, False, True]
    for line in found:
        assert {"rank", "loss", "data_s", "step_s", "tokens", "slots", "recompiles", "time"} < {
            *line
        }
        assert "reserved_mib" not in line  # of a CPU it is not known
        assert 0 <= line["data_s"] <= line["step_s"]
        assert 0 < line["tokens"] <= line["slots"]
