"""What all tables of a profile's database share: names behind numbers, steps, and places."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from ascend_doctor.profile.columns import MAX_DURATION, whole
from ascend_doctor.profile.model import MAX_STEPS, Step, Tally
from ascend_doctor.profile.sqlite import Database
from ascend_doctor.profile.table import MAX_TEXT
from ascend_doctor.profile.tally import Place
from ascend_doctor.records import Evidence

STRINGS = "STRING_IDS"
# Names that are looked up of a column, and at once.
_MAX_NAMES = 8192
_BATCH = 500
_ABSENT = ("N/A", "")
# What stands in a detail until its name, or its call stack, is looked up.
_MARK = "#"
STACK = "\x00stack "
# Moments in ns, of clocks that count from 1970, are a tenth of it.
_MAX_NUMBER = 1e19
# Frames of a call stack that are kept.
_MAX_FRAMES = 64


def number(value: object) -> float | None:
    """Return a number of a database, None of what can be none; some are written as text."""
    if isinstance(value, (int, float, str)):
        try:
            found = float(value)
        except (ValueError, OverflowError):
            return None
        return found if abs(found) < _MAX_NUMBER else None
    return None


def moment(value: object) -> int | None:
    """Return a time in ns, None of what is none; torch_npu writes some as text."""
    if isinstance(value, int):
        return value
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
        return int(value)
    found = number(value)
    return None if found is None else int(found)


def duration_of(start: object, end: object) -> float | None:
    """Return the time between two moments in µs, None if there is none, or one is behind."""
    begin, until = moment(start), moment(end)
    if begin is None or until is None or until < begin:
        return None
    # The difference of integers is exact, which that of two floats is not.
    took = (until - begin) / 1000
    return took if took < MAX_DURATION else None


def place(table: str, row: object) -> Place:
    """Return a row as the place of a proof; its number stands where a log has its line."""
    return (row if isinstance(row, int) and row > 0 else 1), table


class Names:
    """The strings of a database by their numbers; where a column has text, it is its own name."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[object, str] = {}
        self._stacks: dict[str, str] = {}

    def of(self, value: object) -> str:
        """Return a name that was loaded, empty if there is none."""
        text = value if isinstance(value, str) else self._known.get(value, "")
        return "" if text == "N/A" else text

    def absent(self) -> frozenset[object]:
        """Return what stands for a name that was not recorded."""
        if not self._database.has(STRINGS, "id", "value"):
            return frozenset()
        rows = self._database.select(STRINGS, ("id",), where=("value", _ABSENT), limit=_BATCH)
        return frozenset(key for _, key in rows) | frozenset(_ABSENT)

    def load(self, table: str, *columns: str) -> None:
        """Look up the names that columns refer to."""
        for column in columns:
            if self._database.has(table, column):
                self._look_up(self._database.distinct(table, column, _MAX_NAMES))

    def enumeration(self, table: str) -> Mapping[object, str]:
        """Return the names of a table of few kinds."""
        if not self._database.has(table, "id", "name"):
            return {}
        rows = self._database.select(table, ("id", "name"), limit=_MAX_NAMES)
        return {key: str(name) for _, key, name in rows}

    def later(self, value: object) -> str:
        """Return what stands for a name until ``spelt_out``: most are never asked for."""
        return value if isinstance(value, str) else f"{_MARK}{value}" if value is not None else ""

    def look_up_details(self, tallies: Sequence[Tally]) -> None:
        """Look up what stands for names in the details of tallies."""
        marks = {text for tally in tallies for text in tally.longest.detail.values()}
        self._look_up(int(mark[1:]) for mark in marks if _is_mark(mark))
        self._look_up_stacks({mark for mark in marks if mark.startswith(STACK)})

    def spelt_out(self, tallies: Sequence[Tally]) -> tuple[Tally, ...]:
        """Return tallies with the names of their details, and proofs that say what they are."""
        return tuple(
            replace(
                tally,
                longest=replace(
                    longest,
                    proof=shown(longest.proof, f"{tally.name}, {longest.duration_us:.1f} us"),
                    detail=self._detail(longest.detail),
                ),
            )
            for tally in tallies
            for longest in (tally.longest,)
        )

    def _detail(self, detail: Mapping[str, str]) -> dict[str, str]:
        said = {
            name: self.of(int(text[1:])) if _is_mark(text) else self._stacks.get(text, text)
            for name, text in detail.items()
        }
        return {
            name: " ".join(text.split())[:MAX_TEXT]
            for name, text in said.items()
            if text and not text.startswith(STACK)
        }

    def _look_up_stacks(self, marks: set[str]) -> None:
        """Look up call stacks by what stands for them."""
        table = "PYTORCH_CALLCHAINS"
        if not marks or not self._database.has(table, "id", "stack", "stackDepth"):
            return
        wanted = tuple(int(mark[len(STACK) :]) for mark in marks)[:_BATCH]
        frames: dict[object, list[tuple[float, object]]] = defaultdict(list)
        rows = self._database.select(table, ("id", "stack", "stackDepth"), where=("id", wanted))
        for _, key, frame, depth in rows:
            if len(frames[key]) < _MAX_FRAMES:
                frames[key].append((number(depth) or 0.0, frame))
        self._look_up(frame for stack in frames.values() for _, frame in stack)
        for key, stack in frames.items():
            stack.sort(key=lambda item: item[0])
            self._stacks[f"{STACK}{key}"] = "; ".join(self.of(frame) for _, frame in stack)

    def _look_up(self, values: Iterable[object]) -> None:
        if not self._database.has(STRINGS, "id", "value"):
            return
        wanted = iter({v for v in values if isinstance(v, int)} - self._known.keys())
        while batch := tuple(islice(wanted, _BATCH)):
            rows = self._database.select(STRINGS, ("id", "value"), where=("id", batch))
            for _, key, value in rows:
                self._known[key] = str(value)


def _is_mark(text: str) -> bool:
    return text[:1] == _MARK and whole(text[1:]) is not None


class Steps:
    """The steps of a database, to tell in which of them something began."""

    def __init__(self, steps: Sequence[Step]) -> None:
        timed = [(s.begin_us, s.total_us, s.name) for s in steps if s.begin_us is not None]
        self._timed = sorted(timed)
        self._begins = [begin for begin, _, _ in self._timed]

    def at(self, begin_us: float | None) -> str | None:
        """Return the step in which a moment is, None if it is in none."""
        if begin_us is None:
            return None
        found = bisect_right(self._begins, begin_us) - 1
        if found < 0:
            return None
        begin, total, name = self._timed[found]
        return name if begin_us < begin + total else None


def step_times(database: Database, proof: Proof) -> Iterator[Step]:
    """Yield the steps that the framework marked, by the clock of the host."""
    if not database.has("STEP_TIME", "id", "startNs", "endNs"):
        return
    rows = database.select("STEP_TIME", ("id", "startNs", "endNs"), limit=MAX_STEPS)
    for row, name, start, end in rows:
        begin, until = moment(start), moment(end)
        if begin is None or until is None or until < begin:
            continue
        took = (until - begin) / 1000
        told = shown(proof(place("STEP_TIME", row)), f"step {name}, {took:.1f} us")
        yield Step(str(name), told, took, begin_us=begin / 1000)


def shown(proof: Evidence, text: str) -> Evidence:
    """Return a row of a table, which has no text of its own, with what it says."""
    return replace(proof, text=f"{proof.text} {proof.line}: {text}"[:MAX_TEXT])


class Proof:
    """Makes proofs of places in one file; their text is the name of the table."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __call__(self, told: Place) -> Evidence:
        """Return a row as proof."""
        line, text = told
        return Evidence(self._path, line, text, (line, 0))
