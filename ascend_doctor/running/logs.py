"""Logs that a job writes beside its output: which there are, and how far each was before."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

# CANN keeps at most ten files of a process; a shared folder holds those of many jobs.
MAX_FILES = 100_000


def plog_folders(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return where CANN writes the logs of a process with these variables.

    >>> plog_folders({"ASCEND_WORK_PATH": "/mnt/w", "HOME": "/root"})
    ('/mnt/w/log/debug', '/mnt/w/log/run')
    """
    if root := environ.get("ASCEND_PROCESS_LOG_PATH"):
        pass
    elif work := environ.get("ASCEND_WORK_PATH"):
        root = os.path.join(work, "log")
    elif home := environ.get("HOME"):
        root = os.path.join(home, "ascend", "log")
    else:
        return ()
    return os.path.join(root, "debug"), os.path.join(root, "run")


class Growth(Struct, frozen=True):
    """What was written to a file since a moment: the bytes from ``start`` to ``size``."""

    path: str
    start: int
    size: int
    mtime: float


def files_below(paths: Iterable[str]) -> Iterator[tuple[str, os.stat_result]]:
    """Yield each regular file below folders and files once; some of these may not exist (yet).

    Linked folders are not entered unless they are named.
    """
    named = [*paths]
    waiting = [(path, True) for path in reversed(named)]
    seen: set[tuple[int, int]] = set()
    while waiting:
        path, is_named = waiting.pop()
        try:
            status = os.stat(path)
            if stat.S_ISDIR(status.st_mode):
                if is_named or not os.path.islink(path):
                    with os.scandir(path) as entries:
                        below = sorted((entry.path for entry in entries), reverse=True)
                    waiting += ((entry, False) for entry in below)
                continue
        except OSError:
            # What cannot be looked at cannot have grown; it may yet appear.
            continue
        inode = status.st_dev, status.st_ino
        if stat.S_ISREG(status.st_mode) and inode not in seen:
            seen.add(inode)
            yield path, status


class Baseline:
    """How long the files below some paths are at one moment."""

    def __init__(self, paths: Iterable[str], max_files: int = MAX_FILES) -> None:
        self.paths = tuple(dict.fromkeys(map(os.path.abspath, paths)))
        self._begin = time.time()
        self._sizes: dict[str, tuple[int, int, int]] = {}
        self._is_whole = True
        for path, status in files_below(self.paths):
            if len(self._sizes) >= max_files:
                self._is_whole = False
                break
            self._sizes[path] = (status.st_dev, status.st_ino, status.st_size)
        self._by_inode = {(known[0], known[1]): path for path, known in self._sizes.items()}

    def growth(self) -> Iterator[Growth]:
        """Yield what was written since: new files whole, of others what was added."""
        for path, status in files_below(self.paths):
            start = self._start(path, status)
            if start is not None and start < status.st_size:
                yield Growth(path, start, status.st_size, status.st_mtime)

    def total(self) -> tuple[int, int]:
        """Return how many files there are now, and how many bytes: what tells that some grew."""
        sizes = [status.st_size for _, status in files_below(self.paths)]
        return len(sizes), sum(sizes)

    def _start(self, path: str, status: os.stat_result) -> int | None:
        """Return from where on a file was written since, None if it was not."""
        inode = status.st_dev, status.st_ino
        known = self._sizes.get(path)
        if known is None and (before := self._by_inode.get(inode)) is not None:
            # Numbers of files are used again, so that a name must agree: app.log.1 was app.log.
            known = self._sizes[before] if path.startswith(before) else None
        if known is None:
            return 0 if self._is_whole or status.st_mtime >= self._begin else None
        is_same = inode == known[:2] and status.st_size >= known[2]
        return known[2] if is_same else 0
