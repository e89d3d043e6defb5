"""``ascend-doctor rules``."""

from __future__ import annotations

from pathlib import Path

import click

from ascend_doctor.cli import exits


@click.group("rules")
def command() -> None:
    """Work on rule files."""


@command.command("test")
@click.argument(
    "folder", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False)
)
@click.option("-k", "select", default="", help="Only rules whose id contains this.")
@click.pass_context
def test(ctx: click.Context, folder: Path | None, select: str) -> None:
    """Try every rule on its own examples: those of FOLDER, or the built-in ones.

    Exits 0 when all come out as they say, 1 when one does not, 2 when a file is wrong, and 3
    when there is no rule to try.
    """
    from ascend_doctor.rulecheck import check

    count, failures = check(folder, select)
    for line in failures:
        click.echo(line)
    if not count:
        where = "the built-in rules" if folder is None else f"{folder}/<family>/*.yaml"
        asked = f" whose id contains {select}" if select else ""
        click.echo(f"error: no rule to try: {where} hold none{asked}", err=True)
        ctx.exit(exits.NO_INPUT)
    click.echo(f"{count} rules, {len(failures)} failures", err=True)
    ctx.exit(exits.FINDINGS if failures else exits.OK)
