"""Scan on this machine, one source after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from ascend_doctor.facts import Facts
from ascend_doctor.ingest.archive import members
from ascend_doctor.ingest.discover import discover
from ascend_doctor.ingest.limits import DEFAULT, Limits
from ascend_doctor.ingest.source import Skipped, Source
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.scan.scanner import Scanner


def scan(paths: Sequence[Path], knowledge: Knowledge, limits: Limits = DEFAULT) -> Facts:
    """Return the facts of everything readable below ``paths``.

    Raises:
        InputError: a named path does not exist.
    """
    scanner = Scanner(knowledge)
    shards = {}
    skipped = set()
    found = discover(paths)
    parts = (members(item, limits) if isinstance(item, Source) else (item,) for item in found)
    for item in chain.from_iterable(parts):
        result = item if isinstance(item, Skipped) else scanner.scan(item)
        if isinstance(result, Skipped):
            skipped.add((result.path, result.reason))
        else:
            shards[result.path] = result
    return Facts(knowledge.digest, shards, frozenset(skipped))
