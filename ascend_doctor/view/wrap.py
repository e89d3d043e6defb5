"""Lines that a terminal or an editor broke at its right margin, put together again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise

from ascend_doctor import late

# Narrower texts are wrapped by nobody, wider ones are no screens.
_NARROWEST, _WIDEST = 72, 512
# Where screens have their margin, less proves it than elsewhere.
_SCREENS = frozenset({80, 96, 100, 120, 128, 132, 140, 160, 180, 200, 240})

# How a line begins that a logger wrote, and how any begins that does not go on with another.
_LOGGED = (
    rb"\[(?:DEBUG|INFO|WARNING|ERROR|EVENT|TRACE)\] |\[PID: ?\d|[EW][0-9A-Z]\d{4}[: ]"
    rb"|\[?\d{4}-\d\d-\d\d[ T-]\d\d:|[VDIWEF]\d{4} \d\d:|[A-Z][a-z]{2} [ \d]\d \d\d:"
    rb"|\[(?:\w{1,32}:)?\w{1,16}\d{1,6}\]:"
    rb"|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|FATAL)[ :]|\(\w[\w.-]{0,63} (?:rank=\d+ )?pid=\d"
    rb"|[\w.-]{1,64} *\| "
)
_HEADER = late.pattern(_LOGGED)
_BEGINS = late.pattern(
    _LOGGED
    + rb"|[ \t]{2}|\t|Traceback \(most|(?:[A-Za-z_]\w*\.){0,12}[A-Z]\w{0,80}(?:Error|Exception): "
)
# A row or a border of a table, coloured or quoted as it may be.
_DRAWN = late.pattern(rb"(?:\x1b\[[\d;]{0,16}m|[> \t]){0,8}[|+]")
_OTHER = late.pattern(rb"\n(?!\[(?:DEBUG|INFO|WARNING|ERROR|EVENT|TRACE)\] )")
_DIGITS = late.pattern(rb"\d+")
# So many bytes of plog in which no line was broken are no chance.
_ENOUGH = 16 << 10
# So many lines that end at the margin are looked at.
_LOOK = 100
# So much of two lines is compared to see that they are of one series.
_SERIES = 12
# Different characters that a ruler has at most.
_FEW = 5


def margin(data: bytes) -> int | None:
    """Return the column at which the lines of ``data`` were broken, None if they were not.

    Broken lines all end at one column, none goes beyond it, and what stands below them is
    no message of its own.
    """
    if data.startswith(b"[") and _is_unbroken(data[:_ENOUGH]):
        return None  # most files are like that
    lines = data.split(b"\n")
    widths = [*map(len, lines)]
    # A character takes at most four bytes, and a line may end in a carriage return.
    if not _NARROWEST <= max(widths) <= 4 * _WIDEST + 1:
        return None
    if not _is_simple(data):
        widths = [*map(_columns, lines)]
    width = max(widths)
    at_screen = width in _SCREENS
    if not _NARROWEST <= width <= _WIDEST or (widths.count(width) == 1 and not at_screen):
        return None
    broken: list[tuple[bytes, bytes]] = []
    full = (number for number, columns in enumerate(widths[:-1]) if columns == width)
    for line, after in ((lines[number], lines[number + 1]) for number in islice(full, _LOOK)):
        if after and _may_go_on(line, after):
            if _series(line) == _series(after):
                return None  # the same message again, equally long
            broken.append((line, after))
    return width if _is_proof(broken, at_screen) else None


def _is_unbroken(head: bytes) -> bool:
    """Say whether no line at the beginning of a plog can have been broken.

    Line after line begins with a level; or what does not is below a line that is not the longest.
    """
    if _OTHER.search(head, 0, len(head) - 1) is None:
        return True
    if not _is_simple(head):
        return False
    lines = head.split(b"\n")
    widest = max(map(len, lines))
    # The last line may go on beyond the head.
    pairs = pairwise(lines)
    return not any(len(line) == widest and _may_go_on(line, after) for line, after in pairs)


def rejoined(lines: Iterable[tuple[bytes, bool]], width: int) -> Iterator[tuple[bytes, bool, int]]:
    """Yield lines that were broken at ``width`` as one, with the number of newlines in each."""
    held: list[bytes] = []
    for line, ends in lines:
        if held and not _goes_on(held, line, width):
            yield b"".join(held), True, len(held)
            held = []
        if not ends:
            yield b"".join((*held, line)), False, len(held)
            return
        held.append(line.rstrip(b"\r"))
    if held:
        yield b"".join(held), True, len(held)


def _goes_on(held: Sequence[bytes], line: bytes, width: int) -> bool:
    last = held[-1]
    return _columns(last) == width and line.strip() != b"" and _may_go_on(last, line)


def _may_go_on(line: bytes, after: bytes) -> bool:
    """Say whether ``after`` can be more of ``line``, which ends at the margin.

    A ruler or a row of a table ends where it was meant to.
    """
    drawn = _DRAWN.match(line) is not None or len(set(line)) < _FEW
    return not drawn and _BEGINS.match(after) is None


def _is_proof(broken: Sequence[tuple[bytes, bytes]], at_screen: bool) -> bool:
    """Say whether lines that end at one column were broken there, and not short by chance."""
    within = sum(_is_word(line.rstrip(b"\r")[-1:] + after[:1]) for line, after in broken)
    if at_screen:
        return len(broken) > 1 or within > 0 or any(_HEADER.match(line) for line, _ in broken)
    return within > 1 and 3 * within >= len(broken)


def _is_simple(data: bytes) -> bool:
    return data.isascii() and b"\r" not in data


def _columns(line: bytes) -> int:
    return len(line.rstrip(b"\r").decode("utf-8", "replace"))


def _series(line: bytes) -> bytes:
    return _DIGITS.sub(b"0", line[: 4 * _SERIES])[:_SERIES]


def _is_word(around: bytes) -> bool:
    return all(chr(c).isalnum() or c >= 0x80 for c in around) and len(around) > 1
