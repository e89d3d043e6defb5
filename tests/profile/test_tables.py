"""Each table of a profile is known by its columns, and read in one unit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.formats.sniff import kind_of
from ascend_doctor.profile.model import (
    MAX_SAMPLES,
    MAX_TALLIES,
    OTHERS,
    Measures,
    Note,
    Sample,
    Span,
    Step,
    Tally,
)
from ascend_doctor.profile.readers import reader_of
from ascend_doctor.records import Evidence
from tests.profile.tables import (
    API_STATISTIC,
    ITERATIONS,
    KERNELS,
    MEMORY,
    OP_STATISTIC,
    OPERATOR_MEMORY,
    OPERATORS,
    PREPROCESS,
    STEPS,
    lines,
    read,
)


def proof(line: int, text: str) -> Evidence:
    return Evidence("t.csv", line, text, (line, 0))


def test_operators_of_the_device_are_counted_by_type():
    rows = [
        '10,0,mm_1,MatMulV2,dynamic,AI_CORE,1700000000000000.120\t,800.0,3.0,24,"""2,4;4,8""",A;B',
        '10,0,mm_2,MatMulV2,static,AI_CORE,1700000000000900.5\t,200.0,1.0,24,"""2,4;4,8""",A;B',
        '11,0,mm_3,MatMulV2,dynamic,AI_CORE,1700000000001900.5\t,100.0,N/A,24,"""2,6;6,8""",A;B',
        "11,0,index_1,Index,N/A,AI_CPU,1700000000002000.5\t,5000.0,0.5,1,7,INT64",
        "11,0,hcom_allReduce__1_0_1,hcom_allReduce_,N/A,HCCL,1700000000009000.5\t,90.0,0,0,N/A,N/A",
    ]
    assert read(lines(KERNELS, *rows)) == Measures(
        "kernel_details",
        "t.csv",
        device="0",
        tallies=(
            Tally(
                "ai_cpu",
                "Index",
                1,
                5000.0,
                Span(
                    5000.0,
                    proof(5, rows[3]),
                    1700000000002000.5,
                    "11",
                    {"operator": "index_1", "shapes": "7", "dtype": "INT64"},
                ),
                shapes=1,
                core="AI_CPU",
                wait_us=0.5,
                by_step={"11": 5000.0},
            ),
            Tally(
                "collective",
                "hcom_allReduce",
                1,
                90.0,
                Span(
                    90.0,
                    proof(6, rows[4]),
                    1700000000009000.5,
                    "11",
                    {"operator": "hcom_allReduce__1_0_1"},
                ),
                core="HCCL",
                wait_us=0.0,
                by_step={"11": 90.0},
            ),
            Tally(
                "kernel",
                "MatMulV2",
                3,
                1100.0,
                Span(
                    800.0,
                    proof(2, rows[0]),
                    1700000000000000.120,
                    "10",
                    {"operator": "mm_1", "shapes": "2,4;4,8", "dtype": "A;B"},
                ),
                shapes=2,
                dynamic=2,
                core="AI_CORE",
                wait_us=4.0,
                by_step={"10": 1000.0, "11": 100.0},
            ),
        ),
    )


@pytest.mark.parametrize(
    ("header", "row"),
    [
        (
            "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim",
            "Cast_20,N/A,AI_CORE,1702866902796675,40,0,0",
        ),
        (
            "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,"
            "Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Num",
            "0,4294967295,3,2,aclnnCast_1,Cast,static,AI_CORE,1702866902796675,40,0,8",
        ),
        (
            "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(ms),Block Dim",
            "1,Cast_20,Cast,AI_CORE,1702866902796675,0.04,0",
        ),
    ],
)
def test_the_columns_of_any_version_are_read(header, row):
    [tally] = read(lines(header, row)).tallies
    assert (tally.kind, tally.name, tally.total_us, tally.longest.begin_us) == (
        "kernel",
        "Cast",
        40.0,
        1702866902796675.0,
    )


def test_the_line_of_a_row_counts_line_ends_within_quotes():
    stack = '"train.py(9): step;\r\nmain.py(3): run"'
    rows = [
        'aten::add,"2,2;\r\n2,2;\r\n",,5.0,6.0,0,0',
        f"aten::_local_scalar_dense,;,{stack},900.0,901.0,0,0",
        f"aten::_local_scalar_dense,;,{stack},100.0,101.0,0,0",
    ]
    found = read(lines(OPERATORS, *rows))
    assert found.tallies == (
        Tally(
            "host",
            "aten::add",
            1,
            5.0,
            Span(
                5.0,
                proof(2, 'aten::add,"2,2;'),
                detail={"operator": "aten::add", "shapes": "2,2; 2,2;"},
            ),
            shapes=1,
        ),
        Tally(
            "sync",
            "aten::_local_scalar_dense",
            2,
            1000.0,
            Span(
                900.0,
                proof(5, 'aten::_local_scalar_dense,;,"train.py(9): step;'),
                detail={
                    "operator": "aten::_local_scalar_dense",
                    "shapes": ";",
                    "stack": "train.py(9): step; main.py(3): run",
                },
            ),
            shapes=1,
        ),
    )
    assert found.facts == {"with_stack": "true"}


@pytest.mark.parametrize(
    ("names", "waits"),
    [
        (["aten::item", "aten::_local_scalar_dense"], ["aten::_local_scalar_dense"]),
        (["aten::item", "aten::add"], ["aten::item"]),
        (["aten::nonzero", "aten::item"], ["aten::item", "aten::nonzero"]),
    ],
)
def test_a_wait_within_another_counts_once(names, waits):
    found = read(lines(OPERATORS, *(f"{name},,,5.0,9.0,0,0" for name in names)))
    assert sorted(t.name for t in found.tallies if t.kind == "sync") == waits
    assert sum(tally.count for tally in found.tallies) == len(names)


def test_sums_of_operators_keep_the_longest():
    rows = ["0,MatMulV2,AI_CORE,4,100.0,10,25,40.0,80", "0,Index,AI_CPU,2,50,20,25,30,20"]
    assert read(lines(OP_STATISTIC, *rows)).tallies == (
        Tally("ai_cpu", "Index", 2, 50.0, Span(30.0, proof(3, rows[1])), core="AI_CPU"),
        Tally("kernel", "MatMulV2", 4, 100.0, Span(40.0, proof(2, rows[0])), core="AI_CORE"),
    )


@pytest.mark.parametrize(
    ("names", "kinds"),
    [
        (
            ["aclrtSynchronizeStreamWithTimeout", "StreamSynchronize", "launch"],
            {"aclrtSynchronizeStreamWithTimeout": "sync", "StreamSynchronize": "api"},
        ),
        (["StreamSynchronize", "launch"], {"StreamSynchronize": "sync"}),
        (["aclopCompileAndExecuteV2"], {"aclopCompileAndExecuteV2": "compile"}),
        (
            ["aclopCompileAndExecuteV2", "OpCompile"],
            {"aclopCompileAndExecuteV2": "api", "OpCompile": "compile"},
        ),
        (["aclnnAddGetWorkspaceSize"], {}),
    ],
)
def test_calls_within_calls_do_not_count_twice(names, kinds):
    rows = [f"host,x,{name},10.0,2,5,4,6,1" for name in names]
    found = read(lines(API_STATISTIC, *rows)).tallies
    assert {tally.name: tally.kind for tally in found} == {n: kinds.get(n, "api") for n in names}


def test_memory_is_kept_by_component_with_its_peak():
    rows = [
        "PTA,1700000000000000.120\t,1024.0,2048.0,1000.0,1,NPU:0",
        "PTA,1700000000000002.120\t,512.0,4096.0,500.0,1,NPU:0",
        "APP,1700000000000001.120\t,,6000.0,,,NPU:0",
    ]
    app, pta = read(lines(MEMORY, *rows)).memory
    assert (app.component, app.device, app.peak) == (
        "APP",
        "NPU:0",
        Sample(1700000000000001.120, 6000.0),
    )
    assert (pta.peak, pta.proof, pta.samples) == (
        Sample(1700000000000002.120, 4096.0, 512.0, 500.0),
        proof(3, rows[1]),
        (
            Sample(1700000000000000.120, 2048.0, 1024.0, 1000.0),
            Sample(1700000000000002.120, 4096.0, 512.0, 500.0),
        ),
    )


def test_sizes_are_mebibytes_whatever_the_header_says():
    header = "Device_id,Component,Timestamp(us),Total Reserved(KB),Device"
    [memory] = read(lines(header, "0,RUNTIME,17.5,2048,NPU:0", "0,RUNTIME,18,-1,NPU:0")).memory
    assert memory.samples == (Sample(17.5, 2.0),)


def test_a_long_curve_is_thinned_out_and_keeps_its_peak():
    rows = [f"PTA,{at},1,{at % 997},1,1,NPU:0" for at in range(9973)]
    [memory] = read(lines(MEMORY, *rows)).memory
    times = [sample.at_us for sample in memory.samples]
    assert MAX_SAMPLES // 4 < len(times) <= MAX_SAMPLES
    assert times == sorted(times)
    assert memory.peak == Sample(996.0, 996.0, 1.0, 1.0)
    assert max(sample.reserved for sample in memory.samples) == 996.0


def test_what_operators_were_given_tells_of_the_allocator():
    rows = [
        "aten::empty,512,5.0\t,9.0\t,9.0\t,4,4,10.0,20.0,10.0,8.0,20.0,8.0,1,NPU:0",
        "aten::empty,512,6.0\t,,,,,12.0,30.0,12.0,,,,1,NPU:0",
    ]
    [memory] = read(lines(OPERATOR_MEMORY, *rows)).memory
    assert (memory.component, memory.peak, memory.samples) == (
        "PTA",
        Sample(6.0, 30.0, 12.0, 12.0),
        (
            Sample(5.0, 20.0, 10.0, 10.0),
            Sample(6.0, 30.0, 12.0, 12.0),
            Sample(9.0, 20.0, 8.0, 8.0),
        ),
    )


def test_iterations_of_graphs_are_steps():
    rows = ["0,1,100,300,400,350,200,100,N/A,1,,,,", "0,2,500,700,800,400,200,100,100,1,,,,"]
    assert read(lines(ITERATIONS, *rows)).steps == (
        Step("1", proof(2, rows[0]), 350.0, device="0", begin_us=50.0),
        Step("2", proof(3, rows[1]), 400.0, device="0", begin_us=400.0, free_us=100.0),
    )


def test_preprocessing_is_counted_by_node_in_the_unit_of_the_header():
    row = "0,1700.5,IndexPut_3,1,1,1,1,2.5,3,77"
    [tally] = read(lines(PREPROCESS.replace("Total_time(us)", "Total_time(ms)"), row)).tallies
    assert (tally.kind, tally.name, tally.total_us, tally.longest.detail) == (
        "preprocess",
        "IndexPut",
        2500.0,
        {"operator": "IndexPut_3", "task": "77"},
    )


@pytest.mark.parametrize(
    "header",
    [
        "Device_id,Stream Id,Task Id,Hit Rate,Victim Rate,Op Name",
        "Device_id,Stream Id,Task Id,TLB Miss Rate,TLB Hit Rate,Op Name",
        "Device_id,Timestamp(us),Bandwidth(MB/s),Rx Bandwidth efficiency(%),rxPacket/s,txPacket/s",
        "Device_id,Mode,Max,Min,Average",
        "Device_id,Cpu Type,User(%),Sys(%),IoWait(%),Irq(%),Soft(%),Idle(%)",
        "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us)",
    ],
)
def test_tables_that_say_nothing_of_speed_are_known(header):
    assert read(lines(header, "0,1,2,3,4,5,6,7")) == Measures("silent", "t.csv")


@pytest.mark.parametrize(
    "head",
    [
        b"Step,loss,lr\n1,2.0,0.1\n",
        b"Name,Type,Duration\nx,y,1\n",
        b"Name,Count,Total Time(us)\nx,1,2\n",
        b"time,event,message\n1,start,ok\n",
        b'{"step": 1, "loss": 2.0}\n{"step": 2, "loss": 1.9}\n',
        b'{"config": {"lr": 0.1}, "name": "run"}\n',
        b"[ERROR] Name,Type,Accelerator Core,Start Time(us) are missing\n",
        b"",
    ],
)
def test_files_that_only_look_alike_are_none(head):
    assert reader_of(head) is None
    assert kind_of(head) != "profile"


ALL = [
    (KERNELS, "1,0,a,MatMulV2,static,AI_CORE,1.0,5.0,0.5,1,7,F16"),
    (OPERATORS, "aten::add,,,5.0,6.0,0,0"),
    (OP_STATISTIC, "0,MatMulV2,AI_CORE,4,100.0,10,25,40.0,80"),
    (API_STATISTIC, "host,acl,launch,10.0,2,5,4,6,1"),
    (MEMORY, "PTA,1.0,1024.0,2048.0,1000.0,1,NPU:0"),
    (OPERATOR_MEMORY, "a,512,5.0,9.0,9.0,4,4,10.0,20.0,10.0,8.0,20.0,8.0,1,NPU:0"),
    (ITERATIONS, "0,1,100,300,400,350,200,100,N/A,1,,,,"),
    (PREPROCESS, "0,1700.5,IndexPut,1,1,1,1,2.5,3,77"),
    (STEPS, "0,1,5.0,1.0,0,1.0,4.0"),
]
IDS = [header.split("(")[0] for header, _ in ALL]


def said(measures):
    """Return what a file said beside its notes."""
    return measures.steps, measures.tallies, measures.memory


@pytest.mark.parametrize(("header", "row"), ALL, ids=IDS)
@pytest.mark.parametrize(
    "text",
    [
        "{header}\n{row}\n",
        "\ufeff{header}\n{row}",
        "{header}\r\n{row}\r\n\r\n",
        "{header}\n{row},,\n",
        "{tabbed}\n{row}\n",
        "{header}\n{row}\n{header}\n",
    ],
)
def test_how_a_table_is_written_does_not_matter(header, row, text):
    expected = read(f"{header}\n{row}\n")
    tabbed = header.replace(",", "\t, ")
    found = read(text.format(header=header, row=row, tabbed=tabbed))
    assert said(found) != ((), (), ())
    assert [t.total_us for t in found.tallies] == [t.total_us for t in expected.tallies]
    assert [s.total_us for s in found.steps] == [s.total_us for s in expected.steps]
    assert [m.peak for m in found.memory] == [m.peak for m in expected.memory]
    assert found.notes == ()


@pytest.mark.parametrize(("header", "row"), ALL, ids=IDS)
@pytest.mark.parametrize(
    "bad", ["1,0", 'x,"', "N/A" + ",N/A" * 20, "nan,nan", "\x00,1", '"' + "y" * 200_000]
)
def test_a_row_that_cannot_be_read_is_left_out_and_told(header, row, bad):
    found = read(lines(header, row, bad), size=1 << 16)
    assert said(found) == said(read(lines(header, row)))
    assert found.notes == (Note("rows_unread", {"count": "1", "line": "3"}),)


@pytest.mark.parametrize(("header", "row"), ALL, ids=IDS)
@pytest.mark.parametrize("bad", ["inf", "1e308", "-1e300"])
def test_no_number_is_made_of_what_is_none(header, row, bad):
    cells = [bad if part.replace(".", "").isdecimal() else part for part in row.split(",")]
    found = read(lines(header, row, ",".join(cells)))
    assert said(found) == said(read(lines(header, row)))


@pytest.mark.parametrize(("header", "row"), ALL, ids=IDS)
def test_rows_behind_a_quote_without_an_end_are_read(header, row):
    found = read(lines(header, 'cut,"off', row))
    assert [t.longest.proof.line for t in found.tallies] in ([], [3])
    assert [s.proof.line for s in found.steps] in ([], [3])
    assert found.notes == (Note("rows_unread", {"count": "1", "line": "2"}),)
    assert said(found) != ((), (), ())


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(ALL), st.binary(max_size=300), st.integers(1, 400))
def test_any_bytes_below_a_header_are_endured(table, data, size):
    header, row = table
    raw = lines(header, row).encode() + data
    reader = reader_of(raw)
    expected = reader.read("t.csv", iter([raw]))
    blocks = (raw[at : at + size] for at in range(0, len(raw), size))
    assert reader.read("t.csv", blocks) == expected
    assert said(expected) != ((), (), ())


def test_what_is_beyond_the_bounds_is_summed_up():
    rows = [f"1,0,a,T{n:05},static,AI_CORE,1.0,{n + 1}.0,0.5,1,7,F16" for n in range(6000)]
    tallies = read(lines(KERNELS, *rows), size=1 << 16).tallies
    assert len(tallies) == MAX_TALLIES
    assert sum(tally.count for tally in tallies) == 6000
    assert sum(tally.total_us for tally in tallies) == sum(range(1, 6001))
    assert tallies[-1].name == OTHERS
