"""Where the margin was at which lines were broken, if they were."""

from __future__ import annotations

import pytest

from ascend_doctor.view.wrap import margin, rejoined

PLOG = b"[ERROR] GE(7,py):2026-03-04-05:06:07.008.009 [a.cc:1]7 "
WORDS = b"anEngineerReadsWhatTheTerminalBrokeInTheMiddleOfItsWords" * 8


def broken(line: bytes, columns: int) -> bytes:
    return b"\n".join(line[at : at + columns] for at in range(0, len(line), columns))


@pytest.mark.parametrize(
    ("data", "columns"),
    [
        (broken(PLOG + b"boom, " * 20, 120), 120),
        (b"begin\n" + broken(b"RuntimeError: " + WORDS[:160], 100) + b"\nend", 100),
        (broken(PLOG + WORDS[:320], 97), 97),
        (broken(PLOG + WORDS[:320], 97).replace(b"\n", b"\r\n"), 97),
        ("\n".join(["申请显存失败进程退出" * 8, "通信建链超时" * 4, ""]).encode(), 80),
    ],
    ids=range(5),
)
def test_a_margin_is_found(data, columns):
    assert margin(data) == columns


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"short\nlines\n",
        PLOG + b"one line of any length\n",
        # Lines of one series are equally long.
        b"".join(b"iteration %3d/ 900 | loss: 2.%03d |%s\n" % (n, n, b" x" * 30) for n in range(9)),
        (PLOG + b"x" * 65 + b"\n") * 9,
        # Rulers and tables are as wide as they were meant to be.
        (b"=" * 80 + b"\nsettings\n") * 3,
        b"+" + b"-" * 78 + b"+\n| NPU   Name" + b" " * 67 + b"|\n" + b"+" + b"=" * 78 + b"+\n",
        b"> +" + b"-" * 76 + b"+\n> | NPU   Name" + b" " * 65 + b"|\n> +" + b"=" * 76 + b"+\n",
        b"\x1b[32m+" + b"-" * 98 + b"+\x1b[0m\n\x1b[32m| NPU" + b" " * 94 + b"|\x1b[0m\n",
        # What follows is a message of its own.
        PLOG + b"x" * (120 - len(PLOG)) + b"\n        TraceBack (most recent call last):\n",
        PLOG + b"x" * (120 - len(PLOG)) + b"\nRuntimeError: boom\n",
        # Wider than any screen.
        broken(PLOG + WORDS * 8, 1023),
        # The longest line just happens to be longest.
        b"a" * 101 + b"b c d\nand another\n",
    ],
    ids=range(13),
)
def test_no_margin_is_found(data):
    assert margin(data) is None


def test_pieces_are_joined_and_counted():
    lines = [(b"a" * 80, True), (b"bcdefg" * 10, True), (b"end", True), (b"cut", False)]
    assert [*rejoined(lines, 80)] == [
        (b"a" * 80, True, 1),
        (b"bcdefg" * 10, True, 1),
        (b"end", True, 1),
        (b"cut", False, 0),
    ]
    lines[0] = (b"abcdefgh" * 10, True)
    assert [*rejoined(lines, 80)] == [
        (b"abcdefgh" * 10 + b"bcdefg" * 10, True, 2),
        (b"end", True, 1),
        (b"cut", False, 0),
    ]
