"""The first and last time of a part, wherever they stand in it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascend_doctor.scan.coverage import Coverage
from ascend_doctor.view.window import Window

TIME = re.compile(rb"(?<!\d)(\d{4}-\d\d-\d\d)[-T ](\d\d:\d\d:\d\d)(?!\d)")


def range_of(data, body=None):
    coverage = Coverage()
    coverage.see(Window(data, body))
    coverage.finish()
    return coverage.time_range


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"2026-03-04-05:17:12 x", ("2026-03-04T05:17:12", "2026-03-04T05:17:12")),
        (b"2026-03-04T05:17:12.123\nb 2026-03-05 00:00:01\n",
         ("2026-03-04T05:17:12", "2026-03-05T00:00:01")),
        (b"2026-03-05 00:00:01\n2026-03-04 00:00:01\n",
         ("2026-03-04T00:00:01", "2026-03-05T00:00:01")),
        (b"12026-03-04-05:17:12", None),
        (b"2026-03-04-05:17:123", None),
        (b"-03-04-05:17:12", None),
    ],
)  # fmt: skip
def test_times_are_found_where_they_stand(text, expected):
    assert range_of(text) == expected


def test_a_time_that_begins_before_the_body_is_none_of_its():
    text = b"2026-03-04-05:17:12 2027-03-04-05:17:12"
    assert range_of(text, (2, len(text))) == ("2027-03-04T05:17:12", "2027-03-04T05:17:12")


PIECES = [b"2026-03-04-05:17:12", b"2025-01-01 00:00:00", b"2", b"-", b"03", b"2026", b" ", b"T"]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map(b"".join))
def test_all_times_of_a_short_text_are_looked_at(text):
    times = [f"{found[1].decode()}T{found[2].decode()}" for found in TIME.finditer(text)]
    assert range_of(text) == ((min(times), max(times)) if times else None)
