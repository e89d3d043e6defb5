"""One source in, its facts out: the same however it is cut, packed or encoded."""

from __future__ import annotations

import gzip
import json
import time
from itertools import accumulate, chain, count, cycle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ascend_doctor.facts import MAX_SIGHTINGS, CodeSeen, Finding, Process, Said, Shard, Unknown
from ascend_doctor.ingest.discover import discover
from ascend_doctor.ingest.source import Skipped, Source
from ascend_doctor.ingest.stream import FileStream
from ascend_doctor.records import Evidence, Origin, Sighting
from ascend_doctor.scan.collect import MAX_PROCESSES, MAX_TEMPLATES
from ascend_doctor.scan.judge import MAX_LINE
from ascend_doctor.scan.scanner import Scanner
from ascend_doctor.scan.template import masked
from ascend_doctor.view.window import Sizes
from tests.rulesets import knowledge, rule, source

RULES = [
    rule(
        "buffer-oom-pool", "pool is full", regex=r"full by (?P<size>\d+)", captures={"size": "int"}
    ),
    rule(
        "buffer-oom-split",
        "tried to get",
        regex=r"get (?P<tried>.*?), has (?P<capacity>.*?) and (?P<allocated>.*?), "
        r"(?P<free>.*?) free, (?P<reserved>[\d.]+ GiB)",
        captures=dict.fromkeys(("tried", "capacity", "allocated", "free", "reserved"), "bytes")
        | {"gap": "bytes"},
        when={"explainer": "oom", "verdict": ["fragmented"]},
        title={"en": "{gap} in pieces", "zh": "碎片 {gap}"},
    ),
    rule("runtime-misuse-noise", "may be ignored", role="notice", severity="info"),
    rule("not-found-lib", "lib is missing", excludes={"record": ["falling back"]}),
    rule("framework-error-any", "last resort", fallback=True),
    rule("numerics-nan", "loss is nan", levels="any", requires={"process": ["step was begun"]}),
]


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return knowledge(tmp_path_factory.mktemp("rules"), *RULES)


@pytest.fixture(scope="module")
def scanner(known):
    return Scanner(known)


def plog(second: int, text: str, pid: int = 7, level: str = "ERROR") -> str:
    return f"[{level}] GE({pid},py):2026-03-04-00:00:{second:02}.000.000 [a.cc:1]{pid} {text}\n"


TEXT = (
    plog(1, "step was begun", level="INFO")
    + "torch_npu==2.6.0 from /usr/local/Ascend/ascend-toolkit/8.1.RC1/lib, Ascend910B3\n"
    + plog(2, "pool is full by 3", pid=8)
    + plog(3, "pool is full by 4", pid=8)
    + plog(4, "odd 17 times")
    + plog(5, "odd 18 times")
    + plog(6, "call failed, error code is 507018")
)


def test_a_shard_says_all_that_its_file_yielded(scanner):
    lines = TEXT.splitlines()

    def proof(number: int, pid: int) -> Evidence:
        return Evidence(
            "run.log",
            number,
            lines[number - 1],
            (number, 0),
            lines[number - 1].split("):")[1][:10] + "T00:00:0" + str(number - 1) + ".000000",
            "ERROR",
            "GE",
            Origin(pid=pid),
        )

    odd = lines[4]
    assert scanner.scan(source("run.log", TEXT.encode())) == Shard(
        path="run.log",
        kind="plog",
        size=len(TEXT),
        lines=7,
        levels=frozenset({"INFO", "ERROR"}),
        time_range=("2026-03-04T00:00:01", "2026-03-04T00:00:06"),
        findings=(
            Finding(
                "buffer-oom-pool",
                Process(pid=8),
                2,
                (
                    Sighting((proof(3, 8),), {"size": "3"}, weight=12),
                    Sighting((proof(4, 8),), {"size": "4"}, weight=12),
                ),
                "2026-03-04T00:00:02.000000",
                "2026-03-04T00:00:03.000000",
            ),
        ),
        codes=(
            CodeSeen(
                "acl",
                "507018",
                Process(pid=7),
                1,
                Sighting(
                    (replace(proof(7, 7), order=(7, lines[6].index("error code"))),),
                    {},
                    ("507018",),
                ),
            ),
        ),
        unknown=(Unknown(masked(odd.encode()).decode(), "ERROR", 2, proof(5, 7)),),
        signs=frozenset({(b"step was begun", Process(pid=7))}),
        environment=tuple(
            Said(name, value, Evidence("run.log", 2, lines[1], (2, 0)))
            for name, value in (
                ("cann", "8.1.RC1"),
                ("soc", "Ascend910B3"),
                ("torch_npu", "2.6.0"),
            )
        ),
    )


def findings(shard) -> list[tuple[str, int, list[int], list[str]]]:
    return [
        (
            f.rule,
            f.count,
            [e.line for s in f.sightings for e in s.evidence],
            [s.captures.get("size", "") for s in f.sightings],
        )
        for f in shard.findings
    ]


WRITTEN = {
    "crlf": TEXT.replace("\n", "\r\n").encode(),
    "utf-8 with BOM": TEXT.encode("utf-8-sig"),
    "utf-16": TEXT.encode("utf-16"),
    "utf-16 without BOM": TEXT.encode("utf-16-le"),
    "gzip": gzip.compress(TEXT.encode()),
    "two members": gzip.compress(TEXT[:300].encode()) + gzip.compress(TEXT[300:].encode()),
    "colours": TEXT.replace("pool is", "\x1b[31mpool \x1b[1mis\x1b[0m").encode(),
    "prefixes": "".join(f"svc-1 | [rank0]: {line}\n" for line in TEXT.splitlines()).encode(),
    "json": "".join(json.dumps({"m": line + "\n"}) + "\n" for line in TEXT.splitlines()).encode(),
    "json twice": "".join(
        json.dumps({"log": json.dumps({"m": line + "\n"}) + "\n"}) + "\n"
        for line in TEXT.splitlines()
    ).encode(),
}


@pytest.mark.parametrize("raw", WRITTEN.values(), ids=WRITTEN)
def test_the_same_is_found_however_the_text_was_written(scanner, raw):
    assert findings(scanner.scan(source("run.log", raw))) == [
        ("buffer-oom-pool", 2, [3, 4], ["3", "4"])
    ]


def test_the_line_that_raised_is_kept_beside_the_deciding_one(scanner):
    text = "EE1001: x\nRuntimeError: broken\n        pool is full by 3\n"
    [found] = scanner.scan(source("run.log", text.encode())).findings
    assert [(e.line, e.text) for e in found.sightings[0].evidence] == [
        (3, "        pool is full by 3"),
        (2, "RuntimeError: broken"),
    ]


def test_numbers_are_weighed_and_what_they_give_is_captured(scanner):
    text = "ERROR: tried to get %s, has 60 GiB and 50 GiB, 1 GiB free, 56 GiB\n"
    shard = scanner.scan(source("run.log", (text % "2 GiB" + text % "8 GiB").encode()))
    [found] = shard.findings
    assert (found.rule, found.count, found.sightings[0].captures) == (
        "buffer-oom-split",
        1,
        {
            "tried": "2 GiB",
            "capacity": "60 GiB",
            "allocated": "50 GiB",
            "free": "1 GiB",
            "reserved": "56 GiB",
            "gap": "6.00 GiB",
            "others": "3.00 GiB",
        },
    )


@pytest.mark.parametrize(
    ("text", "rules", "codes", "unknown"),
    [
        ("ERROR: lib is missing, error code is 507018\n", ["not-found-lib"], ["507018"], []),
        ("ERROR: lib is missing, falling back, error code is 507018\n", [], [], []),
        ("ERROR: EE1001 may be ignored\n", ["runtime-misuse-noise"], [], []),
        ("ERROR: last resort\n", ["framework-error-any"], [], []),
        ("ERROR: last resort, lib is missing\n", ["not-found-lib"], [], []),
        ("ERROR: last resort, error code is 507018\n", [], ["507018"], []),
        ("INFO: lib is missing, error code is 507018\n", [], [], []),
        ("WARNING: error code is 507018\n", [], [], []),
        ("WARNING: Error, error code is 507018\n", [], ["507018"], []),
        ("WARNING: an Exception\n", [], [], []),
        ("ERROR: words\n", [], [], ["ERROR: words"]),
        ("ValueError: words\n", [], [], ["ValueError: words"]),
        ("an error in words, pool is full\n", [], [], []),
    ],
)
def test_what_a_message_is_counted_as(scanner, text, rules, codes, unknown):
    shard = scanner.scan(source("run.log", text.encode()))
    assert (
        [f.rule for f in shard.findings],
        [c.code for c in shard.codes],
        [u.first.text for u in shard.unknown],
    ) == (rules, codes, unknown)


def test_only_the_earliest_proofs_are_kept_but_all_are_counted(scanner):
    text = "".join(plog(59 - number, f"pool is full by {number}") for number in range(40))
    [found] = scanner.scan(source("run.log", text.encode())).findings
    assert (found.count, [s.captures["size"] for s in found.sightings]) == (40, ["39", "38", "37"])
    assert (found.first_time, found.last_time) == (
        "2026-03-04T00:00:20.000000",
        "2026-03-04T00:00:59.000000",
    )
    assert len(found.sightings) == MAX_SIGHTINGS


def test_different_unknown_messages_are_bounded_too(scanner):
    names = [f"{a}{b}" for a in "abcdefghijklmnopqrstuvwxyz" for b in "abcdefghijklmnopqrstuvwxyz"]
    text = "".join(f"ERROR: {name}\n" for name in names)
    unknown = scanner.scan(source("run.log", text.encode())).unknown
    assert [(u.template, u.count) for u in unknown] == [
        *((f"ERROR: {name}", 1) for name in names[:MAX_TEMPLATES]),
        ("(further messages)", len(names) - MAX_TEMPLATES),
    ]


def test_a_very_long_line_is_cut_where_it_is_kept(scanner):
    text = "ERROR: pool is full by 3 " + "x" * 100_000 + "\n"
    [found] = scanner.scan(source("run.log", text.encode())).findings
    assert found.sightings[0].evidence[0].text == text[:MAX_LINE]


def test_an_error_early_in_an_endless_line_is_found(scanner):
    text = "ERROR: pool is full by 3 " + "x" * 3_000_000
    assert findings(scanner.scan(source("run.log", text.encode()))) == [
        ("buffer-oom-pool", 1, [1], ["3"])
    ]


def test_each_part_of_an_overwritten_line_counts(scanner):
    text = "\r".join(f"ERROR: pool is full by {number}" for number in range(2_000))
    [found] = scanner.scan(source("run.log", text.encode())).findings
    assert (found.count, [s.captures["size"] for s in found.sightings]) == (
        2_000,
        ["0", "1", "2"],
    )


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "empty"),
        (gzip.compress(b""), "empty"),
        (b"\x7fELF" + b"\x00" * 60, "binary"),
        (gzip.compress(b"boom")[:8], "the gzip stream ends early"),
        (b"Op Name,Type\nx,y\n", "profiler data that this version does not read"),
    ],
)
def test_what_cannot_be_read_is_skipped_with_a_reason(scanner, raw, reason):
    assert scanner.scan(source("run.log", raw)) == Skipped("run.log", reason)


def test_a_damaged_gzip_is_skipped_with_a_reason(scanner):
    found = scanner.scan(source("run.gz", b"\x1f\x8b\x08\x00" + b"\xff" * 50))
    assert isinstance(found, Skipped)
    assert found.reason.startswith("the gzip stream is damaged: ")


def test_a_source_that_breaks_off_keeps_what_came_before(scanner):
    raw = gzip.compress((TEXT + "".join(plog(9, f"words {n}") for n in range(3000))).encode())
    shard = scanner.scan(source("run.gz", raw[: len(raw) - 20]))
    assert findings(shard) == [("buffer-oom-pool", 2, [3, 4], ["3", "4"])]
    assert shard.broken == "the gzip stream ends early"


def test_a_file_that_vanished_is_skipped_with_a_reason(scanner, tmp_path):
    path = tmp_path / "run.log"
    path.write_text(TEXT, encoding="utf-8")
    [item] = discover([tmp_path])
    path.unlink()
    assert scanner.scan(item) == Skipped("run.log", "no such file or directory")


def test_a_file_that_may_not_be_read_is_skipped_with_a_reason(scanner):
    def refuse():
        raise PermissionError(13, "Permission denied")

    assert scanner.scan(Source("run.log", refuse)) == Skipped("run.log", "permission denied")


def test_a_file_that_fails_while_it_is_read_is_skipped_with_a_reason(scanner):
    path = Path("/proc/self/mem")
    if not path.exists():
        pytest.skip("needs Linux")
    assert scanner.scan(Source("mem", lambda: path.open("rb"))) == Skipped(
        "mem", "input/output error"
    )


class Failing(FileStream):
    """A file on a disk that fails from some place on."""

    def __init__(self, path: Path, good: int, error: Exception) -> None:
        super().__init__(str(path))
        self._good = good
        self._error = error

    def read_at(self, offset: int, size: int) -> bytes:
        if offset + min(size, self.size - offset) > self._good:
            raise self._error
        return super().read_at(offset, size)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(5, "Input/output error"), "input/output error"),
        (EOFError("the file was cut while it was read"), "the file was cut while it was read"),
    ],
)
def test_a_file_that_fails_at_once_is_skipped_with_a_reason(scanner, tmp_path, error, reason):
    path = tmp_path / "run.log"
    path.write_text(TEXT, encoding="utf-8")
    failing = Source("run.log", lambda: Failing(path, 0, error))
    assert scanner.scan(failing) == Skipped("run.log", reason)


def test_a_bug_is_not_taken_for_a_damaged_file(scanner, tmp_path):
    path = tmp_path / "run.log"
    path.write_text(TEXT, encoding="utf-8")
    with pytest.raises(ValueError, match="a bug"):
        scanner.scan(Source("run.log", lambda: Failing(path, 0, ValueError("a bug"))))


@pytest.mark.parametrize(
    ("raw", "lines"),
    [(b"one", 1), (b"one\n", 1), (b"one\ntwo", 2), (b"\n\n\n", 3), (b"one\r\ntwo\r\n", 2)],
)
def test_lines_are_counted_with_and_without_a_last_newline(scanner, raw, lines):
    assert scanner.scan(source("run.log", raw)).lines == lines


MESSAGES = [
    "pool is full by 3",
    "odd words",
    "error code is 507018",
    "lib is missing",
    "step was begun",
    "nothing",
]
lines = st.one_of(
    st.builds(plog, st.integers(0, 59), st.sampled_from(MESSAGES), st.sampled_from([7, 8])),
    st.sampled_from(
        [
            "Traceback (most recent call last):\n",
            '  File "/app/a.py", line 1, in f\n',
            "    f()\n",
            "ValueError: pool is full by 9\n",
            "[rank1]: RuntimeError: lib is missing\n",
            "(W pid=3) ERROR: pool is full by 4\n",
            "EE1001: no good\n",
            "        Solution: none\n",
            "\n",
            " 10%\r 20%\rValueError: pool is full by 5\n",
            "\x1b[31mERROR: lib is missing\x1b[0m\r\n",
            '{"m":"Traceback (most recent call last):\\nKeyError: pool is full by 6"}\n',
            "words\n",
        ]
    ),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(lines, max_size=60), st.integers(1, 3), st.booleans())
def test_facts_do_not_depend_on_how_a_file_is_cut(known, scanner, some, factor, repeat):
    # No record is longer than 12 of these lines, so each stands within the margin whole.
    parts = ["words\n" if n % 7 == 6 else line for n, line in enumerate(some)]
    # Where one line is that long, nothing can have been broken by a screen.
    raw = "".join(("words " * 100, "\n", *parts * (3 if repeat else 1))).encode()
    small = Scanner(known, Sizes(body=2000 * factor, margin=2000))
    assert small.scan(source("run.log", raw)) == scanner.scan(source("run.log", raw))


@settings(max_examples=100, deadline=None)
@given(st.lists(lines.map(str.encode) | st.binary(max_size=30), max_size=20).map(b"".join))
def test_no_bytes_break_a_scan(scanner, raw):
    shard = scanner.scan(source("run.log", raw))
    if isinstance(shard, Shard) and shard.kind != "profile":
        kept = [s for f in shard.findings for s in f.sightings] + [c.sighting for c in shard.codes]
        told = [e for s in kept for e in s.evidence] + [u.first for u in shard.unknown]
        assert {e.line for e in told} <= set(range(1, shard.lines + 1))
        "".join(e.text for e in told).encode("utf-8")


@pytest.mark.parametrize(
    "line",
    [
        "2026-01-01 10:00:00 ERROR frobnicator: cannot reticulate",
        "2026-01-01 10:00:00,123 - mylib - ERROR - cannot connect",
        "ERROR 01-02 10:00:00 [core.py:33] the engine is gone",
        "ERROR:root:cannot open",
        "(Worker_TP0 pid=4) CRITICAL 01-02 10:00:00 [core.py:33] quorum lost",
        "E0102 10:00:00.111000 123 foo.cc:12] the moon is missing",
    ],
)
def test_an_error_that_only_its_prefix_names_is_not_lost(scanner, line):
    shard = scanner.scan(source("run.log", f"step 1\n{line}\nstep 2\n".encode()))
    assert [(unknown.first.line, unknown.count) for unknown in shard.unknown] == [(2, 1)]


def test_a_rule_that_runs_away_is_switched_off_and_said_to_be(tmp_path):
    slow = rule("buffer-oom-slow", "pool is full", regex=r"full (?:(?:a|aa|aaa)+)+(?:b|c)+$")
    text = "".join(plog(n, "pool is full " + "a" * 200) for n in range(8))
    shard = Scanner(knowledge(tmp_path, slow)).scan(source("run.log", text.encode()))
    assert shard.broken == ("rule buffer-oom-slow took too long on 5 messages and was switched off")


@pytest.mark.parametrize(
    ("takes", "tried", "broken"),
    [
        ([0.15], 14, "rule buffer-oom-slow took too long on 14 messages and was switched off"),
        (
            [0.15, 0.001],
            27,
            "rule buffer-oom-slow took too long on 14 messages and was switched off",
        ),
        ([0.02] + [0] * 9, 400, None),
        ([0.002], 400, None),
    ],
    ids=["always slow", "slow each other time", "slow at times", "just fast enough"],
)
def test_a_rule_that_is_always_just_fast_enough_is_switched_off(
    tmp_path, monkeypatch, takes, tried, broken
):
    spent = cycle(takes)
    clock = accumulate(chain.from_iterable((0, next(spent)) for _ in count()))
    monkeypatch.setattr(time, "thread_time", lambda: next(clock))
    known = knowledge(tmp_path, rule("buffer-oom-slow", "pool is full"))
    text = "".join(plog(1, f"pool is full {'x' * n}") for n in range(400))
    shard = Scanner(known).scan(source("run.log", text.encode()))
    assert [finding.count for finding in shard.findings] == [tried]
    assert shard.broken == broken


def test_processes_beyond_a_bound_are_counted_as_one(scanner):
    text = "".join(plog(1, "pool is full by 3", pid) for pid in range(MAX_PROCESSES + 7))
    shard = scanner.scan(source("run.log", text.encode()))
    counts = {finding.process.pid: finding.count for finding in shard.findings}
    assert counts == {-1: 7, **dict.fromkeys(range(MAX_PROCESSES), 1)}
