"""Where the time of steps went."""

from __future__ import annotations

from ascend_doctor.report import PARTS, Bar, Breakdown, Part, Place, Track
from ascend_doctor.reporters.field import Field
from ascend_doctor.reporters.stored.values import number


def breakdown(value: Field) -> Breakdown:
    """Return the steps of each rank."""
    return Breakdown(tuple(map(_track, value.at("tracks").items())), value.at("left_out").number(0))


def _track(value: Field) -> Track:
    bars = tuple(map(_bar, value.at("bars").items()))
    if not bars:
        value.at("bars").refuse("must not be empty")
    return Track(
        profile=value.at("profile").text(),
        rank=value.maybe("rank", number, None),
        device=value.maybe("device", Field.text, None),
        steps=value.at("steps").number(1),
        total_ms=value.at("total_ms").decimal(0),
        parts=_parts(value.at("parts_ms")),
        bars=bars,
        positions=_positions(value.at("positions")),
        is_average=value.at("is_average").flag(),
    )


def _bar(value: Field) -> Bar:
    return Bar(
        first=value.at("first").text(),
        last=value.at("last").text(),
        steps=value.at("steps").number(1),
        total_ms=value.at("total_ms").decimal(0),
        parts=_parts(value.at("parts_ms")),
        proof=Place(value.at("path").text(), value.at("line").number(1)),
        positions=_positions(value.at("positions")),
    )


def _parts(value: Field) -> dict[Part, float]:
    """Return the parts that this version knows; a later one may tell more apart."""
    told = value.mapping(lambda item: item.decimal(0))
    return {part: told[part] for part in PARTS if part in told}


def _positions(value: Field) -> tuple[int, ...]:
    return tuple(item.number(1) for item in value.items())
