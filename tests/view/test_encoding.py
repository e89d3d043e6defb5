"""Text in other encodings is found and shown like UTF-8."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.view.encoding import shown, to_utf8, wide_encoding

TEXT = "[ERROR] 设备内存不足\r\nRuntimeError: boom\n"
ASCII = "RuntimeError: the device is gone\n"


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        (b"", None),
        (b"plain\n", None),
        (TEXT.encode(), None),
        (TEXT.encode("gb18030"), None),
        (ASCII.encode("latin-1"), None),
        (codecs.BOM_UTF8 + TEXT.encode(), "utf-8-sig"),
        (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), "utf-16"),
        (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "utf-16"),
        (ASCII.encode("utf-16-le"), "utf-16-le"),
        (ASCII.encode("utf-16-be"), "utf-16-be"),
        (b"a\x00b\x00", None),
        (b"\x00" * 64, None),
    ],
)
def test_only_encodings_that_change_ascii_are_named(head, encoding):
    assert wide_encoding(head) == encoding


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.characters(codec="utf-8"), max_size=80),
    st.sampled_from(["utf-16-le", "utf-16-be", "utf-8-sig"]),
    st.integers(1, 9),
)
def test_blocks_may_cut_a_character(text, encoding, size):
    raw = text.encode(encoding)
    blocks = (raw[i : i + size] for i in range(0, len(raw), size))
    assert b"".join(to_utf8(blocks, encoding)) == text.encode()


def test_a_torn_last_character_is_replaced():
    raw = "ab".encode("utf-16-le")[:-1]
    assert b"".join(to_utf8(iter([raw]), "utf-16-le")) == "a\ufffd".encode()


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain", "plain"),
        ("内存不足".encode(), "内存不足"),
        ("内存不足".encode("gb18030"), "内存不足"),
        ("内存不足".encode()[:-1], "内存不\\xe8\\xb6"),
        (b"torn \xe5\x86", "torn \\xe5\\x86"),
        (b"\xff\xfe", "\\xff\\xfe"),
    ],
)
def test_a_sample_is_shown_as_utf8_or_gb18030_or_with_escapes(raw, text):
    assert shown(raw) == text


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_can_be_shown_and_written_out(raw):
    shown(raw).encode("utf-8")
