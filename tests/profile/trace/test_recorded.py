"""Traces that torch's profiler recorded say what is known of how they were recorded.

``recorded.yaml`` has all that is read of each. After a change that is meant:
``python -m tests.profile.trace.test_recorded``, and a look at the difference.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import yaml

from ascend_doctor.profile.trace.read import read

HERE = Path(__file__).parent
RECORDED = HERE.parent / "recorded"
EXPECTED = HERE / "recorded.yaml"
NAMES = sorted(path.name.removesuffix(".json.gz") for path in RECORDED.glob("*.gz"))


def summary(name):
    """Return all that is read of a recording, with the lines that prove it."""
    path = RECORDED / f"{name}.json.gz"
    with gzip.open(path) as stream:
        told = read(path.name, iter(lambda: stream.read(1 << 16), b""))
    return {
        "rank": told.rank,
        "device": told.device,
        "facts": dict(told.facts),
        "broken": told.broken,
        "notes": [note.name for note in told.notes],
        "steps": [step_of(step) for step in told.steps],
        "tallies": [tally_of(tally) for tally in told.tallies],
    }


def step_of(step):
    figures = {
        "total": step.total_us,
        "fetch": step.fetch_us,
        "compile": step.compile_us,
        "sync": step.sync_us,
        "computing": step.computing_us,
        "line": step.proof.line,
    }
    return {"step": step.name, **figures, **({"border": True} if step.is_border else {})}


def tally_of(tally):
    longest = tally.longest
    return {
        "kind": tally.kind,
        "name": tally.name,
        "count": tally.count,
        "total": tally.total_us,
        "by_step": dict(tally.by_step),
        **({} if tally.shapes is None else {"shapes": tally.shapes}),
        "longest": {"us": longest.duration_us, "step": longest.step, "line": longest.proof.line},
        "detail": dict(longest.detail),
    }


@pytest.fixture(scope="module")
def expected():
    return yaml.safe_load(EXPECTED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_says_what_was_recorded(expected, name):
    assert summary(name) == expected[name]


def test_each_expectation_has_its_recording(expected):
    assert sorted(expected) == NAMES


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("healthy-2-workers", 0, 0.03),
        ("slow-loader-no-workers", 0.40, 0.55),
        ("slow-loader-with-stack", 0.70, 0.80),
        ("slow-loader-2-workers", 0.55, 0.65),
        ("ranks-one-slow-loader-rank0", 0, 0.02),
        ("ranks-one-slow-loader-rank1", 0.60, 0.75),
    ],
)
def test_the_share_of_the_loader_is_as_recorded(expected, name, least, most):
    steps = expected[name]["steps"]
    share = sum(step["fetch"] for step in steps) / sum(step["total"] for step in steps)
    assert least <= share <= most


if __name__ == "__main__":
    EXPECTED.write_text(
        yaml.safe_dump({name: summary(name) for name in NAMES}, sort_keys=False, width=100),
        encoding="utf-8",
    )
