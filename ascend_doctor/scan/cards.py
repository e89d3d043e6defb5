"""What ``npu-smi`` printed, as a file of its own or anywhere in another log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ascend_doctor.records import Evidence
from ascend_doctor.view.encoding import shown
from ascend_doctor.view.raw import Raw
from ascend_doctor.view.view import Printed

if TYPE_CHECKING:  # most logs hold nothing of it, and need not wait for what reads it
    from ascend_doctor.profile.model import Card, Measures

# Words of which one stands wherever there is something to read.
_TABLE = b"AICore(%)"
SIGNS = (_TABLE, b"HBM Capacity(MB)", b"DDR Capacity(MB)")

# Chips of one source that are kept; tables that are read of one part of it, as a file may hold one
# for each second of a day.
MAX_CHIPS = 256
MAX_TABLES = 64
# A server has at most 64 chips of three lines each, and as many processes.
_MAX_LINES = 600
_MAX_LINE = 400
# How far above the capacity the number of the NPU stands.
_ABOVE = 4
_NUMBER = b"NPU ID"


class Cards:
    """The chips that one source tells of: of each the table with most memory in use."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._cards: dict[tuple[int, int], Card] = {}
        self._read = 0

    def see(self, view: Printed | Raw) -> None:
        """Read the tables that begin in the body of a window."""
        from ascend_doctor.profile import npu_smi

        text = view.data if isinstance(view, Raw) else view.text
        low, high = view.body
        for sign in SIGNS:
            place = text.find(sign, low, high)
            while place >= 0 and self._read < MAX_TABLES:
                self._read += 1
                start = view.line_start(place)
                if sign == _TABLE:
                    for card in npu_smi.cards_in(self._lines(view, start)):
                        self._keep(card)
                elif (top := _top(view, start)) is not None:
                    used = npu_smi.usages_in(self._lines(view, top))
                    if used is not None:
                        self._keep(used)
                place = text.find(sign, place + len(sign), high)

    def join(self, other: Cards, lines: int) -> None:
        """Go on with the part behind this one; ``lines`` stand before it."""
        for card in other._cards.values():
            self._keep(_moved(card, lines))

    def measures(self) -> tuple[Measures, ...]:
        """Return the chips, in the order of their numbers."""
        if not self._cards:
            return ()
        from ascend_doctor.profile.model import Measures

        cards = tuple(self._cards[key] for key in sorted(self._cards))
        return (Measures("npu_smi", self._source, cards=cards),)

    def _lines(self, view: Printed | Raw, start: int) -> Iterator[Evidence]:
        place: int | None = start
        for _ in range(_MAX_LINES):
            if place is None:
                return
            number = view.number(place)
            line = shown(view.line(place)[1][:_MAX_LINE])
            yield Evidence(self._source, number[0], line, number)
            place = view.below(place)

    def _keep(self, card: Card) -> None:
        key = (card.npu, card.chip)
        known = self._cards.get(key)
        if known is None and len(self._cards) >= MAX_CHIPS:
            return
        if known is None or (card.used or 0.0) > (known.used or 0.0):
            self._cards[key] = card


def _top(view: Printed | Raw, start: int) -> int | None:
    """Return where the line closely above begins that names the NPU."""
    place: int | None = start
    for _ in range(_ABOVE):
        place = view.above(place) if place is not None else None
        if place is not None and view.line(place)[1].lstrip().startswith(_NUMBER):
            return place
    return None


def _moved(card: Card, lines: int) -> Card:
    holders = tuple(replace(held, proof=held.proof.moved(lines)) for held in card.holders)
    return replace(card, proof=card.proof.moved(lines), holders=holders)
