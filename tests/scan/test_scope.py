"""Only a part of a job is looked at: some ranks, or some time of it."""

from __future__ import annotations

import pytest

import ascend_doctor
from ascend_doctor.engines.reader import Reader
from ascend_doctor.errors import MergeError
from ascend_doctor.facts import Facts
from ascend_doctor.knowledge import index
from ascend_doctor.report import Slice
from ascend_doctor.scope import Scope, moment, stretches


@pytest.mark.parametrize(
    ("scope", "inside", "outside"),
    [
        (Scope(since="2026-01-02T10:00"), ["02T10:00:00", "03T00:00:00"], ["02T09:59:59"]),
        (Scope(until="2026-01-02T10:00"), ["02T10:00:59"], ["02T10:01:00"]),
        (
            Scope("2026-01-02", "2026-01-02"),
            ["02T00:00:00", "02T23:59:59"],
            ["01T23:59:59", "03T00:00:00"],
        ),
        (Scope("10:00", "11:00"), ["02T10:00:00", "07T11:00:59"], ["02T11:01:00"]),
        (
            Scope("10:00:30", "10:00"),
            ["02T10:00:30", "03T10:00:59"],
            ["02T10:00:29", "02T03:00:00"],
        ),
        (Scope("22:00", "02:00"), ["02T23:00:00", "02T02:00:00"], ["02T03:00:00", "02T21:59:59"]),
        (Scope("2026-01-02", "10:00"), ["05T09:00:00"], ["05T11:00:00", "01T09:00:00"]),
    ],
)
def test_a_time_is_in_it_or_not(scope, inside, outside):
    places = {time: scope.place(f"2026-01-{time}.999999", None) for time in (*inside, *outside)}
    assert places == {**dict.fromkeys(inside, "inside"), **dict.fromkeys(outside, "outside")}
    assert scope.place(None, 0) == "unplaced"


def test_a_rank_is_in_it_or_not():
    scope = Scope(ranks=stretches(["7,0", "3-5"]))
    assert [rank for rank in range(10) if scope.place(None, rank) == "inside"] == [0, 3, 4, 5, 7]
    assert scope.place(None, None) == "unplaced"


@pytest.mark.parametrize(
    "text", ["", "10", "10:00Z", "2026-01-02T10:00+08:00", "2026-13-01", "25:00", "-2h", "now", "1"]
)
def test_what_is_no_moment_is_refused(text):
    with pytest.raises(ValueError, match="."):
        moment(text)


def plog(time: str, text: str, pid: int = 7) -> str:
    return f"[ERROR] FE({pid},py):2026-01-02-{time}.000.000 [a.cc:1]{pid} Run:{text}\n"


MOON, SUN = "the moon is in house", "the sun is in house"


@pytest.fixture
def job(tmp_path):
    """A job of two ranks, of which the second tells more, and launchers that tell no rank."""
    for rank in (0, 1):
        folder = tmp_path / f"rank_{rank}"
        folder.mkdir()
        lines = [plog("09:00:00", MOON), plog("11:00:00", f"{SUN} of rank {rank}")] * (rank + 1)
        (folder / "plog.log").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "launcher.log").write_text(
        "ImportError: libhccl.so: cannot open shared object file: No such file or directory\n"
    )
    return tmp_path


def told(job, **scope) -> tuple[list[str], list[tuple[str, int]], Slice | None]:
    report = ascend_doctor.analyze(job, scope=Scope(**scope))
    errors = sorted((item.template.partition("Run:")[2], item.count) for item in report.unexplained)
    return [d.rule for d in report.diagnoses], errors, report.coverage.slice


IMPORT = ["not-found-shared-library"]


def test_all_of_it_is_looked_at_if_nothing_is_said(job):
    assert told(job) == (IMPORT, [(MOON, 3), (f"{SUN} of rank #", 3)], None)


def test_some_ranks(job):
    assert told(job, ranks=((0, 0),)) == (
        IMPORT,
        [(MOON, 1), (f"{SUN} of rank #", 1)],
        Slice(None, None, "0", left_out=4, unplaced=1),
    )


def test_some_time(job):
    assert told(job, since="10:00") == (
        IMPORT,
        [(f"{SUN} of rank #", 3)],
        Slice("10:00", None, None, left_out=3, unplaced=1),
    )
    assert told(job, until="2026-01-02T10:00", ranks=((1, 7),)) == (
        IMPORT,
        [(MOON, 2)],
        Slice(None, "2026-01-02T10:00", "1-7", left_out=4, unplaced=1),
    )


@pytest.mark.parametrize(
    ("scope", "is_empty"),
    [
        (Scope(since="2026-01-02"), False),
        (Scope(since="2026-01-03"), True),
        (Scope(until="2026-01-02"), False),
        (Scope(until="2026-01-01T23:59"), True),
        (Scope(since="11:00"), False),
        (Scope(since="11:00:01"), True),
        (Scope(until="09:00"), False),
        (Scope(until="08:59"), True),
        # Between the two messages, but the job may have been silent there.
        (Scope(since="09:30", until="10:30"), False),
        (Scope(since="23:00", until="08:00"), True),
        (Scope(since="23:00", until="10:00"), False),
        (Scope(since="2026-01-02T12:00", until="2026-01-02T08:00"), True),
        (Scope(ranks=((1, 1),)), False),
        (Scope(ranks=((2, 5), (9, 9))), True),
        (Scope(since="11:00", ranks=((2, 2),)), True),
    ],
)
def test_a_part_in_which_nothing_is_is_told(job, scope, is_empty):
    (job / "launcher.log").unlink()
    report = ascend_doctor.analyze(job, scope=scope)
    assert report.coverage.slice.empty is is_empty
    assert not (is_empty and (report.diagnoses or report.unexplained))


def test_where_a_rank_is_known_by_no_name_a_part_is_not_called_empty(job):
    for rank in (0, 1):
        (job / f"rank_{rank}").rename(job / f"part{rank}")
    assert not ascend_doctor.analyze(job, scope=Scope(ranks=((9, 9),))).coverage.slice.empty


def test_a_line_that_names_its_rank_is_found_in_the_file_of_another(tmp_path):
    (tmp_path / "rank_0").mkdir()
    (tmp_path / "rank_0" / "train.log").write_text("[rank3]: RuntimeError: the moon fell\n")
    report = ascend_doctor.analyze(tmp_path, scope=Scope(ranks=((3, 3),)))
    assert [proof.evidence[0].origin.rank for proof in report.diagnoses] == [3]
    assert not report.coverage.slice.empty


def test_what_may_belong_to_a_part_is_something(job):
    assert not ascend_doctor.analyze(job, scope=Scope(since="2027-01-01")).coverage.slice.empty


def test_in_a_storm_each_message_is_asked(tmp_path):
    storm = "".join(plog(f"{9 + n // 3000:02}:00:{n % 60:02}", f"{MOON} {n}") for n in range(9000))
    (tmp_path / "plog.log").write_text(storm, encoding="utf-8")
    assert told(tmp_path, since="10:00", until="10:59") == (
        [],
        [(f"{MOON} #", 3000)],
        Slice("10:00", "10:59", None, left_out=6000, unplaced=0),
    )


def test_a_loss_before_the_time_is_no_news(tmp_path):
    lines = [
        f"[2026-10-19 {9 + n // 60:02}:{n % 60:02}:00] iteration {n}/ 500 | lm loss: "
        f"{'nan' if n == 70 else 2.5 - n / 100} |\n"
        for n in range(1, 120)
    ]
    (tmp_path / "train.log").write_text("".join(lines), encoding="utf-8")
    assert told(tmp_path)[0] == ["numerics-loss-recovered"]
    assert told(tmp_path, since="10:20")[0] == []
    assert told(tmp_path, until="10:09")[0] == []
    assert told(tmp_path, until="10:10")[0] == ["numerics-loss-not-finite"]


def test_facts_of_different_parts_do_not_add_up():
    with pytest.raises(MergeError, match="different ranks or times"):
        Facts("x", scope=Scope(since="10:00")).merge(Facts("x"))


def test_another_process_looks_at_the_same_part():
    reader = Reader(index.load(), scope=Scope(since="10:00"))
    again = Reader.__new__(Reader)
    again.__setstate__(reader.__getstate__())
    assert again.scope == reader.scope
