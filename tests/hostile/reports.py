"""Reports in which every field that is text is hostile."""

from __future__ import annotations

from itertools import cycle, islice

from hypothesis import strategies as st

from ascend_doctor.knowledge.rule import Texts
from ascend_doctor.records import LANGS, Evidence, Location, Origin, Severity
from ascend_doctor.report import (
    Activity,
    CodeMet,
    Consequence,
    Coverage,
    Diagnosis,
    Report,
    Timeline,
    Unexplained,
)
from tests.hostile.strings import hostile


class Forge:
    """Builds a report of given texts, put into its fields one after the other."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = cycle(texts)

    def text(self) -> str:
        return next(self._texts)

    def several(self, count: int) -> tuple[str, ...]:
        return tuple(islice(self._texts, count))

    def proof(self) -> Evidence:
        path, text, time, level, module, node = self.several(6)
        origin = Origin(node, 1, 2, 3)
        around = self.several(2), self.several(1)
        return Evidence(path, 9, text, (0, 0), time, level, module, origin, *around, (1, 4))

    def diagnosis(self, severity: Severity) -> Diagnosis:
        return Diagnosis(
            position=1,
            rule=self.text(),
            family=self.text(),
            severity=severity,
            confidence="high",
            role="cause",
            provenance=("article",),
            texts={
                lang: Texts(self.text(), self.text(), self.several(2), self.several(2))
                for lang in LANGS
            },
            remedies=((self.text(), {self.text(): self.text()}),),
            captures={self.text(): self.text()},
            codes=self.several(2),
            evidence=(self.proof(), self.proof()),
            location=Location(self.text(), 7, self.text()),
            origin=Origin(self.text()),
            first_seen=self.text(),
            last_seen=self.text(),
            count=2,
            processes=2,
            ranks=(0, 1),
            consequences=(
                Consequence(
                    rule=self.text(),
                    family=self.text(),
                    role="consequence",
                    title={lang: self.text() for lang in LANGS},
                    count=2,
                    evidence=self.proof(),
                ),
            ),
        )

    def report(self, severities: list[Severity]) -> Report:
        return Report(
            rules_digest=self.text(),
            diagnoses=tuple(map(self.diagnosis, severities)),
            unexplained=(Unexplained(self.text(), self.text(), 2, self.proof()),),
            environment={self.text(): self.text()},
            coverage=Coverage(
                files=1,
                bytes=2,
                lines=3,
                by_kind={self.text(): 1},
                levels=self.several(2),
                time_range=(self.text(), self.text()),
                skipped=((self.text(), self.text()),),
                broken=((self.text(), self.text()),),
            ),
            families={self.text(): {lang: self.text() for lang in LANGS}},
            timeline=Timeline((self.activity(), self.activity()), left_out=3),
            codes=(self.code(),),
        )

    def activity(self) -> Activity:
        rule, node, source, first, last = self.several(5)
        severity = Severity.ERROR
        origin = Origin(node, 1)
        return Activity(1, rule, "cause", severity, origin, source, 2, first, last)

    def code(self) -> CodeMet:
        code, table, name, family = self.several(4)
        return CodeMet(
            code=code,
            table=table,
            name=name,
            family=family,
            count=2,
            first=self.proof(),
            means={lang: self.text() for lang in LANGS},
            causes={lang: self.several(2) for lang in LANGS},
            next={lang: self.several(2) for lang in LANGS},
        )


def forged(texts: list[str]) -> Report:
    """Return a report whose fields hold the given texts, with a diagnosis of each severity."""
    return Forge(texts).report([*Severity])


# Eleven texts: no field then always meets the same ones.
reports = st.builds(
    lambda texts, severities: Forge(texts).report(severities),
    st.lists(hostile, min_size=1, max_size=11),
    st.lists(st.sampled_from(Severity), max_size=2),
)
