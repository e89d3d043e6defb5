"""Find the files below the paths that the user named."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from ascend_doctor.errors import InputError
from ascend_doctor.ingest.source import Skipped, Source

STDIN = Path("-")


def discover(paths: Sequence[Path]) -> Iterator[Source | Skipped]:
    """Yield each file below ``paths`` once, in a stable order; links are not followed.

    Raises:
        InputError: a named path does not exist, or none was named.
    """
    if not paths:
        raise InputError("no input named; give log files, folders, or - for standard input")
    several = len(paths) > 1
    seen: set[tuple[int, int]] = set()
    for path in paths:
        if path == STDIN:
            yield Source("<stdin>", None)
        elif path.is_dir():
            base = path.resolve().name if several else ""
            for item in _walk(path, base):
                if not (isinstance(item, Source) and _is_known(item, seen)):
                    yield item
        elif path.exists():
            item = _file(path, str(path) if several else path.name, named=True)
            if not (isinstance(item, Source) and _is_known(item, seen)):
                yield item
        else:
            raise InputError(f"{path}: no such file or folder")


def _walk(folder: Path, base: str) -> Iterator[Source | Skipped]:
    def failed(error: OSError) -> None:
        name = os.path.relpath(error.filename or folder, folder)
        problems.append(Skipped(_joined(base, name), error.strerror or "unreadable"))

    problems: list[Skipped] = []
    for here, folders, files in os.walk(folder, onerror=failed):
        folders.sort()
        yield from problems
        problems.clear()
        for name in sorted(files):
            path = Path(here, name)
            yield _file(path, _joined(base, os.path.relpath(path, folder)))
    yield from problems


def _joined(base: str, name: str) -> str:
    return os.path.join(base, name) if base else name


def _file(path: Path, shown: str, named: bool = False) -> Source | Skipped:
    # Names that are not UTF-8 must not break an output.
    shown = shown.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    try:
        mode = path.stat().st_mode
    except OSError as err:
        return Skipped(shown, (err.strerror or "unreadable").lower())
    # A pipe is read if the user named it (a shell's process substitution), never if found.
    if not (stat.S_ISREG(mode) or (named and stat.S_ISFIFO(mode))):
        return Skipped(shown, "not a regular file")
    return Source(shown, path)


def _is_known(source: Source, seen: set[tuple[int, int]]) -> bool:
    """True if the same file was already found under another argument or name."""
    assert source.file is not None
    status = source.file.stat()
    key = (status.st_dev, status.st_ino)
    known = key in seen
    seen.add(key)
    return known
