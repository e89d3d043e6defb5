"""``ascend-doctor harness train``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ascend_doctor.cli import parameters
from ascend_doctor.cli.harness import training
from ascend_doctor.cli.terminal import standard_error
from ascend_doctor.reporters.safe import visible


@click.command("train")
@training.options
@click.option("--out", type=parameters.NamedPath(path_type=Path, file_okay=False), required=True,
              help="Folder for checkpoints and metrics.")  # fmt: skip
@click.option("--policy", help="padded, batch-max, gears, grouped, budget or packed.")
@click.option("--resume", is_flag=True, help="Go on from the latest checkpoint in --out.")
@click.option("--profile", type=parameters.NamedPath(path_type=Path, file_okay=False),
              help="Folder for a profile of steps 4 to 6.")  # fmt: skip
@parameters.no_progress
def command(out: Path, resume: bool, profile: Path | None, no_progress: bool, **asked: Any) -> None:
    """Train a small Llama-like decoder on documents of varying length.

    CONFIG is a TOML or YAML file with the sections model, data, batching and training. The data
    are made up, with the article's mix of lengths, or read from a .jsonl file with text or
    input_ids, or an .npz file with tokens and lengths.

    Each rank writes metrics.rank<N>.jsonl, a line a step, which `ascend-doctor analyze` reads.
    Several ranks: torchrun --nproc-per-node 2 --no-python ascend-doctor harness train --out DIR

    Exits 2 with one line on what is wrong; a step whose loss is not finite is not taken.
    """
    device, ranks, config = training.configured(**asked)
    from ascend_doctor.harness.train.loop import train

    result = train(
        config,
        device,
        out,
        ranks=ranks,
        resume=resume,
        profile=profile,
        say=lambda said: click.echo(visible(said), err=True),
        terminal=None if no_progress else standard_error(),
    )
    if ranks.is_first:
        click.echo(visible(str(result)))
