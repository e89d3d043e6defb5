"""No bytes crash it or stall it, and what is said of them holds."""

from __future__ import annotations

import json
import time

import jsonschema
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ascend_doctor.formats.record import Records
from ascend_doctor.records import Origin
from ascend_doctor.reporters import json as reporter
from ascend_doctor.scan.scanner import Scanner
from ascend_doctor.view.view import View, of
from ascend_doctor.view.window import Sizes, Window
from tests.conftest import ROOT
from tests.grammar.faults import FAULTS
from tests.grammar.said import KNOWLEDGE, report_on
from tests.grammar.wrappings import BYTES, COLLECTORS, LAUNCHERS, NEIGHBOURS, Wrapping

SCHEMA = json.loads((ROOT / "docs/schema/report-1.json").read_text(encoding="utf-8"))
validate = jsonschema.Draft202012Validator(SCHEMA).validate

# Windows as small as a line or two, so that a short text already has many edges.
NARROW = Scanner(KNOWLEDGE, Sizes(body=256))

# CPU seconds, far more than any of these takes; a walk that is not bounded takes minutes.
PATIENCE_S = 20.0

hostile = settings(
    max_examples=150,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)

wrappings = st.builds(
    Wrapping,
    launcher=st.sampled_from([*LAUNCHERS]),
    collector=st.sampled_from([*COLLECTORS]),
    neighbour=st.sampled_from([*NEIGHBOURS]),
    encoding=st.sampled_from([name for name in BYTES if name != "gzip"]),
)


@st.composite
def texts(draw):
    """Return a fault in one of its forms, wrapped somehow."""
    fault = draw(st.sampled_from(FAULTS))
    form = draw(st.sampled_from([*fault.forms]))
    return draw(wrappings)(fault.forms[form])


PIECES = st.one_of(
    st.binary(max_size=12),
    st.sampled_from(
        [
            *(b"\n", b"\r", b"\x00", b"\\n", b'\\"', b'{"log":"', b'"}', b"\x1b[", b"\xe5\x86"),
            *(b"[ERROR] ", b"[PID: ", b"EE1001: ", b"Traceback (most recent call last):\n"),
            *(b'  File "', b"[rank3]: ", b"  | ", b"\xff\xfe", b"\x1f\x8b", b"%|", b"nan"),
        ]
    ),
)


@st.composite
def spliced(draw):
    """Return a wrapped fault into which pieces were put, and from which others were taken."""
    content = draw(texts())
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(content)))
        gone = draw(st.sampled_from([0, 0, 1, 2, 9, 200]))
        content = content[:at] + draw(PIECES) + content[at + gone :]
    return content


def checked(content: bytes) -> None:
    """Check what must hold of the report on any bytes."""
    report = report_on(content)
    assert report_on(content) == report
    validate(json.loads(reporter.render(report)))


@hostile
@given(st.binary(max_size=2000))
@example(b"")
@example(b"\n" * 999)
@example(b"\xff\xfe" + b"\x00" * 99)
def test_any_bytes_give_a_report(content):
    checked(content)


@hostile
@given(spliced())
def test_a_damaged_log_gives_a_report(content):
    checked(content)


@hostile
@given(spliced())
def test_a_log_says_the_same_whatever_windows_it_is_read_in(content):
    # Nothing can have been broken by a screen where one line is that long; otherwise only a whole
    # file tells.
    content += b"\n" + b"words " * 100
    narrow, whole = report_on(content, NARROW), report_on(content)
    assert narrow.diagnoses == whole.diagnoses


def view_of(content: bytes) -> View:
    return of(Window(content))


@hostile
@given(texts())
def test_a_record_is_the_same_whichever_of_its_lines_is_asked_for(content):
    view = view_of(content)
    starts, at = [], 0 if content.strip(b"\r\n") else None
    while at is not None:
        starts.append(at)
        at = view.below(at)
    downwards = Records(view, "run.log", Origin())
    upwards = Records(view, "run.log", Origin())
    below = {start: downwards.at(start) for start in starts}
    assert {start: upwards.at(start) for start in reversed(starts)} == below


# Between a line of the file and what is quoted of it stand only escapes and colours.
def _letters(text: str) -> str:
    return "".join(c for c in text if c.isalnum() and c.isascii())


@hostile
@given(texts())
def test_proof_points_at_a_line_that_holds_what_is_quoted(content):
    encoding = "utf-16" if content.startswith(b"\xff\xfe") else "utf-8"
    lines = content.decode(encoding, "replace").split("\n")
    for diagnosis in report_on(content).diagnoses:
        for proof in diagnosis.evidence:
            quoted = proof.text.split(",")[0].split('"')[0]
            assert _letters(quoted) in _letters(lines[proof.line - 1].replace("\x1b[0m", ""))


DEEP = 10_000
FLOODS = {
    "open braces": b'{"a":' * DEEP,
    "open quotes": b'{"log":"' * DEEP + b"\\n",
    "backslashes": b'{"log":"' + b"\\" * DEEP + b'\\n"}',
    "escaped newlines": b'{"log":"' + b"\\\\n\\n" * DEEP + b'"}',
    "colours": b"\x1b[" * DEEP,
    "carriage returns": b"boom\r" * DEEP,
    "prefixes": b"> " * DEEP,
    "ranks": b"[rank1]: " * DEEP,
    "margins": b"  | " * DEEP,
    "one line of blanks": b" " * (10 * DEEP) + b"Error: x",
    "blank lines": b"RuntimeError: x\n" + b"\n" * (10 * DEEP),
    "frames": b"Traceback (most recent call last):\n" + b'  File "a.py", line 1\n' * DEEP,
    "indented lines": b"RuntimeError: x\n" + b"  y\n" * DEEP,
    "text below errors": b"RuntimeError: x\ny\n" * DEEP,
    "quiet plog": b"[INFO] GE(1,a):2026-03-04-05:00:00.000.000 x\ny\n" * DEEP,
    "quiet plog below an error": b"RuntimeError: x\n"
    + b"[INFO] GE(1,a):2026-03-04-05:00:00.000.000 Error\n" * DEEP,
    "dates": b"2026-03-04T05:00:00Z " * DEEP,
    "one width": (b"x" * 120 + b"\n") * (DEEP // 20),
    "words": b"a " * (4 * DEEP) + b"Error: " + b"a." * DEEP,
}


@pytest.mark.parametrize("content", FLOODS.values(), ids=FLOODS)
def test_a_flood_of_one_thing_is_read_in_bounded_time(content):
    begin = time.process_time()
    checked(content)
    assert time.process_time() - begin < PATIENCE_S
