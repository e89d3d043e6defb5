"""``run`` as a process of its own, as a shell would start it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.fixture
def environ(tmp_path):
    """The variables of a machine on which nothing else logs, and whose copies can be counted."""
    (tmp_path / "tmp").mkdir()
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ASCEND", "GITHUB")) and name not in ("COLUMNS", "LINES")
    }
    return {**kept, "HOME": str(tmp_path), "TMPDIR": str(tmp_path / "tmp"), "LC_ALL": "C.UTF-8"}


@pytest.fixture
def start(environ):
    """Start ``run`` with some arguments; what is left of it is ended."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(*args: object, **options: object) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "ascend_doctor", "run", *map(str, args)]
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environ} | options
        process = subprocess.Popen(command, cwd=ROOT, **options)  # type: ignore[call-overload]
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            process.kill()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        process.wait(timeout=60)


@pytest.fixture
def script(tmp_path):
    """Write a Python program and return the command that runs it."""

    def write(text: str, *args: object) -> tuple[str, ...]:
        path: Path = tmp_path / f"job{len(list(tmp_path.glob('job*.py')))}.py"
        path.write_text(text, encoding="utf-8")
        return (sys.executable, "-u", str(path), *map(str, args))

    return write
