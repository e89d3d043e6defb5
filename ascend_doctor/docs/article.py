"""The page that sets the article's claims beside what is true, from the glossary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ascend_doctor.docs.markdown import generated, page, prose, span
from ascend_doctor.docs.words import word
from ascend_doctor.knowledge.index import Page
from ascend_doctor.records import LANGS, Lang

NAMES: Mapping[Lang, str] = {"en": "article.md", "zh": "article.zh.md"}


def pages(terms: Mapping[str, Page]) -> Iterator[tuple[str, str]]:
    """Yield path and text of the page in each language; ``terms`` are those of the article."""
    for lang in LANGS:
        yield NAMES[lang], page(_lines(terms, lang))


def _lines(terms: Mapping[str, Page], lang: Lang) -> Iterator[str]:
    colon = word("colon", lang)
    yield generated("patterns/glossary/article.yaml")
    yield from (f"# {word('article_title', lang)}", "")
    other: Lang = "zh" if lang == "en" else "en"
    yield f"[{word('other', lang)}]({NAMES[other]}) · [{word('index', lang)}]({lang}/README.md)"
    yield from ("", word("article_intro", lang))
    for term, item in terms.items():
        yield from ("", f"## {span(term)}", "", f"*{word(item.status, lang)}*", "")
        if item.claim is not None:
            yield f"- **{word('claim', lang)}**{colon}{prose(item.claim[lang])}"
        yield f"- **{word('truth', lang)}**{colon}{prose(item.means[lang])}"
        if item.instead is not None:
            yield f"- **{word('instead', lang)}**{colon}{span(item.instead)}"
        for name, steps in (("usually", item.causes[lang]), ("next", item.next[lang])):
            if steps:
                yield f"- **{word(name, lang)}**{colon.rstrip()}"
                yield from (f"  - {prose(step)}" for step in steps)
