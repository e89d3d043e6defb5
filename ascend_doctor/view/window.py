"""A stream of bytes cut into windows that memory can hold and no record falls between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

# How much of the file a window owns, and how much context it sees on either side. A record
# is at most MARGIN long in each direction, so every window sees the same records.
BODY = 1 << 20
MARGIN = 64 << 10


@dataclass(frozen=True, slots=True)
class Window:
    """Part of a file: its own ``body`` within ``data``, context around it."""

    data: bytes
    body: tuple[int, int]
    first_line: int


def windows(blocks: Iterator[bytes], body: int = BODY, margin: int = MARGIN) -> Iterator[Window]:
    """Cut ``blocks`` into windows; bodies are adjacent and cover every byte once.

    Bodies end behind a newline where there is one within ``margin``; a longer line is cut.
    """
    data = bytearray()
    low = 0  # where the next body begins
    first_line = 1  # number of the line that data begins with
    ended = False
    while True:
        while not ended and len(data) - low < body + margin:
            block = next(blocks, None)
            if block is None:
                ended = True
            else:
                data += block
        if ended and len(data) - low <= body + margin:
            if low < len(data) or (low == 0 and data):
                yield Window(bytes(data), (low, len(data)), first_line)
            return
        high = data.rfind(b"\n", max(low, low + body - margin), low + body) + 1
        if high <= low:
            high = low + body
        yield Window(bytes(data[: high + margin]), (low, high), first_line)
        keep = max(0, high - margin)
        start = data.find(b"\n", keep, high) + 1
        keep = start if start > 0 else keep
        first_line += data.count(b"\n", 0, keep)
        del data[:keep]
        low = high - keep
