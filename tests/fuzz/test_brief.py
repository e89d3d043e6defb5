"""A brief, repeatable piece of what ``make fuzz`` does for longer."""

from __future__ import annotations

import re
from random import Random

import pytest

from ascend_doctor.reporters import safe
from fuzz.invariants import check
from fuzz.mutate import mutated
from fuzz.seeds import CORPUS, pieces, seeds


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*")), ids=lambda path: path.name)
def test_what_broke_an_invariant_or_was_made_to_breaks_none(path):
    check(path.read_bytes())


@pytest.mark.slow
def test_samples_and_examples_keep_the_invariants():
    for data in seeds()[::4]:
        check(data)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_changed_logs_keep_the_invariants(seed):
    rng = Random(seed)
    for _ in range(150):
        check(mutated(rng, rng.choice(seeds()), seeds(), pieces()))


def test_a_broken_invariant_is_noticed(monkeypatch):
    monkeypatch.setattr(safe, "_UNSAFE", re.compile("(?!)"))
    log = "ImportError: \u202elibx.so: cannot open shared object file: No such file or directory"
    with pytest.raises(AssertionError):
        check(log.encode())
