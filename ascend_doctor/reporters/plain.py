"""A report in plain lines, for formats that show text as it is and wrap it themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ascend_doctor.ingest.source import UNMISSED
from ascend_doctor.records import Evidence, Lang
from ascend_doctor.report import Coverage, Diagnosis, Report, Unexplained
from ascend_doctor.reporters import safe
from ascend_doctor.reporters.labels import colon, label, size
from ascend_doctor.reporters.reasons import translated
from ascend_doctor.reporters.safe import visible

# Where each entry has a rule, the one of errors that none knows.
UNEXPLAINED = "unexplained-error"

MAX_EVIDENCE = 5
MAX_FOLLOWED = 20
MAX_UNEXPLAINED = 50
MAX_UNREAD = 50
MAX_RANKS = 16
# Characters of a line of a log; a result that was stored may hold any number.
MAX_LINE = 2000


def place(evidence: Evidence) -> str:
    """Return where a line stands, as ``path:line``."""
    return f"{visible(evidence.path)}:{evidence.line}"


def sentence(title: str, cause: str, lang: Lang) -> str:
    """Return a title and its explanation as prose of one line."""
    stop = ". " if lang == "en" else "。"
    return visible(f"{title}{stop}{cause}" if cause else title)


def what_was_read(coverage: Coverage, lang: Lang) -> list[str]:
    """Say how much was read, from when to when, and what the logs could show at all."""
    if not coverage.files:
        return [label("no_files", lang)]
    kinds = ", ".join(f"{count} {kind}" for kind, count in coverage.by_kind.items())
    read = label(
        "file" if coverage.files == 1 else "files",
        lang,
        files=coverage.files,
        size=size(coverage.bytes),
        lines=f"{coverage.lines:,}",
        kinds=kinds or "-",
    )
    parts = [read]
    if coverage.time_range:
        first, last = (time.replace("T", " ") for time in coverage.time_range)
        parts.append(label("moment" if first == last else "span", lang, first=first, last=last))
    if coverage.levels:
        parts.append(label("levels", lang, levels=", ".join(coverage.levels)))
        if "plog" in coverage.by_kind and "INFO" not in coverage.levels:
            parts.append(label("quiet", lang))
    return parts


def extent(diagnosis: Diagnosis, lang: Lang) -> list[str]:
    """Say how often and where it was, as far as that is more than once and known."""
    parts = []
    if diagnosis.count > 1:
        parts.append(label("times", lang, count=diagnosis.count))
    if diagnosis.processes > 1:
        parts.append(label("processes", lang, count=diagnosis.processes))
    if diagnosis.ranks:
        ranks = ", ".join(map(str, diagnosis.ranks[:MAX_RANKS]))
        more = " …" if len(diagnosis.ranks) > MAX_RANKS else ""
        name = "rank" if len(diagnosis.ranks) == 1 else "ranks"
        parts.append(label(name, lang, ranks=ranks + more))
    return parts


def details(diagnosis: Diagnosis, lang: Lang) -> list[str]:
    """Return why, the proof, what to do and what followed, as lines without control characters."""
    texts = diagnosis.texts[lang]
    lines = [f"{label('why', lang)}{colon(lang)}{visible(texts.cause)}"]
    lines += _headed("evidence", _quoted(diagnosis.evidence[:MAX_EVIDENCE]), lang)
    if diagnosis.location is not None:
        at = diagnosis.location
        where = f"{at.file}:{at.line} {label('in_function', lang, function=at.function)}"
        lines.append(f"{label('where', lang)}{colon(lang)}{visible(where)}")
    lines += _headed("check", _numbered(texts.checks), lang)
    lines += _headed("fix", _numbered(texts.fixes), lang)
    followed = [
        f"{visible(item.title[lang])} ×{item.count}  {place(item.evidence)}"
        for item in diagnosis.consequences[:MAX_FOLLOWED]
    ]
    lines += _headed("followed", followed + _more(diagnosis.consequences, MAX_FOLLOWED, lang), lang)
    if diagnosis.codes:
        lines.append(f"{label('codes', lang)}{colon(lang)}{visible(', '.join(diagnosis.codes))}")
    return lines


def unexplained(items: Sequence[Unexplained], lang: Lang) -> list[str]:
    """Return the errors that no rule knows, each with its place above it."""
    lines = []
    for item in items[:MAX_UNEXPLAINED]:
        lines += [f"{place(item.first)}  ×{item.count}", f"  {clipped(item.first.text)}"]
    return lines + _more(items, MAX_UNEXPLAINED, lang)


def failure(report: Report, lang: Lang) -> str | None:
    """Return why the report must not pass as a clean one, whatever it found; None if it may."""
    coverage = report.coverage
    if coverage.interrupted:
        name = "interrupted_files" if coverage.unread else "interrupted"
        return label(name, lang, count=coverage.unread)
    if coverage.slice is not None and coverage.slice.empty:
        return label("empty_slice", lang)
    if coverage.why_empty is not None:
        return label(coverage.why_empty, lang)
    return None if coverage.files else label("nothing", lang)


def unread(report: Report, lang: Lang) -> list[str]:
    """Return the parts that could not be read, or not to their end, and why."""
    coverage = report.coverage
    missed = [
        *(item for item in coverage.skipped if item[1] not in UNMISSED),
        *coverage.broken,
    ]
    lines = [
        visible(f"{path}{colon(lang)}{translated(reason, lang)}")
        for path, reason in missed[:MAX_UNREAD]
    ]
    return lines + _more(missed, MAX_UNREAD, lang)


def clipped(text: str) -> str:
    """Return a line of a log, cut to a length that any reader of reports can take."""
    return safe.clipped(text.strip(), MAX_LINE)


def _quoted(evidence: Iterable[Evidence]) -> list[str]:
    return [line for item in evidence for line in (place(item), f"  {clipped(item.text)}")]


def _numbered(steps: Sequence[str]) -> list[str]:
    return [f"{number}. {visible(step)}" for number, step in enumerate(steps, start=1)]


def _headed(name: str, lines: Sequence[str], lang: Lang) -> list[str]:
    return (
        [f"{label(name, lang)}{colon(lang).rstrip()}", *(f"  {x}" for x in lines)] if lines else []
    )


def _more(items: Sequence[object], limit: int, lang: Lang) -> list[str]:
    return [label("more", lang, count=len(items) - limit)] if len(items) > limit else []
