"""``-f FORMAT[=FILE]``: which formats go where, and what is lost when one cannot be written."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest

from ascend_doctor.cli import actions
from ascend_doctor.reporters.github import MAX_SUMMARY
from tests.conftest import ROOT
from tests.reporters.runner import Command, obeyed

FAULT = "ImportError: libhccl.so: cannot open shared object file: No such file or directory\n"
VERDICT = "✗ Root cause: The loader cannot find libhccl.so"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "train.log"
    path.write_text(FAULT, encoding="utf-8")
    return path


def status(path) -> str:
    return json.loads(path.read_text(encoding="utf-8"))["status"]


def test_one_run_writes_several_formats(run, log, tmp_path):
    as_json, as_markdown = tmp_path / "report.json", tmp_path / "report.md"
    done = run(
        "analyze", log, "-f", "text", "-f", f"json={as_json}", "-f", f"markdown={as_markdown}"
    )
    assert (done.exit_code, done.stdout.splitlines()[0], done.stderr) == (1, VERDICT, "")
    assert status(as_json) == "problem"
    assert as_markdown.read_text().startswith("## Root cause: The loader cannot find libhccl.so")


def test_without_a_format_for_it_nothing_goes_to_standard_output(run, log, tmp_path):
    done = run("analyze", log, "-f", f"json={tmp_path}/report.json")
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", "")


def test_text_in_a_file_has_no_colour_and_the_usual_width(run, log, tmp_path):
    done = run("analyze", log, "-f", "text", "-f", f"text={tmp_path}/report.txt")
    assert (tmp_path / "report.txt").read_text(encoding="utf-8") == done.stdout


@pytest.mark.parametrize(
    ("formats", "said"),
    [
        (["xml"], "xml is not one of text, html, json, junit, sarif, gitlab, github, markdown"),
        (["json="], "json=: no file is named; is a variable unset?"),
        (
            ["text", "json=-"],
            "text and json would both go to standard output; name a file, as in -f json=FILE",
        ),
        (["text=a", "json=a"], "text and json would both go to a"),
        (["json=a", "json=./a"], "json and json would both go to a"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_read(run, tmp_path, formats, said):
    options = [word for item in formats for word in ("-f", item)]
    done = run("analyze", tmp_path / "gone", *options)
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (
        2,
        f"Error: Invalid value for '-f' / '--format': {said}",
    )


def test_an_output_without_a_folder_exits_2_and_the_others_are_written(run, log, tmp_path):
    gone, kept = tmp_path / "gone" / "report.json", tmp_path / "report.json"
    done = run("analyze", log, "-f", f"json={gone}", "-f", "text", "-f", f"json={kept}")
    assert (done.exit_code, done.stdout.splitlines()[0], done.stderr) == (
        2,
        VERDICT,
        f"error: {gone} cannot be written: there is no folder {gone.parent}\n",
    )
    assert status(kept) == "problem"


def test_a_device_that_is_full_exits_2(run, log):
    done = run("analyze", log, "-f", "json=/dev/full")
    assert (done.exit_code, done.stdout, done.stderr) == (
        2,
        "",
        "error: /dev/full cannot be written: No space left on device\n",
    )


def test_a_pipe_that_has_a_name_is_written_to(log):
    command = f"{sys.executable} -m ascend_doctor analyze {log} -f json=>(cat >&2; echo end >&2)"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.stderr.splitlines()[-1]) == ("", "end")
    assert json.loads(done.stderr.removesuffix("end\n"))["status"] == "problem"


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_standard_output_has_names(run, log, name):
    assert json.loads(run("analyze", log, "-f", f"json={name}").stdout)["status"] == "problem"


def test_standard_output_that_is_full_exits_2_and_the_files_are_written(log, tmp_path):
    kept = tmp_path / "report.json"
    command = f"{sys.executable} -m ascend_doctor analyze {log} -f text -f json={kept} >/dev/full"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (
        2,
        "error: the report cannot be written: No space left on device\n",
    )
    assert status(kept) == "problem"


def test_a_file_is_replaced_whole_keeps_its_mode_and_leaves_nothing_beside_it(run, log, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    target = folder / "report.json"
    target.write_text("old")
    target.chmod(0o640)
    before = target.open()
    run("analyze", log, "-f", f"json={target}")
    assert before.read() == "old"
    assert (os.listdir(folder), stat.S_IMODE(target.stat().st_mode)) == (["report.json"], 0o640)


def test_a_new_file_has_the_mode_of_the_umask(run, log, tmp_path):
    before = os.umask(0o027)
    try:
        run("analyze", log, "-f", f"json={tmp_path}/report.json")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "report.json").stat().st_mode) == 0o640


def test_a_link_stays_a_link(run, log, tmp_path):
    target, link = tmp_path / "report-7.json", tmp_path / "latest.json"
    link.symlink_to(target.name)
    run("analyze", log, "-f", f"json={link}")
    assert (link.is_symlink(), status(target)) == (True, "problem")


def test_a_write_that_fails_leaves_the_old_file(run, log, tmp_path, monkeypatch):
    target = tmp_path / "out" / "report.json"
    target.parent.mkdir()
    target.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    done = run("analyze", log, "-f", f"json={target}")
    assert (done.exit_code, done.stderr) == (
        2,
        f"error: {target} cannot be written: No space left on device\n",
    )
    assert (os.listdir(target.parent), target.read_text()) == (["report.json"], "old")


@pytest.fixture
def workflow(monkeypatch, tmp_path):
    """Run as a step of a workflow; return the file of its summary."""
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setattr(actions, "new_token", lambda: "0f1e2d")
    return summary


def test_a_workflow_gets_the_text_annotations_and_a_summary(run, log, workflow):
    done = run("analyze", log)
    stop, resume, cause = obeyed(done.stdout)
    assert (stop, resume) == (Command("stop-commands", {}, "0f1e2d"), Command("0f1e2d", {}, ""))
    assert (cause.name, cause.properties["title"]) == ("error", VERDICT.partition(": ")[2])
    assert done.stdout.splitlines()[1] == VERDICT
    assert workflow.read_text(encoding="utf-8").splitlines()[0] == f"##{VERDICT[1:]}"
    assert (done.exit_code, done.stderr) == (1, "")


def test_a_workflow_that_names_its_formats_gets_those(run, log, workflow):
    assert run("analyze", log, "-f", "text").stdout.splitlines()[0] == VERDICT
    assert not workflow.exists()
    done = run("analyze", log, "-f", "github")
    assert [command.name for command in obeyed(done.stdout)] == ["error"]
    assert workflow.exists()


def test_each_run_of_a_step_adds_to_its_summary(run, log, workflow):
    run("analyze", log)
    once = workflow.read_bytes()
    run("analyze", log)
    assert workflow.read_bytes() == once * 2


def test_a_summary_that_is_nearly_full_gets_what_fits(run, log, workflow):
    workflow.write_bytes(b"x\n" * ((MAX_SUMMARY - 300) // 2))
    run("analyze", log)
    assert MAX_SUMMARY - 300 < workflow.stat().st_size <= MAX_SUMMARY
    assert workflow.read_text(encoding="utf-8").endswith("Cut here; --format json has all.\n")


def test_a_summary_that_cannot_be_written_changes_nothing_else(run, log, workflow):
    workflow.mkdir()
    done = run("analyze", log)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[1] == VERDICT
    assert done.stderr == f"note: the step summary {workflow} cannot be written: Is a directory\n"


def test_a_log_and_its_name_cannot_command_a_workflow(run, tmp_path, workflow):
    names = ("::error::n.log", "##[group]n.log", "x\n::add-mask::y.log")
    for name in names:
        (tmp_path / name.replace("/", "-")).write_text(
            f"::add-mask::secret\n##[add-path]x\n{FAULT[:-1]} ::set-output name=a::b\n"
        )
    done = run("analyze", tmp_path, "--strict")
    commands = [command.name for command in obeyed(done.output)]
    assert commands == ["stop-commands", "0f1e2d", "error"]


def test_one_file_by_two_names_is_one_file(run, log, tmp_path):
    (tmp_path / "other").symlink_to("report")
    done = run("analyze", log, "-f", f"json={tmp_path}/report", "-f", f"html={tmp_path}/other")
    assert done.exit_code == 2
    assert f"json and html would both go to {tmp_path}/report" in done.stderr
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("name", ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"])
def test_a_descriptor_is_written_to_and_its_file_is_not_replaced(log, tmp_path, name):
    kept = tmp_path / "job.log"
    kept.write_text("before\n", encoding="utf-8")
    command = [sys.executable, "-m", "ascend_doctor", "analyze", log, "-f", f"json={name}"]
    with kept.open("ab") as stderr:
        subprocess.run(command, cwd=ROOT, stderr=stderr, timeout=60, check=False)
        stderr.write(b"after\n")
    first, *result, last = kept.read_text(encoding="utf-8").splitlines()
    assert (first, last) == ("before", "after")
    assert json.loads("\n".join(result))["status"] == "problem"
