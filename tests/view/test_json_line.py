"""A log line inside a JSON object."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascend_doctor.view.json_line import MAX_LINE, parse
from ascend_doctor.view.prefix import Prefix


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (
            b'{"log":"boom\\n","stream":"stderr","time":"2026-01-02T03:04:05.6Z"}',
            (Prefix(time="2026-01-02T03:04:05.6Z"), b"boom"),
        ),
        (
            b'{"severity": "critical", "pid": 12, "rank": 3, "host": "node-7", "msg": "a\\tb"} ',
            (Prefix(level="FATAL", rank=3, pid=12, node="node-7"), b"a\tb"),
        ),
        (b'{"message":"","level":30}', (Prefix(), b"")),
        (b'{"log":"\\u5185\\u5b58 \xe5\x86\x85"}', (Prefix(), "内存 内".encode())),
        (b'{"log":"torn \xe5\x86"}', (Prefix(), b"torn \xe5\x86")),
        (b'{"log":"half \\ud800"}', (Prefix(), b"half ?")),
        (b'{"log":"two\\nlines\\n\\n"}', (Prefix(), b"two\nlines\n")),
        # Fields that are not what they ought to be are not believed.
        (b'{"log":"x","rank":true,"pid":false}', (Prefix(), b"x")),
        (b'{"log":"x","rank":-1,"pid":9999999999}', (Prefix(), b"x")),
        (b'{"log":"x","level":"\\ud800","host":"a\\u001b[31m"}', (Prefix(), b"x")),
        (b'{"log":"x","host":"\xff","time":"2026 is the year of it all"}', (Prefix(), b"x")),
        (b'{"log":"x","time":"2026-01-02T03:04:05\\u202e"}', (Prefix(), b"x")),
        # More is said than where and when.
        (b'{"message":"request failed","detail":"boom"}', None),
        (b'{"message":"step 3","loss":NaN}', None),
        (b'{"message":{"text":"boom"}}', None),
        (b'{"loss": 0.25}', None),
        (b'{"log":"cut off', None),
        (b'{"log":"boom"} and more', None),
        (b"{'log': 'boom'}", None),
        (b'[{"log":"boom"}]', None),
        (b'{"log":"' + b"x" * MAX_LINE + b'"}', None),
        (b'{"a":' * 30_000 + b"}" * 30_000, None),
        (b"", None),
    ],
    ids=lambda value: str(value)[:50],
)
def test_message_and_fields_of_an_object(line, found):
    assert parse(line) == found


@given(st.text(st.characters(exclude_categories=["Cs"])), st.booleans())
def test_any_message_comes_out_as_it_was(message, is_ascii):
    line = json.dumps({"log": f"{message}\n"}, ensure_ascii=is_ascii).encode()
    assert parse(line) == (Prefix(), message.encode())
