"""The standard streams: closed, a pipe, or a terminal so wide, with or without colour."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from typing import Any, TextIO

import click

from ascend_doctor.view.encoding import shown, wide_encoding

# Lines longer than this are hard to read, however wide the window.
MAX_WIDTH = 120


def settings(output: TextIO) -> dict[str, Any]:
    """Return the options of a text reporter that writes to ``output``; none for a file."""
    if not output.isatty():
        return {}
    width = min(shutil.get_terminal_size().columns, MAX_WIDTH)
    return {"color": "NO_COLOR" not in os.environ, "width": width}


def standard_output() -> TextIO:
    """Return standard output.

    Raises:
        OSError: it is closed.
    """
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    return sys.stdout


def standard_input(limit: int, *, is_asked: bool, otherwise: str) -> str:
    """Return what is piped in, in whatever encoding; of more than ``limit`` bytes the rest is left.

    What is left is said to be.

    Raises:
        click.UsageError: it is closed, or it is a terminal and was not asked for; ``otherwise``
            says what to give instead.
    """
    if sys.stdin is None or (sys.stdin.isatty() and not is_asked):
        raise click.UsageError(otherwise)
    data = sys.stdin.buffer.read(limit + 1)
    if len(data) > limit:
        click.echo(f"note: only the first {limit >> 10} KiB of the text are read", err=True)
    encoding = wide_encoding(data)
    return shown(data[:limit]) if encoding is None else data[:limit].decode(encoding, "replace")
