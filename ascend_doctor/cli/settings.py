"""Settings: what an option says, else the environment, else a file, else what is usual.

Every option of ``analyze`` is a setting, declared once, where the option is: its long name is the
key in a file, and with ``ASCEND_DOCTOR_`` before it the variable. So nothing more is to be done
for a new one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date, time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.core import ParameterSource

from ascend_doctor.errors import SettingError

if TYPE_CHECKING:
    from ascend_doctor.cli.config_file import ConfigFile

PREFIX = "ASCEND_DOCTOR"
# Tables of a file that are no options.
SUPPRESS = "suppress"

# Not an option, as it must be known before any is: see ``scan.literals``.
_ENGINE = f"{PREFIX}_ENGINE"
# Options that are about one run.
_ONCE = frozenset({"config", "help", "update_baseline", "reason", "expires"})
_META = "ascend_doctor.config"

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Command(click.Command):
    """A command whose options are settings; a wrong variable is told by its name."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for option in settings_of(self).values():
            option.envvar = variable_of(option)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as any command does.

        Raises:
            SettingError: a variable is set to what its option does not take.
        """
        try:
            return super().parse_args(ctx, args)
        except click.BadParameter as err:
            option = err.param
            if isinstance(option, click.Option) and whence(ctx, option) == variable_of(option):
                raise SettingError(f"{variable_of(option)}: {err.message}") from err
            raise


def option(command: _Command) -> _Command:
    """Give a command ``--config``, and its other options what a file says of them."""
    return click.option(
        "--config",
        is_eager=True,
        expose_value=False,
        callback=_configure,
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        help=(
            "File of settings; by default ascend-doctor.toml, or pyproject.toml with "
            "[tool.ascend-doctor], here or in the nearest folder above."
        ),
    )(command)


def config_of(ctx: click.Context) -> ConfigFile | None:
    """Return the file whose settings are in force."""
    return cast("ConfigFile | None", ctx.meta.get(_META))


def settings_of(command: click.Command) -> dict[str, click.Option]:
    """Return the options of a command that are settings, by their keys."""
    return {
        key_of(param): param
        for param in command.params
        if isinstance(param, click.Option) and param.name not in _ONCE
    }


def key_of(option: click.Option) -> str:
    """Return the key of an option in a file."""
    return max(option.opts, key=len).lstrip("-")


def variable_of(option: click.Option) -> str:
    """Return the variable that sets an option."""
    return f"{PREFIX}_{key_of(option)}".upper().replace("-", "_")


def whence(ctx: click.Context, option: click.Option) -> str:
    """Return who says what an option is: ``option``, a variable, ``file:line`` or ``default``."""
    source = ctx.get_parameter_source(option.name or "")
    config = config_of(ctx)
    if source is ParameterSource.COMMANDLINE:
        return "option"
    if source is ParameterSource.ENVIRONMENT:
        return variable_of(option)
    if source is ParameterSource.DEFAULT_MAP and config is not None:
        return config.where(key_of(option))
    return "default"


def called(ctx: click.Context, name: str) -> str:
    """Return what a setting is called where it was made, for messages: ``--select``."""
    option = settings_of(ctx.command)[name]
    by = whence(ctx, option)
    if by in ("option", "default"):
        return f"--{name}"
    return by if by == variable_of(option) else f"{by}: {name}"


def _configure(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    from ascend_doctor.cli.config_file import found, read

    _check_variables()
    config = found() if path is None else read(path)
    ctx.meta[_META] = config
    if config is None:
        return
    own, all_ = settings_of(ctx.command), _all_settings()
    values = {}
    for key, value in config.values.items():
        if key == SUPPRESS:
            continue
        if key not in all_:
            raise SettingError(f"{config.where(key)}: {_unknown(key, [*all_, SUPPRESS])}")
        # What another command is set to is none of this one's business.
        if key in own:
            values[own[key].name or key] = _value(ctx, own[key], value, config, key)
    ctx.default_map = values


def _check_variables() -> None:
    """Look for variables that name no setting.

    Raises:
        SettingError: there is one, such as a setting that is misspelt.
    """
    given = [name for name in os.environ if name.startswith(f"{PREFIX}_")]
    if given:
        known = [*map(variable_of, _all_settings().values()), _ENGINE]
        for name in sorted(given):
            if name not in known:
                # All names begin alike, so only the closest one is close.
                raise SettingError(_no_such(name, name, known, most=1))


def _all_settings() -> dict[str, click.Option]:
    from ascend_doctor.cli.analyze import command

    return settings_of(command)


def _unknown(key: str, known: list[str]) -> str:
    return _no_such(key, key.replace("_", "-"), known)


def _no_such(key: str, spelt: str, known: list[str], most: int = 2) -> str:
    from difflib import get_close_matches

    close = get_close_matches(spelt, known, n=most)
    mend = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known)}"
    return f"{key}: there is no such setting; {mend}"


def _value(
    ctx: click.Context, option: click.Option, value: Any, config: ConfigFile, key: str
) -> Any:
    """Return a value as an option would get it, once it is known to be one.

    Raises:
        SettingError: it is of another kind, or not allowed; it starts with ``file:line:``.
    """
    where = f"{config.where(key)}: {key}"
    if option.is_flag:
        if not isinstance(value, bool):
            raise SettingError(f"{where}: {value!r} is neither true nor false")
        return value
    items = value if isinstance(value, list) else [value]
    if isinstance(value, list) and not option.multiple:
        raise SettingError(f"{where}: takes one value, not a list")
    texts = [_text(item, where) for item in items]
    if isinstance(option.type, click.Path):
        texts = [str(config.path.parent / text) for text in texts]
    given = texts if option.multiple else texts[0]
    try:
        option.process_value(ctx, given)
    except click.BadParameter as err:
        raise SettingError(f"{where}: {err.message}") from err
    return given


def _text(value: Any, where: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, date, time)):
        raise SettingError(f"{where}: {value!r} is neither a text nor a whole number")
    return value.isoformat() if isinstance(value, (date, time)) else str(value)
