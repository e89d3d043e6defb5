"""What packing is worth, and ``harness race``, which shows it on the device that is there."""

from __future__ import annotations

import json
import time
from statistics import median

import pytest
import torch

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.batching import Batching, plan
from ascend_doctor.harness.lengths import mix
from ascend_doctor.harness.train import attention, corpus, race
from ascend_doctor.harness.train.batches import Planned
from ascend_doctor.harness.train.model import Decoder, ModelConfig, loss_sum
from tests.harness.conftest import TINY

SHAPE = ModelConfig(vocab=128, width=32, layers=1, heads=2, kv_heads=1, hidden=64)
SET = [part for key, value in TINY.items() for part in ("--set", f"{key}={value}")]


def test_packed_takes_a_third_of_the_work_of_padded_side_by_side():
    """In time of this process, which others on the machine do not take part in."""
    lengths = mix(24, 3)
    documents = corpus.made_up(lengths, SHAPE.vocab)
    torch.manual_seed(0)
    model = Decoder(SHAPE, attention.loop)
    batches = {
        policy: [*Planned(documents, plan(lengths, Batching(policy=policy, fixed_shape=False)))]
        for policy in ("padded", "packed")
    }

    def seconds(policy):
        begin = time.process_time()
        for batch in batches[policy]:
            logits = model(batch.ids, batch.positions, batch.cu_seqlens)
            loss_sum(logits, batch.labels).backward()
        return time.process_time() - begin

    seconds("packed")
    # One after the other, so that what slows the processor slows both.
    ratios = [seconds("padded") / seconds("packed") for _ in range(3)]
    assert median(ratios) >= 3
    tokens = {policy: sum(batch.tokens for batch in made) for policy, made in batches.items()}
    assert tokens["padded"] == tokens["packed"] == sum(lengths)


def test_a_race_sets_policies_beside_the_first(run, tmp_path):
    done = run(
        "harness", "race", "--device", "cpu", "--out", tmp_path, *SET,
        "--set", "training.evaluate_every=1",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    rows = [line.split("|") for line in done.stdout.splitlines()]
    assert [row[1].strip() for row in rows] == ["policy", "---", "padded", "grouped", "packed"]
    assert [row[4].strip() for row in rows[2:3]] == ["1.0"]
    shares = [float(row[2].strip().rstrip("%")) for row in rows[2:]]
    assert shares[0] < min(shares[1:])
    # As many steps as hold a quarter more tokens.
    tokens = []
    for policy in ("padded", "packed"):
        text = (tmp_path / policy / "metrics.rank0.jsonl").read_text()
        tokens.append(sum(json.loads(line)["tokens"] for line in text.splitlines()))
    assert 1.0 < tokens[1] / tokens[0] < 1.6


def test_the_first_time_at_which_a_loss_was_seen():
    steps = [
        {"train_s": 1.0},
        {"train_s": 2.0, "heldout_loss": 3.1},
        {"train_s": 3.0, "heldout_loss": 2.9},
        {"train_s": 4.0, "heldout_loss": 2.8},
    ]
    assert race.reached_s(steps, 3.0) == 3.0
    assert race.reached_s(steps, 2.0) is None
    first = race.Lap("padded", 0.25, 1000.0, 3.0, 9.0, 9.0)
    laps = [
        first,
        race.Lap("packed", 0.995, 4100.0, 2.9, 4.0, 2.25),
        race.Lap("grouped", 0.98, 4200.0, 3.2, 4.0, None),
    ]
    assert race.table(laps) == (
        "| policy | effective | tokens/s | beside | held-out loss | s to 3.000 | beside |\n"
        "|---|---:|---:|---:|---:|---:|---:|\n"
        "| padded | 25.0% | 1,000 | 1.0 | 3.000 | 9.0 | 1.00 |\n"
        "| packed | 99.5% | 4,100 | 4.1 | 2.900 | 2.2 | 0.25 |\n"
        "| grouped | 98.0% | 4,200 | 4.2 | 3.200 | not reached | - |\n"
    )


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("training.evaluate_every=0", "a race needs data.held_out and training.evaluate_every"),
        ("training.steps=3", "a race needs more than 3 steps"),
    ],
)
def test_a_race_that_shows_nothing_is_refused(run, tmp_path, key, message):
    done = run(
        "harness", "race", "--device", "cpu", "--out", tmp_path, *SET,
        "--set", "training.evaluate_every=1", "--set", key,
    )  # fmt: skip
    assert (done.exit_code, message in done.output) == (2, True)


def test_a_race_with_nothing_held_out_is_refused(cpu, tiny, tmp_path):
    config = tiny(data__held_out=0, training__evaluate_every=1)
    with pytest.raises(HarnessError, match="a race needs data.held_out"):
        race.race(config, cpu, ["padded"], tmp_path, say=print)
