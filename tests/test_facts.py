"""Facts add up: in any order, in any grouping, and twice over."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.errors import MergeError
from ascend_doctor.facts import Facts, Finding, Process, Shard
from ascend_doctor.records import Evidence, Sighting


def shard(number: int) -> Shard:
    """Return a shard whose content is fixed by its name, as in a real run."""
    path = f"node{number}/plog.log"
    process = Process(node=f"node{number}", pid=number)
    sighting = Sighting((Evidence(path, number, "boom"),), {"device": str(number)})
    finding = Finding("buffer-oom-pool", process, number + 1, (sighting,), None, None)
    return Shard(path, "plog", 100, 10, frozenset({"ERROR"}), findings=(finding,))


shards = st.sets(st.integers(0, 8)).map(lambda ids: {shard(i).path: shard(i) for i in ids})
skipped = st.frozensets(st.sampled_from([("a.zip", "zip archive"), ("b.bin", "binary")]))
facts = st.builds(Facts, st.just("v1"), shards, skipped)


@settings(deadline=None)
@given(facts, facts, facts)
def test_merge_order_and_grouping_do_not_matter(a, b, c):
    assert a.merge(b) == b.merge(a)
    assert a.merge(b).merge(c) == a.merge(b.merge(c))


@settings(deadline=None)
@given(facts, facts)
def test_merging_twice_changes_nothing(a, b):
    assert a.merge(a) == a
    assert a.merge(b).merge(b) == a.merge(b)


@settings(deadline=None)
@given(facts)
def test_nothing_adds_nothing(a):
    assert a.merge(Facts("v1")) == a


def test_facts_of_different_rules_do_not_merge():
    with pytest.raises(MergeError) as caught:
        Facts("v1").merge(Facts("v2"))
    assert str(caught.value) == (
        "these facts were made with different rules (v1, v2); scan again with one version"
    )


def test_facts_that_disagree_about_a_shard_do_not_merge():
    one = Facts("v1", {"run.log": Shard("run.log", "plog", 100, 10)})
    other = Facts("v1", {"run.log": Shard("run.log", "plog", 101, 10)})
    with pytest.raises(MergeError) as caught:
        one.merge(other)
    assert str(caught.value) == "run.log: scanned twice, with different results"
