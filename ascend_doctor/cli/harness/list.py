"""``ascend-doctor harness list``."""

from __future__ import annotations

import click

from ascend_doctor.cli import parameters
from ascend_doctor.cli.terminal import standard_output
from ascend_doctor.records import Lang
from ascend_doctor.reporters.language import choose

# As long as docs/hardware.md has no run on one.
_NOTE: dict[Lang, str] = {
    "en": "This is what a run on such a device would give. None has been seen on an NPU yet: "
    "docs/hardware.md.",
    "zh": "以上为在该设备上运行时可得到的证据级别；尚无任何场景在 NPU 上实际运行过，"
    "见 docs/hardware.zh.md。",
}


@click.command("list")
@parameters.lang("answer")
def command(lang: str) -> None:
    """List the scenarios, and how near to an NPU a run of each would come on a CPU and on an NPU.

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
    click.echo(f"\n{_NOTE[language]}", output)
