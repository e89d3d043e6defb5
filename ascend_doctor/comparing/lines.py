"""The lines of one run: how often each wording stands in it, and in which order."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct, field

from ascend_doctor.comparing.vocabulary import BLANK, MAX_LINE, OTHER, Vocabulary, read, shapes_of
from ascend_doctor.engines.streams import watched
from ascend_doctor.engines.watch import Watch
from ascend_doctor.formats.sniff import kind_of, origin_of
from ascend_doctor.ingest.archive import members
from ascend_doctor.ingest.discover import discover
from ascend_doctor.ingest.limits import Limits
from ascend_doctor.ingest.source import HEAD, Source, blocks, unreadable
from ascend_doctor.ingest.stream import BROKEN
from ascend_doctor.records import Evidence, Origin
from ascend_doctor.scan.template import masked
from ascend_doctor.view.encoding import shown
from ascend_doctor.view.prefix import peel

# Lines of a run whose order is known; 12 bytes each.
MAX_ORDERED = 8_000_000
# Writers that are told apart; a run of the largest jobs has so many processes, a hostile one more.
MAX_WRITERS = 1 << 16
# A block is as long as this, or as its last line; a line that is longer is cut.
_BLOCK = 1 << 20
# What most launchers put before each line of a rank.
_RANKED = re.compile(rb"\[rank(\d{1,6})\]: (?!\[|\()")

# Who wrote a sequence of lines, and into which file, its numbers left out.
Writer = tuple[str, str, int]


class Written(Struct):
    """What one process wrote, line by line.

    Attributes:
        path: the file.
        wordings: their numbers.
        numbers: on which lines they stand.
    """

    path: str
    wordings: array[int] = field(default_factory=lambda: array("i"))
    numbers: array[int] = field(default_factory=lambda: array("q"))


class Lines:
    """Reads the lines of one run."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        max_ordered: int = MAX_ORDERED,
        max_writers: int = MAX_WRITERS,
    ) -> None:
        self.counts: Counter[int] = Counter()
        self.first: dict[int, Evidence] = {}
        self.sequences: dict[Writer, Written] = {}
        self.is_cut = False
        self._vocabulary = vocabulary
        self._room = max_ordered
        self._max_writers = max_writers
        self._files: Counter[tuple[str, str]] = Counter()

    def read(self, paths: Sequence[Path], limits: Limits, watch: Watch) -> None:
        """Read all that is below some paths.

        Raises:
            InputError: a named path does not exist.
        """
        for source in sources(paths, limits, watch):
            self._read(source)
        for unheard in (BLANK.wording, OTHER.wording):
            self.counts.pop(unheard, None)

    def _read(self, source: Source) -> None:
        rank = origin_of(source.path, source.above).rank
        who = "" if rank is None else f"rank {rank}"
        name = masked(source.path.encode("utf-8", "replace")).decode("utf-8", "replace")
        place = self._files[who, name]
        self._files[who, name] += 1
        for number, text in numbered(source):
            self._take(source.path, (who, name, place), number, text)

    def _take(self, path: str, writer: Writer, number: int, text: bytes) -> None:
        lines = text.split(b"\n")
        known = self._vocabulary.known(lines, shapes_of(text))
        wordings = [item.wording for item in known]
        self.counts.update(wordings)
        for wording in {*wordings} - self.first.keys():
            if wording >= 0:
                at = wordings.index(wording)
                self.first[wording] = self._evidence(path, number + at, lines[at], wording)
        count = min(len(lines), self._room)
        self.is_cut = self.is_cut or count < len(lines)
        self._room -= count
        if not any(item.is_signed for item in known):
            sequence = self._sequence(path, writer)
            sequence.wordings.extend(wordings[:count])
            sequence.numbers.extend(range(number, number + count))
            return
        for at in range(count):
            signed = _signed(lines[at], writer) if known[at].is_signed else writer
            if signed not in self.sequences and len(self.sequences) >= self._max_writers:
                self.is_cut, signed = True, writer
            sequence = self._sequence(path, signed)
            sequence.wordings.append(wordings[at])
            sequence.numbers.append(number + at)

    def _sequence(self, path: str, writer: Writer) -> Written:
        sequence = self.sequences.get(writer)
        if sequence is None:
            sequence = self.sequences[writer] = Written(path)
        return sequence

    def _evidence(self, path: str, number: int, raw: bytes, wording: int) -> Evidence:
        line = read(raw)
        by_path = origin_of(path)
        pid = line.prefix.pid if line.head is None else line.head.pid
        return Evidence(
            path=path,
            line=number,
            text=shown(line.text[:MAX_LINE]),
            order=(number, 0),
            time=line.time,
            level=self._vocabulary.levels[wording],
            module=None if line.head is None else line.head.module,
            origin=Origin(
                node=line.prefix.node or by_path.node,
                rank=by_path.rank if line.prefix.rank is None else line.prefix.rank,
                device=by_path.device,
                pid=pid,
            ),
        )


def _signed(line: bytes, writer: Writer) -> Writer:
    """Return who wrote a line that says so."""
    ranked = _RANKED.match(line)
    if ranked is not None:
        return f"rank {int(ranked[1])}", writer[1], writer[2]
    prefix, _ = peel(line)
    who = f"rank {prefix.rank}" if prefix.rank is not None else prefix.name or writer[0]
    return who, writer[1], writer[2]


def sources(paths: Iterable[Path], limits: Limits, watch: Watch) -> Iterator[Source]:
    """Yield the logs below some paths, members of archives as well.

    A stream is valid until the next one is asked for. What cannot be read is left out: the
    diagnosis of the run tells it.
    """
    for found in discover([*paths]):
        if watch.is_stopped:
            return
        if isinstance(found, Source):
            for item in members(watched(found, watch, _not_noted), limits):
                if isinstance(item, Source):
                    yield item


def numbered(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield whole lines in blocks, each with the number of its first line.

    A source that breaks off ends there.
    """
    number, rest = 1, b""
    try:
        with source.open() as stream:
            for block in blocks(stream):
                if number == 1 and not rest and _is_no_log(block[:HEAD]):
                    return
                text = rest + block
                end = text.rfind(b"\n")
                if end < 0 and len(text) < _BLOCK:
                    rest = text
                    continue
                # Of a line without end, the next piece counts as one more line.
                end = len(text) if end < 0 else end
                yield number, text[:end]
                number += text.count(b"\n", 0, end) + 1
                rest = text[end + 1 :]
    except BROKEN:
        pass
    if rest:
        yield number, rest


def _is_no_log(head: bytes) -> bool:
    return unreadable(head) is not None or kind_of(head) == "profile"


def _not_noted(count: int) -> None:
    pass


def texts(
    paths: Sequence[Path], limits: Limits, watch: Watch, wanted: dict[str, set[int]]
) -> dict[tuple[str, int], str]:
    """Return the texts of some lines by file and number."""
    found: dict[tuple[str, int], str] = {}
    left = dict(wanted)
    for source in sources(paths, limits, watch) if left else ():
        numbers = sorted(left.pop(source.path, ()))
        for number, text in numbered(source) if numbers else ():
            end = number + text.count(b"\n")
            here = [n for n in numbers if number <= n <= end]
            if here:
                lines = text.split(b"\n")
                for n in here:
                    found[source.path, n] = shown(read(lines[n - number]).text[:MAX_LINE])
            if numbers[-1] <= end:
                break
        if not left:
            break
    return found
