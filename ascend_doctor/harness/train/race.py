"""The same training under several batching policies, one after the other, set side by side."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.batching import Policy, plan
from ascend_doctor.harness.devices import Device
from ascend_doctor.harness.train import setup
from ascend_doctor.harness.train.config import Config
from ascend_doctor.harness.train.loop import train
from ascend_doctor.harness.train.setup import Say

# Steps that fill pools and compile are no part of a rate.
_WARM_UP = 3
# Of the first policy's tokens, for the others.
_MORE = 1.25


@dataclass(frozen=True, slots=True)
class Lap:
    """How one policy did."""

    policy: Policy
    effective: float
    """Share of slots that held a token."""
    tokens_a_second: float
    """Of tokens, padding left out; without the first steps."""
    heldout_loss: float
    train_s: float
    reached_s: float | None
    """Seconds until the first policy's last loss; None if it was not reached."""


def race(
    config: Config, device: Device, policies: Sequence[Policy], out: Path, say: Say
) -> list[Lap]:
    """Train under each policy from the same weights, and return how each did.

    The first takes the configured steps, the others as many as hold a quarter more tokens than it
    saw: they are to reach the loss with which it ends.

    Raises:
        HarnessError: nothing is held out or evaluated, or there are too few steps.
    """
    if not config.data.held_out or not config.training.evaluate_every:
        raise HarnessError("a race needs data.held_out and training.evaluate_every above 0")
    if config.training.steps <= _WARM_UP:
        raise HarnessError(f"a race needs more than {_WARM_UP} steps")
    laps: list[Lap] = []
    tokens = 0.0
    for policy in policies:
        folder = out / policy
        own = config.with_({"batching.policy": policy})
        each = _tokens_a_step(own)
        if laps:
            own = own.with_({"training.steps": math.ceil(_MORE * tokens / each)})
        else:
            tokens = each * config.training.steps
        train(own, device, folder, say=say)
        laps.append(_lap(policy, folder, laps[0].heldout_loss if laps else None))
    return laps


def _tokens_a_step(config: Config) -> float:
    documents, _ = setup.documents(config, lambda said: None)
    batches = len(plan(documents.lengths, config.batching, config.training.seed))
    return sum(documents.lengths) / batches * config.training.accumulate


def _lap(policy: Policy, folder: Path, wanted: float | None) -> Lap:
    text = (folder / "metrics.rank0.jsonl").read_text(encoding="utf-8")
    steps = [json.loads(line) for line in text.splitlines()]
    timed = steps[_WARM_UP:]
    last = steps[-1]
    return Lap(
        policy,
        sum(step["tokens"] for step in steps) / sum(step["slots"] for step in steps),
        sum(step["tokens"] for step in timed) / sum(step["step_s"] for step in timed),
        last["heldout_loss"],
        last["train_s"],
        last["train_s"] if wanted is None else reached_s(steps, wanted),
    )


def reached_s(steps: Sequence[dict[str, float]], wanted: float) -> float | None:
    """Return when a held-out loss was first seen, in seconds of training; None if it never was."""
    for step in steps:
        if step.get("heldout_loss", float("inf")) <= wanted:
            return step["train_s"]
    return None


def table(laps: Sequence[Lap]) -> str:
    """Return a Markdown table; rates and times are set beside those of the first policy."""
    first = laps[0]
    lines = [
        "| policy | effective | tokens/s | beside | held-out loss | "
        f"s to {first.heldout_loss:.3f} | beside |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for lap in laps:
        reached = "not reached | -"
        if lap.reached_s is not None:
            share = lap.reached_s / (first.reached_s or lap.reached_s)
            reached = f"{lap.reached_s:.1f} | {share:.2f}"
        lines.append(
            f"| {lap.policy} | {lap.effective:.1%} | {lap.tokens_a_second:,.0f} | "
            f"{lap.tokens_a_second / first.tokens_a_second:.1f} | {lap.heldout_loss:.3f} | "
            f"{reached} |"
        )
    return "".join(f"{line}\n" for line in lines)
