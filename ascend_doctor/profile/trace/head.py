"""Whether a file is a trace, by its begin."""

from __future__ import annotations

import json

# What begins the object that torch's profiler, or another, writes.
from ascend_doctor import late

_OBJECT = late.pattern(
    rb'\{\s{0,64}"(?:schemaVersion|deviceProperties|distributedInfo|traceEvents)"'
    rb'|\{\s{0,64}"[\s\S]{0,60000}?[^\\]"traceEvents"\s{0,8}:\s{0,8}\['
)
# An event whose end is not in the head, or that is no JSON.
_EVENT = late.pattern(r'\{[^{}]{0,400}"ph"\s{0,4}:')
_LOOK = 1 << 16


def is_trace(head: bytes) -> bool:
    """Say whether a file that begins so is a trace: a list of events, or an object with one."""
    start = head[:_LOOK].lstrip(b"\xef\xbb\xbf\r\n\t ")
    if start.startswith(b"{"):
        return _OBJECT.match(start) is not None
    # Most logs of CANN begin with a bracket, too.
    if not start.startswith(b"[") or not start[1:64].lstrip().startswith(b"{"):
        return False
    text = start[1:].decode("utf-8", "replace").lstrip()
    try:
        event, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return _EVENT.match(text) is not None
    return isinstance(event, dict) and "ph" in event
