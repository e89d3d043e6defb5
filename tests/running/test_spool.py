"""The copy of an output: whole lines, bounded, with the times at which they came."""

from __future__ import annotations

import errno

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascend_doctor.running.spool import MAX_LINE, Bounds, Spool


def kept(spool: Spool) -> bytes:
    return b"".join(spool.blocks())


def test_lines_of_two_streams_stay_whole():
    spool = Spool()
    for stream, text in ((1, b"loss "), (2, b"warn"), (1, b"2.31\nst"), (2, b"ing\n"), (1, b"ep")):
        spool.take(stream, memoryview(text), is_only=False)
    spool.finish()
    assert kept(spool) == b"loss 2.31\nwarning\nstep\n"


def test_a_line_without_end_is_not_held_for_ever():
    spool = Spool()
    spool.take(1, memoryview(b"x" * (MAX_LINE + 1)), is_only=False)
    assert len(kept(spool)) == MAX_LINE + 1


@given(st.lists(st.binary(max_size=30), max_size=30), st.integers(0, 40), st.integers(1, 40))
def test_what_is_kept_is_the_beginning_and_the_end(pieces, head, tail):
    spool = Spool(bounds=Bounds(head, tail))
    for piece in pieces:
        spool.take(1, memoryview(piece), is_only=True)
    text = b"".join(pieces)
    told = kept(spool)
    assert spool.size == len(text)
    if not spool.dropped:
        assert told == text
        return
    note = f"\n[ascend-doctor left out {spool.dropped} bytes here]\n".encode()
    end = len(text) - head - spool.dropped
    assert told == text[:head] + note + text[-end:]
    assert tail < end <= 2 * tail


def test_a_file_that_is_kept_is_put_together(tmp_path):
    spool = Spool(tmp_path / "output.log", Bounds(4, 2))
    for number in range(10):
        spool.take(1, memoryview(b"%d" % number), is_only=True)
    spool.finish()
    told = b"0123\n[ascend-doctor left out 2 bytes here]\n6789"
    assert (tmp_path / "output.log").read_bytes() == told == kept(spool)
    spool.close()
    assert [path.name for path in tmp_path.iterdir()] == ["output.log"]


def test_what_is_there_is_never_written_over(tmp_path):
    (tmp_path / "output.log").write_text("mine")
    with pytest.raises(FileExistsError):
        Spool(tmp_path / "output.log")


@pytest.mark.parametrize(
    ("count", "last"), [(0, b""), (1, b"9"), (3, b"789"), (4, b"6789"), (99, b"6789")]
)
def test_the_last_bytes_and_where_they_begin(count, last):
    spool = Spool(bounds=Bounds(head=6, tail=4))
    spool.take(1, memoryview(b"0123456789"), is_only=True)
    assert spool.last(count) == (last, 10 - len(last))


def test_times_are_kept_to_the_second():
    now = [100.0]
    spool = Spool(clock=lambda: now[0])
    for moment in (100.0, 100.4, 101.0, 105.5):
        now[0] = moment
        spool.take(1, memoryview(b"1234567890"), is_only=True)
    assert [spool.time_at(at) for at in (0, 19, 20, 30, 39)] == [100.0, 100.0, 101.0, 105.5, 105.5]


def test_a_full_disk_ends_the_copy_and_nothing_else(monkeypatch):
    spool = Spool()

    def full(data: memoryview) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(spool._head, "write", full)
    spool.take(1, memoryview(b"step 1\n"), is_only=True)
    spool.take(1, memoryview(b"step 2\n"), is_only=True)
    assert (spool.size, kept(spool), spool.broken.errno) == (14, b"", errno.ENOSPC)


def test_where_no_temporary_file_can_be_made_there_is_no_copy(monkeypatch):
    def none(**options: object) -> None:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.TemporaryFile", none)
    spool = Spool()
    spool.take(1, memoryview(b"step 1\n"), is_only=True)
    spool.finish()
    assert (spool.size, kept(spool), spool.last(9), spool.broken.errno) == (
        7, b"", (b"", 7), errno.ENOENT,
    )  # fmt: skip
