"""Small shared libraries, as a linker lays them out; nothing in them can run."""

from __future__ import annotations

import struct
from collections.abc import Sequence

BASE = 0x1000


def library(
    soname: str = "",
    needed: Sequence[str] = (),
    defined: Sequence[str] = (),
    undefined: Sequence[str] = (),
    *,
    weak: Sequence[str] = (),
    runpath: str = "",
    has_hash: bool = True,
) -> bytes:
    """Return a library for AArch64 with these names in its dynamic section."""
    names = b"\0"

    def name(text: str) -> int:
        nonlocal names
        offset = len(names)
        names += text.encode() + b"\0"
        return offset

    symbols = [struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)]
    symbols += [struct.pack("<IBBHQQ", name(n), 0x12, 0, 7, 0x10, 8) for n in defined]
    symbols += [struct.pack("<IBBHQQ", name(n), 0x12, 0, 0, 0, 0) for n in undefined]
    symbols += [struct.pack("<IBBHQQ", name(n), 0x22, 0, 0, 0, 0) for n in weak]
    tags = [(1, name(n)) for n in needed]
    tags += [(14, name(soname))] if soname else []
    tags += [(29, name(runpath))] if runpath else []
    table = b"".join(symbols)
    at = 64 + 2 * 56
    places = {"symbols": at, "names": at + len(table)}
    places["hash"] = places["names"] + len(names)
    places["dynamic"] = places["hash"] + 8
    tags += [(6, BASE + places["symbols"]), (5, BASE + places["names"]), (10, len(names))]
    tags += [(4, BASE + places["hash"])] if has_hash else []
    dynamic = b"".join(struct.pack("<qQ", *tag) for tag in (*tags, (0, 0)))
    size = places["dynamic"] + len(dynamic)
    head = struct.pack(
        "<16sHHIQQQIHHHHHH",
        *(b"\x7fELF\x02\x01\x01", 3, 183, 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0),
    )
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, BASE, BASE, size, size, 0x1000)
    where = places["dynamic"]
    segment = struct.pack(
        "<IIQQQQQQ", 2, 6, where, BASE + where, BASE + where, len(dynamic), len(dynamic), 8
    )
    counts = struct.pack("<II", 1, len(symbols))
    return head + load + segment + table + names + counts + dynamic
