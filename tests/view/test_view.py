"""A window as its lines were printed, and the way back to the original lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.view.prefix import NONE, Prefix
from ascend_doctor.view.view import View, keeps_literals, of
from ascend_doctor.view.window import Window, windows

PLOG = b"[ERROR] GE(7,py):2026-03-04-05:06:07.008.009 [a.cc:1]7 boom\n"


def whole(data: bytes) -> View:
    return of(Window(data, (0, len(data)), 1))


def printed(data: bytes) -> list[tuple[int, bytes]]:
    """Return the lines of the view, each with its original number."""
    view = whole(data)
    found, at = [], 0
    while at < len(view.text):
        end = view.line_end(at)
        found.append((view.number(at)[0], view.text[at:end]))
        at = end + 1
    return found


def test_plain_plog_goes_through_untouched():
    view = of(Window(PLOG * 3, (len(PLOG), 2 * len(PLOG)), 8))
    assert (view.text, view.body) == (PLOG * 3, (len(PLOG), 2 * len(PLOG)))
    assert [view.number(at) for at in (0, len(PLOG), 3 * len(PLOG) - 1)] == [
        (8, 0),
        (9, 0),
        (10, 0),
    ]
    assert view.prefix(0) == NONE


@given(st.lists(st.integers(0, 4 * len(PLOG)), min_size=1))
def test_lines_of_plain_plog_are_counted_in_any_order(offsets):
    view = of(Window(PLOG * 5, (0, 5 * len(PLOG)), 1))
    expected = [(1 + at // len(PLOG), 0) for at in offsets]
    assert [view.number(at) for at in offsets] == expected


def test_prefixes_are_peeled_and_kept_beside_their_line():
    view = whole(b"[rank1]: boom\nplain\n")
    assert view.text == b"boom\nplain\n"
    assert (view.prefix(0), view.prefix(5)) == (Prefix(rank=1), NONE)


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
    assert whole(body.encode()).prefix(0) == fields


def test_a_header_inside_a_quoted_body_starts_a_line_and_gives_its_fields():
    view = whole(b'{"detail":"[rank3]: boom\\nmore\\n"}\n')
    assert view.text == b'{"detail":"\nboom\nmore\n\n'
    assert [view.prefix(at) for at in (0, 12, 17)] == [NONE, Prefix(rank=3), NONE]


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
    ("line", "keeps"),
    [
        (b"[rank0]: step 3 loss 2.1\n", True),
        (b'{"step": 61, "loss": 2.1}\n', True),
        (b"a\x1b[31mb\n", False),
        (b" 50%\r100%\n", False),
        (b'{"detail": "a\\nb"}\n', False),
        # An object around a line escapes what stands in it, and names its level in its own way.
        (b'{"ts":"x","message":"\\"loss\\": NaN"}\n', False),
        (b'svc-1  | {"level":"error","msg":"no answer"}\n', False),
    ],
)
def test_a_window_whose_view_says_more_than_its_bytes_is_known(line, keeps):
    window = Window(line, (0, len(line)), 1)
    assert keeps_literals(window) is keeps


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
    views = [of(window) for window in windows(iter([line]), body=100, margin=30)]
    owned = b"".join(view.text[view.body[0] : view.body[1]] for view in views)
    assert owned.replace(b"\n", b"") == line


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [b"\n", b"\r", b"\\n", b"\\\\n", b"\x1b[31m", b"[rank1]: ", b'{"a":"', b"\\u00e9"]
        )
        | st.binary(max_size=8),
        max_size=40,
    ).map(b"".join),
    st.integers(1, 50),
    st.integers(1, 50),
)
def test_every_line_of_any_bytes_comes_from_a_line_that_exists(data, body, margin):
    for window in windows(iter([data]), body, margin):
        view = of(window)
        assert 0 <= view.body[0] <= view.body[1] <= len(view.text)
        last = window.first_line + window.data.count(b"\n")
        numbers = [view.number(at)[0] for at in range(len(view.text))]
        assert numbers == sorted(numbers)
        assert set(numbers) <= set(range(window.first_line, last + 1))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from([b"a", b"[rank1]: bb", b"", b"c\rd", b"\x1b[1me"])),
    st.integers(12, 60),
    st.integers(12, 60),
)
def test_bodies_of_windows_show_what_one_window_shows(lines, body, margin):
    data = b"".join(line + b"\n" for line in lines)
    views = [of(window) for window in windows(iter([data]), body, margin)]
    owned = b"".join(view.text[view.body[0] : view.body[1]] for view in views)
    assert owned == whole(data).text
