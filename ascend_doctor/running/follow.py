"""Logs that others write, followed: only what is new in them is read."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ascend_doctor.facts import Facts, Shard
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.running.followed import Followed
from ascend_doctor.running.logs import Growth, files_below
from ascend_doctor.scan.scanner import Scanner
from ascend_doctor.view.encoding import shown


class Follower:
    """Follows the files below some paths; they may appear, grow, be rotated or cut.

    Attributes:
        written: how many bytes were written since the beginning.
        has_news: something was read that ``facts`` did not tell yet.
    """

    def __init__(
        self,
        paths: Sequence[str],
        knowledge: Knowledge,
        *,
        from_start: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin at the end of files that are there, unless ``from_start`` is set."""
        self.written = 0
        self.has_news = False
        self._paths = tuple(paths)
        self._digest = knowledge.digest
        self._new = partial(Followed, scanner=Scanner(knowledge), clock=clock)
        self._files: dict[tuple[int, int], Followed] = {}
        # Files that are no more, since others were begun in their place.
        self._past: list[Followed] = []
        for path, status in files_below(self._paths):
            start = 0 if from_start else status.st_size
            self._files[status.st_dev, status.st_ino] = self._new(path, start)

    @property
    def count(self) -> int:
        """How many files there are."""
        return len(self._files)

    def files(self) -> list[tuple[str, float]]:
        """Return the files that there are now, and when each was written last (since 1970)."""
        return [
            (shown(os.fsencode(path)), status.st_mtime) for path, status in files_below(self._paths)
        ]

    def poll(self) -> bool:
        """Look at all files and read what is new; return whether one grew."""
        written = self.written
        for path, status in files_below(self._paths):
            file = self._at(path, status.st_size, (status.st_dev, status.st_ino))
            if file.is_given_up:
                continue
            if status.st_size > file.size:
                self.written += status.st_size - file.size
                self.has_news |= file.grow(status.st_size)
            elif file.is_due:
                self.has_news |= file.read(to_the_end=True)
        return self.written > written

    def finish(self) -> None:
        """Read what waits."""
        for file in self._all():
            if file.waits:
                self.has_news |= file.read(to_the_end=True)

    def facts(self) -> Facts:
        """Return what was read until now."""
        self.has_news = False
        shards: dict[str, Shard] = {}
        skipped: set[tuple[str, str]] = set()
        for number, file in enumerate(self._all()):
            if file.skipped is not None:
                skipped.add((shown(file.path.encode("utf-8", "surrogateescape")), file.skipped))
            elif (shard := file.placed()) is not None:
                # Several files may have had one name, one after the other.
                shards[f"{shard.path}\0{number}"] = shard
        return Facts(self._digest, shards, frozenset(skipped))

    def growth(self) -> list[Growth]:
        """Return what was written to each file."""
        return [growth for file in self._files.values() if (growth := file.growth) is not None]

    def _all(self) -> Iterator[Followed]:
        yield from self._past
        yield from self._files.values()

    def _at(self, path: str, size: int, inode: tuple[int, int]) -> Followed:
        """Return the file that lies there, begun anew if it is not the one that lay there."""
        file = self._files.get(inode)
        if file is None or not file.is_at(path, size):
            if file is not None:
                self._past.append(file)
            file = self._files[inode] = self._new(path, 0)
        file.path = path
        return file
