"""What is known of codes and terms, for a terminal and for programs."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

from msgspec.structs import asdict
from rich.text import Text

from ascend_doctor.knowledge.glossary import Explanation
from ascend_doctor.records import Lang
from ascend_doctor.reporters.labels import label
from ascend_doctor.reporters.layout import Block, Sheet, console, prose, steps, wrapped
from ascend_doctor.reporters.safe import json_escaped, visible

# Version of the JSON that programs read.
SCHEMA_VERSION = 1

_HEADINGS = ("means", "usually", "next", "claim", "truth", "instead", "default")


def render(
    told: Sequence[Explanation], lang: Lang = "en", *, color: bool = False, width: int = 100
) -> str:
    """Return explanations for a terminal of ``width`` columns."""
    out = io.StringIO()
    screen = console(out, color=color, width=width)
    sheet = Sheet(screen, [label(name, lang) for name in _HEADINGS])
    for number, item in enumerate(told):
        if number:
            screen.print()
        head = Text(visible(item.code or item.term), style="bold")
        if item.name:
            head.append(f"  {visible(item.name)}", style="bold")
        for line in wrapped(head, screen.width):
            screen.print(line)
        _body(item, sheet, lang)
    return out.getvalue()


def _body(item: Explanation, sheet: Sheet, lang: Lang) -> None:
    def say(name: str) -> str:
        return label(name, lang)

    if not item.is_known:
        sheet.row("", [Block(prose(say("unknown_term")))])
        if item.proposed:
            terms = ", ".join(item.proposed)
            sheet.row("", [Block(Text(visible(label("proposed", lang, terms=terms))))])
        return
    names = {"article": "article_term", "family": "family_term"}
    facts = [say(names.get(item.kind, item.kind))]
    facts += [item.family] if item.family not in ("", item.code) else []
    facts += [say(item.status)] if item.status != "real" else []
    sheet.row("", [Block(Text(visible(" · ".join(facts)), style="dim"))])
    if item.default is not None:
        sheet.row(say("default"), [Block(Text(visible(item.default)))])
    if item.claim is not None:
        sheet.row(say("claim"), [Block(prose(item.claim[lang]))])
    if item.means is not None:
        heading = "means" if item.claim is None else "truth"
        sheet.row(say(heading), [Block(prose(item.means[lang]))])
    if item.instead is not None:
        sheet.row(say("instead"), [Block(Text(visible(item.instead), style="green"))])
    sheet.row(say("usually"), steps(item.causes[lang]))
    sheet.row(say("next"), steps(item.next[lang]))
    if not item.is_full:
        sheet.row("", [Block(Text(say("from_table"), style="dim"))])


def render_json(told: Sequence[Explanation]) -> str:
    """Return explanations as JSON: ``{"schema_version": 1, "explanations": [...]}``."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "explanations": [{**asdict(item), "known": item.is_known} for item in told],
    }
    return json_escaped(json.dumps(content, ensure_ascii=False, indent=2)) + "\n"
