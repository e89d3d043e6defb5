"""Profiler tables → facts, by way of the readers in ``profile``."""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.facts import Process, Shard
from ascend_doctor.ingest.source import Skipped, Source
from ascend_doctor.knowledge.rule import Readers
from ascend_doctor.profile import step_trace
from ascend_doctor.records import Evidence, Sighting
from ascend_doctor.scan.collect import Collection


def scan_table(source: Source, text: Iterator[bytes], readers: Readers) -> Shard | Skipped:
    """Read a table of the profiler; one that no reader knows is skipped, and said to be."""
    data = bytearray(next(text, b""))
    if not step_trace.is_step_trace(bytes(data)):
        return Skipped(source.path, "profiler data that this version does not read")
    for block in text:
        data += block
        if len(data) > step_trace.MAX_BYTES:
            return Skipped(source.path, "step trace larger than 64 MiB")
    collection = Collection(source.path)
    idle = step_trace.most_idle(data.decode("utf-8", "replace"))
    if idle is not None and idle.share >= step_trace.IDLE_SHARE:
        proof = Evidence(source.path, idle.line, idle.text.strip(), (idle.line, 0))
        captures = {
            "name": idle.name,
            "share": f"{100 * idle.share:.0f}",
            "idle": f"{idle.idle_ms:.1f}",
            "step": f"{idle.step_ms:.1f}",
        }
        sighting = Sighting((proof,), captures)
        rules = readers.get(("step_trace", "idle"), ())
        collection.add_reading(rules, Process(source=source.path), sighting)
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    return Shard(source.path, "profile", len(data), lines, findings=collection.findings())
