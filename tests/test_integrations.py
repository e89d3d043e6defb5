"""The GitHub action, the GitLab component and the hooks, as far as they run without a service."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.rulesets import patterns, rule

FAULT = "ImportError: libhccl.so: cannot open shared object file: No such file or directory\n"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALL, ANALYZE = ACTION["runs"]["steps"]
COMMAND = f'#!/bin/sh\nexec "{sys.executable}" -m ascend_doctor "$@"\n'


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def bash(text: str, folder: Path, **variables: object) -> subprocess.CompletedProcess[str]:
    """Run a script as the runners do."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB")}
    environ = {**known, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text],
        cwd=folder,
        env={**environ, **{name: str(value) for name, value in variables.items()}},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def runner(tmp_path):
    """A runner on which the first step has been done."""
    script(tmp_path / "temp/ascend-doctor/bin/ascend-doctor", COMMAND)
    work = tmp_path / "work"
    work.mkdir()
    (work / "train 1.log").write_text(FAULT, encoding="utf-8")

    def analyze(paths: str, options: str = "") -> tuple[int, str, str]:
        done = bash(
            ANALYZE["run"],
            work,
            DOCTOR_PATHS=paths,
            DOCTOR_OPTIONS=options,
            RUNNER_TEMP=tmp_path / "temp",
            GITHUB_OUTPUT=tmp_path / "output",
        )
        return done.returncode, (tmp_path / "output").read_text(), done.stdout + done.stderr

    analyze.work = work
    return analyze


def test_the_action_fails_on_a_fault_and_tells_the_code(runner):
    code, output, said = runner("train 1.log\n")
    assert (code, output, said.splitlines()[0]) == (
        1,
        "exit-code=1\n",
        "✗ Root cause: The loader cannot find libhccl.so",
    )


def test_the_action_passes_on_options_one_a_line(runner):
    code, output, _ = runner(
        "  train 1.log  \n\n", "--fail-on=never\n-f\njson=result 1.json\n--lang=zh\n"
    )
    assert (code, output) == (0, "exit-code=0\n")
    stored = json.loads((runner.work / "result 1.json").read_text(encoding="utf-8"))
    assert stored["gate"]["fail_on"] == "never"


def test_an_input_of_the_action_is_no_code(runner):
    code, _, said = runner("$(touch owned) `touch owned`; touch owned\n--fail-on=never")
    assert (code, (runner.work / "owned").exists()) == (2, False)
    assert said == "error: $(touch owned) `touch owned`; touch owned: no such file or folder\n"


def test_the_action_without_a_path_is_no_pass(runner):
    assert runner("\n")[:2] == (2, "exit-code=2\n")


def test_the_action_installs_what_it_lies_in(tmp_path):
    said = script(
        tmp_path / "python",
        '#!/bin/sh\nmkdir -p "$3/bin"\n'
        f'printf \'#!/bin/sh\\nprintf "%%s\\\\n" "$@" >{tmp_path}/pip\\n\' >"$3/bin/python"\n'
        'chmod +x "$3/bin/python"\n',
    )
    done = bash(
        INSTALL["run"],
        tmp_path,
        DOCTOR_PYTHON=said,
        RUNNER_TEMP=tmp_path / "temp dir",
        GITHUB_ACTION_PATH=tmp_path / "the action",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "pip").read_text().splitlines() == [
        *("-m", "pip", "install", "--quiet"),
        str(tmp_path / "the action"),
    ]


def test_inputs_of_the_action_stand_in_no_script():
    assert ["${{" in step["run"] for step in (INSTALL, ANALYZE)] == [False, False]
    used = {value for step in (INSTALL, ANALYZE) for value in step["env"].values()}
    assert used == {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}


def component(**inputs: str) -> dict[str, Any]:
    """Return the jobs of the GitLab component with its inputs put in, value by value as there."""
    spec, jobs = yaml.safe_load_all((ROOT / "templates/ascend-doctor.yml").read_text("utf-8"))
    values = {name: item.get("default") for name, item in spec["spec"]["inputs"].items()}
    values |= inputs

    def filled(node: Any) -> Any:
        if isinstance(node, dict):
            return {filled(name): filled(value) for name, value in node.items()}
        if isinstance(node, list):
            return [filled(value) for value in node]
        if not isinstance(node, str):
            return node
        return re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda found: values[found[1]], node)

    return filled(jobs)


@pytest.mark.parametrize(("options", "code"), [("", 1), ("--fail-on=never --lang=zh", 0)])
def test_the_gitlab_job_leaves_its_reports_whatever_it_finds(tmp_path, options, code):
    job = component(options=options, paths="logs more.log")["ascend-doctor"]
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text(FAULT, encoding="utf-8")
    (tmp_path / "more.log").write_text("step 1\n", encoding="utf-8")
    script(tmp_path / "bin/ascend-doctor", COMMAND)
    script(tmp_path / "bin/python", f'#!/bin/sh\necho "$@" >>{tmp_path}/pip\n')
    done = bash(
        "\n".join(job["script"]),
        tmp_path,
        PATH=f"{tmp_path}/bin:{os.environ['PATH']}",
        **job["variables"],
    )
    assert (done.returncode, done.stderr) == (code, "")
    assert (tmp_path / "pip").read_text() == "-m pip install --quiet ascend-doctor\n"
    reports = job["artifacts"]["reports"]
    quality = json.loads((tmp_path / reports["codequality"]).read_text(encoding="utf-8"))
    assert [entry["check_name"] for entry in quality] == ["not-found-shared-library"]
    assert ET.parse(tmp_path / reports["junit"]).getroot().get("failures") == "1"
    assert [(tmp_path / name).exists() for name in job["artifacts"]["paths"]] == [True]
    assert (job["when"], job["artifacts"]["when"]) == ("always", "always")


@pytest.mark.parametrize(
    "hook",
    yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text()),
    ids=lambda hook: hook["id"],
)
def test_the_hooks_try_the_rules_of_a_folder(run, tmp_path, monkeypatch, hook):
    known = rule("numerics-odd", "the loss is odd")
    known["examples"] = {"match": [{"log": "the loss is odd"}], "near": ["the loss is even"]}
    patterns(tmp_path / "patterns", known)
    _, *words = shlex.split(hook["entry"])
    monkeypatch.chdir(tmp_path)
    done = run(*words, *hook["args"])
    assert (done.exit_code, done.stderr) == (0, "1 rules, 0 failures\n")
    if words[-1] == "test":
        known["examples"]["match"] = [{"log": "the loss is even"}]
        patterns(tmp_path / "patterns", known)
        assert run(*words, *hook["args"]).exit_code == 1
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)
