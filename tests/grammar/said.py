"""What the shipped rules say of some bytes."""

from __future__ import annotations

from typing import Any

from ascend_doctor.diagnosis.diagnose import diagnose
from ascend_doctor.facts import Facts
from ascend_doctor.ingest.source import Skipped
from ascend_doctor.knowledge.index import load
from ascend_doctor.records import Severity
from ascend_doctor.report import Report
from ascend_doctor.scan.scanner import Scanner
from tests.rulesets import source

KNOWLEDGE = load()
SCANNER = Scanner(KNOWLEDGE)


def report_on(content: bytes, scanner: Scanner = SCANNER) -> Report:
    """Return the report on a file with this content."""
    result = scanner.scan(source("run.log", content))
    if isinstance(result, Skipped):
        skipped = frozenset({(result.path, result.reason)})
        return diagnose(Facts(KNOWLEDGE.digest, {}, skipped), KNOWLEDGE)
    return diagnose(Facts(KNOWLEDGE.digest, {result.path: result}), KNOWLEDGE)


def told(content: bytes) -> list[tuple[str, dict[str, Any]]]:
    """Return rule and captures of every diagnosis that is more than a remark."""
    return [
        (found.rule, {**found.captures})
        for found in report_on(content).diagnoses
        if found.severity >= Severity.WARNING
    ]
