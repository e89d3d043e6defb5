"""All generated pages, and a folder brought to their state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ascend_doctor import resources
from ascend_doctor.docs import article, codes, commands, glossary, rules, thresholds
from ascend_doctor.docs.markdown import GENERATED
from ascend_doctor.knowledge.index import Page, load, page_of
from ascend_doctor.knowledge.load import load_rule, rule_files
from ascend_doctor.knowledge.pages import compile_pages


def pages() -> Mapping[str, str]:
    """Return every generated page, by its path below ``docs/``."""
    knowledge = load()
    files = [load_rule(path) for path in rule_files(resources.patterns())]
    made = (
        *commands.pages(),
        *rules.pages(knowledge, files),
        *codes.pages(knowledge),
        *glossary.pages(knowledge),
        *thresholds.pages(knowledge),
        *article.pages(_claims()),
    )
    return dict(made)


def _claims() -> Mapping[str, Page]:
    """Return the terms of the article in the order of the article, which the index has not."""
    terms = compile_pages(resources.patterns())["article"]
    return {term: page_of(item) for term, item in terms.items()}


def stale(folder: Path, made: Mapping[str, str]) -> Iterator[str]:
    """Yield the generated pages in ``folder`` that are made no more; written ones are left."""
    for path in sorted(folder.rglob("*.md")):
        name = path.relative_to(folder).as_posix()
        with path.open(encoding="utf-8") as file:
            is_generated = file.readline().startswith(GENERATED)
        if is_generated and name not in made:
            yield name


def drift(folder: Path, made: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each page in ``folder`` that is missing, other than ``made``, or stale."""
    for name, text in made.items():
        path = folder / name
        if not path.exists():
            yield f"{name}: missing"
        elif path.read_bytes() != text.encode():
            yield f"{name}: differs"
    yield from (f"{name}: stale" for name in stale(folder, made))


def write(folder: Path) -> list[str]:
    """Bring ``folder`` to the state of the rules and commands; return what was changed."""
    made = pages()
    changed = [*drift(folder, made)]
    for line in changed:
        name, _, _ = line.rpartition(": ")
        path = folder / name
        if name in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(made[name].encode())
        else:
            path.unlink()
    return changed
