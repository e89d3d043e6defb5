"""Whatever a field holds in place of what it should, the author is told in our own words."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from pydantic import ValidationError

from ascend_doctor.knowledge.schema import RuleFile
from ascend_doctor.knowledge.strict import first_error
from tests.rulesets import rule

GOOD = {
    **rule("dataload-slow", "some words", regex="(?P<size>x)", captures={"size": "int"}),
    "modules": ["GE"],
    "explains": [{"what": "dataload", "scope": "rank", "within_s": 5}],
    "requires": {"record": ["a"], "process": [["a", "b"]], "environment": {"soc": "310P"}},
    "excludes": {"record": ["c"], "process": ["d"], "environment": {"soc": ["310", "910"]}},
    "when": {"explainer": "oom", "verdict": ["shared"]},
    "checks": {"en": ["Look."], "zh": ["查看。"]},
    "remedies": [{"id": "set-size", "params": {"size": "4"}}],
    "from_followed": ["reason"],
    "from_environment": ["cann"],
    "outvoted_by": "dataload-other",
    "reader": "curve",
    "levels": "any",
    "status": "stable",
    "quiet": False,
    "fallback": False,
}
# Every kind of value that YAML knows, and texts that no field takes.
WRONG = (None, True, 3, 1.5, "", "x", "Two Words", [], [[]], [3], ["x", 3], {}, {"x": 3}, {3: "x"})
# How pydantic itself speaks.
_FOREIGN = re.compile(
    r"[Ii]nput|should|[Tt]uple|valid |dictionary|instance|permitted|Field|match pattern"
)


def places(value, way=()):
    """Yield the way to each value within ``value``."""
    if way:
        yield way
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        items = ()
    for key, item in items:
        yield from places(item, (*way, key))


def with_wrong(value, way, wrong):
    """Return a copy of ``value`` with something else at the end of ``way``."""
    if not way:
        return wrong
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[way[0]] = with_wrong(value[way[0]], way[1:], wrong)
    return copy


def test_every_field_of_a_rule_is_tried():
    assert {*RuleFile.model_fields} == {*GOOD}
    assert get_args(RuleFile.model_fields["levels"].annotation) == ("error", "any")


def told(data) -> tuple[str, str] | None:
    """Return the field and the message of what is wrong, or None."""
    try:
        RuleFile.model_validate(data)
    except ValidationError as err:
        return first_error(err)[1:]
    return None


@pytest.mark.parametrize("way", list(places(GOOD)), ids=lambda way: ".".join(map(str, way)))
def test_a_wrong_value_is_told_in_our_words(way):
    for wrong in WRONG:
        for place in (way, way[:-1]):
            where, message = told(with_wrong(GOOD, place, wrong)) or ("", "")
            assert not _FOREIGN.search(message), (where, message)
