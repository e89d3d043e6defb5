"""A failure has one fingerprint in every run, and another failure another one."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.diagnosis.diagnose import diagnose
from ascend_doctor.diagnosis.fingerprint import fingerprint, template
from ascend_doctor.knowledge import index
from ascend_doctor.records import Evidence, Origin
from tests.conftest import ROOT
from tests.rulesets import scanned

# Two runs of one failure, line by line, and what they have in common.
RUNS = [
    (
        "[ERROR] HCCL(812,python3):2026-01-02-11:04:09.120.001 [a.cc:88] [812]port[60001] taken",
        "[ERROR] HCCL(40117,python3.10):2027-12-31-00:00:00.000.009 [a.cc:9] [40118]port[7] taken",
        "[ERROR] HCCL# [a.cc:#] [#]port[#] taken",
    ),
    (
        "W0102 03:04:05.678000 51207 torch/_dynamo/convert_frame.py:964] [0/8] hit the limit (8)",
        "W1231 23:59:59.000001 7 x/convert_frame.py:1001] [12/16] hit the limit (16)",
        "W# convert_frame.py:#] [#] hit the limit (#)",
    ),
    (
        "Jan  2 03:04:05 2026 no route to host=gpu01.example.com",
        "Sep 30 13:14:15 2027 no route to host=alpha",
        "# no route to host=#",
    ),
    (
        "Tried to allocate 2.38 GiB (NPU 2; 60.96 GiB total capacity; 512.00 MiB free)",
        "Tried to allocate 20 MiB (NPU 11; 29.1 GiB total capacity; 0 bytes free)",
        "Tried to allocate # (NPU # total capacity; # free)",
    ),
    (
        "FileNotFoundError: [Errno 2] No such file or directory: '/home/ann/my run/ckpt-500.pt'",
        "FileNotFoundError: [Errno 2] No such file or directory: '/data/b.pt'",
        "FileNotFoundError: [Errno #] No such file or directory: #",
    ),
    (
        r"cannot write C:\Users\ann\log.txt at 0x12c1c0080000, pid 7",
        r"cannot write D:\b at 0xf, pid 40771",
        "cannot write # at #, pid #",
    ),
    (
        "connect to [fe80::e8eb:d3ff:fe03:1]:29500 from 10.30.4.21%enp67s0f5 failed",
        "connect to [fd00::7]:6000 from 192.168.100.200%eth0 failed",
        "connect to [#]:# from # failed",
    ),
    (
        "loss 1e-05, shape [32, 1410, 80], mac e8:eb:d3:03:00:01",
        "loss 0.25, shape [7, 990], mac 00:11:22:33:44:55",
        "loss #, shape [#], mac #",
    ),
    (
        "op MatMul_6c1f0e57a92b4d3388e1d07b5a4f92c6_high of user ann@gpu01 failed",
        "op MatMul_a1_high of user bob.c@node-7.lab failed",
        "op MatMul_#_high of user # failed",
    ),
    (
        "The client socket cannot reach any network address of (gpu01, 29500): [gpu01]:29500",
        "The client socket cannot reach any network address of (alpha, 6000): [alpha]:6000",
        "The client socket cannot reach any network address of (#): #",
    ),
    (
        "https://obs.example.com/a/b?x=1 answered 503",
        "http://10.0.0.1:8080/ answered 500",
        "# answered #",
    ),
]

# What may not be taken for something that varies.
DIFFERENT = [
    ("libhccl.so: cannot open shared object file", "libge.so: cannot open shared object file"),
    ("KeyError: 'legend'", "KeyError: 'label'"),
    ("EI0006 the wait timed out", "EI0002 the wait timed out"),
    ("ERR00100 PTA call acl api failed", "ERR01003 PTA call acl api failed"),
    ("File /opt/a/train.py: bad", "File /opt/a/serve.py: bad"),
    ("op Add failed", "op Mul failed"),
    ("at::native::add failed", "at::native::mul failed"),
    ("loss: nan", "loss: inf"),
]


def evidence(text: str, **fields: object) -> Evidence:
    return Evidence("train.log", 1, text, **fields)


@pytest.mark.parametrize(("one", "other", "common"), RUNS)
def test_what_varies_between_runs_is_left_out(one, other, common):
    assert (template(one), template(other)) == (common, common)
    assert fingerprint("a-b", evidence(one)) == fingerprint("a-b", evidence(other))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_names_the_failure_stays(one, other):
    assert template(one) != template(other)


def test_place_time_and_process_do_not_count():
    one = Evidence("rank_0/a.log", 7, "x", (7, 0), "2026-01-02T03:04:05.000000", "ERROR", "GE")
    other = Evidence("b.log!c", 9, "x", (9, 1), None, "", "GE", Origin("node-1", 3, 1, 12))
    assert fingerprint("a-b", one) == fingerprint("a-b", other) == "1:50ec0c913798e4fa"


def test_a_host_that_the_log_names_does_not_count():
    one = evidence("ray on alpha has died", origin=Origin("alpha"))
    other = evidence("ray on omega has died", origin=Origin("omega"))
    assert fingerprint("a-b", one) == fingerprint("a-b", other)


@cache
def shipped() -> list[tuple[str, str]]:
    """Return the first line of each example of each shipped rule."""
    found = []
    for path in sorted((ROOT / "patterns").glob("*/*.yaml")):
        item = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        for example in item.get("examples", {}).get("match", ()):
            lines = str(example.get("log", "")).splitlines() or [""]
            found += [(item["id"], line) for line in lines[:3]]
    return found


def test_no_two_rules_share_a_fingerprint():
    ids = sorted(index.load().rules)
    names = [fingerprint(name, evidence("one text")) for name in ids]
    assert len(set(names)) == len(ids)


_KEPT = re.compile(r"(?<![A-Za-z0-9])(?:E[A-Z0-9]\d{4}|ERR\d{5})(?![A-Za-z0-9])")


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_other_numbers_give_the_same_fingerprint(data):
    rule, line = data.draw(st.sampled_from(shipped()))
    kept = [found.span() for found in _KEPT.finditer(line)]

    def other(found: re.Match[str]) -> str:
        if any(start <= found.start() < end for start, end in kept):
            return found[0]
        # As many digits, so that a time remains one.
        return "".join(data.draw(st.sampled_from("123456789")) for _ in found[0])

    changed = re.sub(r"(?!0x)\d+", other, line)
    if [found[0] for found in _KEPT.finditer(changed)] == [f[0] for f in _KEPT.finditer(line)]:
        assert fingerprint(rule, evidence(changed)) == fingerprint(rule, evidence(line))


LOG = """\
[ERROR] RUNTIME({pid},python3):{time} [api_error.cc:{line}]{pid} SetDevice:Set device failed, \
invalid device, set device={number}, valid device range is [0, {number})
Traceback (most recent call last):
  File "{folder}/train.py", line {line}, in main
OSError: {folder}/data.bin at 0x{pid:x} of {host}: the moon is in the wrong house
[ERROR] FE({pid},python3):{time} [a.cc:{line}]{pid} Run:the moon is in {folder}/house {number}
"""
runs = st.fixed_dictionaries(
    {
        "pid": st.integers(2, 4_000_000),
        "time": st.datetimes(datetime(2020, 1, 1)).map(lambda t: f"{t:%Y-%m-%d-%H:%M:%S}.120.001"),
        "line": st.integers(1, 9999),
        "number": st.integers(1, 99),
        "folder": st.lists(st.from_regex(r"[a-z][a-z0-9_-]{0,9}", fullmatch=True), min_size=1).map(
            lambda parts: "/" + "/".join(parts)
        ),
        "host": st.sampled_from(["10.0.0.7", "fe80::1", "192.168.7.254"]),
    }
)


@settings(max_examples=30, deadline=None)
@given(runs, runs, st.integers(1, 6))
def test_a_whole_log_of_another_run_has_the_same_fingerprints(one, other, times):
    known = index.load()

    def prints(text: str, path: str) -> list[str]:
        report = diagnose(scanned(known, {path: text}), known)
        return sorted(x.fingerprint for x in (*report.diagnoses, *report.unexplained))

    assert prints(LOG.format(**one), "a.log") == prints(
        LOG.format(**other) * times, "rank_7/deep/b.log"
    )


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300), st.text(max_size=20))
def test_any_text_has_a_fingerprint(text, rule):
    assert re.fullmatch(r"1:[0-9a-f]{16}", fingerprint(rule, evidence(text)))
