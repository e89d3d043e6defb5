"""What commands that train are told in common."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ascend_doctor.cli import parameters

if TYPE_CHECKING:
    from ascend_doctor.harness.devices import Device
    from ascend_doctor.harness.ranks import Ranks
    from ascend_doctor.harness.train.config import Config

_Command = TypeVar("_Command", bound=Callable[..., Any])


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


def options(command: _Command) -> _Command:
    """Give a command what ``configured`` makes sense of."""
    for option in reversed(
        (
            click.argument(
                "file",
                required=False,
                metavar="[CONFIG]",
                type=parameters.NamedPath(path_type=Path, exists=True, dir_okay=False),
            ),
            click.option(
                "--device",
                "name",
                default="auto",
                show_default=True,
                help="auto, cpu, cuda, cuda:1 or npu:0.",
            ),
            click.option("--preset", help="Shape of the model: tiny, small, 160m or 1b."),
            click.option("--data", help="mix, or a .jsonl or .npz file."),
            click.option("--steps", type=int, help="Steps of the optimizer."),
            click.option(
                "--set",
                "settings",
                multiple=True,
                metavar="KEY=VALUE",
                callback=_settings,
                help="Any setting, such as training.compile=mark; may be repeated.",
            ),
        )
    ):
        command = option(command)
    return command


def configured(
    *,
    file: Path | None,
    name: str,
    preset: str | None,
    data: str | None,
    steps: int | None,
    settings: dict[str, object],
    policy: str | None = None,
) -> tuple[Device, Ranks, Config]:
    """Return the device, which rank this is, and the configuration that the options ask for.

    Raises:
        HarnessError: torch is missing, there is no such device, or a setting is wrong.
    """
    from ascend_doctor.harness.devices import choose
    from ascend_doctor.harness.ranks import asked, device_name

    ranks = asked()
    # Before torch is imported by anything else.
    device = choose(device_name(name, ranks))
    from ascend_doctor.harness.train import config as configs

    config = configs.Config() if file is None else configs.read(file)
    if preset is not None:
        config = replace(config, model=configs.preset(preset))
    given = {"data.source": data, "batching.policy": policy, "training.steps": steps}
    given = {key: value for key, value in given.items() if value is not None}
    return device, ranks, config.with_({**given, **settings})
