"""The terminal report: the verdict first, then its proof, why, how to check and how to fix."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from ascend_doctor.records import Evidence, Lang, Severity
from ascend_doctor.report import Consequence, Diagnosis, Report, Unexplained
from ascend_doctor.reporters import bars
from ascend_doctor.reporters.labels import colon, joined, label
from ascend_doctor.reporters.layout import Block, Sheet, console, prose, steps, wrapped
from ascend_doctor.reporters.notes import missing
from ascend_doctor.reporters.plain import extent, what_was_read
from ascend_doctor.reporters.safe import visible
from ascend_doctor.reporters.verdict import Accepted, heading, parts, reason, verdict
from ascend_doctor.reporters.verdict import rows as gate_rows

# What a screen can hold; the JSON has all of it.
MAX_DIAGNOSES = 5
MAX_FOLLOWED = 4
MAX_UNEXPLAINED = 5
MAX_SKIPPED = 5
MAX_KNOWN = 10
MAX_EVIDENCE = 3
MAX_LINE = 360

_STYLES = {
    Severity.FATAL: "bold red",
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.INFO: "bold blue",
}
_HEADINGS = (
    *("evidence", "where", "why", "check", "fix", "followed", "codes"),
    *("read", "environment", "skipped", "broken", "notes", "slice", "thresholds"),
    *("hidden", "expired", "stale"),
)
_VERDICTS = {
    "nothing": ("!", "bold yellow"),
    "empty_slice": ("!", "bold yellow"),
    "empty_profile": ("!", "bold yellow"),
    "empty_machine": ("!", "bold yellow"),
    "unexplained_verdict": ("?", "bold yellow"),
}


def render(report: Report, lang: Lang = "en", *, color: bool = False, width: int = 100) -> str:
    """Return the report for a terminal of ``width`` columns."""
    out = io.StringIO()
    _Writer(console(out, color=color, width=width), lang).report(report)
    return out.getvalue()


def diagnoses(
    report: Report,
    told: Sequence[Diagnosis],
    lang: Lang = "en",
    *,
    color: bool = False,
    width: int = 100,
) -> str:
    """Return some diagnoses of a report, with nothing around them."""
    out = io.StringIO()
    _Writer(console(out, color=color, width=width), lang).diagnoses(report, told)
    return out.getvalue()


class _Writer:
    def __init__(self, screen: Console, lang: Lang) -> None:
        self._console = screen
        self._lang: Lang = lang
        self._sheet = Sheet(screen, [label(name, lang) for name in _HEADINGS])

    def report(self, report: Report) -> None:
        part = parts(report, self._lang)
        if report.coverage.interrupted:
            self._interrupted(report.coverage.unread)
        for number, diagnosis in enumerate(part.told[:MAX_DIAGNOSES]):
            if number:
                self._console.print()
            self._diagnosis(diagnosis, report)
        self._more(len(part.told) - MAX_DIAGNOSES)
        if not part.told:
            name = verdict(report, part)
            mark, style = _VERDICTS.get(name, ("✓", "bold green"))
            self._console.print(Text(f"{mark} {self._say(name)}", style=style))
            if name == "empty_machine":
                self._row("", [Block(prose(self._say("empty_machine_how")))])
        if report.breakdown.tracks:
            self._console.print()
            for line in bars.lines(report.breakdown, self._lang, self._console.width):
                line.rstrip()
                self._console.print(line, soft_wrap=True)
        if part.unexplained:
            self._unexplained(part.unexplained)
        if part.remarks:
            self._remarks(part.remarks)
        if part.accepted:
            self._accepted(part.accepted)
        self._coverage(report)

    def diagnoses(self, report: Report, told: Sequence[Diagnosis]) -> None:
        for number, diagnosis in enumerate(told):
            if number:
                self._console.print()
            self._diagnosis(diagnosis, report)

    def _interrupted(self, unread: int) -> None:
        name = "interrupted_files" if unread else "interrupted"
        said = self._say(name, count=f"{unread:,}")
        self._console.print(Text(f"! {said}", style="bold yellow"))
        self._console.print()

    def _diagnosis(self, diagnosis: Diagnosis, report: Report) -> None:
        style = _STYLES[diagnosis.severity]
        texts = diagnosis.texts[self._lang]
        title = Text(f"{self._say(heading(diagnosis))}{colon(self._lang)}", style=style)
        title.append(visible(texts.title), style="bold")
        for number, line in enumerate(wrapped(title, self._console.width - 2)):
            self._console.print(Text.assemble(("  " if number else "✗ ", style), line))
        family = report.families.get(diagnosis.family, {}).get(self._lang, diagnosis.family)
        facts = [
            self._say(diagnosis.severity.label),
            self._say("family", id=diagnosis.family, title=family),
        ]
        facts += [self._say(diagnosis.confidence), *extent(diagnosis, self._lang), diagnosis.rule]
        self._row("", [Block(Text(visible(" · ".join(facts)), style="dim"))])
        if diagnosis.is_article:
            self._row("", [Block(Text(self._say("article"), style="yellow"))])
        self._console.print()
        self._row("evidence", _evidence(diagnosis.evidence[:MAX_EVIDENCE]))
        if diagnosis.location is not None:
            where = diagnosis.location
            text = f"{where.file}:{where.line} "
            text += self._say("in_function", function=where.function)
            self._row("where", [Block(Text(visible(text)))])
        self._row("why", [Block(prose(texts.cause))])
        self._row("check", steps(texts.checks))
        self._row("fix", steps(texts.fixes))
        self._row("followed", self._followed(diagnosis.consequences))
        self._row("codes", [Block(Text(visible(", ".join(diagnosis.codes))))])

    def _row(self, name: str, blocks: Sequence[Block]) -> None:
        self._sheet.row(self._say(name) if name else "", blocks)

    def _followed(self, consequences: Sequence[Consequence]) -> list[Block]:
        blocks: list[Block] = []
        for item in consequences[:MAX_FOLLOWED]:
            times = f" ×{item.count}" if item.count > 1 else ""
            line = Text(visible(item.title[self._lang]) + times)
            line.append(f"  {visible(item.evidence.path)}:{item.evidence.line}", style="cyan")
            blocks.append(Block(line))
        if len(consequences) > MAX_FOLLOWED:
            more = self._say("more", count=len(consequences) - MAX_FOLLOWED)
            blocks.append(Block(Text(more, style="dim")))
        return blocks

    def _unexplained(self, items: Sequence[Unexplained]) -> None:
        self._console.print()
        self._console.print(Text(self._say("unexplained"), style="bold"))
        for item in items[:MAX_UNEXPLAINED]:
            place = Text(f"{visible(item.first.path)}:{item.first.line}", style="cyan")
            place.append(f"  ×{item.count}" if item.count > 1 else "", style="default")
            self._row("", [Block(place), Block(Text(_clipped(item.first.text.strip())))])
        self._more(len(items) - MAX_UNEXPLAINED)
        self._row("", [Block(prose(self._say("nothing_knows")))])

    def _remarks(self, remarks: Sequence[Diagnosis]) -> None:
        self._console.print()
        self._console.print(Text(self._say("remarks"), style="bold"))
        for item in remarks[:MAX_DIAGNOSES]:
            times = f" ×{item.count}" if item.count > 1 else ""
            line = Text(f"{visible(item.texts[self._lang].title)}{times}  ")
            line.append(f"{visible(item.evidence[0].path)}:{item.evidence[0].line}", style="cyan")
            self._row("", [Block(line, indent=2, mark="•")])
        self._more(len(remarks) - MAX_DIAGNOSES)

    def _accepted(self, items: Sequence[Accepted]) -> None:
        self._console.print()
        self._console.print(Text(self._say("known"), style="bold"))
        for item in items[:MAX_KNOWN]:
            times = f" ×{item.count}" if item.count > 1 else ""
            line = Text(f"{_clipped(item.title)}{times}  ")
            line.append(f"{visible(item.where.path)}:{item.where.line}", style="cyan")
            why = Text(visible(reason(item.known, self._lang)), style="dim")
            self._row("", [Block(line, indent=2, mark="•"), Block(why, indent=2)])
        self._more(len(items) - MAX_KNOWN)

    def _coverage(self, report: Report) -> None:
        coverage = report.coverage
        self._console.print()
        self._console.print(Text("─" * self._console.width, style="dim"))
        rows = [("read", [joined(what_was_read(coverage, self._lang), self._lang)])]
        if report.environment:
            seen = ", ".join(f"{name} {value}" for name, value in report.environment.items())
            rows.append(("environment", [seen]))
        for name, items in missing(coverage, self._lang):
            shown = [f"{path}{colon(self._lang)}{why}" for path, why in items[:MAX_SKIPPED]]
            if len(items) > MAX_SKIPPED:
                shown.append(self._say("more", count=len(items) - MAX_SKIPPED))
            rows.append((name, shown))
        rows += gate_rows(report, self._lang)
        for name, texts in rows:
            self._row(name, [Block(Text(visible(text), style="dim")) for text in texts])
        if report.is_redacted:
            self._row("", [Block(Text(self._say("redacted"), style="dim"))])

    def _more(self, count: int) -> None:
        if count > 0:
            self._row("", [Block(Text(self._say("more", count=count), style="dim"))])

    def _say(self, name: str, **values: object) -> str:
        return label(name, self._lang, **values)


def _clipped(text: str) -> str:
    """Cut a line to what a screen can hold, keeping its begin and its end."""
    text = visible(text)
    if len(text) <= MAX_LINE:
        return text
    # Once more: what was within a word may begin one now.
    return visible(text[: MAX_LINE - 100] + " … " + text[-90:])


def _evidence(evidence: Iterable[Evidence]) -> list[Block]:
    """Return each different line once, under the places where it stands."""
    places: dict[str, tuple[Text, list[str]]] = {}
    for item in evidence:
        line = _marked(item)
        places.setdefault(line.plain, (line, []))[1].append(f"{visible(item.path)}:{item.line}")
    blocks: list[Block] = []
    for line, found in places.values():
        blocks.append(Block(Text(", ".join(found), style="cyan")))
        blocks.append(Block(line, indent=2))
    return blocks


def _marked(evidence: Evidence) -> Text:
    """Return a line of proof, what matched in it marked as far as it is shown."""
    line = Text(_clipped(evidence.text.strip()))
    if evidence.match is not None:
        matched = visible(evidence.text[slice(*evidence.match)].strip())
        start = line.plain.find(matched)
        if start >= 0:
            line.stylize("bold", start, start + len(matched))
    return line
