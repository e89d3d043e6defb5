"""What is said of a job that is silent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from msgspec.structs import replace

from ascend_doctor.report import Coverage, Report
from ascend_doctor.reporters.stall import render
from ascend_doctor.running.logs import Baseline
from ascend_doctor.running.processes import processes_of
from ascend_doctor.running.tails import of_logs, of_output
from ascend_doctor.stall import LastLines, ProcessState, Stall

OUTPUT = (
    b"launcher up\n"
    b"[rank1]: step 7 loss 2.11\n"
    b"[rank0]: step 7 loss 2.10\n"
    b"[rank0]: step 8 loss 2.08\n"
    b"(Worker_TP1 pid=42) INFO 07-01 08:38:50 [worker.py:88] ready\n"
    b"\n"
    b"[rank0]: step 9 loss 2.07\n"
    b"[rank0]: step 10 loss 2.05\n"
    b" 10%|#   |\r 20%|##  |\r"
)


def test_the_last_lines_of_each_writer():
    told = list(of_output(OUTPUT, "out.log", float))
    assert told == [
        LastLines("", None, float(OUTPUT.index(b" 10%")), "out.log", ("launcher up", "20%|##  |")),
        LastLines(
            "rank 0", 0, float(OUTPUT.index(b"[rank0]: step 10")), "out.log",
            ("step 8 loss 2.08", "step 9 loss 2.07", "step 10 loss 2.05"),
        ),
        LastLines("Worker_TP1", None, float(OUTPUT.index(b"(Worker")), "out.log", ("ready",)),
        LastLines("rank 1", 1, 12.0, "out.log", ("step 7 loss 2.11",)),
    ]  # fmt: skip


def test_the_last_lines_of_logs_are_those_of_ranks(tmp_path):
    baseline = Baseline([str(tmp_path)])
    texts = {
        "debug/plog/plog-71_20260530100600001.log": "one\ntwo\n",
        "debug/plog/plog-72_20260530100600002.log": "three",
        "rank_5/train.log": "four\n\n",
        "launcher.log": "",
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (1000, 1000))
    first, second, third, _ = (f"{tmp_path}/{name}" for name in texts)
    assert list(of_logs(baseline.growth(), {71: 3})) == [
        LastLines("rank 3", 3, 1000.0, first, ("one", "two")),
        LastLines("pid 72", None, 1000.0, second, ("three",)),
        LastLines("rank 5", 5, 1000.0, third, ("four",)),
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_what_processes_are_doing():
    worker = "import time; print('up', flush=True); time.sleep(600)"
    process = subprocess.Popen(
        [sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', "
         f"{worker!r}], start_new_session=True, env={{'RANK': '3'}})"],
        stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        process.stdout.readline()
        launcher, child = processes_of(process.pid)
    finally:
        for state in processes_of(process.pid):
            os.kill(state.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
    told = (launcher.pid, launcher.rank, launcher.threads, child.rank, child.threads)
    assert told == (process.pid, None, 1, 3, 1)
    assert child.command == f"{sys.executable} -c {worker}"


EMPTY = Report("", (), (), {}, Coverage(0, 0, 0, {}, (), None, (), ()))
STALL = Stall(
    since=1_780_000_000.0,
    seconds=1805.0,
    writers=(
        LastLines("rank 1", 1, 1_780_000_000.0, "<output>", ("step 7 \x1b[31mloss",)),
        LastLines("", None, None, "launcher.log", ("up",)),
    ),
    processes=(
        ProcessState(70, None, "S", "do_wait", 1, 0.5, "torchrun train.py"),
        ProcessState(71, 0, "R", "", 48, 7205.0, "python train.py"),
    ),
    report=EMPTY,
)
ENGLISH = """\
! Silent for 30 min 5 s: no output and no growth of logs since 2026-05-28 20:26:40

Last lines, those silent the longest first
  rank 1  silent since 2026-05-28 20:26:40  <output>
    step 7 \\x1b[31mloss
  output  launcher.log
    up

What its processes are doing
  70  torchrun train.py
    asleep; in do_wait; 1 thread; 0.5 s of CPU
  71 (rank 0)  python train.py
    running; 48 threads; 2 h 0 min of CPU
  Where a process stands: `py-spy dump --pid 71` (`pip install py-spy`; in a container it needs
  SYS_PTRACE).
  Ranks that stand in different places are out of step; the one that stands alone is the one to look
  at.
"""
CHINESE = """\
! 已静默 30 分 5 秒：自 2026-05-28 20:26:40 起没有输出，日志也没有增长

各方最后几行（静默最久者在前）
  rank 1  2026-05-28 20:26:40 起静默  <output>
    step 7 \\x1b[31mloss
  输出  launcher.log
    up

各进程当前状态
  70  torchrun train.py
    睡眠；位于 do_wait；1 个线程；CPU 时间 0.5 秒
  71 (rank 0)  python train.py
    运行中；48 个线程；CPU 时间 2 小时 0 分
  查看进程的 Python 调用栈：`py-spy dump --pid 71`（先执行 `pip install py-spy`；容器内需要
  SYS_PTRACE 权限）。
  如果各 rank 的调用栈不一致，说明它们已不同步；应首先查看与众不同的那个 rank。
"""


@pytest.fixture
def utc(monkeypatch):
    """The time zone that clocks are told in."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(("lang", "said"), [("en", ENGLISH), ("zh", CHINESE)])
def test_what_is_said(lang, said):
    assert render(STALL, lang) == said
    assert render(replace(STALL, writers=(), processes=()), lang) == said.split("\n", 1)[0] + "\n"


def test_many_writers_and_processes_are_counted():
    many = replace(STALL, writers=STALL.writers * 20, processes=STALL.processes * 20)
    lines = render(many).splitlines()
    assert ("  24 more" in lines, "  24 more processes" in lines) == (True, True)


JOB = """
import sys, time
for rank in (0, 1):
    print(f"[rank{rank}]: step 1 loss 2.3{rank}", flush=True)
print("ImportError: libhccl.so: cannot open shared object file: No such file or directory")
sys.stdout.flush()
sys.stdin.read()
"""


def test_a_silent_command_is_told_and_goes_on(start, script):
    process = start("--stall", "0.2", "--", *script(JOB), stdin=subprocess.PIPE)
    said = b""
    while b"Read     " not in said:
        said += os.read(process.stderr.fileno(), 4096)
    lines = said.decode().splitlines()
    assert lines[0].startswith("! Silent for 0.")
    assert lines[lines.index("    step 1 loss 2.31") - 1].startswith("  rank 1  silent since ")
    assert "Diagnosis of what there is until now" in lines
    assert "✗ Root cause: The loader cannot find libhccl.so" in lines
    _, more = process.communicate(b"", timeout=60)
    assert (process.returncode, b"Silent" in more) == (0, False)


STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("up", os.getpid(), flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("is_stubborn", [False, True])
def test_a_silent_command_is_ended_if_it_is_asked_for(environ, script, is_stubborn):
    text = STUBBORN if is_stubborn else STUBBORN.replace("SIG_IGN", "SIG_DFL")
    soon = "import ascend_doctor.running.run as r, ascend_doctor.cli as c; r.TERM_S = 0.2; c.main()"
    command = [sys.executable, "-c", soon, "run", "--stall", "0.1", "--stall-kill", "--"]
    done = subprocess.run(
        [*command, *script(text)], env=environ, capture_output=True, timeout=60, text=True
    )
    assert done.returncode == 124
    assert "The command was ended after" in done.stderr
    pid = int(done.stdout.split()[1])
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


SLOW = """
import os, signal, sys, time
def tell(*_):
    print("TERM", flush=True)
    sys.exit(9)
signal.signal(signal.SIGTERM, tell)
print("ImportError: libhccl.so: cannot open shared object file", flush=True)
time.sleep(600)
"""


def test_signals_reach_a_silent_command_while_it_is_examined(start, script):
    process = start("--stall", "0.1", "--", *script(SLOW))
    process.stdout.readline()
    # It is being examined when this comes, or will be, or was.
    time.sleep(0.3)
    process.terminate()
    out, _ = process.communicate(timeout=60)
    assert (out, process.returncode) == (b"TERM\n", 9)
