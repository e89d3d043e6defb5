"""Databases of a profile: what they say, and what of a damaged or hostile one is endured."""

from __future__ import annotations

import gzip
import io
import sqlite3
import tarfile
from contextlib import closing, suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascend_doctor.facts import Said, Shard
from ascend_doctor.ingest.archive import members
from ascend_doctor.ingest.discover import discover
from ascend_doctor.ingest.source import Skipped
from ascend_doctor.profile import sqlite
from ascend_doctor.profile.database import NO_PROFILE, read
from ascend_doctor.profile.model import Memory, Sample, Span, Step, Tally
from ascend_doctor.profile.sqlite import DatabaseError
from ascend_doctor.records import Evidence, Note
from ascend_doctor.scan import databases
from ascend_doctor.scan.scanner import Scanner
from tests.profile.databases import BEGIN, LAYOUT, rows, write
from tests.rulesets import knowledge

PATH = "w_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_3.db"
ORIGIN = BEGIN / 1000


def proof(line, text):
    return Evidence(PATH, line, text, (line, 0))


def tally(kind, name, count, total, longest, row, table, step, **more):
    begin, detail = more.pop("begin"), more.pop("detail", {})
    shown = proof(row, f"{table} {row}: {name}, {longest:.1f} us")
    span = Span(longest, shown, None if begin is None else ORIGIN + begin, step, detail)
    return Tally(kind, name, count, total, span, **more)


def test_everything_that_a_database_says(tmp_path):
    found = read(PATH, str(write(tmp_path / "p.db")))
    assert (found.format, found.profile, found.rank, found.device) == (
        "database",
        "w_ascend_pt",
        3,
        "0",
    )
    assert found.steps == tuple(
        Step(
            name,
            proof(row, f"STEP_TIME {row}: step {name}, {total:.1f} us"),
            total,
            begin_us=ORIGIN + begin,
            fetch_us=fetch,
        )
        for row, name, total, begin, fetch in [
            (1, "1", 1000.0, 0, 150.0),
            (2, "2", 1000.0, 1000, 50.0),
            (3, "3", 500.0, 2000, 0.0),
        ]
    )
    operator = {"operator": "aclnnMm_1"}
    assert found.tallies == (
        tally(
            *("ai_cpu", "Index", 1, 300.0, 300.0, 2, "TASK", "1"),
            begin=200,
            core="AI_CPU",
            by_step={"1": 300.0},
            detail={**operator, "dtype": "INT64"},
        ),
        tally("api", "launch", 2, 40.0, 30.0, 2, "CANN_API", None, begin=1000),
        tally(
            *("collective", "hcom_allReduce", 1, 100.0, 100.0, 1, "COMMUNICATION_OP", "1"),
            begin=600,
            by_step={"1": 100.0},
            detail={"operator": "hcom_allReduce__1_0_1"},
        ),
        tally(
            *("compile", "OpCompile", 1, 60.0, 60.0, 4, "CANN_API", "1"),
            begin=20,
            by_step={"1": 60.0},
        ),
        tally(
            *("fetch", "_Iter.__next__", 2, 200.0, 150.0, 1, "PYTORCH_API", "1"),
            begin=0,
            by_step={"1": 150.0, "2": 50.0},
        ),
        tally("gc", "gc", 1, 25.0, 25.0, 1, "GC_RECORD", "3", begin=2100, by_step={"3": 25.0}),
        tally(
            *("kernel", "MatMulV2", 2, 150.0, 100.0, 1, "TASK", "1"),
            begin=0,
            core="AI_CORE",
            shapes=1,
            dynamic=2,
            by_step={"1": 100.0, "2": 50.0},
            detail={**operator, "shapes": "2,3;3,4", "dtype": "DT_BF16"},
        ),
        tally(
            *("sync", "aten::_local_scalar_dense", 1, 410.0, 410.0, 4, "PYTORCH_API", "1"),
            begin=495,
            by_step={"1": 410.0},
            detail={"stack": "train.py(3): step; main.py(9): run"},
        ),
        tally(
            *("sync", "aclrtSynchronizeStream", 1, 400.0, 400.0, 3, "CANN_API", "1"),
            begin=500,
            by_step={"1": 400.0},
        ),
    )
    samples = Sample(ORIGIN, 2.0, 1.0, 1.0), Sample(ORIGIN + 5, 4.0, 1.0, 1.0)
    shown = proof(2, "MEMORY_RECORD 2: PTA, 4.0 MiB")
    assert found.memory == (Memory("PTA", "NPU:0", samples[1], shown, samples),)
    variable = proof(1, "META_DATA 1: HCCL_ALGO=level0:ring")
    assert found.environment == (("HCCL_ALGO", "level0:ring", variable),)
    assert (found.broken, found.notes) == (None, ())


ANALYSIS = """
CREATE TABLE StepTraceTime (deviceId INTEGER, step TEXT, computing NUMERIC,
    communication_not_overlapped NUMERIC, overlapped NUMERIC, communication NUMERIC,
    free NUMERIC, bubble NUMERIC, preparing NUMERIC);
CREATE TABLE CommAnalyzerTime (hccl_op_name TEXT, group_name TEXT, start_timestamp NUMERIC,
    elapse_time NUMERIC, wait_time NUMERIC, step TEXT);
"""


def test_the_analysis_of_steps_and_collectives(tmp_path):
    tables = {
        "StepTraceTime": [
            (0, "5", 600.0, 100.0, 50.0, 150.0, 300.0, 0.0, 20.0),
            (0, "6", "x", 1, 1, 1, 1, 1, 1),
        ],
        "CommAnalyzerTime": [
            ("hcom_send__1_0_1", "g", 5.5, 2.0, 0.5, "step5"),
            ("Total Op Info", "g", 5.5, 2.0, 0.5, "step5"),
        ],
    }
    path = "w_ascend_pt/ASCEND_PROFILER_OUTPUT/analysis.db"
    found = read(path, str(write(tmp_path / "a.db", ANALYSIS, tables)))
    row = "StepTraceTime 1: step 5, computing 600.0, communication 100.0, free 300.0"
    assert (found.format, found.steps) == (
        "analysis",
        (
            Step(
                "5",
                Evidence(path, 1, row, (1, 0)),
                1000.0,
                device="0",
                computing_us=600.0,
                communication_us=100.0,
                overlapped_us=50.0,
                free_us=300.0,
                bubble_us=0.0,
                preparing_us=20.0,
            ),
        ),
    )
    [send] = found.tallies
    assert (send.name, send.total_us, send.wait_us, send.by_step) == (
        "hcom_send",
        2000.0,
        500.0,
        {"5": 2000.0},
    )


@pytest.mark.parametrize("table", [name for name in rows() if name != "STRING_IDS"])
def test_a_table_that_is_not_there_is_not_missed(tmp_path, table):
    file = write(tmp_path / "p.db")
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"DROP TABLE {table}")
    assert read(PATH, str(file)).broken is None


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("COMPUTE_TASK_INFO", "opState"),
        ("COMPUTE_TASK_INFO", "inputShapes"),
        ("COMPUTE_TASK_INFO", "opType"),
        ("TASK", "deviceId"),
        ("TASK", "endNs"),
        ("PYTORCH_API", "callchainId"),
        ("CANN_API", "name"),
        ("STRING_IDS", "value"),
    ],
)
def test_a_column_that_is_not_there_is_not_asked_for(tmp_path, table, column):
    file = write(tmp_path / "p.db")
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    found = read(PATH, str(file))
    assert found.broken is None
    assert [step.name for step in found.steps] == ["1", "2", "3"]


def test_values_of_another_type_are_left_out(tmp_path):
    file = write(tmp_path / "p.db")
    with closing(sqlite3.connect(file)) as connection:
        for table in ("TASK", "CANN_API", "PYTORCH_API", "COMMUNICATION_OP", "GC_RECORD"):
            connection.execute(f"UPDATE {table} SET endNs = x'00ff', startNs = 'soon'")
        connection.execute("UPDATE MEMORY_RECORD SET timestamp = 9e999")
        connection.commit()
    found = read(PATH, str(file))
    assert (found.tallies, found.memory, found.broken) == ((), (), None)


def test_numbers_that_cannot_be_true_are_left_out(tmp_path):
    layout = (
        "CREATE TABLE ClusterStepTraceTime (step TEXT, type TEXT, [index] TEXT, computing REAL,"
        " communication_not_overlapped REAL, overlapped REAL, free REAL);"
        "CREATE TABLE CommAnalyzerTime (hccl_op_name TEXT, elapse_time REAL, start_timestamp REAL);"
        "CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, name TEXT);"
    )
    file = tmp_path / "p.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executescript(layout)
        steps = [
            ("1", "rank", "9" * 5000, 6.0, 3.0, 0.0, 1.0),
            ("2", "rank", "1", 6.0, 3e307, 0, 1),
        ]
        connection.executemany("INSERT INTO ClusterStepTraceTime VALUES (?,?,?,?,?,?,?)", steps)
        waits = [("hcom_send__1", 2.0, 1.0), ("hcom_send__2", 1e306, 1.0)]
        connection.executemany("INSERT INTO CommAnalyzerTime VALUES (?,?,?)", waits)
        calls = [(5, 1005, 1, "aclrtMalloc"), (5, 2**63 - 1, 1, "aclrtMalloc")]
        connection.executemany("INSERT INTO CANN_API VALUES (?,?,?,?)", calls)
    told = read(PATH, str(file))
    assert [(step.name, step.rank, step.total_us) for step in told.steps] == [("1", None, 10.0)]
    assert {tally.name: (tally.count, tally.total_us) for tally in told.tallies} == {
        "hcom_send": (1, 2000.0),
        "aclrtMalloc": (1, 1.0),
    }


@pytest.fixture(scope="module")
def scanner(tmp_path_factory):
    return Scanner(knowledge(tmp_path_factory.mktemp("rules")))


def scan(scanner, folder):
    """Return what each file below a folder yields, archives opened."""
    return {
        item.path: item if isinstance(item, Skipped) else scanner.scan(item)
        for source in discover([folder])
        for item in members(source)
    }


def test_a_database_is_a_shard_wherever_it_lies(scanner, tmp_path):
    raw = write(tmp_path / "p.db").read_bytes()
    (tmp_path / "p.db").unlink()
    (tmp_path / "a.db").write_bytes(raw)
    (tmp_path / "b.db.gz").write_bytes(gzip.compress(raw))
    with tarfile.open(tmp_path / "c.tar", "w") as archive:
        info = tarfile.TarInfo("w_ascend_pt/analysis.db")
        info.size = len(raw)
        archive.addfile(info, io.BytesIO(raw))
    found = scan(scanner, tmp_path)
    assert sorted(found) == ["a.db", "b.db.gz", "c.tar!w_ascend_pt/analysis.db"]
    for path, shard in found.items():
        said = Evidence(path, 1, "META_DATA 1: HCCL_ALGO=level0:ring", (1, 0))
        assert (shard.kind, shard.size, shard.lines, shard.environment, shard.broken) == (
            "profile",
            len(raw),
            0,
            (Said("HCCL_ALGO", "level0:ring", said),),
            None,
        )
        assert len(shard.measures[0].tallies) == 9


def test_a_database_within_an_archive_is_unpacked_up_to_a_bound(scanner, tmp_path, monkeypatch):
    monkeypatch.setattr(databases, "_MAX_UNPACKED", 1 << 20)
    raw = write(tmp_path / "p.db").read_bytes()
    (tmp_path / "p.db").unlink()
    (tmp_path / "b.db.gz").write_bytes(gzip.compress(raw + bytes(1 << 20)))
    assert scan(scanner, tmp_path) == {
        "b.db.gz": Skipped(
            "b.db.gz",
            "database of more than 1 MiB that comes as a stream, not read; "
            "unpack what is around it first",
        )
    }


def test_databases_of_other_programs_are_skipped(scanner, tmp_path):
    write(tmp_path / "p.db", "CREATE TABLE TASK (id INTEGER, name TEXT)", {})
    assert scan(scanner, tmp_path) == {"p.db": Skipped("p.db", NO_PROFILE)}


DAMAGED = "the database is damaged, cut off or still being written"


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw[: len(raw) // 2],
        lambda raw: raw[:512],
        lambda raw: raw[:100] + b"\xff" * 4000 + raw[4100:],
        lambda raw: raw[:16] + bytes(84) + raw[100:],
    ],
)
def test_what_is_no_whole_database_is_skipped_with_a_reason(scanner, tmp_path, damage):
    file = write(tmp_path / "p.db")
    file.write_bytes(damage(file.read_bytes()))
    assert scan(scanner, tmp_path) == {"p.db": Skipped("p.db", DAMAGED)}


def test_what_is_left_of_a_damaged_database_is_read(scanner, tmp_path):
    many = rows()
    many["TASK"] *= 20_000
    file = write(tmp_path / "p.db", tables=many)
    raw = file.read_bytes()
    middle = len(raw) // 2
    file.write_bytes(raw[:middle] + b"\xff" * 65536 + raw[middle + 65536 :])
    [shard] = scan(scanner, tmp_path).values()
    assert isinstance(shard, Shard)
    assert shard.broken == f"table TASK: {DAMAGED}"
    assert {item.kind for item in shard.measures[0].tallies} == {
        *("ai_cpu", "api", "collective", "compile", "fetch", "gc", "kernel", "sync")
    }


@pytest.fixture
def patient(monkeypatch):
    """A database is granted few steps, so that the test is quick."""
    monkeypatch.setattr(sqlite, "_STEPS", 1_000_000)


@pytest.mark.usefixtures("patient")
def test_views_are_not_read(tmp_path):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, i"
    layout = LAYOUT.replace(
        "CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);",
        f"CREATE VIEW STEP_TIME AS {endless} AS startNs, i AS endNs FROM n;",
    )
    tables = {name: told for name, told in rows().items() if name != "STEP_TIME"}
    found = read(PATH, str(write(tmp_path / "p.db", layout, tables)))
    assert (found.steps, found.broken) == ((), None)


def test_columns_that_compute_are_not_read(tmp_path):
    layout = LAYOUT.replace("endNs INTEGER);", "endNs INTEGER AS (startNs + 1));")
    assert layout.count(" AS (") == 1
    tables = rows()
    tables["STEP_TIME"] = [row[:2] for row in tables["STEP_TIME"]]
    found = read(PATH, str(write(tmp_path / "p.db", layout, tables)))
    assert (found.steps, len(found.tallies), found.broken) == ((), 9, None)


@pytest.mark.usefixtures("patient")
def test_a_join_that_multiplies_is_ended(tmp_path):
    many = rows()
    many["TASK"] = many["TASK"][:1] * 1000
    many["COMPUTE_TASK_INFO"] = many["COMPUTE_TASK_INFO"][:1] * 1000
    found = read(PATH, str(write(tmp_path / "p.db", tables=many)))
    assert found.broken is not None
    assert "table TASK: reading it takes far longer than its size explains" in found.broken


def test_a_value_that_is_far_too_large_is_not_read(tmp_path):
    many = rows()
    many["STEP_TIME"] = [("9" * (2 << 20), 1, 2), *many["STEP_TIME"]]
    found = read(PATH, str(write(tmp_path / "p.db", tables=many)))
    assert all(len(step.name) < 100 for step in found.steps)
    assert len(found.tallies) == 9


def test_nothing_is_written_beside_a_database(tmp_path):
    file = write(tmp_path / "a # b?%41.db")
    file.chmod(0o400)
    assert len(read(PATH, str(file)).tallies) == 9
    assert [child.name for child in tmp_path.iterdir()] == ["a # b?%41.db"]


def test_what_a_writer_holds_is_read_as_it_is(tmp_path):
    file = write(tmp_path / "p.db")
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        assert len(read(PATH, str(file)).tallies) == 9


def test_what_is_only_in_the_journal_of_a_writer_is_not_read_and_said_to_be(tmp_path):
    file = write(tmp_path / "p.db")
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO STEP_TIME VALUES (4, ?, ?)", (BEGIN, BEGIN + 5_000_000))
        writer.commit()
        found = read(PATH, str(file))
    assert ([step.name for step in found.steps], found.notes) == (
        ["1", "2", "3"],
        (Note("unfinished"),),
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return write(tmp_path_factory.mktemp("whole") / "p.db")


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(place=st.integers(16, 40_000), damage=st.binary(min_size=1, max_size=64))
def test_any_damage_is_endured(tmp_path, whole, place, damage):
    raw = whole.read_bytes()
    place %= len(raw)
    file = tmp_path / "p.db"
    file.write_bytes(raw[:place] + damage + raw[place + len(damage) :])
    with suppress(DatabaseError):
        found = read(PATH, str(file))
        assert all(step.total_us >= 0 for step in found.steps)
