"""What a user and a gate see of ``analyze``: output, exit codes, one-line errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

FAULT = "ImportError: libhccl.so: cannot open shared object file: No such file or directory\n"
HEALTHY = "step 1 loss 2.31\nstep 2 loss 2.28\n"
ODD = (
    "[ERROR] FE(7,python3):2026-01-02-03:04:05.006.007 [a.cc:1]7 Run:the moon is in the wrong "
    "house\n"
)


@pytest.fixture
def log(tmp_path):
    def write(text: str, name: str = "train.log"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_fault_exits_1(run, log):
    done = run("analyze", log(FAULT))
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0] == "✗ Root cause: The loader cannot find libhccl.so"


def test_a_healthy_log_exits_0(run, log):
    done = run("analyze", log(HEALTHY))
    assert (done.exit_code, done.stdout.splitlines()[0]) == (
        0,
        "✓ No fault found in what was read.",
    )


def test_an_unknown_option_exits_2(run, log):
    done = run("analyze", log(HEALTHY), "--colour")
    assert done.exit_code == 2
    assert "No such option" in done.stderr


def test_no_path_exits_2_and_says_what_to_give(run):
    done = run("analyze")
    assert (done.exit_code, done.stderr) == (
        2,
        "error: no input named; give log files, folders, or - for standard input\n",
    )


def test_a_missing_path_exits_2_in_one_line(run, tmp_path):
    done = run("analyze", tmp_path / "gone")
    assert (done.exit_code, done.stderr) == (
        2,
        f"error: {tmp_path}/gone: no such file or folder\n",
    )


def test_an_empty_folder_exits_3(run, tmp_path):
    done = run("analyze", tmp_path)
    assert (done.exit_code, done.stderr) == (
        3,
        "error: no files found; a gate that read nothing must not be green\n",
    )


def test_a_folder_with_nothing_readable_exits_3_and_says_why(run, tmp_path):
    (tmp_path / "core").write_bytes(bytes(1000))
    (tmp_path / "empty.log").write_bytes(b"")
    done = run("analyze", tmp_path)
    assert (done.exit_code, done.stderr) == (
        3,
        "error: nothing readable was found: core: binary and 1 more\n",
    )


@pytest.mark.parametrize(
    ("fail_on", "code"), [("never", 0), ("info", 1), ("warning", 1), ("error", 1), ("fatal", 1)]
)
def test_fail_on_decides_what_fails(run, log, fail_on, code):
    assert run("analyze", log(FAULT), "--fail-on", fail_on).exit_code == code


def test_an_error_that_nothing_knows_is_shown_but_fails_only_when_strict(run, log):
    path = log(ODD)
    done = run("analyze", path)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[:4] == [
        "? No diagnosis, but there are errors that no rule knows.",
        "",
        "Errors that no rule explains",
        "  train.log:1",
    ]
    assert run("analyze", path, "--strict").exit_code == 1


def test_an_unknown_error_beside_a_lesser_diagnosis_fails_a_strict_run(run, log):
    path = log(FAULT + ODD)
    assert run("analyze", path, "--fail-on", "never").exit_code == 0
    assert run("analyze", path, "--fail-on", "never", "--strict").exit_code == 1


def test_an_unreadable_part_fails_a_strict_run_with_2(run, log, tmp_path):
    log(HEALTHY)
    (tmp_path / "core").write_bytes(bytes(1000))
    assert run("analyze", tmp_path).exit_code == 0
    assert run("analyze", tmp_path, "--strict").exit_code == 2


def test_an_empty_file_is_no_part_that_was_missed(run, log, tmp_path):
    log(HEALTHY)
    (tmp_path / "stderr.log").write_bytes(b"")
    assert run("analyze", tmp_path, "--strict").exit_code == 0


def test_standard_input_is_read(run):
    done = run("analyze", "-", "-f", "json", stdin=FAULT.encode())
    answer = json.loads(done.stdout)
    assert [(e["path"], e["line"]) for e in answer["diagnoses"][0]["evidence"]] == [("<stdin>", 1)]


def test_the_language_follows_the_locale(run, log, monkeypatch):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    done = run("analyze", log(FAULT))
    assert done.stdout.splitlines()[0] == "✗ 根因：加载器找不到 libhccl.so"


def test_one_file_named_twice_is_read_once(run, log, tmp_path):
    path = log(FAULT)
    os.link(path, tmp_path / "again.log")
    answer = json.loads(run("analyze", tmp_path, path, "-f", "json").stdout)
    assert answer["coverage"]["files"] == 1
    assert answer["diagnoses"][0]["count"] == 1


def test_a_wrong_site_rule_exits_2_with_its_line(run, log, tmp_path):
    folder = tmp_path / "rules" / "not_found"
    folder.mkdir(parents=True)
    rule = folder / "not-found-x.yaml"
    rule.write_text("id: not-found-x\nfamly: not_found\n", encoding="utf-8")
    done = run("analyze", log(FAULT), "--rules", tmp_path / "rules")
    assert done.exit_code == 2
    assert done.stderr == f"error: {rule}:2: famly: there is no such field\n"


def test_a_name_cannot_steer_the_terminal_or_break_an_error_line(run, tmp_path):
    name = "two\nlines\x1b[31m"
    done = run("analyze", tmp_path / name)
    assert done.stderr == f"error: {tmp_path}/two\\x0alines\\x1b[31m: no such file or folder\n"
    (tmp_path / name).write_bytes(b"")
    done = run("analyze", tmp_path)
    assert done.stderr == ("error: nothing readable was found: two\\x0alines\\x1b[31m: empty\n")


def test_an_empty_path_is_wrong_usage_and_not_the_working_folder(run):
    done = run("analyze", "")
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (
        2,
        "Error: Invalid value for '[PATHS]...': a path is empty; is a variable unset?",
    )


def test_closed_streams_give_one_line_and_exit_2(log):
    path = log(FAULT)
    command = f"{sys.executable} -m ascend_doctor analyze"
    for line, said in (
        (f"{command} - <&-", "error: -: standard input is closed\n"),
        (
            f"{command} {path} >&-",
            "error: the report cannot be written: standard output is closed\n",
        ),
    ):
        done = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (2, said)
