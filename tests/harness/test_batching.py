"""Plans of batches: nothing is lost, nothing overflows, and little of it is padding."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascend_doctor.harness.batching import (
    POLICIES,
    Batching,
    best_fit_decreasing,
    effective,
    plan,
)
from ascend_doctor.harness.lengths import mix

# Other work on the machine is no failure.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
documents = st.lists(st.integers(1, 64), max_size=80)
batchings = st.builds(
    Batching,
    policy=st.sampled_from(POLICIES),
    max_length=st.just(64),
    batch_size=st.integers(1, 9),
    tokens_per_batch=st.integers(64, 300),
    window=st.integers(1, 4),
    gears=st.just((8, 32, 64)),
    fixed_shape=st.booleans(),
)


@unhurried
@given(documents, batchings, st.integers(0, 5))
def test_each_document_is_in_one_batch_that_holds_it(lengths, batching, seed):
    groups = plan(lengths, batching, seed)
    assert sorted(n for group in groups for n in group.documents) == [*range(len(lengths))]
    for group in groups:
        sizes = [lengths[n] for n in group.documents]
        assert sizes
        if group.is_packed:
            assert sum(sizes) <= group.width <= batching.tokens_per_batch
        else:
            assert max(sizes) <= group.width <= batching.max_length
    if batching.policy == "budget":
        assert max((group.slots for group in groups), default=0) <= batching.tokens_per_batch
    if batching.policy == "packed" and not batching.fixed_shape and lengths:
        assert effective(lengths, groups) == 1


@unhurried
@given(documents, batchings)
def test_a_plan_follows_from_its_seed(lengths, batching):
    assert plan(lengths, batching, 3) == plan(lengths, batching, 3)


def test_the_order_of_batches_says_nothing_of_their_length():
    lengths = mix(4000)
    widths = [group.width for group in plan(lengths, Batching(policy="grouped"))]
    # Sorted, the halves would differ by hundreds of tokens.
    halves = [widths[: len(widths) // 2], widths[len(widths) // 2 :]]
    first, second = (sum(half) / len(half) for half in halves)
    assert abs(first - second) < 60


@pytest.mark.parametrize("seed", range(3))
def test_effective_tokens_of_the_articles_mix(seed):
    lengths = mix(8000, seed)
    share = {
        policy: effective(lengths, plan(lengths, Batching(policy=policy), seed))
        for policy in POLICIES
    }
    assert share["padded"] <= 0.30
    assert share["batch-max"] <= 0.45
    assert share["grouped"] >= 0.90
    assert share["budget"] >= 0.90
    assert share["packed"] >= 0.99


@unhurried
@given(st.lists(st.integers(1, 50), max_size=60), st.integers(50, 120))
def test_no_two_bins_would_fit_into_one(lengths, size):
    bins = best_fit_decreasing(range(len(lengths)), lengths, size)
    used = sorted(sum(lengths[n] for n in documents) for documents in bins)
    assert sum(used) == sum(lengths)
    assert all(total <= size for total in used)
    assert len(used) < 2 or used[0] + used[1] > size


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"policy": "best"}, "policy: must be one of padded, batch-max, gears, grouped"),
        ({"window": 0}, "window: must be at least 1"),
        ({"max_length": 1}, "max_length: a document of one token has nothing to predict"),
        ({"tokens_per_batch": 100}, "tokens_per_batch: 100 cannot hold one document"),
        ({"policy": "gears", "gears": (256, 128)}, r"gears: must rise strictly: \(256, 128\)"),
        ({"policy": "gears", "gears": (512,)}, "gears: the last must be max_length 1024 or more"),
    ],
)
def test_what_is_of_no_use_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        Batching(**values)


def test_a_document_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match="between 1 and max_length 16"):
        plan([4, 17], Batching(max_length=16, tokens_per_batch=16))
