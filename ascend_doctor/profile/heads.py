"""Which database or JSON file of a profile this is, by how it begins."""

from __future__ import annotations

import re
from collections.abc import Callable

from ascend_doctor import late

_OBJECT = late.pattern(rb'\{\s*"[A-Za-z_]{1,64}"\s*:')
_STEPS = late.pattern(
    rb'\{\s*"(?:step[^"]{0,32}|\d{1,12})"\s*:\s*\{\s*"(?:p2p|collective)"\s*:\s*\{'
)
_RANKS = late.pattern(rb'\{\s*"(?:p2p|collective|\([\d, ]{1,64}\))"\s*:\s*\{')


def is_database(head: bytes) -> bool:
    """Say whether a file that begins with ``head`` is one of SQLite."""
    return head.startswith(b"SQLite format 3\x00")


def _begins(first: re.Pattern[bytes], *keys: bytes, least: int = 1) -> Callable[[bytes], bool]:
    """Return a test for documents that begin in one way, and soon have some of these keys."""

    def knows(head: bytes) -> bool:
        if first.match(head[:512].lstrip(b"\xef\xbb\xbf\r\n \t")) is None:
            return False
        # A log may have one document a line.
        is_log = b"\n{" in head.lstrip(b"\xef\xbb\xbf\r\n ")
        return not keys or (not is_log and sum(b'"%b' % key in head for key in keys) >= least)

    return knows


is_info = _begins(
    _OBJECT,
    *(b'common_config"', b'experimental_config"', b'torch_npu_version"', b'cann_version"'),
    *(b'start_info"', b'end_info"', b'rank_id"', b'profiler_parameters"', b'ms_version"'),
    least=2,
)
is_metadata = _begins(_OBJECT, b'ENV_VARIABLES"', b'parallel_group_info"')
is_communication = _begins(_STEPS)
is_cluster = _begins(_RANKS, b"Transit Size", b"Transport Type", b"Communication Time Info")
