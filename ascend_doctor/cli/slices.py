"""The part of a job that is looked at, as options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ascend_doctor.scope import Scope, moment, stretches

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _moment(ctx: click.Context, param: click.Parameter, value: str) -> str:
    try:
        return moment(value) if value else ""
    except ValueError as err:
        raise click.BadParameter(f"{value!r} is no time: {err}") from err


def _ranks(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[int, int], ...]:
    try:
        return stretches(values)
    except ValueError as err:
        raise click.BadParameter(str(err)) from err


def options(command: _Command) -> _Command:
    """Give a command ``--since``, ``--until`` and ``--rank``, for ``scope``."""
    for option in (
        click.option(
            "--rank",
            multiple=True,
            callback=_ranks,
            metavar="0,3-5",
            help="Look only at these ranks; what does not say its rank is kept.",
        ),
        click.option(
            "--until",
            default="",
            callback=_moment,
            metavar="TIME",
            help="Look only at what was logged until then.",
        ),
        click.option(
            "--since",
            default="",
            callback=_moment,
            metavar="TIME",
            help=(
                "Look only at what was logged from then on, in the log's own time: 2026-01-31, "
                "10:00:05 or both; what does not say when is kept."
            ),
        ),
    ):
        command = option(command)
    return command


def scope(since: str, until: str, ranks: tuple[tuple[int, int], ...]) -> Scope:
    """Return what the options gave.

    Raises:
        click.UsageError: it would end before it begins.
    """
    found = Scope(since, until, ranks)
    if found.ends_early and "-" in since and "-" in until:
        raise click.UsageError("--until is before --since")
    return found
