"""Baselines: files of failures that are known, each with the reason why it may be there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from msgspec import Struct

from ascend_doctor.errors import SettingError
from ascend_doctor.gate.suppression import Suppression, check_field, expiry, suppressed
from ascend_doctor.report import Diagnosis, Report, Unexplained

VERSION = 1
# Characters of a line that are kept, for people to recognise it by.
MAX_TEXT = 200

_REQUIRED = ("fingerprint", "rule", "reason")
_OPTIONAL = ("title", "text", "added", "expires")


class KnownFailure(Struct, frozen=True):
    """One failure that is known.

    Attributes:
        rule: that knows it; empty for an error that none knows.
        title, text: what it is and the first line that showed it, for people only.
        added: the day on which it became known, as an ISO date.
        where: its place in the file.
    """

    fingerprint: str
    rule: str
    title: str
    text: str
    reason: str
    added: str
    expires: date | None = None
    where: str = ""

    @property
    def suppression(self) -> Suppression:
        """What it means for a report."""
        return Suppression(self.where, self.reason, self.rule, self.fingerprint, self.expires)


class Update(Struct, frozen=True):
    """A baseline as it is written anew, and how it differs from the one before."""

    text: str
    added: int
    kept: int
    removed: int


def read(path: Path) -> tuple[KnownFailure, ...]:
    """Read a baseline.

    Raises:
        SettingError: it cannot be read, is none, or an entry lacks something; it says in which
            line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as err:
        raise SettingError(f"{path}: not a baseline: it is no UTF-8 text") from err
    except OSError as err:
        said = f"{path}: {(err.strerror or str(err)).lower()}"
        mend = "; --update-baseline makes it" if isinstance(err, FileNotFoundError) else ""
        raise SettingError(f"the baseline cannot be read: {said}{mend}") from err
    return parsed(text, str(path))


def parsed(text: str, path: str) -> tuple[KnownFailure, ...]:
    """Return the entries of a baseline, whose text is given; ``path`` is for messages.

    Raises:
        SettingError: as ``read`` does.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as err:
        raise SettingError(f"{path}:{err.lineno}: not JSON: {err.msg}") from err
    except RecursionError as err:
        raise SettingError(f"{path}: not a baseline: nested too deeply") from err
    if not isinstance(data, dict) or not isinstance(data.get("entries"), list):
        raise SettingError(f"{path}: not a baseline; --update-baseline writes one")
    if data.get("baseline_version") != VERSION:
        said = f"baseline_version is {data.get('baseline_version')!r}, and {VERSION} is known here"
        raise SettingError(f"{path}: {said}; write it anew with --update-baseline")
    lines = _Lines(text, path)
    return tuple(_entry(item, lines) for item in data["entries"])


class _Lines:
    """Finds the lines of entries by their fingerprints."""

    def __init__(self, text: str, path: str) -> None:
        self._lines = text.splitlines()
        self.path = path

    def where(self, fingerprint: object) -> str:
        quoted = json.dumps(fingerprint)
        for number, line in enumerate(self._lines, start=1):
            if "fingerprint" in line and quoted in line:
                return f"{self.path}:{number}"
        return self.path


def _entry(item: Any, lines: _Lines) -> KnownFailure:
    if not isinstance(item, dict):
        raise SettingError(f"{lines.path}: an entry is {item!r}; write it as an object")
    where = lines.where(item.get("fingerprint"))
    for name in item:
        check_field(name, (*_REQUIRED, *_OPTIONAL), where)
    for name in _REQUIRED:
        if not isinstance(item.get(name), str):
            raise SettingError(f"{where}: {name}: must be there, and a text")
    for name in ("title", "text", "added"):
        if not isinstance(item.get(name, ""), str):
            raise SettingError(f"{where}: {name}: must be a text")
    if not item["fingerprint"]:
        raise SettingError(f"{where}: fingerprint: is empty")
    if not item["reason"].strip():
        raise SettingError(f"{where}: reason: is empty; say why this may be there")
    expires = item.get("expires")
    return KnownFailure(
        item["fingerprint"],
        item["rule"],
        item.get("title", ""),
        item.get("text", ""),
        item["reason"],
        item.get("added", ""),
        None if expires is None else expiry(expires, where),
        where,
    )


def applied(report: Report, known: Iterable[KnownFailure], today: date) -> Report:
    """Return the report with what is known marked so, and what is known for nothing told."""
    return suppressed(report, [entry.suppression for entry in known], today, stale=lambda _: True)


def updated(
    report: Report, before: Iterable[KnownFailure], reason: str, expires: date | None, today: date
) -> Update:
    """Return a baseline of what fails the gate, and no more.

    What was in it keeps its reason and its last day; ``reason`` and ``expires`` are for what is
    new.

    Raises:
        SettingError: something is new, and there is no reason.
    """
    old = {entry.fingerprint: entry for entry in before}
    failing = {item.fingerprint: item for item in report.failing if item.fingerprint}
    new = [name for name in failing if name not in old]
    if new and not reason.strip():
        some = ", ".join(map(_name, (failing[name] for name in new[:3])))
        more = f" and {len(new) - 3} more" if len(new) > 3 else ""
        raise SettingError(f"say why these may be there, with --reason TEXT: {some}{more}")
    entries = []
    for name, item in failing.items():
        kept = old.get(name)
        entries.append(
            KnownFailure(
                name,
                item.rule if isinstance(item, Diagnosis) else "",
                item.texts["en"].title if isinstance(item, Diagnosis) else "",
                _first(item)[:MAX_TEXT],
                kept.reason if kept else reason.strip(),
                kept.added if kept else today.isoformat(),
                kept.expires if kept else expires,
            )
        )
    kept_count = len(entries) - len(new)
    return Update(written(entries), len(new), kept_count, len(old) - kept_count)


def written(entries: Iterable[KnownFailure]) -> str:
    """Return the text of a baseline, sorted so that it changes only where something did."""
    ordered = sorted(entries, key=lambda entry: (entry.rule, entry.fingerprint))
    data = {"baseline_version": VERSION, "entries": [_as_dict(entry) for entry in ordered]}
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _as_dict(entry: KnownFailure) -> Mapping[str, object]:
    return {
        "fingerprint": entry.fingerprint,
        "rule": entry.rule,
        "title": entry.title,
        "text": entry.text,
        "reason": entry.reason,
        "added": entry.added,
        "expires": None if entry.expires is None else entry.expires.isoformat(),
    }


def _name(item: Diagnosis | Unexplained) -> str:
    return item.rule if isinstance(item, Diagnosis) else f"{_first(item)[:60]!r}"


def _first(item: Diagnosis | Unexplained) -> str:
    proof = item.evidence[0] if isinstance(item, Diagnosis) else item.first
    return proof.text.strip()
