"""Markdown to paste into an issue: verdict, proof, what to do, what was read."""

from __future__ import annotations

import re
from functools import cache, partial

import jinja2

from ascend_doctor import resources
from ascend_doctor.records import Lang
from ascend_doctor.report import Report
from ascend_doctor.reporters import markup, times, verdict
from ascend_doctor.reporters.labels import colon, joined, label
from ascend_doctor.reporters.notes import missing
from ascend_doctor.reporters.plain import extent, what_was_read

# What an issue can hold; the JSON has more.
MAX_DIAGNOSES = 5
MAX_EVIDENCE = 3
MAX_FOLLOWED = 5
MAX_UNEXPLAINED = 10
MAX_SKIPPED = 10
MAX_KNOWN = 10
MAX_TRACKS = 10


def render(report: Report, lang: Lang = "en") -> str:
    """Return the report as Markdown; log text in it is quoted and cannot become markup."""
    template = _environment().get_template("report.md.j2")
    part = verdict.parts(report, lang)
    text = template.render(
        report=report,
        told=part.told,
        remarks=part.remarks,
        unexplained=part.unexplained,
        accepted=part.accepted,
        verdict=verdict.verdict(report, part),
        heading=verdict.heading,
        reason=verdict.reason,
        gate_rows=verdict.rows(report, lang),
        max_diagnoses=MAX_DIAGNOSES,
        max_evidence=MAX_EVIDENCE,
        max_followed=MAX_FOLLOWED,
        max_unexplained=MAX_UNEXPLAINED,
        max_skipped=MAX_SKIPPED,
        max_known=MAX_KNOWN,
        max_tracks=MAX_TRACKS,
        times=times,
        missing=missing(report.coverage, lang),
        lang=lang,
        colon=colon(lang),
        say=partial(_say, lang),
        extent=extent,
        read=joined(what_was_read(report.coverage, lang), lang),
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
    environment.filters.update(
        prose=markup.prose, plain=markup.plain, code=markup.code, fenced=markup.fenced
    )
    return environment


def _say(lang: Lang, name: str, **values: object) -> str:
    return label(name, lang, **values)
