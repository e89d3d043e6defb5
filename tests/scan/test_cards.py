"""What npu-smi printed is found in any log, wherever it stands and however that is cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.knowledge.index import load
from ascend_doctor.profile.model import Card, Measures
from ascend_doctor.scan.cards import MAX_TABLES
from ascend_doctor.scan.scanner import Scanner
from ascend_doctor.view.window import Sizes
from tests.rulesets import source

KNOWN = load()
SCANNER = Scanner(KNOWN)


def table(used: int = 3400, npu: int = 0) -> str:
    return (
        "+-------------------------------------------------------------------------------------+\n"
        "| npu-smi 25.2.0                   Version: 25.2.0                                    |\n"
        "| NPU   Name        | Health        | Power(W)   Temp(C)         Hugepages-Usage(page)|\n"
        "| Chip  Phy-ID      | Bus-Id        | AICore(%)  Memory-Usage(MB)  HBM-Usage(MB)      |\n"
        "+===================+===============+=================================================+\n"
        f"| {npu}     Ascend910   | OK            | 178.5      36           0    / 0          |\n"
        f"| 0     {npu}           | 0000:9D:00.0  | 0          0    / 0      {used}/ 65536     |\n"
        "+===================+===============+=================================================+\n"
        "| NPU     Chip      | Process id    | Process name             | Process memory(MB)   |\n"
        "+===================+===============+=================================================+\n"
        f"| {npu}       0         | 3325989       | python                  | {used - 3000}    |\n"
        "+===================+===============+=================================================+\n"
    )


USAGES = (
    "\tNPU ID                         : 5\n"
    "\tChip Count                     : 1\n"
    "\n"
    "\tHBM Capacity(MB)               : 32768\n"
    "\tHBM Usage Rate(%)              : 50\n"
    "\tAicore Usage Rate(%)           : 12\n"
    "\tChip ID                        : 0\n"
)


def measures(text: str | bytes, scanner: Scanner = SCANNER) -> tuple[Measures, ...]:
    content = text.encode() if isinstance(text, str) else text
    return scanner.scan(source("run.log", content)).measures


def cards(text: str | bytes) -> list[Card]:
    return [card for item in measures(text) for card in item.cards]


def place(card: Card) -> tuple[int, int, list[int]]:
    return card.npu, card.proof.line, [held.proof.line for held in card.holders]


def test_a_table_stands_within_a_log():
    text = f"step 1\n{table()}step 2\nstep 3\n"
    (item,) = measures(text)
    assert (item.format, item.profile, item.rank) == ("npu_smi", "run.log", None)
    (card,) = item.cards
    assert place(card) == (0, 8, [12])
    assert (card.used, card.capacity, card.physical) == (3400.0, 65536.0, 0)


@pytest.mark.parametrize(
    "dressed",
    [
        lambda line: f"trainer-1  | {line}",
        lambda line: f"[rank0]: {line}",
        lambda line: f"\x1b[32m{line}\x1b[0m",
        lambda line: f"> {line}",
        lambda line: f"> {line}".ljust(100),
        lambda line: f"\x1b[32m{line:98}\x1b[0m",
        lambda line: f"{line}\r",
    ],
)
def test_a_table_stands_behind_prefixes_and_in_colours(dressed):
    text = "".join(f"{dressed(line)}\n" for line in table().splitlines())
    (card,) = cards(text)
    assert (card.name, card.used, [held.pid for held in card.holders]) == (
        "Ascend910", 3400.0, [3325989],
    )  # fmt: skip


def test_usages_stand_within_a_log():
    (card,) = cards(f"step 1\n{USAGES}step 2\n")
    assert (card.npu, card.capacity, card.used, card.proof.line) == (5, 32768.0, 16384.0, 6)


def test_of_several_tables_the_one_with_most_memory_counts():
    text = table(4000) + table(60_000) + table(5000) + table(4000, npu=3)
    assert [(card.npu, card.used, card.proof.line) for card in cards(text)] == [
        (0, 60_000.0, 19), (3, 4000.0, 43),
    ]  # fmt: skip


def test_very_many_tables_are_not_all_read():
    text = table() * MAX_TABLES + table(60_000)
    assert [card.used for card in cards(text)] == [3400.0]


def test_other_logs_have_no_cards():
    assert measures("| NPU | Health |\n| 0 | OK |\nloss 2.0\n") == ()


pieces = st.lists(
    st.one_of(
        st.builds(table, st.integers(3100, 65536), st.integers(0, 3)),
        st.just(USAGES),
        st.integers(1, 30).map(lambda count: "step is done, loss 2.0\n" * count),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=20, deadline=None)
@given(pieces, st.integers(400, 6000), st.integers(400, 6000), st.integers(300, 900))
def test_however_a_log_is_cut_it_tells_the_same(parts, first, part, body):
    text = "".join(parts)
    cut = Scanner(KNOWN, Sizes(first=first, part=part, body=body, margin=8192))
    assert measures(text, cut) == measures(text)
