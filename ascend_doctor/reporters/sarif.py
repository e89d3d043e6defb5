"""SARIF 2.1.0: one result a cause, with what followed from it as related locations.

Remarks are notes. An error that no rule knows is no finding but asks for a person: its result is
of the kind ``review``. What could not be read is a notification of the run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any
from urllib.parse import quote

from ascend_doctor.records import LANGS, Evidence, Lang, Severity
from ascend_doctor.report import Diagnosis, Report, Unexplained
from ascend_doctor.reporters import markup, plain
from ascend_doctor.reporters.labels import colon, label
from ascend_doctor.reporters.notes import said
from ascend_doctor.reporters.reasons import translated
from ascend_doctor.reporters.repository import located
from ascend_doctor.reporters.safe import json_escaped, visible
from ascend_doctor.reporters.verdict import expired

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
# GitHub shows a hundred locations of a result.
MAX_RELATED = 90

_LEVELS = {
    Severity.FATAL: "error",
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "note",
}
_LANGUAGES: Mapping[Lang, str] = {"en": "en", "zh": "zh-CN"}
# What would be a link in a message of SARIF.
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")


def render(report: Report, lang: Lang = "en") -> str:
    """Return the report as a SARIF log of one run."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report, lang)]}
    return json_escaped(json.dumps(log, ensure_ascii=False, indent=1)) + "\n"


def _run(report: Report, lang: Lang) -> dict[str, Any]:
    rules = {diagnosis.rule: _rule(diagnosis, report, lang) for diagnosis in report.diagnoses}
    if report.unexplained:
        rules[plain.UNEXPLAINED] = _rule_of_unexplained(lang)
    numbers = {rule: number for number, rule in enumerate(rules)}
    return {
        "tool": {
            "driver": {
                "name": "ascend-doctor",
                "version": visible(report.version),
                "rules": [*rules.values()],
                "properties": {"rulesDigest": visible(report.rules_digest)},
            }
        },
        "language": _LANGUAGES[lang],
        "invocations": [_invocation(report, lang)],
        "columnKind": "unicodeCodePoints",
        "results": [
            *(
                {**_result(diagnosis, report, numbers, lang), **_accepted(report, diagnosis)}
                for diagnosis in report.diagnoses
            ),
            *(
                {**_unexplained(item, report, numbers, lang), **_accepted(report, item)}
                for item in report.unexplained
            ),
        ],
        "properties": {"environment": _visible(report.environment), "status": report.status},
    }


def _rule(diagnosis: Diagnosis, report: Report, lang: Lang) -> dict[str, Any]:
    texts = diagnosis.texts[lang]
    family = report.families.get(diagnosis.family, {}).get(lang, diagnosis.family)
    steps = [("check", texts.checks), ("fix", texts.fixes)]
    plainly = [visible(texts.cause)]
    marked = [markup.prose(texts.cause)]
    for name, items in steps:
        if items:
            heading = label(name, lang)
            numbered = [*enumerate(items, start=1)]
            plainly.append("\n".join([heading, *(f"{n}. {visible(step)}" for n, step in numbered)]))
            marked.append(f"**{heading}**")
            marked.append("\n".join(f"{n}. {markup.prose(step)}" for n, step in numbered))
    return {
        "id": visible(diagnosis.rule),
        "shortDescription": {"text": _message(texts.title)},
        "fullDescription": {"text": _message(texts.cause or texts.title)},
        # Shown as it is by those who show it: a brace of a command is not doubled.
        "help": {"text": "\n\n".join(plainly), "markdown": "\n\n".join(marked)},
        "defaultConfiguration": {"level": _LEVELS[diagnosis.severity]},
        "properties": {
            "tags": ["ascend-npu", visible(diagnosis.family)],
            "family": visible(family),
            # How sure the diagnosis is, in the word that code scanning knows.
            "precision": diagnosis.confidence,
            "provenance": [*map(visible, diagnosis.provenance)],
        },
    }


def _rule_of_unexplained(lang: Lang) -> dict[str, Any]:
    title = label("unexplained", lang)
    return {
        "id": plain.UNEXPLAINED,
        "shortDescription": {"text": title},
        "help": {"text": label("nothing_knows", lang), "markdown": label("nothing_knows", lang)},
        "defaultConfiguration": {"level": "none"},
    }


def _result(
    diagnosis: Diagnosis, report: Report, numbers: Mapping[str, int], lang: Lang
) -> dict[str, Any]:
    texts = diagnosis.texts[lang]
    return {
        "ruleId": visible(diagnosis.rule),
        "ruleIndex": numbers[diagnosis.rule],
        "level": _LEVELS[diagnosis.severity],
        "message": {"text": _message(plain.sentence(texts.title, texts.cause, lang))},
        "locations": [_location(report, diagnosis.evidence[0])],
        "relatedLocations": [
            {"id": number, **location}
            for number, location in enumerate(
                islice(_related(diagnosis, report, lang), MAX_RELATED), start=1
            )
        ],
        "occurrenceCount": diagnosis.count,
        "properties": {
            "position": diagnosis.position,
            "family": visible(diagnosis.family),
            "role": diagnosis.role,
            "confidence": diagnosis.confidence,
            "title": {name: visible(diagnosis.texts[name].title) for name in LANGS},
            "cause": {name: visible(diagnosis.texts[name].cause) for name in LANGS},
            "codes": [*map(visible, diagnosis.codes)],
            "captures": _visible(diagnosis.captures),
            "node": None if diagnosis.origin.node is None else visible(diagnosis.origin.node),
            "rank": diagnosis.origin.rank,
            "device": diagnosis.origin.device,
            "processes": diagnosis.processes,
            "ranks": [*diagnosis.ranks],
        },
    }


def _accepted(report: Report, item: Diagnosis | Unexplained) -> dict[str, Any]:
    """Return what tells a result in the next run, and that it is known, if it is."""
    told: dict[str, Any] = {}
    if item.fingerprint:
        version, _, name = map(visible, item.fingerprint.partition(":"))
        # GitHub knows results again by this key only.
        names = ("primaryLocationLineHash", f"ascendDoctor/v{version}")
        told["partialFingerprints"] = dict.fromkeys(names, name)
    if (known := report.known(item)) is not None:
        told["suppressions"] = [
            {
                "kind": "external",
                "status": "accepted",
                "justification": visible(known.reason),
                "properties": {
                    "where": visible(known.where),
                    "expires": None if known.expires is None else visible(known.expires),
                },
            }
        ]
    return told


def _related(diagnosis: Diagnosis, report: Report, lang: Lang) -> Iterator[dict[str, Any]]:
    """Yield the further proof, the line of the user's code, and what followed."""
    for evidence in diagnosis.evidence[1:]:
        yield {**_location(report, evidence), "message": {"text": label("evidence", lang)}}
    if diagnosis.location is not None:
        at = diagnosis.location
        where = label("in_function", lang, function=at.function)
        yield {
            "physicalLocation": _physical(at.file, at.line),
            "message": {"text": _message(f"{label('where', lang)}{colon(lang)}{where}")},
        }
    for item in diagnosis.consequences:
        told = f"{label('followed', lang)}{colon(lang)}{item.title[lang]} ×{item.count}"
        yield {**_location(report, item.evidence), "message": {"text": _message(told)}}


def _unexplained(
    item: Unexplained, report: Report, numbers: Mapping[str, int], lang: Lang
) -> dict[str, Any]:
    return {
        "ruleId": plain.UNEXPLAINED,
        "ruleIndex": numbers[plain.UNEXPLAINED],
        "kind": "review",
        "level": "none",
        "message": {"text": _message(plain.clipped(item.first.text) or label("unexplained", lang))},
        "locations": [_location(report, item.first)],
        "occurrenceCount": item.count,
    }


def _invocation(report: Report, lang: Lang) -> dict[str, Any]:
    failure = plain.failure(report, lang)
    notifications: list[dict[str, Any]] = []
    if failure is not None:
        notifications.append({"level": "error", "message": {"text": failure}})
    notifications += [
        {
            "level": "error",
            "message": {"text": _message(told)},
            "locations": [{"physicalLocation": _physical(where.path, where.line)}],
        }
        for _, told, where in expired(report, lang)
    ]
    unread = (
        ("note", report.coverage.skipped),
        ("warning", report.coverage.broken),
        ("note", [(path, said(note, lang)) for path, note in report.coverage.notes]),
    )
    for level, items in unread:
        notifications += [
            {
                "level": level,
                "message": {"text": _message(translated(reason, lang))},
                "locations": [{"physicalLocation": _physical(located(report, path))}],
            }
            for path, reason in items[: plain.MAX_UNREAD]
        ]
    return {
        "executionSuccessful": failure is None,
        "toolExecutionNotifications": notifications,
    }


def _location(report: Report, evidence: Evidence) -> dict[str, Any]:
    path = located(report, evidence.path)
    return {"physicalLocation": _physical(path, evidence.line, evidence.text)}


def _physical(path: str, line: int | None = None, text: str | None = None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(path)}}
    if line:  # a frame of Python's own may have none
        physical["region"] = {"startLine": line}
        if text is not None:
            physical["region"]["snippet"] = {"text": plain.clipped(text)}
    return physical


def uri(path: str) -> str:
    """Return the reference that a path is, relative as it is or of this machine.

    >>> uri("node 1/logs.tar.gz!a#b.log"), uri("/var/log/x:1"), uri("c:d")
    ('node%201/logs.tar.gz%21a%23b.log', 'file:///var/log/x%3A1', 'c%3Ad')
    """
    try:
        name = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a pair, from a stored result: no byte of a name
        name = path.encode("utf-8", "backslashreplace")
    return f"file://{quote(name)}" if path.startswith("/") else quote(name)


def _message(text: str) -> str:
    """Escape what has a meaning in messages: placeholders in braces, and links."""
    return _LINK.sub(r"\\[", visible(text)).replace("{", "{{").replace("}", "}}")


def _visible(mapping: Mapping[str, str]) -> dict[str, str]:
    return {visible(name): visible(value) for name, value in mapping.items()}
