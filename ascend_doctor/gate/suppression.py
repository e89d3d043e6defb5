"""What may be there and does not fail a job, for a reason, and perhaps until a day."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ascend_doctor.errors import SettingError
from ascend_doctor.gate.selection import check_names, is_named
from ascend_doctor.report import Diagnosis, Entry, Known, Report, Unexplained

_FIELDS = ("rule", "fingerprint", "reason", "expires")

# Returns ``file:line`` of an array of tables, of the table with a number in it, or of its field.
Where = Callable[..., str]


class Suppression(Struct, frozen=True):
    """One entry of a file: what it is about, why, and the last day on which it holds.

    Of ``rule`` (an id, a family, or a wildcard of either) and ``fingerprint`` one is given, or
    both. ``where`` is its place as ``file:line``.
    """

    where: str
    reason: str
    rule: str = ""
    fingerprint: str = ""
    expires: date | None = None

    @property
    def name(self) -> str:
        """What it is about, for people."""
        return " ".join(filter(None, (self.rule, self.fingerprint)))

    def is_about(self, item: Diagnosis | Unexplained) -> bool:
        """Say whether it is about a diagnosis or an unknown error."""
        if self.fingerprint and item.fingerprint != self.fingerprint:
            return False
        if not self.rule:
            return bool(self.fingerprint)
        return isinstance(item, Diagnosis) and is_named(item, [self.rule])

    @property
    def entry(self) -> Entry:
        """It as a part of a report."""
        return Entry(self.name, self.reason, self.where, _iso(self.expires))


def parsed(key: str, items: object, where: Where) -> tuple[Suppression, ...]:
    """Return suppressions that stand in a file as the array of tables ``key``.

    Raises:
        SettingError: one lacks a reason, or has something wrong; it starts with ``file:line:``.
    """
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise SettingError(f"{where()}: {key}: write each as a table [[{key}]]")
    return tuple(_parsed(item, number, where) for number, item in enumerate(items))


def _parsed(item: Mapping[str, Any], number: int, where: Where) -> Suppression:
    for name, value in item.items():
        at = where(number, name)
        check_field(name, _FIELDS, at)
        if name != "expires" and not isinstance(value, str):
            raise SettingError(f"{at}: {name}: must be a text")
    place, reason = where(number), item.get("reason", "").strip()
    if not reason:
        raise SettingError(f"{place}: reason: say why this may be there")
    rule, fingerprint = item.get("rule", ""), item.get("fingerprint", "")
    if not rule and not fingerprint:
        raise SettingError(f"{place}: say what is suppressed: rule or fingerprint")
    last = item.get("expires")
    expires = None if last is None else expiry(last, where(number, "expires"))
    return Suppression(place, reason, rule, fingerprint, expires)


def check_field(name: str, known: Collection[str], where: str) -> None:
    """Check that an entry may have a field.

    Raises:
        SettingError: it may not; it starts with ``where``.
    """
    if name not in known:
        said = f"there is no such field; there are {', '.join(known)}"
        raise SettingError(f"{where}: {name}: {said}")


def check(suppressions: Iterable[Suppression], names: Collection[str]) -> None:
    """Check that the rules of suppressions exist.

    Raises:
        SettingError: one does not; it starts with ``file:line``.
    """
    for item in suppressions:
        if item.rule:
            check_names(f"{item.where}: rule", [item.rule], names)


def suppressed(
    report: Report,
    suppressions: Iterable[Suppression],
    today: date,
    stale: Callable[[Suppression], bool] = lambda _: False,
) -> Report:
    """Return the report with what is known marked so; what has expired fails it.

    ``stale`` says of a suppression that matches nothing whether that is to be told.
    """
    items: tuple[Diagnosis | Unexplained, ...] = (*report.diagnoses, *report.unexplained)
    known = {entry.fingerprint: entry for entry in report.gate.known}
    expired, unused = [*report.gate.expired], [*report.gate.stale]
    for item in suppressions:
        if item.expires is not None and item.expires < today:
            expired.append(item.entry)
            continue
        found = [held.fingerprint for held in items if held.fingerprint and item.is_about(held)]
        for name in found:
            known.setdefault(name, Known(name, item.reason, item.where, _iso(item.expires)))
        if not found and stale(item):
            unused.append(item.entry)
    order = {held.fingerprint: place for place, held in reversed([*enumerate(items)])}
    told = sorted(known.values(), key=lambda entry: order.get(entry.fingerprint, len(order)))
    gate = replace(
        report.gate,
        known=tuple(told),
        # A stored report may say so already.
        expired=tuple(dict.fromkeys(expired)),
        stale=tuple(dict.fromkeys(unused)),
    )
    return replace(report, gate=gate)


def expiry(value: object, where: str) -> date:
    """Return the day that an entry gives as the last on which it holds.

    Raises:
        SettingError: it is no ISO date; it starts with ``where``.
    """
    try:
        if isinstance(value, date):
            return date(value.year, value.month, value.day)
        return date.fromisoformat(str(value))
    except ValueError as err:
        said = f"{where}: expires: {value!r} is no date; write it as 2027-01-31"
        raise SettingError(said) from err


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
