"""The page of the article's claims says what the glossary says."""

from __future__ import annotations

import pytest

from ascend_doctor import resources
from ascend_doctor.authoring.claims import NAMES, page
from ascend_doctor.knowledge.pages import compile_pages
from tests.conftest import ROOT


@pytest.mark.parametrize("lang", NAMES)
def test_the_committed_page_is_the_one_that_the_glossary_makes(lang):
    terms = compile_pages(resources.patterns())["article"]
    committed = (ROOT / "docs" / NAMES[lang]).read_text(encoding="utf-8")
    assert committed == page(terms, lang), "run: make docs"


def test_a_claim_stands_beside_the_truth():
    terms = {
        "made_up": {
            "status": "article-only",
            "claim": {"en": "It exists.", "zh": "存在。"},
            "means": {"en": "It does not.", "zh": "不存在。"},
            "instead": "the_real_one",
            "next": {"en": ["Use the real one."], "zh": ["改用真的。"]},
        }
    }
    assert page(terms, "en").splitlines()[3:12] == [
        "",
        "## `made_up`",
        "",
        "*known from the article only*",
        "",
        "- **The article says**: It exists.",
        "- **In truth**: It does not.",
        "- **Instead**: `the_real_one`",
        "- **What to do**:",
    ]
    assert "- **实际情况**：不存在。" in page(terms, "zh")
