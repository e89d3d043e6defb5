"""A page for every rule, one for every family, and one that lists the families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ascend_doctor.docs.markdown import (
    fence,
    generated,
    numbered,
    page,
    prose,
    section,
    span,
    table,
)
from ascend_doctor.docs.matching import captures, conditions, literal
from ascend_doctor.docs.relations import causes, family_link, followers, link
from ascend_doctor.docs.words import word
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.rule import Rule
from ascend_doctor.knowledge.schema import Examples, RuleFile
from ascend_doctor.records import FAMILIES, LANGS, ROLES, Lang, Severity
from ascend_doctor.reporters.labels import label


def pages(knowledge: Knowledge, files: Sequence[RuleFile]) -> Iterator[tuple[str, str]]:
    """Yield path and text of all pages; ``files`` are the rules with their examples."""
    by_id = {file.id: file for file in files}
    for lang in LANGS:
        yield f"{lang}/rules/README.md", _families(knowledge, lang)
        for name in knowledge.families:
            yield f"{lang}/rules/{name}/README.md", _family(name, knowledge, lang)
        for rule in knowledge.rules.values():
            path = f"{lang}/rules/{rule.family}/{rule.id}.md"
            yield path, rule_page(rule, by_id[rule.id], knowledge, lang)


def rule_page(rule: Rule, file: RuleFile, knowledge: Knowledge, lang: Lang) -> str:
    """Return the page of a rule, as the index and as its file have it."""
    return page(_rule(rule, file, knowledge, lang))


def _rule(rule: Rule, file: RuleFile, knowledge: Knowledge, lang: Lang) -> Iterator[str]:
    texts = rule.unfilled(lang)
    source = f"patterns/{rule.family}/{rule.id}.yaml"
    yield generated(source)
    yield from (f"# {prose(texts.title)}", "")
    other = _other(f"rules/{rule.family}/{rule.id}.md", 3, lang)
    yield f"{span(rule.id)} · {other} · [YAML](../../../../{source})"
    yield from ("", *_facts(rule, knowledge, lang))
    if "article" in rule.provenance:
        yield from ("", f"**{word('article', lang)}**")
    yield from section(word("why", lang), [prose(texts.cause)])
    yield from section(word("check", lang), numbered(texts.checks))
    yield from section(word("fix", lang), numbered(texts.fixes))
    yield from section(word("matches", lang), conditions(file, knowledge, lang))
    yield from section(word("captures", lang), captures(file, lang))
    follow = followers(rule.explains, rule.family, knowledge, lang)
    yield from section(word("explains", lang), _told("explains_intro", follow, lang))
    before = causes(rule, knowledge, lang)
    yield from section(word("explained_by", lang), _told("explained_intro", before, lang))
    remedies = [f"- {_remedy(name, params)}" for name, params in rule.remedies]
    yield from section(word("remedies", lang), _told("remedies_intro", remedies, lang))
    yield from section(word("examples", lang), _examples(file.examples, lang))
    near = [line for text in file.examples.near for line in (*fence(text, "log"), "")]
    yield from section(word("near", lang), _told("near_intro", near, lang))
    seen = [
        f"- {word(f'provenance_{item.kind}', lang)}{word('colon', lang)}{prose(item.ref)}"
        for item in file.provenance
    ]
    yield from section(word("seen_in", lang), seen)


def _facts(rule: Rule, knowledge: Knowledge, lang: Lang) -> list[str]:
    rows = [
        (word("family", lang), family_link(rule.family, rule.family, knowledge, lang)),
        (word("severity", lang), label(rule.severity.label, lang)),
        (word("role", lang), word(f"role_{rule.role}", lang)),
        (word("confidence", lang), word(f"confidence_{rule.confidence}", lang)),
        (word("status", lang), word(f"status_{rule.status}", lang)),
    ]
    return table(("", ""), rows)


def _told(intro: str, lines: Sequence[str], lang: Lang) -> list[str]:
    return [word(intro, lang), "", *lines] if lines else []


def _remedy(name: str, params: Mapping[str, str]) -> str:
    return " ".join((span(name), *(span(f"{key}={value}") for key, value in params.items())))


def _examples(examples: Examples, lang: Lang) -> list[str]:
    lines = []
    for example in examples.match:
        lines += [*fence(example.log, "log"), ""]
        if example.captures:
            captured = example.captures.items()
            given = (f"{span(name)} = {literal(value)}" for name, value in captured)
            said = word("comma", lang).join(given)
            lines += [word("gives", lang, captures=said), ""]
    return _told("examples_intro", lines, lang)


def _other(path: str, depth: int, lang: Lang) -> str:
    """Return a link to the same page in the other language."""
    other = "zh" if lang == "en" else "en"
    return f"[{word('other', lang)}]({'../' * depth}{other}/{path})"


def _family(name: str, knowledge: Knowledge, lang: Lang) -> str:
    family = knowledge.families[name]
    rules = [rule for rule in knowledge.rules.values() if rule.family == name]
    header = [word(key, lang) for key in ("title", "rule", "severity", "confidence", "role")]
    rows = [
        (
            link(rule, name, lang),
            span(rule.id),
            label(rule.severity.label, lang),
            word(f"confidence_{rule.confidence}", lang),
            word(f"short_{rule.role}", lang),
        )
        for rule in sorted(rules, key=lambda rule: (ROLES.index(rule.role), rule.id))
    ]
    follow = followers(family.explains, name, knowledge, lang)
    return page(
        (
            generated(f"patterns/families.yaml and patterns/{name}/"),
            f"# {prose(family.title[lang])}",
            "",
            f"{span(name)} · {_other(f'rules/{name}/README.md', 3, lang)}"
            f" · [{word('rules', lang)}](../README.md)",
            *section(word("rules", lang), table(header, rows)),
            *section(word("family_next", lang), numbered(family.next[lang])),
            *section(word("explains", lang), _told("family_explains_intro", follow, lang)),
        )
    )


def _families(knowledge: Knowledge, lang: Lang) -> str:
    header = [word(key, lang) for key in ("title", "family", "count")]
    rows = [
        (
            f"[{prose(family.title[lang])}]({name}/README.md)",
            span(name),
            str(sum(rule.family == name for rule in knowledge.rules.values())),
        )
        for name, family in ((name, knowledge.families[name]) for name in FAMILIES)
    ]
    counts = {"count": len(knowledge.rules), "families": len(knowledge.families)}
    return page(
        (
            generated("patterns/"),
            f"# {word('rules', lang)}",
            "",
            f"{_other('rules/README.md', 2, lang)} · [{word('index', lang)}](../README.md)",
            "",
            word("rules_intro", lang, **counts),
            "",
            *table(header, rows),
            *section(word("how_to_read", lang), [*_legend(lang)]),
        )
    )


def _legend(lang: Lang) -> Iterator[str]:
    yield from (word("captured_in_angles", lang), "")
    for name, intro, kinds in (
        ("severity", "severities", [f"severity_{s.label}" for s in reversed(Severity)]),
        ("role", "roles", [f"role_{role}" for role in ROLES]),
        ("confidence", "confidences", ["sure_high", "sure_medium", "sure_low"]),
    ):
        yield f"- **{word(name, lang)}**{word('colon', lang)}{word(intro, lang)}"
        yield from (f"  - {word(kind, lang)}" for kind in kinds)
