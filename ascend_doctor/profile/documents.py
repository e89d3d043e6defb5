"""JSON files of a profile, which are small beside its traces: read as a whole, up to a bound."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ascend_doctor.profile.table import MAX_TEXT
from ascend_doctor.records import Evidence, Note

# Bytes that are read of one.
MAX_BYTES = 64 << 20

# How each begins: the first key of the document, and the first one in it.
_COMMUNICATION = re.compile(
    rb'\{\s*"(?:step[^"]{0,32}|\d{1,12})"\s*:\s*\{\s*"(?:p2p|collective)"\s*:\s*\{'
)
_CLUSTER = re.compile(rb'\{\s*"(?:p2p|collective|\([\d, ]{1,64}\))"\s*:\s*\{')
_OBJECT = re.compile(rb'\{\s*"[A-Za-z_]{1,64}"\s*:')
_INFO = re.compile(
    rb'"(?:experimental_config|common_config|torch_npu_version|profiler_parameters)"\s*:'
)
_METADATA = re.compile(rb'"(?:ENV_VARIABLES|parallel_group_info)"\s*:\s*\{')
_BANDWIDTH = re.compile(rb'"(?:Transit Size|Transport Type|Communication Time Info)')


def _begins(first: re.Pattern[bytes], inside: re.Pattern[bytes]) -> Callable[[bytes], bool]:
    """Return a test for a document that begins in one way and soon says something."""

    def knows(head: bytes) -> bool:
        start = head.lstrip(b"\xef\xbb\xbf\r\n \t")
        return first.match(start) is not None and inside.search(start) is not None

    return knows


is_info = _begins(_OBJECT, _INFO)
is_metadata = _begins(_OBJECT, _METADATA)
is_communication = _begins(_COMMUNICATION, re.compile(rb""))
is_cluster = _begins(_CLUSTER, _BANDWIDTH)


class Document:
    """An object of a JSON file, empty if there is none, and where things stand in it.

    Attributes:
        path: the shown path of the file.
        notes: why it is empty.
        broken: why it was not read to its end.
    """

    def __init__(self, path: str, text: Iterator[bytes]) -> None:
        import json

        self.path = path
        self.broken: str | None = None
        self.notes: tuple[Note, ...] = ()
        self.value: dict[str, Any] = {}
        data = bytearray()
        for block in text:
            data += block
            if len(data) > MAX_BYTES:
                self._text = ""
                self.notes = (Note("too_large", {"size": str(MAX_BYTES >> 20)}),)
                return
        self._text = data.decode("utf-8-sig", "replace")
        try:
            value = json.loads(self._text)
        except (ValueError, RecursionError):
            self.broken = "no whole JSON document"
            return
        self.value = value if isinstance(value, dict) else {}

    def at(self, key: str) -> tuple[int, str]:
        """Return the place of a key, the begin of the document if it is written otherwise."""
        import json

        found = max(0, self._text.find(json.dumps(key, ensure_ascii=False)))
        start = self._text.rfind("\n", 0, found) + 1
        end = self._text.find("\n", found)
        # All of it may be one line.
        text = self._text[found : min(found + MAX_TEXT, end if end >= 0 else len(self._text))]
        return self._text.count("\n", 0, start) + 1, text.strip()

    def proof(self, place: tuple[int, str]) -> Evidence:
        """Return a place as proof."""
        line, text = place
        return Evidence(self.path, line, text, (line, 0))
