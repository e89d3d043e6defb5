"""What is left out of a report, and what that does to the rest of it."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ascend_doctor.gate.selection import Selection, check_names, names_of
from ascend_doctor.gate.suppression import Suppression, suppressed
from ascend_doctor.knowledge import index
from ascend_doctor.records import Severity
from ascend_doctor.report import Gate, Hidden
from tests.reporters.reports import ANY_REPORT, CAUSE, FULL, LESSER, REMARK

TODAY = date(2026, 6, 1)


def shown(select: str = "", ignore: str = "") -> list[tuple[str, int]]:
    report = Selection(tuple(select.split()), tuple(ignore.split())).applied(FULL)
    return [(d.rule, d.position) for d in report.diagnoses]


def test_without_words_everything_is_shown():
    assert Selection().applied(FULL) == FULL


def test_what_is_selected_is_shown_even_if_it_only_followed():
    assert shown("communication") == [(CAUSE.rule, 1)]
    assert shown("communication-wait-*") == [(CAUSE.rule, 1)]


def test_what_only_followed_is_not_left_out_by_its_name():
    assert shown(ignore="communication") == [(d.rule, d.position) for d in (CAUSE, LESSER, REMARK)]


def test_places_stay_and_what_is_left_out_is_counted_in_its_order():
    report = Selection((), ("buffer_oom", "static-*")).applied(FULL)
    assert [(d.rule, d.position) for d in report.diagnoses] == [(LESSER.rule, 2)]
    assert report.gate.hidden == (
        Hidden(CAUSE.rule, CAUSE.family, Severity.FATAL, 12, "--ignore"),
        Hidden(REMARK.rule, REMARK.family, Severity.INFO, 2, "--ignore"),
    )
    assert {activity.position for activity in report.timeline.activities} <= {2}


def test_ignoring_goes_before_selecting():
    assert shown("buffer_oom", "buffer-oom-pool-fragmented") == []


@settings(max_examples=60, deadline=None)
@given(ANY_REPORT, st.sampled_from(["*", "a*", "numerics", "[!a]*"]), st.booleans())
def test_nothing_is_lost(report, word, is_ignored):
    selection = Selection(() if is_ignored else (word,), (word,) if is_ignored else ())
    after = selection.applied(report)
    told = [d.rule for d in after.diagnoses] + [h.rule for h in after.gate.hidden]
    before = [d.rule for d in report.diagnoses] + [h.rule for h in report.gate.hidden]
    assert sorted(told) == sorted(before)


@settings(max_examples=60, deadline=None)
@given(ANY_REPORT)
def test_what_fails_is_what_is_bad_enough_and_not_known(report):
    report = replace(report, gate=replace(report.gate, fail_on="warning", is_strict=False))
    names = {known.fingerprint for known in report.gate.known}
    assert [*report.failing] == [
        d for d in report.diagnoses if d.severity >= Severity.WARNING and d.fingerprint not in names
    ]


def test_the_first_entry_that_is_about_something_counts():
    entries = [
        Suppression("x.toml:1", "all of it", rule="*"),
        Suppression("x.toml:5", "this one", fingerprint=LESSER.fingerprint),
    ]
    report = suppressed(replace(FULL, gate=Gate()), entries, TODAY)
    assert [(k.fingerprint, k.reason) for k in report.gate.known] == [
        (d.fingerprint, "all of it") for d in (CAUSE, LESSER, REMARK)
    ]
    assert (report.failing, report.is_failed) == ((), False)


def test_a_suppressed_rule_says_nothing_of_errors_that_no_rule_knows():
    report = replace(FULL, gate=Gate(is_strict=True))
    report = suppressed(report, [Suppression("x.toml:1", "all", rule="*")], TODAY)
    assert report.failing == FULL.unexplained


def test_rules_codes_and_families_are_names():
    names = names_of(index.load())
    check_names("--ignore", ["not_found", "not-found-*", "code-acl-507018", "code-*"], names)
    assert {"buffer_oom", "not-found-shared-library", "code-acl-507018"} <= names


@pytest.mark.parametrize("severity", Severity)
def test_fail_on_says_from_which_severity_on(severity):
    report = replace(FULL, gate=Gate(fail_on=severity.label))
    assert {d.severity for d in report.failing} == {
        d.severity for d in FULL.diagnoses if d.severity >= severity
    }


def test_what_is_selected_comes_first_among_what_followed():
    first, more = (
        CAUSE.consequences[0],
        [
            replace(CAUSE.consequences[0], rule=f"kernel-fault-{n}", family="kernel_fault")
            for n in range(6)
        ],
    )
    report = replace(FULL, diagnoses=(replace(CAUSE, consequences=(*more, first)),))
    [told] = Selection(("communication",)).applied(report).diagnoses
    assert told.consequences == (first, *more)
    [told] = Selection(("buffer_oom",)).applied(report).diagnoses
    assert told.consequences == (*more, first)
