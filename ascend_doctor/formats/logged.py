r"""One-line log heads of other software: PyTorch's C++ and Dynamo logs, glog, the kernel.

>>> parse(b"W0716 01:10:47.676000 5671 torch/_dynamo/convert_frame.py:984] [0/8] hit").level
'WARNING'
>>> parse(b"[rank1]:[E1212 12:10:10.142 x.ts:1675] boom").level
'ERROR'
"""

from __future__ import annotations

from msgspec import Struct

from ascend_doctor import late
from ascend_doctor.view.prefix import level_name

_GLOG = late.pattern(
    rb"(?P<letter>[VDIWEF])(?P<day>\d{4}) (?P<clock>\d\d:\d\d:\d\d\.\d{3,9}) +(?P<pid>\d{1,10}) "
    rb"(?P<where>[^\]\n]{1,300}:\d{1,7})\] ?"
)
_C10 = late.pattern(
    rb"(?:\[rank\d{1,6}\]:)?\[?(?P<letter>[VDIWEF])"
    rb"(?: (?=[\w./]{1,120}:\d{1,6}\])|(?P<day>\d{3,4}) \d\d:\d\d:\d\d\.\d{3,9} "
    rb"|\d? ?\d{1,2}/\d\d \d\d:\d\d:\d\d\. ?\d{1,6} )[^\]\n]{1,160}\] "
)
_KERNEL = late.pattern(rb"\[ {0,8}\d{1,9}\.\d{6}\] ")
# How lines with such a head begin.
HEADS = (_GLOG, _C10, _KERNEL)


class Head(Struct, frozen=True):
    """The head of a line: its level, and what equal heads of one message share."""

    level: str
    pid: int | None
    key: bytes
    end: int


def parse(line: bytes) -> Head | None:
    """Return the head that ``line`` begins with, if it is one of these."""
    found = _GLOG.match(line)
    if found is not None:
        key = found[0].rstrip()
        return Head(level_name(found["letter"].decode()), int(found["pid"]), key, found.end())
    found = _C10.match(line)
    if found is not None:
        return Head(level_name(found["letter"].decode()), None, b"", found.end())
    found = _KERNEL.match(line)
    if found is not None:
        return Head("", None, b"", found.end())
    return None
