"""The answer: diagnoses in order, the first of them the root cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ascend_doctor.knowledge.rule import Texts
from ascend_doctor.records import Confidence, Evidence, Lang, Location, Origin, Role, Severity
from ascend_doctor.version import __version__

if TYPE_CHECKING:
    import pandas

Status = Literal["clean", "problem", "unexplained"]
FailOn = Literal["never", "info", "warning", "error", "fatal"]


@dataclass(frozen=True, slots=True)
class Consequence:
    """What a cause brought about, or what merely repeats it."""

    rule: str
    family: str
    role: Role
    title: Mapping[Lang, str]
    count: int
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Diagnosis:
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


@dataclass(frozen=True, slots=True)
class Unexplained:
    """An error that no rule and no code table knows."""

    template: str
    level: str
    count: int
    first: Evidence
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Activity:
    """A rule that matched in a process: how often, and the first and the last time.

    ``position`` is that of the diagnosis that tells of it, be it as its cause or as what
    followed; ``source`` is the file where it was first.
    """

    position: int
    rule: str
    role: Role
    severity: Severity
    origin: Origin
    source: str
    count: int
    first_seen: str | None
    last_seen: str | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """What was active where and when, earliest first; ``left_out`` counts what is too much."""

    activities: tuple[Activity, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class CodeMet:
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


@dataclass(frozen=True, slots=True)
class Slice:
    """The part of the job that the report is about, as it was asked for.

    ``left_out`` counts the messages that are outside of it, ``unplaced`` those that were kept,
    although they do not say when or by which rank they were written. ``empty`` says that, as far
    as times and the names of files tell, nothing of what was read is in it.
    """

    since: str | None
    until: str | None
    ranks: str | None
    left_out: int = 0
    unplaced: int = 0
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was read, what was not, and what the logs could show at all.

    ``interrupted`` says that reading was stopped before its time, and ``unread`` how many files
    were found and not read for that; there may be more.
    """

    files: int
    bytes: int
    lines: int
    by_kind: Mapping[str, int]
    levels: tuple[str, ...]
    time_range: tuple[str, str] | None
    skipped: tuple[tuple[str, str], ...]
    broken: tuple[tuple[str, str], ...]
    interrupted: bool = False
    unread: int = 0
    slice: Slice | None = None


@dataclass(frozen=True, slots=True)
class Hidden:
    """A diagnosis that was made and is left out of the report; ``by`` names the option."""

    rule: str
    family: str
    severity: Severity
    count: int
    by: str


@dataclass(frozen=True, slots=True)
class Known:
    """Why what has this fingerprint does not fail the gate.

    ``where`` is the place of the entry that says so, as ``file:line``; ``expires`` is the last day
    on which it does, as an ISO date.
    """

    fingerprint: str
    reason: str
    where: str
    expires: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a baseline or a suppression that says nothing of this report.

    ``name`` is the rule or fingerprint that it is about.
    """

    name: str
    reason: str
    where: str
    expires: str | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """What was asked of the report before a job may go on.

    Attributes:
        fail_on: the least severity of a diagnosis that fails it.
        is_strict: errors that nothing explains, and parts that could not be read, fail it as well.
        hidden: diagnoses that ``--select`` or ``--ignore`` leave out, in their order.
        known: what fails no more, diagnoses first.
        expired: entries whose last day has passed; each fails the gate.
        stale: entries of the baseline that match nothing any more.
    """

    fail_on: FailOn = "warning"
    is_strict: bool = False
    hidden: tuple[Hidden, ...] = ()
    known: tuple[Known, ...] = ()
    expired: tuple[Entry, ...] = ()
    stale: tuple[Entry, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """All that a reporter needs; the same for every format.

    Attributes:
        rules_digest: names the state of the rules; two reports with one digest judged alike.
        families: the title of each family in each language.
        version: of the tool that made it, which need not be this one.
        is_redacted: names of people and machines are pseudonyms.
    """

    rules_digest: str
    diagnoses: tuple[Diagnosis, ...]
    unexplained: tuple[Unexplained, ...]
    environment: Mapping[str, str]
    coverage: Coverage
    families: Mapping[str, Mapping[Lang, str]] = field(default_factory=dict)
    version: str = __version__
    timeline: Timeline = Timeline()
    codes: tuple[CodeMet, ...] = ()
    is_redacted: bool = False
    gate: Gate = Gate()

    @property
    def worst(self) -> Severity | None:
        """The severity of the worst diagnosis, None without any."""
        return max((d.severity for d in self.diagnoses), default=None)

    def known(self, item: Diagnosis | Unexplained) -> Known | None:
        """Return why ``item`` does not fail the gate, None if it does or may."""
        named = (known for known in self.gate.known if known.fingerprint == item.fingerprint)
        return next(named, None)

    @property
    def failing(self) -> tuple[Diagnosis | Unexplained, ...]:
        """What fails the gate, in the order of the report."""
        gate = self.gate
        least = None if gate.fail_on == "never" else Severity[gate.fail_on.upper()]
        items: list[Diagnosis | Unexplained] = [
            d for d in self.diagnoses if least is not None and d.severity >= least
        ]
        items += self.unexplained if gate.is_strict else ()
        return tuple(item for item in items if self.known(item) is None)

    @property
    def expired(self) -> tuple[Entry, ...]:
        """The entries whose last day has passed, if that fails the gate."""
        return () if self.gate.fail_on == "never" else self.gate.expired

    @property
    def is_failed(self) -> bool:
        """True if a job that depends on this report must not go on."""
        return bool(self.expired or self.failing)

    @property
    def status(self) -> Status:
        """``problem``, ``unexplained`` (errors that nothing knows) or ``clean``."""
        if self.worst is not None and self.worst >= Severity.WARNING:
            return "problem"
        return "unexplained" if self.unexplained else "clean"

    def to_frame(self) -> pandas.DataFrame:
        """Return one row a diagnosis, in order, with its deciding line."""
        import pandas as pd

        rows = [
            {
                "position": d.position,
                "rule": d.rule,
                "family": d.family,
                "severity": d.severity.label,
                "confidence": d.confidence,
                "title": d.texts["en"].title,
                "path": d.evidence[0].path,
                "line": d.evidence[0].line,
                "text": d.evidence[0].text,
                "node": d.origin.node,
                "rank": d.origin.rank,
                "device": d.origin.device,
                "pid": d.origin.pid,
                "first_seen": d.first_seen,
                "last_seen": d.last_seen,
                "count": d.count,
                "processes": d.processes,
            }
            for d in self.diagnoses
        ]
        columns = [*rows[0]] if rows else ["position", "rule", "family", "severity", "title"]
        frame = pd.DataFrame(rows, columns=columns)
        for name in ("rank", "device", "pid"):
            if name in frame:
                frame[name] = frame[name].astype("Int64")
        return frame
