"""What padding costs, and what other ways of batching would leave of it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascend_doctor.profile.model import Batches
from ascend_doctor.profile.verdicts.padding import MAX_LENGTHS, budgeted, grouped, packed
from tests.profile.verdicts.making import names, profile, proof, verdict

# A busy machine is no reason to fail.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

COUNTS = st.dictionaries(st.integers(1, 60), st.integers(1, 9), min_size=1, max_size=12)


def sequences(counts):
    """Return all lengths, ascending."""
    return [length for length, number in sorted(counts.items()) for _ in range(number)]


@UNHURRIED
@given(COUNTS, st.integers(1, 12))
def test_groups_are_neighbours_by_length(counts, size):
    lengths = sequences(counts)
    groups = [lengths[at : at + size] for at in range(0, len(lengths), size)]
    assert grouped(sorted(counts.items()), size) == sum(len(g) * max(g) for g in groups)


@UNHURRIED
@given(COUNTS, st.integers(60, 300))
def test_a_budget_is_filled_by_the_shortest_first(counts, budget):
    slots, batch = 0, []
    for length in sequences(counts):
        if length * (len(batch) + 1) > budget:
            slots += max(batch) * len(batch)
            batch = []
        batch.append(length)
    assert budgeted(sorted(counts.items()), budget) == slots + max(batch) * len(batch)


@UNHURRIED
@given(COUNTS, st.integers(60, 300))
def test_rows_are_filled_best_fit_the_longest_first(counts, capacity):
    rooms = []
    for length in reversed(sequences(counts)):
        fits = [room for room in rooms if room >= length]
        if fits:
            rooms.remove(min(fits))
        rooms.append((min(fits) if fits else capacity) - length)
    assert packed(sorted(counts.items()), capacity) == capacity * len(rooms)


def batches(tokens, slots, count=10, **lengths):
    """Return a profile of batches; lengths go by their names, ``l100=3``."""
    told = {int(name[1:]): number for name, number in lengths.items()}
    return profile(batches=(Batches(tokens, slots, count, proof(3), told),))


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (batches(500, 1000), ["padding"]),
        (batches(501, 1000), ["padding_some"]),
        (batches(800, 1000), ["padding_some"]),
        (batches(801, 1000), []),
        (batches(10, 1000, 1), []),
        (batches(0, 1000), []),
        (batches(1001, 1000), []),
        (profile(), []),
    ],
)
def test_padding_is_told_by_how_much_it_is(told, expected):
    assert names(told) == expected


def test_a_threshold_decides():
    assert names(batches(801, 1000), padding_remark=0.1) == ["padding_some"]


def test_what_would_help_is_computed_from_the_lengths():
    found = verdict(batches(10 * 100 + 10 * 900, 2 * 10 * 1000, 10, l100=10, l900=10))
    assert found.captures == {
        **{"padding": "50", "effective": "50", "tokens": "10000", "slots": "20000"},
        **{"batches": "10", "limit": "50", "size": "2", "budget": "2000"},
        **{"grouped": "100", "budgeted": "100", "packed": "100"},
    }


def test_batches_of_one_sequence_have_nothing_to_group():
    found = verdict(batches(400, 1000, 10, l40=10))
    assert "grouped" not in found.captures


def test_very_many_lengths_are_rounded_up():
    lengths = {f"l{length}": 1 for length in range(1, 3 * MAX_LENGTHS)}
    tokens = sum(range(1, 3 * MAX_LENGTHS))
    found = verdict(batches(tokens, 3 * tokens, 1000, **lengths))
    assert (found.captures["size"], found.captures["grouped"]) == ("6", "100")
