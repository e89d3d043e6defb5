"""GitLab code quality: an entry a cause, for the widget of a merge request and its diff.

An empty list reads as clean, so what must not pass (nothing read, interrupted) is an entry.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

from msgspec.structs import replace

from ascend_doctor.records import Evidence, Lang, Severity
from ascend_doctor.report import Report
from ascend_doctor.reporters import plain
from ascend_doctor.reporters.repository import located
from ascend_doctor.reporters.safe import json_escaped, visible
from ascend_doctor.reporters.verdict import expired, reason

_SEVERITIES = {
    Severity.FATAL: "blocker",
    Severity.ERROR: "critical",
    Severity.WARNING: "major",
    Severity.INFO: "info",
}
# A place where there is none.
_NOWHERE = "-"


def render(report: Report, lang: Lang = "en") -> str:
    """Return the report as a list of code quality entries, in JSON."""
    entries = []
    failure = plain.failure(report, lang)
    if failure is not None:
        skipped = (located(report, path) for path, _ in report.coverage.skipped)
        path = next(skipped, _NOWHERE)
        entries.append(_entry("reading", "blocker", failure, Evidence(path, 1, ""), "reading"))
    entries += [
        _entry("expired", "major", said, where, f"{where.path} {entry.name}")
        for entry, said, where in expired(report, lang)
    ]
    for diagnosis in report.diagnoses:
        texts = diagnosis.texts[lang]
        known = report.known(diagnosis)
        entries.append(
            _entry(
                diagnosis.rule,
                _SEVERITIES[diagnosis.severity] if known is None else "info",
                plain.sentence(
                    texts.title, texts.cause if known is None else reason(known, lang), lang
                ),
                _located(report, diagnosis.evidence[0]),
                diagnosis.fingerprint or diagnosis.rule,
            )
        )
    for item in report.unexplained[: plain.MAX_UNEXPLAINED]:
        text = plain.clipped(item.first.text)
        entries.append(
            _entry(
                plain.UNEXPLAINED,
                "info",
                text,
                _located(report, item.first),
                item.fingerprint or item.template,
            )
        )
    _tell_apart(entries)
    return json_escaped(json.dumps(entries, ensure_ascii=False, indent=1)) + "\n"


def _located(report: Report, evidence: Evidence) -> Evidence:
    return replace(evidence, path=located(report, evidence.path))


def _entry(
    check: str, severity: str, description: str, where: Evidence, identity: str
) -> dict[str, Any]:
    return {
        "type": "issue",
        "check_name": visible(check),
        "description": visible(description),
        "categories": ["Bug Risk"],
        "severity": severity,
        "fingerprint": identity,
        "location": {
            # GitLab links to it below the repository.
            "path": visible(where.path).lstrip("/") or _NOWHERE,
            "lines": {"begin": where.line},
        },
    }


def _tell_apart(entries: list[dict[str, Any]]) -> None:
    """Turn what identifies the entries into fingerprints, of which GitLab drops a second one."""
    seen: Counter[tuple[str, str]] = Counter()
    for entry in entries:
        identity = (entry["check_name"], entry["fingerprint"])
        seen[identity] += 1
        text = "\0".join((*identity, str(seen[identity])))
        entry["fingerprint"] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
