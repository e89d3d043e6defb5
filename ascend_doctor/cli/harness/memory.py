"""``ascend-doctor harness memory``."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ascend_doctor.cli import parameters
from ascend_doctor.errors import HarnessError

_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)


def _bytes(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    if value is None:
        return None
    found = _SIZE.fullmatch(value.strip())
    if found is None or not (size := int(float(found[1]) * 2 ** _UNITS[found[2].lower()])):
        raise click.BadParameter(f"{value!r} is no size; write it as 400M or 60G")
    return size


@click.command("memory")
@click.argument("file", required=False, metavar="[CONFIG]",
                type=parameters.NamedPath(path_type=Path, exists=True, dir_okay=False))  # fmt: skip
@click.option("--budget", callback=_bytes, metavar="SIZE",
              help="Memory for it, such as 60G; by default that of the device.")  # fmt: skip
@click.option("--device", "name", default="auto", show_default=True,
              help="auto, cpu, cuda, cuda:1 or npu:0.")  # fmt: skip
@click.option("--preset", help="Shape of the model: tiny, small, 160m or 1b.")
@click.option("--batch", type=click.IntRange(1), default=8, show_default=True,
              help="Documents in a batch, for the longest length.")  # fmt: skip
@click.option("--length", type=click.IntRange(2), default=1024, show_default=True,
              help="Tokens of a document, for the largest batch.")  # fmt: skip
@click.option("--headroom", type=click.FloatRange(0, 0.9), default=0.1, show_default=True,
              help="Share of the budget that is left free.")  # fmt: skip
@click.option("--probes", "lengths", default="64,128,192,256,384", show_default=True,
              help="Lengths to try, rising, five or more.")  # fmt: skip
def command(
    file: Path | None,
    budget: int | None,
    name: str,
    preset: str | None,
    batch: int,
    length: int,
    headroom: float,
    lengths: str,
) -> None:
    """Say how long documents, and how large batches, may safely be.

    Takes training steps on short documents, counts the bytes of their tensors, and fits them;
    weights, gradients and AdamW's two states are added. Exits 2 with one line where that does not
    foretell probes that it was not shown: then nothing is recommended.
    """
    from ascend_doctor.harness.devices import choose

    device = choose(name)
    from ascend_doctor.harness import memory
    from ascend_doctor.harness.train import config as configs
    from ascend_doctor.harness.train.probing import resident_bytes, step_on

    config = configs.Config() if file is None else configs.read(file)
    if preset is not None:
        config = replace(config, model=configs.preset(preset))
    total = budget if budget is not None else device.memory_bytes()
    if total is None:
        raise HarnessError("how much memory a CPU may use is not known; give --budget SIZE")
    try:
        tried = [int(part) for part in lengths.split(",")]
    except ValueError as err:
        raise click.BadParameter(f"{lengths!r}: numbers and commas only") from err
    work = step_on(config, device)
    found, probes = memory.measured(work, device, tried)
    resident = resident_bytes(config)
    for line in _report(found, probes, resident, total, headroom, batch, length):
        click.echo(line)


def _report(
    found: Any, probes: Any, resident: int, total: int, headroom: float, batch: int, length: int
) -> list[str]:
    usable = total * (1 - headroom) - resident
    mib = 2**20
    lines = [f"probe      {p.batch} x {p.length} tokens: {p.peak / mib:,.1f} MiB" for p in probes]
    lines += [
        f"model      {resident / mib:,.1f} MiB of weights, gradients and optimizer states",
        f"a step     {found.fixed / mib:,.1f} MiB + {found.a_token / 1024:,.1f} KiB a token"
        f" + {found.a_pair:,.1f} B a pair of tokens of a document",
        f"error      {found.error:.1%} at most, on probes that were not fitted",
        f"budget     {total / mib:,.0f} MiB, of which {headroom:.0%} is left free",
        f"longest    max_length {found.longest(batch, usable):,} for batches of {batch}",
        f"largest    batches of {found.largest(length, usable):,} at {length:,} tokens",
    ]
    return lines
