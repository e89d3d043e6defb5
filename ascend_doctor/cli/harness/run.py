"""``ascend-doctor harness run``."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ascend_doctor.cli import exits, parameters
from ascend_doctor.cli.terminal import standard_output
from ascend_doctor.reporters.language import choose
from ascend_doctor.reporters.safe import visible

if TYPE_CHECKING:
    from ascend_doctor.harness.scenarios.evidence import Evidence
    from ascend_doctor.harness.scenarios.model import Scenario
    from ascend_doctor.records import Lang


@click.command("run")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "is_all", is_flag=True, help="Run all scenarios.")
@click.option("-o", "--out", type=parameters.NamedPath(path_type=Path, file_okay=False),
              required=True, help="Folder for evidence, logs and reports.")  # fmt: skip
@click.option("--device", "name", default="auto", show_default=True,
              help="auto, cpu, cuda, cuda:1 or npu:0.")  # fmt: skip
@click.option("--quick", is_flag=True, help="Smaller programs, each run once.")
@click.option("--repeats", type=click.IntRange(1, 100), default=3, show_default=True,
              help="How often each program is run; all runs must meet the criteria.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True,
              help="Seed of all chance.")  # fmt: skip
@parameters.lang("answer")
@parameters.no_progress
@click.pass_context
def command(
    ctx: click.Context,
    ids: tuple[str, ...],
    is_all: bool,
    out: Path,
    name: str,
    quick: bool,
    repeats: int,
    seed: int,
    lang: str,
    no_progress: bool,
) -> None:
    """Make faults, have their logs diagnosed, and try the fix that the diagnosis asks for.

    ID is a scenario of `ascend-doctor harness list`, or what it begins with: f1. Each is run
    broken, analysed, run again with what the remedies of its diagnosis change, and run with a
    decoy: a change that people try and that must not count as a fix. DIR/<id>/ gets evidence.json,
    index.html with the runs side by side, and the logs and programs.

    Only an NPU can give evidence of NPUs: what another device shows is marked analogue or emulated.

    \b
    Exit codes
      0  all are VERIFIED, and their decoys NOT_FIXED
      1  one is not
      2  wrong usage, or a scenario could not be run
    """
    from ascend_doctor.errors import HarnessError
    from ascend_doctor.harness import scenarios
    from ascend_doctor.harness.scenarios import machine, page, privacy, runner, trial
    from ascend_doctor.harness.scenarios.children import Children
    from ascend_doctor.knowledge import index

    if is_all == bool(ids):
        raise click.UsageError("give either ids of scenarios or --all")
    named = {item.id: item for item in map(scenarios.scenario, ids)}
    chosen = scenarios.all_scenarios() if is_all else tuple(named.values())
    language = choose(lang)
    output = standard_output()
    # Who ends a job from outside sends SIGTERM; its programs must end as well.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    environment = trial.environment(threads=1)
    device = machine.ask(name, environment)
    if device.kind != "npu":
        environment["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise HarnessError(f"{out}: cannot be made: {err.strerror}") from err
    shows = not no_progress and sys.stderr is not None and sys.stderr.isatty()

    def tell(scenario: Scenario, role: str, repeat: int) -> None:
        if shows:
            click.echo(f"  … {scenario.id}: {role} {repeat}", err=True)

    settings = runner.Settings(
        out=out,
        machine=device,
        hidden=privacy.of_this_machine(out, trial.PACKAGE),
        environment=environment,
        seed=seed,
        repeats=1 if quick else repeats,
        is_quick=quick,
        at_once=min(2, len(os.sched_getaffinity(0))),
        rules_digest=index.load(None).digest,
        tell=tell,
    )
    done = []
    with Children() as children:
        for evidence in runner.run_all(chosen, settings, children):
            page.write(evidence, out / evidence.scenario.id)
            done.append(evidence)
            click.echo(_line(evidence, language), output)
            output.flush()
    page.write_index(done, out)
    ctx.exit(exits.OK if all(evidence.is_proof for evidence in done) else exits.FINDINGS)


def _line(evidence: Evidence, lang: Lang) -> str:
    decoy = evidence.decoy_conclusion
    line = f"{evidence.conclusion.verdict:<14} {evidence.scenario.id:<24} "
    line += f"{evidence.support.level:<11} decoy {decoy.verdict if decoy else '-'}"
    if evidence.conclusion.reason is not None:
        line += f"\n{'':15}{evidence.conclusion.reason[lang]}"
    if decoy is not None and decoy.verdict == "VERIFIED":
        from ascend_doctor.harness.scenarios.words import say

        line += f"\n{'':15}{say('decoy_passed')[lang]}"
    return "\n".join(map(visible, line.split("\n")))
