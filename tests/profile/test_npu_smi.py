"""What npu-smi prints becomes chips and holders, in every form it has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascend_doctor.profile.model import Card, Holder
from ascend_doctor.profile.npu_smi import MAX_HOLDERS, cards_in, usages_in
from ascend_doctor.records import Evidence

HBM = """\
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 3     910B3               | OK            | 95.2        41                0    / 0             |
| 0                         | 0000:C2:00.0  | 7           0    / 0          52500/ 65536         |
+===========================+===============+====================================================+
"""
PHYSICAL = """\
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip  Phy-ID              | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 2     Ascend910           | OK            | 170.1       36                0    / 0             |
| 0     4                   | 0000:9D:00.0  | 0           0    / 0          3416 / 65536         |
+------------------------------------------------------------------------------------------------+
| 2     Ascend910           | Alarm         | -           36                0    / 0             |
| 1     5                   | 0000:9F:00.0  | 0           0    / 0          3195 / 65536         |
+===========================+===============+====================================================+
"""
DDR = """\
| NPU     Name               | Health        | Power(W)     Temp(C)        Hugepages-Usage(page) |
| Chip    Device             | Bus-Id        | AICore(%)    Memory-Usage(MB)                     |
+============================+===============+===================================================+
| 1       310P3              | OK            | NA           48             9378  / 9378          |
| 0       0                  | 0000:04:00.0  | NA           20211/ 21527                         |
+============================+===============+===================================================+
"""
TRAINING_910 = """\
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910ProA             | Warning       | 66.0        40                15   / 15            |
| 0                         | 0000:C1:00.0  | 93          882  / 15169      30100/ 32768         |
"""
PROCESSES = """\
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
"""


def lines(text: str) -> list[Evidence]:
    return [
        Evidence("n.txt", number, line, (number, 0))
        for number, line in enumerate(text.splitlines(), start=1)
        if number > 1
    ]


def proof(text: str, number: int) -> Evidence:
    return lines(text)[number - 2]


def card(text: str, number: int, **said) -> Card:
    usual = {"physical": None, "usage": 0.0, "hugepages_used": 0, "hugepages": 0}
    return Card(proof=proof(text, number), **{**usual, **said})


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        (
            HBM,
            [
                {
                    "number": 5, "npu": 3, "chip": 0, "name": "910B3", "health": "OK",
                    "used": 52500.0, "capacity": 65536.0, "usage": 7.0,
                }
            ],
        ),
        (
            PHYSICAL,
            [
                {
                    "number": 5, "npu": 2, "chip": 0, "physical": 4, "name": "Ascend910",
                    "health": "OK", "used": 3416.0, "capacity": 65536.0,
                },
                {
                    "number": 8, "npu": 2, "chip": 1, "physical": 5, "name": "Ascend910",
                    "health": "Alarm", "used": 3195.0, "capacity": 65536.0,
                },
            ],
        ),
        (
            DDR,
            [
                {
                    "number": 5, "npu": 1, "chip": 0, "physical": 0, "name": "310P3",
                    "health": "OK", "used": 20211.0, "capacity": 21527.0, "usage": None,
                    "hugepages_used": 9378, "hugepages": 9378,
                }
            ],
        ),
        (
            TRAINING_910,
            [
                {
                    "number": 5, "npu": 0, "chip": 0, "name": "910ProA", "health": "Warning",
                    "used": 30100.0, "capacity": 32768.0, "usage": 93.0,
                    "hugepages_used": 15, "hugepages": 15,
                }
            ],
        ),
    ],
    ids=["hbm", "physical", "ddr", "both"],
)  # fmt: skip
def test_each_form_of_a_table(text, cards):
    assert cards_in(lines(text)) == tuple(card(text, **said) for said in cards)


def test_processes_are_those_of_their_chip_the_largest_first():
    text = (
        PHYSICAL
        + PROCESSES
        + "| 2       1                 | 3328327       |                          | 133        |\n"
        + "| 2       1                 | 3325989       | python3.10               | 50128      |\n"
    )
    first, second = cards_in(lines(text))
    assert (first.is_listed, first.holders) == (True, ())
    assert second.holders == (
        Holder(3325989, "python3.10", 50128.0, proof(text, 14)),
        Holder(3328327, "", 133.0, proof(text, 13)),
    )


def test_a_table_may_say_that_there_are_none():
    text = f"{HBM}{PROCESSES}| No running processes found in NPU 3                        |\n"
    (found,) = cards_in(lines(text))
    assert (found.is_listed, found.holders) == (True, ())
    (unlisted,) = cards_in(lines(HBM))
    assert not unlisted.is_listed


@pytest.mark.parametrize("quote", ["> ", "    ", "\t", "# "])
def test_a_table_may_be_quoted(quote):
    quoted = "".join(f"{quote}{line}\n" for line in DDR.splitlines())
    (found,) = cards_in(lines(quoted))
    assert (found.name, found.used) == ("310P3", 20211.0)


@pytest.mark.parametrize("width", [80, 90, 96])
def test_a_table_may_be_wrapped_by_a_terminal(width):
    wrapped = "\n".join(
        line[begin : begin + width]
        for line in DDR.splitlines()[1:]
        for begin in range(0, len(line), width)
    )
    (found,) = cards_in(lines(f"\n{wrapped}"))
    assert (found.name, found.used, found.capacity) == ("310P3", 20211.0, 21527.0)


def test_a_row_that_was_wrapped_within_a_number_is_left_out():
    rows = DDR.replace("20211/ 21527     ", "20211/ 2\n1527     ")
    assert cards_in(lines(rows)) == ()


def test_what_stands_behind_a_table_is_no_part_of_it():
    text = (
        f"{HBM}step 1 loss 2.0\n| 4     910B3 | OK | 1 |\n| 0 | 0000:C3:00.0 | 1  0 / 0 1 / 2 |\n"
    )
    assert [found.npu for found in cards_in(lines(text))] == [3]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n| NPU Name | Health | Power |\n| 0 910B3 | OK | 1 |\n",
        "\n| Chip | Bus-Id | AICore(%) |\n| 0 910B3 | OK | 1 |\n",  # cut off behind the first row
        "\n| Chip | Bus-Id | AICore(%) |\n| 0 | 0000:C2:00.0 | 7 0 / 0 1 / 2 |\n",
    ],
)
def test_what_is_no_whole_row_is_no_chip(text):
    assert cards_in(lines(text)) == ()


def test_processes_are_bounded():
    rows = "".join(f"| 3       0    | {pid} | python | {pid} |\n" for pid in range(1, 100))
    (found,) = cards_in(lines(HBM + PROCESSES + rows))
    assert [held.pid for held in found.holders] == [*range(99, 99 - MAX_HOLDERS, -1)]


USAGES = """\
	NPU ID                         : 5
	Chip Count                     : 1

	DDR Capacity(MB)               : 15171
	DDR Usage Rate(%)              : 3
	HBM Capacity(MB)               : 32768
	HBM Usage Rate(%)              : 75
	Aicore Usage Rate(%)           : 12
	Chip ID                        : 1
"""


def test_usages_of_one_chip():
    text = f"\n{USAGES}"
    assert usages_in(lines(text)) == Card(
        npu=5,
        chip=1,
        physical=None,
        name="",
        health="",
        used=24576.0,
        capacity=32768.0,
        usage=12.0,
        proof=proof(text, 8),
    )


def test_usages_without_a_chip_are_none():
    assert usages_in(lines("\n" + USAGES.replace("Chip ID ", "Chip Id "))) is None


names = st.sampled_from(["910B3", "Ascend910", "310P3", "910ProA"])
chips = st.lists(
    st.tuples(names, st.sampled_from(["OK", "Alarm", "UNKNOWN"]), st.integers(0, 65536)),
    min_size=1,
    max_size=8,
)


@given(chips)
def test_every_chip_of_a_table_is_found(said):
    rows = "".join(
        f"| {npu}     {name}    | {health}     | 95.2        41            0    / 0     |\n"
        f"| 0       | 0000:C2:00.0  | 7           0    / 0          {used}/ 65536         |\n"
        for npu, (name, health, used) in enumerate(said)
    )
    head = "".join(HBM.splitlines(keepends=True)[:3])
    found = [(c.name, c.health, c.used) for c in cards_in(lines(f"{head}{rows}"))]
    assert found == [(name, health, float(used)) for name, health, used in said]


@given(st.text(alphabet="|+-=: 0123/9AICore(%)NPUHBM-UsageMB\n", max_size=400))
def test_nothing_breaks_it(text):
    cards_in(lines(f"{HBM}{text}"))
    usages_in(lines(text))
