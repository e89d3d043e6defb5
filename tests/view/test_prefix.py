"""What launchers and loggers put before a message, form by form."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.knowledge.uniform import words_with_digits
from ascend_doctor.view import prefix
from ascend_doctor.view.prefix import NONE, Prefix, level_name, peel

FORMS = [
    (b"(EngineCore_0 pid=311) boom", Prefix(name="EngineCore_0", pid=311)),
    (b"(Worker_TP3 pid=77)boom", Prefix(name="Worker_TP3", pid=77)),
    (b"(Actor rank=2 pid=88) boom", Prefix(name="Actor", rank=2, pid=88)),
    (
        b"(Trainer.fit pid=91, ip=10.1.2.3) boom",
        Prefix(name="Trainer.fit", pid=91, node="10.1.2.3"),
    ),
    (b"(Trainer, pid=91, ip=fe80::12) boom", Prefix(name="Trainer", pid=91, node="fe80::12")),
    (b"[rank5]: boom", Prefix(rank=5)),
    (b"[rank 5]: boom", Prefix(rank=5)),
    (b"[node-a:rank12]:boom", Prefix(rank=12)),
    (b"[1,6]<stderr>: boom", Prefix(rank=6)),
    (b"[1,6]<stdout>:boom", Prefix(rank=6)),
    (b"[default5]:boom", Prefix(name="default5")),
    (b"[trainer12]: boom", Prefix(name="trainer12")),
    (b"worker-4: boom", Prefix(name="worker-4")),
    (b"node_17: boom", Prefix(name="node_17")),
    (
        b"ERROR 11-03 07:08:09 [runner.py:88] boom",
        Prefix(level="ERROR", time="11-03 07:08:09"),
    ),
    (
        b"WARNING 11-03 07:08:09.120 [v1/engine/core-client.py:88] boom",
        Prefix(level="WARNING", time="11-03 07:08:09.120"),
    ),
    (b"INFO 11-03 07:08:09 core.py:7] boom", Prefix(level="INFO", time="11-03 07:08:09")),
    (b"[2026-01-02 03:04:05 TP1] boom", Prefix(time="2026-01-02 03:04:05")),
    (b"[2026-01-02 03:04:05 DP0 TP1 PP2] boom", Prefix(time="2026-01-02 03:04:05")),
    (
        b"2026-01-02 03:04:05,678 - train - ERROR - boom",
        Prefix(level="ERROR", time="2026-01-02 03:04:05,678"),
    ),
    (
        b"2026-01-02T03:04:05.678901+08:00 - my.app - CRITICAL - boom",
        Prefix(level="FATAL", time="2026-01-02T03:04:05.678901"),
    ),
    (
        b"2026-01-02 03:04:05.678 | ERROR    | app.train:run:31 - boom",
        Prefix(level="ERROR", time="2026-01-02 03:04:05.678"),
    ),
    (
        b"2026-01-02 03:04:05 | SUCCESS | boom",
        Prefix(level="INFO", time="2026-01-02 03:04:05"),
    ),
    (b"WARN | app.train:run:31 - boom", Prefix(level="WARNING")),
    (
        b"[2026-01-02 03:04:05.678+00:00] [34] [2814] [server] [ERROR] [endpoint.cpp:45] : boom",
        Prefix(level="ERROR", pid=34, time="2026-01-02 03:04:05.678"),
    ),
    (
        b"[2026-01-02 03:04:05,678] [34] [2814] [llm] [WARN][logging.py-331] : boom",
        Prefix(level="WARNING", pid=34, time="2026-01-02 03:04:05,678"),
    ),
    (b"01/02 03:04:05 - mmengine - WARNING - boom", Prefix(level="WARNING")),
    (
        b"[2026-01-02 03:04:05,678] torch.launch: [ERROR] [4711] boom",
        Prefix(level="ERROR", time="2026-01-02 03:04:05,678"),
    ),
    (b"2026-01-02 03:04:05 WARNING: boom", Prefix(level="WARNING", time="2026-01-02 03:04:05")),
    (b"2026-01-02 03:04:05 ERROR boom", Prefix(level="ERROR", time="2026-01-02 03:04:05")),
    (b"ERROR:my.logger:boom", Prefix(level="ERROR")),
    (
        b"2026-01-02 03:04:05.678[ERROR] boom",
        Prefix(level="ERROR", time="2026-01-02 03:04:05.678"),
    ),
    (b"[2026-01-02 03:04:05] boom", Prefix(time="2026-01-02 03:04:05")),
    (b"[2026-01-02T03:04:05,678]boom", Prefix(time="2026-01-02T03:04:05,678")),
    (b"[31] [2026-01-02 03:04:05] boom", Prefix(time="2026-01-02 03:04:05")),
    (
        b"2026-01-02T03:04:05.678901234Z stderr F boom",
        Prefix(time="2026-01-02T03:04:05.678901234"),
    ),
    (b"2026-01-02T03:04:05Z boom", Prefix(time="2026-01-02T03:04:05")),
    (b"Jan  2 03:04:05 node-7 python3.11[812]: boom", Prefix(pid=812, node="node-7")),
    (
        b"Jan 12 03:04:05 node-7 dockerd[812]: boom",
        Prefix(name="dockerd[812]", node="node-7"),
    ),
    (b"Jan 12 03:04:05 node-7 kernel: boom", Prefix(name="kernel", node="node-7")),
    (
        b"2026-01-02T03:04:05.678901+08:00 node-7 python[812]: boom",
        Prefix(pid=812, time="2026-01-02T03:04:05.678901", node="node-7"),
    ),
    (b"[pod/train-worker-3/main] boom", Prefix(name="train-worker-3/main")),
    (b"run.log:boom", NONE),
    (b"/var/log/a-b/run.log:17:boom", NONE),
    (b"logs/rank0/err.txt-18-boom", NONE),
    (b"trainer-1  | boom", Prefix(name="trainer-1")),
    (b"> boom", NONE),
]


@pytest.mark.parametrize(("line", "fields"), FORMS, ids=lambda value: str(value)[:60])
def test_a_prefix_is_peeled_and_its_fields_are_kept(line, fields):
    assert peel(line) == (fields, b"boom")


STACKS = [
    (
        b"[pod/train-worker-3/main] 2026-01-02T03:04:05.1Z [rank3]: boom",
        Prefix(name="train-worker-3/main", rank=3, time="2026-01-02T03:04:05.1"),
        b"boom",
    ),
    (
        b"2026-01-02 03:04:05.678 | ERROR    | app.train:run:31 -     indented",
        Prefix(level="ERROR", time="2026-01-02 03:04:05.678"),
        b"    indented",
    ),
    (b"    | Traceback (most recent call last):", NONE, b"Traceback (most recent call last):"),
    (b'  |   File "a.py", line 3, in f', NONE, b'  File "a.py", line 3, in f'),
    (b"  | ValueError: boom", NONE, b"ValueError: boom"),
    (
        b"trainer-1 | (Worker_TP1 pid=42) ERROR 07-01 08:38:50 [executor.py:492] boom",
        Prefix(level="ERROR", name="Worker_TP1", pid=42, time="07-01 08:38:50"),
        b"boom",
    ),
    (
        b"2026-01-02T03:04:05.1Z stdout F [rank3]: boom",
        Prefix(rank=3, time="2026-01-02T03:04:05.1"),
        b"boom",
    ),
    (
        b"> worker-1: [1,0]<stderr>: ERROR:app:boom",
        Prefix(level="ERROR", name="worker-1", rank=0),
        b"boom",
    ),
    (
        b"[2026-03-04 05:06:07] [ERROR] RUNTIME(7,python):2026-03-04-05:06:07.008.009 [a.cc:1]7 x",
        Prefix(time="2026-03-04 05:06:07"),
        b"[ERROR] RUNTIME(7,python):2026-03-04-05:06:07.008.009 [a.cc:1]7 x",
    ),
]


@pytest.mark.parametrize(("line", "fields", "rest"), STACKS, ids=lambda value: str(value)[:60])
def test_stacked_prefixes_come_off_one_after_the_other(line, fields, rest):
    assert peel(line) == (fields, rest)


def test_the_innermost_of_several_levels_counts():
    line = b"INFO:launcher:ERROR 11-03 07:08:09 [runner.py:88] boom"
    assert peel(line) == (Prefix(level="ERROR", time="11-03 07:08:09"), b"boom")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"boom",
        b"    indented text",
        b"| 0     910B3   | OK            | 92.1        40 |",
        b"+---------------------------+---------------+",
        b" 50%|#####     | 5/10 [00:01<00:01,  3.21it/s]",
        b"Epoch 3:  50%|#####     | 5/10 [00:01<00:01,  3.21it/s]",
        b"loss: 0.25, lr: 1e-4",
        b"Traceback (most recent call last):",
        b'  File "/app/train.py", line 7, in main',
        b"RuntimeError: boom",
        b"[ERROR] GE(7,py):2026-03-04-05:06:07.008.009 [a.cc:1]7 boom",
        b"[PID: 42] 2026-03-04-05:06:07.008.009 Invalid_Argument(EE1001): boom",
        b"[W1212 12:10:10.142 x.ts:1675] boom",
        b"E0102 03:04:05.678901 42 a.cc:7] boom",
        b"ERROR: boom",
        b"Error: boom",
        b"(pid=3 is gone) boom",
        b"see run.log: boom",
        b"  | NPU | Name |",
        b"Jan 12 was a Friday",
        b"[default]: boom",
        b"run.log is full",
    ],
)
def test_other_lines_are_left_as_they_are(line):
    assert peel(line) == (NONE, line)


def test_a_runaway_stack_is_peeled_only_so_far():
    assert peel(b"> " * 20 + b"boom") == (NONE, b"> " * 14 + b"boom")


@pytest.mark.parametrize(
    ("spelling", "level"),
    [
        ("V", "DEBUG"),
        ("D", "DEBUG"),
        ("I", "INFO"),
        ("W", "WARNING"),
        ("E", "ERROR"),
        ("F", "FATAL"),
        ("WARN", "WARNING"),
        ("CRITICAL", "FATAL"),
        ("SUCCESS", "INFO"),
        ("EVENT", "EVENT"),
    ],
)
def test_a_level_has_one_name_however_it_is_spelt(spelling, level):
    assert level_name(spelling) == level


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200).filter(lambda raw: b"\n" not in raw))
def test_what_is_left_is_the_end_of_the_line(line):
    _, rest = peel(line)
    assert line.endswith(rest)


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from([b"[rank1]: ", b"> ", b"worker-2: ", b"(W pid=3) ", b"svc | "]),
        max_size=6,
    )
)
def test_any_stack_of_prefixes_leaves_the_message(stack):
    _, rest = peel(b"".join(stack) + b"boom")
    assert rest == b"boom"


@settings(max_examples=300, deadline=None)
@given(st.integers(), st.sampled_from([line for line, _ in FORMS]))
def test_which_digits_a_line_has_does_not_matter(seed, line):
    # Which forms are tried is remembered by a beginning in which all digits are alike.
    digits = random.Random(seed)
    other = re.sub(rb"\d", lambda _: b"%d" % digits.randrange(10), line)
    assert len(peel(other)[1]) == len(peel(line)[1])


@pytest.mark.parametrize("form", [form for _, form in prefix._FORMS])
def test_no_form_tells_digits_apart(form):
    assert words_with_digits(form) == ()


@pytest.mark.parametrize("padding", [0, 600])
def test_of_lines_that_are_alike_each_has_its_own_fields(padding):
    rest = b"x" * padding
    for rank, clock in ((3, "05:06:07"), (8, "21:43:59")):
        line = f"[rank{rank}]: 2026-03-0{rank} {clock},12{rank} - a.b - INFO - ".encode()
        told = Prefix(level="INFO", rank=rank, time=f"2026-03-0{rank} {clock},12{rank}")
        assert peel(line + rest) == (told, rest)
