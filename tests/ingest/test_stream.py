"""Files that change while they are read, or are not what they seem."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.ingest.archive import members
from ascend_doctor.ingest.discover import discover
from ascend_doctor.ingest.source import blocks
from ascend_doctor.ingest.stream import BLOCK, GAP, BlockStream, FileStream


@pytest.fixture
def log(tmp_path):
    return tmp_path / "train.log"


def opened(path):
    [source] = discover([path])
    return next(members(source)).open()


def test_what_is_appended_after_opening_is_not_read(log):
    log.write_bytes(b"one\n")
    with opened(log) as stream, log.open("ab") as writer:
        found = []
        for block in blocks(stream):
            found.append(block)
            writer.write(b"more\n")
            writer.flush()
    assert found == [b"one\n"]


def test_what_is_cut_while_it_is_read_keeps_what_came_before_and_says_so(log):
    log.write_bytes(b"x" * (3 * BLOCK))
    with opened(log) as stream:
        text = blocks(stream)
        before = next(text)
        os.truncate(log, len(before) + 5)
        assert next(text) == b"x" * 5
        with pytest.raises(EOFError, match=r"^the file was cut while it was read$"):
            next(text)


def test_a_file_that_is_removed_while_it_is_read_is_read_on(log):
    log.write_bytes(b"x" * (2 * BLOCK))
    with opened(log) as stream:
        log.unlink()
        assert sum(map(len, blocks(stream))) == 2 * BLOCK


def test_a_pipe_in_place_of_a_file_is_not_waited_for(log):
    log.write_bytes(b"boom\n")
    [source] = discover([log])
    log.unlink()
    os.mkfifo(log)
    with pytest.raises(OSError, match=r"^not a regular file any more$"):
        source.open()


def test_a_file_of_the_kernel_that_claims_to_be_empty_is_read():
    with opened(Path("/proc/self/status")) as stream:
        assert b"".join(blocks(stream)).startswith(b"Name:")


def test_holes_of_a_sparse_file_cost_nothing(log):
    with log.open("wb") as stream:
        stream.write(b"one\n")
        stream.seek(1 << 40)
        stream.write(b"two\n")
        stream.truncate(1 << 41)
    with opened(log) as stream:
        text = b"".join(blocks(stream))
    first, _, rest = text.partition(GAP)
    assert (first.rstrip(b"\0"), rest.strip(b"\0")) == (b"one\n", b"two\n")
    assert len(text) < BLOCK


def test_a_file_that_is_all_hole_is_no_log(log):
    log.touch()
    os.truncate(log, 1 << 40)
    with opened(log) as stream:
        assert b"".join(blocks(stream)) == GAP


def test_a_file_can_be_read_from_any_place(log):
    log.write_bytes(b"0123456789")
    with FileStream(str(log)) as stream:
        assert (stream.peek(3), stream.skip(4), stream.read(2)) == (b"012", 4, b"45")
        assert (stream.seek(-2, os.SEEK_END), stream.read(), stream.read(1)) == (8, b"89", b"")
        assert (stream.seek(1), stream.tell(), stream.skip(100), stream.read(1)) == (1, 1, 9, b"")
        assert (stream.read_at(7, 100), stream.read_at(1 << 70, 1)) == (b"789", b"")


@settings(deadline=None)
@given(
    st.lists(st.binary(max_size=300), max_size=8),
    st.lists(st.tuples(st.sampled_from(["read", "peek", "skip"]), st.integers(0, 500))),
)
def test_a_stream_of_blocks_reads_as_a_file_does(pieces, steps):
    stream, file = BlockStream(iter(pieces)), io.BytesIO(b"".join(pieces))
    for step, size in steps:
        if step == "peek":
            assert stream.peek(size) == file.getvalue()[file.tell() :][:size]
        elif step == "skip":
            assert stream.skip(size) == len(file.read(size))
        else:
            assert stream.read(size) == file.read(size)
    assert stream.read() == file.read()


def test_an_error_comes_after_what_stood_before_it_and_again():
    def broken():
        yield b"one"
        raise EOFError("it ends early")

    stream = BlockStream(broken())
    assert stream.read(100) == b"one"
    for _ in range(2):
        with pytest.raises(EOFError, match=r"^it ends early$"):
            stream.read(1)
        with pytest.raises(EOFError, match=r"^it ends early$"):
            stream.peek(1)
