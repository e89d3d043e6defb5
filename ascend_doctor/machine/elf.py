"""What a shared library needs and defines, from its dynamic section; nothing is executed.

Only what the loader itself looks at is read: 64-bit little-endian files, which all of Ascend's are.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Collection, Iterator
from typing import Any, BinaryIO

from msgspec import Struct

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_DYNAMIC = struct.Struct("<qQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_PT_LOAD, _PT_DYNAMIC = 1, 2
_SHT_DYNSYM = 11
_NEEDED, _HASH, _STRTAB, _SYMTAB, _STRSZ, _SONAME, _RPATH, _RUNPATH = 1, 4, 5, 6, 10, 14, 15, 29
_WEAK = 2
# The largest of torch has some 40 MiB of names.
_MAX_NAMES = 128 << 20
_MAX_SYMBOLS = 2 << 20
_MAX_NAME = 4096
_MAX_NEEDED = 256
_MAX_TABLE = 1 << 20


class ElfError(ValueError):
    """A file is no library that can be read here, or is damaged."""


class Elf(Struct, frozen=True):
    """A shared library.

    Attributes:
        architecture: the number of the machine that it is for: 62 x86-64, 183 AArch64.
        needed: names of the libraries that it needs, in order.
        rpath, runpath: where they are looked for before and behind ``LD_LIBRARY_PATH``.
    """

    architecture: int
    soname: str
    needed: tuple[str, ...]
    rpath: tuple[str, ...]
    runpath: tuple[str, ...]


class Reader:
    """Reads one library.

    Raises:
        ElfError: it is none, or is damaged.
        OSError: it cannot be read.
    """

    def __init__(self, file: BinaryIO) -> None:
        # Kept, as it is closed with the last who knows it.
        self._file, self._handle = file, file.fileno()
        header: tuple[Any, ...] = _HEADER.unpack(self._at(0, _HEADER.size))
        self._architecture: int = header[2]
        if header[0][:6] != b"\x7fELF\x02\x01":
            raise ElfError("not a 64-bit little-endian library")
        segments = self._at(header[5], _table(header[9], header[10], _SEGMENT))
        self._loads: list[tuple[int, int, int]] = []
        dynamic = (0, 0)
        for kind, _, offset, address, _, size, _, _ in _SEGMENT.iter_unpack(segments):
            if kind == _PT_LOAD:
                self._loads.append((address, size, offset))
            elif kind == _PT_DYNAMIC:
                dynamic = (offset, min(size, _MAX_TABLE) // _DYNAMIC.size * _DYNAMIC.size)
        self._sections = (header[6], header[11], header[12])
        self._tags: dict[int, list[int]] = {}
        for tag, value in _DYNAMIC.iter_unpack(self._at(*dynamic)):
            if tag == 0:
                break
            self._tags.setdefault(tag, []).append(value)

    def elf(self) -> Elf:
        """Return what the library needs."""
        return Elf(
            self._architecture,
            next(self._texts(_SONAME), ""),
            tuple(self._texts(_NEEDED)),
            _paths(self._texts(_RPATH)),
            _paths(self._texts(_RUNPATH)),
        )

    def undefined(self) -> list[bytes]:
        """Return the symbols that something else must define."""
        names = self._names()
        return [
            _name(names, name)
            for name, info, _, section, _, _ in self._symbols()
            if section == 0 and name and info >> 4 != _WEAK
        ]

    def defined(self, wanted: Collection[bytes]) -> set[bytes]:
        """Return those of the wanted symbols that the library defines."""
        names = self._names()
        found = (
            _name(names, name) for name, _, _, section, _, _ in self._symbols() if section and name
        )
        return {name for name in found if name in wanted}

    def _names(self) -> bytes:
        """Return the table of names, which is read anew each time: that of torch is large."""
        size = self._tags.get(_STRSZ, [0])[0]
        if size > _MAX_NAMES:
            raise ElfError("its table of names is too large")
        return self._at(self._offset(self._tags[_STRTAB][0]), size) if size else b""

    def _symbols(self) -> Iterator[tuple[int, int, int, int, int, int]]:
        if _SYMTAB not in self._tags:
            return iter(())
        start, count = self._offset(self._tags[_SYMTAB][0]), self._count()
        if count > _MAX_SYMBOLS:
            raise ElfError("its table of symbols is too large")
        return _SYMBOL.iter_unpack(self._at(start, count * _SYMBOL.size))

    def _count(self) -> int:
        """Return how many symbols there are; nothing that the loader needs says so directly."""
        offset, size, number = self._sections
        if offset and number and size == _SECTION.size:
            table = self._at(offset, number * size)
            for _, kind, _, _, _, length, _, _, _, _ in _SECTION.iter_unpack(table):
                if kind == _SHT_DYNSYM:
                    return int(length) // _SYMBOL.size
        if _HASH in self._tags:
            at = self._offset(self._tags[_HASH][0])
            return int(struct.unpack("<II", self._at(at, 8))[1])
        # Linkers put the names right behind the symbols.
        gap = self._tags[_STRTAB][0] - self._tags[_SYMTAB][0]
        return max(0, gap) // _SYMBOL.size

    def _texts(self, tag: int) -> Iterator[str]:
        for offset in self._tags.get(tag, ())[:_MAX_NEEDED]:
            start = self._offset(self._tags[_STRTAB][0]) + offset
            if start >= 1 << 63:
                raise ElfError("its dynamic section points out of the file")
            text = os.pread(self._handle, _MAX_NAME, start)
            yield _name(text, 0).decode("utf-8", "backslashreplace")

    def _offset(self, address: int) -> int:
        for start, size, offset in self._loads:
            if start <= address < start + size:
                return address - start + offset
        raise ElfError("its dynamic section points out of the file")

    def _at(self, offset: int, size: int) -> bytes:
        try:
            data = os.pread(self._handle, size, offset)
        except OverflowError:
            data = b""
        if len(data) < size:
            raise ElfError("it ends early")
        return data


def _name(names: bytes, offset: int) -> bytes:
    end = names.find(b"\0", offset)
    return names[offset : end if end >= 0 else None][:_MAX_NAME]


def _table(size: int, count: int, form: struct.Struct) -> int:
    if size != form.size or not count:
        raise ElfError("it has no segments")
    return size * count


def _paths(texts: Iterator[str]) -> tuple[str, ...]:
    return tuple(path for text in texts for path in text.split(":") if path)
