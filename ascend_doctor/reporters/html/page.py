"""The page put together: templates, styles and script in, one text out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ascend_doctor import resources
from ascend_doctor.records import LANGS, Lang, Severity
from ascend_doctor.report import Diagnosis, Report
from ascend_doctor.reporters import times, verdict
from ascend_doctor.reporters.html import breakdown
from ascend_doctor.reporters.html.chart import CELLS, SHADES, chart, moment, parsed, since
from ascend_doctor.reporters.html.policy import policy
from ascend_doctor.reporters.html.quote import alike, lines, parts
from ascend_doctor.reporters.html.steps import first_command, pieces, spans
from ascend_doctor.reporters.html.words import word
from ascend_doctor.reporters.labels import size
from ascend_doctor.reporters.notes import missing
from ascend_doctor.reporters.safe import visible

if TYPE_CHECKING:
    import jinja2

# Bytes of diagnoses that a page holds; what is behind it is counted. The rest of a page is small,
# as each part of it has a bound of its own.
MAX_DIAGNOSES_BYTES = 1_200_000
# What is shown of what followed from the root cause, and from each further diagnosis.
MAX_FOLLOWED, MAX_FOLLOWED_FURTHER = 40, 10
# Characters of a title where it stands in the timeline, many times over.
MAX_TITLE = 160
# With fewer diagnoses, or a quarter of so many activities, there is nothing to filter.
MIN_FILTERED = 3
MAX_UNEXPLAINED = 100
MAX_KNOWN = 100
MAX_PATHS = 100
MAX_RANKS = 16

# The tables that have a label; a report that was read from a file may name others.
CODE_TABLES = ("acl", "error_manager", "hccl", "torch_npu")


def render(report: Report, lang: Lang = "en") -> str:
    """Return the report as one HTML page that holds both languages and shows ``lang`` first."""
    environment = _environment()
    common = {
        "report": report,
        "lang": lang,
        "decoded": {code.label for code in report.codes},
        "max_ranks": MAX_RANKS,
    }
    part = verdict.parts(report, lang)
    told, remarks = part.told, part.remarks
    root = told[0] if told else None
    shown = _Shown(environment.get_template("html/diagnosis.html.j2"), common)
    first, further = shown.of(told[:1], is_root=True), shown.of(told[1:])
    drawn = chart(report.timeline, root)
    tracks = breakdown.rows(report.breakdown)
    columns = breakdown.rendered(tracks, environment.get_template("html/steps.html.j2"))
    styles = [_asset("page.css"), _asset("dark.css")]
    script = _asset("page.js")
    return environment.get_template("html/page.html.j2").render(
        **common,
        policy=policy(styles, [script]),
        styles=styles,
        script=script,
        title=_title(report, part),
        titles=_titles(report),
        told=told,
        remarks=remarks,
        verdict=verdict.verdict(report, part),
        unexplained=part.unexplained,
        accepted=_accepted(report),
        gate_rows=_gate_rows(report),
        first=first,
        further=further,
        shown_remarks=shown.of(remarks),
        filters=_filters(report),
        chart=drawn,
        left_out=_left_out(report, part, has_chart=drawn is not None),
        tracks=tracks,
        columns=columns,
        steps_left_out=sum(len(row.track.bars) > 1 for row in tracks) - len(columns),
        parts=times.parts_of(report.breakdown.tracks),
        missing=_missing(report),
        cells=CELLS,
        code_tables=CODE_TABLES,
        shades=SHADES,
        max_unexplained=MAX_UNEXPLAINED,
        max_known=MAX_KNOWN,
        max_paths=MAX_PATHS,
    )


class _Shown:
    """Renders diagnoses as long as they fit into the page."""

    def __init__(self, template: jinja2.Template, common: Mapping[str, Any]) -> None:
        self._template = template
        self._common = common
        self._left = MAX_DIAGNOSES_BYTES

    def of(self, diagnoses: Sequence[Diagnosis], *, is_root: bool = False) -> list[str]:
        """Return the first of some diagnoses as HTML that is safe to put in."""
        from markupsafe import Markup

        shown: list[str] = []
        for diagnosis in diagnoses:
            if self._left <= 0:
                break
            text = self._template.render(
                **self._common,
                d=diagnosis,
                is_root=is_root,
                max_followed=MAX_FOLLOWED if is_root else MAX_FOLLOWED_FURTHER,
            )
            self._left -= len(text.encode())
            shown.append(Markup(text))  # noqa: S704 - comes from an escaping template
        return shown


def _left_out(report: Report, part: verdict.Parts, *, has_chart: bool) -> list[str]:
    """Return the sections that are not on the page, by their ids.

    That there is nothing in one says something of logs, and nothing of profiles alone.
    """
    tracks, coverage = report.breakdown.tracks, report.coverage
    if not tracks:
        return ["steps"]
    if "profile" not in coverage.by_kind or coverage.levels or coverage.time_range:
        return []
    held = {
        "further": bool(part.told[1:] or part.remarks or part.accepted),
        "time": has_chart,
        "codes": bool(report.codes),
        "environment": bool(report.environment),
        "unexplained": bool(part.unexplained),
    }
    return [name for name, is_held in held.items() if not is_held]


def _title(report: Report, part: verdict.Parts) -> dict[Lang, str]:
    if part.told:
        return {lang: part.told[0].texts[lang].title for lang in LANGS}
    name = verdict.verdict(report, part)
    return {lang: word(name, lang) for lang in LANGS}


def _accepted(report: Report) -> list[dict[str, Any]]:
    """Return what is known, each with its title and the reason in both languages."""
    told = {lang: verdict.parts(report, lang).accepted for lang in LANGS}
    return [
        {
            "count": items[0].count,
            "where": items[0].where,
            "title": {lang: item.title for lang, item in zip(LANGS, items, strict=True)},
            "reason": {
                lang: verdict.reason(item.known, lang)
                for lang, item in zip(LANGS, items, strict=True)
            },
        }
        for items in zip(*told.values(), strict=True)
    ]


def _gate_rows(report: Report) -> list[tuple[str, list[dict[Lang, str]]]]:
    """Return what is left out, and entries that are of no use, in both languages."""
    told = {lang: dict(verdict.rows(report, lang)) for lang in LANGS}
    return [
        (name, [dict(zip(LANGS, lines, strict=True)) for lines in zip(*said, strict=True)])
        for name in told["en"]
        for said in [[told[lang][name] for lang in LANGS]]
    ]


def _missing(report: Report) -> dict[str, list[dict[Lang, tuple[str, str]]]]:
    """Return what was not read or lacks something: path and reason in both languages."""
    told = [missing(report.coverage, lang) for lang in LANGS]
    return {
        name: [dict(zip(LANGS, items, strict=True)) for items in zip(en, zh, strict=True)]
        for (name, en), (_, zh) in zip(*told, strict=True)
    }


def _titles(report: Report) -> dict[str, dict[Lang, str]]:
    """Return what is shown of each rule in the timeline."""
    told: dict[str, Mapping[Lang, str]] = {}
    for diagnosis in report.diagnoses:
        told.update({c.rule: c.title for c in diagnosis.consequences})
    for diagnosis in report.diagnoses:
        told[diagnosis.rule] = {lang: diagnosis.texts[lang].title for lang in LANGS}
    return {
        rule: {lang: _clipped(title[lang], MAX_TITLE) for lang in LANGS}
        for rule, title in told.items()
    }


def _clipped(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _filters(report: Report) -> dict[str, list[Any]]:
    """Return what can be filtered by; nothing where there is no choice."""
    diagnoses = report.diagnoses
    followed = [c for d in diagnoses for c in d.consequences]
    families = dict.fromkeys([*(d.family for d in diagnoses), *(c.family for c in followed)])
    severities = sorted({d.severity for d in diagnoses}, reverse=True)
    ranks = {rank for d in diagnoses for rank in d.ranks}
    ranks |= {a.origin.rank for a in report.timeline.activities if a.origin.rank is not None}
    choices: dict[str, list[Any]] = {
        "severity": [severity.label for severity in severities],
        "family": [*families],
        "rank": sorted(ranks),
    }
    is_wanted = max(len(diagnoses), len(report.timeline.activities) // 4) >= MIN_FILTERED
    is_wanted = is_wanted and any(d.severity >= Severity.WARNING for d in diagnoses)
    return {
        name: values if is_wanted and len(values) > 1 else [] for name, values in choices.items()
    }


@cache
def _asset(name: str) -> str:
    """Return a file of ours as it is to stand in the page."""
    from markupsafe import Markup

    text = (resources.templates() / "html" / name).read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704 - a file of ours


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resources.templates()),
        # For every template, whatever its suffix: all that is shown came from a log.
        autoescape=True,
        finalize=_finalized,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        alike=_alike,
        lines=lines,
        ms=times.milliseconds,
        parts=parts,
        pieces=pieces,
        since=since,
        size=size,
        spans=spans,
        time=_time,
        tokens=_tokens,
    )
    environment.globals.update(word=word, first_command=first_command)
    return environment


def _finalized(value: object) -> object:
    """Write out what would steer, hide or turn around, in all that a template puts out."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return visible(value)
    return value


def _alike(proofs: Iterable[Any]) -> list[Any]:
    return [*alike(proofs)]


def _time(text: str | None) -> str:
    """Return a time as a report shows it; what is none stays as it is."""
    found = parsed(text)
    return (text or "") if found is None else moment(found)


def _tokens(values: Iterable[object]) -> str:
    """Return values as one attribute that a script splits at blanks."""
    return " ".join(str(value) for value in values)
