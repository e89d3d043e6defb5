"""The compiled index as a file: a line for what each scan needs, and the rest in lines of its own.

A line of JSON is parsed when it is asked for. What rules say, and the pages, are more than half of
it all, and of nearly all rules nothing is said.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def text_of(value: Any) -> str:
    """Return a value as one line of JSON, equal for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def dumped(index: Mapping[str, Any]) -> str:
    """Return an index as the text of a file."""
    rules = [{**rule, "texts": ""} for rule in index["rules"]]
    lines = [text_of({**index, "rules": rules, "pages": ""}), index["pages"]]
    lines += (rule["texts"] for rule in index["rules"])
    return "\n".join(lines) + "\n"


def loaded(text: str) -> dict[str, Any]:
    """Return the index that ``dumped`` made a text of."""
    first, pages, *texts = text.removesuffix("\n").split("\n")
    index: dict[str, Any] = json.loads(first)
    index["pages"] = pages
    for rule, said in zip(index["rules"], texts, strict=True):
        rule["texts"] = said
    return index
