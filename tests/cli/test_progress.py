"""The line that says how far reading is."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys

import pytest

from ascend_doctor.cli.progress import Line
from ascend_doctor.engines.watch import Progress
from tests.conftest import ROOT

FILLER = b"step 1 loss 2.31\n" * 4096


class Terminal(io.StringIO):
    """A terminal that is 80 columns wide, since it does not say how wide it is."""


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("lang", "progress", "said"),
    [
        (
            "en",
            Progress(1200, 8 << 30, True, 34, 3 << 29, "rank_3/train.log"),
            "34 of 1,200 files, 1.5 GiB of 8.0 GiB, 768.0 MiB/s  rank_3/train.log",
        ),
        (
            "zh",
            Progress(1200, 8 << 30, True, 34, 3 << 29, "rank_3/训练.log"),
            "34/1,200 个文件，1.5 GiB/8.0 GiB，768.0 MiB/s  rank_3/训练.log",
        ),
        # More may be found, and what comes through a pipe has no size.
        ("en", Progress(2, 9, False, 1, 1 << 20, "x"), "1 file, 1.0 MiB, 512.0 KiB/s  x"),
        ("en", Progress(1, 0, True, 0, 1 << 20, "<stdin>"), "1.0 MiB, 512.0 KiB/s  <stdin>"),
        (
            "en",
            Progress(1, 4, True, 0, 2, "a\x1b[31m\n" + "long" * 30),
            ("2 B of 4 B, 1 B/s  a\\x1b[31m\\x0a" + "long" * 30)[:79],
        ),
        ("zh", Progress(1, 4, True, 0, 2, "日志" * 40), "2 B/4 B，1 B/s  " + "日志" * 15 + "日"),
    ],
)  # fmt: skip
def test_what_it_says(lang, progress, said):
    terminal, clock = Terminal(), Clock()
    line = Line(terminal, lang, clock)
    clock.now += 2
    line.see(progress)
    assert terminal.getvalue() == f"\r{said}"


def test_it_comes_after_a_second_seldom_and_leaves_nothing():
    terminal, clock = Terminal(), Clock()
    line = Line(terminal, "en", clock)
    for after_s, path in ((0.5, "a"), (1.0, "bcd"), (1.1, "e"), (1.2, "f")):
        clock.now = 100 + after_s
        line.see(Progress(path=path))
    line.erase()
    shown = "0 B, 0 B/s  "
    assert terminal.getvalue() == f"\r{shown}bcd\r{shown}f  \r{' ' * len(shown + 'f')}\r"


def test_what_was_never_shown_is_not_erased():
    terminal = Terminal()
    Line(terminal, "en", Clock()).erase()
    assert terminal.getvalue() == ""


def analyze(fifo, stderr: int, *args: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "ascend_doctor", "analyze", str(fifo), *args]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, cwd=ROOT)


@pytest.fixture
def fifo(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_a_terminal_shows_it_while_there_is_something_to_read(fifo):
    ours, theirs = pty.openpty()
    process = analyze(fifo, theirs, "--lang", "en")
    os.close(theirs)
    os.set_blocking(ours, False)
    shown = b""
    with fifo.open("wb", buffering=0) as writer:
        while b"/s" not in shown and process.poll() is None:
            writer.write(FILLER)
            try:
                shown += os.read(ours, 4096)
            except BlockingIOError:
                continue
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert re.match(rb"\r[\d.]+ MiB, [\d.]+ [KM]iB/s  pipe", shown)
    assert out.startswith("✓ No fault found in what was read.".encode())
    os.close(ours)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_it_is_not_shown_unasked_or_where_there_is_no_terminal(fifo, is_terminal):
    ours, theirs = pty.openpty() if is_terminal else os.pipe()
    process = analyze(fifo, theirs, *(["--no-progress"] if is_terminal else []))
    os.close(theirs)
    with fifo.open("wb", buffering=0) as writer:
        for _ in range(200):
            writer.write(FILLER)
    process.communicate(timeout=60)
    try:
        said = os.read(ours, 4096)
    except OSError:  # how a terminal ends
        said = b""
    os.close(ours)
    assert (process.returncode, said) == (0, b"")
