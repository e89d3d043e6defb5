"""Every field of a report is redacted, but those that no log can write: a new field is noticed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ascend_doctor.reporters.redaction import redact
from tests.reporters.reports import FULL

SECRET = "ghp_0123456789abcdefABCDEF0123456789abcd"
# What rules and tables say, what is computed, and what the grammar of a log bounds: a level, a
# time, the capitals of a module's name.
OURS = (
    r"\.codes\[\]\.(causes|means|next|code|family|name|table)\b.*",
    r"\.families\[\w+\]\[\w+\]",
    r".*\.(level|levels\[\]|module|time|time_range\[\]|first_seen|last_seen)",
    r".*\.(rule|family|role|confidence|provenance\[\]|fingerprint|remedies\[\]\[\])",
    r"\.coverage\.notes\[\]\[\]\.name",
    r"\.(gate\.fail_on|rules_digest|version)",
)


def with_secret(value: Any) -> Any:
    if isinstance(value, str):
        return f"{value} {SECRET}"
    if isinstance(value, Struct):
        names = value.__struct_fields__
        return replace(value, **{name: with_secret(getattr(value, name)) for name in names})
    if isinstance(value, tuple):
        return tuple(map(with_secret, value))
    if isinstance(value, Mapping):
        return {key: with_secret(item) for key, item in value.items()}
    return value


def places(value: Any, place: str = "") -> Iterator[str]:
    """Yield where the secret stands."""
    if isinstance(value, str):
        if SECRET in value:
            yield place
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from places(getattr(value, name), f"{place}.{name}")
    elif isinstance(value, tuple):
        for item in value:
            yield from places(item, f"{place}[]")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from places(item, f"{place}[{key}]")


def test_a_secret_in_any_field_is_hidden():
    report = with_secret(FULL)
    assert len({*places(report)}) > 60
    left = set(places(redact(report)))
    ours = re.compile("|".join(OURS))
    assert sorted(place for place in left if not ours.fullmatch(place)) == []
