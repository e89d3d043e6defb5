"""A storm says the same whether its messages are folded or looked at one by one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.scan import reader, sampling, storm
from ascend_doctor.scan.collect import Collection
from ascend_doctor.scan.scanner import Scanner
from ascend_doctor.scan.template import Reach, masked, open_numbers
from ascend_doctor.view.window import Sizes
from tests.rulesets import knowledge, rule, source

RULES = [
    rule("buffer-oom-pool", "pool is full", regex=r"by (?P<size>\d+)", captures={"size": "int"}),
    rule("buffer-oom-big", "pool is full", regex=r"by [5-9]\d{2,}\b"),
    rule("buffer-oom-near", "pool is full", regex=r"full[^\n]{0,24}of stream"),
    rule("kernel-fault-core", "core stopped", regex=r"pc=0x0*[0-9a-f]+(?= at)"),
    rule("kernel-fault-even", "core stopped", regex=r"at [02468]\b"),
    rule("kernel-fault-device", "device 7 is lost"),
    rule("kernel-fault-word", "kernel te_"),
    rule("communication-port", "60001"),
    rule("runtime-misuse-noise", "may be ignored", role="notice", severity="info"),
    rule(
        "not-found-lib", "lib is missing", excludes={"record": ["falling back", "missing at 0x77"]}
    ),
    rule("framework-error-any", "last resort", fallback=True),
    rule("numerics-nan", "loss is nan", levels="any", requires={"process": ["step 100 begun"]}),
]


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return knowledge(tmp_path_factory.mktemp("rules"), *RULES)


decimal = st.one_of(
    st.integers(0, 9),
    st.integers(0, 99_999_999),
    st.sampled_from([7, 77, 507018, 507015, 60001, 160001, 600012, 100, 207001]),
).map(str)
address = st.integers(0, 1 << 48).map(hex) | st.sampled_from(["0x77", "0x31", "0xFF", "0x7010003"])
word = st.from_regex(r"[0-9a-f]{6,12}", fullmatch=True)
times = st.integers(0, 40).map(lambda n: f"2026-03-04-00:00:{n:02}.{n % 3:03}.000")

MESSAGES = [
    "[a.cc:%d]%d pool is full by %d of stream %d",
    "[a.cc:%d]%d core stopped, pc=%x at %d",
    "[a.cc:%d]%d core stopped, pc=%x at %d\n        kernel %w on %d\n        reason: step %d",
    "[a.cc:%d]%d device %d is lost",
    "[a.cc:%d]%d kernel te_%w on core %d",
    "[a.cc:%d]%d lib is missing at %x",
    "[a.cc:%d]%d lib is missing, falling back to %d",
    "[a.cc:%d]%d call failed, error code is %d",
    "[a.cc:%d]%d call failed, retCode=%x, %d left",
    "[a.cc:%d]%d EZ%d: port %d may be ignored",
    "[a.cc:%d]%d odd %d times at %x, id %w",
    "[a.cc:%d]%d step %d begun, loss is nan",
    "[a.cc:%d]%d last resort %d",
    "[a.cc:%d]%d torch_npu==2.6.%d rank%d",
]
OTHERS = [
    "Traceback (most recent call last):\n",
    '  File "/app/a.py", line %d, in f\n',
    "ValueError: pool is full by %d\n",
    "[rank1]: RuntimeError: lib is missing\n",
    "words %d\n",
    "\n",
    "\x1b[31mERROR: lib is missing\x1b[0m\n",
    "[INFO] not a header %d\n",
]


@st.composite
def filled(draw, form):
    parts = form.split("%")
    told = parts[0]
    for part in parts[1:]:
        told += draw({"d": decimal, "x": address, "w": word}[part[0]]) + part[1:]
    return told


@st.composite
def messages(draw):
    level = draw(st.sampled_from(["ERROR", "ERROR", "ERROR", "INFO", "WARNING"]))
    module = draw(st.sampled_from(["GE", "HCCL"]))
    pid = draw(st.sampled_from([7, 8]))
    said = draw(st.sampled_from(MESSAGES).flatmap(filled))
    return f"[{level}] {module}({pid},py):{draw(times)} {said}\n"


lines = messages() | messages() | messages() | st.sampled_from(OTHERS).flatmap(filled)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(lines, min_size=4, max_size=40),
    st.integers(1, 4),
    st.integers(300, 4000),
    st.sampled_from(["\n", "\n", "\r\n"]),
)
def test_folded_messages_say_what_each_of_them_says(known, some, times, body, ending):
    # Nothing can have been broken by a screen where one line is that long.
    raw = "".join((*some * times, "words " * 100, "\n")).replace("\n", ending).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "_STORM_HITS", 1 << 30)
        expected = Scanner(known).scan(source("run.log", raw))
        patch.setattr(reader, "_STORM_HITS", 0)
        patch.setattr(reader, "_STORM_BYTES", 1 << 30)
        assert Scanner(known).scan(source("run.log", raw)) == expected
        small = Sizes(body=body, margin=8 << 10)
        assert Scanner(known, small).scan(source("run.log", raw)) == expected
        parts = Sizes(first=body, part=2 * body, body=body, margin=8 << 10)
        patch.setattr(reader, "_STORM_HITS", 1 << 30)
        expected = Scanner(known, parts).scan(source("run.log", raw))
        patch.setattr(reader, "_STORM_HITS", 0)
        patch.setattr(storm, "SLAB", 600)
        assert Scanner(known, parts).scan(source("run.log", raw)) == expected


def many(count: int) -> bytes:
    lines = (
        f"[ERROR] GE(7,py):2026-03-04-00:00:{n // 999:02}.{n % 999:03}.000 [a.cc:{n}]7 "
        f"pool is full by {n * 7919} of stream {n % 40}, pc=0x{n * 104729:x}, "
        f"id {n * 15485863:010x}\n"
        for n in range(count)
    )
    return "".join(lines).encode()


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_most_of_a_storm_is_folded(known, monkeypatch, ending):
    folded = []
    repeat = Collection.repeat

    def noted(collection, process, record, judgement, count, last):
        folded.append(count)
        repeat(collection, process, record, judgement, count, last)

    monkeypatch.setattr(Collection, "repeat", noted)
    shard = Scanner(known).scan(source("run.log", many(5000).replace(b"\n", ending)))
    assert [(f.rule, f.count) for f in shard.findings if f.rule == "buffer-oom-pool"] == [
        ("buffer-oom-pool", 5000)
    ]
    assert sum(folded) > 4900


@pytest.mark.parametrize(
    ("text", "literals", "numbers"),
    [
        (b"size 12 of 345", [], [b"12", b"345"]),
        (b"code is 12 of 345", [b"code is 12"], [b"345"]),
        (b"code is 12 of 345", [b"code is 1"], [b"345"]),
        (b"code is 12 of 345", [b"my code is 12"], [b"12", b"345"]),
        (b"a 1.2.3 b", [b"1.2"], []),
        (b"at 0x12af of 03fa11c", [], [b"12af", b"03fa11c"]),
        (b"at 0x12af of 03fa11c", [b"1c"], None),
        (b"at 0xAF of EZ9999 in rank3", [], [b"3"]),
        (b"x 12 fades", [b"2 fades"], []),
        (b"device 3 ad4 ad4x", [], [b"3", b"4"]),
        (b"error code is 507018, 50701", [], [b"50701"]),
        (b"error code is 5070181", [], [b"5070181"]),
        (b"y 0x12a faded", [b"a faded"], []),
    ],
)
def test_numbers_are_open_that_nothing_reaches_into(text, literals, numbers):
    reach = Reach(literals)
    found = open_numbers(text, 0, reach, reach.alone)
    assert (found and [text[n.start : n.end] for n in found]) == (numbers or (found and []))


def test_equal_messages_are_masked_alike():
    assert masked(b"stream 12 at 0x12c1 of te_03ac11f") == masked(b"stream 3 at 0xff of te_aaaaa1")


STEPS = rule(
    "dataload-step",
    "iter_time: ",
    regex=r"iter_time: (?P<step>[\d.]+) data_time: (?P<data>[\d.]+)",
    captures={"step": "number", "data": "number", "share": "int"},
    when={"explainer": "step_share", "verdict": ["waiting"]},
)


def test_a_step_line_in_a_message_that_began_in_another_window_counts(tmp_path):
    message = "EE1001: no good\n" + "        more\n" * 20
    text = ("words\n" * 9 + message + "        iter_time: 1.25 data_time: 0.91\n") * 3
    with_steps = knowledge(tmp_path, STEPS)
    whole = Scanner(with_steps).scan(source("run.log", text.encode()))
    assert [(found.rule, found.count) for found in whole.findings] == [("dataload-step", 3)]
    for body in range(40, 200, 20):
        small = Scanner(with_steps, Sizes(body=body, margin=4000))
        assert small.scan(source("run.log", text.encode())) == whole


def test_step_lines_that_are_passed_over_are_counted_and_no_unknown_errors(tmp_path, monkeypatch):
    monkeypatch.setattr(sampling, "READ", 50)
    lines = (
        f"[ERROR] GE(7,py):2026-03-04-00:00:{n // 999:02}.{n % 999:03}.000 [a.cc:{n}]7 "
        f"step {n}: iter_time: 1.250 data_time: 0.9{n % 100:02}\n"
        for n in range(4000)
    )
    shard = Scanner(knowledge(tmp_path, STEPS)).scan(source("run.log", "".join(lines).encode()))
    [found] = shard.findings
    assert found.rule == "dataload-step"
    assert 3600 <= found.count <= 4400
    assert shard.unknown == ()
