"""Evidence as samples: the logs of the broken and of the fixed program, and where they are from."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.scenarios import trial, verify

# A sample is to be read; the end of a longer log holds what matters.
_MAX_LOG_BYTES = 64 << 10
STATES = ("broken", "fixed")
# What Dynamo puts before each line of a message, and frames of what is installed.
_LOG_HEAD = re.compile(r"[VDIWEF]\d{4} \S+ \d+ \S+\] (?:\[\d+/\d+(?:_\d+)?\] )?")
_FOREIGN_FRAME = re.compile(r' *File "(?:/env/|/package/|<)')


def export(evidence: Path, out: Path) -> Path:
    """Write a sample, ``<family>-harness-<scenario>``, and return its folder.

    Raises:
        HarnessError: the evidence does not hold, its fix is not verified, or it cannot be written.
    """
    checked = verify.verify(evidence)
    if checked.wrong:
        raise HarnessError(f"{evidence}: {checked.wrong[0]}; only evidence that holds is exported")
    told = checked.told
    if told["verdict"] != "VERIFIED":
        raise HarnessError(f"{evidence}: is {told['verdict']}; only what is VERIFIED is exported")
    folder = out / f"{told['expected']['family']}-harness-{told['scenario']['id']}"
    try:
        for state in STATES:
            (folder / state).mkdir(parents=True, exist_ok=True)
            for name in (trial.LOG, trial.METRICS, trial.CONFIG):
                _copy(evidence.parent / state / name, folder / state / name)
        shutil.copyfile(evidence.parent / "broken" / trial.PROGRAM, folder / trial.PROGRAM)
        (folder / "PROVENANCE.json").write_text(
            json.dumps(_provenance(told), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
        (folder / "SOURCE.md").write_text(_source(told), encoding="utf-8")
    except OSError as err:
        raise HarnessError(f"{folder}: cannot be written: {err.strerror}") from err
    return folder


def _copy(source: Path, target: Path) -> None:
    if not source.is_file():  # a program that failed early measured nothing
        return
    text = source.read_text(encoding="utf-8", errors="replace")
    if source.name == trial.LOG:
        text = trimmed(text)[-_MAX_LOG_BYTES:]
    target.write_text(text, encoding="utf-8")


def trimmed(log: str) -> str:
    r"""Return a log without the source lines of frames that are not the program's own.

    >>> trimmed('  File "/env/x.py", line 3, in f\n    g()\n    ^^^\nValueError: no\n')
    '  File "/env/x.py", line 3, in f\nValueError: no\n'
    """
    kept = []
    deeper = None
    for line in log.splitlines(keepends=True):
        head = _LOG_HEAD.match(line)
        rest = line[head.end() :] if head else line
        indent = len(rest) - len(rest.lstrip(" "))
        if deeper is not None and indent > deeper:
            continue
        deeper = indent if _FOREIGN_FRAME.match(rest) else None
        kept.append(line)
    return "".join(kept)


def _provenance(told: Mapping[str, Any]) -> dict[str, Any]:
    machine = told["machine"]
    return {
        "scenario": told["scenario"]["id"],
        "support": told["support"]["level"],
        "is_npu_evidence": told["is_npu_evidence"],
        "command": f"ascend-doctor harness run {told['scenario']['id']}"
        + (" --quick" if told["quick"] else ""),
        "device": machine["device"].partition(":")[0],
        **{name: machine[name] for name in ("torch", "torch_npu", "cann") if machine[name]},
        "tool": told["tool"]["version"],
    }


def _source(told: Mapping[str, Any]) -> str:
    support = told["support"]
    reason = f": {support['reason']['en']}" if support["reason"] else ""
    no_evidence = "" if told["is_npu_evidence"] else "It is no evidence of what an NPU does."
    return f"""# {told["scenario"]["title"]["en"]}

What `program.py` printed with the fault (`broken`), and with the settings that its diagnosis asks
for (`fixed`). Made by `ascend-doctor harness run {told["scenario"]["id"]}`; names of folders and
machines are hidden, source lines of installed packages left out.

Support is `{support["level"]}`{reason}.
{no_evidence}

Right answer: `{told["expected"]["rule"]}` of the broken run, nothing of the fixed one.
"""
