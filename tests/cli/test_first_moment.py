"""Ctrl-C before a command has begun, and pipes that nobody reads: one line, and no waiting."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import click
import pytest

from ascend_doctor import __main__
from tests.conftest import ROOT

SAMPLE = "samples/not_found-no-cann-environment"


def run(*words):
    command = [sys.executable, "-m", "ascend_doctor", *map(str, words)]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("error", [KeyboardInterrupt, click.Abort])
def test_an_interrupt_before_a_command_has_begun_is_a_line(monkeypatch, capsys, error):
    def interrupted(*args, **options):
        raise error

    monkeypatch.setattr("ascend_doctor.cli.main", interrupted)
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert (ended.value.code, capsys.readouterr().err) == (2, "error: interrupted\n")


def test_exit_codes_pass_through():
    codes = [run("analyze", SAMPLE).returncode, run("--version").returncode, run("x").returncode]
    assert codes == [1, 0, 2]


def test_a_pipe_without_a_reader_is_refused(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = run("analyze", SAMPLE, "-f", f"json={pipe}")
    assert (done.returncode, done.stderr) == (
        2,
        f"error: {pipe} cannot be written: nobody reads this pipe; start its reader first\n",
    )


def test_a_pipe_with_a_reader_gets_all(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    done = run("analyze", SAMPLE, "-f", f"json={pipe}")
    reader.join(60)
    assert (done.returncode, got[0][:1], got[0][-2:]) == (1, b"{", b"}\n")


def test_explain_says_how_a_file_is_explained(tmp_path):
    file = tmp_path / "my error.txt"
    file.write_text("EI0002\n", encoding="utf-8")
    done = run("explain", file)
    assert (done.returncode, done.stderr) == (
        1,
        f"error: not known: {file}; for the text in it: ascend-doctor explain < '{file}'\n",
    )
