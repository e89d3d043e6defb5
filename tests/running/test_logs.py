"""Which logs there are, and what was written to them since a moment."""

from __future__ import annotations

import os

import pytest

from ascend_doctor.running.logs import Baseline, plog_folders


@pytest.mark.parametrize(
    ("environ", "folders"),
    [
        ({"HOME": "/root"}, ("/root/ascend/log/debug", "/root/ascend/log/run")),
        (
            {"HOME": "/root", "ASCEND_WORK_PATH": "/mnt/nas"},
            ("/mnt/nas/log/debug", "/mnt/nas/log/run"),
        ),
        (
            {"HOME": "/root", "ASCEND_WORK_PATH": "/w", "ASCEND_PROCESS_LOG_PATH": "/mnt/logs"},
            ("/mnt/logs/debug", "/mnt/logs/run"),
        ),
        (
            {"HOME": "/root", "ASCEND_PROCESS_LOG_PATH": ""},
            ("/root/ascend/log/debug", "/root/ascend/log/run"),
        ),
        ({}, ()),
    ],
)  # fmt: skip
def test_where_cann_logs(environ, folders):
    assert plog_folders(environ) == folders


def grown(baseline: Baseline, folder) -> list[tuple[str, int, int]]:
    return [
        (os.path.relpath(growth.path, folder), growth.start, growth.size)
        for growth in baseline.growth()
    ]


def test_new_files_are_whole_and_of_others_what_was_added(tmp_path):
    (tmp_path / "a.log").write_text("old\n")
    (tmp_path / "same.log").write_text("old\n")
    baseline = Baseline([str(tmp_path), str(tmp_path / "later")])
    before = baseline.total()
    with (tmp_path / "a.log").open("a") as log:
        log.write("new\n")
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "b.log").write_text("new\n")
    (tmp_path / "empty.log").write_text("")
    assert grown(baseline, tmp_path) == [("a.log", 4, 8), ("later/b.log", 0, 4)]
    # A file that stands below two paths is one.
    assert (before, baseline.total()) == ((2, 8), (4, 16))


def test_a_file_that_was_cut_or_replaced_is_new(tmp_path):
    for name in ("cut.log", "replaced.log"):
        (tmp_path / name).write_text("a long old line\n")
    baseline = Baseline([str(tmp_path)])
    (tmp_path / "cut.log").write_text("new\n")
    (tmp_path / "next").write_text("another and longer line\n")
    os.replace(tmp_path / "next", tmp_path / "replaced.log")
    assert grown(baseline, tmp_path) == [("cut.log", 0, 4), ("replaced.log", 0, 24)]


def test_a_file_that_was_rotated_goes_on_under_its_new_name(tmp_path):
    (tmp_path / "train.log").write_text("old\n")
    baseline = Baseline([str(tmp_path)])
    with (tmp_path / "train.log").open("a") as log:
        log.write("last\n")
    os.rename(tmp_path / "train.log", tmp_path / "train.log.1")
    (tmp_path / "train.log").write_text("next\n")
    assert grown(baseline, tmp_path) == [("train.log", 0, 5), ("train.log.1", 4, 9)]


def test_of_too_many_files_the_rest_is_known_by_its_time(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("old\n")
        os.utime(tmp_path / name, (1_000_000, 1_000_000))
    baseline = Baseline([str(tmp_path)], max_files=1)
    with (tmp_path / "c").open("a") as log:
        log.write("new\n")
    os.utime(tmp_path / "c", (4_000_000_000, 4_000_000_000))
    assert grown(baseline, tmp_path) == [("c", 0, 8)]


def test_linked_folders_are_not_entered_unless_they_are_named(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "loop").symlink_to(tmp_path / "logs")
    (tmp_path / "named").symlink_to(tmp_path / "real")
    baseline = Baseline([str(tmp_path / "logs"), str(tmp_path / "named")])
    (tmp_path / "real" / "a.log").write_text("new\n")
    (tmp_path / "elsewhere.log").write_text("linked\n")
    (tmp_path / "logs" / "latest.log").symlink_to(tmp_path / "elsewhere.log")
    assert grown(baseline, tmp_path) == [("logs/latest.log", 0, 7), ("named/a.log", 0, 4)]
