"""Kinds of arguments and options that several commands take."""

from __future__ import annotations

from typing import Any

import click

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
