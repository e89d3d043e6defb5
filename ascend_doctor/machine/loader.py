"""Which libraries the dynamic loader would find, and which symbols nothing defines."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase

from ascend_doctor.machine.elf import Elf, ElfError, Reader
from ascend_doctor.machine.files import Tree
from ascend_doctor.machine.model import Library

_CACHE = "/etc/ld.so.cache"
_MAGIC = b"glibc-ld.so.cache1.1"
_USUAL = (
    *("/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"),
    *("/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu"),
    *("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"),
)
# What CANN defines, and torch: the symbols of others are not this tool's business, and may come
# from the program itself, as those of Python do.
_CANN = re.compile(rb"(?:acl|Acl|rt[A-Z]|Hccl|Msprof|hal[A-Z]|ge[A-Z]|Ge[A-Z]|dlog|adx|tsd)\w*")
_TORCH = re.compile(rb"_ZNK?(?:2at|3c10|5torch|6caffe2|10c10)\w*")
MAX_LIBRARIES = 256
_MAX_CACHE = 16 << 20
_MAX_TOLD = 5
_MAX_MISSING = 16
# Places that are looked at for libraries; a job's are found in some hundred.
_MAX_TRIED = 20_000


class _TooMany(Exception):
    """Too many places were looked at; what is missing is not known."""


class Loader:
    """The loader of a machine, for a process with a search path and some libraries loaded."""

    def __init__(self, tree: Tree, search: Iterable[str], loaded: Iterable[str] = ()) -> None:
        """Begin with ``search``, the folders of ``LD_LIBRARY_PATH``.

        Args:
            tree: the files of the machine.
            search: folders.
            loaded: folders of which the libraries are loaded before, as those of torch are.
        """
        self._tree = tree
        self._search = tuple(search)
        self._loaded = tuple(loaded)
        self._cached = _cached(tree)
        self._usual = (*_configured(tree), *_USUAL)
        self._tried = 0
        self._elves: dict[str, tuple[Elf, Reader] | None] = {}

    def find(self, name: str, by: Elf | None = None, folder: str = "") -> str | None:
        """Return the library that is loaded for a name; ``by`` in ``folder`` asks for it."""
        rpath = tuple(_expanded(by.rpath, folder)) if by and not by.runpath else ()
        runpath = tuple(_expanded(by.runpath, folder)) if by else ()
        first = (f"{place}/{name}" for place in (*self._loaded, *rpath, *self._search, *runpath))
        last = (f"{place}/{name}" for place in self._usual)
        for path in (*first, self._cached.get(name, ""), *last):
            self._tried += 1
            if self._tried > _MAX_TRIED:
                raise _TooMany
            if path and self._tree.is_file(path):
                return path
        return None

    def check(self, path: str) -> Library | None:
        """Say what is missing for a library; None if it is none that can be read."""
        try:
            return self._checked(path)
        except _TooMany:
            self._tree.unread[path] = f"more than {_MAX_TRIED} places to look for its libraries"
            return None

    def _checked(self, path: str) -> Library | None:
        first = self._read(path)
        if first is None:
            return None
        missing: dict[str, str] = {}
        found = {path: first}
        waiting = [path]
        while waiting:
            here = waiting.pop(0)
            elf = found[here][0]
            for name in elf.needed:
                other = self.find(name, elf, here.rpartition("/")[0])
                if other is None:
                    missing.setdefault(name, here.rpartition("/")[2])
                elif other not in found and len(found) < MAX_LIBRARIES:
                    loaded = self._read(other)
                    if loaded is not None:
                        found[other] = loaded
                        waiting.append(other)
        undefined = [] if missing else self._undefined(path, found)
        names = tuple(missing)[:_MAX_MISSING]
        return Library(
            path,
            names,
            tuple(missing[name] for name in names),
            tuple(name.decode("ascii") for name in undefined[:_MAX_TOLD]),
            len(undefined),
        )

    def _undefined(self, path: str, found: dict[str, tuple[Elf, Reader]]) -> list[bytes]:
        """Return the symbols of CANN and torch that a library lacks, sorted."""
        try:
            asked = found[path][1].undefined()
            wanted = {s for s in asked if _CANN.fullmatch(s) or _TORCH.fullmatch(s)}
            for other, (_, reader) in found.items():
                if not wanted:
                    break
                if other != path:
                    wanted -= reader.defined(wanted)
        except (ElfError, OSError, KeyError, struct.error) as err:
            self._tree.unread[path] = f"its symbols cannot be read: {err}"
            return []
        return sorted(wanted)

    def _read(self, path: str) -> tuple[Elf, Reader] | None:
        real = self._tree.real(path) or path
        if real not in self._elves:
            self._elves[real] = self._opened(real)
        return self._elves[real]

    def _opened(self, path: str) -> tuple[Elf, Reader] | None:
        file = self._tree.open(path)
        if file is None:
            return None
        try:
            reader = Reader(file)
            return reader.elf(), reader
        except (ElfError, OSError, KeyError, struct.error) as err:
            # libc.so and others are scripts for the linker; what is damaged is told.
            if path.rpartition("/")[2].startswith(("libascend", "libtorch", "libhccl")):
                self._tree.unread[path] = f"not a library: {err}"
            return None


def _expanded(paths: Sequence[str], folder: str) -> Iterator[str]:
    for path in paths:
        yield path.replace("${ORIGIN}", folder).replace("$ORIGIN", folder)


def _cached(tree: Tree) -> dict[str, str]:
    """Return the libraries of the loader's cache by name, the first of each."""
    file = tree.open(_CACHE)
    if file is None:
        return {}
    with file:
        data = file.read(_MAX_CACHE)
    start = data.find(_MAGIC)
    found: dict[str, str] = {}
    with suppress(struct.error):
        if start < 0:
            return {}
        (count,) = struct.unpack_from("<I", data, start + len(_MAGIC))
        for number in range(min(count, 1 << 16)):
            _, key, value = struct.unpack_from("<iII", data, start + 48 + 24 * number)
            name, path = _text(data, start + key), _text(data, start + value)
            if path.startswith("/"):
                found.setdefault(name, path)
    return found


def _text(data: bytes, start: int) -> str:
    return data[start : data.find(b"\0", start, start + 4096)].decode("utf-8", "replace")


def _configured(tree: Tree) -> Iterator[str]:
    """Yield the folders of ld.so.conf, where there is no cache that says it better."""
    if tree.is_file(_CACHE):
        return
    waiting, seen = ["/etc/ld.so.conf"], 0
    while waiting and seen < 64:
        path = waiting.pop(0)
        seen += 1
        for line, _ in tree.lines(path):
            line = line.partition("#")[0].strip()
            if line.startswith("/"):
                yield line.rstrip("/")
            elif line.startswith("include"):
                pattern = line.split(None, 1)[-1]
                pattern = pattern if pattern.startswith("/") else f"/etc/{pattern}"
                folder, _, name = pattern.rpartition("/")
                waiting += (f"{folder}/{n}" for n in tree.names(folder) if fnmatchcase(n, name))
