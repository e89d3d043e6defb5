"""What must hold of the facts, the report and its renderings, whatever bytes were read.

Only what any caller may use is used, so that the inside may change freely.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from io import BytesIO
from typing import Any

import jsonschema

from ascend_doctor.diagnosis.diagnose import (
    MAX_CONSEQUENCES,
    MAX_EVIDENCE,
    MAX_UNEXPLAINED,
    diagnose,
)
from ascend_doctor.facts import Facts, Shard
from ascend_doctor.ingest.source import Skipped, Source, blocks
from ascend_doctor.knowledge.index import load
from ascend_doctor.profile.heads import is_database
from ascend_doctor.records import LANGS, Evidence
from ascend_doctor.report import Report
from ascend_doctor.reporters import registry
from ascend_doctor.reporters.stored import loads
from ascend_doctor.scan.judge import MAX_LINE
from ascend_doctor.scan.scanner import Scanner
from ascend_doctor.view.view import of
from ascend_doctor.view.window import Sizes, Window
from ascend_doctor.view.wrap import margin
from fuzz.seeds import ROOT
from tests.hostile.strings import dangers

KNOWLEDGE = load()
WHOLE = Scanner(KNOWLEDGE)
# Windows as small as a line or two, so that a short text already has many edges.
NARROW = Scanner(KNOWLEDGE, Sizes(body=256))
# An annotation is a command of ours.
FORMATS = tuple(name for name in registry.FORMATS if name != "github")


def check(data: bytes) -> None:
    """Raise AssertionError, or whatever the code raises, if something does not hold."""
    result = _scan(WHOLE, data)
    if isinstance(result, Skipped):
        assert isinstance(_scan(NARROW, data), Skipped)
        report = diagnose(Facts(KNOWLEDGE.digest, {}, _reasons(result)), KNOWLEDGE)
        assert report.coverage.files == 0
    else:
        report = _report(result)
        text = b"".join(_readable(data))
        if not is_database(text):  # which has rows, and no lines
            _check_places(report, text)
        _check_bounds(report)
        _check_merge(result)
        if margin(text) is None:  # where a whole file was broken at one width is seen in it only
            _check_windows(report, data)
    _check_renderings(report, zlib.crc32(data))


def _scan(scanner: Scanner, data: bytes, path: str = "run.log") -> Shard | Skipped:
    return scanner.scan(Source(path, lambda: BytesIO(data)))


def _report(*shards: Shard) -> Report:
    facts = Facts(KNOWLEDGE.digest, {shard.path: shard for shard in shards})
    return diagnose(facts, KNOWLEDGE)


def _reasons(skipped: Skipped) -> frozenset[tuple[str, str]]:
    return frozenset({(skipped.path, skipped.reason)})


def _readable(data: bytes) -> Iterator[bytes]:
    """Yield the text in ``data`` up to where a damaged stream breaks off."""
    with suppress(OSError, EOFError):
        yield from blocks(BytesIO(data))


def _proofs(report: Report) -> Iterator[Evidence]:
    for diagnosis in report.diagnoses:
        yield from diagnosis.evidence
        yield from (item.evidence for item in diagnosis.consequences)
    yield from (item.first for item in report.unexplained)


def _check_places(report: Report, text: bytes) -> None:
    """Every proof is a line of the file as it was printed, and its number is one of the file's."""
    count = text.count(b"\n") + (not text.endswith(b"\n"))
    assert report.coverage.lines == count
    view = of(Window(text))
    printed: dict[int, list[bytes]] = {}
    start: int | None = 0
    while start is not None:
        printed.setdefault(view.number(start)[0], []).append(view.line(start)[1])
        start = view.below(start)
    for proof in _proofs(report):
        if "!" in proof.path and "environment" in report.coverage.by_kind:
            continue  # a place of a machine that the file tells of, not a line of the file
        lines = printed[proof.line]
        # What is not ASCII may be decoded otherwise once the head of its line is gone.
        if all(map(bytes.isascii, lines)):
            is_line = any(proof.text in line.decode() for line in lines)
            assert is_line or _is_event(proof, text), (proof, lines)


def _is_event(proof: Evidence, text: bytes) -> bool:
    """Say whether a proof is an event of a trace, shown on one line and perhaps shortened."""
    rest = text.split(b"\n", proof.line - 1)[-1].decode("utf-8", "replace")
    return "".join(proof.text.rstrip("…").split()) in "".join(rest.split())


def _check_bounds(report: Report) -> None:
    assert len(report.unexplained) <= MAX_UNEXPLAINED
    for proof in _proofs(report):
        assert len(proof.text) <= MAX_LINE
    for diagnosis in report.diagnoses:
        assert 1 <= len(diagnosis.evidence) <= MAX_EVIDENCE
        assert len(diagnosis.consequences) <= MAX_CONSEQUENCES
        assert all(len(value) <= MAX_LINE for value in diagnosis.captures.values())


def _check_merge(shard: Shard) -> None:
    """Facts add up in any order, and twice is once."""
    one = Facts(KNOWLEDGE.digest, {shard.path: shard})
    other = Facts(KNOWLEDGE.digest, {}, frozenset({("b.zip", "zip archive")}))
    assert one.merge(one) == one
    assert one.merge(other) == other.merge(one)
    assert one.merge(other).merge(one) == one.merge(other)
    assert diagnose(one.merge(other), KNOWLEDGE) == diagnose(other.merge(one), KNOWLEDGE)


def _check_windows(report: Report, data: bytes) -> None:
    """The answer does not depend on how a file is cut."""
    result = _scan(NARROW, data)
    assert isinstance(result, Shard)
    narrow = _report(result)
    assert narrow.diagnoses == report.diagnoses
    assert narrow.unexplained == report.unexplained
    assert narrow.coverage == report.coverage
    assert narrow.environment == report.environment


@cache
def _schema() -> Any:
    schema = json.loads((ROOT / "docs/schema/report-1.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def _check_renderings(report: Report, choice: int) -> None:
    """One rendering, chosen by the input: all of them would take most of the time."""
    name, lang = FORMATS[choice % len(FORMATS)], LANGS[choice % 2]
    text = registry.FORMATS[name].render(report, lang)
    assert dangers(text) == []
    text.encode()
    if name == "json":
        _schema().validate(json.loads(text))
        assert loads(text.encode(), "report.json") == report
