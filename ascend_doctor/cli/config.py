"""``ascend-doctor config``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from ascend_doctor.cli import gate, settings
from ascend_doctor.cli.terminal import standard_output
from ascend_doctor.records import Lang
from ascend_doctor.reporters.labels import colon, filled
from ascend_doctor.reporters.language import choose
from ascend_doctor.reporters.safe import json_escaped, visible

if TYPE_CHECKING:
    from ascend_doctor.cli.config_file import ConfigFile
    from ascend_doctor.gate.suppression import Suppression

_WORDS: dict[str, tuple[str, str]] = {
    "file": ("file", "配置文件"),
    "no_file": ("none in {folder} or above", "{folder} 及其上级目录中均没有"),
    "option": ("option", "命令行选项"),
    "default": ("default", "默认值"),
    "until": (", until {day}", "，接受至 {day}"),
}
# Columns that a value may take before what stands behind it moves to the right.
_WIDE = 40


class _Setting(Struct, frozen=True):
    """A setting, what is in force, and who says so."""

    name: str
    value: bool | int | str | list[str] | None
    whence: str


@click.group("config")
def command() -> None:
    """See which settings are in force."""


@command.command("show", context_settings={"ignore_unknown_options": True})
@click.option(
    "-f",
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What to write.",
)
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[OPTIONS OF ANALYZE]...")
def show(format_: str, options: tuple[str, ...]) -> None:
    """Show each setting of `analyze`, its value, and who says so.

    An option goes before the environment, that before a file, and that before what is usual.
    Options of `analyze` may be given to see what they would change; -- goes before those that
    this command has as well.
    """
    from ascend_doctor.cli.analyze import command as analyze

    output = standard_output("utf-8" if format_ == "json" else None)
    ctx = analyze.make_context("ascend-doctor analyze", [*options])
    config = settings.config_of(ctx)
    found = [*_settings(ctx)]
    suppressions = () if config is None else gate.suppressions(config)
    if format_ == "json":
        text = _as_json(config, found, suppressions)
    else:
        text = _as_text(config, found, suppressions, choose(ctx.params["lang"]))
    click.echo(text, output, nl=False)


def _settings(ctx: click.Context) -> Iterator[_Setting]:
    for key, option in settings.settings_of(ctx.command).items():
        assert option.name is not None
        yield _Setting(key, _plain(ctx.params[option.name]), settings.whence(ctx, option))


def _plain(value: Any) -> bool | int | str | list[str] | None:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Mapping):
        return [f"{name}={number:g}" for name, number in value.items()]
    if isinstance(value, Iterable):
        return ["-".join(map(str, x)) if isinstance(x, tuple) else str(x) for x in value]
    return str(value)


def _as_json(
    config: ConfigFile | None, found: Sequence[_Setting], suppressions: Sequence[Suppression]
) -> str:
    data = {
        "file": None if config is None else str(config.path.absolute()),
        "settings": {item.name: {"value": item.value, "from": item.whence} for item in found},
        "suppressions": [
            {
                "rule": item.rule or None,
                "fingerprint": item.fingerprint or None,
                "reason": item.reason,
                "expires": item.entry.expires,
                "from": item.where,
            }
            for item in suppressions
        ],
    }
    return json_escaped(json.dumps(data, ensure_ascii=False, indent=1)) + "\n"


def _as_text(
    config: ConfigFile | None,
    found: Sequence[_Setting],
    suppressions: Sequence[Suppression],
    lang: Lang,
) -> str:
    def say(name: str, **values: object) -> str:
        return filled(_WORDS[name], lang, values)

    rows = [
        (item.name, _said(item.value), say(item.whence) if item.whence in _WORDS else item.whence)
        for item in found
    ]
    for item in suppressions:
        until = say("until", day=item.entry.expires) if item.expires else ""
        rows.append((settings.SUPPRESS, f"{item.name}: {item.reason}{until}", item.where))
    first = max(len(name) for name, _, _ in rows)
    second = min(_WIDE, max(len(value) for _, value, _ in rows))
    file = say("no_file", folder=Path.cwd()) if config is None else config.path.absolute()
    lines = [f"{say('file')}{colon(lang)}{file}"]
    lines += [f"{name:<{first}}  {value:<{second}}  {whence}" for name, value, whence in rows]
    return "".join(f"{visible(line)}\n" for line in lines)


def _said(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(value) or "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "-" if value in (None, "") else str(value)
