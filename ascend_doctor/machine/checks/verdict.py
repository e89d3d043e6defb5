"""What checks conclude, and what they know."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ascend_doctor.knowledge.index import Knowledge, Page
from ascend_doctor.knowledge.versions import Versions
from ascend_doctor.machine.model import ENVIRON, Machine, Place

# Proofs that are kept of one verdict.
MAX_PROOFS = 5


class Verdict(Struct, frozen=True):
    """One thing that is wrong: its name, what rule texts may say of it, and its proofs."""

    name: str
    captures: Mapping[str, str]
    proofs: tuple[Place, ...]


class Known(Struct, frozen=True):
    """What machines are compared with: the version matrix, and pages of variables."""

    versions: Versions
    variables: Mapping[str, Page]
    article: Mapping[str, Page]


def known_of(knowledge: Knowledge) -> Known:
    """Return what checks need of all that is known."""
    pages = knowledge.pages
    return Known(knowledge.versions, pages.get("variables", {}), pages.get("article", {}))


def verdict(name: str, /, *proofs: Place, **captures: str | None) -> Verdict:
    """Return a verdict with the captures that are known."""
    told = {key: value for key, value in captures.items() if value}
    return Verdict(name, told, proofs[:MAX_PROOFS])


def place_of(machine: Machine, name: str) -> Place:
    """Return where a variable stands, be it set or not."""
    for item in machine.variables or ():
        if item.name == name:
            value = "" if item.value is None else f"={item.value[:400]}"
            return Place(ENVIRON, item.line, f"{name}{value}")
    return Place(ENVIRON, 1, f"{name} is not set")
