"""The limits on archives, as options."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ascend_doctor.ingest.limits import DEFAULT, Limits

_Command = TypeVar("_Command", bound=Callable[..., Any])
_NAMES = ("members", "ratio", "unpacked", "depth")
_SIZE = re.compile(r"(\d+)\s*(?:([kmgt])(?:i?b)?|b)?", re.IGNORECASE)


def parsed_size(ctx: click.Context, param: click.Parameter, value: str) -> int:
    """Return the bytes that an option asks for.

    Raises:
        click.BadParameter: it is no size.
    """
    found = _SIZE.fullmatch(value)
    if found is None:
        raise click.BadParameter(f"{value!r} is no size; give bytes, or K, M, G or T of them")
    number, unit = found.groups()
    return int(number) << (10 * " kmgt".index(unit.lower()) if unit else 0)


def options(command: _Command) -> _Command:
    """Add an option for each limit; they are called ``max_members`` and so on."""
    for option in (
        click.option(
            "--max-depth",
            type=click.IntRange(0, 20),
            default=DEFAULT.depth,
            show_default=True,
            help="How many archives may stand around a log; 0 opens none.",
        ),
        click.option(
            "--max-unpacked",
            callback=parsed_size,
            metavar="SIZE",
            default=f"{DEFAULT.unpacked >> 30}G",
            show_default=True,
            help="How much is unpacked of one file: bytes, or with K, M, G, T.",
        ),
        click.option(
            "--max-ratio",
            type=click.IntRange(1),
            default=DEFAULT.ratio,
            show_default=True,
            help="How many times its size a file may unpack to.",
        ),
        click.option(
            "--max-members",
            type=click.IntRange(1),
            default=DEFAULT.members,
            show_default=True,
            help="How many members are read of one archive.",
        ),
    ):
        command = option(command)
    return command


def limits(values: dict[str, Any]) -> Limits:
    """Take the limits out of the values of a command's options."""
    return Limits(**{name: values.pop(f"max_{name}") for name in _NAMES})
