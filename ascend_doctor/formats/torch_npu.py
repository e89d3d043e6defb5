r"""What torch_npu adds to an exception: its ERR line and its numbered function errors.

    RuntimeError: SetDevice:a.cpp:94 NPU function error: SetDevice(0), error code is 107001
    [ERROR] 2026-01-31-10:20:30 (PID:77, Device:0, RankID:3) ERR00100 PTA call acl api failed
    [Error]: the meaning of the number.
            a hint.

The ERR line has no fraction of a second; ``Device`` and ``RankID`` are -1 where unknown.

>>> parse(b"[ERROR] 2026-01-31-10:20:30 (PID:77, Device:0, RankID:-1) ERR00100 PTA x").pid
77
"""

from __future__ import annotations

import re

from msgspec import Struct

HEAD = re.compile(
    rb"\s{0,16}\[ERROR\] (?P<date>\d{4}-\d\d-\d\d)-(?P<clock>\d\d:\d\d:\d\d) "
    rb"\(PID:(?P<pid>\d{1,10}), Device:(?P<device>-?\d{1,6}), RankID:(?P<rank>-?\d{1,6})\)"
)
DETAIL = re.compile(rb"\s{0,16}\[?Error\]: ")
_RAISED = re.compile(
    rb"(?:NPU|OPS|HCCL) function error\b|NPU error, error code is|NPU out of memory\."
    rb"|HCCL error in: "
)


class Head(Struct, frozen=True):
    """The fields of an ERR line; None where torch_npu printed -1."""

    pid: int
    device: int | None
    rank: int | None
    time: str


def raises(line: bytes) -> bool:
    """Say whether an exception of torch_npu is told anywhere in ``line``."""
    # The expression alone would take ten times as long on the lines without.
    if b" error" in line or b"NPU out of" in line:
        return _RAISED.search(line) is not None
    return False


def parse(line: bytes) -> Head | None:
    """Return the fields of an ERR line, if ``line`` is one."""
    found = HEAD.match(line)
    if found is None:
        return None
    device, rank = int(found["device"]), int(found["rank"])
    return Head(
        pid=int(found["pid"]),
        device=device if device >= 0 else None,
        rank=rank if rank >= 0 else None,
        time=f"{found['date'].decode()}T{found['clock'].decode()}.000000",
    )
