"""What was active when, and the codes that were met: what a report keeps of them."""

from __future__ import annotations

import pytest

from ascend_doctor.diagnosis import codes, timeline
from ascend_doctor.diagnosis.diagnose import diagnose
from ascend_doctor.records import Origin, Severity
from ascend_doctor.report import Activity
from tests.rulesets import knowledge, rule, scanned

RULES = [
    rule("buffer-oom-pool", "pool is full", severity="fatal"),
    rule("communication-wait-peer", "peer is gone", role="consequence"),
    rule("communication-wait-socket", "socket timed out", role="consequence"),
]


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return knowledge(tmp_path_factory.mktemp("rules"), *RULES)


def plog(second: int, text: str, pid: int = 7) -> str:
    return f"[ERROR] GE({pid},py):2026-03-04-00:00:{second:02}.000.000 [a.cc:1]{pid} {text}\n"


def test_each_rule_of_each_process_is_an_activity(known):
    files = {
        "a.log": plog(1, "pool is full") + plog(2, "peer is gone") + plog(4, "pool is full"),
        "b.log": plog(3, "peer is gone", pid=8),
    }
    report = diagnose(scanned(known, files), known)

    def activity(rule: str, role, severity, pid, source, count, first, last) -> Activity:
        times = (f"2026-03-04T00:00:0{second}.000000" for second in (first, last))
        return Activity(1, rule, role, severity, Origin(pid=pid), source, count, *times)

    pool, peer = "buffer-oom-pool", "communication-wait-peer"
    assert report.timeline.activities == (
        activity(pool, "cause", Severity.FATAL, 7, "a.log", 2, 1, 4),
        activity(peer, "consequence", Severity.ERROR, 7, "a.log", 1, 2, 2),
        activity(peer, "consequence", Severity.ERROR, 8, "b.log", 1, 3, 3),
    )
    assert report.timeline.left_out == 0


def test_a_rank_that_any_line_of_a_process_names_is_known_of_all(known):
    text = (
        plog(1, "pool is full")
        + "[ERROR] 2026-03-04-00:00:05 (PID:7, Device:1, RankID:3) ERR02200 peer is gone\n"
    )
    report = diagnose(scanned(known, {"a.log": text}), known)
    assert {a.origin.rank for a in report.timeline.activities} == {3}


def test_too_many_activities_leave_the_first_of_each_process(known, monkeypatch):
    monkeypatch.setattr(timeline, "MAX_ACTIVITIES", 3)
    files = {
        f"{pid}.log": plog(1, "pool is full", pid) + plog(2, "peer is gone", pid) for pid in (5, 6)
    }
    kept = diagnose(scanned(known, files), known).timeline
    assert [(a.origin.pid, a.rule) for a in kept.activities] == [
        (5, "buffer-oom-pool"),
        (6, "buffer-oom-pool"),
        (5, "communication-wait-peer"),
    ]
    assert kept.left_out == 1


def test_codes_are_decoded_in_the_order_in_which_they_were_met(known):
    files = {
        "a.log": plog(2, "pool is full, error code is 507018"),
        "b.log": plog(1, "E40021: compile failed", pid=8) + plog(3, "error code is 507018", pid=8),
    }
    met = diagnose(scanned(known, files), known).codes
    assert [(c.code, c.table, c.name, c.count, c.first.path, c.first.line) for c in met] == [
        ("E40021", "error_manager", met[0].name, 1, "b.log", 1),
        ("507018", "acl", "ACL_ERROR_RT_AICPU_EXCEPTION", 2, "a.log", 1),
    ]
    assert all(c.means[lang] and c.next[lang] for c in met for lang in ("en", "zh"))
    assert [c.is_full for c in met] == [False, False]  # this set of rules has no pages


def test_a_log_without_codes_has_none(known):
    assert diagnose(scanned(known, {"a.log": plog(2, "pool is full")}), known).codes == ()


def test_codes_have_a_bound(known, monkeypatch):
    monkeypatch.setattr(codes, "MAX_CODES_MET", 2)
    text = "".join(
        plog(second, f"error code is {code}")
        for second, code in enumerate((507018, 107002, 207001))
    )
    met = diagnose(scanned(known, {"a.log": text}), known).codes
    assert [code.code for code in met] == ["507018", "107002"]
