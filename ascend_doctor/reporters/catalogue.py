"""The rules themselves, for a terminal and for programs."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.text import Text

from ascend_doctor.knowledge.rule import Rule
from ascend_doctor.records import LANGS, Lang
from ascend_doctor.reporters.labels import label
from ascend_doctor.reporters.layout import Block, Sheet, console, prose, steps, wrapped
from ascend_doctor.reporters.safe import json_escaped, visible

_HEADINGS = ("finds", "why", "check", "fix", "seen_in")


def entries(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    """Return the rules as plain data, a dictionary each."""
    return [
        {
            "id": rule.id,
            "family": rule.family,
            "role": rule.role,
            "severity": rule.severity.label,
            "confidence": rule.confidence,
            "status": rule.status,
            "provenance": [*rule.provenance],
            "title": {lang: rule.unfilled(lang).title for lang in LANGS},
        }
        for rule in rules
    ]


def render_json(rules: Iterable[Rule]) -> str:
    """Return the rules as JSON, a list of the ``entries``."""
    return json_escaped(json.dumps(entries(rules), ensure_ascii=False, indent=2)) + "\n"


def listing(rules: Sequence[Rule], lang: Lang) -> str:
    """Return a line a rule: id, severity, title."""
    width = max(len(rule.id) for rule in rules)
    return "".join(
        f"{rule.id:<{width}}  {rule.severity.label:<7}  {visible(rule.unfilled(lang).title)}\n"
        for rule in rules
    )


def sheets(rules: Iterable[Rule], lang: Lang, *, color: bool = False, width: int = 100) -> str:
    """Return what each rule looks for and says, for a terminal of ``width`` columns."""
    out = io.StringIO()
    screen = console(out, color=color, width=width)
    sheet = Sheet(screen, [label(name, lang) for name in _HEADINGS])
    for number, rule in enumerate(rules):
        if number:
            screen.print()
        screen.print(Text(rule.id, style="bold"))
        texts = rule.unfilled(lang)
        facts = (rule.family, rule.role, rule.severity.label, label(rule.confidence, lang))
        sheet.row("", [Block(Text(" · ".join(facts), style="dim"))])
        for line in wrapped(prose(texts.title), screen.width - 2):
            screen.print(Text.assemble("  ", line))
        sheet.row(label("finds", lang), [Block(Text(text)) for text in _finds(rule)])
        sheet.row(label("why", lang), [Block(prose(texts.cause))])
        sheet.row(label("check", lang), steps(texts.checks))
        sheet.row(label("fix", lang), steps(texts.fixes))
        sheet.row(label("seen_in", lang), [Block(Text(", ".join(rule.provenance)))])
    return out.getvalue()


def _finds(rule: Rule) -> list[str]:
    """Return the wordings that a rule looks for, or the verdicts of its reader."""
    if rule.reader is not None:
        return [f"{rule.reader}: {verdict}" for verdict in rule.verdicts]
    return [*dict.fromkeys(" … ".join(map(_shown, v.literals)) for v in rule.match)]


def _shown(literal: bytes) -> str:
    return visible(literal.decode("utf-8", "replace").replace("\n", "⏎"))
