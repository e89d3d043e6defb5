"""The page that lists the thresholds of profiles, and the words that reports on them use."""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.docs.markdown import generated, page, prose, span, table
from ascend_doctor.docs.words import word
from ascend_doctor.knowledge.index import Knowledge, Threshold
from ascend_doctor.records import LANGS, Lang


def pages(knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    """Yield path and text of the page in each language."""
    for lang in LANGS:
        yield f"{lang}/thresholds.md", page(_lines(knowledge, lang))


def _lines(knowledge: Knowledge, lang: Lang) -> Iterator[str]:
    other: Lang = "zh" if lang == "en" else "en"
    yield generated("patterns/thresholds.yaml and patterns/glossary/profile.yaml")
    yield from (f"# {word('thresholds', lang)}", "")
    yield f"[{word('other', lang)}](../{other}/thresholds.md) · [{word('index', lang)}](README.md)"
    yield from ("", word("thresholds_intro", lang), "")
    header = [word(key, lang) for key in ("threshold", "default", "range", "about")]
    yield from table(header, (_row(*item, lang) for item in knowledge.thresholds.items()))
    yield from ("", f"## {word('profile_words', lang)}", "", word("profile_words_intro", lang), "")
    header = [word(key, lang) for key in ("term", "also", "about")]
    yield from table(
        header,
        (
            (span(term), word("comma", lang).join(map(span, item.also)), prose(item.means[lang]))
            for term, item in knowledge.pages["profile"].items()
        ),
    )


def _row(name: str, threshold: Threshold, lang: Lang) -> tuple[str, ...]:
    unit = "" if threshold.unit == "share" else word(f"unit_{threshold.unit}", lang)
    low, high = threshold.range
    value = f"{threshold.value:g} {unit}".rstrip()
    return span(name), value, f"{low:,.10g} – {high:,.10g}", prose(threshold.means[lang])
