"""A shell is offered commands, options and what they take."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from ascend_doctor.cli import completing
from ascend_doctor.knowledge.index import load
from tests.conftest import ROOT

NUMERICS = [f"plain,{name}" for name in load().rules if name.startswith("numerics-")]
BASH = shutil.which("bash")


def offered(words, **environ):
    """Return what the completion protocol answers for the last of ``words``."""
    done = subprocess.run(
        [sys.executable, "-m", "ascend_doctor"],
        capture_output=True,
        text=True,
        check=True,
        env={
            **os.environ,
            "_ASCEND_DOCTOR_COMPLETE": "bash_complete",
            "COMP_WORDS": "\n".join(words),
            "COMP_CWORD": str(len(words) - 1),
            **environ,
        },
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "answers"),
    [
        (["ex"], ["plain,explain"]),
        (["analyze", "samples/n"], ["file,samples/n"]),
        (["analyze", "--fail-on", "e"], ["plain,error"]),
        (["analyze", "-f", "j"], ["plain,json", "plain,junit"]),
        (["analyze", "-f", "json=re"], ["file,json=re"]),
        (["explain", ""], []),
        (["explain", "ASCEND_LAUNCH_"], ["plain,ASCEND_LAUNCH_BLOCKING"]),
        (["explain", "ACL_ERROR_RT_CONTEXT_N"], ["plain,ACL_ERROR_RT_CONTEXT_NULL"]),
        (["rules", "show", "host-resource-oom-k"], ["plain,host-resource-oom-killer"]),
        (["rules", "list", "--family", "buf"], ["plain,buffer_oom"]),
        (["analyze", "--select", "num"], ["plain,numerics", *NUMERICS]),
        (["report", "--ignore", "dataload,buffer_"], ["plain,dataload,buffer_oom"]),
        (["run", "-f", "html"], ["plain,html"]),
        (["completion", ""], ["plain,bash", "plain,zsh", "plain,fish"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_what_is_offered(words, answers):
    assert offered(["ascend-doctor", *words]) == answers


def test_every_term_that_is_offered_can_be_looked_up(run):
    terms = completing.terms(None, None, "HCCL_E")
    done = run("explain", *terms)
    assert (len(terms) > 10, done.exit_code, done.stderr) == (True, 0, "")


@pytest.mark.parametrize(
    ("shell", "first", "asks"),
    [
        ("bash", "_ascend_doctor_completion() {", "_ASCEND_DOCTOR_COMPLETE=bash_complete"),
        ("zsh", "#compdef ascend-doctor", "_ASCEND_DOCTOR_COMPLETE=zsh_complete"),
        ("fish", "function _ascend_doctor_completion;", "_ASCEND_DOCTOR_COMPLETE=fish_complete"),
    ],
)
def test_the_script_of_a_shell(run, shell, first, asks):
    done = run("completion", shell)
    assert (done.exit_code, done.stderr, asks in done.stdout) == (0, "", True)
    assert done.stdout.splitlines()[0] == first


@pytest.mark.skipif(BASH is None, reason="needs bash")
def test_bash_completes_by_the_script(run, tmp_path):
    program = tmp_path / "ascend-doctor"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m ascend_doctor "$@"\n')
    program.chmod(0o755)
    asked = """
        complete -p ascend-doctor
        COMP_WORDS=(ascend-doctor analyze --fail-on w) COMP_CWORD=3
        _ascend_doctor_completion ascend-doctor
        echo "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        [BASH, "--norc", "-c", run("completion", "bash").stdout + asked],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    assert (done.stdout.splitlines(), done.stderr) == (
        ["complete -o nosort -F _ascend_doctor_completion ascend-doctor", "warning"],
        "",
    )
