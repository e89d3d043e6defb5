"""``ascend-doctor harness train``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click

from ascend_doctor.cli import parameters
from ascend_doctor.cli.terminal import standard_error
from ascend_doctor.reporters.safe import visible


def _settings(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, object]:
    found = {}
    for value in values:
        key, sign, text = value.partition("=")
        if not sign:
            raise click.BadParameter(f"{value!r}: write it as section.key=value")
        try:
            found[key.strip()] = json.loads(text)
        except ValueError:  # a text without quotes
            found[key.strip()] = text
    return found


@click.command("train")
@click.argument("file", required=False, metavar="[CONFIG]",
                type=parameters.NamedPath(path_type=Path, exists=True, dir_okay=False))  # fmt: skip
@click.option("--out", type=parameters.NamedPath(path_type=Path, file_okay=False), required=True,
              help="Folder for checkpoints and metrics.")  # fmt: skip
@click.option("--device", "name", default="auto", show_default=True,
              help="auto, cpu, cuda, cuda:1 or npu:0.")  # fmt: skip
@click.option("--preset", help="Shape of the model: tiny, small, 160m or 1b.")
@click.option("--data", help="mix, or a .jsonl or .npz file.")
@click.option("--policy", help="padded, batch-max, gears, grouped, budget or packed.")
@click.option("--steps", type=int, help="Steps of the optimizer.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", callback=_settings,
              help="Any setting, such as training.compile=mark; may be repeated.")  # fmt: skip
@click.option("--resume", is_flag=True, help="Go on from the latest checkpoint in --out.")
@click.option("--profile", type=parameters.NamedPath(path_type=Path, file_okay=False),
              help="Folder for a profile of steps 4 to 6.")  # fmt: skip
@parameters.no_progress
def command(
    file: Path | None,
    out: Path,
    name: str,
    preset: str | None,
    data: str | None,
    policy: str | None,
    steps: int | None,
    settings: dict[str, object],
    resume: bool,
    profile: Path | None,
    no_progress: bool,
) -> None:
    """Train a small Llama-like decoder on documents of varying length.

    CONFIG is a TOML or YAML file with the sections model, data, batching and training. The data
    are made up, with the article's mix of lengths, or read from a .jsonl file with text or
    input_ids, or an .npz file with tokens and lengths.

    Each rank writes metrics.rank<N>.jsonl, a line a step, which `ascend-doctor analyze` reads.
    Several ranks: torchrun --nproc-per-node 2 --no-python ascend-doctor harness train --out DIR

    Exits 2 with one line on what is wrong; a step whose loss is not finite is not taken.
    """
    from ascend_doctor.harness.devices import choose
    from ascend_doctor.harness.ranks import asked, device_name

    ranks = asked()
    # Before torch is imported by anything else.
    device = choose(device_name(name, ranks))
    from ascend_doctor.harness.train import config as configs
    from ascend_doctor.harness.train.loop import train

    config = configs.Config() if file is None else configs.read(file)
    if preset is not None:
        config = replace(config, model=configs.preset(preset))
    options = {"data.source": data, "batching.policy": policy, "training.steps": steps}
    given = {key: value for key, value in options.items() if value is not None}
    config = config.with_({**given, **settings})
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
