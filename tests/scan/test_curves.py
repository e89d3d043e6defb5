"""Curves that went wrong are told, and all others are left alone."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.diagnosis.diagnose import diagnose
from ascend_doctor.facts import Facts
from ascend_doctor.ingest.source import Skipped
from ascend_doctor.knowledge.index import load
from ascend_doctor.scan import blocks, curves
from ascend_doctor.scan.scanner import Scanner
from ascend_doctor.view.window import Sizes
from tests.rulesets import source

KNOWN = load()
SCANNER = Scanner(KNOWN)

Shape = Callable[[random.Random], list[float]]


def scan(text: str | bytes, scanner: Scanner = SCANNER):
    content = text.encode() if isinstance(text, str) else text
    return scanner.scan(source("train.log", content))


def told(text: str) -> list[str]:
    """Return the rules of warnings and errors in the order in which they are told."""
    report = diagnose(Facts(KNOWN.digest, {"train.log": scan(text)}), KNOWN)
    return [d.rule for d in report.diagnoses if d.severity.label != "info"]


def nanogpt(values: Iterable[float]) -> str:
    return "".join(f"iter {10 * n}: loss {v:.4f}, time 4ms\n" for n, v in enumerate(values))


def megatron(values: Iterable[float]) -> str:
    return "".join(
        f" iteration {n:8}/  100000 | consumed samples: {n * 8:9} | lm loss: {v:.6E} "
        "| loss scale: 1.0 | grad norm: 1.203 |\n"
        for n, v in enumerate(values, start=1)
    )


def transformers(values: Iterable[float]) -> str:
    return "".join(
        f"{{'loss': {round(v, 4)}, 'grad_norm': 0.8, 'learning_rate': 1e-05, 'epoch': {n / 500}}}\n"
        for n, v in enumerate(values, start=1)
    )


def mmengine(values: Iterable[float]) -> str:
    return "".join(
        f"2026/01/02 10:{n // 60 % 60:02}:{n % 60:02} - mmengine - INFO - Epoch(train)  "
        f"[{n // 40 + 1}][{n % 40 * 50:4}/2000]  lr: 1.0e-03  loss_cls: {v / 3:.4f}  "
        f"loss: {v:.4f}\n"
        for n, v in enumerate(values)
    )


def mindspore(values: Iterable[float]) -> str:
    return "".join(
        f"epoch: {n // 100 + 1} step: {n % 100 + 1}, loss is {v:.7f}\n"
        for n, v in enumerate(values)
    )


def paddle(values: Iterable[float]) -> str:
    return "".join(
        f"[TRAIN] epoch: {n // 50 + 1}, iter: {n * 10}/90000, loss: {v:.4f}, lr: 0.01\n"
        for n, v in enumerate(values, start=1)
    )


FORMS = [nanogpt, megatron, transformers, mmengine, mindspore, paddle]


def in_forms(names: Iterable[str]) -> list[object]:
    """Return each shape in two of the printed forms, so that all forms take turns."""
    return [
        pytest.param(name, form, id=f"{name}-{form.__name__}")
        for number, name in enumerate(names)
        for form in (FORMS[number % 6], FORMS[(number + 2) % 6])
    ]


def fallen(n: int, high: float, low: float, tau: float) -> list[float]:
    return [low + (high - low) * math.exp(-i / tau) for i in range(n)]


def noisy(rng: random.Random, values: Iterable[float], sigma: float) -> list[float]:
    return [v * math.exp(rng.gauss(0, sigma)) for v in values]


def restarts(rng: random.Random, cycle: int, multiple: int) -> list[float]:
    values: list[float] = []
    position = 0
    for n in range(600):
        rate = 0.5 * (1 + math.cos(math.pi * position / cycle))
        values.append(0.02 + 0.5 * rate + 1.8 * math.exp(-n / 15))
        position += 1
        if position == cycle:
            position, cycle = 0, cycle * multiple
    return noisy(rng, values, 0.05)


def spiky(rng: random.Random) -> list[float]:
    values = noisy(rng, fallen(1500, 10.6, 2.6, 150), 0.02)
    for _ in range(6):
        at, height = rng.randrange(100, 1300), rng.uniform(3, 30)
        for n in range(at, at + 100):
            values[n] += height * math.exp(-(n - at) / 12)
    return values


def tasks(rng: random.Random) -> list[float]:
    """Return the curve of tasks that are learnt one after the other."""
    return noisy(rng, [v for _ in range(4) for v in fallen(200, 2.5, 0.05, 25)], 0.1)


def running_sum(rng: random.Random) -> list[float]:
    total, values = 0.0, []
    for n in range(700):
        total = total * (n % 350 > 0) + rng.uniform(1.8, 2.4)
        values.append(total)
    return values


HEALTHY: dict[str, Shape] = {
    "clean": lambda rng: fallen(800, 10.8, 2.9, 80),
    "little noise": lambda rng: noisy(rng, fallen(800, 10.8, 2.9, 80), 0.02),
    "much noise": lambda rng: noisy(rng, fallen(800, 2.3, 0.3, 200), 0.4),
    "noise as large as the loss": lambda rng: noisy(rng, [0.1] * 900, 1.2),
    "a plateau": lambda rng: noisy(rng, [2.303] * 300 + fallen(500, 2.303, 0.4, 80), 0.01),
    "never learns": lambda rng: noisy(rng, [2.303] * 400, 0.002),
    "slow power law": lambda rng: noisy(rng, [9 * (1 + n) ** -0.2 for n in range(3000)], 0.03),
    "restarts": lambda rng: restarts(rng, 60, 1),
    "longer restarts": lambda rng: restarts(rng, 40, 2),
    "spikes that heal": spiky,
    "a single outlier": lambda rng: noisy(rng, [2.0] * 300 + [9e5] + [2.0] * 200, 0.05),
    "an outlier at the end": lambda rng: noisy(rng, [2.0] * 300 + [9e5], 0.05),
    "harder data": lambda rng: noisy(rng, fallen(500, 10, 2, 50) + fallen(500, 3.6, 2.6, 60), 0.03),
    "harder data for good": lambda rng: noisy(rng, fallen(500, 10, 2, 50) + [3.2] * 500, 0.03),
    "new tasks": tasks,
    "epochs with steps": lambda rng: noisy(rng, [2 * 0.6 ** (n // 200) for n in range(800)], 0.04),
    "overfits to zero": lambda rng: fallen(600, 2.3, 0.0, 30),
    "overfits with noise": lambda rng: noisy(rng, fallen(600, 2.3, 1e-4, 30), 0.3),
    "converges to a constant": lambda rng: fallen(900, 2.3, 0.2516, 20),
    "short": lambda rng: noisy(rng, fallen(20, 4, 2, 8), 0.05),
    "short and rising": lambda rng: noisy(rng, [1.0 + n / 20 for n in range(40)], 0.05),
    "a term of growing weight": lambda rng: noisy(
        rng, [0.3 + math.exp(-n / 60) + 0.9 * min(1, n / 500) for n in range(900)], 0.03
    ),
    "a queue that fills": lambda rng: noisy(
        rng, [0.08 + 9 * (1 - math.exp(-n / 80)) * (1 - n / 3000) for n in range(900)], 0.02
    ),
    "a sum that is reset": running_sum,
    "drift": lambda rng: noisy(rng, [1.2 + 0.3 * math.sin(n / 90) for n in range(900)], 0.05),
    "diffusion": lambda rng: [abs(rng.gauss(0.1, 0.08)) + 0.005 for _ in range(900)],
    "begins high": lambda rng: noisy(rng, [1e4, 900, 80, 9, 3, *[1.5] * 400], 0.1),
}


@pytest.mark.parametrize(("name", "form"), in_forms(HEALTHY))
def test_a_healthy_curve_is_clean(name, form):
    assert told(form(HEALTHY[name](random.Random(name)))) == []


def climbing(rng: random.Random) -> list[float]:
    calm = noisy(rng, fallen(600, 10.8, 3.0, 60), 0.02)
    return calm + [3.0 * math.exp(n / 25) for n in range(200)]


EXPLODED = "numerics-loss-exploded"
FAULTY: dict[str, tuple[Shape, str]] = {
    "back at the start": (
        lambda rng: noisy(rng, fallen(500, 10.8, 2.8, 50) + [10.2] * 250, 0.02), EXPLODED),
    "back at chance": (
        lambda rng: noisy(rng, fallen(400, 2.303, 0.4, 60), 0.1) + noisy(rng, [2.303] * 200, 0.002),
        EXPLODED),
    "words without context": (
        lambda rng: noisy(rng, fallen(900, 10.8, 2.8, 50) + [7.4] * 500, 0.02), EXPLODED),
    "far above a resumed level": (
        lambda rng: noisy(rng, [3.0] * 400 + [7.1] * 500 + fallen(200, 7.1, 4.8, 80), 0.03),
        EXPLODED),
    "grows without bound": (climbing, EXPLODED),
    "too high a rate from the start": (
        lambda rng: noisy(rng, [2.3 * math.exp(n / 6) for n in range(80)], 0.2), EXPLODED),
    "a dozen lines": (
        lambda rng: [2.4, 2.3, 2.2, 2.1, 60.0, 51.0, 300.0, 280.0, 4e3, 3e3, 7e4, 6e4], EXPLODED),
    "cut off to zero": (
        lambda rng: noisy(rng, fallen(300, 10.8, 3, 60), 0.02) + [0.0] * 100,
        "numerics-loss-fell-to-zero"),
    "zero after a few steps": (
        lambda rng: [10.8, 10.5, 10.1, 9.9, 9.8, 9.7, *[0.0] * 20], "numerics-loss-fell-to-zero"),
    "frozen": (
        lambda rng: noisy(rng, fallen(100, 10.8, 6, 60), 0.02) + [5.0625] * 200,
        "numerics-loss-stuck"),
    "frozen from the start": (lambda rng: [10.8242] * 150, "numerics-loss-stuck"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "form"), in_forms(FAULTY))
def test_a_faulty_curve_is_told(name, form):
    shape, rule = FAULTY[name]
    assert told(form(shape(random.Random(name)))) == [rule]


def findings(text: str, rule: str):
    return [found for found in scan(text).findings if found.rule == rule]


def test_the_first_bad_line_and_the_best_before_are_the_proof():
    values = noisy(random.Random(1), fallen(200, 10.8, 2.8, 30), 0.01)
    text = nanogpt([*values, *[10.4] * 100])
    [found] = findings(text, EXPLODED)
    [sighting] = found.sightings
    assert [(e.line, e.text.split(",")[0]) for e in sighting.evidence] == [
        (201, "iter 2000: loss 10.4000"),
        (179, "iter 1780: loss 2.8211"),
    ]
    assert sighting.captures == {
        "loss": "10.4000",
        "best": "2.8211",
        "last": "10.4000",
        "lines": "100",
        "step": "2000",
        "best_step": "1780",
    }


GOOD = fallen(200, 10.8, 2.8, 30)
BAD = [*GOOD, *[10.4] * 100]


def test_ranks_of_one_file_have_curves_of_their_own():
    good, bad = (nanogpt(values).splitlines() for values in ([*GOOD, *[2.81] * 100], BAD))
    lines = [
        f"[rank{rank}]: {pair[rank]}" for pair in zip(good, bad, strict=True) for rank in (0, 1)
    ]
    [found] = findings("\n".join(lines), EXPLODED)
    assert (found.process.rank, found.sightings[0].evidence[0].line) == (1, 402)


def test_a_rank_that_is_named_behind_a_long_head_has_a_curve_of_its_own():
    head = "2026-07-01 08:38:50,204 - job.of.many.parts.train.loop - INFO - "
    good, bad = (nanogpt(values).splitlines() for values in ([*GOOD, *[2.81] * 100], BAD))
    lines = [f"{head}{one}\n{head}[rank1]: {two}\n" for one, two in zip(good, bad, strict=True)]
    [found] = findings("".join(lines), EXPLODED)
    assert found.process.rank == 1


def test_another_run_in_the_same_file_is_another_curve():
    start = nanogpt(GOOD[:40])
    assert told(nanogpt(GOOD) + start + nanogpt(GOOD)) == []
    assert told(nanogpt(GOOD) + start) == []
    assert told(nanogpt(BAD) + start) == []
    assert told(nanogpt(GOOD) + nanogpt(BAD)) == [EXPLODED]


def test_a_resumed_run_goes_on_with_its_curve():
    first, again = nanogpt(GOOD).splitlines(), nanogpt(BAD).splitlines()
    assert told("\n".join(first + again[150:])) == [EXPLODED]
    assert told("\n".join(first + first[150:])) == []


def test_evaluation_in_between_does_not_count():
    lines = nanogpt(noisy(random.Random(6), [*GOOD, *[2.8] * 100], 0.01)).splitlines()
    for n in range(0, len(lines), 20):
        lines[n] += f"\nTest: [{n}/300] Loss: 11.2\nstep {n}: train loss 9.9, val loss 10.1"
    assert told("\n".join(lines)) == []


@pytest.mark.parametrize(
    "line",
    [
        "{{'loss': {v}, 'reward': 0.3, 'kl': 0.01, 'epoch': {e}}}",
        "step {n} loss: {v} actor/entropy: 0.3",
        "epoch {n}: loss: {v} d_loss: 0.61 g_loss: 3.1",
        "step {n} policy loss: {v}",
        "step {n} loss_cls: {v}",
        "epoch {n} val_loss: {v}",
    ],
)
@pytest.mark.parametrize("values", [BAD, [10.0] * 9 + [0.0] * 50, [2.3026] * 100])
def test_other_objectives_and_parts_are_not_judged(line, values):
    text = "\n".join(line.format(v=f"{v:.4f}", n=n, e=n / 100) for n, v in enumerate(values))
    assert told(text) == []


def test_without_a_counter_runs_that_follow_each_other_are_not_mistaken():
    assert told("".join(f"loss: {v:.4f}\n" for v in BAD)) == []


def test_a_progress_bar_that_repeats_its_loss_is_not_stuck():
    bar = "Epoch 2:  {n}%|###   | {n}/100 [00:14<00:33,  8.30it/s, loss=2.3026]\r"
    assert told("".join(bar.format(n=n) for n in range(100))) == []


def test_an_exploding_progress_bar_is_told():
    bar = "Epoch 0:  9%|#   | {n}/9000 [00:14<00:33,  8.30it/s, loss={v:.3f}, lr=1e-5]\r"
    assert told("".join(bar.format(n=n, v=v) for n, v in enumerate(BAD))) == [EXPLODED]


def test_nan_is_told_instead_of_what_led_to_it():
    values = [*climbing(random.Random(3)), *[math.nan] * 20]
    assert told(nanogpt(values)) == ["numerics-loss-not-finite"]
    zeros = [{"loss": 0.0, "grad_norm": math.nan, "epoch": n / 100} for n in range(50, 90)]
    text = transformers(GOOD[:40]) + "".join(f"{line}\n" for line in zeros)
    assert told(text)[0] == "numerics-loss-zero-gradient-nan"


def test_nan_that_was_skipped_is_a_remark():
    values = [*GOOD[:60], math.nan, math.nan, *GOOD[60:]]
    text = nanogpt(values)
    assert told(text) == []
    [found] = findings(text, "numerics-loss-recovered")
    assert (found.count, found.sightings[0].captures) == (
        140,
        {"loss": "nan", "count": "2", "lines": "140", "step": "600"},
    )


def test_nan_that_was_skipped_hides_no_later_explosion():
    assert told(nanogpt([*GOOD[:60], math.nan, *GOOD[60:], *[10.4] * 100])) == [EXPLODED]


def test_nan_before_the_run_was_started_again_is_no_remark():
    assert told(nanogpt([*GOOD, *[math.nan] * 30]) + nanogpt(GOOD)) == ["numerics-loss-not-finite"]


@pytest.mark.parametrize("name", [*FAULTY])
def test_windows_do_not_matter(name):
    text = mmengine(FAULTY[name][0](random.Random(name)))
    small = Scanner(KNOWN, Sizes(body=6000, margin=3000))
    assert scan(text, small).findings == scan(text).findings


def test_a_long_log_is_sampled(monkeypatch):
    monkeypatch.setattr(curves, "READ", 500)
    monkeypatch.setattr(blocks, "BLOCK", 512)
    monkeypatch.setattr(blocks, "TIERS", ((4 << 20, 512),))
    rng = random.Random(5)
    values = noisy(rng, fallen(5000, 10.8, 2.8, 700), 0.02) + noisy(rng, [10.3] * 5000, 0.02)
    text = nanogpt(values)
    assert told(text) == [EXPLODED]
    small = Scanner(KNOWN, Sizes(body=20_000, margin=3000))
    assert scan(text, small).findings == scan(text).findings


@pytest.mark.parametrize("name", [*FAULTY])
def test_parts_are_joined_to_the_same_curve(monkeypatch, name):
    monkeypatch.setattr(blocks, "BLOCK", 64)
    monkeypatch.setattr(blocks, "TIERS", ((4 << 20, 64),))
    text = mmengine(FAULTY[name][0](random.Random(name)))
    whole = scan(text).findings
    parts = scan(text, Scanner(KNOWN, Sizes(first=len(text) // 2, part=len(text) // 5)))
    assert [found.rule for found in parts.findings] == [found.rule for found in whole]


@pytest.mark.parametrize("writers", [1, 2, 3, 7, 8, 24])
def test_writers_who_take_turns_are_all_sampled(monkeypatch, writers):
    monkeypatch.setattr(curves, "READ", 100 * writers)
    monkeypatch.setattr(blocks, "BLOCK", 512)
    monkeypatch.setattr(blocks, "TIERS", ((4 << 20, 512),))
    rng = random.Random(9)
    good = noisy(rng, fallen(1600, 10.8, 2.8, 150), 0.02)
    good, bad = (nanogpt(v).splitlines() for v in (good, [*good[:900], *[10.3] * 700]))
    lines = [
        f"[rank{rank}]: {line}"
        for pair in zip(good, bad, strict=True)
        for rank, line in enumerate([*[pair[0]] * (writers - 1), pair[1]])
    ]
    told = findings("\n".join(lines), EXPLODED)
    assert [found.process.rank for found in told] == [writers - 1]


def test_a_curve_below_lines_of_cann_is_seen(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", 64)
    monkeypatch.setattr(blocks, "TIERS", ((4 << 20, 64),))
    rng = random.Random(5)
    values = noisy(rng, fallen(3000, 10.8, 2.8, 400), 0.02) + noisy(rng, [10.3] * 3000, 0.02)
    line = "[INFO] GE(7,py):2026-03-04-00:00:01.000.000 [a.cc:1]7 fused loss kernel was chosen"
    lines = [line] * 9000
    for number, step in enumerate(nanogpt(values).splitlines()):
        lines += [step, *[line] * (number % 3)]
    assert told("\n".join(lines)) == [EXPLODED]
    small = Scanner(KNOWN, Sizes(body=20_000, margin=3000))
    assert scan("\n".join(lines), small).findings == scan("\n".join(lines)).findings


def test_a_kind_of_line_that_always_comes_between_leaves_the_loss_in_sight(monkeypatch):
    monkeypatch.setattr(curves, "READ", 300)
    monkeypatch.setattr(blocks, "BLOCK", 256)
    monkeypatch.setattr(blocks, "TIERS", ((4 << 20, 256),))
    rng = random.Random(9)
    steps = nanogpt(noisy(rng, [*fallen(900, 10.8, 2.8, 150), *[10.3] * 700], 0.02)).splitlines()
    text = "".join(f"{step}\nloss scale: 1.0\naux_loss: 0.1\n" for step in steps)
    assert told(text) == [EXPLODED]


def test_more_curves_than_are_drawn_are_left_out():
    lines = [
        f"[rank{rank}]: {line}"
        for line in nanogpt(BAD).splitlines()
        for rank in range(curves.MAX_CURVES + 8)
    ]
    assert len(findings("\n".join(lines), EXPLODED)) == curves.MAX_CURVES


WORDS = [
    "loss",
    "Loss: ",
    "step 3 ",
    "epoch: 1 ",
    "nan",
    "1e999",
    "0.0",
    "-3",
    "\r",
    "\n",
    "[rank1]: ",
]


NARROW = Scanner(KNOWN, Sizes(body=256, margin=8 << 10))


def read(content: bytes, scanner: Scanner):
    """Return what must not depend on windows: the findings, or why nothing was read."""
    result = scan(content, scanner)
    return result if isinstance(result, Skipped) else result.findings


@settings(deadline=None)
@given(st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=8)), max_size=200))
def test_no_text_breaks_it(parts: Sequence[str]):
    content = "".join(parts).encode("utf-8", "replace")
    assert read(content, NARROW) == read(content, SCANNER)


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(st.floats(0, 1e308), st.sampled_from([0.0, 1.0, 1e-308, 5e307])), max_size=120
    )
)
def test_no_curve_breaks_it(values: Sequence[float]):
    content = "".join(f"iter {n}: loss {v:e}\n" for n, v in enumerate(values)).encode()
    assert read(content, NARROW) == read(content, SCANNER)


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("train.log", [EXPLODED]),
        ("plog-7.log", [EXPLODED]),
        ("plog/plog-7_20260304051712197.log", []),
    ],
)
def test_in_a_file_of_cann_no_step_is_looked_for(name, rules):
    values = [2.4, 2.3, 2.2, 2.1, 60.0, 51.0, 300.0, 280.0, 4e3, 3e3, 7e4, 6e4]
    shard = SCANNER.scan(source(name, nanogpt(values).encode()))
    assert [found.rule for found in shard.findings] == rules
