"""Configurations: files in two formats, and what is wrong in one is a line."""

from __future__ import annotations

import pytest

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.train import config
from ascend_doctor.harness.train.config import Config
from ascend_doctor.harness.train.model import PRESETS

TOML = """
[model]
preset = "160m"
layers = 2
[batching]
policy = "gears"
gears = [256, 1024]
[training]
learning_rate = 1
"""
YAML = """
model: {preset: 160m, layers: 2}
batching: {policy: gears, gears: [256, 1024]}
training: {learning_rate: 1}
"""


@pytest.mark.parametrize(("name", "text"), [("a.toml", TOML), ("a.yaml", YAML), ("a.yml", YAML)])
def test_files_are_read(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    found = config.read(path)
    shape = config.replace(PRESETS["160m"], layers=2)
    assert found.model == shape
    assert (found.batching.policy, found.batching.gears) == ("gears", (256, 1024))
    assert found.training.learning_rate == 1.0
    assert found.data == Config().data


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.toml", "[trainning]\n", "trainning: no such section; training was meant?"),
        ("a.toml", "[training]\nstepz = 1\n", "training.stepz: no such key; steps was meant?"),
        ("a.toml", "training = 1\n", "training: must be a section of keys"),
        ("a.toml", "[training]\nsteps = '9'\n", "training.steps: must be a whole number"),
        ("a.toml", "[training]\nsteps = true\n", "training.steps: must be a whole number"),
        ("a.toml", "[training]\nsteps = 0\n", "training.steps: must be at least 1"),
        ("a.toml", "[training]\nclip = nan\n", "training.clip: must be at least 0"),
        ("a.toml", "[training]\ncompile = 'on'\n", "training.compile: must be one of off, mark,"),
        ("a.toml", "[training]\nlearning_rate = -1\n", "training.learning_rate: must be above 0"),
        ("a.toml", "[batching]\ngears = [1.5]\n", "batching.gears: must be a list of whole"),
        ("a.toml", "[model]\npreset = 'huge'\n", "model.preset: must be one of tiny, small"),
        ("a.toml", "[model]\nwidth = 30\n", "model.width: 30 must be a multiple of 2 x heads 4"),
        ("a.toml", "[model]\nkv_heads = 3\n", "model.heads: 4 must be a multiple of kv_heads 3"),
        ("a.toml", "[model\n", "at line 1"),
        ("a.yaml", "model: [", "no YAML: "),
        ("a.yaml", "- 1\n", "must hold sections: model, data, batching, training"),
        ("a.yaml", "1: {}\n", "1: no such section"),
        ("a.yaml", "!!python/object/apply:os.system [ls]", "no YAML: "),
        ("a.toml", "\0", "a.toml: "),
    ],
)
def test_what_is_wrong_is_named(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(HarnessError) as caught:
        config.read(path)
    said = str(caught.value)
    assert said.startswith(f"{path}: ")
    assert message in said
    assert "\n" not in said


def test_a_file_that_is_none_is_named(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"\xff")
    for name, message in (("a.toml", "no UTF-8 text"), ("b.toml", "no such file or directory")):
        with pytest.raises(HarnessError, match=message):
            config.read(tmp_path / name)


@pytest.mark.parametrize("key", ["steps", "training", "training.", "train.steps", "training.x"])
def test_a_key_that_is_none_is_named(key):
    with pytest.raises(HarnessError, match=f"^{key}"):
        Config().with_({key: 1})


def test_keys_that_are_right_together_may_come_in_any_order():
    values = {"batching.tokens_per_batch": 256, "batching.max_length": 128}
    found = Config().with_(values).batching
    assert (found.tokens_per_batch, found.max_length) == (256, 128)
