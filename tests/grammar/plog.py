"""Lines of a plog, in every form in which releases and frameworks write the header."""

from __future__ import annotations

PID = 4107
TID = 4190

# A line holds at most this many bytes, its newline counted; what is longer is cut silently.
MAX_LINE = 1023

_DAY = "2026-03-04"
_WHERE = "[sub_task.cc:318]"

HEADERS = {
    "plain": "[{level}] {module}({pid},python3):{day}-{time} {where}{tid} {body}",
    "blank before the thread": "[{level}] {module}({pid},python3):{day}-{time} {where} {tid} "
    "{body}",
    "thread in brackets": "[{level}] {module}({pid},python3):{day}-{time} {where} [{tid}]{body}",
    "thread named": "[{level}] {module}({pid},python3):{day}-{time} {where}[Run][tid:{tid}]:{body}",
    "key and value": "[{level}] {module}({pid},python3):{day}-{time} [status:RUN] {where}{tid} "
    "{body}",
    "thread in the head": "[{level}] {module}({pid},ffff90ab12c0,python3):{day}-{time} {where} "
    "{body}",
    "blank in the date": "[{level}] {module}({pid},python3):{day} {time} {where}{tid} {body}",
    "no file and line": "[{level}] {module}({pid},python3):{day}-{time} {tid} {body}",
    "dotted name": "[{level}] {module}({pid},python3.11):{day}-{time} {where}{tid} {body}",
    "name of two words": "[{level}] {module}({pid},Main Trainer):{day}-{time} {where}{tid} {body}",
    "name None": "[{level}] {module}({pid},None):{day}-{time} {where}{tid} {body}",
    "no name": "[{level}] {module}({pid},):{day}-{time} {where}{tid} {body}",
    "long path": "[{level}] {module}({pid},python3):{day}-{time} "
    "[../../../src/runtime/core/sub_task.cc:318]{tid} {body}",
    "build artefact": "[{level}] {module}({pid},python3):{day}-{time} "
    "[build/CMakeFiles/x.dir/compiler_depend.ts:318]{tid} {body}",
}


def line(
    module: str,
    body: str,
    *,
    header: str = "plain",
    level: str = "ERROR",
    pid: int = PID,
    at: int = 0,
) -> str:
    """Return one message; ``at`` counts the microseconds that its process has been logging."""
    seconds, micro = divmod(at, 1_000_000)
    return HEADERS[header].format(
        level=level,
        module=module,
        pid=pid,
        day=_DAY,
        time=f"05:{seconds // 60 % 60:02}:{seconds % 60:02}.{micro // 1000:03}.{micro % 1000:03}",
        where=_WHERE,
        tid=TID if pid == PID else pid,
        body=body,
    )


def cut(message: str) -> bytes:
    """Return what the logger leaves of a long message: bytes up to its limit, a newline."""
    return message.encode()[: MAX_LINE - 1] + b"\n"


_QUIET = ("INFO", "EVENT", "WARNING", "DEBUG", "TRACE")
_BUSY = (
    ("RUNTIME", "TaskSubmit:task {n} of stream 3 done"),
    ("GE", "Report:[Graph][Run] subgraph {n} took 12 us"),
    ("HCCL", "[Op][AllReduce]count[{n}] launched"),
    ("DRV", "queue {n} has room"),
)


def healthy(count: int, *, pid: int = 90_001, start: int = 0) -> list[str]:
    """Return what a healthy neighbour logs, in several levels below error."""
    return [
        line(
            _BUSY[n % len(_BUSY)][0],
            _BUSY[n % len(_BUSY)][1].format(n=n),
            level=_QUIET[n % len(_QUIET)],
            pid=pid + n % 3,
            at=start + 731 * n,
        )
        for n in range(count)
    ]
