"""Markdown that shows what it is given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ascend_doctor.docs.markdown import fence, prose, section, span, table

_PAGE = MarkdownIt("commonmark").enable("table")


def shown(markdown):
    """Return the texts that a page shows, code and prose."""
    tokens = (t for block in _PAGE.parse(markdown) for t in (block.children or [block]))
    return [t.content for t in tokens if t.type in ("text", "code_inline", "fence")]


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"]), min_size=1))
def test_code_is_shown_as_it_is(text):
    assert shown(f"x {span(text)} y") == ["x ", text, " y"]


@given(st.lists(st.text("`~ab<&\\", max_size=9), min_size=1).map("\n".join))
def test_a_block_of_code_is_shown_as_it_is(text):
    assert shown("\n".join(fence(text))) == [text.rstrip("\n") + "\n"]


@pytest.mark.parametrize("text", ["a|b", "`a|b`", "a\\|b"])
def test_a_cell_stays_one_cell(text):
    lines = table(("left", "right"), [(prose(text), "b")])
    assert shown("\n".join(lines))[2:] == [text.strip("`"), "b"]


def test_control_characters_are_shown_as_escapes():
    assert (span("a\x1b[0m"), fence("a\u202eb")[1]) == ("`a\\x1b[0m`", "a\\u202eb")


def test_a_section_without_lines_has_no_heading():
    assert (section("Why", []), section("Why", ["a", ""])) == ([], ["", "## Why", "", "a"])
