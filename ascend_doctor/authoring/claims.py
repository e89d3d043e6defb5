"""The page that sets the article's claims beside what is true, from the glossary.

``python -m ascend_doctor.authoring.claims docs`` writes it in both languages.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ascend_doctor import resources
from ascend_doctor.knowledge.pages import compile_pages
from ascend_doctor.records import LANGS, Lang

NAMES: Mapping[Lang, str] = {"en": "article.md", "zh": "article.zh.md"}

_WORDS: Mapping[Lang, Mapping[str, str]] = {
    "en": {
        "title": "The article's claims, and what is true",
        "intro": (
            "Many know the five failures at the heart of this tool from an article on"
            " variable-length training. Below is what it says and what holds instead. Any term can"
            " be looked up with `ascend-doctor explain TERM`."
        ),
        "claim": "The article says",
        "means": "In truth",
        "instead": "Instead",
        "next": "What to do",
        "article-only": "known from the article only",
        "deprecated": "deprecated",
        "real": "real",
        "source": "This page is made from `patterns/glossary/article.yaml` by `make docs`.",
    },
    "zh": {
        "title": "文章的说法与实际情况",
        "intro": (
            "不少人是通过一篇讲变长序列训练的文章认识这五类故障的。下面逐条列出文章的说法与实际情况。"
            "任何术语都可以用 `ascend-doctor explain 术语` 查询。"
        ),
        "claim": "文章说法",
        "means": "实际情况",
        "instead": "应改用",
        "next": "怎么做",
        "article-only": "仅见于文章",
        "deprecated": "已废弃",
        "real": "真实存在",
        "source": "本页由 `make docs` 根据 `patterns/glossary/article.yaml` 生成。",
    },
}


def page(terms: Mapping[str, Any], lang: Lang) -> str:
    """Return the page as Markdown; ``terms`` are the pages of the glossary's article section."""
    return "\n".join(_lines(terms, lang)) + "\n"


def _lines(terms: Mapping[str, Any], lang: Lang) -> Iterator[str]:
    words = _WORDS[lang]
    colon = ": " if lang == "en" else "："
    yield from (f"# {words['title']}", "", words["intro"])
    for term, item in terms.items():
        yield from ("", f"## `{term}`", "", f"*{words[item['status']]}*", "")
        for name in ("claim", "means"):
            if item[name] is not None:
                yield f"- **{words[name]}**{colon}{item[name][lang]}"
        if item["instead"] is not None:
            yield f"- **{words['instead']}**{colon}`{item['instead']}`"
        if item["next"][lang]:
            yield f"- **{words['next']}**{colon.rstrip()}"
            yield from (f"  - {step}" for step in item["next"][lang])
    yield from ("", "---", words["source"])


def main(folder: Path) -> None:
    """Write the page in every language into ``folder``."""
    terms = compile_pages(resources.patterns())["article"]
    for lang in LANGS:
        (folder / NAMES[lang]).write_text(page(terms, lang), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
