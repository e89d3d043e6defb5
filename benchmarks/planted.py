"""What was written into a set of logs, and so what an analysis of it must answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Planted:
    """Counts of what logs hold: files and bytes as text, matches by rule, errors nobody knows.

    Of profiles: how many there are, their steps, and what these were spent on. What is concluded
    from that is for other tests.
    """

    files: int = 0
    bytes: int = 0
    lines: int = 0
    has_fault: bool = False
    rules: Counter[str] = field(default_factory=Counter)
    unexplained: int = 0
    tracks: int = 0
    steps: int = 0
    spent_us: Counter[str] = field(default_factory=Counter)

    def count(self, rules: Iterable[str], *, is_error: bool) -> None:
        """Note one message that all of ``rules`` match."""
        self.rules.update(rules)
        if is_error:
            self.has_fault = self.has_fault or bool(rules)
            self.unexplained += not rules

    def answers(self) -> dict[str, Any]:
        """Return what a right analysis answers, as ``answers_of`` reads it from a report."""
        read = {"files": self.files, "bytes": self.bytes, "lines": self.lines}
        if self.tracks:
            spent = {part: round(us / 1000) for part, us in sorted(self.spent_us.items())}
            return {**read, "profiles": {"tracks": self.tracks, "steps": self.steps, "ms": spent}}
        return {
            "exit_code": int(self.has_fault),
            **read,
            "rules": dict(sorted(self.rules.items())),
            "unexplained": self.unexplained,
        }


def answers_of(report: Mapping[str, Any], exit_code: int) -> dict[str, Any]:
    """Return what a JSON report says of files, rules and unknown errors, in counts.

    A match counts wherever it is told: as a diagnosis, or as the consequence of one.
    """
    rules: Counter[str] = Counter()
    for diagnosis in report["diagnoses"]:
        for item in (diagnosis, *diagnosis["consequences"]):
            rules[item["rule"]] += item["count"]
    coverage = report["coverage"]
    spent: Counter[str] = Counter()
    for track in (tracks := report["breakdown"]["tracks"]):
        spent.update(track["parts_ms"])
    parts = ("communication", "compile", "computing", "fetch", "sync")
    profiles = {
        "tracks": len(tracks),
        "steps": sum(track["steps"] for track in tracks),
        "ms": {part: round(spent[part]) for part in parts if spent[part]},
    }
    return {
        "exit_code": exit_code,
        **{name: coverage[name] for name in ("files", "bytes", "lines")},
        "rules": dict(sorted(rules.items())),
        "unexplained": sum(item["count"] for item in report["unexplained"]),
        **({"profiles": profiles} if tracks else {}),
    }
