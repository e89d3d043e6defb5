"""The answer: diagnoses in order, the first of them the root cause."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

from ascend_doctor.records import Lang, Severity
from ascend_doctor.report.breakdown import Breakdown
from ascend_doctor.report.coverage import Coverage
from ascend_doctor.report.diagnosis import CodeMet, Diagnosis, Unexplained
from ascend_doctor.report.gate import Entry, Gate, Known
from ascend_doctor.report.timeline import Timeline
from ascend_doctor.version import __version__

if TYPE_CHECKING:
    import pandas

    from ascend_doctor.machine.model import Machine

Status = Literal["clean", "problem", "unexplained"]


class Report(Struct, frozen=True):
    """All that a reporter needs; the same for every format.

    Attributes:
        rules_digest: names the state of the rules; two reports with one digest judged alike.
        families: the title of each family in each language.
        version: of the tool that made it, which need not be this one.
        is_redacted: names of people and machines are pseudonyms.
        breakdown: where the time of steps went.
        machine: the machine that the report is about, where ``env`` looked at one.
        roots: what is shown of each argument that lies in the repository, and its path there.
        thresholds: those of ``patterns/thresholds.yaml`` that were changed, by name.
    """

    rules_digest: str
    diagnoses: tuple[Diagnosis, ...]
    unexplained: tuple[Unexplained, ...]
    environment: Mapping[str, str]
    coverage: Coverage
    families: Mapping[str, Mapping[Lang, str]] = field(default_factory=dict)
    version: str = __version__
    timeline: Timeline = field(default_factory=Timeline)
    codes: tuple[CodeMet, ...] = ()
    is_redacted: bool = False
    gate: Gate = field(default_factory=Gate)
    breakdown: Breakdown = field(default_factory=Breakdown)
    thresholds: Mapping[str, float] = field(default_factory=dict)
    machine: Machine | None = None
    roots: tuple[tuple[str, str], ...] = ()

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
