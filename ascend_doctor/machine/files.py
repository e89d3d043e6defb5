"""Files of a machine below some root, read with bounds and never left by a link.

A path of the machine is absolute as it would be there, whatever folder stands for its root.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ascend_doctor.machine.model import Place

# Files that say versions have some lines; what is longer is read to here.
MAX_TEXT = 256 << 10
# Names of a folder that are looked at, and links on the way to a file.
MAX_NAMES = 4096
_MAX_LINKS = 40
# Bytes of a line that are kept as proof.
_MAX_LINE = 500


class Tree:
    """The files of a machine; ``unread`` gathers what was there and could not be read."""

    def __init__(self, root: Path) -> None:
        self._root = os.fspath(root)
        self.unread: dict[str, str] = {}

    @property
    def is_here(self) -> bool:
        """True for the files of the machine that this process runs on."""
        return os.path.abspath(self._root) == "/"

    def real(self, path: str) -> str | None:
        """Return a path without links, None if there is nothing or links go in a circle."""
        done: list[str] = []
        left = [part for part in reversed(path.split("/")) if part]
        links = 0
        while left:
            part = left.pop()
            if part == ".":
                continue
            if part == "..":
                del done[-1:]
                continue
            here = self.on_disk("/".join(("", *done, part)))
            try:
                is_link = stat.S_ISLNK(os.lstat(here).st_mode)
                target = os.readlink(here) if is_link else ""
            except (OSError, ValueError):
                return None
            if not is_link:
                done.append(part)
                continue
            links += 1
            if links > _MAX_LINKS:
                self.unread.setdefault(path, os.strerror(errno.ELOOP).lower())
                return None
            if target.startswith("/"):
                done.clear()
            left += (piece for piece in reversed(target.split("/")) if piece)
        return "/" + "/".join(done)

    def on_disk(self, path: str) -> str:
        """Return where a path of the machine lies on this one; its links are not looked at."""
        return os.path.join(self._root, path.lstrip("/"))

    def status(self, path: str) -> os.stat_result | None:
        """Return what stat says of a path, links followed; None if there is nothing."""
        real = self.real(path)
        try:
            return None if real is None else os.lstat(self.on_disk(real))
        except OSError:
            return None

    def is_folder(self, path: str) -> bool:
        """Say whether a path leads to a folder."""
        status = self.status(path)
        return status is not None and stat.S_ISDIR(status.st_mode)

    def is_file(self, path: str) -> bool:
        """Say whether a path leads to a regular file."""
        status = self.status(path)
        return status is not None and stat.S_ISREG(status.st_mode)

    def link(self, path: str) -> str | None:
        """Return what a link names, None if the path is none."""
        folder, _, name = path.rpartition("/")
        real = self.real(folder or "/")
        try:
            return None if real is None else os.readlink(self.on_disk(f"{real}/{name}"))
        except OSError:
            return None

    def names(self, path: str) -> list[str]:
        """Return the names in a folder in order, at most ``MAX_NAMES``."""
        real = self.real(path)
        if real is None:
            return []
        names: list[str] = []
        try:
            with os.scandir(self.on_disk(real)) as entries:
                for entry in entries:
                    if len(names) == MAX_NAMES:
                        self.unread[path] = f"more than {MAX_NAMES} names, the rest not read"
                        break
                    names.append(entry.name)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as err:
            self._note(path, err)
            return []
        return sorted(names)

    def open(self, path: str) -> BinaryIO | None:
        """Open a regular file; None if there is none, or it cannot be read, which is noted."""
        real = self.real(path)
        if real is None:
            return None
        try:
            # What is no regular file must not be waited for, nor a link be followed that is new.
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
            handle = os.open(self.on_disk(real), flags)
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                os.close(handle)
                self.unread[path] = "not a regular file"
                return None
            return os.fdopen(handle, "rb")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as err:
            self._note(path, err)
            return None

    def text(self, path: str, limit: int = MAX_TEXT) -> str | None:
        """Return the text of a file, None if there is none or it cannot be read."""
        file = self.open(path)
        if file is None:
            return None
        try:
            with file:
                data = file.read(limit + 1)
        except OSError as err:
            self._note(path, err)
            return None
        if len(data) > limit:
            self.unread[path] = f"larger than {limit >> 10} KiB, the rest not read"
        return data[:limit].decode("utf-8", "backslashreplace")

    def lines(self, path: str, limit: int = MAX_TEXT) -> Iterator[tuple[str, Place]]:
        """Yield the lines of a file, each with its place."""
        text = self.text(path, limit)
        for number, line in enumerate((text or "").splitlines(), start=1):
            if line.strip():
                yield line, Place(path, number, line.strip()[:_MAX_LINE])

    def _note(self, path: str, err: OSError) -> None:
        self.unread[path] = (err.strerror or "unreadable").lower()


def keyed(lines: Iterator[tuple[str, Place]]) -> dict[str, tuple[str, Place]]:
    """Return the values of ``name=value`` lines by name in lower case, the first of each."""
    found: dict[str, tuple[str, Place]] = {}
    for line, place in lines:
        name, equals, value = line.partition("=")
        if equals and len(found) < MAX_NAMES:
            found.setdefault(name.strip().lower(), (value.strip().strip("\"'"), place))
    return found
