"""Find the files below the paths that the user named."""

from __future__ import annotations

import os
import stat
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from ascend_doctor.errors import InputError
from ascend_doctor.ingest.source import Skipped, Source, reason_of
from ascend_doctor.ingest.stream import FileStream

STDIN = Path("-")

# Folders around an argument that may tell whose it is: `rank_7/debug/plog` has a rank above two.
_MAX_ABOVE = 4

# The inodes that were found on each device.
_Seen = defaultdict[int, set[int]]


def discover(paths: Sequence[Path]) -> Iterator[Source | Skipped]:
    """Yield each file below ``paths`` once, in a stable order; linked folders are not entered.

    Nothing is opened. All that was named is looked at before the first file is yielded.

    Raises:
        InputError: a named path does not exist or is out of reach, or none was named.
    """
    if not paths:
        raise InputError("no input named; give log files, folders, or - for standard input")
    several = len(paths) > 1
    seen: _Seen = defaultdict(set)
    # Whoever mistyped the last path must not wait for what stands before it to be read.
    folders = {path: _is_folder(path) for path in paths}
    for path, is_folder in folders.items():
        if path == STDIN:
            yield Source("<stdin>", lambda: sys.stdin.buffer)
            continue
        named = os.fspath(path)
        shown = named if several else "" if is_folder else path.name
        above = _above(named, shown)
        if is_folder:
            yield from _walk(named, shown, above, seen)
        else:
            yield from _file(named, shown, above, seen, named=True)


def _is_folder(path: Path) -> bool:
    """Say whether a path that was named is a folder, if there is anything to be read."""
    if path == STDIN:
        if sys.stdin is None or sys.stdin.closed:
            raise InputError("-: standard input is closed")
        return False
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{path}: no such file or folder") from None
    except OSError as err:
        raise InputError(f"{path}: {reason_of(err)}") from err
    except ValueError as err:
        raise InputError(f"{str(path)!r}: no path can be that: {err}") from err


def _above(named: str, shown: str) -> str:
    """Return the folders that what is shown of an argument stands in, the innermost ones."""
    whole = _shown(os.path.abspath(named))
    if shown:
        end = f"/{os.path.normpath(_shown(shown))}"
        whole = whole.removesuffix(end) if whole.endswith(end) else ""
    return "/".join(whole.split("/")[-_MAX_ABOVE:])


def _walk(folder: str, shown: str, above: str, seen: _Seen) -> Iterator[Source | Skipped]:
    """Yield what is in a folder: its files first, then folder by folder; names in order."""
    waiting = [(folder, shown)]
    while waiting:
        here, shown = waiting.pop()
        folders: list[str] = []
        files: list[str] = []
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    (folders if _is_own_folder(entry) else files).append(entry.name)
        except OSError as err:
            yield Skipped(_shown(shown or "."), reason_of(err))
        folders.sort(reverse=True)
        files.sort()
        for name in files:
            yield from _file(os.path.join(here, name), os.path.join(shown, name), above, seen)
        waiting += ((os.path.join(here, name), os.path.join(shown, name)) for name in folders)


def _is_own_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _shown(path: str) -> str:
    # Names that are not UTF-8 must not break an output.
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _file(
    path: str, shown: str, above: str, seen: _Seen, named: bool = False
) -> Iterator[Source | Skipped]:
    """Yield one file, unless it was found before under another argument or name."""
    try:
        status = os.stat(path)
    except OSError as err:
        yield Skipped(_shown(shown), reason_of(err))
        return
    if stat.S_ISDIR(status.st_mode):
        return
    inodes = seen[status.st_dev]
    if status.st_ino in inodes:
        return
    inodes.add(status.st_ino)
    shown = _shown(shown)
    if stat.S_ISREG(status.st_mode):
        yield Source(shown, partial(_open, path), status.st_size, path, above)
    elif named and stat.S_ISFIFO(status.st_mode):
        # A pipe is read if the user named it (a shell's process substitution), never if found.
        yield Source(shown, partial(_open_pipe, path), None, path, above)
    else:
        yield Skipped(shown, "not a regular file")


def _open(path: str) -> BinaryIO:
    return cast(BinaryIO, FileStream(path))


def _open_pipe(path: str) -> BinaryIO:
    return Path(path).open("rb")
