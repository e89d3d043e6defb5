"""A file cut into windows: every byte once, with context, and true line numbers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.view.window import Window, windows

contents = st.lists(
    st.sampled_from([b"\n", b"a\n", b"b" * 7, b"cc\n", b"\n\n", b"d" * 30]), max_size=60
).map(b"".join)
sizes = st.integers(1, 40)


def blocks_of(data, size):
    return (data[at : at + size] for at in range(0, len(data), size))


@settings(max_examples=200, deadline=None)
@given(contents, sizes, sizes, sizes)
def test_bodies_tile_the_input_and_lines_are_numbered(data, block, body, margin):
    found = [*windows(blocks_of(data, block), body, margin)]
    assert b"".join(w.data[w.body[0] : w.body[1]] for w in found) == data
    position = 0
    for window in found:
        start = position - window.body[0]
        assert window.data == data[start : start + len(window.data)]
        assert window.first_line == 1 + data.count(b"\n", 0, start)
        position += window.body[1] - window.body[0]


@settings(max_examples=100, deadline=None)
@given(contents, sizes, sizes, sizes)
def test_how_the_input_comes_in_blocks_does_not_matter(data, block, body, margin):
    assert [*windows(blocks_of(data, block), body, margin)] == [
        *windows(iter([data]), body, margin)
    ]


@settings(max_examples=100, deadline=None)
@given(contents, sizes, sizes)
def test_memory_is_bounded(data, body, margin):
    for window in windows(iter([data]), body, margin):
        assert len(window.data) <= body + 2 * margin


def test_bodies_end_behind_a_newline_where_there_is_one_near():
    data = b"aaaa\nbbbb\ncccc\ndddd\n"
    assert [*windows(iter([data]), body=12, margin=6)] == [
        Window(b"aaaa\nbbbb\ncccc\nd", (0, 10), 1),
        Window(b"bbbb\ncccc\ndddd\n", (5, 15), 2),
    ]


def test_a_longer_line_is_cut():
    assert [*windows(iter([b"x" * 25 + b"\ny\n"]), body=10, margin=4)] == [
        Window(b"x" * 14, (0, 10), 1),
        Window(b"x" * 18, (4, 14), 1),
        Window(b"x" * 9 + b"\ny\n", (4, 12), 1),
    ]


def test_nothing_has_no_windows():
    assert [*windows(iter([]))] == []
    assert [*windows(iter([b"", b""]))] == []
