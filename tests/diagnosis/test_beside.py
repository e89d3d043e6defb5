"""What is told only beside another finding: holders of cards, and steps that became slower."""

from __future__ import annotations

import pytest

from ascend_doctor.diagnosis.diagnose import diagnose
from ascend_doctor.facts import Facts
from ascend_doctor.knowledge.index import load
from ascend_doctor.scan.scanner import Scanner
from tests.rulesets import source

KNOWN = load()
SCANNER = Scanner(KNOWN)

HEAD = """\
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip  Phy-ID              | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
"""
OOM = (
    "RuntimeError: NPU out of memory. Tried to allocate 26.00 MiB (NPU {device}; 60.97 GiB total "
    "capacity; {used} GiB already allocated; {used} GiB current active; 12.50 MiB free; {used} GiB "
    "reserved in total by PyTorch).If reserved memory is >> allocated memory\n"
)
DRIVER = (
    "[ERROR] RUNTIME({pid},python3):2026-01-02-11:04:09.120.001 [npu_driver_mem.cc:88]{pid} "
    "DevMemAllocHuageManaged:Call driver api halMemAlloc failed, drvRetCode=6, "
    "size=2097152(bytes), type=2, moduleId=3, drvDevId=1.\n"
)


def table(*held: tuple[int, int, int]) -> str:
    """Return what npu-smi prints of eight cards; a holder is its card, number and MiB."""
    chips = "".join(
        f"| {npu}     910B3               | OK            | 95.2     41         0    / 0     |\n"
        f"| 0     {npu}                   | 0000:C2:00.0  | 0        0 / 0     "
        f"{3400 + sum(mib for card, _, mib in held if card == npu)} / 65536    |\n"
        for npu in range(8)
    )
    rows = "".join(
        f"| {npu}       0     | {pid}   | python  | {mib}  |\n" for npu, pid, mib in held
    )
    heads = "| NPU     Chip   | Process id    | Process name   | Process memory(MB)      |\n"
    return HEAD + chips + heads + rows


def report(**files: str):
    shards = {
        path: SCANNER.scan(source(path, text.encode())) for path, text in sorted(files.items())
    }
    return diagnose(Facts(KNOWN.digest, shards), KNOWN)


def rules(found) -> list[str]:
    return [diagnosis.rule for diagnosis in found.diagnoses]


def test_a_healthy_table_says_nothing():
    busy = table(*((npu, 100 + npu, 50_000) for npu in range(8)))
    assert report(npu=busy).status == "clean"
    assert rules(report(npu=busy)) == []
    assert rules(report(npu=table())) == []


def test_a_holder_is_proof_that_others_hold_the_card():
    found = report(npu=table((3, 777, 49_000)), train=OOM.format(device=3, used="11.00"))
    assert rules(found) == ["buffer-oom-pool-shared"]
    (first,) = found.diagnoses
    assert [item.rule for item in first.consequences] == ["buffer-oom-card-held"]
    assert [proof.path for proof in first.evidence] == ["train", "npu"]
    assert "777" in first.evidence[1].text


def test_other_cards_than_the_one_that_is_full_are_left_out():
    held = table((1, 555, 60_000), (3, 777, 49_000))
    (first,) = report(npu=held, train=OOM.format(device=3, used="11.00")).diagnoses
    assert "777" in first.evidence[1].text
    (first,) = report(
        npu=table((1, 555, 60_000)), train=OOM.format(device=3, used="11.00")
    ).diagnoses
    assert "555" in first.evidence[1].text  # numbers need not be those of the host


def test_the_process_itself_is_no_other():
    own = report(npu=table((1, 888, 60_000)), plog=DRIVER.format(pid=888))
    assert rules(own) == ["buffer-oom-driver-malloc"]
    other = report(npu=table((1, 777, 60_000)), plog=DRIVER.format(pid=888))
    assert rules(other) == ["buffer-oom-driver-malloc", "buffer-oom-card-held"]


def test_several_processes_on_one_card_are_told_beside_an_error_without_numbers():
    held = table((1, 777, 40_000), (1, 888, 20_000), (1, 999, 120))
    found = report(npu=held, plog=DRIVER.format(pid=888))
    assert rules(found) == ["buffer-oom-driver-malloc", "buffer-oom-card-shared"]
    captures = found.diagnoses[1].captures
    assert (captures["pid"], captures["processes"], captures["others"]) == ("777", "2", "19.53 GiB")


@pytest.mark.parametrize(
    ("used", "expected"), [(61_000, ["buffer-oom-card-unlisted"]), (4_000, [])]
)
def test_memory_that_no_listed_process_holds_is_a_remark(used, expected):
    text = table().replace("3400 / 65536", f"{used} / 65536", 1)
    listed = text + "| No running processes found in NPU 0        |\n"
    found = report(npu=listed)
    assert rules(found) == expected
    assert found.status == "clean"
    # Where the table of processes is missing, nothing is known of them.
    assert rules(report(npu=text)) == []


RECOMPILED = (
    "[0/8] torch._dynamo hit config.recompile_limit (8)\n"
    "[0/8]    function: 'forward' (/app/model.py:10)\n"
)


def megatron(seconds: float, first: int, count: int = 20) -> str:
    return "".join(
        f" iteration {n:8}/  1000 | consumed samples: {n:9} | elapsed time per iteration (ms): "
        f"{1000 * seconds + n % 3} | lm loss: {9 - n / 100:.4E} | loss scale: 1.0 |\n"
        for n in range(first, first + count)
    )


def test_steps_that_became_slower_are_told_behind_what_was_compiled_anew():
    text = megatron(1.0, 1) + RECOMPILED + megatron(2.5, 21)
    (first,) = report(train=text).diagnoses
    assert first.rule == "static-fallback-recompile-limit"
    assert [item.rule for item in first.consequences] == ["static-fallback-steps-slower"]
    assert [proof.line for proof in first.evidence] == [21, 23]


@pytest.mark.parametrize(
    "text",
    [
        megatron(1.0, 1) + megatron(2.5, 21) + RECOMPILED,
        megatron(1.0, 1) + RECOMPILED + megatron(1.1, 21),
        megatron(1.0, 1) + RECOMPILED + megatron(2.5, 21, count=3) + megatron(1.0, 24),
    ],
)
def test_other_slow_steps_are_not_blamed_on_it(text):
    (first,) = report(train=text).diagnoses
    assert first.consequences == ()


def test_slower_steps_alone_say_nothing():
    assert rules(report(train=megatron(1.0, 1) + megatron(2.5, 21))) == []
