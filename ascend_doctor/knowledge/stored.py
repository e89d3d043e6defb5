"""The compiled index as a file: a line for what each scan needs, and the rest in lines of its own.

A line of JSON is parsed when it is asked for. What rules say, and the pages, are more than half of
it all, and of nearly all rules nothing is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import json


def text_of(value: Any) -> bytes:
    """Return a value as one line of JSON, equal for equal values."""
    return json.encode(value, order="sorted")


def dumped(index: Mapping[str, Any]) -> bytes:
    """Return an index as the bytes of a file."""
    rules = [{**rule, "texts": ""} for rule in index["rules"]]
    lines = [text_of({**index, "rules": rules, "pages": ""}), index["pages"]]
    lines += (rule["texts"] for rule in index["rules"])
    return b"\n".join(lines) + b"\n"


def loaded(data: bytes) -> dict[str, Any]:
    """Return the index that ``dumped`` made bytes of."""
    first, pages, *texts = data.removesuffix(b"\n").split(b"\n")
    index: dict[str, Any] = json.decode(first)
    index["pages"] = pages
    for rule, said in zip(index["rules"], texts, strict=True):
        rule["texts"] = said
    return index
