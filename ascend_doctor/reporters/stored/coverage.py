"""What was read, and what was asked of the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from ascend_doctor.records import LANGS, Note
from ascend_doctor.report import Coverage, Entry, FailOn, Gate, Hidden, Known, Slice
from ascend_doctor.reporters.field import Field
from ascend_doctor.reporters.notes import AS_TOLD, NOTES, said
from ascend_doctor.reporters.stored.values import SEVERITIES, count, texts

_FAIL_ON: Mapping[str, FailOn] = {value: value for value in get_args(FailOn)}


def coverage(value: Field) -> Coverage:
    """Return what was read."""
    return Coverage(
        files=value.at("files").number(0),
        bytes=value.at("bytes").number(0),
        lines=value.at("lines").number(0),
        by_kind=value.at("by_kind").mapping(count),
        levels=texts(value.at("levels")),
        time_range=value.maybe("time_range", lambda span: span.pair(Field.text), None),
        skipped=_unread(value.at("skipped")),
        broken=_unread(value.at("broken")),
        interrupted=value.maybe("interrupted", Field.flag, False),
        unread=value.maybe("unread", count, 0),
        slice=value.maybe("slice", _slice, None),
        notes=value.maybe("notes", _notes, ()),
        empty=value.maybe("empty", Field.flag, False),
    )


def _notes(value: Field) -> tuple[tuple[str, Note], ...]:
    return tuple((item.at("path").text(), _note(item)) for item in value.items())


def _note(value: Field) -> Note:
    name, values = value.at("name").text(), value.at("values").mapping(Field.text)
    if name not in NOTES:  # of a later version, which says it in words as well
        words: dict[str, str] = {lang: value.at("note").at(lang).text() for lang in LANGS}
        return Note(AS_TOLD, words)
    note = Note(name, values)
    try:
        said(note, "en")
    except KeyError as err:
        value.at("values").at(str(err.args[0]))
    return note


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


def gate(value: Field) -> Gate:
    """Return what was asked of the report."""
    return Gate(
        fail_on=value.at("fail_on").one_of(_FAIL_ON),
        is_strict=value.at("strict").flag(),
        hidden=tuple(
            Hidden(
                item.at("rule").text(),
                item.at("family").text(),
                item.at("severity").one_of(SEVERITIES),
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
