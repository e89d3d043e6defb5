"""Reports that can be shown around: who and where become pseudonyms, the failure stays.

The same name gets the same pseudonym all over a report (``host-1``, ``user-2``, ``ip-3``), numbered
in order of appearance, so that what happened between machines can still be followed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ascend_doctor.knowledge.rule import Texts
from ascend_doctor.records import Evidence, Note, Origin
from ascend_doctor.report import (
    Bar,
    Consequence,
    Coverage,
    Diagnosis,
    Entry,
    Gate,
    Report,
    Timeline,
    Track,
    Unexplained,
)
from ascend_doctor.reporters.identities import Identity, Kind, identities, is_host

if TYPE_CHECKING:
    from ascend_doctor.machine.model import Machine

# Shorter names are found only where a text shows what they are.
_SHORTEST = 3
# Accounts and machines that are called as half of the world's, or by words that messages need.
_ORDINARY = re.compile(
    r"admin|administrator|anonymous|ascend|bash|build|builder|centos|conda|container|data|debian"
    r"|debug|default|dev|device|docker|error|guest|home|host|hwhiaiuser|info|jenkins|jovyan|local"
    r"|localhost|logs?|ma-user|main|master|mindspore|models?|namespace|node|none|npu|null|openeuler"
    r"|pod|proxy|public|python3?|rank|root|runner|server|service|shared?|support|svc|system"
    r"|test|testing|tmp|torch|train|trainer|training|ubuntu|users?|vllm|worker|work|workspace"
)
# Captures that name a machine.
_HOSTS = frozenset({"host", "hostname", "server", "remote", "peer"})
# Fields of a machine that are versions or people, whatever they look like.
_CONTEXTS = dict.fromkeys(("version", "hal", "firmware"), "version") | {"owner": "user"}
_RUN = re.compile(r"[A-Za-z0-9]+")
_DIGITS = re.compile(r"\d+")


def redact(report: Report) -> Report:
    """Return the report with pseudonyms in place of what tells who or where.

    Hidden are names of hosts and users, IP and MAC addresses, e-mail addresses and secrets, in
    every text of the report; line numbers, times, codes and ids stay. A report that is redacted
    stays as it is.
    """
    if report.is_redacted:
        return report
    names = Pseudonyms()
    _mapped(report, names.learn, names.learn_host)
    return replace(_mapped(report, names.hide, names.hide_host, names.moved), is_redacted=True)


class _Edit(NamedTuple):
    start: int
    end: int
    name: str


class Pseudonyms:
    """Learns names from texts, then hides them wherever they stand."""

    def __init__(self) -> None:
        self._names: dict[tuple[Kind, str], str] = {}
        self._counts: Counter[Kind] = Counter()
        # Words to be hidden anywhere, and how long those are that begin alike.
        self._words: dict[str, str] = {}
        self._lengths: defaultdict[str, set[int]] = defaultdict(set)
        self._found: dict[str, list[Identity]] = {}

    def learn(self, text: str) -> str:
        """Take note of what a text shows; return it as it is."""
        for identity in self._identities(text):
            self._learn(identity.kind, identity.value)
        return text

    def forget_texts(self) -> None:
        """Drop what was kept of texts, so that many can be put through; names stay known."""
        self._found.clear()

    def learn_host(self, name: str) -> str:
        """Take note of the name of a host; return it as it is."""
        if is_host(name) or identities(name):
            self._host(name)
        return name

    def hide(self, text: str) -> str:
        """Return a text with pseudonyms in place of names."""
        parts, end = [], 0
        for edit in self._edits(text):
            parts += [text[end : edit.start], edit.name]
            end = edit.end
        return "".join((*parts, text[end:]))

    def moved(self, span: tuple[int, int], text: str) -> tuple[int, int]:
        """Return where a stretch of ``text`` is once its names are hidden."""
        edits = self._edits(text)

        def place(offset: int, *, is_end: bool) -> int:
            shift = 0
            for edit in edits:
                if edit.end <= offset:
                    shift += len(edit.name) - (edit.end - edit.start)
                elif edit.start < offset:
                    return edit.start + shift + (len(edit.name) if is_end else 0)
            return offset + shift

        return place(span[0], is_end=False), place(span[1], is_end=True)

    def hide_host(self, name: str) -> str:
        """Return the pseudonym of a host."""
        found = self._names.get(("host", name.casefold())) or self._names.get(
            ("ip", name.casefold())
        )
        return found or self.hide(name)

    def _host(self, name: str) -> None:
        found = identities(name)
        if len(found) == 1 and found[0].value == name:
            self._learn(found[0].kind, name)
        else:
            self._learn("host", name)

    def _learn(self, kind: Kind, value: str) -> None:
        key = value.casefold()
        if (kind, key) in self._names:
            return
        # With its domain or without, it is one machine; www and api are many.
        short = key.split(".")[0] if kind == "host" else key
        short = short if re.search(r"[\d-]", short) else key
        name = self._names.get((kind, short))
        if name is None:
            self._counts[kind] += 1
            name = f"{kind}-{self._counts[kind]}"
        for word in dict.fromkeys((key, short, *(_DIGITS.sub("#", w) for w in (key, short)))):
            self._names.setdefault((kind, word), name)
            first = _RUN.match(word)
            is_own = not word.isdigit() and not _ORDINARY.fullmatch(word)
            if first and len(word) >= _SHORTEST and is_own:
                self._words.setdefault(word, name)
                self._lengths[first[0]].add(len(word))

    def _identities(self, text: str) -> list[Identity]:
        """Return what a text shows; to find it is most of the work, and is done once."""
        if text not in self._found:
            self._found[text] = identities(text)
        return self._found[text]

    def _edits(self, text: str) -> list[_Edit]:
        edits: list[_Edit] = []
        end = 0
        for start, stop, kind, value in self._identities(text):
            edits += self._words_in(text, end, start)
            edits.append(_Edit(start, stop, self._names.get((kind, value.casefold()), kind)))
            end = stop
        return [*edits, *self._words_in(text, end, len(text))]

    def _words_in(self, text: str, start: int, end: int) -> Iterator[_Edit]:
        for run in _RUN.finditer(text, start, end):
            if run.start() < start:
                continue
            for length in sorted(self._lengths.get(run[0].casefold(), ()), reverse=True):
                stop = run.start() + length
                behind = text[stop : stop + 1]
                whole = stop <= end and not (behind.isascii() and behind.isalnum())
                name = self._words.get(text[run.start() : stop].casefold()) if whole else None
                if name is not None:
                    yield _Edit(run.start(), stop, name)
                    start = stop
                    break


def mapped(machine: Machine, text: Callable[[str], str]) -> Machine:
    """Return a machine with each of its texts put through a function."""
    from ascend_doctor.machine import stored

    def named(name: str, value: str) -> str:
        # Versions of four numbers look like addresses where nothing says what they are.
        context = f"{_CONTEXTS.get(name, name)}="
        return text(context + value).removeprefix(context)

    return stored.mapped(machine, named)


def _mapped(
    report: Report,
    text: Callable[[str], str],
    host: Callable[[str], str],
    moved: Callable[[tuple[int, int], str], tuple[int, int]] = lambda span, _: span,
) -> Report:
    """Return the report with each text, and each name of a host, put through a function.

    ``moved`` tells where a stretch of a text is afterwards.
    """

    def origin(item: Origin) -> Origin:
        return item if item.node is None else replace(item, node=host(item.node))

    def proof(item: Evidence) -> Evidence:
        return replace(
            item,
            origin=origin(item.origin),
            path=text(item.path),
            text=text(item.text),
            before=tuple(map(text, item.before)),
            after=tuple(map(text, item.after)),
            match=item.match and moved(item.match, item.text),
        )

    def named(name: str, value: str) -> str:
        if name in _HOSTS and re.fullmatch(r"[\w.-]+", value):
            return host(value)
        # What it is called tells what it is, as in the text it was taken from.
        return text(f"{name}={value}")[len(name) + 1 :]

    def texts(item: Texts) -> Texts:
        return Texts(
            text(item.title),
            text(item.cause),
            tuple(map(text, item.checks)),
            tuple(map(text, item.fixes)),
        )

    def params(items: Mapping[str, str]) -> Mapping[str, str]:
        return {name: named(name, value) for name, value in items.items()}

    def consequence(item: Consequence) -> Consequence:
        title = {lang: text(said) for lang, said in item.title.items()}
        return replace(item, evidence=proof(item.evidence), title=title)

    def diagnosis(item: Diagnosis) -> Diagnosis:
        where = item.location
        return replace(
            item,
            evidence=tuple(map(proof, item.evidence)),
            origin=origin(item.origin),
            location=where and replace(where, file=text(where.file), function=text(where.function)),
            captures=params(item.captures),
            texts={lang: texts(said) for lang, said in item.texts.items()},
            remedies=tuple((name, params(given)) for name, given in item.remedies),
            codes=tuple(map(text, item.codes)),
            consequences=tuple(map(consequence, item.consequences)),
        )

    def unexplained(item: Unexplained) -> Unexplained:
        return replace(item, first=proof(item.first), template=text(item.template))

    def timeline(item: Timeline) -> Timeline:
        activities = (
            replace(a, origin=origin(a.origin), source=text(a.source)) for a in item.activities
        )
        return replace(item, activities=tuple(activities))

    def note(item: Note) -> Note:
        return replace(item, values=params(item.values))

    def coverage(item: Coverage) -> Coverage:
        return replace(
            item,
            skipped=tuple((text(path), text(reason)) for path, reason in item.skipped),
            broken=tuple((text(path), text(reason)) for path, reason in item.broken),
            notes=tuple(
                (text(path), replace(n, values=params(n.values))) for path, n in item.notes
            ),
        )

    def bar(item: Bar) -> Bar:
        place = replace(item.proof, path=text(item.proof.path))
        return replace(item, first=text(item.first), last=text(item.last), proof=place)

    def track(item: Track) -> Track:
        return replace(
            item,
            profile=text(item.profile),
            device=None if item.device is None else text(item.device),
            bars=tuple(map(bar, item.bars)),
        )

    def entry(item: Entry) -> Entry:
        return replace(item, reason=text(item.reason), where=text(item.where))

    def gate(item: Gate) -> Gate:
        known = (replace(k, reason=text(k.reason), where=text(k.where)) for k in item.known)
        return replace(
            item,
            known=tuple(known),
            expired=tuple(map(entry, item.expired)),
            stale=tuple(map(entry, item.stale)),
        )

    return replace(
        report,
        machine=None if report.machine is None else mapped(report.machine, text),
        gate=gate(report.gate),
        diagnoses=tuple(map(diagnosis, report.diagnoses)),
        unexplained=tuple(map(unexplained, report.unexplained)),
        codes=tuple(replace(code, first=proof(code.first)) for code in report.codes),
        timeline=timeline(report.timeline),
        environment=params(report.environment),
        roots=tuple((text(shown), text(path)) for shown, path in report.roots),
        coverage=coverage(report.coverage),
        breakdown=replace(report.breakdown, tracks=tuple(map(track, report.breakdown.tracks))),
    )
