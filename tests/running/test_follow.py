"""Following logs: what is read of them is what a scan of the whole files would read."""

from __future__ import annotations

import gzip
import os
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascend_doctor.running import followed
from ascend_doctor.running.follow import Follower
from ascend_doctor.running.silence import Silence
from ascend_doctor.running.watch import Watching
from tests.rulesets import knowledge, rule, scanned

PORT = (
    "[ERROR] HCCL({pid},python3):2026-01-02-11:04:0{n}.120.001 [a.cc:88] [{pid}]port {n} is taken\n"
)
ODD = "[ERROR] GE({pid},python3):2026-01-02-11:04:0{n}.120.001 [b.cc:12] [{pid}]the moon is full\n"
STEP = "[INFO] APP({pid},python3):2026-01-02-11:04:0{n}.120.001 [c.cc:9] [{pid}]step {n}\n"


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return knowledge(
        tmp_path_factory.mktemp("rules"),
        rule(
            "communication-port-taken", "port ", " is taken",
            regex=r"port (?P<port>\d+) is taken", captures={"port": "int"}, severity="fatal",
        ),
        rule("host-resource-disk-full", "No space left on device"),
    )  # fmt: skip


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def append(path, text: str) -> None:
    with path.open("a", encoding="utf-8") as log:
        log.write(text)


def found(follower: Follower) -> list[tuple[str, str, int, list[int]]]:
    """Return rule, file, count and lines of what was found."""
    return sorted(
        (finding.rule, os.path.basename(shard.path), finding.count,
         [sighting.evidence[0].line for sighting in finding.sightings])
        for shard in follower.facts().shards.values()
        for finding in shard.findings
    )  # fmt: skip


def test_only_what_is_new_is_told_on_its_own_lines(tmp_path, known):
    log = tmp_path / "a.log"
    append(log, PORT.format(pid=1, n=1) * 3)
    follower = Follower([str(tmp_path)], known)
    assert (follower.poll(), found(follower)) == (False, [])
    append(log, PORT.format(pid=1, n=2))
    append(tmp_path / "b.log", STEP.format(pid=2, n=1) + PORT.format(pid=2, n=2))
    assert (follower.poll(), follower.has_news) == (True, True)
    assert found(follower) == [
        ("communication-port-taken", "a.log", 1, [4]),
        ("communication-port-taken", "b.log", 1, [2]),
    ]
    assert (follower.poll(), follower.has_news) == (False, False)


def test_all_is_told_if_it_is_asked_for(tmp_path, known):
    append(tmp_path / "a.log", PORT.format(pid=1, n=1) * 2)
    follower = Follower([str(tmp_path)], known, from_start=True)
    assert follower.poll()
    assert found(follower) == [("communication-port-taken", "a.log", 2, [1, 2])]


def test_a_line_is_read_when_it_has_ended(tmp_path, known):
    log = tmp_path / "a.log"
    follower = Follower([str(tmp_path)], known)
    line = PORT.format(pid=1, n=1)
    append(log, STEP.format(pid=1, n=0) + line[:-12])
    follower.poll()
    assert found(follower) == []
    append(log, line[-12:])
    follower.poll()
    assert found(follower) == [("communication-port-taken", "a.log", 1, [2])]


def test_what_does_not_look_wrong_waits(tmp_path, known):
    clock = Clock()
    follower = Follower([str(tmp_path)], known, clock=clock)
    append(tmp_path / "a.log", "port 5 is taken\n")
    assert (follower.poll(), follower.has_news) == (True, False)
    clock.now = followed.PATIENCE_S
    assert (follower.poll(), follower.has_news) == (False, True)
    append(tmp_path / "a.log", "port 6 is taken\n")
    follower.poll()
    follower.finish()
    assert found(follower) == [("communication-port-taken", "a.log", 2, [1, 2])]


def test_rotation_goes_on_in_the_new_file_and_loses_nothing(tmp_path, known):
    log = tmp_path / "a.log"
    append(log, STEP.format(pid=1, n=1))
    follower = Follower([str(tmp_path)], known)
    append(log, PORT.format(pid=1, n=2))
    os.rename(log, tmp_path / "a.log.1")
    append(log, PORT.format(pid=1, n=3))
    follower.poll()
    assert found(follower) == [
        ("communication-port-taken", "a.log", 1, [1]),
        ("communication-port-taken", "a.log.1", 1, [2]),
    ]


@pytest.mark.parametrize("more", [0, 5])
def test_a_file_that_was_cut_is_read_from_its_beginning(tmp_path, known, more):
    """Copytruncate; the new text may be longer than the old one by the next look."""
    log = tmp_path / "a.log"
    follower = Follower([str(tmp_path)], known)
    append(log, PORT.format(pid=1, n=1) * 2)
    follower.poll()
    log.write_text(PORT.format(pid=1, n=7) + STEP.format(pid=1, n=8) * more)
    follower.poll()
    assert found(follower) == [
        ("communication-port-taken", "a.log", 1, [1]),
        ("communication-port-taken", "a.log", 2, [1, 2]),
    ]


def test_the_hole_of_a_writer_that_goes_on_after_a_cut_is_passed_over(tmp_path, known):
    log = tmp_path / "a.log"
    follower = Follower([str(tmp_path)], known)
    with log.open("w") as writer:
        writer.write(STEP.format(pid=1, n=1) * 200)
        writer.flush()
        follower.poll()
        os.truncate(log, 0)
        writer.write(PORT.format(pid=1, n=2))
    follower.poll()
    told = follower.facts()
    assert [name for name, _ in told.skipped] == []
    assert found(follower) == [("communication-port-taken", "a.log", 1, [1])]


def test_what_cannot_be_followed_is_named(tmp_path, known):
    follower = Follower([str(tmp_path)], known)
    (tmp_path / "a.gz").write_bytes(gzip.compress(PORT.format(pid=1, n=1).encode()))
    (tmp_path / "core").write_bytes(bytes(range(20)) * 9 + bytes(99))
    (tmp_path / "op.csv").write_text("Device_id,Op Name\n0,MatMul\n")
    follower.poll()
    assert sorted(follower.facts().skipped) == [
        (f"{tmp_path}/a.gz", "packed or in UTF-16, which is not followed"),
        (f"{tmp_path}/core", "binary"),
        (f"{tmp_path}/op.csv", "profiler data, which is not followed"),
    ]


LINES = st.lists(
    st.sampled_from([PORT, ODD, STEP]).flatmap(
        lambda line: st.builds(line.format, pid=st.integers(1, 3), n=st.integers(0, 9))
    ),
    max_size=40,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    lines=LINES,
    cuts=st.lists(st.integers(0, 4000), max_size=8),
    keep=st.sampled_from([90, 400, 1 << 20]),
)
def test_in_whatever_pieces_a_log_is_written_the_same_is_found(
    tmp_path_factory, known, monkeypatch, lines, cuts, keep
):
    monkeypatch.setattr(followed, "KEEP", keep)
    log = tmp_path_factory.mktemp("logs") / "a.log"
    text = "".join(lines)
    follower = Follower([str(log.parent)], known)
    places = sorted({cut for cut in cuts if cut < len(text)} | {0, len(text)})
    for start, end in pairwise(places):
        append(log, text[start:end])
        follower.poll()
    follower.finish()
    told = list(follower.facts().shards.values())
    whole = list(scanned(known, {str(log): text}).shards.values())
    for one, other in zip(told, whole, strict=True):
        assert (one.findings, one.codes, one.unknown, one.lines, one.size) == (
            other.findings, other.codes, other.unknown, other.lines, other.size,
        )  # fmt: skip


def test_each_cause_is_told_once_when_the_burst_is_over(tmp_path, known):
    clock = Clock()
    follower = Follower([str(tmp_path)], known, clock=clock)
    watching = Watching(follower, known, Silence(0, lambda: 0), clock)
    log = tmp_path / "a.log"

    def look(text: str = "") -> list[str] | None:
        append(log, text)
        clock.now += 1
        news = watching.look()
        return None if news is None else [diagnosis.rule for diagnosis in news.causes]

    assert look(STEP.format(pid=1, n=0)) is None
    assert look(PORT.format(pid=1, n=1)) is None
    assert look() == ["communication-port-taken"]
    assert look(PORT.format(pid=1, n=2)) is None
    assert look() == []
    # A file that never rests is told of nevertheless.
    told = [look("OSError: [Errno 28] No space left on device\n") for _ in range(6)]
    assert told == [None, None, None, None, None, ["host-resource-disk-full"]]


def test_a_file_that_is_gone_keeps_what_was_read(tmp_path, known):
    log = tmp_path / "a.log"
    follower = Follower([str(tmp_path)], known)
    append(log, PORT.format(pid=1, n=1) + "port 2 is")
    follower.poll()
    log.unlink()
    follower.poll()
    follower.finish()
    assert found(follower) == [("communication-port-taken", "a.log", 1, [1])]


@pytest.mark.parametrize("hole", ["sparse", "zeros"])
def test_a_file_whose_text_comes_after_its_length_is_followed(known, tmp_path, hole):
    path = tmp_path / "a.log"
    follower = Follower([str(tmp_path)], known)
    if hole == "sparse":
        path.touch()
        os.truncate(path, 1 << 20)
    else:
        path.write_bytes(bytes(4096))
    assert follower.poll()
    assert not follower.poll()
    assert follower.facts().skipped == {(str(path), "empty")}
    with path.open("ab") as file:
        file.write(PORT.format(pid=1, n=2).encode())
    follower.poll()
    follower.finish()
    (shard,) = follower.facts().shards.values()
    assert [found.rule for found in shard.findings] == ["communication-port-taken"]
    assert follower.facts().skipped == set()
