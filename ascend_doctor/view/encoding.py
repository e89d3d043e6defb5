"""Bytes in whatever encoding → bytes that ASCII literals can be found in."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def wide_encoding(head: bytes) -> str | None:
    """Name the encoding of ``head`` if its ASCII is not plain bytes, else None.

    Every encoding that keeps ASCII as it is (UTF-8, GB18030, Latin-1) needs no change:
    rules are matched on bytes and only kept samples are decoded.
    """
    for bom, name in _BOMS:
        if head.startswith(bom):
            return name
    sample = head[:512]
    if len(sample) >= 8:
        odd, even = sample[1::2].count(0), sample[0::2].count(0)
        half = len(sample) // 2
        if odd > 0.7 * half and even < 0.1 * half:
            return "utf-16-le"
        if even > 0.7 * half and odd < 0.1 * half:
            return "utf-16-be"
    return None


def to_utf8(blocks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """Yield ``blocks`` of text in ``encoding`` as UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for block in blocks:
        yield decoder.decode(block).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def shown(raw: bytes) -> str:
    r"""Decode a kept sample for people: UTF-8, else GB18030, else escapes.

    >>> shown(b"\xc4\xda\xb4\xe6"), shown(b"\xff\xfe")
    ('内存', '\\xff\\xfe')
    """
    try:
        # A plog line is cut at a byte: its last character may be torn, and is no sign of GB18030.
        text, used = codecs.utf_8_decode(raw, "strict", False)
        return text + raw[used:].decode("utf-8", "backslashreplace")
    except UnicodeDecodeError:
        pass
    try:
        return raw.decode("gb18030")
    except UnicodeDecodeError:
        return raw.decode("utf-8", "backslashreplace")
