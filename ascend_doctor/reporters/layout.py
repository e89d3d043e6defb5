"""Prose, steps and commands laid out for a terminal, in English and in Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TextIO

from rich.cells import cell_len
from rich.console import Console
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


def console(out: TextIO, *, color: bool, width: int) -> Console:
    """Return a console that writes exactly what it is given."""
    return Console(
        file=out,
        width=max(60, width),
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )


class Sheet:
    """Prints blocks in a column beside their headings."""

    def __init__(self, console: Console, headings: Sequence[str]) -> None:
        self.console = console
        self._column = 4 + max(cell_len(heading) for heading in headings)

    def row(self, heading: str, blocks: Sequence[Block]) -> None:
        """Print blocks, the heading beside the first line; nothing if there are none."""
        left = self._column if heading else 2
        first = Text(f"  {heading}", style="bold")
        first.append(" " * (left - first.cell_len))
        for block in blocks:
            lines = [block.text]
            if block.wraps:
                lines = wrapped(block.text, self.console.width - left - block.indent)
            hang = block.mark.ljust(block.indent)
            for line in lines:
                if line.plain:
                    self.console.print(Text.assemble(first, hang, line), soft_wrap=True)
                    first, hang = Text(" " * left), " " * block.indent


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
                cut = found.start() + offset
                # A runner may obey a line that begins so: the letter before goes with it.
                cut -= offset > 0 and text.plain.startswith("::", cut)
                breaks.append(cut)
                used = cell_len(text.plain[cut : found.start() + offset])
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
