"""The tutorials say what the commands print: each is typed along, line by line.

In a block of kind ``console``, a line after ``$`` is a command for bash, those after ``>`` go on
with it, and the rest is what it prints; ``...`` stands for any lines.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field

import pytest
import yaml

from tests.conftest import ROOT

LOCALES = {"en": "C.UTF-8", "zh": "zh_CN.UTF-8"}
YAML = re.compile(r"^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass
class Step:
    """A command, and the lines that it prints."""

    command: str
    printed: list[str] = field(default_factory=list)


def steps(page):
    found = []
    for block in BLOCK.findall(page):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(Step(line[2:]))
            elif line.startswith("> "):
                found[-1].command += f"\n{line[2:]}"
            else:
                found[-1].printed.append(line)
    return found


def fits(printed, wanted):
    """Say whether lines are as wanted, where ``...`` stands for any number of any lines."""
    lines = (r"(?:.*\n)*" if line == "..." else f"{re.escape(line)}\n" for line in wanted)
    return re.fullmatch("".join(lines), "".join(f"{line}\n" for line in printed)) is not None


@pytest.fixture
def typed(tmp_path):
    """Type a command into bash, in a folder with the samples; return what is printed."""
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "ascend-doctor"
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m ascend_doctor "$@"\n'
    )
    program.chmod(0o755)
    desk = tmp_path / "desk"
    desk.mkdir()
    (desk / "samples").symlink_to(ROOT / "samples")
    last = 0

    def bash(command, lang):
        nonlocal last
        environ = {key: os.environ[key] for key in os.environ if not key.startswith("LC_")}
        done = subprocess.run(
            ["bash", "-c", f"(exit {last})\n{command}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            cwd=desk,
            env={
                **environ,
                "HOME": str(desk),
                "LANG": LOCALES[lang],
                "PATH": f"{programs}:{environ['PATH']}",
                "PYTHONUTF8": "1",
            },
        )
        last = done.returncode
        return done.stdout.splitlines()

    return bash


@pytest.mark.slow
@pytest.mark.parametrize("lang", LOCALES)
def test_the_tutorial_prints_what_it_says(typed, lang):
    page = (ROOT / "docs" / lang / "tutorial.md").read_text(encoding="utf-8")
    done = [(step, typed(step.command, lang)) for step in steps(page)]
    wrong = [Step(step.command, out) for step, out in done if not fits(out, step.printed)]
    assert wrong == []


def test_configurations_in_the_tutorials_are_yaml_and_the_same():
    pages = [
        path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*/tutorial.md"))
    ]
    told = [[yaml.safe_load(text) for text in YAML.findall(page)] for page in pages]
    assert (len(told), len(told[0]), told[0]) == (2, 2, told[1])


def test_both_tutorials_type_the_same():
    typed = [
        [re.sub(r'"[^"]*"', '""', step.command) for step in steps(path.read_text(encoding="utf-8"))]
        for path in sorted((ROOT / "docs").glob("*/tutorial.md"))
    ]
    assert (len(typed), len(typed[0]) > 10, typed[0]) == (2, True, typed[1])


@pytest.mark.parametrize(
    ("wanted", "is_fitting"),
    [
        (["a", "b", "c"], True),
        (["a", "..."], True),
        (["...", "b", "..."], True),
        (["a", "...", "a", "b", "c"], False),
        (["a", "b"], False),
        (["a", ".", "c"], False),
    ],
)
def test_lines_left_out_stand_for_any(wanted, is_fitting):
    assert fits(["a", "b", "c"], wanted) is is_fitting
