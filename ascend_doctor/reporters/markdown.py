"""Markdown to paste into an issue: verdict, proof, what to do, what was read."""

from __future__ import annotations

import re
from functools import cache, partial

import jinja2

from ascend_doctor import resources
from ascend_doctor.records import Lang, Severity
from ascend_doctor.report import Report
from ascend_doctor.reporters.labels import colon, label, size
from ascend_doctor.reporters.reasons import translated
from ascend_doctor.reporters.safe import visible

# What an issue can hold; the JSON has more.
MAX_DIAGNOSES = 5
MAX_EVIDENCE = 3
MAX_FOLLOWED = 5
MAX_UNEXPLAINED = 10
MAX_SKIPPED = 10

# What would begin markup, HTML, a formula or a link; code spans of our own texts stay.
_MARKUP = re.compile(r"([\\*_<>\[\]|#@!~&$]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
# What links to a person or an issue is looked for in the page, where no escape is left: only an
# element in between keeps it apart. GitHub also knows GH-1, and both know full commit ids.
_REFERENCE = re.compile(r"(?<=[@#])(?=[\w-])|(?<=\bGH-)(?=\d)|(?<=\b[0-9a-f]{7})(?=[0-9a-f]{33})")
_CODE = re.compile(r"(`[^`\n]*`)")


def render(report: Report, lang: Lang = "en") -> str:
    """Return the report as Markdown; log text in it is quoted and cannot become markup."""
    template = _environment().get_template("report.md.j2")
    told = [d for d in report.diagnoses if d.severity >= Severity.WARNING]
    kinds = ", ".join(f"{count} {kind}" for kind, count in report.coverage.by_kind.items())
    text = template.render(
        report=report,
        told=told,
        remarks=[d for d in report.diagnoses if d not in told],
        max_diagnoses=MAX_DIAGNOSES,
        max_evidence=MAX_EVIDENCE,
        max_followed=MAX_FOLLOWED,
        max_unexplained=MAX_UNEXPLAINED,
        max_skipped=MAX_SKIPPED,
        lang=lang,
        colon=colon(lang),
        say=partial(_say, lang),
        translated=translated,
        size=size,
        kinds=kinds or "-",
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@cache
def _environment() -> jinja2.Environment:
    # Markdown is no HTML: entities would be shown. The filters below escape for Markdown.
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resources.templates()),
        autoescape=False,  # noqa: S701
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters.update(prose=_prose, plain=_plain, code=_code, fenced=_fenced)
    return environment


def _say(lang: Lang, name: str, **values: object) -> str:
    return label(name, lang, **values)


def _prose(text: str) -> str:
    """Escape markup outside code spans."""
    parts = _CODE.split(visible(text))
    return "".join(part if _CODE.fullmatch(part) else _escaped(part) for part in parts)


def _escaped(text: str) -> str:
    parts = _REFERENCE.split(text)
    return "<!-- -->".join(_MARKUP.sub(r"\\\1", part) for part in parts)


def _plain(text: str) -> str:
    """Escape all markup; what a log wrote holds no code spans of ours."""
    return _prose(_code(text))


def _code(text: str) -> str:
    return visible(text).replace("`", "'")


def _fenced(text: str) -> str:
    """Keep a log line from closing the fence it stands in."""
    return visible(text).strip().replace("```", "'''")
