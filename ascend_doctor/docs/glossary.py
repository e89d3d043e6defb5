"""Environment variables with what is written on them, and the list of all that can be looked up."""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.docs import article, codes
from ascend_doctor.docs.markdown import anchor, generated, numbered, page, prose, span, table
from ascend_doctor.docs.words import word
from ascend_doctor.knowledge.index import Knowledge, Page
from ascend_doctor.records import LANGS, Lang


def pages(knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    """Yield path and text of all pages."""
    for lang in LANGS:
        yield f"{lang}/variables.md", _variables(knowledge, lang)
        yield f"{lang}/glossary.md", _glossary(knowledge, lang)


def _links(path: str, lang: Lang) -> str:
    other = "zh" if lang == "en" else "en"
    return f"[{word('other', lang)}](../{other}/{path}) · [{word('index', lang)}](README.md)"


def _variables(knowledge: Knowledge, lang: Lang) -> str:
    told = knowledge.pages["variables"]
    return page(
        (
            generated("patterns/glossary/variables.yaml"),
            f"# {word('variables', lang)}",
            "",
            _links("variables.md", lang),
            "",
            word("variables_intro", lang),
            *(line for name, item in told.items() for line in _variable(name, item, lang)),
        )
    )


def _variable(name: str, item: Page, lang: Lang) -> Iterator[str]:
    colon = word("colon", lang)
    yield from ("", f"## {name}", "")
    if item.status != "real":
        yield from (f"*{word(item.status, lang)}*", "")
    facts = (("default", item.default), ("instead", item.instead))
    said = [f"- **{word(key, lang)}**{colon}{span(value)}" for key, value in facts if value]
    if item.also:
        also = word("comma", lang).join(map(span, item.also))
        said.append(f"- **{word('also', lang)}**{colon}{also}")
    if said:
        yield from (*said, "")
    if item.claim is not None:
        yield from (f"**{word('claim', lang)}**{colon}{prose(item.claim[lang])}", "")
    yield prose(item.means[lang])
    for key, steps in (("misused", item.causes[lang]), ("next", item.next[lang])):
        if steps:
            yield from ("", f"**{word(key, lang)}**", "", *numbered(steps))


def _glossary(knowledge: Knowledge, lang: Lang) -> str:
    header = [word(key, lang) for key in ("term", "kind", "also")]
    rows = [
        (f"[{span(term)}]({target})", kind, word("comma", lang).join(map(span, also)))
        for term, kind, target, also in _terms(knowledge, lang)
    ]
    return page(
        (
            generated("patterns/glossary/"),
            f"# {word('glossary', lang)}",
            "",
            _links("glossary.md", lang),
            "",
            word("glossary_intro", lang),
            "",
            *table(header, sorted(rows, key=lambda row: (row[0].casefold(), row))),
        )
    )


def _terms(knowledge: Knowledge, lang: Lang) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Yield term, kind, where it is told, and its other spellings."""
    for term, item in knowledge.pages["article"].items():
        target = f"../{article.NAMES[lang]}#{anchor(term)}"
        yield term, word("kind_article", lang), target, item.also
    for term, item in knowledge.pages["variables"].items():
        yield term, word("kind_variables", lang), f"variables.md#{anchor(term)}", item.also
    for name in knowledge.thresholds:
        yield name, word("kind_threshold", lang), "thresholds.md", ()
    for term, item in knowledge.pages["profile"].items():
        target = f"thresholds.md#{anchor(word('profile_words', lang))}"
        yield term, word("kind_profile", lang), target, item.also
    for name in codes.TABLES:
        for code, item in knowledge.pages[name].items():
            target = f"codes/{codes.place(name, code, knowledge)}"
            yield code, word("kind_code", lang), target, item.also
