"""JSON files of a profile, which are small beside its traces: read as a whole, up to a bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ascend_doctor.profile.table import MAX_TEXT
from ascend_doctor.records import Evidence, Note

# Bytes that are read of one.
MAX_BYTES = 64 << 20


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
