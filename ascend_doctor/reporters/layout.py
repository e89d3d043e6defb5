"""Prose, steps and commands laid out for a terminal, in English and in Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from ascend_doctor.reporters.safe import visible

# A command this long gets a line of its own, unwrapped, so that it can be copied whole.
INLINE_COMMAND = 28

_CODE = re.compile(r"`([^`]*)`")

# A line may break at blanks and beside any Chinese character, but neither before a closing
# mark nor behind an opening one.
_WIDE = "\u2e80-\u2fff\u3003-\u3007\u3011-\u9fff\uf900-\ufaff\uff10-\uff5a"
_OPEN, _CLOSE = "（【《“‘「", "，。；：、）】》”’」！？…"
_TOKEN = re.compile(rf"\s+|[{_OPEN}]*(?:[{_WIDE}]|[^\s{_WIDE}{_OPEN}]+|[{_OPEN}])[{_CLOSE}]*")

# What is left over where a command was taken out of its sentence.
_BEFORE, _BEHIND = " (（", " .,;:)。，；：）"


class Block(NamedTuple):
    """A stretch of text below a heading, hanging by ``indent`` behind its ``mark``."""

    text: Text
    indent: int = 0
    wraps: bool = True
    mark: str = ""


def wrapped(text: Text, width: int) -> list[Text]:
    """Return ``text`` in lines of at most ``width`` cells.

    >>> [line.plain for line in wrapped(Text("设备内存不足，请减小 batch。"), 12)]
    ['设备内存不', '足，请减小', 'batch。']
    """
    breaks: list[int] = []
    used = 0
    for found in _TOKEN.finditer(text.plain):
        size = cell_len(found[0])
        if found[0].isspace():
            used += size
            continue
        if used + size > width and used:
            breaks.append(found.start())
            used = 0
        for offset, char in enumerate(found[0]):
            if used + cell_len(char) > width:
                breaks.append(found.start() + offset)
                used = 0
            used += cell_len(char)
    lines = [*text.divide(breaks)]
    for line in lines:
        line.rstrip()
    return lines


def prose(text: str) -> Text:
    """Return a text with its code spans marked."""
    out = Text()
    end = 0
    for found in _CODE.finditer(text):
        out.append(visible(text[end : found.start()]))
        out.append(visible(found[0]), style="green")
        end = found.end()
    out.append(visible(text[end:]))
    return out


def steps(texts: Sequence[str]) -> list[Block]:
    """Return numbered steps; a long command stands on a line of its own, to be copied."""
    blocks: list[Block] = []
    for number, step in enumerate(texts, start=1):
        mark = f"{number}. "
        for is_command, text in _parts(step):
            if is_command:
                command = Text(visible(text), style="green")
                blocks.append(Block(command, indent=5, wraps=False, mark=mark))
            else:
                blocks.append(Block(prose(text), indent=3, mark=mark))
            mark = ""
    return blocks


def _parts(step: str) -> Iterator[tuple[bool, str]]:
    """Split a step into prose and the commands that are too long to stand in it."""
    left, end = "", 0
    for found in _CODE.finditer(step):
        left += step[end : found.start()]
        end = found.end()
        if len(found[1]) < INLINE_COMMAND:
            left += found[0]
            continue
        if left.strip(_BEFORE + _BEHIND):
            yield False, left.strip().rstrip(_BEFORE)
        yield True, found[1]
        left = ""
        end += len(step[end:]) - len(step[end:].lstrip(_BEHIND))
    left += step[end:]
    if left.strip(_BEHIND):
        yield False, left.strip()
