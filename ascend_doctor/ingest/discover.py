"""Find the files below the paths that the user named."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ascend_doctor.errors import InputError
from ascend_doctor.ingest.source import Skipped, Source

STDIN = Path("-")


def discover(paths: Sequence[Path]) -> Iterator[Source | Skipped]:
    """Yield each file below ``paths`` once, in a stable order; linked folders are not entered.

    Raises:
        InputError: a named path does not exist or is out of reach, or none was named.
    """
    if not paths:
        raise InputError("no input named; give log files, folders, or - for standard input")
    several = len(paths) > 1
    seen: set[tuple[int, int]] = set()
    for path in dict.fromkeys(paths):
        if path == STDIN:
            if sys.stdin is None:
                raise InputError("-: standard input is closed")
            yield Source("<stdin>", lambda: sys.stdin.buffer)
        elif _is_folder(path):
            base = str(path) if several else ""
            yield from _walk(path, base, seen)
        else:
            yield from _file(path, str(path) if several else path.name, seen, named=True)


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{path}: no such file or folder") from None
    except OSError as err:
        raise InputError(f"{path}: {_reason(err)}") from err


def _walk(folder: Path, base: str, seen: set[tuple[int, int]]) -> Iterator[Source | Skipped]:
    def failed(error: OSError) -> None:
        name = os.path.relpath(error.filename or folder, folder)
        problems.append(Skipped(_shown(_joined(base, name)), _reason(error)))

    problems: list[Skipped] = []
    for here, folders, files in os.walk(folder, onerror=failed):
        folders.sort()
        yield from problems
        problems.clear()
        for name in sorted(files):
            path = Path(here, name)
            yield from _file(path, _joined(base, os.path.relpath(path, folder)), seen)
    yield from problems


def _joined(base: str, name: str) -> str:
    return os.path.join(base, name) if base else name


def _shown(path: str) -> str:
    # Names that are not UTF-8 must not break an output.
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _reason(error: OSError) -> str:
    return (error.strerror or "unreadable").lower()


def _file(
    path: Path, shown: str, seen: set[tuple[int, int]], named: bool = False
) -> Iterator[Source | Skipped]:
    """Yield one file, unless it was found before under another argument or name."""
    shown = _shown(shown)
    try:
        status = path.stat()
    except OSError as err:
        yield Skipped(shown, _reason(err))
        return
    key = (status.st_dev, status.st_ino)
    if key in seen:
        return
    seen.add(key)
    # A pipe is read if the user named it (a shell's process substitution), never if found.
    if stat.S_ISREG(status.st_mode) or (named and stat.S_ISFIFO(status.st_mode)):
        yield Source(shown, lambda: path.open("rb"))
    else:
        yield Skipped(shown, "not a regular file")
