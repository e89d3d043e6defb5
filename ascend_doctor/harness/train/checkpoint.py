"""Checkpoints that are there whole or not at all, whenever the process is killed."""

from __future__ import annotations

import errno
import os
import pickle
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from ascend_doctor.errors import HarnessError

_NAME = re.compile(r"step-(\d{8})\.pt")
_UNFINISHED = "unfinished-*.pt"


def save(folder: Path, step: int, state: dict[str, Any], keep: int) -> Path:
    """Write the state after ``step``, and remove all but the latest ``keep``.

    Raises:
        HarnessError: it cannot be written; those before it are as they were.
    """
    target = folder / f"step-{step:08}.pt"
    beside = folder / f"unfinished-{os.getpid()}.pt"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.glob(_UNFINISHED):  # by processes that were killed
            left.unlink()
        with beside.open("xb") as file:
            torch.save(state, file)
            file.flush()
            # Else a machine that loses power may keep the name and lose what it stands for.
            os.fsync(file.fileno())
        beside.replace(target)
        _sync_folder(folder)
    except (OSError, RuntimeError) as err:
        with suppress(OSError):
            beside.unlink()
        raise HarnessError(
            f"{target} cannot be written: {_reason(err)}; earlier checkpoints are as they were"
        ) from err
    for old in [*_found(folder)][keep:]:
        with suppress(OSError):
            old.unlink()
    return target


def latest(folder: Path) -> tuple[Path, dict[str, Any], list[str]] | None:
    """Return the latest checkpoint that can be read, and a note on each that cannot.

    Raises:
        HarnessError: there are some, but none can be read.
    """
    notes: list[str] = []
    for path in _found(folder):
        state = _read(path, notes)
        if state is not None:
            return path, state, notes
    if notes:
        raise HarnessError("; ".join(notes))
    return None


def _read(path: Path, notes: list[str]) -> dict[str, Any] | None:
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, ValueError, pickle.UnpicklingError) as err:
        notes.append(f"{path} cannot be read: {_reason(err)}")
        return None


def _found(folder: Path) -> Iterator[Path]:
    """Yield the checkpoints in a folder, the latest first."""
    if folder.is_dir():
        yield from sorted(filter(_is_one, folder.iterdir()), reverse=True)


def _is_one(path: Path) -> bool:
    return _NAME.fullmatch(path.name) is not None


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as err:
        # Some network file systems know no such thing for folders.
        if err.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)


def _reason(err: BaseException) -> str:
    """Return what went wrong; torch wraps what the system said."""
    cause: BaseException | None = err
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror.lower()
        cause = cause.__cause__ or cause.__context__
    return next(iter(str(err).splitlines()), type(err).__name__)
