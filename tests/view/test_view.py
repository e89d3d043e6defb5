"""A window as its lines were printed, and the way back to the original lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.view.prefix import NONE, Prefix
from ascend_doctor.view.printed import may_differ
from ascend_doctor.view.raw import Raw
from ascend_doctor.view.view import Printed, View, of
from ascend_doctor.view.window import Sizes, Window, windows

PLOG = b"[ERROR] GE(7,py):2026-03-04-05:06:07.008.009 [a.cc:1]7 boom\n"


def whole(data: bytes) -> Printed:
    view = of(Window(data))
    return view if isinstance(view, Printed) else Printed(Window(data), None)


def lines_of(view: View, start: int | None = 0) -> list[tuple[int, Prefix, bytes, tuple[int, int]]]:
    """Return all lines of a view from the one at ``start`` on: place, prefix, text, number."""
    found = []
    while start is not None:
        found.append((start, *view.line(start), view.number(start)))
        start = view.below(start)
    return found


def printed(data: bytes) -> list[tuple[int, bytes]]:
    """Return the lines of the view, each with its original number."""
    start = 0 if data else None
    return [(number, text) for _, _, text, (number, _) in lines_of(whole(data), start)]


def test_plain_plog_is_looked_at_line_by_line():
    view = of(Window(PLOG * 3, (len(PLOG), 2 * len(PLOG)), 8))
    assert isinstance(view, Raw)
    assert (view.data, view.body) == (PLOG * 3, (len(PLOG), 2 * len(PLOG)))
    assert lines_of(view) == [
        (number * len(PLOG), NONE, PLOG[:-1], (7 + number, 0)) for number in range(3)
    ]


@given(st.lists(st.integers(0, 4 * len(PLOG)), min_size=1))
def test_lines_are_counted_in_any_order(offsets):
    window = Window(PLOG * 5)
    assert [window.line_at(at) for at in offsets] == [1 + at // len(PLOG) for at in offsets]


def test_prefixes_are_peeled_and_kept_beside_their_line():
    view = whole(b"[rank1]: boom\nplain\n")
    assert view.text == b"boom\nplain\n"
    assert (view.line(0)[0], view.line(5)[0]) == (Prefix(rank=1), NONE)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"\x1b[31mRuntimeError\x1b[0m: \x1b[1;38;5;9mboom\x1b[m\n", [(1, b"RuntimeError: boom")]),
        (b"\x1b]8;;http://x/y\x1b\\link\x1b]8;;\x07 text\n", [(1, b"link text")]),
        (b"\x1bMup\x1b[2K\x1b[?25ldown\n", [(1, b"updown")]),
        (b"one\r\ntwo\r\n\r\nfour", [(1, b"one"), (2, b"two"), (3, b""), (4, b"four")]),
        (b" 0%\r 50%\r100%\nboom\n", [(1, b" 0%"), (1, b" 50%"), (1, b"100%"), (2, b"boom")]),
        (b"\r\rboom\r\r\n", [(1, b"boom")]),
        (b"\n\n", [(1, b""), (2, b"")]),
        (b"no newline", [(1, b"no newline")]),
        (b"\x00\xff\xfe torn \xe5\x86\n", [(1, b"\x00\xff\xfe torn \xe5\x86")]),
        ("设备内存".encode("gb18030") + b"\n", [(1, "设备内存".encode("gb18030"))]),
        (b"", []),
    ],
)
def test_colours_and_carriage_returns_are_gone(data, lines):
    assert printed(data) == lines


TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\nValueError: é"x"\\y'
SHOWN = [
    b"Traceback (most recent call last):",
    b'  File "a.py", line 3, in f',
    'ValueError: é"x"\\y'.encode(),
]


def test_a_json_body_is_shown_as_the_lines_it_quotes():
    body = json.dumps({"id": 7, "detail": TRACEBACK, "also": "a\nb"}, separators=(",", ": "))
    assert printed(b"first\n" + body.encode() + b"\nlast\n") == [
        (1, b"first"),
        (2, b'{"id": 7,"detail": "'),
        *((2, line) for line in SHOWN),
        (2, b'","also": "'),
        (2, b"a"),
        (2, b"b"),
        (3, b"last"),
    ]


def test_a_body_that_was_cut_off_is_shown_as_the_lines_it_quotes():
    body = json.dumps({"detail": TRACEBACK})
    assert printed(b"answer 500: " + body[:-2].encode()) == [
        (1, b'answer 500: {"detail": "'),
        *((1, line) for line in SHOWN),
    ]


def test_a_body_quoted_twice_is_shown_as_the_lines_it_quotes():
    inner = json.dumps({"detail": TRACEBACK})
    body = json.dumps({"answer": inner})
    assert printed(body.encode() + b"\nlast\n") == [
        (1, b'{"answer": "'),
        (1, b'{"detail": "'),
        *((1, line) for line in SHOWN),
        (2, b"last"),
    ]


def test_a_container_log_of_json_lines_is_shown_as_what_the_container_printed():
    lines = TRACEBACK.split("\n")
    fields = {"stream": "stderr", "time": "2026-01-02T03:04:05.6Z"}
    objects = [json.dumps({"log": f"{line}\n", **fields}) for line in lines]
    assert printed("\n".join(objects).encode()) == [*enumerate(SHOWN, start=1)]


def test_a_message_within_two_loggers_is_shown_with_the_fields_of_both():
    inner = json.dumps({"level": "warn", "rank": 3, "message": TRACEBACK})
    body = json.dumps({"log": f"{inner}\n", "stream": "stderr", "time": "2026-01-02T03:04:05Z"})
    assert printed(body.encode()) == [(1, line) for line in SHOWN]
    fields = Prefix(level="WARNING", rank=3, time="2026-01-02T03:04:05Z")
    assert whole(body.encode()).line(0)[0] == fields


def test_a_header_inside_a_quoted_body_starts_a_line_and_gives_its_fields():
    view = whole(b'{"detail":"[rank3]: boom\\nmore\\n"}\n')
    assert view.text == b'{"detail":"\nboom\nmore\n\n'
    assert [view.line(at)[0] for at in (0, 12, 17)] == [NONE, Prefix(rank=3), NONE]


def test_source_code_below_a_frame_keeps_its_escapes():
    text = (
        b"Traceback (most recent call last):\n"
        b'  File "a.py", line 3, in f\n'
        b'    raise ValueError(f"{a}\\n{b}")\n'
        b"ValueError: a\n"
    )
    assert whole(text).text == text


def test_source_code_below_a_quoted_frame_keeps_its_escapes():
    text = (
        'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    print("a\\n")\nE: x'
    )
    assert printed(json.dumps({"msg": text}).encode()) == [
        (1, b"Traceback (most recent call last):"),
        (1, b'  File "a.py", line 3, in f'),
        (1, b'    print("a\\n")'),
        (1, b"E: x"),
    ]


@pytest.mark.parametrize(
    ("line", "differs"),
    [
        (b"[rank0]: step 3 loss 2.1\n", False),
        (b"step 3 loss 2.1\r\n", False),
        (b'{"step": 61, "loss": 2.1}\n', False),
        (b"a\x1b[31mb\n", True),
        (b" 50%\r100%\n", True),
        (b" 50%\r100%\r\n", True),
        (b'{"detail": "a\\nb"}\n', True),
        # An object around a line escapes what stands in it, and names its level in its own way.
        (b'{"ts":"x","message":"\\"loss\\": NaN"}\n', True),
        (b'svc-1  | {"level":"error","msg":"no answer"}\n', True),
    ],
)
def test_a_text_that_shows_more_than_its_bytes_is_known(line, differs):
    assert may_differ(line) is differs
    assert isinstance(of(Window(line)), Printed) is differs
    assert isinstance(of(Window(line, part=1)), Raw)


LONG = PLOG[:-1] + b", which is told at great length " * 5 + b"\n"


@pytest.mark.parametrize("columns", [80, 120, 132, 160])
def test_lines_that_a_screen_broke_are_whole_again(columns):
    lines = [b"begin", LONG[:-1], PLOG[:-1], b"end"]
    broken = [line[n : n + columns] for line in lines for n in range(0, len(line), columns)]
    pieces = -(-len(LONG) // columns)
    for newline in (b"\n", b"\r\n"):
        assert printed(newline.join(broken) + newline) == [
            (1, b"begin"),
            (2, LONG[:-1]),
            (2 + pieces, PLOG[:-1]),
            (3 + pieces, b"end"),
        ]


def test_parts_of_one_original_line_are_told_apart():
    view = whole(b"first\na\rb\rc\n")
    assert [view.number(at) for at in (0, 6, 8, 10)] == [(1, 0), (2, 0), (2, 1), (2, 2)]


def test_every_part_of_a_long_line_belongs_to_a_window():
    line = b"ERROR at the start " + b"x" * 500 + b" ERROR at the end"
    for first in (1, 1 << 20):
        sizes = Sizes(first=first, body=100, margin=60)
        owned = b""
        for window in windows(iter([line]), sizes):
            view = Printed(window, None) if first > 1 else Raw(window)
            low, high = view.body
            for start, _, _, _ in lines_of(view, low):
                if start < high and isinstance(view, Raw):
                    owned += view.data[start : min(view.bounds(start)[1], len(view.data))]
            if isinstance(view, Printed):
                text = enumerate(view.text[low:high], start=low)
                owned += bytes(c for at, c in text if view.owns(at) and c != 10)
        assert owned == line


hostile_bytes = st.lists(
    st.sampled_from(
        [
            b"\n",
            b"\r",
            b"\\n",
            b"\\\\n",
            b"\x1b[31m",
            b"[rank1]: ",
            b'{"a":"',
            b"\\u00e9",
            b'{"log":"x\\ny"}',
            b'  File "a.py", line 1',
            b"    y\\n",
            b"\r\n",
        ]
    )
    | st.binary(max_size=8),
    max_size=40,
).map(b"".join)


@settings(max_examples=150, deadline=None)
@given(hostile_bytes, st.integers(1, 50), st.integers(2, 50))
def test_every_line_of_any_bytes_comes_from_a_line_that_exists(data, body, margin):
    for window in windows(iter([data]), Sizes(body=body, margin=margin)):
        for view in (Printed(window, None), Raw(window)):
            limit = len(view.text if isinstance(view, Printed) else view.data)
            assert 0 <= view.body[0] <= view.body[1] <= limit
            found = [number for _, _, _, number in lines_of(view, view.body[0]) if limit]
            assert found == sorted(set(found))
            lines = range(window.line_at(window.body[0]), window.line_at(len(window.data)) + 1)
            assert {line for line, _ in found} <= set(lines)


@settings(max_examples=300, deadline=None)
@given(hostile_bytes)
def test_both_ways_to_look_at_a_window_show_the_same_lines(data):
    window = Window(data, piece=64)
    printed, raw = Printed(window, None), Raw(window)
    if not printed.text:
        return
    first = next(start for start in range(len(data)) if raw.shown(raw.line_start(start)))
    expected = lines_of(printed)
    shown = lines_of(raw, raw.line_start(first))
    assert [line[1:] for line in shown] == [line[1:] for line in expected]
    upwards = [shown[-1][0]]
    while (above := raw.above(upwards[-1])) is not None:
        upwards.append(above)
    assert upwards == [line[0] for line in reversed(shown)]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from([b"a", b"[rank1]: bb", b"", b"c\rd", b"\x1b[1me"])),
    st.integers(12, 60),
    st.integers(40, 80),
)
def test_bodies_of_windows_show_what_one_window_shows(lines, body, margin):
    data = b"".join(line + b"\n" for line in lines)
    views = [Printed(w, None) for w in windows(iter([data]), Sizes(body=body, margin=margin))]
    owned = b"".join(view.text[view.body[0] : view.body[1]] for view in views)
    assert owned == whole(data).text
