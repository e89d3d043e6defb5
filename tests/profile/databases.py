"""A database as torch_npu's profiler exports it, with times that are easy to add up."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

BEGIN = 1_700_000_000_000_000_000
STRINGS = (
    *("MatMulV2", "AI_CORE", "dynamic", "2,3;3,4", "DT_BF16", "aclnnMm_1"),
    *("Index", "AI_CPU", "N/A", "INT64", "hcom_allReduce_", "hcom_allReduce__1_0_1"),
    *("aclrtSynchronizeStream", "launch", "OpCompile", "PTA"),
    *("enumerate(DataLoader)#_Iter.__next__", "aten::item", "aten::_local_scalar_dense"),
    *("train.py(3): step", "main.py(9): run"),
)
ID = {text: number for number, text in enumerate(STRINGS)}

LAYOUT = """
CREATE TABLE STRING_IDS (id INTEGER, value TEXT);
CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, globalTaskId INTEGER);
CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER, taskType INTEGER,
    opType INTEGER, inputDataTypes INTEGER, inputShapes INTEGER, opState INTEGER);
CREATE TABLE COMMUNICATION_OP (opName INTEGER, startNs INTEGER, endNs INTEGER, opType INTEGER);
CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, name INTEGER);
CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, name INTEGER, callchainId INTEGER);
CREATE TABLE PYTORCH_CALLCHAINS (id INTEGER, stack INTEGER, stackDepth INTEGER);
CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);
CREATE TABLE GC_RECORD (startNs INTEGER, endNs INTEGER, globalTid INTEGER);
CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER);
CREATE TABLE MEMORY_RECORD (component INTEGER, timestamp INTEGER, totalAllocated INTEGER,
    totalReserved INTEGER, totalActive INTEGER, deviceId INTEGER);
CREATE TABLE META_DATA (name TEXT, value TEXT);
"""


def at(microseconds: float) -> int:
    """Return a time of the recording in ns."""
    return BEGIN + int(microseconds * 1000)


def _row(begin: float, took: float, *more: object) -> tuple[object, ...]:
    return (at(begin), at(begin + took), *more)


def rows() -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of each table."""
    matmul = (ID["AI_CORE"], ID["MatMulV2"], ID["DT_BF16"], ID["2,3;3,4"], ID["dynamic"])
    index = (ID["AI_CPU"], ID["Index"], ID["INT64"], ID["N/A"], ID["N/A"])
    fetch, item, dense = (ID[text] for text in STRINGS[16:19])
    return {
        "STRING_IDS": list(enumerate(STRINGS)),
        "TASK": [_row(0, 100, 0, 1), _row(200, 300, 0, 2), _row(1200, 50, 0, 3), _row(0, 9, 0, 8)],
        "COMPUTE_TASK_INFO": [
            (ID["aclnnMm_1"], 1, *matmul),
            (ID["aclnnMm_1"], 2, *index),
            (ID["aclnnMm_1"], 3, *matmul),
        ],
        "COMMUNICATION_OP": [
            (ID["hcom_allReduce__1_0_1"], at(600), at(700), ID["hcom_allReduce_"])
        ],
        "CANN_API": [
            _row(0, 10, 20000, ID["launch"]),
            _row(1000, 30, 20000, ID["launch"]),
            _row(500, 400, 20000, ID["aclrtSynchronizeStream"]),
            _row(20, 60, 10000, ID["OpCompile"]),
        ],
        "PYTORCH_API": [
            (*tuple(map(str, _row(0, 150))), fetch, None),
            (*tuple(map(str, _row(1000, 50))), fetch, None),
            (*tuple(map(str, _row(490, 420))), item, 7),
            (*tuple(map(str, _row(495, 410))), dense, 7),
        ],
        "PYTORCH_CALLCHAINS": [(7, ID["main.py(9): run"], 1), (7, ID["train.py(3): step"], 0)],
        "STEP_TIME": [(1, at(0), at(1000)), (2, at(1000), at(2000)), (3, at(2000), at(2500))],
        "GC_RECORD": [_row(2100, 25, 1)],
        "RANK_DEVICE_MAP": [(3, 0)],
        "MEMORY_RECORD": [
            (ID["PTA"], at(0), 1 << 20, 2 << 20, 1 << 20, 0),
            (ID["PTA"], at(5), 1 << 20, 4 << 20, 1 << 20, 0),
        ],
        "META_DATA": [("ENV_VARIABLES", '{"HCCL_ALGO": "level0:ring", "ACL_X": ""}')],
    }


def write(file: Path, layout: str = LAYOUT, tables: dict[str, list[tuple]] | None = None) -> Path:
    """Write a database."""
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(layout)
        for table, values in (rows() if tables is None else tables).items():
            for row in values:
                marks = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {table} VALUES ({marks})", row)
        connection.commit()
    return file
