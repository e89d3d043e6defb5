"""Tables of the profiler give findings like logs do."""

from __future__ import annotations

import pytest

from ascend_doctor.facts import Finding, Process, Shard
from ascend_doctor.ingest.source import Skipped
from ascend_doctor.profile import step_trace
from ascend_doctor.records import Evidence, Sighting
from ascend_doctor.scan.scanner import Scanner
from tests.rulesets import knowledge, rule, source

HEADER = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Free,Stage"


@pytest.fixture(scope="module")
def scanner(tmp_path_factory):
    idle = rule(
        "dataload-device-idle",
        match=[],
        reader="step_trace",
        when={"verdict": ["idle"]},
        captures={"name": "ident", "share": "int", "idle": "number", "step": "number"},
    )
    return Scanner(knowledge(tmp_path_factory.mktemp("rules"), idle))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_an_idle_device_is_a_finding_with_its_row(scanner, newline, encoding):
    rows = ["3,1,600.0,300.0,0,100.0,1000.0", "3,2,300.0,100.0,0,600.0,1000.0"]
    text = newline.join([HEADER, *rows, ""])
    proof = Evidence("step_trace_time.csv", 3, rows[1], (3, 0))
    assert scanner.scan(source("step_trace_time.csv", text.encode(encoding))) == Shard(
        path="step_trace_time.csv",
        kind="profile",
        size=len(text),
        lines=3,
        findings=(
            Finding(
                "dataload-device-idle",
                Process(source="step_trace_time.csv"),
                1,
                (Sighting((proof,), {"name": "3", "share": "35", "idle": "0.7", "step": "2.0"}),),
                None,
                None,
            ),
        ),
    )


@pytest.mark.parametrize(
    "rows",
    [
        "3,1,600.0,200.0,0,200.0,1000.0\n",
        "3,1,600.0,200.0,0,nan,1000.0\n",
        "3,1,10.0,0.0,0,9",
        "",
    ],
)
def test_a_busy_device_is_clean(scanner, rows):
    text = f"{HEADER}\n{rows}"
    found = scanner.scan(source("step_trace_time.csv", text.encode()))
    assert found == Shard("step_trace_time.csv", "profile", len(text), 2 if rows else 1)


def test_other_tables_are_skipped_and_said_to_be(scanner):
    assert scanner.scan(source("op.csv", b"Device_id,Model Name,Op Name\n0,x,y\n")) == Skipped(
        "op.csv", "profiler data that this version does not read"
    )


def test_an_endless_table_is_not_held_in_memory(scanner):
    row = b"3,1,600.0,200.0,0,200.0,1000.0\n"
    raw = HEADER.encode() + b"\n" + row * (step_trace.MAX_BYTES // len(row) + 1)
    assert scanner.scan(source("step_trace_time.csv", raw)) == Skipped(
        "step_trace_time.csv", "step trace larger than 64 MiB"
    )
