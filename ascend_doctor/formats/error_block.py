r"""The error manager's block: on stderr, in exceptions, out of aclGetRecentErrMsg.

    EE1001: The argument is invalid. …                               (to CANN 7)
    EE1001: [PID: 42] 2025-02-03-04:05:06.007.008 The argument …      (7.x, 8.0)
    [PID: 42] 2025-02-03-04:05:06.007.008 Invalid_Argument(EE1001): … (8.5 on)
            Possible Cause: …
            Solution: …
            TraceBack (most recent call last):
            text[FUNC:f][FILE:g][LINE:n]

Inner errors have a line ``EZ9999: Inner Error!`` (``Internal error!`` from 9.2) first, then
``EZ9999[PID: 42] TIME (EZ9999):  text`` or, in old releases, ``EZ9999  text``.

>>> parse(b"[PID: 42] 2025-02-03-04:05:06.007.008 Invalid_Argument(EE1001): x")
Head(pid=42, time='2025-02-03T04:05:06.007008')
>>> parse(b"EH9999: Inner Error!")
Head(pid=None, time=None)
"""

from __future__ import annotations

from msgspec import Struct

from ascend_doctor import late

_CODE = rb"(?:E[1-9A-Z]|W[1-9A-Z])\d{4}"
_TIME = rb"(?P<date>\d{4}-\d\d-\d\d)-(?P<clock>\d\d:\d\d:\d\d)\.(?P<ms>\d{3})\.(?P<us>\d{3})"
HEAD = late.pattern(
    rb"(?:\[ERROR\] [\w.]{1,40}: )?(?:"
    rb"\[PID: ?(?P<pid>\d{1,10})\] ?(?:" + _TIME + rb")?"
    rb"|" + _CODE + rb"(?=[:\[ ])[: ]{0,2}(?:\[PID: ?(?P<pid2>\d{1,10})\])? ?"
    rb"(?:" + _TIME.replace(b">", b"2>") + rb")?)"
)

# Opens the list of what was called; from 9.1 at the margin.
TRACE = late.pattern(rb"\s{0,16}TraceBack \(most recent call last\):")


class Head(Struct, frozen=True):
    """Who reported the block, and when; old releases say neither."""

    pid: int | None
    time: str | None


def parse(line: bytes) -> Head | None:
    """Return the head of an error block, if ``line`` is one."""
    found = HEAD.match(line)
    if found is None:
        return None
    pid = found["pid"] or found["pid2"]
    time = None
    for suffix in ("", "2"):
        if found["date" + suffix]:
            date, clock, ms, us = (
                found[name + suffix].decode() for name in ("date", "clock", "ms", "us")
            )
            time = f"{date}T{clock}.{ms}{us}"
    return Head(int(pid) if pid else None, time)
