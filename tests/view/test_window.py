"""A file cut into windows: every byte once, with context, and true line numbers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.view.window import Sizes, Window, windows, windows_of_part

contents = st.lists(
    st.sampled_from([b"\n", b"a\n", b"b" * 7, b"cc\n", b"\n\n", b"d" * 30]), max_size=60
).map(b"".join)
numbers = st.integers(1, 40)
cuts = st.builds(Sizes, first=numbers, part=numbers, body=numbers, margin=st.integers(2, 40))


def blocks_of(data, size):
    return (data[at : at + size] for at in range(0, len(data), size))


def told(window: Window):
    """Return all that a window says."""
    low, high = window.body
    return (
        window.part,
        window.offset + low,
        window.data[low:high],
        window.data[max(0, low - 2) : high],
        window.line_at(low),
        window.line_at(high),
    )


@settings(max_examples=200, deadline=None)
@given(contents, numbers, cuts)
def test_bodies_tile_the_input_and_lines_are_numbered(data, block, sizes):
    found = [*windows(blocks_of(data, block), sizes)]
    assert b"".join(w.data[w.body[0] : w.body[1]] for w in found) == data
    begins: dict[int, int] = {}
    for window in found:
        low, high = window.body
        assert window.data == data[window.offset : window.offset + len(window.data)]
        assert low == min(window.offset + low, 2 * sizes.margin)
        begin = begins.setdefault(window.part, window.offset + low)
        for at in (low, high, 0, high):
            before = data[: window.offset + at].count(b"\n") - data[:begin].count(b"\n")
            assert window.line_at(at) == 1 + before


@settings(max_examples=200, deadline=None)
@given(contents, numbers, cuts)
def test_parts_of_a_file_have_the_windows_of_the_stream(data, block, sizes):
    count = sizes.part_at(len(data) - 1) + 1 if data else 0
    parts = [
        window
        for part in range(count)
        for window in windows_of_part(lambda at, n: data[at : at + n], len(data), part, sizes)
    ]
    assert [*map(told, parts)] == [*map(told, windows(blocks_of(data, block), sizes))]


@settings(max_examples=200, deadline=None)
@given(contents, cuts, numbers, numbers)
def test_parts_do_not_depend_on_the_windows_in_them(data, sizes, body, other):
    def parts(body):
        cut = Sizes(sizes.first, sizes.part, body, sizes.margin)
        found: dict[int, bytes] = {}
        for w in windows(iter([data]), cut):
            found[w.part] = found.get(w.part, b"") + w.data[w.body[0] : w.body[1]]
        return found

    assert parts(body) == parts(other)


@settings(max_examples=100, deadline=None)
@given(contents, st.integers(8, 40))
def test_memory_is_bounded(data, margin):
    sizes = Sizes(first=100, part=300, body=4 * margin, margin=margin)
    for window in windows(iter([data]), sizes):
        assert len(window.data) <= 4 * margin + 3 * margin


@given(contents, st.integers(0, 1 << 40))
def test_a_file_that_became_shorter_ends_where_it_ends(data, missing):
    size = len(data) + missing % 50
    sizes = Sizes(first=30, part=30, body=20, margin=8)
    found = [
        window.data[window.body[0] : window.body[1]]
        for part in range(sizes.part_at(size) + 1)
        for window in windows_of_part(lambda at, n: data[at : at + n], size, part, sizes)
    ]
    assert b"".join(found) == data


def test_bodies_end_behind_a_newline_where_there_is_one_near():
    data = b"aaaa\nbbbb\ncccc\ndddd\n"
    found = [*windows(iter([data]), Sizes(body=12, margin=6))]
    assert [(w.data, w.body, w.line_at(w.body[0])) for w in found] == [
        (b"aaaa\nbbbb\ncccc\nddd", (0, 10), 1),
        (b"aaaa\nbbbb\ncccc\ndddd\n", (10, 20), 3),
    ]


def test_a_longer_line_is_cut_at_multiples_of_a_piece():
    found = [*windows(iter([b"x" * 25 + b"\ny\n"]), Sizes(body=10, margin=8))]
    assert [(w.offset + w.body[0], w.offset + w.body[1]) for w in found] == [
        (0, 8),
        (8, 16),
        (16, 26),
        (26, 28),
    ]


def test_nothing_has_no_windows():
    assert [*windows(iter([]))] == []
    assert [*windows(iter([b"", b""]))] == []
