"""All literals in one pass, by any engine as by a plain search."""

from __future__ import annotations

import random
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.errors import SettingError
from ascend_doctor.knowledge import index
from ascend_doctor.scan import engine_stdlib, meanings
from ascend_doctor.scan.literals import VARIABLE, Literal, Literals, engine_name
from tests.conftest import ENGINES

by_each_engine = pytest.mark.parametrize("engine", ENGINES)
if_hyperscan = pytest.mark.skipif(len(ENGINES) == 1, reason="hyperscan is not installed")


def made(engine, literals):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, engine)
        return Literals([*literals])


def plain(literals, text, start=0, end=None):
    """Return what the contract of ``Literals.hits`` says, by looking at each byte."""
    found, ends = [], dict.fromkeys(range(len(literals)), start)
    end = len(text) if end is None else end
    for at in range(start, end):
        for number, literal in enumerate(literals):
            size = len(literal.text)
            here = text[at : min(at + size, end)]
            is_equal = here == literal.text
            if literal.any_case:
                is_equal = here.lower() == literal.text.lower()
            if is_equal and at >= ends[number]:
                found.append((at, number))
                ends[number] = end if literal.once else at + size
    return found


@by_each_engine
@pytest.mark.parametrize(
    ("literals", "text", "hits"),
    [
        ([b"ERROR", b"boom"], b"ERROR: boom, boom", [(0, 0), (7, 1), (13, 1)]),
        ([b"abab"], b"ababababab", [(0, 0), (4, 0)]),
        ([b"abc", b"abcd", b"bc"], b"xabcd", [(1, 0), (1, 1), (2, 2)]),
        ([b".*", b"[a"], b"[a].*", [(0, 1), (3, 0)]),
        (["内存".encode()], "设备内存".encode(), [(6, 0)]),
        ([b"a\nb", b"\xff\xfe"], b"a\nb\xff\xfe", [(0, 0), (3, 1)]),
        ([b"5070", b"507018", b"E10049"], b"E10049 507018", [(0, 2), (7, 0), (7, 1)]),
        ([b"boom"], b"Boom", []),
        ([b"boom"], b"", []),
    ],
)
def test_every_occurrence_is_told_in_the_order_of_the_text(engine, literals, text, hits):
    assert made(engine, map(Literal, literals)).hits(text) == hits


@by_each_engine
@pytest.mark.parametrize(
    ("literals", "text", "hits"),
    [
        ([Literal(b"Boom", any_case=True)], b"boom BOOM b\xcfom Boom", [(0, 0), (5, 0), (15, 0)]),
        ([Literal(b"e1", any_case=True)], b"E1 e1", [(0, 0), (3, 0)]),
        ([Literal(b"910", any_case=True)], b"910910", [(0, 0), (3, 0)]),
        ([Literal(b"loss", once=True)], b"lo1ss\nloss\nloss", [(6, 0)]),
        ([Literal(b"E1", once=True)], b"E1 E1", [(0, 0)]),
        (
            [Literal(b"Loss", any_case=True, once=True), Literal(b"Loss"), Literal(b"loss")],
            b"loss Loss loss",
            [(0, 0), (0, 2), (5, 1), (10, 2)],
        ),
    ],
)
def test_case_may_not_count_and_once_may_be_enough(engine, literals, text, hits):
    assert made(engine, literals).hits(text) == hits


@by_each_engine
def test_what_reaches_beyond_the_ends_is_no_occurrence(engine):
    literals = made(engine, [Literal(b"abc"), Literal(b"123"), Literal(b"b", once=True)])
    text = b"abc 123 abc"
    assert literals.hits(text, 1, 10) == [(1, 2), (4, 1)]
    assert literals.hits(text, 5, 99) == [(8, 0), (9, 2)]
    assert literals.hits(text, 5, 5) == literals.hits(text, 11) == []


# Few bytes, so that literals overlap, begin and end each other, and differ in case or digits only.
# The schema refuses a literal with a NUL, which hyperscan could not take.
ALPHABET = b"aAeExX01-\n\xc4\xe4"
words = st.lists(st.sampled_from(ALPHABET), min_size=1, max_size=7).map(bytes)
wanted = st.lists(st.builds(Literal, words, st.booleans(), st.booleans()), min_size=1, max_size=8)


@st.composite
def searches(draw):
    """Draw literals and texts that are full of them, each with where to begin and end."""
    literals = draw(wanted)
    pieces = words | st.sampled_from([literal.text for literal in literals])
    texts = draw(st.lists(st.lists(pieces, max_size=12).map(b"".join), min_size=1, max_size=4))
    ends = [sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2))) for text in texts]
    return literals, [(text, *end) for text, end in zip(texts, ends, strict=True)]


@by_each_engine
@settings(max_examples=150, deadline=None)
@given(
    search=searches(),
    piece=st.sampled_from([4, 16, 1 << 16]),
    few=st.sampled_from([0, 4]),
    remembered=st.sampled_from([0, 1 << 20]),
)
def test_hits_are_those_of_a_plain_search(engine, search, piece, few, remembered):
    literals, texts = search
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_stdlib, "_PIECE", piece)
        patch.setattr(engine_stdlib, "_FEW", few)
        patch.setattr(engine_stdlib, "_REMEMBERED", remembered)
        found = made(engine, literals)
        for text, start, end in texts:
            assert found.hits(text) == plain(literals, text)
            assert found.hits(text, start, end) == plain(literals, text, start, end)


@pytest.fixture(scope="module")
def shipped():
    """Return the literals of the shipped rules, as each engine finds them."""
    by_engine = []
    for engine in ENGINES:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(VARIABLE, engine)
            vocabulary = meanings.Vocabulary(index.load().rules.values())
        by_engine.append(vocabulary.literals)
    return vocabulary.all_texts, by_engine


@if_hyperscan
@pytest.mark.parametrize("seed", range(4))
def test_engines_agree_on_texts_of_what_is_looked_for(shipped, seed):
    texts, (one, other) = shipped
    chance = random.Random(seed)
    between = [b"\n", b"\n", b" ", b"", b"12", b"[ERROR] ", b"\xe5", b"x" * 9, b"\r\n"]
    for size in (0, 1, 7, 500, 4000):
        parts = []
        for word in chance.choices(texts, k=size):
            cut = word[chance.randrange(len(word)) :] if chance.random() < 0.2 else word
            parts += [cut.upper() if chance.random() < 0.1 else cut, chance.choice(between)]
        text = b"".join(parts)
        assert one.hits(text) == other.hits(text)
        assert one.hits(text, size // 2, len(text) - size // 3) == other.hits(
            text, size // 2, len(text) - size // 3
        )


def test_shapes_are_forgotten_before_they_take_much_memory(monkeypatch):
    monkeypatch.setattr(engine_stdlib, "_REMEMBERED", 10_000)
    engine = engine_stdlib.Engine([Literal(b"boom")])
    for number in range(2000):
        word = bytes(b"ghijklmnop"[int(digit)] for digit in str(number))
        assert engine.hits(word + b" boom", 0, len(word) + 5) == [(len(word) + 1, 0)]
        assert sum(map(len, engine._shapes)) <= 10_000
        assert len(engine._shapes) <= 10_000 / 200


@pytest.mark.parametrize("name", ENGINES)
def test_the_environment_names_an_engine(monkeypatch, name):
    monkeypatch.setenv(VARIABLE, name)
    assert engine_name() == name


@pytest.mark.parametrize("value", ["", None])
def test_hyperscan_is_used_where_it_can_be_imported(monkeypatch, value):
    if value is None:
        monkeypatch.delenv(VARIABLE, raising=False)
    else:
        monkeypatch.setenv(VARIABLE, value)
    assert engine_name() == ENGINES[-1]
    without_hyperscan(monkeypatch)
    assert engine_name() == "stdlib"
    assert Literals([Literal(b"boom")]).hits(b"boom") == [(0, 0)]


def test_an_engine_that_is_not_there_is_told(monkeypatch):
    without_hyperscan(monkeypatch)
    monkeypatch.setenv(VARIABLE, "hyperscan")
    with pytest.raises(SettingError, match=r"^ASCEND_DOCTOR_ENGINE: hyperscan cannot be imported"):
        Literals([Literal(b"boom")])
    monkeypatch.setenv(VARIABLE, "Hyperscan")
    with pytest.raises(SettingError, match=r"'Hyperscan' is no engine; use hyperscan or stdlib$"):
        Literals([Literal(b"boom")])


def without_hyperscan(monkeypatch):
    monkeypatch.delitem(sys.modules, "ascend_doctor.scan.engine_hyperscan", raising=False)
    monkeypatch.setitem(sys.modules, "hyperscan", None)
