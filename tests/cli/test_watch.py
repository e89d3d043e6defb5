"""What a user and a gate see of ``watch``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.conftest import ROOT

FAULT = "ImportError: libhccl.so: cannot open shared object file: No such file or directory\n"
NOTHING = "error: nothing was written to the logs; a gate that read nothing must not be green\n"


@pytest.fixture
def start(monkeypatch):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    started = []

    def begin(*args: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "ascend_doctor", "watch", "--every", "0.05"]
        process = subprocess.Popen(
            [*command, *map(str, args)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=60)


def until(stream, text: str) -> list[str]:
    """Return the lines up to one that begins with a text."""
    lines = [""]
    while not lines[-1].startswith(text):
        line = stream.readline()
        assert line, lines
        lines.append(line.rstrip("\n"))
    return lines[1:]


def test_a_cause_is_told_when_it_appears_and_ctrl_c_sums_up(start, tmp_path):
    log = tmp_path / "train.log"
    log.write_text(FAULT)
    process = start(tmp_path, tmp_path / "later")
    assert until(process.stderr, "ascend-doctor: Following") == [
        f"ascend-doctor: {tmp_path}/later: no such file or folder yet; it is waited for",
        f"ascend-doctor: Following what is written from now on to {tmp_path}, {tmp_path}/later "
        "(files so far: 1); Ctrl-C ends it with a summary. --from-start also reads what is there "
        "already.",
    ]
    with log.open("a") as writer:
        writer.write("step 1\nImportError: libge_runner.so: cannot open shared object file: No ")
        writer.write("such file or directory\n")
    lines = until(process.stdout, "  Proof")
    assert lines[0].startswith("── Found at 20")
    assert lines[2] == "✗ Root cause: The loader cannot find libge_runner.so"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    lines = out.splitlines()
    assert lines[lines.index("── Summary ──") + 2] == (
        "✗ Root cause: The loader cannot find libge_runner.so"
    )
    assert "".join(f"Proof{log}:3".split()) in "".join(out.split())
    assert (process.returncode, err) == (1, "")


def test_it_ends_when_logs_are_idle(start, tmp_path):
    (tmp_path / "train.log").write_text("step 1\n")
    process = start("--from-start", "--until-idle", "0.3", tmp_path)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out.splitlines()[2]) == (0, "✓ No fault found in what was read.")


def test_nothing_written_exits_3(start, tmp_path):
    (tmp_path / "train.log").write_text(FAULT)
    process = start("--until-idle", "0.2", tmp_path)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.splitlines(keepends=True)[-1]) == (3, NOTHING)


SINCE = 1_800_000_000
AT = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(SINCE))


@pytest.mark.parametrize(
    ("lang", "said", "file", "still", "error"),
    [
        (
            "en",
            "Nothing has been written since {at} ({path} was the last); files followed: 1.",
            "{path}  silent since {at}",
            " Watching goes on.",
            NOTHING,
        ),
        (
            "zh",
            "所跟踪的 1 个文件自 {at} 起没有写入新内容（最后写入的是 {path}）。",
            "{path}  {at} 起静默",
            "仍在继续跟踪。",
            "错误：日志没有任何新内容；什么都没读到的检查不能算通过\n",
        ),
    ],
)
def test_logs_that_do_not_grow_are_told_once_and_since_when(
    run, monkeypatch, tmp_path, lang, said, file, still, error
):
    monkeypatch.setattr("ascend_doctor.cli.watch._QUIET_S", 0.0)
    log = tmp_path / "train.log"
    log.write_text(FAULT)
    os.utime(log, (SINCE, SINCE))
    done = run("watch", "--every", "0.05", "--until-idle", "0.3", "--lang", lang, log)
    said, file = (text.format(at=AT, path=log) for text in (said, file))
    assert done.exit_code == 3
    assert done.stdout.splitlines()[2:] == [f"! {said}", f"  {file}"]
    assert done.stderr.splitlines(keepends=True)[1:] == [f"ascend-doctor: {said}{still}\n", error]


def test_folders_without_a_file_are_named(run, tmp_path):
    done = run("watch", "--every", "0.05", "--until-idle", "0.1", "--lang", "en", tmp_path)
    assert (done.exit_code, done.stdout.splitlines()[2:]) == (
        3,
        [f"! There is no file yet in what is followed: {tmp_path}."],
    )


def test_what_was_written_and_cannot_be_read_is_told_as_that(run, tmp_path):
    log = tmp_path / "train.log.gz"
    log.write_bytes(b"\x1f\x8b\x08" + bytes(40))
    done = run("watch", "--from-start", "--every", "0.05", "--until-idle", "0.1", log)
    assert done.exit_code == 3
    assert done.stderr.splitlines()[-1] == (
        f"error: nothing readable was found: {log}: packed or in UTF-16, which is not followed"
    )


@pytest.mark.parametrize(("fail_on", "code"), [("warning", 1), ("never", 0)])
def test_it_ends_at_the_first_fault_if_that_is_asked_for(start, tmp_path, fail_on, code):
    (tmp_path / "train.log").write_text(FAULT)
    # Without a fault at or above the level, it is the idle logs that end it.
    idle = [] if code else ["--until-idle", "0.5"]
    process = start("--from-start", "--until-found", "--fail-on", fail_on, *idle, tmp_path)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == code
    assert "✗ Root cause: The loader cannot find libhccl.so" in out.splitlines()


def test_silence_is_told_with_the_last_lines_of_each_rank(start, tmp_path):
    folder = tmp_path / "rank_4"
    folder.mkdir()
    process = start("--stall", "0.2", "--lang", "zh", tmp_path)
    until(process.stderr, "ascend-doctor: 正在跟踪")
    (folder / "train.log").write_text("step 8 loss 2.01\n")
    lines = until(process.stdout, "  rank 4  ")
    assert lines[-1].endswith(f"起静默  {folder}/train.log")
    assert process.stdout.readline() == "    step 8 loss 2.01\n"


def test_a_name_cannot_steer_the_terminal(start, tmp_path):
    process = start(os.path.join(tmp_path, "a\x1b[31m\nb"))
    assert process.stderr.readline() == (
        f"ascend-doctor: {tmp_path}/a\\x1b[31m\\x0ab: no such file or folder yet; "
        "it is waited for\n"
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["logs", "--every", "nan"], "nan is no time that can be waited for"),
        (["logs", "--every", "inf"], "inf is no time that can be waited for"),
        (["logs", "--stall", "1e300"], "1e300 is no time that can be waited for"),
        ([""], "a path is empty; is a variable unset?"),
        (["-"], "a pipe cannot be followed; use `ascend-doctor run -- COMMAND`, or `analyze -`"),
    ],
)
def test_what_cannot_be_watched_or_waited_for_is_wrong_usage(run, args, said):
    done = run("watch", *args)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].endswith(said)
