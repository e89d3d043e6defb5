"""What went wrong: diagnoses with their proof, errors that nothing explains, codes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ascend_doctor.knowledge.rule import Texts
from ascend_doctor.records import Confidence, Evidence, Lang, Location, Origin, Role, Severity


class Consequence(Struct, frozen=True):
    """What a cause brought about, or what merely repeats it."""

    rule: str
    family: str
    role: Role
    title: Mapping[Lang, str]
    count: int
    evidence: Evidence


class Diagnosis(Struct, frozen=True):
    """One thing that went wrong, its proof, and what to do about it.

    ``fingerprint`` names it in every run; see ``diagnosis.fingerprint``.
    """

    position: int
    rule: str
    family: str
    severity: Severity
    confidence: Confidence
    role: Role
    provenance: tuple[str, ...]
    texts: Mapping[Lang, Texts]
    remedies: tuple[tuple[str, Mapping[str, str]], ...]
    captures: Mapping[str, str]
    codes: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    location: Location | None
    origin: Origin
    first_seen: str | None
    last_seen: str | None
    count: int
    processes: int
    ranks: tuple[int, ...]
    consequences: tuple[Consequence, ...] = ()
    fingerprint: str = ""

    @property
    def is_article(self) -> bool:
        """True where only the article prints this wording, and no release does."""
        return set(self.provenance) == {"article"}


class Unexplained(Struct, frozen=True):
    """An error that no rule and no code table knows."""

    template: str
    level: str
    count: int
    first: Evidence
    fingerprint: str = ""


class CodeMet(Struct, frozen=True):
    """An error code that the logs name, with what is known of it.

    ``table`` says whose code it is, ``first`` where it was first, ``is_full`` that a person wrote
    more of it than its row in the table.
    """

    code: str
    table: str
    name: str
    family: str
    count: int
    first: Evidence
    means: Mapping[Lang, str]
    causes: Mapping[Lang, tuple[str, ...]]
    next: Mapping[Lang, tuple[str, ...]]
    is_full: bool = False

    @property
    def label(self) -> str:
        """What people know it by; HCCL's small numbers mean nothing without their name."""
        return self.name if self.table == "hccl" else self.code
