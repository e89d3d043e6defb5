"""A JSON report read back: the inverse of ``reporters.json``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar, get_args

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
from ascend_doctor.report import Consequence, Coverage, Diagnosis, Report, Unexplained

# Of what is much longer no `analyze` was the author: it keeps samples, not logs.
MAX_BYTES = 64 << 20
# A newer minor version only adds fields.
_MAJOR = "1"

_SEVERITIES = {severity.label: severity for severity in Severity}
_ROLES: Mapping[str, Role] = {role: role for role in ROLES}
_CONFIDENCES: Mapping[str, Confidence] = {value: value for value in get_args(Confidence)}

_T = TypeVar("_T")


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
    root = _Value(_parsed(data, name), name, "")
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
        environment=root.at("environment").mapping(_Value.text),
        coverage=_coverage(root.at("coverage")),
        families=root.maybe("families", lambda value: value.mapping(_title), {}),
        version=tool.at("version").text(),
    )


def _parsed(data: bytes, name: str) -> Any:
    try:
        return json.loads(data)
    except json.JSONDecodeError as err:
        raise ResultError(f"{name}:{err.lineno}:{err.colno}: {_fault(err)}") from err
    except UnicodeDecodeError as err:
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
        return "the file ends early; it should hold a JSON report"
    return f"not JSON: {error.msg}"


class _Value:
    """A JSON value that knows where it stands, for errors that point at it."""

    def __init__(self, value: Any, name: str, where: str) -> None:
        self._value = value
        self._name = name
        self._where = where

    def refuse(self, reason: str) -> NoReturn:
        where = f"{self._name}: {self._where}" if self._where else self._name
        raise ResultError(f"{where}: {reason}")

    def at(self, key: str) -> _Value:
        fields = self._of(dict, "an object")
        inner = self._inner(fields.get(key), f".{key}" if self._where else key)
        if key not in fields:
            inner.refuse("this field is missing; was it written by `ascend-doctor analyze`?")
        return inner

    def maybe(self, key: str, read: Callable[[_Value], _T], otherwise: _T) -> _T:
        """Read a field that may be null, or that earlier minor versions did not have."""
        if self._of(dict, "an object").get(key) is None:
            return otherwise
        return read(self.at(key))

    def items(self) -> list[_Value]:
        values = self._of(list, "a list")
        return [self._inner(value, f"[{number}]") for number, value in enumerate(values)]

    def mapping(self, read: Callable[[_Value], _T]) -> dict[str, _T]:
        return {key: read(self.at(key)) for key in self._of(dict, "an object")}

    def by_lang(self, read: Callable[[_Value], _T]) -> dict[Lang, _T]:
        return {lang: read(self.at(lang)) for lang in LANGS}

    def text(self) -> str:
        return self._of(str, "a text")

    def flag(self) -> bool:
        return self._of(bool, "true or false")

    def number(self, least: int | None = None) -> int:
        number = self._of(int, "a whole number")
        if isinstance(number, bool):
            self.refuse("must be a whole number")
        if least is not None and number < least:
            self.refuse(f"must be {least} or more")
        return number

    def one_of(self, values: Mapping[str, _T]) -> _T:
        if self.text() not in values:
            self.refuse(f"must be one of {', '.join(values)}")
        return values[self.text()]

    def pair(self, read: Callable[[_Value], _T]) -> tuple[_T, _T]:
        values = self.items()
        if len(values) != 2:
            self.refuse("must be a list of two")
        return read(values[0]), read(values[1])

    def _inner(self, value: Any, key: str) -> _Value:
        return _Value(value, self._name, self._where + key)

    def _of(self, kind: type[_T], called: str) -> _T:
        if not isinstance(self._value, kind):
            self.refuse(f"must be {called}")
        return self._value


def _number(value: _Value) -> int:
    return value.number()


def _count(value: _Value) -> int:
    return value.number(0)


def _pair(value: _Value) -> tuple[int, int]:
    return value.pair(_number)


def _texts(value: _Value) -> tuple[str, ...]:
    return tuple(map(_Value.text, value.items()))


def _title(value: _Value) -> dict[Lang, str]:
    return value.by_lang(_Value.text)


def _diagnosis(value: _Value) -> Diagnosis:
    title, cause = _title(value.at("title")), _title(value.at("cause"))
    checks, fixes = value.at("checks").by_lang(_texts), value.at("fixes").by_lang(_texts)
    evidence = tuple(map(_evidence, value.at("evidence").items()))
    if not evidence:
        value.at("evidence").refuse("must not be empty")
    return Diagnosis(
        position=value.at("position").number(1),
        rule=value.at("rule").text(),
        family=value.at("family").text(),
        severity=value.at("severity").one_of(_SEVERITIES),
        confidence=value.at("confidence").one_of(_CONFIDENCES),
        role=value.at("role").one_of(_ROLES),
        provenance=_texts(value.at("provenance")),
        texts={lang: Texts(title[lang], cause[lang], checks[lang], fixes[lang]) for lang in LANGS},
        remedies=tuple(
            (item.at("id").text(), item.at("params").mapping(_Value.text))
            for item in value.at("remedies").items()
        ),
        captures=value.at("captures").mapping(_Value.text),
        codes=_texts(value.at("codes")),
        evidence=evidence,
        location=value.maybe("code_location", _location, None),
        origin=_origin(value.at("origin")),
        first_seen=value.maybe("first_seen", _Value.text, None),
        last_seen=value.maybe("last_seen", _Value.text, None),
        count=value.at("count").number(1),
        processes=value.at("processes").number(1),
        ranks=tuple(map(_number, value.at("ranks").items())),
        consequences=tuple(map(_consequence, value.at("consequences").items())),
    )


def _consequence(value: _Value) -> Consequence:
    return Consequence(
        rule=value.at("rule").text(),
        family=value.at("family").text(),
        role=value.at("role").one_of(_ROLES),
        title=_title(value.at("title")),
        count=value.at("count").number(1),
        evidence=_evidence(value.at("first")),
    )


def _unexplained(value: _Value) -> Unexplained:
    return Unexplained(
        template=value.at("template").text(),
        level=value.at("level").text(),
        count=value.at("count").number(1),
        first=_evidence(value.at("first")),
    )


def _evidence(value: _Value) -> Evidence:
    return Evidence(
        path=value.at("path").text(),
        line=value.at("line").number(1),
        text=value.at("text").text(),
        order=value.maybe("order", _pair, (0, 0)),
        time=value.maybe("time", _Value.text, None),
        level=value.maybe("level", _Value.text, ""),
        module=value.maybe("module", _Value.text, None),
        origin=_origin(value),
        before=value.maybe("before", _texts, ()),
        after=value.maybe("after", _texts, ()),
        match=value.maybe("match", _pair, None),
    )


def _origin(value: _Value) -> Origin:
    return Origin(
        node=value.maybe("node", _Value.text, None),
        rank=value.maybe("rank", _number, None),
        device=value.maybe("device", _number, None),
        pid=value.maybe("pid", _number, None),
    )


def _location(value: _Value) -> Location:
    return Location(
        file=value.at("file").text(),
        line=value.at("line").number(0),
        function=value.at("function").text(),
    )


def _coverage(value: _Value) -> Coverage:
    return Coverage(
        files=value.at("files").number(0),
        bytes=value.at("bytes").number(0),
        lines=value.at("lines").number(0),
        by_kind=value.at("by_kind").mapping(_count),
        levels=_texts(value.at("levels")),
        time_range=value.maybe("time_range", lambda span: span.pair(_Value.text), None),
        skipped=_unread(value.at("skipped")),
        broken=_unread(value.at("broken")),
        interrupted=value.maybe("interrupted", _Value.flag, False),
        unread=value.maybe("unread", _count, 0),
    )


def _unread(value: _Value) -> tuple[tuple[str, str], ...]:
    return tuple((item.at("path").text(), item.at("reason").text()) for item in value.items())
