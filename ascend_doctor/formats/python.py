r"""Python tracebacks, in CPython's layout and IPython's, and where user code stands in them.

>>> frame = location([
...     b'  File "/app/train.py", line 7, in main',
...     b'  File "/usr/lib/python3.11/site-packages/torch/x.py", line 9, in f',
... ])
>>> frame.file, frame.line, frame.function
('/app/train.py', 7, 'main')
>>> location([
...     b"[0/8]    function: 'forward' (/app/net.py:16)",
...     b'[0/8]   File "/app/net.py", line 17, in forward',
... ]).line
17
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ascend_doctor.records import Location
from ascend_doctor.view.encoding import shown

TRACEBACK = re.compile(rb"\s{0,8}(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\):")
FRAME = re.compile(rb'\s{0,8}File "[^"\n]{1,1000}", line \d{1,9}|File \S{1,1000}:\d{1,9}, in ')
RAISED = re.compile(
    rb"(?:[A-Za-z_]\w{0,80}\.){0,12}[A-Z]\w{0,80}"
    rb"(?:Error|Exception|Interrupt|Exit|Fault|Timeout|Expired|Backend|Unsupported)\b"
    rb"(?:\([^)\n]{0,80}\))?(?::|$)|Fatal Python error: "
)
# The stack of a crash that faulthandler prints, innermost frame first.
STACK = re.compile(
    rb"(?:Current thread|Thread) 0x[0-9a-f]{4,32}[^\n]{0,80}\(most recent call first\):"
    rb"|Stack \(most recent call first\):"
)
# Dynamo's name for the frames of the user's code that it puts behind a message.
USER_STACK = re.compile(rb"User [Ss]tack(?: trace)?:\s*$")
# Behind frames any dotted name ends the traceback.
ENDS = re.compile(rb"[A-Za-z_][\w.]{0,160}(?:: |$)")
# Dynamo numbers the lines of a message by what it compiles, and names the log.
_NUMBERED = rb"(?:\[\d{1,6}/\d{1,6}(?:_\d{1,6})?\] (?:\[__\w{1,40}\] )?)?"
_FRAME = re.compile(
    _NUMBERED
    + rb'\s{0,8}File "(?P<file>[^"\n]{1,1000})", line (?P<line>\d{1,9})(?:,? in (?P<function>.+))?'
)
# Code that the user did not write; a frame in it is not where to look.
_FOREIGN = re.compile(
    rb"/opp/built-in/|/ascend-toolkit/|/(?:site|dist)-packages/|/lib(?:64)?/python3|^<|/torch/|/python3\.\d+/|/conda/lib/"
)


# Dynamo names the function that it compiles.
_COMPILED = re.compile(
    _NUMBERED + rb"\s{0,16}function: '(?P<function>[^'\n]{1,200})' "
    rb"\((?P<file>[^:)\n]{1,1000}):(?P<line>\d{1,9})\)"
)


def location(lines: Iterable[bytes]) -> Location | None:
    """Return the innermost frame that stands in the user's own code."""
    best = None
    innermost_first = False
    for line in lines:
        innermost_first = innermost_first or STACK.match(line) is not None
        found = _FRAME.match(line) or _COMPILED.match(line)
        if found is not None and not _FOREIGN.search(found["file"]):
            best = found
            if innermost_first:
                break
    if best is None:
        return None
    return Location(
        file=shown(best["file"]),
        line=int(best["line"]),
        function=shown((best["function"] or b"?").strip())[:200],
    )
