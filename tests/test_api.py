"""The library's front door."""

from __future__ import annotations

import shutil

import pytest

import ascend_doctor


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "rank_3" / "train.log"
    path.parent.mkdir()
    path.write_text(
        "Traceback (most recent call last):\n"
        '  File "/job/train.py", line 12, in main\n'
        "    import torch_npu\n"
        "ImportError: libhccl.so: cannot open shared object file: No such file or directory\n"
    )
    return tmp_path


def test_analyze_returns_a_report(log):
    report = ascend_doctor.analyze(log)
    first = report.diagnoses[0]
    assert (report.status, first.rule, first.captures, first.ranks) == (
        "problem",
        "not-found-shared-library",
        {"library": "libhccl.so"},
        (3,),
    )
    assert (first.location.file, first.location.line) == ("/job/train.py", 12)


def test_a_frame_has_a_row_a_diagnosis(log):
    frame = ascend_doctor.analyze([log]).to_frame()
    row = frame.iloc[0]
    assert [row[name] for name in ("position", "rule", "severity", "path", "line", "rank")] == [
        1,
        "not-found-shared-library",
        "fatal",
        "rank_3/train.log",
        4,
        3,
    ]


def test_a_frame_of_a_clean_report_is_empty_with_its_columns(tmp_path):
    (tmp_path / "a.log").write_text("step 1\n")
    frame = ascend_doctor.analyze(tmp_path).to_frame()
    assert (len(frame), "family" in frame.columns) == (0, True)


def test_a_missing_path_is_an_input_error(tmp_path):
    with pytest.raises(ascend_doctor.DoctorError, match="no such file or folder"):
        ascend_doctor.analyze(tmp_path / "gone")


def test_limits_on_archives_are_an_argument(log):
    archive = shutil.make_archive(str(log / "logs"), "zip", log / "rank_3")
    report = ascend_doctor.analyze(archive, limits=ascend_doctor.Limits(depth=0))
    assert report.coverage.skipped == (
        ("logs.zip", "packed more than 0 deep; --max-depth raises this limit"),
    )
