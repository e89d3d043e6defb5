"""Kinds of arguments and options that several commands take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from ascend_doctor.knowledge import quantity
from ascend_doctor.records import Lang

_Command = TypeVar("_Command", bound=Callable[..., Any])

# What a timer of the system takes with certainty, and nobody waits for.
_MOST_S = 10.0 * 365 * 86400


class NamedPath(click.Path):
    """A path that must have a name: an empty one would be the working folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path.

        Raises:
            click.BadParameter: it is empty, most likely from a variable that is not set.
        """
        if value == "":
            self.fail("a path is empty; is a variable unset?", param, ctx)
        return super().convert(value, param, ctx)


class Seconds(click.FloatRange):
    """A time in seconds that can be waited for."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the seconds.

        Raises:
            click.BadParameter: it is no number, out of range, or endless.
        """
        seconds = super().convert(value, param, ctx)
        if not seconds <= _MOST_S:  # what is not a number is not
            self.fail(f"{value} is no time that can be waited for", param, ctx)
        return seconds


def lang(what: str) -> Callable[[_Command], _Command]:
    """Return what gives a command ``--lang``, the language of ``what`` it writes."""
    return click.option(
        "--lang",
        type=click.Choice(["auto", *get_args(Lang)]),
        default="auto",
        show_default=True,
        help=f"Language of the {what}; auto follows LC_ALL, LC_MESSAGES and LANG.",
    )


def rules(command: _Command) -> _Command:
    """Give a command ``--rules``, as ``rules_dir``."""
    return click.option(
        "--rules",
        "rules_dir",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help="Folder of further rules, laid out as <family>/<id>.yaml.",
    )(command)


def _numbers(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, float]:
    """Return thresholds by name, each in its unit; what is given last counts."""
    found = {}
    for value in values:
        name, sign, number = map(str.strip, value.partition("="))
        try:
            found[name] = _number(value, name, *quantity.split(number))
        except ValueError as err:
            said = f"{value!r} is no threshold with its number; write it as idle-share=0.5"
            raise click.BadParameter(said) from err
        if not (sign and name):
            raise click.BadParameter(f"{value!r} names no threshold; write it as idle-share=0.5")
    return found


def _number(given: str, name: str, number: str, unit: str) -> float:
    if not unit:
        return float(number)
    # Only a unit asks which threshold it is; names that are wrong are told where they are used.
    from ascend_doctor.knowledge import index

    threshold = index.load().thresholds.get(name)
    if threshold is None:
        return float(number)
    value = quantity.in_unit(number, unit, threshold.unit)
    if value is None:
        forms = " or ".join(quantity.examples(name, threshold.value, threshold.unit))
        raise click.BadParameter(f"{given!r}: {unit!r} is no unit of it; write it as {forms}")
    return value


def thresholds(command: _Command) -> _Command:
    """Give a command ``--threshold``, as ``thresholds``: numbers by name."""
    return click.option(
        "--threshold",
        "thresholds",
        multiple=True,
        callback=_numbers,
        metavar="NAME=VALUE",
        help="From which number on a profile is told to be bad, such as idle-share=0.5 or "
        "idle-share=50%; may be given several times.",
    )(command)


def jobs(command: _Command) -> _Command:
    """Give a command ``--jobs``."""
    return click.option(
        "-j",
        "--jobs",
        type=click.IntRange(1),
        metavar="N",
        help="Most processes that read, one for little input; by default one a core, at most 8.",
    )(command)


def no_progress(command: _Command) -> _Command:
    """Give a command ``--no-progress``."""
    return click.option(
        "--no-progress",
        is_flag=True,
        help="Do not show on a terminal how far reading is.",
    )(command)
