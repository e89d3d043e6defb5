"""A JSON report read back: the inverse of ``reporters.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

from ascend_doctor.diagnosis.fingerprint import fingerprint
from ascend_doctor.errors import ResultError
from ascend_doctor.knowledge.rule import Texts
from ascend_doctor.records import (
    LANGS,
    ROLES,
    Confidence,
    Evidence,
    Lang,
    Location,
    Origin,
    Role,
    Severity,
)
from ascend_doctor.report import (
    Activity,
    CodeMet,
    Consequence,
    Coverage,
    Diagnosis,
    Entry,
    FailOn,
    Gate,
    Hidden,
    Known,
    Report,
    Slice,
    Timeline,
    Unexplained,
)
from ascend_doctor.reporters.field import Field

# Of what is much longer no `analyze` was the author: it keeps samples, not logs.
MAX_BYTES = 64 << 20
_ENDS_EARLY = "the file ends early; it should hold a JSON report"
# A newer minor version only adds fields.
_MAJOR = "1"

_SEVERITIES = {severity.label: severity for severity in Severity}
_ROLES: Mapping[str, Role] = {role: role for role in ROLES}
_CONFIDENCES: Mapping[str, Confidence] = {value: value for value in get_args(Confidence)}
_FAIL_ON: Mapping[str, FailOn] = {value: value for value in get_args(FailOn)}


def loads(data: bytes, name: str) -> Report:
    """Return the report that a JSON report holds.

    Args:
        data: what ``analyze -f json`` wrote, in UTF-8, -16 or -32.
        name: what errors call it.

    Raises:
        ResultError: it is not JSON, not of this tool, of a newer version, or a field is wrong.
    """
    if len(data) > MAX_BYTES:
        raise ResultError(f"{name}: larger than {MAX_BYTES >> 20} MiB, which no result is")
    root = Field(_parsed(data, name), name, "")
    tool, version = root.at("tool"), root.at("schema_version")
    if tool.at("name").text() != "ascend-doctor":
        tool.at("name").refuse("another tool made it")
    if version.text().partition(".")[0] != _MAJOR:
        version.refuse(
            f"version {version.text()} is newer than this ascend-doctor, which reads {_MAJOR}.x"
        )
    return Report(
        rules_digest=tool.at("rules_digest").text(),
        diagnoses=tuple(map(_diagnosis, root.at("diagnoses").items())),
        unexplained=tuple(map(_unexplained, root.at("unexplained").items())),
        environment=root.at("environment").mapping(Field.text),
        coverage=_coverage(root.at("coverage")),
        families=root.maybe("families", lambda value: value.mapping(_title), {}),
        version=tool.at("version").text(),
        timeline=root.maybe("timeline", _timeline, Timeline()),
        codes=root.maybe("codes", lambda value: tuple(map(_code, value.items())), ()),
        is_redacted=root.maybe("redacted", Field.flag, False),
        gate=root.maybe("gate", _gate, Gate()),
    )


def _parsed(data: bytes, name: str) -> Any:
    try:
        return json.loads(data)
    except json.JSONDecodeError as err:
        raise ResultError(f"{name}:{err.lineno}:{err.colno}: {_fault(err)}") from err
    except UnicodeDecodeError as err:
        if err.end == len(data) and "unexpected end" in err.reason:
            raise ResultError(f"{name}: {_ENDS_EARLY}") from err
        raise ResultError(f"{name}: not text in UTF-8 at byte {err.start}") from err
    except RecursionError as err:
        raise ResultError(f"{name}: no JSON report: nested too deeply") from err
    except ValueError as err:  # Python's own bound for the digits of a number
        raise ResultError(f"{name}: no JSON report: a number is too long") from err


def _fault(error: json.JSONDecodeError) -> str:
    text = error.doc.strip()
    if not text:
        return "the file is empty; it should hold a JSON report"
    if text.startswith("{") and not (text.endswith("}") and error.doc[error.pos :].strip()):
        return _ENDS_EARLY
    return f"not JSON: {error.msg}"


def _number(value: Field) -> int:
    return value.number()


def _count(value: Field) -> int:
    return value.number(0)


def _pair(value: Field) -> tuple[int, int]:
    return value.pair(_number)


def _texts(value: Field) -> tuple[str, ...]:
    return tuple(map(Field.text, value.items()))


def _title(value: Field) -> dict[Lang, str]:
    return value.by_lang(Field.text)


def _gate(value: Field) -> Gate:
    return Gate(
        fail_on=value.at("fail_on").one_of(_FAIL_ON),
        is_strict=value.at("strict").flag(),
        hidden=tuple(
            Hidden(
                item.at("rule").text(),
                item.at("family").text(),
                item.at("severity").one_of(_SEVERITIES),
                item.at("count").number(1),
                item.at("by").text(),
            )
            for item in value.at("hidden").items()
        ),
        known=tuple(
            Known(
                item.at("fingerprint").text(),
                item.at("reason").text(),
                item.at("where").text(),
                item.maybe("expires", Field.text, None),
            )
            for item in value.at("known").items()
        ),
        expired=tuple(map(_entry, value.at("expired").items())),
        stale=tuple(map(_entry, value.at("stale").items())),
    )


def _entry(value: Field) -> Entry:
    return Entry(
        value.at("name").text(),
        value.at("reason").text(),
        value.at("where").text(),
        value.maybe("expires", Field.text, None),
    )


def _diagnosis(value: Field) -> Diagnosis:
    title, cause = _title(value.at("title")), _title(value.at("cause"))
    checks, fixes = value.at("checks").by_lang(_texts), value.at("fixes").by_lang(_texts)
    evidence = tuple(map(_evidence, value.at("evidence").items()))
    if not evidence:
        value.at("evidence").refuse("must not be empty")
    rule = value.at("rule").text()
    return Diagnosis(
        position=value.at("position").number(1),
        rule=rule,
        family=value.at("family").text(),
        severity=value.at("severity").one_of(_SEVERITIES),
        confidence=value.at("confidence").one_of(_CONFIDENCES),
        role=value.at("role").one_of(_ROLES),
        provenance=_texts(value.at("provenance")),
        texts={lang: Texts(title[lang], cause[lang], checks[lang], fixes[lang]) for lang in LANGS},
        remedies=tuple(
            (item.at("id").text(), item.at("params").mapping(Field.text))
            for item in value.at("remedies").items()
        ),
        captures=value.at("captures").mapping(Field.text),
        codes=_texts(value.at("codes")),
        evidence=evidence,
        location=value.maybe("code_location", _location, None),
        origin=_origin(value.at("origin")),
        first_seen=value.maybe("first_seen", Field.text, None),
        last_seen=value.maybe("last_seen", Field.text, None),
        count=value.at("count").number(1),
        processes=value.at("processes").number(1),
        ranks=tuple(map(_number, value.at("ranks").items())),
        consequences=tuple(map(_consequence, value.at("consequences").items())),
        fingerprint=value.maybe("fingerprint", Field.text, fingerprint(rule, evidence[0])),
    )


def _consequence(value: Field) -> Consequence:
    return Consequence(
        rule=value.at("rule").text(),
        family=value.at("family").text(),
        role=value.at("role").one_of(_ROLES),
        title=_title(value.at("title")),
        count=value.at("count").number(1),
        evidence=_evidence(value.at("first")),
    )


def _unexplained(value: Field) -> Unexplained:
    return Unexplained(
        template=value.at("template").text(),
        level=value.at("level").text(),
        count=value.at("count").number(1),
        first=_evidence(value.at("first")),
        fingerprint=value.maybe("fingerprint", Field.text, ""),
    )


def _timeline(value: Field) -> Timeline:
    return Timeline(
        tuple(map(_activity, value.at("activities").items())), value.at("left_out").number(0)
    )


def _activity(value: Field) -> Activity:
    return Activity(
        position=value.at("position").number(1),
        rule=value.at("rule").text(),
        role=value.at("role").one_of(_ROLES),
        severity=value.at("severity").one_of(_SEVERITIES),
        origin=_origin(value),
        source=value.at("source").text(),
        count=value.at("count").number(1),
        first_seen=value.maybe("first_seen", Field.text, None),
        last_seen=value.maybe("last_seen", Field.text, None),
    )


def _code(value: Field) -> CodeMet:
    return CodeMet(
        code=value.at("code").text(),
        table=value.at("table").text(),
        name=value.at("name").text(),
        family=value.at("family").text(),
        count=value.at("count").number(1),
        first=_evidence(value.at("first")),
        means=_title(value.at("means")),
        causes=value.at("causes").by_lang(_texts),
        next=value.at("next").by_lang(_texts),
        is_full=value.maybe("is_full", Field.flag, False),
    )


def _evidence(value: Field) -> Evidence:
    return Evidence(
        path=value.at("path").text(),
        line=value.at("line").number(1),
        text=value.at("text").text(),
        order=value.maybe("order", _pair, (0, 0)),
        time=value.maybe("time", Field.text, None),
        level=value.maybe("level", Field.text, ""),
        module=value.maybe("module", Field.text, None),
        origin=_origin(value),
        before=value.maybe("before", _texts, ()),
        after=value.maybe("after", _texts, ()),
        match=value.maybe("match", _pair, None),
    )


def _origin(value: Field) -> Origin:
    return Origin(
        node=value.maybe("node", Field.text, None),
        rank=value.maybe("rank", _number, None),
        device=value.maybe("device", _number, None),
        pid=value.maybe("pid", _number, None),
    )


def _location(value: Field) -> Location:
    return Location(
        file=value.at("file").text(),
        line=value.at("line").number(0),
        function=value.at("function").text(),
    )


def _coverage(value: Field) -> Coverage:
    return Coverage(
        files=value.at("files").number(0),
        bytes=value.at("bytes").number(0),
        lines=value.at("lines").number(0),
        by_kind=value.at("by_kind").mapping(_count),
        levels=_texts(value.at("levels")),
        time_range=value.maybe("time_range", lambda span: span.pair(Field.text), None),
        skipped=_unread(value.at("skipped")),
        broken=_unread(value.at("broken")),
        interrupted=value.maybe("interrupted", Field.flag, False),
        unread=value.maybe("unread", _count, 0),
        slice=value.maybe("slice", _slice, None),
    )


def _slice(value: Field) -> Slice:
    return Slice(
        since=value.maybe("since", Field.text, None),
        until=value.maybe("until", Field.text, None),
        ranks=value.maybe("ranks", Field.text, None),
        left_out=value.at("left_out").number(0),
        unplaced=value.at("unplaced").number(0),
        empty=value.maybe("empty", Field.flag, False),
    )


def _unread(value: Field) -> tuple[tuple[str, str], ...]:
    return tuple((item.at("path").text(), item.at("reason").text()) for item in value.items())
