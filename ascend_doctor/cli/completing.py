"""What a shell is offered where an argument is one of many names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def formats(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]] | list[str]:
    """Offer the formats of ``-f FORMAT[=FILE]``, and files behind the equals sign."""
    from click.shell_completion import CompletionItem

    from ascend_doctor.reporters.registry import FORMATS

    if "=" in incomplete:
        return [CompletionItem(incomplete, type="file")]
    return _beginning(FORMATS, incomplete)


def rule_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer the ids of the built-in rules."""
    from ascend_doctor.knowledge.index import load

    return _beginning(load().rules, incomplete)


def selected(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer families and ids of the built-in rules, for the last of names that commas separate."""
    from ascend_doctor.knowledge.index import load

    before, comma, last = incomplete.rpartition(",")
    names = _beginning((*load().families, *load().rules), last)
    return [f"{before}{comma}{name}" for name in names]


def terms(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer what can be looked up; of thousands of terms, none before a letter is there."""
    from ascend_doctor.knowledge.index import load

    if not incomplete:
        return []
    knowledge = load()
    known = {
        *(term for pages in knowledge.pages.values() for term in pages),
        *(name for row in knowledge.codes.rows() for name in (row.code, row.name)),
        *knowledge.codes.runtime,
        *knowledge.families,
        *knowledge.thresholds,
        *knowledge.rules,
    }
    return _beginning(sorted(name for name in known if " " not in name), incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
