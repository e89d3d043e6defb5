"""``ascend-doctor harness verify``."""

from __future__ import annotations

from pathlib import Path

import click

from ascend_doctor.cli import exits, parameters
from ascend_doctor.cli.terminal import standard_output
from ascend_doctor.reporters.safe import visible


def evidence_in(paths: tuple[Path, ...]) -> list[Path]:
    """Return the files of evidence that are named, and those of the scenarios in named folders.

    Raises:
        HarnessError: a folder holds none.
    """
    from ascend_doctor.errors import HarnessError
    from ascend_doctor.harness.scenarios.evidence import NAME

    found = []
    for path in paths:
        files = [path] if path.is_file() else sorted({*path.glob(NAME), *path.glob(f"*/{NAME}")})
        if not files:
            raise HarnessError(f"{path}: holds no {NAME}")
        found += files
    return found


@click.command("verify")
@click.argument("paths", nargs=-1, required=True, metavar="EVIDENCE...",
                type=parameters.NamedPath(path_type=Path, exists=True))  # fmt: skip
@click.pass_context
def command(ctx: click.Context, paths: tuple[Path, ...]) -> None:
    """Try evidence again, without a device and without torch.

    EVIDENCE is an evidence.json with the folders of its runs beside it, or the folder of a whole
    `harness run`. The logs are analysed anew, and files, metrics, criteria, the fix and the
    verdict are reached again from them.

    \b
    Exit codes
      0  all of it holds
      1  something of it does not
      2  it cannot be read
    """
    from ascend_doctor.harness.scenarios.verify import verify

    output = standard_output()
    is_wrong = False
    for path in evidence_in(paths):
        checked = verify(path)
        told = checked.told
        is_wrong = is_wrong or bool(checked.wrong)
        word = "WRONG" if checked.wrong else "HOLDS"
        line = f"{word:<6} {told['scenario']['id']:<24} {told['verdict']:<14} "
        click.echo(visible(line + told["support"]["level"]), output)
        for said in checked.wrong:
            click.echo(visible(f"       {said}"), output)
    ctx.exit(exits.FINDINGS if is_wrong else exits.OK)
