"""``ascend-doctor harness list``."""

from __future__ import annotations

import click

from ascend_doctor.cli import parameters
from ascend_doctor.cli.terminal import standard_output
from ascend_doctor.reporters.language import choose


@click.command("list")
@parameters.lang("answer")
def command(lang: str) -> None:
    """List the scenarios, and how near each comes to an NPU on a CPU and on an NPU.

    real: made on an NPU. analogue: the same fault of torch on another device. emulated: a stand-in
    for a part that is not there.
    """
    from ascend_doctor.harness.scenarios import all_scenarios
    from ascend_doctor.harness.scenarios.model import Machine

    output = standard_output()
    language = choose(lang)
    for item in all_scenarios():
        levels = [item.support(Machine(name)).level for name in ("cpu", "npu:0")]
        click.echo(f"{item.id:<24} cpu {levels[0]:<9} npu {levels[1]:<9} {item.title[language]}",
                   output)  # fmt: skip
