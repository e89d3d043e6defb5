"""``ascend-doctor harness race``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ascend_doctor.cli import parameters
from ascend_doctor.cli.harness import training
from ascend_doctor.reporters.safe import visible


@click.command("race")
@training.options
@click.option("--out", type=parameters.NamedPath(path_type=Path, file_okay=False), required=True,
              help="Folder for checkpoints and metrics.")  # fmt: skip
@click.option("--policies", default="padded,grouped,packed", show_default=True, metavar="A,B,...",
              help="Batching policies; the others are set beside the first.")  # fmt: skip
def command(out: Path, policies: str, **asked: Any) -> None:
    """Train under several batching policies, and say which learns fastest on this device.

    Each begins with the same weights. The first takes the steps that are asked for, the others as
    many as hold a quarter more tokens. The table says how many tokens a second each trains on, and
    after how many seconds it has the loss with which the first ends.
    """
    device, _, config = training.configured(**asked)
    from ascend_doctor.harness.train import race

    # A wrong one is told before any has trained.
    names = [
        config.with_({"batching.policy": name.strip()}).batching.policy
        for name in policies.split(",")
    ]
    laps = race.race(
        config, device, names, out, say=lambda said: click.echo(visible(said), err=True)
    )
    click.echo(race.table(laps), nl=False)
