"""Whether a rule fits a message, and what it captures there."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ascend_doctor.knowledge import match as matching
from ascend_doctor.knowledge.build import compile_patterns
from ascend_doctor.knowledge.index import from_dict
from ascend_doctor.knowledge.match import (
    WINDOW_AFTER,
    WINDOW_BEFORE,
    Match,
    TooSlow,
    is_excluded,
)
from ascend_doctor.knowledge.rule import Rule, Variant
from ascend_doctor.records import Origin, Record
from tests.rulesets import patterns, rule


def compiled(folder, **fields) -> Rule:
    literals = fields.pop("literals", ["pool is full", "asked for"])
    item = rule("buffer-oom-pool", *literals, **fields)
    [found] = from_dict(compile_patterns(patterns(folder, item))).rules.values()
    return found


def record(text: bytes, level: str = "ERROR", module: str | None = None) -> Record:
    return Record("run.log", 1, (1, 0), "text", level, module, None, Origin(), text, (1,))


def match(rule: Rule, record: Record) -> Match | None:
    """Return the match without its span, which has tests of its own."""
    found = matching.match(rule, record)
    return None if found is None else replace(found, span=(0, 0))


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        (b"pool is full, asked for 3", 0),
        (b"now: pool is full\nasked for 3", 5),
        (b"asked for 3, pool is full, asked for 4", 13),
        (b"pool is full", None),
        (b"asked for 3, pool is full", None),
        (b"pool is Full, asked for 3", None),
        (b"", None),
    ],
)
def test_literals_must_stand_in_their_order(tmp_path, text, offset):
    expected = None if offset is None else Match(offset, {}, 21)
    assert match(compiled(tmp_path), record(text)) == expected


def test_what_matched_reaches_from_the_first_literal_to_the_last(tmp_path):
    found = matching.match(compiled(tmp_path), record(b"now: pool is full, asked for 3"))
    assert found == Match(5, {}, 21, span=(5, 28))


@pytest.mark.parametrize(
    ("text", "weight"),
    [(b"pool is full", 12), (b"pond is full", 12), (b"pool runs dry", 13), (b"pond is dry", None)],
)
def test_of_alternatives_any_one_will_do(tmp_path, text, weight):
    either = compiled(tmp_path, literals=[["pool", "pond"], [" is full", " runs dry"]])
    assert match(either, record(text)) == (None if weight is None else Match(0, {}, weight))


@pytest.mark.parametrize(
    ("text", "fits"), [(b"pool 1 2", True), (b"pool 1 3", True), (b"pool 2", False)]
)
def test_all_that_is_required_must_stand_there_and_one_of_a_list(tmp_path, text, fits):
    found = match(
        compiled(tmp_path, literals=["pool"], requires={"record": ["1", ["2", "3"]]}), record(text)
    )
    assert (found is not None) == fits


def test_literals_must_not_overlap(tmp_path):
    pool = compiled(tmp_path, literals=["abcd", "cdef"])
    assert match(pool, record(b"abcdef")) is None
    assert match(pool, record(b"abcd cdef")) == Match(0, {}, 8)


def test_the_first_variant_that_fits_is_taken(tmp_path):
    variants = [{"literals": ["pool is full"]}, {"literals": ["memory pool"]}]
    pool = compiled(tmp_path, match=variants)
    assert match(pool, record(b"memory pool is full")) == Match(7, {}, 12)
    assert match(pool, record(b"memory pool")) == Match(0, {}, 11, variant=1)


@pytest.mark.parametrize(
    ("levels", "level", "fits"),
    [
        ("error", "ERROR", True),
        ("error", "FATAL", True),
        ("error", "WARNING", True),
        ("error", "", True),
        ("error", "INFO", False),
        ("error", "DEBUG", False),
        ("error", "EVENT", False),
        ("error", "TRACE", False),
        ("any", "INFO", True),
        ("any", "DEBUG", True),
    ],
)
def test_the_same_words_are_harmless_on_a_quiet_level(tmp_path, levels, level, fits):
    pool = compiled(tmp_path, levels=levels)
    found = match(pool, record(b"pool is full, asked for 3", level))
    assert found == (Match(0, {}, 21) if fits else None)


@pytest.mark.parametrize(
    ("module", "expected"),
    [("HCCL", Match(0, {}, 21)), ("DRV", Match(0, {}, 21)), ("GE", None), (None, None)],
)
def test_a_rule_for_some_modules_fits_no_other(tmp_path, module, expected):
    pool = compiled(tmp_path, modules=["HCCL", "DRV"])
    assert match(pool, record(b"pool is full, asked for 3", module=module)) == expected


def test_what_a_message_must_hold_and_must_not(tmp_path):
    pool = compiled(
        tmp_path,
        requires={"record": ["tensor", "step"]},
        excludes={"record": ["can be ignored"]},
    )
    text = b"pool is full, asked for 3"
    assert match(pool, record(text + b" tensor")) is None
    assert match(pool, record(b"step 3: " + text + b" tensor")) == Match(8, {}, 21)
    assert is_excluded(pool, record(text)) is False
    assert is_excluded(pool, record(text + b"; this can be ignored")) is True


def test_typed_captures_are_kept_and_others_dropped(tmp_path):
    pool = compiled(
        tmp_path,
        regex=r"asked for (?P<size>[^;]+); by (?P<who>\S+)(?: on (?P<device>\d+))?",
        captures={"size": "bytes", "who": "ident", "device": "int"},
        cause={
            "en": "{size|much} {who|someone} {device|-}",
            "zh": "内存 {size|-} {who|-} {device|-}",
        },
    )
    text = b"pool is full, asked for %s; by %s"
    assert match(pool, record(text % (b" 3 GiB ", b"step") + b" on 7")) == Match(
        0, {"size": "3 GiB", "who": "step", "device": "7"}, 21
    )
    assert match(pool, record(text % (b"$(id)", b"a;b"))) == Match(0, {}, 21)
    assert match(pool, record(text % (b"3", b"x") + b" off 7")) == Match(
        0, {"size": "3", "who": "x"}, 21
    )
    assert match(pool, record(b"pool is full, asked for nothing")) is None


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_captures_are_read_in_the_encoding_of_the_log(tmp_path, encoding):
    pool = compiled(
        tmp_path,
        literals=["pool is full"],
        regex=r"pool is full: (?P<why>.+)",
        captures={"why": "text"},
        cause={"en": "Because {why}", "zh": "原因是 {why}"},
    )
    text = "pool is full: 内存不足".encode(encoding)
    assert match(pool, record(text)) == Match(0, {"why": "内存不足"}, 12)


def test_a_regex_sees_only_the_text_around_the_literals(tmp_path):
    pool = compiled(
        tmp_path,
        literals=["pool is full"],
        regex=r"(?P<before>B)?.*pool is full(?s:.*?)(?P<after>A)",
        captures={"before": "ident", "after": "ident"},
    )
    gap = b"\n" * (WINDOW_AFTER - 1)
    assert match(pool, record(b"pool is full" + gap + b"A")) == Match(0, {"after": "A"}, 12)
    assert match(pool, record(b"pool is full" + gap + b"-A")) is None
    near, far = b"B" + b"." * (WINDOW_BEFORE - 1), b"B" + b"." * WINDOW_BEFORE
    assert match(pool, record(near + b"pool is fullA")) == Match(
        len(near), {"before": "B", "after": "A"}, 12
    )
    assert match(pool, record(far + b"pool is fullA")) == Match(len(far), {"after": "A"}, 12)


def test_a_regex_that_runs_away_is_cut_off(tmp_path):
    pool = compiled(tmp_path)
    variant = Variant((b"pool is full",), r"full (?:(?:a|aa|aaa)+)+(?:b|c)+$")
    begun = time.monotonic()
    with pytest.raises(TooSlow):
        match(replace(pool, match=(variant,)), record(b"pool is full " + b"a" * 200))
    assert time.monotonic() - begun < 5


@pytest.fixture(scope="module")
def counted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rules")
    return compiled(folder, regex=r"asked for (?P<n>\d+)", captures={"n": "int"})


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_text_breaks_a_match(counted, text):
    found = match(counted, record(b"pool is full" + text + b"asked for 3"))
    assert found == Match(0, {"n": "3"}, 21) or b"asked for " in text
