"""Links of the documentation lead somewhere: to a file, and to a heading in it."""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import unquote

from ascend_doctor.docs.markdown import anchor
from tests.conftest import ROOT

FENCE = re.compile(r"^ *(`{3,})[^`\n]*\n.*?^ *\1 *$", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)")
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]


@cache
def anchors(path):
    """Return what the headings of a page are called, as far as they differ."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {anchor(re.sub(r"[`*\\]", "", title)) for title in titles}


def targets(path):
    """Yield the links of a page to other places in the checkout."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    for found in LINK.finditer(SPAN.sub("code", text)):
        if "://" not in found[1] and not found[1].startswith("mailto:"):
            yield found[1]


def is_dead(path, target):
    name, _, heading = target.partition("#")
    to = (path.parent / unquote(name)) if name else path
    return not to.exists() or (heading != "" and unquote(heading) not in anchors(to.resolve()))


def test_no_link_is_dead():
    links = [(path, target) for path in PAGES for target in targets(path)]
    dead = [(str(p.relative_to(ROOT)), t) for p, t in dict.fromkeys(links) if is_dead(p, t)]
    assert (len(links) > 5000, dead) == (True, [])


def test_the_index_leads_to_every_kind_of_page():
    reached = set()
    waiting = [ROOT / "docs" / "README.md"]
    while waiting:
        path = waiting.pop().resolve()
        if path.suffix == ".md" and path not in reached:
            reached.add(path)
            waiting += [path.parent / t.partition("#")[0] for t in targets(path) if t[0] != "#"]
    missed = {*(ROOT / "docs").rglob("*.md")} - reached
    assert {path for path in missed if path.parent.name != "adr"} == set()
