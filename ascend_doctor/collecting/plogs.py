"""The newest logs of CANN, within a bound."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping

from msgspec import Struct

from ascend_doctor.machine.files import Tree

_MAX_FILES = 20_000
_MAX_DEPTH = 8


class Log(Struct, frozen=True):
    """A log, or the end of one.

    Attributes:
        path: where it lies on the machine.
        name: what it is called below the folder of logs.
        size: its bytes when it was found.
        skip: bytes at its begin that are left out.
    """

    path: str
    name: str
    size: int
    skip: int = 0


class Logs(Struct, frozen=True):
    """Those that are taken, by name, and how much is left out."""

    folder: str
    taken: tuple[Log, ...] = ()
    left_out: int = 0
    left_bytes: int = 0


def newest(tree: Tree, environ: Mapping[str, str], most: int) -> Logs:
    """Return the newest logs that have ``most`` bytes together; of the last, its end."""
    folder = _folder(environ)
    found = sorted(_found(tree, folder), key=lambda item: (-item[0], item[1].name))
    taken: list[Log] = []
    left_out = left_bytes = 0
    for _, log in found:
        if most <= 0:
            left_out += 1
            left_bytes += log.size
            continue
        skip = max(0, log.size - most)
        left_bytes += skip
        taken.append(Log(log.path, log.name, log.size, skip))
        most -= log.size - skip
    return Logs(folder, tuple(sorted(taken, key=lambda log: log.name)), left_out, left_bytes)


def _folder(environ: Mapping[str, str]) -> str:
    """Return where CANN writes its logs, by its own order of precedence."""
    if path := environ.get("ASCEND_PROCESS_LOG_PATH"):
        return path
    if path := environ.get("ASCEND_WORK_PATH"):
        return f"{path}/log"
    return f"{environ.get('HOME', '/root')}/ascend/log"


def _found(tree: Tree, folder: str) -> Iterator[tuple[float, Log]]:
    """Yield time and log of each file below a folder; links are not followed."""
    waiting, count = [(folder, "", 0)], 0
    while waiting:
        here, shown, depth = waiting.pop()
        for name in tree.names(here):
            path, inner = f"{here}/{name}", f"{shown}{name}"
            try:
                status = os.lstat(tree.on_disk(path))
            except OSError as err:
                tree.unread[path] = (err.strerror or "unreadable").lower()
                continue
            if stat.S_ISDIR(status.st_mode) and depth < _MAX_DEPTH:
                waiting.append((path, f"{inner}/", depth + 1))
            elif stat.S_ISREG(status.st_mode) and status.st_size:
                count += 1
                if count > _MAX_FILES:
                    tree.unread[folder] = f"more than {_MAX_FILES} files, the rest not read"
                    return
                yield status.st_mtime, Log(path, inner, status.st_size)
