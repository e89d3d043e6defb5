"""The lines around a proof: as they stand in the file, of the first places only, bounded."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.engines.gathering import Gathering
from ascend_doctor.engines.surroundings import KEPT
from ascend_doctor.scan.judging import MAX_AROUND
from ascend_doctor.scan.scanner import Scanner
from ascend_doctor.view.window import Sizes, Window, windows
from tests.rulesets import knowledge, rule, source

RULES = (rule("buffer-oom-pool", "pool is full", "now", regex=r"full by \d+", captures={}),)


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return knowledge(tmp_path_factory.mktemp("rules"), *RULES)


def shard_of(known, text: str | bytes, path: str = "run.log", sizes: Sizes | None = None):
    data = text.encode() if isinstance(text, str) else text
    scanner = Scanner(known) if sizes is None else Scanner(known, sizes)
    return scanner.scan(source(path, data))


def told(proof):
    return (
        proof.before,
        proof.text if proof.match is None else proof.text[slice(*proof.match)],
        (proof.after),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Error: pool is full by 3 now", ((), "pool is full by 3 now", ())),
        (
            "a\nb\nc\nd\nError: pool is full by 3 now, sir\ne\nf\ng\nh\n",
            (("b", "c", "d"), "pool is full by 3 now", ("e", "f", "g")),
        ),
        ("\n\nError: pool is full by 3 now\n\n", (("", ""), "pool is full by 3 now", ("",))),
        # Colours, bars that are drawn over themselves, and ends of lines as on Windows.
        (
            "\x1b[31mred\x1b[0m\r\n 1%\r 2%\r\nError: pool is full by 3 now\r\n\x1b[1mfat\r\n",
            (("red", " 2%"), "pool is full by 3 now", ("fat",)),
        ),
        # What stands around is shown with its own prefixes, and whoever wrote it.
        (
            "[rank1]: a\n[rank0]: Error: pool is full by 3 now\n[rank1]: b\n",
            (("[rank1]: a",), "pool is full by 3 now", ("[rank1]: b",)),
        ),
        (
            "内存\nError: 内存 pool is full by 3 now 不足\n" + "x" * 999 + "\n",
            (("内存",), "pool is full by 3 now", ("x" * MAX_AROUND,)),
        ),
        # A line that is too long to be one is not shown, nor what is beyond it.
        (
            "a\n" + "x" * 9000 + "\nb\nError: pool is full by 3 now\nc\n" + "y" * 20000 + "\nd\n",
            (("b",), "pool is full by 3 now", ("c",)),
        ),
    ],
)
def test_the_lines_around_a_proof(known, text, expected):
    [finding] = shard_of(known, text).findings
    assert told(finding.sightings[0].evidence[0]) == expected


def test_only_the_first_place_of_a_process_keeps_them(known):
    shard = shard_of(known, "".join(f"{n}\nError: pool is full by {n} now\n" for n in range(5)))
    [finding] = shard.findings
    proofs = [sighting.evidence[0] for sighting in finding.sightings]
    assert [proof.before for proof in proofs] == [("0",), (), ()]


def test_an_unknown_error_keeps_them(known):
    [unknown] = shard_of(known, "a\nRuntimeError: odd\nb\n").unknown
    assert told(unknown.first) == (("a",), "RuntimeError: odd", ("b",))


words = st.sampled_from(["", "a", "bb" * 9, "Error: pool is full by 4 now", "x" * 700])


@settings(max_examples=60, deadline=None)
@given(st.lists(words, max_size=40), st.integers(200, 3000), st.integers(200, 3000))
def test_they_are_the_same_in_every_window(lines, first, body):
    data = "\n".join(lines).encode()
    whole = Window(data)
    sizes = Sizes(first=first, part=2 * first, body=body, margin=64 << 10)
    blocks = (data[at : at + 500] for at in range(0, len(data), 500))
    for window in windows(blocks, sizes):
        low, high = window.body
        starts = [
            place
            for place in range(low, high)
            if place + window.offset == 0 or window.data[place - 1] == ord("\n")
        ]
        for start in starts:
            assert window.around(start) == whole.around(window.offset + start)


def test_of_many_files_the_earliest_proofs_keep_them_in_whatever_order_they_come(known):
    line = "[ERROR] GE(7,py):2026-03-04-00:{:02}:{:02}.000.000 [a.cc:1]7 pool is full by 3 now\n"
    shards = [
        shard_of(known, "a\n" + line.format(*divmod(n, 60)), f"{n:03}.log") for n in range(3 * KEPT)
    ]
    orders = (shards, shards[::-1], random.Random(3).sample(shards, len(shards)))
    for order in orders:
        gathering = Gathering()
        for shard in order:
            gathering.add(int(shard.path[:3]), [shard])
        facts = gathering.facts("x")
        assert facts.shards == {shard.path: shard for shard in shards}
        kept = [
            path
            for path, shard in facts.shards.items()
            if shard.findings[0].sightings[0].evidence[0].before
        ]
        assert kept == [f"{n:03}.log" for n in range(KEPT)]


def test_shards_without_findings_are_left_alone(known):
    gathering = Gathering()
    quiet = [shard_of(known, "all is well\n", f"{n}.log") for n in range(3)]
    for place, shard in enumerate(quiet):
        gathering.add(place, [shard])
    assert list(itertools.chain(gathering.facts("x").shards.values())) == quiet
