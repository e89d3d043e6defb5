"""``ascend-doctor rules``."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import click

from ascend_doctor.cli import completing, exits
from ascend_doctor.cli.terminal import screen, standard_input, standard_output
from ascend_doctor.records import FAMILIES, Lang
from ascend_doctor.reporters.language import choose
from ascend_doctor.reporters.safe import visible
from ascend_doctor.view.encoding import shown

# A record is at most this long, and a rule is made from one.
MAX_LOG = 48 << 10

_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
_LANG = click.option(
    "--lang",
    type=click.Choice(["auto", *get_args(Lang)]),
    default="auto",
    show_default=True,
    help="Language of the texts; auto follows LC_ALL, LC_MESSAGES and LANG.",
)
_RULES = click.option(
    "--rules", "extra", type=_FOLDER, help="A folder of further rules: <family>/<id>.yaml."
)  # fmt: skip
_SELECT = click.option("-k", "select", default="", help="Only rules whose id contains this.")


@click.group("rules")
def command() -> None:
    """Look at rules, and work on rule files."""


@command.command("list")
@click.option("--family", type=click.Choice(FAMILIES), help="Only this family.")
@_SELECT
@_RULES
@click.option(
    "-f", "--format", "format_", type=click.Choice(["text", "json"]), default="text",
    show_default=True, help="What to write.",
)  # fmt: skip
@_LANG
@click.pass_context
def list_(
    ctx: click.Context,
    family: str | None,
    select: str,
    extra: Path | None,
    format_: str,
    lang: str,
) -> None:
    """List the rules, a line each: id, severity and title."""
    from ascend_doctor.knowledge.index import load
    from ascend_doctor.reporters import catalogue

    output = standard_output("utf-8" if format_ == "json" else None)
    rules = [
        rule
        for rule in load(extra).rules.values()
        if (family is None or rule.family == family) and select in rule.id
    ]
    if not rules:
        click.echo("error: no rule is called that", err=True)
        ctx.exit(exits.NO_INPUT)
    if format_ == "json":
        text = catalogue.render_json(rules)
    else:
        text = catalogue.listing(rules, choose(lang))
    click.echo(text, output, nl=False)


@command.command("show")
@click.argument("ids", nargs=-1, required=True, metavar="ID...", shell_complete=completing.rule_ids)
@_RULES
@_LANG
@click.pass_context
def show(ctx: click.Context, ids: tuple[str, ...], extra: Path | None, lang: str) -> None:
    """Show rules: the words they look for, what they say, where the wording was seen.

    Exits 1 if an id is unknown.
    """
    from ascend_doctor.knowledge.index import load
    from ascend_doctor.reporters import catalogue

    output = standard_output()
    rules = load(extra).rules
    known = [rules[name] for name in ids if name in rules]
    click.echo(catalogue.sheets(known, choose(lang), **screen(output)), output, nl=False)
    for name in ids:
        if name not in rules:
            told = f"error: no rule is called {visible(name)}; see: ascend-doctor rules list"
            click.echo(told, err=True)
    ctx.exit(exits.OK if len(known) == len(ids) else exits.FINDINGS)


@command.command("new")
@click.argument("id_", metavar="ID")
@click.option("--log", default="", help="A line that the rule must match; - reads it from stdin.")
@click.option(
    "--rules", "folder", type=click.Path(path_type=Path, file_okay=False), default="patterns",
    show_default=True, help="Where to write <family>/<ID>.yaml.",
)  # fmt: skip
def new(id_: str, log: str, folder: Path) -> None:
    """Begin a rule file: ID is its family and a few words, such as communication-port-taken."""
    from ascend_doctor.authoring.new import create

    if log in ("", "-"):
        log = standard_input(
            MAX_LOG, is_asked=bool(log), otherwise="give a log line with --log, or pipe one in"
        )
    else:
        log = shown(os.fsencode(log))
    path = create(id_, log, folder)
    click.echo(
        visible(f"{path}: write its texts, then: ascend-doctor rules test {folder} -k {id_}")
    )


@command.command("test")
@click.argument("folder", required=False, type=_FOLDER)
@_SELECT
@click.pass_context
def test(ctx: click.Context, folder: Path | None, select: str) -> None:
    """Try every rule on its own examples: those of FOLDER, or the built-in ones.

    Every wording needs an example, and without the rule some answer must be another. Exits 0
    when all come out as they say, 1 when one does not, 2 when a file is wrong, and 3 when there
    is no rule to try.
    """
    from ascend_doctor.authoring.check import check

    _run(ctx, check, folder, select)


@command.command("lint")
@click.argument("folder", required=False, type=_FOLDER)
@_SELECT
@click.pass_context
def lint(ctx: click.Context, folder: Path | None, select: str) -> None:
    """Attack the regexes of FOLDER, or the built-in ones, with texts made to slow them down.

    Exit codes are those of ``rules test``.
    """
    from ascend_doctor.authoring.lint import lint as attack

    _run(ctx, attack, folder, select)


def _run(
    ctx: click.Context,
    work: Callable[[Any, str], tuple[int, list[str]]],
    folder: Path | None,
    select: str,
) -> None:
    count, failures = work(folder, select)
    for line in failures:
        click.echo(visible(line))
    if not count:
        where = "the built-in rules" if folder is None else f"{folder}/<family>/*.yaml"
        asked = f" whose id contains {select}" if select else ""
        click.echo(visible(f"error: no rule to try: {where} hold none{asked}"), err=True)
        ctx.exit(exits.NO_INPUT)
    click.echo(f"{count} rules, {len(failures)} failures", err=True)
    ctx.exit(exits.FINDINGS if failures else exits.OK)
