"""What a user and a gate see of ``diff``."""

from __future__ import annotations

import gzip
import json
import os

import jsonschema
import pytest

from tests.conftest import ROOT

SCHEMA = json.loads((ROOT / "docs/schema/diff-1.json").read_text(encoding="utf-8"))
FAULT = "ImportError: libhccl.so: cannot open shared object file: No such file or directory"
START = ["torch==2.7.1 torch_npu==2.7.1", "step 1 loss 2.1", "step 2 loss 2.2"]
GOOD = [*START, "step 3 loss 2.3", "saved checkpoint", "done"]
BAD = ["torch==2.8.0 torch_npu==2.7.1", *START[1:], FAULT, "by\x1be"]

ENGLISH = """\
✗ Only in the bad run: diagnoses 1, wordings of errors and warnings 1

Diagnosed only in the bad run
  • The loader cannot find libhccl.so  rank_0/train.log:4  not-found-shared-library

The environments differ (good → bad)
  torch: 2.7.1 → 2.8.0, 2.7.1

Where the bad run leaves the path
  rank 0: the first line that the good run never has
  good  rank_0/train.log
      1  torch==2.7.1 torch_npu==2.7.1
      2  step 1 loss 2.1
      3  step 2 loss 2.2
    > 4  step 3 loss 2.3
      5  saved checkpoint
      6  done
      7  retry 1
  bad  rank_0/train.log
      1  torch==2.8.0 torch_npu==2.7.1
      2  step 1 loss 2.1
      3  step 2 loss 2.2
    > 4  ImportError: libhccl.so: cannot open shared object file: No such file or directory
      5  by\\x1be
      6  retry 0
      7  retry 1
  rank 1: says nothing new, but ends before the good run does
  good  rank_1/train.log
      1  torch==2.7.1 torch_npu==2.7.1
      2  step 1 loss 2.1
    > 3  step 2 loss 2.2
      4  step 3 loss 2.3
      5  saved checkpoint
      6  done
  bad  rank_1/train.log
      1  torch==2.7.1 torch_npu==2.7.1
      2  step 1 loss 2.1
    > ends here

New errors and warnings, in order of appearance
  rank_0/train.log:4  rank 0
    ImportError: libhccl.so: cannot open shared object file: No such file or directory

Many more than in the good run
  rank_0/train.log:6  rank 0  ×1 → ×12
    retry 0

Other new lines
  rank_0/train.log:5  rank 0
    by\\x1be

What only the good run has
  rank_0/train.log:5  rank 0  ×2
    saved checkpoint
  rank_0/train.log:6  rank 0  ×2
    done

────────────────────────────────────────────────────────────────────────────────────────────────────
  good: 2 files, 208 B, 13 lines
  bad: 2 files, 294 B, 19 lines
"""


@pytest.fixture
def runs(tmp_path):
    def lay_out(name: str, **files: list[str]):
        for file, lines in files.items():
            folder = tmp_path / name / file
            folder.mkdir(parents=True)
            (folder / "train.log").write_text("".join(f"{line}\n" for line in lines))
        return tmp_path / name

    good = lay_out("good", rank_0=[*GOOD, "retry 1"], rank_1=GOOD)
    bad = lay_out("bad", rank_0=[*BAD, *(f"retry {n}" for n in range(12))], rank_1=GOOD[:2])
    return good, bad


def test_the_text(run, runs):
    done = run("diff", *runs)
    assert (done.exit_code, done.stdout, done.stderr) == (1, ENGLISH, "")
    chinese = run("diff", *runs, "--lang", "zh").stdout.splitlines()
    assert [line for line in chinese if line and line[0] != " "] == [
        "✗ 仅异常运行有：诊断 1 条，报错与告警 1 类",
        "仅异常运行有的诊断",
        "环境差异（正常 → 异常）",
        "异常运行最早在何处偏离",
        "新增的报错与告警（按出现先后）",
        "明显增多的内容",
        "其他新增内容",
        "仅正常运行有的内容",
        "─" * 100,
    ]


def test_the_json_is_as_the_schema_says(run, runs):
    done = run("diff", *runs, "-f", "json")
    answer = json.loads(done.stdout)
    jsonschema.validate(answer, SCHEMA)
    assert done.exit_code == 1
    assert answer["environment"] == [{"name": "torch", "good": "2.7.1", "bad": "2.8.0, 2.7.1"}]
    assert [(d["process"], d["ends"], d["bad"]["line"]) for d in answer["divergences"]] == [
        ("rank 0", False, 4),
        ("rank 1", True, None),
    ]
    assert [(w["template"], w["good"], w["bad"]) for w in answer["more"]] == [("retry #", 1, 12)]
    assert answer["new"][0] == {
        "template": FAULT,
        "level": "ERROR",
        "good": 0,
        "bad": 1,
        "first": {
            "path": "rank_0/train.log", "line": 4, "text": FAULT, "time": None, "module": None,
            "pid": None, "rank": 0, "node": None,
        },
    }  # fmt: skip


def test_nothing_new_exits_0(run, runs):
    good, bad = runs
    for one, other in ((bad, bad), (bad, good)):
        done = run("diff", one, other)
        assert (done.exit_code, done.stdout.splitlines()[0]) == (
            0,
            "✓ The bad run has no diagnosis, error or warning that the good one has not.",
        )


@pytest.mark.parametrize(
    ("fail_on", "code"), [("never", 0), ("warning", 1), ("error", 1), ("fatal", 1)]
)
def test_fail_on_decides_what_fails(run, runs, fail_on, code):
    assert run("diff", *runs, "--fail-on", fail_on).exit_code == code


def test_a_warning_fails_only_if_it_is_asked_for(run, tmp_path):
    for name, line in (("good", "up"), ("bad", "WARNING: slow")):
        (tmp_path / name).write_text(f"{line}\n")
    assert run("diff", tmp_path / "good", tmp_path / "bad").exit_code == 1
    assert run("diff", tmp_path / "good", tmp_path / "bad", "--fail-on", "error").exit_code == 0


def test_a_run_without_logs_exits_3(run, runs, tmp_path):
    (tmp_path / "none").mkdir()
    done = run("diff", runs[0], tmp_path / "none")
    assert (done.exit_code, done.stderr) == (
        3,
        f"error: {tmp_path}/none: nothing readable was found\n",
    )


def test_a_missing_run_exits_2_in_one_line(run, runs, tmp_path):
    done = run("diff", runs[0], tmp_path / "gone")
    assert (done.exit_code, done.stderr) == (
        2,
        f"error: {tmp_path}/gone: no such file or folder\n",
    )


@pytest.mark.parametrize("args", [("", "."), (".", "")])
def test_an_empty_path_is_no_folder(run, args):
    done = run("diff", *args)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "a path is empty; is a variable unset?" in done.stderr


def test_a_pipe_is_refused_since_it_can_be_read_only_once(run, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, "-"):
        done = run("diff", tmp_path, path)
        told = f"error: {path}: is read more than once, which a pipe cannot be; save it to a file\n"
        assert (done.exit_code, done.stdout, done.stderr) == (2, "", told)


def test_what_could_not_be_compared_is_not_told_to_be_the_same(run, tmp_path):
    (tmp_path / "good.log").write_text("\n".join(GOOD), encoding="utf-8")
    (tmp_path / "bad.log").write_bytes(b"")
    done = run("diff", tmp_path / "good.log", tmp_path / "bad.log")
    said = "! Nothing was compared: in one of the two runs, nothing readable was found."
    assert (done.exit_code, done.stdout.splitlines()[0]) == (3, said)


def test_a_part_that_breaks_off_is_told(run, tmp_path):
    (tmp_path / "good.log").write_text("\n".join(GOOD), encoding="utf-8")
    packed = gzip.compress("\n".join(GOOD * 50).encode())
    (tmp_path / "bad.log.gz").write_bytes(packed[: len(packed) - 12])
    done = run("diff", tmp_path / "good.log", tmp_path / "bad.log.gz")
    note = f"note: {tmp_path}/bad.log.gz: not all of it could be read: bad.log.gz: "
    assert done.stderr.startswith(note)
