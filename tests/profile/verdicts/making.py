"""Profiles made by hand, and what is judged of them."""

from __future__ import annotations

from ascend_doctor.knowledge.index import load
from ascend_doctor.profile.model import Memory, Profile, Sample, Span, Step, Tally
from ascend_doctor.profile.verdicts import judge
from ascend_doctor.records import Evidence

LIMITS = load().limits


def proof(line):
    """Return a row of some table."""
    return Evidence("t.csv", line, f"row {line}", (line, 0))


def steps(*lengths, first=1, **fields):
    """Return numbered steps of some lengths (ms); a field has one value, or a list of them."""
    made = []
    for place, length in enumerate(lengths):
        given = {k: v[place] if isinstance(v, list) else v for k, v in fields.items()}
        times = {k: 1000.0 * v if k.endswith("_us") else v for k, v in given.items()}
        made.append(Step(str(first + place), proof(place + 2), 1000.0 * length, **times))
    return tuple(made)


def tally(kind, name, count, total, *, longest=None, step=None, detail=None, **more):
    """Return events of one kind and name; times in ms."""
    span = Span(1000.0 * (longest or total / count), proof(99), step=step, detail=detail or {})
    return Tally(kind, name, count, 1000.0 * total, span, **more)


def pool(*values, capacity=None):
    """Return memory of pairs of live and reserved MiB."""
    samples = tuple(
        Sample(float(at), reserved, live, live) for at, (live, reserved) in enumerate(values)
    )
    peak = max(samples, key=lambda sample: sample.reserved)
    return Memory("PTA", "NPU:0", peak, proof(7), samples, capacity)


def profile(*, key="run", rank=None, device=None, **parts):
    """Return a profile of some parts."""
    empty = dict.fromkeys(("steps", "tallies", "memory", "cards", "batches"), ())
    return Profile(key, rank, device, **{**empty, "facts": {}, **parts})


def names(*profiles, **limits):
    """Return the names of all verdicts on profiles."""
    set_ = {name.replace("_", "-"): value for name, value in limits.items()}
    return [verdict.name for verdict in judge(profiles, {**LIMITS, **set_})]


def verdict(*profiles, **limits):
    """Return the only verdict on profiles."""
    set_ = {name.replace("_", "-"): value for name, value in limits.items()}
    [found] = judge(profiles, {**LIMITS, **set_})
    return found
