"""One fault gives one diagnosis, in whatever form a release reports it and however wrapped."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.records import FAMILIES
from tests.grammar import plog
from tests.grammar.exceptions import handled
from tests.grammar.faults import FAULTS
from tests.grammar.said import KNOWLEDGE, report_on, told
from tests.grammar.wrappings import (
    BYTES,
    COLLECTORS,
    LAUNCHERS,
    NEIGHBOURS,
    PLAIN,
    SINGLE,
    Wrapping,
    wrapped,
)

each_fault = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.rule)
LOGGED = [fault for fault in FAULTS if fault.plog_body is not None]
each_logged_fault = pytest.mark.parametrize("fault", LOGGED, ids=lambda fault: fault.rule)


@each_fault
def test_the_plain_text_says_its_fault_and_nothing_else(fault):
    [(rule, captures)] = told(PLAIN(fault.plain))
    assert (rule, {name: captures.get(name) for name in fault.captures}) == (
        fault.rule,
        fault.captures,
    )


def test_there_is_a_fault_of_every_family():
    assert {KNOWLEDGE.rules[fault.rule].family for fault in FAULTS} == {*FAMILIES}


@each_fault
def test_every_release_says_the_same(fault):
    want = told(PLAIN(fault.plain))
    got = {form: told(PLAIN(lines)) for form, lines in fault.forms.items()}
    assert got == dict.fromkeys(fault.forms, want)


@pytest.mark.parametrize("wrapping", SINGLE, ids=str)
@each_fault
def test_every_wrapping_says_the_same(fault, wrapping):
    assert told(wrapping(fault.plain)) == told(PLAIN(fault.plain))


@settings(max_examples=250, derandomize=True, deadline=None)
@given(st.data())
def test_every_stack_of_wrappings_says_the_same_of_every_form(data):
    fault = data.draw(st.sampled_from(FAULTS))
    form = data.draw(st.sampled_from([*fault.forms]))
    wrapping = data.draw(
        st.builds(
            Wrapping,
            launcher=st.sampled_from([*LAUNCHERS]),
            collector=st.sampled_from([*COLLECTORS]),
            neighbour=st.sampled_from([*NEIGHBOURS]),
            encoding=st.sampled_from([*BYTES]),
        )
    )
    assert told(wrapping(fault.forms[form])) == told(PLAIN(fault.plain))


@pytest.mark.parametrize("columns", [80, 120, 132, 160, 200])
@each_fault
def test_lines_broken_at_a_margin_name_the_family(fault, columns):
    first = report_on(BYTES["plain"](wrapped(fault.plain, columns))).diagnoses[0]
    assert first.family == KNOWLEDGE.rules[fault.rule].family


@each_logged_fault
def test_a_line_that_the_logger_cut_within_a_character_says_the_same(fault):
    lines = [
        plog.line("RUNTIME", f"{fault.plog_body}, {'x' * n}{'设备侧日志' * 200}") for n in range(3)
    ]
    want = told(PLAIN(fault.plain))
    assert [told(plog.cut(line)) for line in lines] == [want] * 3


@each_logged_fault
@pytest.mark.parametrize("level", ["DEBUG", "INFO"])
def test_what_is_no_error_is_no_fault(fault, level):
    assert told(PLAIN([plog.line("RUNTIME", fault.plog_body, level=level)])) == []


def test_an_exception_raised_while_another_was_handled_is_told_before_that():
    raised = "OSError: [Errno 28] No space left on device: '/data/out/step-40/rank3.pt'"
    first, *rest = told(PLAIN(handled(raised)))
    assert (first[0], [rule for rule, _ in rest]) == (
        "host-resource-disk-full",
        ["framework-error-python-exception"],
    )


FIELDS = [
    (Wrapping(launcher="vllm"), {"pid": plog.PID}),
    (Wrapping(launcher="ray"), {"pid": plog.PID, "node": "10.7.0.3"}),
    (Wrapping(launcher="rank"), {"rank": 3}),
    (Wrapping(launcher="mpirun"), {"rank": 3}),
    (Wrapping(launcher="torch elastic"), {"rank": 3}),
    (Wrapping(launcher="tee"), {}),
    (Wrapping(collector="journald"), {"pid": plog.PID, "node": "node-7"}),
    (Wrapping(collector="syslog with a year"), {"pid": plog.PID, "node": "node-7"}),
    (Wrapping("rank", "journald"), {"rank": 3, "pid": plog.PID, "node": "node-7"}),
    (Wrapping("rank", "docker"), {"rank": 3}),
]


@pytest.mark.parametrize(("wrapping", "fields"), FIELDS, ids=str)
def test_what_prefixes_say_of_the_process_is_told(wrapping, fields):
    fault = next(fault for fault in FAULTS if fault.rule == "host-resource-disk-full")
    [diagnosis] = report_on(wrapping(fault.plain)).diagnoses
    unknown = {"node": None, "rank": None, "device": None, "pid": None}
    origin = diagnosis.origin
    assert {name: getattr(origin, name) for name in unknown} == unknown | fields
