"""JUnit XML, as GitLab and Jenkins read it: a suite for each family, a failed case for each cause.

A family without a fault is a case that passes, so that a clean report is not one without tests.
Log text stands in failures only, never in ``system-out``: readers obey attachment tags there.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from ascend_doctor.records import FAMILIES, Lang, Severity
from ascend_doctor.report import Diagnosis, Report
from ascend_doctor.reporters import plain
from ascend_doctor.reporters.labels import colon, label
from ascend_doctor.reporters.safe import visible
from ascend_doctor.reporters.verdict import expired, reason

# The outcomes that have an element, and what counts them.
_OUTCOMES = ("failure", "error", "skipped")
_COUNTS = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def render(report: Report, lang: Lang = "en") -> str:
    """Return the report as JUnit XML; what XML cannot hold is written as escapes."""
    root = ET.Element("testsuites", name="ascend-doctor")
    root.append(_reading(report, lang))
    if report.coverage.files:
        by_family: dict[str, list[Diagnosis]] = defaultdict(list)
        for diagnosis in report.diagnoses:
            by_family[diagnosis.family].append(diagnosis)
        for family in dict.fromkeys((*FAMILIES, *by_family)):
            root.append(_family(family, by_family[family], report, lang))
    for suite in root:
        _count(suite, _OUTCOMES)
    # Jenkins' schema knows no sum of what was skipped.
    _count(root, ("failure", "error"))
    ET.indent(root)
    body = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _reading(report: Report, lang: Lang) -> ET.Element:
    """Return the suite that says whether the others can be relied on."""
    suite = _suite("reading", {"rules": report.rules_digest, **report.environment})
    case = _case(suite, "reading", "logs-are-read")
    failure = plain.failure(report, lang)
    if failure is not None:
        _outcome(case, "error", "reading", failure, plain.unread(report, lang))
    unread = plain.unread(report, lang)
    if report.coverage.files:
        case = _case(suite, "reading", "no-part-is-missing")
        if unread:
            _outcome(case, "skipped", "reading", label("skipped", lang), unread)
        if told := [visible(said) for _, said, _ in expired(report, lang)]:
            case = _case(suite, "reading", "nothing-accepted-has-expired")
            _outcome(case, "failure", "expired", label("expired", lang), told)
        case = _case(suite, "reading", "errors-are-explained")
        if report.unexplained:
            told = plain.unexplained(report.unexplained, lang)
            _outcome(case, "skipped", "unexplained", label("unexplained", lang), told)
    return suite


def _family(family: str, diagnoses: Sequence[Diagnosis], report: Report, lang: Lang) -> ET.Element:
    title = report.families.get(family, {}).get(lang)
    suite = _suite(family, {} if title is None else {"title": title})
    hidden = [item for item in report.gate.hidden if item.family == family]
    if not diagnoses and not hidden:
        _case(suite, family, family)
    for rule, by in dict.fromkeys((item.rule, item.by) for item in hidden):
        # What was found and is left out has not passed.
        case = _case(suite, family, f"{rule} ({by})")
        _outcome(case, "skipped", "hidden", f"{label('hidden', lang)}{colon(lang)}{by}", [])
    names: Counter[str] = Counter()
    for diagnosis in diagnoses:
        names[diagnosis.rule] += 1
        count = names[diagnosis.rule]
        # Readers know a case by its name: no two may share one.
        case = _case(suite, family, diagnosis.rule if count == 1 else f"{diagnosis.rule} {count}")
        title, details = diagnosis.texts[lang].title, plain.details(diagnosis, lang)
        if (known := report.known(diagnosis)) is not None:
            _outcome(case, "skipped", "known", reason(known, lang), [visible(title), *details])
        elif diagnosis.severity >= Severity.WARNING:
            _outcome(case, "failure", diagnosis.severity.label, title, details)
    return suite


def _suite(name: str, properties: Mapping[str, str]) -> ET.Element:
    suite = ET.Element("testsuite", name=visible(name))
    if properties:
        inner = ET.SubElement(suite, "properties")
        for key, value in properties.items():
            ET.SubElement(inner, "property", name=visible(key), value=visible(value))
    return suite


def _case(suite: ET.Element, family: str, name: str) -> ET.Element:
    classname = visible(f"ascend-doctor.{family}")
    return ET.SubElement(suite, "testcase", classname=classname, name=visible(name), time="0")


def _outcome(case: ET.Element, kind: str, type_: str, message: str, lines: Sequence[str]) -> None:
    element = ET.SubElement(case, kind, type=type_, message=visible(message))
    element.text = "\n".join([visible(message), *lines])


def _count(element: ET.Element, outcomes: Sequence[str]) -> None:
    cases = [*element.iter("testcase")]
    element.set("tests", str(len(cases)))
    for outcome in outcomes:
        count = sum(case.find(outcome) is not None for case in cases)
        element.set(_COUNTS[outcome], str(count))
    element.set("time", "0")
