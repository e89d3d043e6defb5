"""What every part of a report is made of: texts, lines of logs, places."""

from __future__ import annotations

from collections.abc import Mapping

from ascend_doctor.records import ROLES, Evidence, Lang, Location, Origin, Role, Severity
from ascend_doctor.reporters.field import Field

SEVERITIES: Mapping[str, Severity] = {severity.label: severity for severity in Severity}
ROLE_NAMES: Mapping[str, Role] = {role: role for role in ROLES}


def number(value: Field) -> int:
    """Return a whole number."""
    return value.number()


def count(value: Field) -> int:
    """Return a whole number that is not negative."""
    return value.number(0)


def pair(value: Field) -> tuple[int, int]:
    """Return two whole numbers."""
    return value.pair(number)


def texts(value: Field) -> tuple[str, ...]:
    """Return a list of texts."""
    return tuple(map(Field.text, value.items()))


def title(value: Field) -> dict[Lang, str]:
    """Return a text in each language."""
    return value.by_lang(Field.text)


def evidence(value: Field) -> Evidence:
    """Return a line of a log."""
    return Evidence(
        path=value.at("path").text(),
        line=value.at("line").number(1),
        text=value.at("text").text(),
        order=value.maybe("order", pair, (0, 0)),
        time=value.maybe("time", Field.text, None),
        level=value.maybe("level", Field.text, ""),
        module=value.maybe("module", Field.text, None),
        origin=origin(value),
        before=value.maybe("before", texts, ()),
        after=value.maybe("after", texts, ()),
        match=value.maybe("match", pair, None),
    )


def origin(value: Field) -> Origin:
    """Return who wrote a line."""
    return Origin(
        node=value.maybe("node", Field.text, None),
        rank=value.maybe("rank", number, None),
        device=value.maybe("device", number, None),
        pid=value.maybe("pid", number, None),
    )


def location(value: Field) -> Location:
    """Return a line of the user's code."""
    return Location(
        file=value.at("file").text(),
        line=value.at("line").number(0),
        function=value.at("function").text(),
    )
