"""Whose a file is, told by folders that what is shown of its path leaves out."""

from __future__ import annotations

import tarfile

import pytest

import ascend_doctor
from ascend_doctor.scope import EVERYTHING, Scope

LINE = "ImportError: libx.so: cannot open shared object file: No such file or directory\n"
TABLE = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Free\n0,1,1,0,0,9\n"


@pytest.fixture
def logs(tmp_path, monkeypatch):
    folder = tmp_path / "run" / "worker-3" / "rank_7" / "debug"
    folder.mkdir(parents=True)
    (folder / "plog.log").write_text(LINE, encoding="utf-8")
    (folder / "step_trace_time.csv").write_text(TABLE, encoding="utf-8")
    with tarfile.open(folder / "old.tar", "w") as archive:
        archive.add(folder / "plog.log", "plog.log")
    monkeypatch.chdir(tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("argument", "shown"),
    [
        ("worker-3", "rank_7/debug/plog.log"),
        ("worker-3/rank_7", "debug/plog.log"),
        ("worker-3/rank_7/", "debug/plog.log"),
        ("worker-3/rank_7/debug", "plog.log"),
        ("./worker-3/../worker-3/rank_7/debug", "plog.log"),
        ("worker-3/rank_7/debug/plog.log", "plog.log"),
        ("worker-3/rank_7/debug/old.tar", "old.tar!plog.log"),
    ],
)
def test_the_folders_of_an_argument_tell_whose_a_file_is(logs, argument, shown):
    report = ascend_doctor.analyze(argument)
    proof = next(e for d in report.diagnoses for e in d.evidence if e.path == shown)
    assert (proof.origin.node, proof.origin.rank) == ("worker-3", 7)


def test_so_do_the_folders_that_a_command_is_run_in(logs, monkeypatch):
    monkeypatch.chdir(logs / "worker-3" / "rank_7" / "debug")
    for arguments in (["."], ["plog.log"], ["plog.log", "old.tar"]):
        [report] = [ascend_doctor.analyze(arguments)]
        assert report.diagnoses[0].evidence[0].path.endswith("plog.log")
        assert report.diagnoses[0].ranks == (7,)


def test_a_profile_has_the_rank_of_its_folder(logs):
    report = ascend_doctor.analyze("worker-3/rank_7/debug/step_trace_time.csv")
    assert [track.rank for track in report.breakdown.tracks] == [7]


def test_what_is_shown_of_a_path_outranks_what_stands_above_it(logs):
    inner = logs / "worker-3" / "rank_7" / "rank_2"
    inner.mkdir()
    (inner / "a.log").write_text(LINE, encoding="utf-8")
    [diagnosis] = ascend_doctor.analyze("worker-3/rank_7").diagnoses[:1]
    ranks = {e.path: e.origin.rank for e in diagnosis.evidence}
    assert ranks["rank_2/a.log"] == 2


@pytest.mark.parametrize(
    ("text", "ranks", "is_empty"),
    [
        ("[rank0]: x\n[rank3]: " + LINE, ((5, 5),), True),
        ("[rank0]: x\n[rank3]: " + LINE, ((3, 5),), False),
        ("[rank5]: all is well\n[rank3]: " + LINE, ((5, 5),), False),
        ("[1,3]<stdout>: " + LINE, ((5, 5),), True),
        ("(Worker rank=3 pid=7) " + LINE, ((5, 5),), True),
        ("no rank here\n", ((5, 5),), False),
        (LINE, ((5, 5),), False),
    ],
)
def test_a_rank_that_no_line_names_is_not_there(tmp_path, text, ranks, is_empty):
    (tmp_path / "all.log").write_text(text, encoding="utf-8")
    part = ascend_doctor.analyze(tmp_path, scope=Scope(ranks=ranks)).coverage.slice
    assert part.empty is is_empty
    assert ascend_doctor.analyze(tmp_path, scope=EVERYTHING).coverage.slice is None
