"""What of a report is new, what is known or left out, and the sentence that sums it up."""

from __future__ import annotations

from msgspec import Struct

from ascend_doctor.records import Evidence, Lang, Severity
from ascend_doctor.report import Diagnosis, Entry, Known, Report, Unexplained
from ascend_doctor.reporters.labels import joined, label

# Rules that are named of those left out, and entries of files that are told.
MAX_HIDDEN = 8
MAX_ENTRIES = 5


class Accepted(Struct, frozen=True):
    """A diagnosis or an unknown error that is known, as it is told: in a line."""

    title: str
    count: int
    where: Evidence
    known: Known


class Parts(Struct, frozen=True):
    """A report in the parts in which it is told, each in its order."""

    told: tuple[Diagnosis, ...]
    remarks: tuple[Diagnosis, ...]
    unexplained: tuple[Unexplained, ...]
    accepted: tuple[Accepted, ...]


def parts(report: Report, lang: Lang) -> Parts:
    """Return what is told in full, what in a line, and what is known."""
    accepted = [
        Accepted(d.texts[lang].title, d.count, d.evidence[0], known)
        for d in report.diagnoses
        if (known := report.known(d)) is not None
    ]
    accepted += [
        Accepted(item.first.text.strip(), item.count, item.first, known)
        for item in report.unexplained
        if (known := report.known(item)) is not None
    ]
    new = [d for d in report.diagnoses if report.known(d) is None]
    return Parts(
        told=tuple(d for d in new if d.severity >= Severity.WARNING),
        remarks=tuple(d for d in new if d.severity < Severity.WARNING),
        unexplained=tuple(item for item in report.unexplained if report.known(item) is None),
        accepted=tuple(accepted),
    )


def heading(diagnosis: Diagnosis) -> str:
    """Return the label of a diagnosis: where the root cause is left out, no other is it."""
    return "root_cause" if diagnosis.position == 1 else "also"


def verdict(report: Report, told: Parts) -> str:
    """Return the label that sums up a report without a diagnosis that is told in full."""
    if not report.coverage.files:
        return "nothing"
    if told.unexplained:
        return "unexplained_verdict"
    if told.accepted:
        return "all_known"
    is_hidden = any(item.severity >= Severity.WARNING for item in report.gate.hidden)
    if is_hidden:
        return "all_hidden"
    part = report.coverage.slice
    if part is not None and part.empty:
        return "empty_slice"
    if report.coverage.why_empty is not None:
        return report.coverage.why_empty
    return "clean_slice" if part is not None and part.left_out else "clean"


def reason(known: Known, lang: Lang) -> str:
    """Say why something is accepted, until when, and which entry says so."""
    name = "accepted" if known.expires is None else "accepted_until"
    return label(name, lang, reason=known.reason, where=known.where, expires=known.expires or "")


def expired(report: Report, lang: Lang) -> list[tuple[Entry, str, Evidence]]:
    """Return each entry that has expired and so fails the gate, how to say it, and its place."""
    found = []
    for entry in report.expired:
        path, _, line = entry.where.rpartition(":")
        if not (path and line.isdecimal() and int(line) > 0):
            path, line = entry.where, "1"
        found.append((entry, _entry("expired_entry", entry, lang), Evidence(path, int(line), "")))
    return found


def thresholds(report: Report, lang: Lang) -> list[str]:
    """Say which thresholds are not the usual ones, in a line; nothing if all are."""
    if not report.thresholds:
        return []
    values = ", ".join(f"{name} {value:g}" for name, value in report.thresholds.items())
    return [label("thresholds_changed", lang, values=values)]


def _entry(name: str, entry: Entry, lang: Lang) -> str:
    return label(
        name,
        lang,
        what=entry.name,
        reason=entry.reason,
        where=entry.where,
        expires=entry.expires or "",
    )


def rows(report: Report, lang: Lang) -> list[tuple[str, list[str]]]:
    """Return what is left out, and entries of the gate that are of no use, under their labels."""
    gate, part = report.gate, report.coverage.slice
    sliced = []
    if part is not None:
        if part.ranks:
            sliced.append(label("ranks", lang, ranks=part.ranks))
        if part.since:
            sliced.append(label("slice_since", lang, since=part.since.replace("T", " ")))
        if part.until:
            sliced.append(label("slice_until", lang, until=part.until.replace("T", " ")))
        sliced.append(label("slice_counts", lang, left_out=part.left_out, unplaced=part.unplaced))
    hidden: dict[str, list[str]] = {}
    for item in gate.hidden:
        hidden.setdefault(item.by, []).append(item.rule)
    told = []
    for by, rules in hidden.items():
        some = ", ".join(rules[:MAX_HIDDEN]) + (" …" if len(rules) > MAX_HIDDEN else "")
        name = "hidden_one" if len(rules) == 1 else "hidden_by"
        told.append(label(name, lang, count=len(rules), by=by, rules=some))
    found = [
        ("slice", [joined(sliced, lang)] if sliced else []),
        ("thresholds", thresholds(report, lang)),
        ("hidden", told),
    ]
    for name, entries in (("expired", gate.expired), ("stale", gate.stale)):
        lines = [_entry(f"{name}_entry", entry, lang) for entry in entries[:MAX_ENTRIES]]
        if len(entries) > MAX_ENTRIES:
            lines.append(label("more", lang, count=len(entries) - MAX_ENTRIES))
        found.append((name, lines))
    return [(name, lines) for name, lines in found if lines]
