"""The machine-readable report: a contract, described by ``docs/schema/report-1.json``.

``stored`` reads it back: what is added here is added there.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import asdict

from ascend_doctor.records import LANGS, Evidence, Lang, Origin
from ascend_doctor.report import Activity, CodeMet, Diagnosis, Entry, Report, Track
from ascend_doctor.reporters.notes import said
from ascend_doctor.reporters.safe import json_escaped
from ascend_doctor.version import __version__

if TYPE_CHECKING:
    from ascend_doctor.machine.model import Machine

SCHEMA_VERSION = "1.3"


def render(report: Report, lang: Lang = "en") -> str:
    """Return the report as JSON; both languages are in it, whatever ``lang`` says."""
    data = as_dict(report)
    text = json_escaped(json.dumps(data, ensure_ascii=False))
    try:
        # With an indent, the standard library encodes in Python, as slowly as all is diagnosed.
        return msgspec.json.format(text, indent=1) + "\n"
    except msgspec.DecodeError:  # bytes of a name that is not UTF-8 stand in it as halves of pairs
        return json_escaped(json.dumps(data, ensure_ascii=False, indent=1)) + "\n"


def as_dict(report: Report) -> dict[str, Any]:
    """Return the report as plain data in the order of the schema."""
    coverage = report.coverage
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {
            "name": "ascend-doctor",
            "version": report.version,
            "rules_digest": report.rules_digest,
        },
        # Here, so that who reads logs sees at once that it tells of a machine.
        **_machine(report),
        "status": report.status,
        "redacted": report.is_redacted,
        "gate": _gate(report),
        "diagnoses": [_diagnosis(diagnosis) for diagnosis in report.diagnoses],
        "unexplained": [
            {
                "template": item.template,
                "fingerprint": item.fingerprint or None,
                "level": item.level,
                "count": item.count,
                "first": _evidence(item.first),
            }
            for item in report.unexplained
        ],
        "codes": [_code(code) for code in report.codes],
        "timeline": {
            "activities": [_activity(activity) for activity in report.timeline.activities],
            "left_out": report.timeline.left_out,
        },
        "breakdown": {
            "tracks": [_track(track) for track in report.breakdown.tracks],
            "left_out": report.breakdown.left_out,
        },
        "thresholds": dict(report.thresholds),
        "roots": [{"shown": shown, "path": path} for shown, path in report.roots],
        "environment": dict(report.environment),
        "families": {
            name: {lang: title[lang] for lang in LANGS} for name, title in report.families.items()
        },
        "coverage": {
            "files": coverage.files,
            "bytes": coverage.bytes,
            "lines": coverage.lines,
            "by_kind": dict(coverage.by_kind),
            "levels": list(coverage.levels),
            "time_range": list(coverage.time_range) if coverage.time_range else None,
            "skipped": [{"path": path, "reason": reason} for path, reason in coverage.skipped],
            "broken": [{"path": path, "reason": reason} for path, reason in coverage.broken],
            "interrupted": coverage.interrupted,
            "unread": coverage.unread,
            "slice": None if coverage.slice is None else asdict(coverage.slice),
            "notes": [
                {
                    "path": path,
                    "name": note.name,
                    "values": dict(note.values),
                    "note": {lang: said(note, lang) for lang in LANGS},
                }
                for path, note in coverage.notes
            ],
            "empty": coverage.empty,
        },
    }


def document(machine: Machine) -> str:
    """Return a machine alone as JSON, in the shape of a report that tells of it."""
    data = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "ascend-doctor", "version": __version__},
        "machine": as_plain(machine),
    }
    return json_escaped(json.dumps(data, ensure_ascii=False, indent=1)) + "\n"


def as_plain(machine: Machine) -> dict[str, Any]:
    """Return a machine as plain data."""
    from ascend_doctor.machine.stored import as_dict

    return as_dict(machine)


def _machine(report: Report) -> dict[str, Any]:
    return {} if report.machine is None else {"machine": as_plain(report.machine)}


def _gate(report: Report) -> dict[str, Any]:
    gate = report.gate
    return {
        "fail_on": gate.fail_on,
        "strict": gate.is_strict,
        "failed": report.is_failed,
        "hidden": [
            {
                "rule": item.rule,
                "family": item.family,
                "severity": item.severity.label,
                "count": item.count,
                "by": item.by,
            }
            for item in gate.hidden
        ],
        "known": [
            {
                "fingerprint": item.fingerprint,
                "reason": item.reason,
                "where": item.where,
                "expires": item.expires,
            }
            for item in gate.known
        ],
        "expired": [_entry(item) for item in gate.expired],
        "stale": [_entry(item) for item in gate.stale],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "reason": entry.reason,
        "where": entry.where,
        "expires": entry.expires,
    }


def _diagnosis(diagnosis: Diagnosis) -> dict[str, Any]:
    texts = diagnosis.texts
    location = diagnosis.location
    return {
        "position": diagnosis.position,
        "rule": diagnosis.rule,
        "fingerprint": diagnosis.fingerprint,
        "family": diagnosis.family,
        "severity": diagnosis.severity.label,
        "confidence": diagnosis.confidence,
        "role": diagnosis.role,
        "provenance": list(diagnosis.provenance),
        "title": {lang: texts[lang].title for lang in LANGS},
        "cause": {lang: texts[lang].cause for lang in LANGS},
        "checks": {lang: list(texts[lang].checks) for lang in LANGS},
        "fixes": {lang: list(texts[lang].fixes) for lang in LANGS},
        "remedies": [{"id": name, "params": dict(params)} for name, params in diagnosis.remedies],
        "captures": dict(diagnosis.captures),
        "codes": list(diagnosis.codes),
        "evidence": [_evidence(evidence) for evidence in diagnosis.evidence],
        "code_location": None
        if location is None
        else {"file": location.file, "line": location.line, "function": location.function},
        "origin": {**_origin(diagnosis.origin), "time": diagnosis.evidence[0].time},
        "first_seen": diagnosis.first_seen,
        "last_seen": diagnosis.last_seen,
        "count": diagnosis.count,
        "processes": diagnosis.processes,
        "ranks": list(diagnosis.ranks),
        "consequences": [
            {
                "rule": item.rule,
                "family": item.family,
                "role": item.role,
                "title": {lang: item.title[lang] for lang in LANGS},
                "count": item.count,
                "first": _evidence(item.evidence),
            }
            for item in diagnosis.consequences
        ],
    }


def _code(code: CodeMet) -> dict[str, Any]:
    return {
        "code": code.code,
        "table": code.table,
        "name": code.name,
        "family": code.family,
        "count": code.count,
        "first": _evidence(code.first),
        "means": {lang: code.means[lang] for lang in LANGS},
        "causes": {lang: list(code.causes[lang]) for lang in LANGS},
        "next": {lang: list(code.next[lang]) for lang in LANGS},
        "is_full": code.is_full,
    }


def _activity(activity: Activity) -> dict[str, Any]:
    return {
        "position": activity.position,
        "rule": activity.rule,
        "role": activity.role,
        "severity": activity.severity.label,
        **_origin(activity.origin),
        "source": activity.source,
        "count": activity.count,
        "first_seen": activity.first_seen,
        "last_seen": activity.last_seen,
    }


def _track(track: Track) -> dict[str, Any]:
    return {
        "profile": track.profile,
        "rank": track.rank,
        "device": track.device,
        "positions": list(track.positions),
        "is_average": track.is_average,
        "steps": track.steps,
        "total_ms": track.total_ms,
        "parts_ms": dict(track.parts),
        "bars": [
            {
                "first": bar.first,
                "last": bar.last,
                "steps": bar.steps,
                "total_ms": bar.total_ms,
                "parts_ms": dict(bar.parts),
                "path": bar.proof.path,
                "line": bar.proof.line,
                "positions": list(bar.positions),
            }
            for bar in track.bars
        ],
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "path": evidence.path,
        "line": evidence.line,
        "text": evidence.text,
        "order": list(evidence.order),
        "match": None if evidence.match is None else list(evidence.match),
        "before": list(evidence.before),
        "after": list(evidence.after),
        "time": evidence.time,
        "level": evidence.level or None,
        "module": evidence.module,
        **_origin(evidence.origin),
    }


def _origin(origin: Origin) -> dict[str, Any]:
    return {
        "pid": origin.pid,
        "rank": origin.rank,
        "device": origin.device,
        "node": origin.node,
    }
