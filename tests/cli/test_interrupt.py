"""Ctrl-C while logs are read: what was read is told, and that it is not all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import jsonschema
import pytest

from tests.conftest import ROOT

SCHEMA = json.loads((ROOT / "docs/schema/report-1.json").read_text(encoding="utf-8"))
FAULT = b"ImportError: libhccl.so: cannot open shared object file: No such file or directory\n"
# Much more than a pipe holds: when all of it is written, its beginning was read.
FILLER = b"step 1 loss 2.31\n" * (4 << 16)
SAID = "error: interrupted; the report is about what was read until then\n"
SAID_ZH = "错误：已被中止，报告仅针对此前读到的内容\n"


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@pytest.fixture
def start(monkeypatch):
    """Start ``analyze`` in a session of its own, as if a terminal had; end it if a test fails."""
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    started = []

    def start(*args: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "ascend_doctor", "analyze", *map(str, args)]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=60)


def sparse(tmp_path, count: int):
    """Return files that take no time, but are large enough for several processes to be started."""
    paths = [tmp_path / f"sparse-{number}.log" for number in range(count)]
    for path in paths:
        path.write_bytes(b"step 1 loss 2.31\n" * 1000)
        os.truncate(path, 70 << 20)
    return paths


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_was_read_is_told_as_json(start, tmp_path, pipe, jobs, number):
    late = tmp_path / "late"
    os.mkfifo(late)
    process = start(*sparse(tmp_path, 2), pipe, late, "-j", jobs, "-f", "json")
    with pipe.open("wb") as writer:
        writer.write(FAULT + FILLER)
        writer.flush()
        os.killpg(process.pid, number)
        out, err = process.communicate(timeout=60)
    answer = json.loads(out)
    jsonschema.validate(answer, SCHEMA)
    coverage = answer["coverage"]
    assert (process.returncode, err) == (2, SAID)
    assert [d["rule"] for d in answer["diagnoses"]] == ["not-found-shared-library"]
    assert coverage["broken"] == [{"path": str(pipe), "reason": "interrupted"}]
    # Several processes know of all pipes before the first is read.
    assert (coverage["files"], coverage["unread"], coverage["skipped"]) == (3, jobs - 1, [])
    assert coverage["interrupted"] is True


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_was_read_is_told_as_text(start, pipe, jobs):
    process = start(pipe, "-j", jobs)
    with pipe.open("wb") as writer:
        writer.write(FAULT + FILLER)
        writer.flush()
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (2, SAID)
    assert out.splitlines()[:3] == [
        "! Interrupted: this is about what was read until then.",
        "",
        "✗ Root cause: The loader cannot find libhccl.so",
    ]


def is_waiting(process: subprocess.Popen[str]) -> bool:
    """Say whether the process sleeps in an open that waits for the other end of a pipe."""
    with open(f"/proc/{process.pid}/wchan") as name:
        return "fifo" in name.read() or "pipe" in name.read()


def test_a_read_that_hangs_is_left(start, tmp_path, pipe):
    """Nobody ever writes into the pipe that is opened behind a file that was read."""
    log = tmp_path / "train.log"
    log.write_bytes(FAULT)
    first = tmp_path / "first"
    os.mkfifo(first)
    process = start(first, log, pipe, "-f", "markdown", "--lang", "zh")
    with first.open("wb") as writer:
        writer.write(FAULT)
    # When the open below returns, it is because the process has opened the other end.
    reading = os.open(pipe, os.O_WRONLY)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    os.close(reading)
    assert (process.returncode, err) == (2, SAID_ZH)
    assert out.splitlines()[0] == "> 已被中止：至少有 1 个文件未读；以下仅针对此前读到的内容。"
