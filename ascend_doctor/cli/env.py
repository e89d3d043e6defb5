"""``ascend-doctor env``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ascend_doctor.cli import gate, limits, outputs, parameters, settings
from ascend_doctor.cli.finish import finish
from ascend_doctor.cli.parameters import NamedPath
from ascend_doctor.reporters.language import choose
from ascend_doctor.reporters.safe import visible

if TYPE_CHECKING:
    from ascend_doctor.collecting.collect import Taken
    from ascend_doctor.records import Lang


class _Group(settings.Command, click.Group):
    """A command of its own that has another one below it."""


_PYTHON = click.option(
    "--python",
    metavar="PROGRAM",
    help="The interpreter that jobs run with; by default that of the active environment.",
)


@click.group("env", cls=_Group, invoke_without_command=True)
@click.option(
    "--from",
    "source",
    type=NamedPath(path_type=Path, exists=True),
    metavar="PATH",
    help="Judge another machine: a folder that is its root, a collection, or a result of env.",
)
@_PYTHON
@outputs.option
@parameters.lang("report")
@gate.options
@parameters.rules
@settings.option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    source: Path | None,
    python: str | None,
    wanted: Sequence[outputs.Output],
    lang: str,
    rules_dir: Path | None,
    **asked: Any,
) -> None:
    """Check what is installed and set on this machine, before or after a job fails.

    Compared with each other and with the version matrix are Python, torch, torch_npu, CANN and
    its kernels, NNAL, driver and firmware, cards and device nodes, environment variables, search
    paths, and what the loader would find. Nothing is imported; nothing is executed but
    `npu-smi info` and the interpreter that --python names.

    Give the result of `env -f json`, or a collection, to `analyze` together with the logs of a
    job, and its diagnosis takes both into account.

    \b
    Exit codes
      0  nothing at or above --fail-on
      1  a diagnosis at or above --fail-on
      2  wrong usage, or it could not be completed; with --strict, a part not read
      3  nothing of Ascend was found, so that nothing was checked
    """
    if ctx.invoked_subcommand is not None:
        return
    from ascend_doctor.collecting.examine import examine

    if source is not None and python is not None:
        raise click.UsageError("--python is about this machine, --from about another")
    asked_for = gate.asked(ctx, **asked)
    asked_for.check(ctx, rules_dir)
    writer = outputs.Writer(wanted, redact=asked_for.redact)
    report, error = asked_for.applied(examine(source, rules=rules_dir, python=python))
    language = choose(lang)
    finish(ctx, writer, report, language, error)


@command.command("collect")
@click.option(
    "-o",
    "--output",
    "target",
    type=NamedPath(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE.tar.gz",
    help="The file to write.",
)
@click.option(
    "--max-size",
    "most",
    callback=limits.parsed_size,
    default="64M",
    show_default=True,
    metavar="SIZE",
    help="How much of the newest CANN logs is taken: bytes, or with K, M, G, T.",
)
@click.option(
    "--redact",
    is_flag=True,
    help="Put pseudonyms in place of hosts, users, addresses and secrets.",
)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@_PYTHON
@parameters.lang("answer")
def collect(
    target: Path, most: int, redact: bool, force: bool, python: str | None, lang: str
) -> None:
    """Take along what `env` looks at, listings of the Ascend folders, and the newest CANN logs.

    Of environment variables, only the values of known ones are taken. `env --from FILE.tar.gz`
    judges it elsewhere, and `analyze FILE.tar.gz` reads its logs as well.
    """
    from ascend_doctor.collecting.collect import collect as write
    from ascend_doctor.knowledge import index
    from ascend_doctor.machine.gather.machine import here

    taken = write(target, here(python), index.load(), most=most, redact=redact, force=force)
    for line in _told(target, taken, choose(lang)):
        click.echo(visible(line))


_TOLD: dict[str, tuple[str, str]] = {
    "taken": (
        "{target}: the state of this machine, listings, {count} logs ({size})",
        "{target}：本机状态、目录列表、{count} 个日志（{size}）",
    ),
    "left_out": (
        "left out, older than the rest: {count} logs and {size} in all; --max-size takes more",
        "较旧而未收录的：{count} 个日志，共 {size}；可用 --max-size 放宽",
    ),
    "no_logs": (
        "no logs: there are none below {folder}",
        "没有日志：{folder} 下没有找到",
    ),
    "unread": ("not read: {path}: {reason}", "未读：{path}：{reason}"),
}


def _told(target: Path, taken: Taken, lang: Lang) -> list[str]:
    """Return what was taken, and what was not."""
    from ascend_doctor.reporters.labels import filled, size
    from ascend_doctor.reporters.reasons import translated

    def say(name: str, **values: object) -> str:
        return filled(_TOLD[name], lang, values)

    logs = taken.logs
    count = sum(log.size - log.skip for log in logs.taken)
    lines = [say("taken", target=target, count=len(logs.taken), size=size(count))]
    if logs.left_out or logs.left_bytes:
        lines.append(say("left_out", count=logs.left_out, size=size(logs.left_bytes)))
    if not logs.taken:
        lines.append(say("no_logs", folder=logs.folder))
    lines += (
        say("unread", path=path, reason=translated(reason, lang)) for path, reason in taken.unread
    )
    return lines
