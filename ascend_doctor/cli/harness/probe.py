"""``ascend-doctor harness probe``."""

from __future__ import annotations

from dataclasses import asdict

import click

from ascend_doctor.cli import parameters
from ascend_doctor.cli.terminal import standard_output
from ascend_doctor.reporters.language import choose
from ascend_doctor.reporters.safe import visible


@click.command("probe")
@click.option("--device", "name", default="auto", show_default=True,
              help="auto, cpu, cuda, cuda:1 or npu:0.")  # fmt: skip
@parameters.lang("answer")
def command(name: str, lang: str) -> None:
    """Say what device there is, and what evidence it could give.

    torch is imported in a process of its own, so that a broken installation is told in a line.
    """
    from ascend_doctor.harness.scenarios import all_scenarios, machine, trial
    from ascend_doctor.harness.scenarios.words import LEVELS

    output = standard_output()
    language = choose(lang)
    found = machine.ask(name, trial.environment(threads=1))
    for key, value in asdict(found).items():
        if value is not None:
            click.echo(f"{key:<10} {visible(value)}", output)
    for item in all_scenarios():
        said = LEVELS[item.support(found).level][language]
        click.echo(f"{item.id:<24} {said}", output)
