"""Files of a profile become facts, whatever they are packed in."""

from __future__ import annotations

import pytest

from ascend_doctor.facts import Shard
from ascend_doctor.ingest.source import Skipped
from ascend_doctor.profile import step_trace
from ascend_doctor.scan.scanner import Scanner
from tests.rulesets import knowledge, source

HEADER = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Free,Stage"


@pytest.fixture(scope="module")
def scanner(tmp_path_factory):
    return Scanner(knowledge(tmp_path_factory.mktemp("rules")))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_table_is_a_shard_with_its_measures(scanner, newline, encoding):
    rows = ["3,1,600.0,300.0,0,100.0,1000.0", "3,2,300.0,100.0,0,600.0,1000.0"]
    text = newline.join([HEADER, *rows, ""])
    measures = step_trace.read("step_trace_time.csv", iter([text.encode()]))
    assert scanner.scan(source("step_trace_time.csv", text.encode(encoding))) == Shard(
        path="step_trace_time.csv", kind="profile", size=len(text), lines=3, measures=(measures,)
    )


def test_a_last_line_without_an_end_is_counted(scanner):
    text = f"{HEADER}\n3,1,600.0,200.0,0,200.0,1000.0"
    found = scanner.scan(source("step_trace_time.csv", text.encode()))
    assert (found.size, found.lines) == (len(text), 2)


def test_other_tables_are_skipped_and_said_to_be(scanner):
    assert scanner.scan(source("op.csv", b"Device_id,Model Name,Op Name\n0,x,y\n")) == Skipped(
        "op.csv", "profiler data that this version does not read"
    )
