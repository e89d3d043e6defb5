"""``ascend-doctor harness export``."""

from __future__ import annotations

from pathlib import Path

import click

from ascend_doctor.cli import parameters
from ascend_doctor.cli.harness.verify import evidence_in
from ascend_doctor.cli.terminal import standard_output
from ascend_doctor.reporters.safe import visible


@click.command("export")
@click.argument("paths", nargs=-1, required=True, metavar="EVIDENCE...",
                type=parameters.NamedPath(path_type=Path, exists=True))  # fmt: skip
@click.option("-o", "--out", type=parameters.NamedPath(path_type=Path, file_okay=False),
              required=True, help="Folder that gets a folder for each sample.")  # fmt: skip
def command(paths: tuple[Path, ...], out: Path) -> None:
    """Make samples of evidence: the logs of the broken and of the fixed run.

    Only evidence that `harness verify` holds for right, and that is VERIFIED, becomes one.
    """
    from ascend_doctor.harness.scenarios.export import export

    output = standard_output()
    for path in evidence_in(paths):
        click.echo(visible(str(export(path, out))), output)
