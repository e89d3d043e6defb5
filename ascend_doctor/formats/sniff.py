"""What kind of file this is, by its content, and whose it is, by its path."""

from __future__ import annotations

import os
import re
from pathlib import PurePath

from ascend_doctor.formats import error_block, logged, plog, python, torch_npu
from ascend_doctor.profile.readers import reader_of
from ascend_doctor.records import Origin
from ascend_doctor.view.prefix import NONE, peel

# Lines of the head that are looked at.
_LOOK = 60
# Where so many of the first are plog, so are the others.
_SURE, _SURE_BYTES = 16, 16 << 10

# Tables that are a profiler's, whether there is a reader for them or not.
_PROFILE = re.compile(
    rb"(?:Device_id,|Step,Type,|Step Id,|Op Name,|Component,Timestamp"
    rb"|Name,(?:Size\(KB\)|Input Shapes),)"
)
_NPU_SMI = re.compile(rb"\|\s{1,4}npu-smi \d|dcmi (?:module|model) initiali", re.IGNORECASE)

# As CANN names what a process, or a card, logs; nobody else writes into such a file.
_PLOG = re.compile(r"(?:^|[/!])(?:plog-\d{1,10}|device-(?:os|\d{1,4}))_\d{14,17}\.log(?:\.gz)?$")
_RANK = re.compile(r"(?:^|[/!_.-])rank[-_]?(\d{1,6})(?=$|[/!_.-])")
_NODE = re.compile(r"(?:^|[/!])((?:worker|node|host|server)[-_]?[\w.]{0,40}\d)(?=/)")
_DEVICE = re.compile(r"(?:^|[/!])device-(\d{1,4})(?=/)")


def kind_of(head: bytes) -> str:
    """Name the kind of file that begins with ``head``.

    Returns:
        ``plog``, ``profile``, ``npu-smi``, ``stdout`` (prefixed or not) or ``text``.
    """
    # Most files are plog through and through; nothing is peeled off such lines.
    lines = head[:_SURE_BYTES].split(b"\n", _SURE)
    if len(lines) > _SURE and all(map(plog.begins, lines[:_SURE])):
        return "plog"
    lines = [line for line in head.split(b"\n", _LOOK)[:_LOOK] if line.strip()]
    start = head.lstrip(b"\xef\xbb\xbf\r\n ")
    if _PROFILE.match(start) or reader_of(head) is not None:
        return "profile"
    if _NPU_SMI.search(b"\n".join(start.split(b"\n", 3)[:3])):
        return "npu-smi"
    peeled = [peel(line.rstrip(b"\r")) for line in lines]
    if sum(plog.begins(line) for _, line in peeled) * 2 > len(lines):
        return "plog"
    tests = (plog.parse, torch_npu.parse, python.TRACEBACK.match, logged.parse, error_block.parse)
    if any(prefix is not NONE for prefix, _ in peeled) or any(
        test(line) for _, line in peeled for test in tests
    ):
        return "stdout"
    return "text"


def origin_of(path: str, above: str = "") -> Origin:
    """Return the rank, node and device that a path names, as launchers lay files out.

    What it does not name, the folders ``above`` it may, the innermost of them first.

    >>> origin_of("worker-3/process_log/rank_17/debug/plog/plog-1.log")
    Origin(node='worker-3', rank=17, device=None, pid=None)
    >>> origin_of("plog/plog-1.log", "runs/worker-3/rank_17")
    Origin(node='worker-3', rank=17, device=None, pid=None)
    """
    posix = path if os.sep == "/" else PurePath(path).as_posix()
    rank, node, device = (
        pattern.search(posix) or _last(pattern, above) for pattern in (_RANK, _NODE, _DEVICE)
    )
    return Origin(
        node=node[1] if node else None,
        rank=int(rank[1]) if rank else None,
        device=int(device[1]) if device else None,
    )


def is_of_cann(path: str) -> bool:
    """Say whether CANN itself named a file: all that stands in it is CANN's.

    >>> is_of_cann("debug/plog/plog-41207_20260304051712197.log"), is_of_cann("plog-all.log")
    (True, False)
    """
    return _PLOG.search(path) is not None


def _last(pattern: re.Pattern[str], above: str) -> re.Match[str] | None:
    found = None
    for found in pattern.finditer(f"{above}/" if above else ""):  # noqa: B007
        pass
    return found
