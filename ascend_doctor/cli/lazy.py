"""A group of commands of which only the one that is run is loaded."""

from __future__ import annotations

from collections.abc import Mapping

import click


class LazyGroup(click.Group):
    """Loads a command when it is run or listed; it is what its module calls ``command``.

    Attributes:
        modules: where each command is, by its name.
    """

    modules: Mapping[str, str] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, as help shows them."""
        return sorted(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name, None if there is none."""
        from importlib import import_module

        if cmd_name not in self.modules:
            return None
        command = import_module(self.modules[cmd_name]).command
        assert isinstance(command, click.Command)
        return command
