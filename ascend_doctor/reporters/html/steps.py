"""A step of a check or fix cut into prose, names, and commands that can be copied."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

Kind = Literal["text", "code", "command", "block"]

# Code this long is taken for something to type.
LONG = 28

_CODE = re.compile(r"`([^`]*)`")
_ASSIGNED = re.compile(r"(?:[A-Z_][A-Z0-9_]*=\S* +)+(?=\S)")
# What is left over where a command was taken out of its sentence.
_BEFORE, _BEHIND = " (（", " .,;:)。，；：）"
_END = re.compile(r"[)）]*(?:[.;:](?=\s|$)|[。；：]|$)")

# What a command begins with. Other code in a text is a name, a value or a line of a log: nothing
# to type as it is.
_PROGRAMS = """
    ascend-dmi ascend-doctor asys atc hccn_tool msaicerr msnpureport msprof-analyze npu-smi
    apt-get awk bash c++filt cat cd chmod chown cmake command conda cp curl df dmesg docker du echo
    env export file find for free gdb getent git grep hostname ip iostat kill kubectl ldconfig
    ldd ln ls lsof lspci make mkdir mount mv namei nc nm nproc numactl numastat perl pgrep ping pip
    pip3 pkill ps pwd py-spy python python3 quota ray readelf reboot rg rm rpm sed sort source ss
    ssh strings sudo sysctl systemctl tail tar taskset timeout top torchrun touch ulimit uname unset
    useradd vllm watch which xargs yum
"""
_COMMANDS = frozenset(_PROGRAMS.split())


class Piece(NamedTuple):
    """A part of a step; a ``block`` is a command on a line of its own."""

    kind: Kind
    text: str


def is_command(code: str) -> bool:
    """Say whether a code span is something to type.

    >>> is_command("npu-smi info"), is_command("A=1 python3 x.py"), is_command("num_workers")
    (True, True, False)
    """
    words = _ASSIGNED.sub("", code, count=1).split(None, 1)
    return bool(words) and (len(code) >= LONG or (words[0] in _COMMANDS and len(words) > 1))


def pieces(step: str) -> Iterator[Piece]:
    """Yield the parts of a step in their order.

    >>> [*pieces("See who holds it: `npu-smi info`.")]
    [Piece(kind='text', text='See who holds it:'), Piece(kind='block', text='npu-smi info')]
    """
    left = step
    while found := _CODE.search(left):
        code, rest = found[1], left[found.end() :]
        kind: Kind = "code"
        if is_command(code):
            # On a line of its own only where nothing of its sentence is left behind it.
            kind = "block" if _END.match(rest) else "command"
        before = left[: found.start()]
        if kind == "block":
            before, rest = before.rstrip(_BEFORE), rest.lstrip(_BEHIND)
        if before.strip():
            yield Piece("text", before)
        yield Piece(kind, code)
        left = rest
    if left.strip():
        yield Piece("text", left)


def spans(text: str) -> Iterator[Piece]:
    """Yield prose and the code in it.

    >>> [*spans("see `x`")]
    [Piece(kind='text', text='see '), Piece(kind='code', text='x')]
    """
    for number, part in enumerate(_CODE.split(text)):
        if part:
            yield Piece("code" if number % 2 else "text", part)


def first_command(steps: Iterable[str]) -> str | None:
    """Return the first command of some steps."""
    found = (piece for step in steps for piece in pieces(step))
    return next((piece.text for piece in found if piece.kind in ("command", "block")), None)
