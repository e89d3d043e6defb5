"""The standard streams: closed, a pipe, or a terminal so wide, with or without colour."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from typing import Any, TextIO

import click

from ascend_doctor.view.encoding import shown, wide_encoding

# Lines longer than this are hard to read, however wide the window.
MAX_WIDTH = 120
# The reporters' own signs for screens that know only ASCII, or GBK.
_PLAIN = {
    "✗": "x", "✓": "+", "•": "*", "·": "|", "─": "-", "…": "...", "×": "x", "⏎": "\\n", "–": "-",
    # Bars of time, each part by a sign of its own.
    "█": "#", "▓": "=", "▒": "+", "▚": "%", "▞": "/", "▖": ":", "░": "."}  # fmt: skip


def screen(output: TextIO) -> dict[str, Any]:
    """Return the options of a text reporter that writes to ``output``; none for a file."""
    if not output.isatty():
        return {}
    from shutil import get_terminal_size  # which loads all that unpacks files

    width = min(get_terminal_size().columns, MAX_WIDTH)
    return {"color": "NO_COLOR" not in os.environ, "width": width}


def standard_output(encoding: str | None = None) -> TextIO:
    """Return standard output, in ``encoding`` or else in what the locale asks for.

    What that cannot show (Chinese in ASCII, a tick in GBK) is written in plain signs or as
    escapes, so that no report is lost to it.

    Raises:
        OSError: it is closed.
    """
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding=encoding, errors=_PLAINER)
    return sys.stdout


def standard_error() -> TextIO:
    """Return standard error, which shows what it lacks as standard output does.

    Raises:
        OSError: it is closed.
    """
    if sys.stderr is None:
        raise OSError(errno.EBADF, "standard error is closed")
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors=_PLAINER)
    return sys.stderr


def _plainer(error: UnicodeError) -> tuple[str, int]:
    """Write what an encoding lacks in plain signs, or as an escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    odd = error.object[error.start : error.end]
    plain = "".join(
        _PLAIN.get(char) or char.encode("ascii", "backslashreplace").decode() for char in odd
    )
    return plain, error.end


_PLAINER = "ascend_doctor.plainer"
codecs.register_error(_PLAINER, _plainer)


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
