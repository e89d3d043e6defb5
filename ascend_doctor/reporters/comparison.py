"""How a bad run differs from a good one: as text, and as JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from ascend_doctor.comparison import Comparison, Divergence, Stretch, Wording
from ascend_doctor.records import LANGS, Lang
from ascend_doctor.report import Diagnosis, Report
from ascend_doctor.reporters.labels import size
from ascend_doctor.reporters.layout import Block, Sheet, console
from ascend_doctor.reporters.run_labels import say
from ascend_doctor.reporters.safe import clipped, json_escaped, visible
from ascend_doctor.version import __version__

SCHEMA_VERSION = "1.0"

# What a screen can hold; the JSON has all of it.
MAX_PROBLEMS = 20
MAX_OTHERS = 10
MAX_DIVERGENCES = 3
MAX_PLACES = 16
MAX_DIAGNOSES = 10
MAX_LINE = 240


def render(
    comparison: Comparison, lang: Lang = "en", *, color: bool = False, width: int = 100
) -> str:
    """Return the comparison for a terminal of ``width`` columns."""
    out = io.StringIO()
    _Writer(console(out, color=color, width=width), lang).comparison(comparison)
    return out.getvalue()


class _Writer:
    def __init__(self, screen: Console, lang: Lang) -> None:
        self._console = screen
        self._lang: Lang = lang
        self._sheet = Sheet(screen, [""])

    def comparison(self, found: Comparison) -> None:
        problems = [wording for wording in found.new if wording.is_problem]
        others = [wording for wording in found.new if not wording.is_problem]
        if found.new_diagnoses or problems:
            style, mark = "bold red", "✗"
            said = self._say(
                "diff_new", diagnoses=len(found.new_diagnoses), problems=f"{len(problems):,}"
            )
        elif not (found.good.coverage.files and found.bad.coverage.files):
            style, mark, said = "bold yellow", "!", self._say("diff_unread")
        elif found.good.coverage.interrupted or found.bad.coverage.interrupted:
            style, mark, said = "bold yellow", "!", self._say("diff_interrupted")
        else:
            style, mark, said = "bold green", "✓", self._say("diff_none")
        self._console.print(Text(f"{mark} {said}", style=style))
        self._diagnoses("diff_diagnoses", found.new_diagnoses)
        self._diagnoses("diff_gone_diagnoses", found.gone_diagnoses)
        self._environment(found)
        self._divergences(found.divergences)
        self._wordings("diff_problems", problems, MAX_PROBLEMS)
        self._wordings("diff_more", found.more, MAX_OTHERS)
        # Frames and source lines of tracebacks are many, and say little by themselves.
        others.sort(key=lambda wording: wording.first.text[:1].isspace())
        self._wordings("diff_others", others, MAX_OTHERS)
        self._wordings("diff_gone", found.gone, MAX_OTHERS)
        self._coverage(found)

    def _diagnoses(self, heading: str, diagnoses: Sequence[Diagnosis]) -> None:
        if not diagnoses:
            return
        self._heading(heading)
        for diagnosis in diagnoses[:MAX_DIAGNOSES]:
            line = Text(f"{visible(diagnosis.texts[self._lang].title)}  ")
            line.append(_place(diagnosis.evidence[0].path, diagnosis.evidence[0].line), "cyan")
            line.append(f"  {diagnosis.rule}", "dim")
            self._sheet.row("", [Block(line, indent=2, mark="•")])
        self._more(len(diagnoses) - MAX_DIAGNOSES)

    def _environment(self, found: Comparison) -> None:
        if not found.environment:
            return
        self._heading("diff_environment")
        for name, (good, bad) in found.environment.items():
            nothing = self._say("diff_unsaid")
            self._sheet.row(
                "", [Block(Text(visible(f"{name}: {good or nothing} → {bad or nothing}")))]
            )

    def _divergences(self, divergences: Sequence[Divergence]) -> None:
        if not divergences:
            return
        self._heading("diff_first")
        for divergence in divergences[:MAX_DIVERGENCES]:
            name = "diff_ends" if divergence.ends else "diff_leaves"
            title = Text(self._say(name, process=visible(divergence.process)), style="bold")
            self._sheet.row("", [Block(title)])
            for side, stretch in (("diff_good", divergence.good), ("diff_bad", divergence.bad)):
                self._stretch(self._say(side), stretch)
        rest = divergences[MAX_DIVERGENCES:]
        if rest:
            self._sheet.row("", [Block(Text(self._say("diff_elsewhere")))])
        for divergence in rest[:MAX_PLACES]:
            bad = divergence.bad
            at = bad.at if bad.at is not None else bad.lines[-1][0] if bad.lines else 0
            where = Text(_place(bad.path, at), style="cyan")
            self._sheet.row(
                "", [Block(where.append(f"  {visible(divergence.process)}", "default"))]
            )
        self._more(len(rest) - MAX_PLACES)

    def _stretch(self, side: str, stretch: Stretch) -> None:
        self._sheet.row(
            "", [Block(Text(f"{side}  {visible(stretch.path)}", style="cyan"), wraps=False)]
        )
        width = len(str(max((number for number, _ in stretch.lines), default=0)))
        blocks = []
        for number, text in stretch.lines:
            is_meant = number == stretch.at
            room = self._console.width - width - 8
            line = Text(f"{'>' if is_meant else ' '} {number:>{width}}  {clipped(text, room)}")
            line.stylize("bold" if is_meant else "dim")
            blocks.append(Block(line, indent=2, wraps=False))
        if stretch.at is None:
            blocks.append(Block(Text(f"> {self._say('diff_end')}", style="bold"), indent=2))
        self._sheet.row("", blocks)

    def _wordings(self, heading: str, wordings: Sequence[Wording], most: int) -> None:
        if not wordings:
            return
        self._heading(heading)
        for wording in wordings[:most]:
            first = wording.first
            place = Text(_place(first.path, first.line), style="cyan")
            if first.origin.rank is not None:
                place.append(f"  rank {first.origin.rank}", "default")
            if wording.good and wording.bad:
                place.append(f"  ×{wording.good:,} → ×{wording.bad:,}", "default")
            elif (count := wording.good or wording.bad) > 1:
                place.append(f"  ×{count:,}", "default")
            self._sheet.row(
                "", [Block(place), Block(Text(clipped(first.text.strip(), MAX_LINE)), indent=2)]
            )
        self._more(len(wordings) - most)

    def _coverage(self, found: Comparison) -> None:
        self._console.print()
        self._console.print(Text("─" * self._console.width, style="dim"))
        for name, report in (("diff_good", found.good), ("diff_bad", found.bad)):
            coverage = report.coverage
            said = self._say(
                "diff_read_one" if coverage.files == 1 else "diff_read",
                side=self._say(name),
                files=f"{coverage.files:,}",
                size=size(coverage.bytes),
                lines=f"{coverage.lines:,}",
            )
            self._sheet.row("", [Block(Text(said, style="dim"))])
        if found.cut:
            self._sheet.row("", [Block(Text(self._say("diff_cut"), style="yellow"))])

    def _heading(self, name: str) -> None:
        self._console.print()
        self._console.print(Text(self._say(name), style="bold"))

    def _more(self, count: int) -> None:
        if count > 0:
            more = self._say("diff_rest", count=f"{count:,}")
            self._sheet.row("", [Block(Text(more, style="dim"))])

    def _say(self, name: str, **values: object) -> str:
        return say(name, self._lang, **values)


def render_json(comparison: Comparison) -> str:
    """Return the comparison as JSON; both languages are in it."""
    told = json.dumps(as_dict(comparison), ensure_ascii=False, indent=1)
    return json_escaped(told) + "\n"


def as_dict(found: Comparison) -> dict[str, Any]:
    """Return the comparison as plain data in the order of the schema."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {
            "name": "ascend-doctor",
            "version": __version__,
            "rules_digest": found.bad.rules_digest,
        },
        "good": _run(found.good),
        "bad": _run(found.bad),
        "new_diagnoses": [_diagnosis(diagnosis) for diagnosis in found.new_diagnoses],
        "gone_diagnoses": [_diagnosis(diagnosis) for diagnosis in found.gone_diagnoses],
        "environment": [
            {"name": name, "good": good or None, "bad": bad or None}
            for name, (good, bad) in found.environment.items()
        ],
        "divergences": [
            {
                "process": divergence.process,
                "ends": divergence.ends,
                "good": _stretch(divergence.good),
                "bad": _stretch(divergence.bad),
            }
            for divergence in found.divergences
        ],
        "new": [_wording(wording) for wording in found.new],
        "more": [_wording(wording) for wording in found.more],
        "gone": [_wording(wording) for wording in found.gone],
        "cut": found.cut,
    }


def _run(report: Report) -> dict[str, Any]:
    coverage = report.coverage
    return {
        "status": report.status,
        "files": coverage.files,
        "bytes": coverage.bytes,
        "lines": coverage.lines,
        "interrupted": coverage.interrupted,
    }


def _diagnosis(diagnosis: Diagnosis) -> dict[str, Any]:
    first = diagnosis.evidence[0]
    return {
        "rule": diagnosis.rule,
        "family": diagnosis.family,
        "severity": diagnosis.severity.label,
        "title": {lang: diagnosis.texts[lang].title for lang in LANGS},
        "count": diagnosis.count,
        "first": {"path": first.path, "line": first.line, "text": first.text},
    }


def _wording(wording: Wording) -> dict[str, Any]:
    first = wording.first
    return {
        "template": wording.template,
        "level": wording.level or None,
        "good": wording.good,
        "bad": wording.bad,
        "first": {
            "path": first.path,
            "line": first.line,
            "text": first.text,
            "time": first.time,
            "module": first.module,
            "pid": first.origin.pid,
            "rank": first.origin.rank,
            "node": first.origin.node,
        },
    }


def _stretch(stretch: Stretch) -> dict[str, Any]:
    return {
        "path": stretch.path,
        "line": stretch.at,
        "lines": [{"line": number, "text": text} for number, text in stretch.lines],
    }


def _place(path: str, line: int) -> str:
    return f"{visible(path)}:{line}"
