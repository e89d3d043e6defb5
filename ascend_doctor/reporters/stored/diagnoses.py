"""Diagnoses, errors that nothing explains, codes, and when they were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from ascend_doctor.diagnosis.fingerprint import fingerprint
from ascend_doctor.knowledge.rule import Texts
from ascend_doctor.records import LANGS, Confidence
from ascend_doctor.report import Activity, CodeMet, Consequence, Diagnosis, Timeline, Unexplained
from ascend_doctor.reporters.field import Field
from ascend_doctor.reporters.stored.values import (
    ROLE_NAMES,
    SEVERITIES,
    evidence,
    location,
    number,
    origin,
    texts,
    title,
)

_CONFIDENCES: Mapping[str, Confidence] = {value: value for value in get_args(Confidence)}


def diagnosis(value: Field) -> Diagnosis:
    """Return a diagnosis, which has a proof."""
    titles, causes = title(value.at("title")), title(value.at("cause"))
    checks, fixes = value.at("checks").by_lang(texts), value.at("fixes").by_lang(texts)
    proofs = tuple(map(evidence, value.at("evidence").items()))
    if not proofs:
        value.at("evidence").refuse("must not be empty")
    rule = value.at("rule").text()
    return Diagnosis(
        position=value.at("position").number(1),
        rule=rule,
        family=value.at("family").text(),
        severity=value.at("severity").one_of(SEVERITIES),
        confidence=value.at("confidence").one_of(_CONFIDENCES),
        role=value.at("role").one_of(ROLE_NAMES),
        provenance=texts(value.at("provenance")),
        texts={
            lang: Texts(titles[lang], causes[lang], checks[lang], fixes[lang]) for lang in LANGS
        },
        remedies=tuple(
            (item.at("id").text(), item.at("params").mapping(Field.text))
            for item in value.at("remedies").items()
        ),
        captures=value.at("captures").mapping(Field.text),
        codes=texts(value.at("codes")),
        evidence=proofs,
        location=value.maybe("code_location", location, None),
        origin=origin(value.at("origin")),
        first_seen=value.maybe("first_seen", Field.text, None),
        last_seen=value.maybe("last_seen", Field.text, None),
        count=value.at("count").number(1),
        processes=value.at("processes").number(1),
        ranks=tuple(map(number, value.at("ranks").items())),
        consequences=tuple(map(_consequence, value.at("consequences").items())),
        fingerprint=value.maybe("fingerprint", Field.text, fingerprint(rule, proofs[0])),
    )


def _consequence(value: Field) -> Consequence:
    return Consequence(
        rule=value.at("rule").text(),
        family=value.at("family").text(),
        role=value.at("role").one_of(ROLE_NAMES),
        title=title(value.at("title")),
        count=value.at("count").number(1),
        evidence=evidence(value.at("first")),
    )


def unexplained(value: Field) -> Unexplained:
    """Return an error that no rule knows."""
    return Unexplained(
        template=value.at("template").text(),
        level=value.at("level").text(),
        count=value.at("count").number(1),
        first=evidence(value.at("first")),
        fingerprint=value.maybe("fingerprint", Field.text, ""),
    )


def code(value: Field) -> CodeMet:
    """Return an error code with what is known of it."""
    return CodeMet(
        code=value.at("code").text(),
        table=value.at("table").text(),
        name=value.at("name").text(),
        family=value.at("family").text(),
        count=value.at("count").number(1),
        first=evidence(value.at("first")),
        means=title(value.at("means")),
        causes=value.at("causes").by_lang(texts),
        next=value.at("next").by_lang(texts),
        is_full=value.maybe("is_full", Field.flag, False),
    )


def timeline(value: Field) -> Timeline:
    """Return what was active when."""
    return Timeline(
        tuple(map(_activity, value.at("activities").items())), value.at("left_out").number(0)
    )


def _activity(value: Field) -> Activity:
    return Activity(
        position=value.at("position").number(1),
        rule=value.at("rule").text(),
        role=value.at("role").one_of(ROLE_NAMES),
        severity=value.at("severity").one_of(SEVERITIES),
        origin=origin(value),
        source=value.at("source").text(),
        count=value.at("count").number(1),
        first_seen=value.maybe("first_seen", Field.text, None),
        last_seen=value.maybe("last_seen", Field.text, None),
    )
