"""Which lines belong to one message, and what is read off them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ascend_doctor.formats.grouping import MAX_LINES
from ascend_doctor.formats.record import Records, line_at
from ascend_doctor.records import Origin, Record
from ascend_doctor.view.raw import Raw
from ascend_doctor.view.view import Printed, View, of
from ascend_doctor.view.window import Sizes, Window, windows


def records_of(data: bytes, path_origin: Origin | None = None) -> list[Record]:
    """Return the records of all lines, in order; where in the view they stand is left out."""
    view = of(Window(data))
    records = Records(view, "run.log", path_origin or Origin())
    found = dict(records.at(start) for start in starts_of(view))
    return [replace(found[start], starts=()) for start in sorted(found)]


def starts_of(view: View, start: int | None = 0) -> Iterator[int]:
    """Yield where each line begins, from the one at ``start`` on."""
    while start is not None:
        yield start
        start = view.below(start)


def spans(data: bytes) -> list[tuple[int, ...]]:
    return [record.lines for record in records_of(data)]


REPORT = b"""\
starting up
Traceback (most recent call last):
  File "/app/train.py", line 31, in <module>
    main()
  File "/app/train.py", line 17, in main
    y = x @ w
        ^^^^^
RuntimeError: call aclnnMatmul failed, detail:EZ9999: Inner Error!
EZ9999: [PID: 512] 2026-03-04-05:06:07.008.009 the k axis differs[FUNC:f][FILE:g.cc][LINE:3]
        TraceBack (most recent call last):
        tiling failed[FUNC:h][FILE:i.cc][LINE:8]

[ERROR] 2026-03-04-05:06:08 (PID:512, Device:2, RankID:10) ERR01100 OPS call acl api failed
INFO: step 2
"""


def test_a_traceback_with_all_that_torch_npu_adds_is_one_record():
    lines = REPORT.split(b"\n")
    assert records_of(REPORT)[1:-1] == [
        Record(
            source="run.log",
            line=2,
            order=(2, 0),
            kind="traceback",
            level="ERROR",
            module=None,
            time="2026-03-04T05:06:07.008009",
            origin=Origin(rank=10, device=2, pid=512),
            text=b"\n".join(lines[1:13]),
            lines=(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
        )
    ]
    assert spans(REPORT)[0] == (1,)


def test_the_record_is_the_same_from_whichever_of_its_lines():
    view = of(Window(REPORT))
    starts = [REPORT.index(line) for line in REPORT.split(b"\n")[1:13] if line]
    found = {Records(view, "run.log", Origin()).at(start)[1].lines for start in starts}
    assert found == {tuple(range(2, 14))}


PLOG = b"[ERROR] %s(7,py):2026-03-04-05:06:07.008.009 [a.cc:1]7 %s\n"


def test_lines_without_a_header_continue_a_plog_message():
    data = (
        PLOG % (b"TEFUSION", b"compile failed:")
        + b"Traceback: none\n\tindented\nmore\n"
        + PLOG % (b"GE", b"next")
    )
    assert records_of(data) == [
        Record(
            source="run.log",
            line=1,
            order=(1, 0),
            kind="plog",
            level="ERROR",
            module="TEFUSION",
            time="2026-03-04T05:06:07.008009",
            origin=Origin(pid=7),
            text=data.split(b"[ERROR] GE")[0].rstrip(b"\n"),
            lines=(1, 2, 3, 4),
        ),
        Record(
            source="run.log",
            line=5,
            order=(5, 0),
            kind="plog",
            level="ERROR",
            module="GE",
            time="2026-03-04T05:06:07.008009",
            origin=Origin(pid=7),
            text=(PLOG % (b"GE", b"next")).rstrip(b"\n"),
            lines=(5,),
        ),
    ]


def test_two_plog_lines_are_two_records():
    assert spans(PLOG % (b"GE", b"one") + PLOG % (b"GE", b"two")) == [(1,), (2,)]


WORKERS = b"""\
(Worker_TP0 pid=40) Traceback (most recent call last):
(Worker_TP1 pid=41) Traceback (most recent call last):
(Worker_TP0 pid=40)   File "/app/a.py", line 1, in f
(Worker_TP1 pid=41)   File "/app/b.py", line 2, in g
(Worker_TP1 pid=41)     g()
(Worker_TP0 pid=40) ValueError: zero
(Worker_TP1 pid=41) KeyError: 'one'
"""


def test_mixed_lines_of_two_processes_stay_apart():
    assert [(r.text, r.lines, r.origin) for r in records_of(WORKERS)] == [
        (
            b"Traceback (most recent call last):\n"
            b'  File "/app/a.py", line 1, in f\n'
            b"ValueError: zero",
            (1, 3, 6),
            Origin(pid=40),
        ),
        (
            b"Traceback (most recent call last):\n"
            b'  File "/app/b.py", line 2, in g\n'
            b"    g()\n"
            b"KeyError: 'one'",
            (2, 4, 5, 7),
            Origin(pid=41),
        ),
    ]


def test_ranks_in_one_file_stay_apart():
    data = (
        b"[rank0]: Traceback (most recent call last):\n"
        b"[rank1]: Traceback (most recent call last):\n"
        b'[rank0]:   File "/app/a.py", line 1, in f\n'
        b"[rank0]: ValueError: zero\n"
        b"[rank1]: ValueError: one\n"
    )
    assert [(r.lines, r.origin.rank) for r in records_of(data)] == [((1, 3, 4), 0), ((2, 5), 1)]


CHAINED = b"""\
Traceback (most recent call last):
  File "/app/a.py", line 1, in f
KeyError: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/a.py", line 3, in f
ValueError: b
"""


def test_chained_tracebacks_are_two_records():
    found = records_of(CHAINED)
    assert [r.lines for r in found if r.kind == "traceback"] == [(1, 2, 3), (7, 8, 9)]


def test_equal_dynamo_heads_are_one_message():
    head = b"W0304 05:06:07.008009 42 torch/_dynamo/a.py:12] [3/1] "
    data = (
        head
        + b"recompile limit reached\n"
        + head
        + b"    function: 'f' (/app/a.py:3)\n"
        + b"W0304 05:06:07.999999 42 torch/_dynamo/a.py:99] other\n"
    )
    assert records_of(data) == [
        Record(
            source="run.log",
            line=1,
            order=(1, 0),
            kind="logged",
            level="WARNING",
            module=None,
            time=None,
            origin=Origin(pid=42),
            text=head + b"recompile limit reached\n[3/1]     function: 'f' (/app/a.py:3)",
            lines=(1, 2),
        ),
        Record(
            source="run.log",
            line=3,
            order=(3, 0),
            kind="logged",
            level="WARNING",
            module=None,
            time=None,
            origin=Origin(pid=42),
            text=b"W0304 05:06:07.999999 42 torch/_dynamo/a.py:99] other",
            lines=(3,),
        ),
    ]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (
            b"RuntimeError: boom\n\nEE1001: no good\n        Solution: none\ndone: 3\n",
            [(1, 2, 3, 4, 5)],
        ),
        (b"RuntimeError: boom\n\nstep 2\n", [(1,), (2,), (3,)]),
        (b"words\nEE1001: no good\n", [(1,), (2,)]),
        (b"RuntimeError: boom\nINFO: step 2\n", [(1,), (2,)]),
        (b"words\n    indented\n", [(1, 2)]),
        (b"words\nmore words\n", [(1,), (2,)]),
        (
            b"[W304 05:06:07.008009 a.cpp:12] one\n[W304 05:06:07.008009 a.cpp:12] two\n",
            [(1,), (2,)],
        ),
        (b"[Error]: the meaning.\n        a hint.\nEE1001: no good\n", [(1, 2, 3)]),
        (
            b'Traceback (most recent call last):\n  File "a.py", line 1, in f\nqueue.Empty\nnext\n',
            [(1, 2, 3, 4)],
        ),
        (
            b'Traceback (most recent call last):\n  File "a.py", line 1, in f\nINFO: step 2\n',
            [(1, 2), (3,)],
        ),
        (
            b"Traceback (most recent call last):\nFile /app/a.py:3, in f(x)\n      2 a\n----> 3 b\n"
            b"ValueError: boom\n",
            [(1, 2, 3, 4, 5)],
        ),
        (b"\n\n", [(1,), (2,)]),
    ],
)
def test_what_continues_a_message(data, lines):
    assert spans(data) == lines


@pytest.mark.parametrize(
    ("line", "level"),
    [
        (b"ERROR: boom", "ERROR"),
        (b"[WARN] boom", "WARNING"),
        (b"<CRITICAL> boom", "FATAL"),
        (b"(DEBUG) boom", "DEBUG"),
        (b"Warning: boom", "WARNING"),
        (b"/app/a.py:3: UserWarning: boom", "WARNING"),
        (b"[rank1]:[E304 05:06:07.008 a.cpp:12] boom", "ERROR"),
        (b"ValueError: boom", "ERROR"),
        (b"EE1001: boom", "ERROR"),
        (b"INFO 11-03 07:08:09 [a.py:8] ValueError: boom", "INFO"),
        (b"[NULL] DRV(7,py):2026-03-04-05:06:07.008.009 boom", "NULL"),
        (b"an error happened", ""),
    ],
)
def test_level_of_a_message(line, level):
    assert [record.level for record in records_of(line)] == [level]


@pytest.mark.parametrize(
    ("line", "time"),
    [
        (b"2026-03-04 05:06:07,089 - app - ERROR - boom", "2026-03-04T05:06:07.089000"),
        (b"[2026-03-04T05:06:07] boom", "2026-03-04T05:06:07.000000"),
        (b"2026-03-04T05:06:07.123456789Z boom", "2026-03-04T05:06:07.123456"),
        (b"ERROR 11-03 07:08:09 [a.py:8] boom", None),
        (b"boom", None),
    ],
)
def test_only_a_full_time_is_kept(line, time):
    assert [record.time for record in records_of(line)] == [time]


def test_a_path_tells_what_the_text_does_not():
    origin = Origin(node="node-1", rank=4, device=2)
    data = b"boom\n[rank6]: boom\n" + PLOG % (b"GE", b"x")
    assert [r.origin for r in records_of(data, origin)] == [
        Origin(node="node-1", rank=4, device=2),
        Origin(node="node-1", rank=6, device=2),
        Origin(node="node-1", rank=4, device=2, pid=7),
    ]


def test_a_runaway_message_is_cut():
    data = PLOG % (b"GE", b"dump") + b"\tframe\n" * (MAX_LINES + 50)
    found = records_of(data)
    assert found[0].lines == tuple(range(1, MAX_LINES + 1))


def test_a_long_run_of_lines_that_end_tracebacks_is_endured():
    data = b"SystemExit: 1\n" * 5000 + b"ValueError: boom\n"
    view = of(Window(data))
    _, record = Records(view, "run.log", Origin()).at(data.index(b"ValueError"))
    assert (record.lines, record.text) == ((5001,), b"ValueError: boom")


def test_the_line_at_an_offset_of_a_record_is_told():
    view = of(Window(WORKERS))
    records = Records(view, "run.log", Origin())
    _, record = records.at(0)
    offset = record.text.index(b"zero")
    assert line_at(record, offset) == (6, b"ValueError: zero")
    assert line_at(record, 0) == (1, b"Traceback (most recent call last):")


LINES = [
    b"Traceback (most recent call last):",
    b'  File "/app/a.py", line 1, in f',
    b"    f()",
    b"ValueError: boom",
    b"[rank1]: Traceback (most recent call last):",
    b'[rank1]:   File "/app/b.py", line 2, in g',
    b"[rank1]: KeyError: 'b'",
    b"EE1001: no good",
    b"        Solution: none",
    b"[ERROR] 2026-03-04-05:06:08 (PID:5, Device:2, RankID:1) ERR00100 PTA x",
    b"[Error]: meaning",
    PLOG[:-1] % (b"GE", b"boom"),
    b"W0304 05:06:07.008009 42 a.py:12] x",
    b"ERROR: words",
    b"words",
    b"",
    b"50%\r100%",
    b'{"m":"Traceback (most recent call last):\\nValueError: q"}',
]
logs = st.lists(st.sampled_from(LINES) | st.binary(max_size=20), max_size=40).map(b"\n".join)


@settings(max_examples=200, deadline=None)
@given(logs, st.data())
def test_any_line_of_any_bytes_gives_a_record_of_lines_that_exist(data, choose):
    view = Printed(Window(data), None)
    if not view.text:
        return
    place = choose.draw(st.sampled_from([*starts_of(view)]))
    start, record = Records(view, "run.log", Origin()).at(place)
    assert start <= place
    assert record.order == view.number(start)
    raw = data.split(b"\n")
    assert [*record.lines] == sorted(record.lines)
    assert set(record.lines) <= set(range(1, len(raw) + 1))
    assert len(record.text.split(b"\n")) == len(record.lines)
    assert view.number(place)[0] in record.lines or not view.line(place)[1].strip()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=30), st.randoms(use_true_random=False))
def test_records_do_not_depend_on_which_line_is_asked_for_first(lines, random):
    data = b"".join(line + b"\n" for line in lines)
    view = of(Window(data))
    starts = [*starts_of(view)] if data else []
    in_order = Records(view, "run.log", Origin())
    expected = {at: in_order.at(at) for at in starts}
    shuffled = Records(view, "run.log", Origin())
    random.shuffle(starts)
    assert {at: shuffled.at(at) for at in starts} == expected


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=30), st.integers(1500, 2500))
def test_records_are_the_same_in_whichever_window_owns_them(lines, margin):
    # Each line is at most 90 bytes long, so the margin holds a whole record of 10 lines.
    lines = [b"words\n", *(line + b"\n" for line in lines[:10])] * 4
    data = b"".join(lines)
    expected = {r.order: r for r in records_of(data)}
    found = {}
    for window in windows(iter([data]), Sizes(body=margin, margin=margin)):
        for view in (of(window), Raw(window)):
            records = Records(view, "run.log", Origin())
            for place in starts_of(view, view.body[0]):
                start, record = records.at(place)
                if view.body[0] <= start < view.body[1]:
                    record = replace(record, starts=())
                    assert found.setdefault(record.order, record) == record
    assert found == expected


@pytest.mark.parametrize("ranks", [2, 16, 64])
def test_ranks_that_take_turns_line_by_line_have_their_own_tracebacks(ranks):
    lines = [
        "Traceback (most recent call last):",
        '  File "/a/t.py", line 3, in f',
        "    g()",
        "RuntimeError: call aclnnX failed, detail:EE1001: no good",
        "EE1001: The argument is invalid.",
        "        Solution: none",
    ]
    data = "".join(f"[rank{rank}]: {line}\n" for line in lines for rank in range(ranks))
    found = records_of(data.encode())
    assert [record.lines for record in found] == [
        tuple(range(rank + 1, 6 * ranks + 1, ranks)) for rank in range(ranks)
    ]


def test_a_report_goes_on_where_only_its_first_lines_have_a_prefix():
    data = (
        b"[rank3]: Traceback (most recent call last):\n"
        b'[rank3]:   File "/app/a.py", line 3, in f\n'
        b"RuntimeError: HCCL function error: init, error code is 3\n"
        b"[ERROR] 2026-03-04-05:06:08 (PID:77, Device:3, RankID:3) ERR02200 DIST call failed\n"
        b"EI0011: no device memory is left\n"
        b"        Solution: none\n"
        b"[rank4]: still waiting\n"
        b"ValueError: of nobody in particular\n"
    )
    assert [(record.lines, record.origin.rank) for record in records_of(data)] == [
        ((1, 2, 3, 4, 5, 6), 3),
        ((7,), 4),
        ((8,), None),
    ]


def quiet(pid: int = 9, level: bytes = b"INFO") -> bytes:
    return b"[%s] GE(%d,py):2026-03-04-05:06:07.008.009 [a.cc:1]9 fine\n" % (level, pid)


@pytest.mark.parametrize("level", [b"DEBUG", b"INFO", b"EVENT", b"TRACE", b"WARNING"])
def test_a_report_goes_on_below_what_others_log_in_between(level):
    lines = REPORT.splitlines(keepends=True)[1:13]
    noise = quiet(level=level) * 2
    found = records_of(noise + noise.join(lines) + noise)
    assert [r.lines for r in found if r.kind != "plog"] == [
        tuple(3 * n for n in range(1, 13)),
    ]
    assert {r.text.count(b"\n") for r in found if r.kind == "plog"} == {0}


def test_a_report_does_not_go_on_below_an_error_that_another_logs():
    data = (
        b"Traceback (most recent call last):\n"
        + quiet(level=b"ERROR")
        + b'  File "a.py", line 1, in f\n'
    )
    assert spans(data) == [(1,), (2, 3)]


def test_lines_below_a_warning_are_more_of_it_where_nothing_else_is_going_on():
    warning = quiet(level=b"WARNING")
    data = b"step 3\n" + warning + b"  shape: 3\nformat: ND\n" + warning + b"  shape: 4\n"
    assert spans(data) == [(1,), (2, 3, 4), (5, 6)]


@pytest.mark.parametrize("level", [b"DEBUG", b"INFO", b"EVENT", b"TRACE"])
def test_lines_below_a_remark_are_the_programs_own(level):
    remark = quiet(level=level)
    data = remark + b"libgraph.so FAIL\n" + remark + b"make[2]: *** [all] Error 2\n"
    found = {r.lines[0]: (r.level, r.text) for r in records_of(data) if r.kind != "plog"}
    assert found == {2: ("", b"libgraph.so FAIL"), 4: ("", b"make[2]: *** [all] Error 2")}


@pytest.mark.parametrize(
    "line",
    [
        b"[ERROR] [Compiler] no such chip",
        b"ERROR: no such chip",
        b"[       OK ] fill.rejects_null (3 ms)",
        b"[  FAILED  ] fill.rejects_null (3 ms)",
        b"FAILED tests/test_fill.py::test_null - AssertionError",
        b"============================= FAILURES =============================",
        b"[2026-03-04 05:06:07] done",
        b"RuntimeError: no such chip",
        b"EE1001: The argument is invalid.",
    ],
)
def test_what_a_program_prints_is_no_part_of_a_quiet_message_above_it(line):
    assert spans(quiet() + line + b"\n") == [(1,), (2,)]


def test_a_report_ends_where_too_many_others_log_in_between():
    head, tail = b"Traceback (most recent call last):\n", b'  File "a.py", line 1, in f\n'
    assert spans(head + quiet() * 10 + tail)[0] == (1, 12)
    assert spans(head + quiet() * 30 + tail)[0] == (1,)


def test_the_trace_of_an_error_block_may_stand_at_the_margin():
    data = b"EE1001: no\n  Solution: none\nTraceBack (most recent call last):\n  f failed\n"
    assert spans(data) == [(1, 2, 3, 4)]


def test_an_exception_group_has_one_record_for_each_of_its_exceptions():
    data = b"""\
  + Exception Group Traceback (most recent call last):
  |   File "/app/a.py", line 1, in f
  | ExceptionGroup: many (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/app/b.py", line 2, in g
    | ValueError: boom
    +------------------------------------
"""
    assert [(r.kind, r.lines) for r in records_of(data)] == [
        ("traceback", (1, 2, 3, 4)),
        ("traceback", (5, 6, 7, 8)),
    ]


def test_a_prefix_may_name_the_node():
    data = b"Jan  2 03:04:05 node-7 python3[812]: RuntimeError: boom\n"
    assert [r.origin for r in records_of(data)] == [Origin(node="node-7", pid=812)]
    assert records_of(data, Origin(node="worker-1"))[0].origin.node == "worker-1"


@pytest.mark.parametrize("outer", [b"", b"2026-03-04T05:06:07.008009Z stderr F "])
def test_a_report_of_a_rank_goes_on_where_its_prefix_is_missing(outer):
    lines = [
        b"[rank7]: Traceback (most recent call last):",
        b'[rank7]:   File "/app/a.py", line 1, in f',
        b"RuntimeError: boom",
    ]
    data = b"".join(outer + line + b"\n" for line in lines)
    assert [(r.lines, r.origin.rank) for r in records_of(data)] == [((1, 2, 3), 7)]
