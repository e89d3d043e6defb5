"""The first line of a message, format by format."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.formats import error_block, logged, plog, python, torch_npu
from ascend_doctor.formats.sniff import kind_of, origin_of
from ascend_doctor.records import Location, Origin

TIME = "2026-03-04T05:06:07.008009"


@pytest.mark.parametrize(
    ("line", "head"),
    [
        (
            b"[ERROR] RUNTIME(412,python3.11):2026-03-04-05:06:07.008.009 [x.cc:5]412 f:boom",
            plog.Head("ERROR", "RUNTIME", 412, TIME),
        ),
        (
            b"[EVENT] HCCL(412,My Process):2026-03-04-05:06:07.008.009  [412]boom",
            plog.Head("EVENT", "HCCL", 412, TIME),
        ),
        (
            b"[INFO] GE(412,None):2026-03-04-05:06:07.008.009 boom",
            plog.Head("INFO", "GE", 412, TIME),
        ),
        (
            b"[WARNING] MD(412,ffffa1b2c3d4,python):2026-03-04-05:06:07.008.009 [p.cc:2] op] boom",
            plog.Head("WARNING", "MD", 412, TIME),
        ),
        (
            b"[TRACE] GE(412,atc):2026-03-04-05:06:07.008.009 [status:RUN] [g.cc:8]412 f:boom",
            plog.Head("TRACE", "GE", 412, TIME),
        ),
        (
            b"[WARNING] TORCHAIR(412,python):2026-03-04 05:06:07.008.009 [t.py:8]412 boom",
            plog.Head("WARNING", "TORCHAIR", 412, TIME),
        ),
        (
            b"[ERROR] 26(412,):2026-03-04-05:06:07.008.009 boom",
            plog.Head("ERROR", "26", 412, TIME),
        ),
        (
            b"[17] DRV(412,python):2026-03-04-05:06:07.008.009 boom",
            plog.Head("17", "DRV", 412, TIME),
        ),
        (
            b"[NULL] DRV(412,python):2026-03-04-05:06:07.008.009 boom",
            plog.Head("NULL", "DRV", 412, TIME),
        ),
        (
            b"[DEBUG]GE(412,python):2026-03-04-05:06:07.008.009 boom",
            plog.Head("DEBUG", "GE", 412, TIME),
        ),
        (b"[ERROR] DEVMM(412)page fault", plog.Head("ERROR", "DEVMM", 412, None)),
        (b"  > [ERROR] DEVMM(412,python) boom", plog.Head("ERROR", "DEVMM", 412, None)),
        (b"[ERROR] DEVMM: page fault", None),
        (b"[error] DEVMM(412,python):2026-03-04-05:06:07.008.009 boom", None),
        (b"[ERROR] devmm(412,python):2026-03-04-05:06:07.008.009 boom", None),
        (b"text [ERROR] DEVMM(412,python):2026-03-04-05:06:07.008.009 boom", None),
        (b"", None),
    ],
)
def test_plog_header(line, head):
    assert plog.parse(line) == head


@pytest.mark.parametrize(
    ("line", "head"),
    [
        (b"EE1001: The argument is no good.", error_block.Head(None, None)),
        (b"EH9999: Inner Error!", error_block.Head(None, None)),
        (b"EZ9999: Internal error!", error_block.Head(None, None)),
        (b"EH9999  the call failed[FUNC:f][FILE:g.cc][LINE:3]", error_block.Head(None, None)),
        (
            b"EE1001: [PID: 42] 2026-03-04-05:06:07.008.009 The argument is no good.",
            error_block.Head(42, TIME),
        ),
        (
            b"EZ9999: [PID: 42] 2026-03-04-05:06:07.008.009 boom[FUNC:f][FILE:g][LINE:3]",
            error_block.Head(42, TIME),
        ),
        (
            b"EZ9999[PID: 42] 2026-03-04-05:06:07.008.009 (EZ9999):  boom[FUNC:f]",
            error_block.Head(42, TIME),
        ),
        (
            b"[PID: 42] 2026-03-04-05:06:07.008.009 Invalid_Argument(EE1001): no good",
            error_block.Head(42, TIME),
        ),
        (b"[PID:42] no time", error_block.Head(42, None)),
        (b"WC0001: look out", error_block.Head(None, None)),
        (b"[ERROR] atc.main: E10007: no model", error_block.Head(None, None)),
        (b"E10016: no such operator", error_block.Head(None, None)),
        (b"EE10011: too long", None),
        (b"EE1001 is a code", error_block.Head(None, None)),
        (b"EE1001, as the table says", None),
        (b"see EE1001: no", None),
        (b"PID: 42", None),
        (b"", None),
    ],
)
def test_error_block_head_of_every_release(line, head):
    assert error_block.parse(line) == head


@pytest.mark.parametrize(
    ("line", "head"),
    [
        (
            b"[ERROR] 2026-03-04-05:06:07 (PID:42, Device:3, RankID:11) ERR01002 OPS bad type",
            torch_npu.Head(42, 3, 11, "2026-03-04T05:06:07.000000"),
        ),
        (
            b"    [ERROR] 2026-03-04-05:06:07 (PID:42, Device:-1, RankID:-1) ERR00100 PTA x",
            torch_npu.Head(42, None, None, "2026-03-04T05:06:07.000000"),
        ),
        (b"[ERROR] 2026-03-04-05:06:07 (PID:42, Device:0) ERR00100 PTA x", None),
        (b"[WARN] 2026-03-04-05:06:07 (PID:42, Device:0, RankID:0) x", None),
        (b"[ERROR] 2026-03-04-05:06:07.008.009 (PID:42, Device:0, RankID:0) x", None),
    ],
)
def test_torch_npu_line(line, head):
    assert torch_npu.parse(line) == head


GLOG = b"W0304 05:06:07.008009 42 torch/_dynamo/a.py:12]"


@pytest.mark.parametrize(
    ("line", "head"),
    [
        (GLOG + b" [3/1] recompiled", logged.Head("WARNING", 42, GLOG, len(GLOG) + 1)),
        (GLOG, logged.Head("WARNING", 42, GLOG, len(GLOG))),
        (
            b"V0304 05:06:07.008 4242 a.py:1] x",
            logged.Head("DEBUG", 4242, b"V0304 05:06:07.008 4242 a.py:1]", 32),
        ),
        (b"[W304 05:06:07.008009 a.cpp:12] boom", logged.Head("WARNING", None, b"", 32)),
        (b"[E0304 05:06:07.008 store.cpp:9] boom", logged.Head("ERROR", None, b"", 33)),
        (b"[rank7]:[F304 05:06:07.008 pg.cpp:9] boom", logged.Head("FATAL", None, b"", 37)),
        (b"[W socket.cpp:601] boom", logged.Head("WARNING", None, b"", 19)),
        (b"[I 03/04 05:06:07. 1234 a.cc:9] boom", logged.Head("INFO", None, b"", 32)),
        (b"[ 1234.567890] npu: link down", logged.Head("", None, b"", 15)),
        (b"[W] boom", None),
        (b"Wed Mar  4 05:06:07 2026", None),
        (b"", None),
    ],
)
def test_head_of_other_software(line, head):
    assert logged.parse(line) == head


@pytest.mark.parametrize(
    ("lines", "location"),
    [
        (
            [
                b'  File "/app/train.py", line 3, in <module>',
                b'  File "/app/model.py", line 71, in forward',
                b'  File "/env/lib/python3.11/site-packages/torch/nn/x.py", line 9, in f',
                b'  File "/env/lib/python3.11/threading.py", line 9, in run',
                b'  File "<frozen importlib>", line 9, in g',
            ],
            Location("/app/model.py", 71, "forward"),
        ),
        (
            [b'  File "train.py", line 3', b"    x ="],
            Location("train.py", 3, "?"),
        ),
        (
            ['  File "/程序/训练.py", line 3, in 步骤'.encode("gb18030")],
            Location("/程序/训练.py", 3, "步骤"),
        ),
        ([b'  File "/usr/lib/python3/dist-packages/a.py", line 1, in f'], None),
        ([b"File train.py, line 3"], None),
        ([], None),
    ],
)
def test_the_innermost_frame_of_the_users_own_code_is_told(lines, location):
    assert python.location(lines) == location


@pytest.mark.parametrize(
    "line",
    [
        b"ValueError: boom",
        b"KeyboardInterrupt",
        b"torch.OutOfMemoryError: boom",
        b"subprocess.TimeoutExpired: boom",
        b"my.app.deep.CustomException: boom",
        b"ConnectionError(111): boom",
        b"queue.Empty: boom",
    ],
)
def test_a_line_that_ends_a_traceback(line):
    assert python.RAISED.match(line) or python.ENDS.match(line)


@pytest.mark.parametrize(
    "line",
    [b"an Error: boom", b"error: boom", b"Errors: 3", b"  ValueError: boom", b"ErrorCode: 3"],
)
def test_a_line_that_only_mentions_an_error(line):
    assert python.RAISED.match(line) is None


PLOG = b"[ERROR] GE(7,py):2026-03-04-05:06:07.008.009 [a.cc:1]7 boom\n"


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"", "text"),
        (b"plain words\n", "text"),
        (PLOG * 3, "plog"),
        (PLOG * 3 + b"continued\n\n", "plog"),
        (b"svc-1 | " + PLOG, "plog"),
        (b"starting\nTraceback (most recent call last):\n", "stdout"),
        (b"[rank0]: hello\n", "stdout"),
        (b"W0304 05:06:07.008009 42 a.py:12] x\n", "stdout"),
        (b"| npu-smi 23.0.1    Version: 23.0.1  |\n", "npu-smi"),
        (b"dcmi module initialize failed. ret is -8005\n", "npu-smi"),
        (b"Device_id,Step,Computing\r\n", "profile"),
        (b"\xef\xbb\xbfStep,Type,Index\n", "profile"),
        (b"OP Type,Core Type,Count,Total Time(us),Max Time(us)\r\n", "profile"),
        (b"Iteration ID,FP Start(us),Iteration End(us),Iteration Time(us)\n", "profile"),
        (b'{"step1": {"p2p": {}, "collective": {}}}', "profile"),
        (b'{"config": {"common_config": {}, "experimental_config": {}}}', "profile"),
        (b'{"trace_id": "E0", "ENV_VARIABLES": {}}', "profile"),
        (b"OP Type,Count\r\n", "text"),
        (b'{"config": {"lr": 0.1}}', "text"),
        (b'{"rank_id": 1, "loss": 0.1}', "text"),
        (b'{"rank_id": 1, "cann_version": "8.0"}\n{"rank_id": 2}\n', "text"),
        (b'{"step1": {"loss": 0.1}}', "text"),
        (b'{"traceEvents": []}', "profile"),
        (b'[{"name": "op", "ph": "X"}]', "profile"),
    ],
)
def test_the_kind_of_a_file_is_told_by_its_head(head, kind):
    assert kind_of(head) == kind


@pytest.mark.parametrize(
    ("path", "origin"),
    [
        ("run.log", Origin()),
        ("rank_3/run.log", Origin(rank=3)),
        ("out/log-rank12.txt", Origin(rank=12)),
        ("node-1/rank0/debug/device-5/device-77.log", Origin(node="node-1", rank=0, device=5)),
        ("worker-3/plog-1.log", Origin(node="worker-3")),
        ("server10.0.0.7/plog-1.log", Origin(node="server10.0.0.7")),
        ("frank3/crank4.log", Origin()),
        ("worker-3", Origin()),
    ],
)
def test_a_path_tells_whose_log_it_is(path, origin):
    assert origin_of(path) == origin


@settings(deadline=None)
@given(st.binary(max_size=120))
def test_no_line_breaks_a_grammar(line):
    for parse in (plog.parse, error_block.parse, torch_npu.parse, logged.parse, kind_of):
        parse(line)
    python.location([line])
