"""Compare a bad run with a good one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from ascend_doctor.api import analyze
from ascend_doctor.comparing.divergence import around, fork, pairs
from ascend_doctor.comparing.lines import Lines, Written, texts
from ascend_doctor.comparing.vocabulary import Vocabulary
from ascend_doctor.comparison import Comparison, Divergence, Stretch, Wording
from ascend_doctor.diagnosis.fingerprint import fingerprint
from ascend_doctor.engines.watch import Watch
from ascend_doctor.errors import InputError
from ascend_doctor.ingest.discover import STDIN
from ascend_doctor.ingest.limits import DEFAULT, Limits
from ascend_doctor.records import Severity, sortable
from ascend_doctor.report import Diagnosis, Report

# What is many more: so many times as many, and at least so many.
TIMES, LEAST = 5, 10
# Places that are looked up in the files again.
MAX_DIVERGENCES = 64


def compare(
    good: Path,
    bad: Path,
    *,
    rules: Path | None = None,
    limits: Limits = DEFAULT,
    thresholds: Mapping[str, float] | None = None,
    jobs: int | None = 1,
    watch: Watch | None = None,
) -> Comparison:
    """Compare two runs: files, folders or archives.

    Args:
        good: the run that went well.
        bad: the one that did not.
        rules: a folder of further rules.
        limits: how much is unpacked of one archive.
        thresholds: those of profiles that differ from what is usual.
        jobs: the most processes that read for the diagnosis, None for one a core.
        watch: is told how far the diagnosis is, and may stop all.

    Raises:
        InputError: one does not exist, or is a pipe, which can be read only once.
        RuleError: a rule file is wrong.
        SettingError: there is no such threshold, or none of such a value.
    """
    for path in (good, bad):
        if _is_pipe(path):
            raise InputError(
                f"{path}: is read more than once, which a pipe cannot be; save it to a file"
            )
    watch = watch or Watch()
    reports = [
        analyze(path, rules=rules, limits=limits, thresholds=thresholds, jobs=jobs, watch=watch)
        for path in (good, bad)
    ]
    vocabulary = Vocabulary()
    ours, theirs = Lines(vocabulary), Lines(vocabulary)
    ours.read([good], limits, watch)
    theirs.read([bad], limits, watch)
    of = _Wordings(vocabulary, ours, theirs)
    forks = sorted(_forks(ours, theirs), key=lambda found: found.key)[:MAX_DIVERGENCES]
    return Comparison(
        good=reports[0],
        bad=reports[1],
        new=of.those(theirs.counts.keys() - ours.counts.keys()),
        more=of.those(_more(ours, theirs)),
        gone=of.those(ours.counts.keys() - theirs.counts.keys()),
        new_diagnoses=_only_in(reports[1], reports[0]),
        gone_diagnoses=_only_in(reports[0], reports[1]),
        environment=_environment(*reports),
        divergences=_divergences(
            forks,
            texts([good], limits, watch, _wanted(found.good for found in forks)),
            texts([bad], limits, watch, _wanted(found.bad for found in forks)),
        ),
        cut=vocabulary.is_full or ours.is_cut or theirs.is_cut,
    )


def _is_pipe(path: Path) -> bool:
    return path == STDIN or path.is_fifo() or path.is_socket()


class _Wordings(Struct, frozen=True):
    vocabulary: Vocabulary
    good: Lines
    bad: Lines

    def those(self, numbers: Iterable[int]) -> tuple[Wording, ...]:
        """Return some wordings, in order of appearance."""
        found = [
            Wording(
                self.vocabulary.templates[number],
                self.vocabulary.levels[number],
                good=self.good.counts[number],
                bad=self.bad.counts[number],
                first=self.bad.first.get(number) or self.good.first[number],
            )
            for number in numbers
        ]
        return tuple(sorted(found, key=lambda wording: wording.first.key))


def _more(good: Lines, bad: Lines) -> Iterator[int]:
    """Yield what the bad run says many more times."""
    for number, count in bad.counts.items():
        before = good.counts.get(number)
        if before is not None and count >= max(LEAST, TIMES * before):
            yield number


def _only_in(report: Report, other: Report) -> tuple[Diagnosis, ...]:
    """Return what was diagnosed in one run and not in the other; remarks are none."""
    known = {fingerprint(d.rule, d.evidence[0]) for d in other.diagnoses}
    return tuple(
        diagnosis
        for diagnosis in report.diagnoses
        if diagnosis.severity >= Severity.WARNING
        and fingerprint(diagnosis.rule, diagnosis.evidence[0]) not in known
    )


def _environment(good: Report, bad: Report) -> dict[str, tuple[str, str]]:
    """Return what the two runs say differently of their machines."""
    names = dict.fromkeys([*good.environment, *bad.environment])
    said = {name: (good.environment.get(name, ""), bad.environment.get(name, "")) for name in names}
    return {name: values for name, values in said.items() if values[0] != values[1]}


class _Lookup(Struct, frozen=True):
    """Lines to be looked up: where they stand, and the one that is meant."""

    path: str
    numbers: tuple[int, ...]
    at: int | None

    @classmethod
    def around(cls, written: Written, place: int) -> _Lookup:
        count = len(written.numbers)
        numbers = tuple(written.numbers[n] for n in around(place, count))
        return cls(written.path, numbers, written.numbers[place] if place < count else None)

    def stretch(self, texts: Mapping[tuple[str, int], str]) -> Stretch:
        lines = tuple((n, texts.get((self.path, n), "")) for n in self.numbers)
        return Stretch(self.path, lines, self.at)


class _Fork(Struct, frozen=True):
    process: str
    good: _Lookup
    bad: _Lookup
    ends: bool
    key: tuple[bool, str, str, int]


def _forks(good: Lines, bad: Lines) -> Iterator[_Fork]:
    """Yield where processes leave the path: the earliest first, those that only end last."""
    for ours, theirs in pairs(good, bad):
        before, after = good.sequences[ours], bad.sequences[theirs]
        found = fork(before.wordings, after.wordings, good.counts.keys())
        if found is None:
            continue
        lookup = _Lookup.around(after, found.bad)
        first = None if found.ends else bad.first.get(after.wordings[found.bad])
        moment = sortable(first.time if first is not None else None)
        yield _Fork(
            theirs[0] or after.path,
            _Lookup.around(before, found.good),
            lookup,
            found.ends,
            (found.ends, moment, after.path, lookup.at or 0),
        )


def _wanted(lookups: Iterable[_Lookup]) -> dict[str, set[int]]:
    wanted: dict[str, set[int]] = {}
    for lookup in lookups:
        wanted.setdefault(lookup.path, set()).update(lookup.numbers)
    return wanted


def _divergences(
    forks: Iterable[_Fork],
    good: Mapping[tuple[str, int], str],
    bad: Mapping[tuple[str, int], str],
) -> tuple[Divergence, ...]:
    return tuple(
        Divergence(found.process, found.good.stretch(good), found.bad.stretch(bad), found.ends)
        for found in forks
    )
