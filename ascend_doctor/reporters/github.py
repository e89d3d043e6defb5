"""What GitHub Actions shows of a job: annotations as workflow commands, and a step summary.

A step shows ten annotations of each kind and a summary of 1 MiB, or none at all of a larger one.
What a log says becomes data of a command, never a command: it is escaped here, and ``quoted``
puts other output between a stop and a resume that no log can know.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from ascend_doctor.records import Evidence, Lang, Severity
from ascend_doctor.report import Report
from ascend_doctor.reporters import markdown, plain
from ascend_doctor.reporters.labels import label
from ascend_doctor.reporters.repository import located
from ascend_doctor.reporters.safe import visible
from ascend_doctor.reporters.verdict import expired, reason

MAX_ANNOTATIONS = 10
MAX_SUMMARY = 1 << 20
# Characters; GitHub takes 255 of a title and 64 KB of a message.
MAX_TITLE = 250
MAX_MESSAGE = 8000

_KINDS = {
    Severity.FATAL: "error",
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
}


class _Annotation(NamedTuple):
    kind: str
    title: str
    message: str
    where: Evidence | None = None


def render(report: Report, lang: Lang = "en") -> str:
    """Return the annotations, a workflow command a line; of each kind the first ones."""
    by_kind: dict[str, list[_Annotation]] = defaultdict(list)
    for annotation in _annotations(report, lang):
        by_kind[annotation.kind].append(annotation)
    lines: list[str] = []
    for kind, kept in by_kind.items():
        if len(kept) > MAX_ANNOTATIONS:
            more = label("more", lang, count=len(kept) - MAX_ANNOTATIONS + 1)
            kept[MAX_ANNOTATIONS - 1 :] = [_Annotation(kind, "ascend-doctor", more)]
        lines += map(_command, kept)
    return "".join(f"{line}\n" for line in lines)


def summary(report: Report, lang: Lang = "en", limit: int = MAX_SUMMARY) -> str:
    """Return the report as Markdown of at most ``limit`` bytes, cut at the end of a line."""
    text = markdown.render(report, lang)
    if len(text.encode()) <= limit:
        return text
    end = f"```\n\n{label('cut', lang)}\n"
    data = text.encode()[: max(0, limit - len(end.encode()))]
    lines = data[: data.rfind(b"\n") + 1].decode()
    is_open = sum(line.lstrip().startswith("```") for line in lines.splitlines()) % 2
    cut = lines + (end if is_open else end.removeprefix("```\n"))
    return cut if len(cut.encode()) <= limit else ""


def quoted(text: str, token: str) -> str:
    """Return output in which the runner obeys nothing until ``token`` comes.

    Args:
        token: what no one else can know; a random one for each run.
    """
    return f"::stop-commands::{token}\n{text.rstrip()}\n::{token}::\n"


def _annotations(report: Report, lang: Lang) -> Iterator[_Annotation]:
    failure = plain.failure(report, lang)
    if failure is not None:
        message = "\n".join([failure, *plain.unread(report, lang)])
        yield _Annotation("error", "ascend-doctor", message)
    for _, said, where in expired(report, lang):
        yield _Annotation("error", label("expired", lang), visible(said), where)
    for diagnosis in report.diagnoses:
        title = diagnosis.texts[lang].title
        message = "\n".join(plain.details(diagnosis, lang))
        kind = _KINDS[diagnosis.severity]
        if (known := report.known(diagnosis)) is not None:
            kind, message = "notice", visible(reason(known, lang))
        yield _Annotation(kind, title, message, _located(report, diagnosis.evidence[0]))
    for item in report.unexplained:
        if report.known(item) is not None:
            continue
        text = f"{plain.clipped(item.first.text)}\n{label('nothing_knows', lang)}"
        yield _Annotation("warning", label("unexplained", lang), text, _located(report, item.first))


def _located(report: Report, evidence: Evidence) -> Evidence:
    return replace(evidence, path=located(report, evidence.path))


def _command(annotation: _Annotation) -> str:
    properties = {}
    if annotation.where is not None:
        properties = {"file": annotation.where.path, "line": str(annotation.where.line)}
    properties["title"] = _cut(visible(annotation.title), MAX_TITLE)
    told = ",".join(f"{name}={_property(visible(text))}" for name, text in properties.items())
    return f"::{annotation.kind} {told}::{_data(_cut(annotation.message, MAX_MESSAGE))}"


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length] + " …"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
