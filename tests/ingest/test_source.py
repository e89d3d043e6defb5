"""What is read of a source, however it is packed, and why some are not."""

from __future__ import annotations

import gzip
import io
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.ingest.source import BLOCK, HEAD, blocks, unreadable
from ascend_doctor.reporters.json import render
from tests.reporters.reports import FULL


def read(raw: bytes) -> bytes:
    return b"".join(blocks(io.BytesIO(raw)))


def test_text_comes_as_it_is():
    raw = "[ERROR] 设备\r\n".encode() + b"\xff" * 10
    assert read(raw) == raw
    assert read(b"") == b""


@pytest.mark.parametrize("size", [16, 1000, BLOCK, 3 * BLOCK + 5])
def test_the_hole_at_the_head_of_a_truncated_log_is_left_out(size):
    assert b"".join(blocks(io.BytesIO(bytes(size) + b"ERROR x\n\x00y\n"))) == b"ERROR x\n\x00y\n"
    assert unreadable(next(blocks(io.BytesIO(bytes(size))))) == "binary"


def test_a_large_file_comes_in_bounded_blocks():
    raw = bytes(range(1, 256)) * 16_000
    found = [*blocks(io.BytesIO(raw))]
    assert b"".join(found) == raw
    assert [len(block) for block in found] == [
        HEAD,
        BLOCK,
        BLOCK,
        BLOCK,
        len(raw) - HEAD - 3 * BLOCK,
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_wide_text_comes_as_utf8(encoding):
    text = "RuntimeError: the device is gone 设备\n" * 4000
    assert read(text.encode(encoding)) == text.encode()
    assert read(gzip.compress(text.encode(encoding))) == text.encode()


def test_gzip_is_unpacked_in_bounded_blocks():
    raw = b"x" * (3 * BLOCK + 5)
    found = [*blocks(io.BytesIO(gzip.compress(raw)))]
    assert b"".join(found) == raw
    assert max(map(len, found)) <= BLOCK


def test_members_of_a_gzip_file_follow_each_other():
    packed = gzip.compress(b"one\n") + gzip.compress(b"") + gzip.compress(b"two\n") + b"\x00" * 512
    assert read(packed) == b"one\ntwo\n"


# Enough NULs would make it UTF-16.
texts = st.binary(max_size=50).map(lambda raw: raw.replace(b"\x00", b"x"))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.builds(lambda piece, times: piece * times, texts, st.integers(0, 5000)),
        max_size=4,
    )
)
def test_any_members_are_unpacked_whole(members):
    packed = b"".join(map(gzip.compress, [b"log\n", *members]))
    assert read(packed) == b"log\n" + b"".join(members)


def test_many_empty_members_take_no_time_that_grows_with_their_square():
    begin = time.process_time()
    assert read(gzip.compress(b"") * 30_000 + gzip.compress(b"log\n")) == b"log\n"
    assert time.process_time() - begin < 3


def test_a_truncated_gzip_yields_what_came_before_and_then_fails():
    raw = b"".join(b"%d line\n" % number for number in range(2000))
    packed = gzip.compress(raw)
    found = blocks(io.BytesIO(packed[: len(packed) // 2]))
    before = next(found)
    assert before.startswith(raw[:4000])
    assert raw.startswith(before)
    with pytest.raises(EOFError, match=r"^the gzip stream ends early$"):
        b"".join(found)


def test_a_damaged_gzip_fails():
    with pytest.raises(OSError, match=r"^the gzip stream is damaged: "):
        read(b"\x1f\x8b\x08\x00" + b"\xff" * 50)


RESULT = render(FULL).encode()


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (b"", "empty"),
        (b"a.log" + bytes(252) + b"ustar", "tar archive with a damaged header"),
        (b"\x7fELF" + b"\x00" * 40, "binary"),
        (b"[ERROR] boom\x00\x00\n", None),
        (b"[ERROR] boom\n", None),
        ("设备".encode("gb18030"), None),
        (b'{\n  "baseline_version": 1,\n  "entries": []\n}\n', "written by ascend-doctor"),
        (b'{"baseline_version": 1, "entries": []}\n', "written by ascend-doctor"),
        (RESULT, "written by ascend-doctor"),
        (RESULT[:HEAD] + b" " * HEAD, "written by ascend-doctor"),
        # A job that has printed one goes on.
        (RESULT + b"step 1\n", None),
        (b'{"baseline_version": 1}\n{"level": "error"}\n', None),
    ],
)
def test_what_is_no_log_is_named(head, reason):
    assert unreadable(head) == reason
