"""Which rule brings which about, seen from both ends, as links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase

from ascend_doctor.docs.markdown import prose, span
from ascend_doctor.docs.words import word
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.rule import Explains, Rule
from ascend_doctor.records import FAMILIES, Lang

_Scope = tuple[str, int | None]


def link(rule: Rule, family: str, lang: Lang) -> str:
    """Return a link to a rule from a page in the folder of ``family``."""
    folder = "" if rule.family == family else f"../{rule.family}/"
    return f"[{prose(rule.unfilled(lang).title)}]({folder}{rule.id}.md)"


def family_link(name: str, family: str, knowledge: Knowledge, lang: Lang) -> str:
    """Return a link to a family from a page in the folder of ``family``."""
    folder = "" if name == family else f"../{name}/"
    return f"[{prose(knowledge.families[name].title[lang])}]({folder}README.md)"


def followers(
    edges: Iterable[Explains], family: str, knowledge: Knowledge, lang: Lang
) -> list[str]:
    """Return list items of what a rule or a family in the folder ``family`` brings about."""
    return [
        f"- {_named(edge.what, family, knowledge, lang)}{_reach(edge.scope, edge.within_s, lang)}"
        for edge in edges
    ]


def causes(rule: Rule, knowledge: Knowledge, lang: Lang) -> list[str]:
    """Return list items of the rules, then of the families, that bring ``rule`` about."""
    items = [
        f"- {link(other, rule.family, lang)}{_reach(*scope, lang)}"
        for other in knowledge.rules.values()
        if other.id != rule.id and (scope := _scope(other.explains, rule)) is not None
    ]
    for name, family in knowledge.families.items():
        scope = _scope(family.explains, rule)
        if scope is not None:
            linked = family_link(name, rule.family, knowledge, lang)
            said = word("all_of_family", lang, family=linked)
            items.append(f"- {said}{_reach(*scope, lang)}")
    return items


def _scope(edges: Iterable[Explains], rule: Rule) -> _Scope | None:
    """Return scope and time of the first edge that leads to ``rule``."""
    for edge in edges:
        if fnmatchcase(rule.id, edge.what) or rule.family == edge.what:
            return edge.scope, edge.within_s
    return None


def _named(what: str, family: str, knowledge: Knowledge, lang: Lang) -> str:
    if what in knowledge.rules:
        return link(knowledge.rules[what], family, lang)
    whole = _whole_families().get(what)
    if whole is not None:
        linked = family_link(whole, family, knowledge, lang)
        return word("all_of_family", lang, family=linked)
    return word("all_called", lang, glob=span(what))


def _whole_families() -> Mapping[str, str]:
    """Return what stands for a family: its name, and the beginning of its rules' ids."""
    return dict(_spellings())


def _spellings() -> Iterator[tuple[str, str]]:
    for name in FAMILIES:
        yield name, name
        yield f"{name.replace('_', '-')}-*", name


def _reach(scope: str, within_s: int | None, lang: Lang) -> str:
    parts = [word(f"scope_{scope}", lang)]
    if within_s is not None:
        parts.append(word("within", lang, seconds=within_s))
    said = word("pause", lang).join(parts)
    return f" ({said})" if lang == "en" else f"（{said}）"
