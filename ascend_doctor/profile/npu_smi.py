"""The tables of ``npu-smi info``: each chip's health and memory, and the processes that hold it.

A chip has two rows, of which the second one differs between releases and chips: where there is no
HBM, memory is DDR; where the number that frameworks count by is shown, it stands behind the chip's.

    | NPU   Name           | Health        | Power(W)   Temp(C)           Hugepages-Usage(page)|
    | Chip  Phy-ID         | Bus-Id        | AICore(%)  Memory-Usage(MB)  HBM-Usage(MB)        |
    | NPU     Chip         | Process id    | Process name            | Process memory(MB)     |

``npu-smi info -t usages`` prints one value a line, and no health.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from ascend_doctor.profile.model import MAX_CARDS, Card, Holder
from ascend_doctor.records import Evidence

# Where a table begins: no other program prints it.
TABLE = "AICore(%)"

# Holders that are kept of one chip, those with the most memory.
MAX_HOLDERS = 16

# Lines that a row may be wrapped into by a narrow terminal.
_MAX_WRAPPED = 3
# Blank lines between the tables of chips and of processes.
_MAX_GAP = 2
# What rules and borders are drawn with.
_RULE = frozenset("+-= ")
# What quotes a table in a mail or an issue.
_QUOTE = " \t>#"
_NAMED = re.compile(r"(\d{1,4})\s+(\S*[A-Za-z]\S*(?: \S+)*)")
_NUMBERED = re.compile(r"(\d{1,4})(?:\s+(\d{1,4}|NA|-))?")
_USED = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9})")
_HEALTH = re.compile(r"[A-Za-z]{2,16}")
_NONE = re.compile(r"No running processes found in NPU (\d{1,4})")
_PAIR = re.compile(r"\s*([A-Z][A-Za-z -]{0,40}(?:\((?:MB|%|page)\))?)\s*:\s*(\d{1,9})\s*")

_Chip = tuple[int, int]


class _Reading(Struct):
    """What was read of a table so far; ``begun`` is a chip that lacks its second row."""

    has_hbm: bool
    has_physical: bool
    cards: dict[_Chip, Card] = field(default_factory=dict)
    holders: dict[_Chip, list[Holder]] = field(default_factory=dict)
    listed: set[int] = field(default_factory=set)
    begun: Card | None = None


def cards_in(lines: Iterable[Evidence]) -> tuple[Card, ...]:
    """Return the chips of a table, in its order.

    Args:
        lines: from the line with ``TABLE`` on; they are read up to the first that is no part of
            the table, and of the one of processes behind it.
    """
    reading: _Reading | None = None
    for text, proof in _rows(lines):
        cells = [cell.strip() for cell in text.strip("|").split("|")]
        if reading is None:
            if TABLE not in text:
                return ()
            physical = "Phy-ID" in cells[0] or "Device" in cells[0]
            reading = _Reading("HBM-Usage" in text, physical)
        elif len(cells) == 4:
            _read_process(reading, cells, proof)
        elif len(cells) == 3:
            if TABLE in text:  # another table
                break
            _read_chip(reading, cells, proof)
        elif (none := _NONE.match(cells[0])) is not None:
            reading.listed.add(int(none[1]))
        if reading is not None and len(reading.cards) > MAX_CARDS:
            break
    return () if reading is None else tuple(_finished(reading))


def _rows(lines: Iterable[Evidence]) -> Iterator[tuple[str, Evidence]]:
    """Yield whole rows, with the line that each begins in.

    A row that was wrapped within a number is left out: with blanks lost at the end of a line, two
    numbers would look like one.
    """
    begun = ""
    proof: Evidence | None = None
    gap = wrapped = 0
    for line in lines:
        text = line.text.strip(_QUOTE)
        if begun and _goes_on(text) and wrapped < _MAX_WRAPPED:
            if begun[-1].isdigit() and line.text[:1].isdigit():
                proof = None
            begun += line.text.rstrip()
            wrapped += 1
        elif text.startswith("|"):
            # A blank at the end may part two numbers.
            begun, proof = line.text.lstrip(_QUOTE), line
            gap = wrapped = 0
        elif text and _RULE.issuperset(text):
            begun, gap = "", 0
            continue
        elif text or gap == _MAX_GAP:
            return
        else:
            begun, gap = "", gap + 1
            continue
        if text.endswith("|") and len(begun.rstrip()) > 1:
            if proof is not None:
                yield begun.rstrip(), proof
            begun = ""


def _goes_on(text: str) -> bool:
    """Say whether a line can be the rest of a row that a terminal wrapped."""
    return bool(text) and not _RULE.issuperset(text) and (text == "|" or text[0] != "|")


def _read_chip(reading: _Reading, cells: list[str], proof: Evidence) -> None:
    """Read one of the two rows of a chip."""
    named = _NAMED.fullmatch(cells[0])
    health = _HEALTH.match(cells[1])
    if named is not None and health is not None:
        pages = _USED.search(cells[2])
        reading.begun = Card(
            npu=int(named[1]),
            chip=0,
            physical=None,
            name=named[2],
            health=health[0],
            used=None,
            capacity=None,
            usage=None,
            proof=proof,
            hugepages_used=None if pages is None else int(pages[1]),
            hugepages=None if pages is None else int(pages[2]),
        )
        return
    numbered, begun = _NUMBERED.fullmatch(cells[0]), reading.begun
    reading.begun = None
    if numbered is None or begun is None:
        return
    pools = [(int(used), int(whole)) for used, whole in _USED.findall(cells[2])]
    used, capacity = _pool(pools, has_hbm=reading.has_hbm)
    usage = cells[2].partition(" ")[0]
    physical = numbered[2]
    is_physical = reading.has_physical and physical is not None and physical.isdecimal()
    reading.cards[begun.npu, int(numbered[1])] = replace(
        begun,
        chip=int(numbered[1]),
        physical=int(physical) if is_physical else None,
        used=used,
        capacity=capacity,
        usage=float(usage) if re.fullmatch(r"\d{1,3}", usage) else None,
        proof=proof,
    )


def _pool(pools: list[tuple[int, int]], *, has_hbm: bool) -> tuple[float | None, float | None]:
    """Return used and whole memory: of the HBM if there is any, else of the DDR."""
    for used, capacity in pools[1:2] * has_hbm + pools[:1]:
        if capacity > 0:
            return float(used), float(capacity)
    return None, None


def _read_process(reading: _Reading, cells: list[str], proof: Evidence) -> None:
    """Read a row of the table of processes; in a container they may have no name."""
    place = re.fullmatch(r"(\d{1,4})\s+(\d{1,4})", cells[0])
    if place is None or not (cells[1].isdecimal() and len(cells[1]) <= 10):
        return
    key = (int(place[1]), int(place[2]))
    memory = float(cells[3]) if re.fullmatch(r"\d{1,9}", cells[3]) else None
    reading.listed.add(key[0])
    holders = reading.holders.setdefault(key, [])
    holders.append(Holder(int(cells[1]), cells[2], memory, proof))
    holders.sort(key=lambda holder: (-(holder.memory or 0.0), holder.pid))
    del holders[MAX_HOLDERS:]


def _finished(reading: _Reading) -> Iterator[Card]:
    for key, card in list(reading.cards.items())[:MAX_CARDS]:
        holders = tuple(reading.holders.get(key, ()))
        yield replace(card, holders=holders, is_listed=card.npu in reading.listed)


def usages_in(lines: Iterable[Evidence]) -> Card | None:
    """Return the chip that lines of ``npu-smi info -t usages`` are about, up to its number.

    Args:
        lines: from the one with the number of the NPU on.
    """
    said: dict[str, tuple[int, Evidence]] = {}
    for line in lines:
        if not line.text.strip():
            continue
        pair = _PAIR.fullmatch(line.text)
        if pair is None:
            break
        said.setdefault(pair[1].strip(), (int(pair[2]), line))
        if pair[1].strip() == "Chip ID":
            break
    if not {"NPU ID", "Chip ID"} <= said.keys():
        return None
    for pool in ("HBM", "DDR"):
        capacity = said.get(f"{pool} Capacity(MB)")
        rate = said.get(f"{pool} Usage Rate(%)")
        if capacity is not None and capacity[0] > 0:
            used = None if rate is None else capacity[0] * rate[0] / 100
            return Card(
                npu=said["NPU ID"][0],
                chip=said["Chip ID"][0],
                physical=None,
                name="",
                health="",
                used=used,
                capacity=float(capacity[0]),
                usage=_value(said, "Aicore Usage Rate(%)"),
                proof=capacity[1] if rate is None else rate[1],
            )
    return None


def _value(said: Mapping[str, tuple[int, Evidence]], name: str) -> float | None:
    return float(said[name][0]) if name in said else None
