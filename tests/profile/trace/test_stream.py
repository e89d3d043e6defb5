"""Events out of JSON, whatever it was cut into and wherever it ends."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.profile.trace.stream import MAX_EVENT, Events

ONE, TWO = '{"ph": "X", "name": "a"}', '{"ph": "X", "name": "b"}'
PLAIN = [{"ph": "X", "name": "a"}, {"ph": "X", "name": "b"}]


def blocks(text, size=7):
    """Cut a text into blocks."""
    raw = text.encode("utf-8", "surrogatepass")
    return (raw[at : at + size] for at in range(0, len(raw), size))


def told(text, size=7):
    """Return the events of a text, how many could not be read, and why it broke off."""
    events = Events(blocks(text, size))
    return [*events], events.unread, events.first_unread, events.broken


WHOLE = [
    f"[{ONE}, {TWO}]",
    f"[{ONE},{TWO},]",
    f"[\r\n{ONE},\r\n{TWO}\r\n]\r\n",
    f"\ufeff[\n{ONE}\n{TWO}\n]",
    f'{{"schemaVersion": 1, "traceEvents": [{ONE}, {TWO}], "traceName": "t"}}',
    f'{{"a": [1, {{"traceEvents": []}}], "traceEvents": [{ONE}, {TWO}],}}',
    f'{{"a": 1.5e3, "b": null, "c": "}}]", "traceEvents" : [{ONE},,{TWO}]}}',
]


@pytest.mark.parametrize("text", WHOLE)
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_every_event_of_a_whole_trace_is_read(text, size):
    assert told(text, size) == (PLAIN, 0, 0, None)


@pytest.mark.parametrize(
    ("bad", "unread"),
    [
        ('{"ph": "X", "name": }', 1),
        ('{"ph": "X",}', 1),
        ('{"ph": "X" "name": "c"}', 1),
        ("{'ph': 'X'}", 1),
        ('{"a": ]}', 2),
        ("7", 1),
        ('"text, with ] and }"', 1),
        ("[1, [2]]", 1),
        ("nonsense", 1),
        ('{"a": ' + "9" * 5000 + "}", 1),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", 1),
        ('{"a": "' + '\\"' * 20 + '" 1}', 1),
    ],
)
@pytest.mark.parametrize("size", [97, 1 << 20])
def test_what_is_no_event_is_passed_over_and_counted(bad, unread, size):
    text = f"[{ONE},\n{bad},\n{TWO}]"
    events, count, line, broken = told(text, size)
    assert (events[0], events[-1], line, broken) == (*PLAIN, 2, None)
    assert count == unread


@pytest.mark.parametrize(
    "event",
    [
        {"name": "中文 😀", "args": {"deep": [[{"x": [1, 2]}]]}},
        {"name": 'quoted " and \\ and \t', "args": {}},
    ],
)
@pytest.mark.parametrize("is_ascii", [True, False])
def test_texts_are_read_however_they_are_written(event, is_ascii):
    assert told(json.dumps([event], ensure_ascii=is_ascii), 3)[0] == [event]


def test_numbers_that_are_none_and_keys_that_stand_twice_are_no_mistake():
    [event], *rest = told('[{"ts": NaN, "dur": Infinity, "name": "a", "name": "b"}]')
    assert (event["name"], event["dur"], rest) == ("b", float("inf"), [0, 0, None])


@pytest.mark.parametrize(
    ("text", "count", "broken"),
    [
        (f"[{ONE}, {TWO}", 2, "it ends before its list of events does"),
        (f"[{ONE}, ", 1, "it ends before its list of events does"),
        (f"[{ONE}, " + TWO[:-1], 1, "it ends within an event"),
        (f"[{ONE}, " + TWO[:-3], 1, "it ends within an event"),
        (f'{{"traceEvents": [{ONE}', 1, "it ends before its list of events does"),
        (f'{{"traceEvents": [{ONE}]', 1, "it ends or breaks off before its last event was told"),
        ('{"a": "b', 0, "it ends within an event"),
        ('{"a', 0, "it ends or breaks off before its last event was told"),
        ("{nonsense}", 0, "it ends or breaks off before its last event was told"),
        (f"[{ONE}] [{TWO}]", 1, "what follows its end was not read"),
        ("", 0, "it is no list of events"),
        ("text", 0, "it is no list of events"),
    ],
)
def test_where_a_trace_breaks_off_is_told(text, count, broken):
    events, unread, _, reason = told(text)
    assert (events, unread, reason) == (PLAIN[:count], 0, broken)


def test_what_an_object_says_beside_its_events_is_kept():
    events = Events(blocks('{"distributedInfo": {"rank": 3}, "traceEvents": [], "traceName": "t"}'))
    assert [*events] == []
    assert events.head == {"distributedInfo": {"rank": 3}, "traceName": "t"}


def test_a_place_is_line_offset_and_text():
    text = f'[\n{ONE},\n{{\n  "ph": "X",\n  "name": "b"\n}}, {{"name": "{"c" * 400}"}}\n]'
    events = Events(blocks(text))
    places = [events.place() for _ in events]
    assert places == [
        (2, 2, ONE),
        (3, text.index("{\n"), '{ "ph": "X", "name": "b" }'),
        (6, text.index('{"name": "cc'), '{"name": "' + "c" * 289 + "…"),
    ]


@pytest.mark.parametrize(
    "giant",
    [
        '{"name": "' + "x" * (MAX_EVENT + 10) + '"}',
        '{"name": "' + "\\\\" * (MAX_EVENT // 2 + 10) + '"}',
        '{"args": [' + "1," * (MAX_EVENT // 2 + 10) + "1]}",
    ],
)
def test_a_giant_event_is_passed_over(giant):
    assert told(f"[{ONE},{giant},{TWO}]", 1 << 20) == (PLAIN, 1, 1, None)


def test_what_has_no_end_is_not_held_in_memory():
    def endless():
        yield b'[{"name": "'
        for _ in range(100):
            yield b"x" * (1 << 20)

    tracemalloc.start()
    events = Events(endless())
    assert [*events] == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (events.unread, events.broken, peak < 4 * MAX_EVENT) == (
        1,
        "it ends within an event",
        True,
    )


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
LISTS = st.lists(st.dictionaries(st.text(max_size=5), VALUES, max_size=4), max_size=5)


@settings(deadline=None)
@given(LISTS, st.integers(1, 40), st.sampled_from([None, 1]))
def test_any_list_is_read_as_json_reads_it(events, size, indent):
    assert told(json.dumps(events, indent=indent), size) == (events, 0, 0, None)


@settings(deadline=None)
@given(LISTS, st.data())
def test_a_list_that_is_cut_off_begins_the_whole(events, data):
    text = json.dumps(events)
    cut = data.draw(st.integers(0, len(text) - 1))
    found, unread, _, broken = told(text[:cut])
    assert (found, unread) == (events[: len(found)], 0)
    assert broken is not None


@settings(deadline=None)
@given(st.text(alphabet='[]{}",:\\ \n0a-', max_size=60))
def test_any_text_is_endured(text):
    told(text, 5)
    told('{"traceEvents": [' + text, 5)
