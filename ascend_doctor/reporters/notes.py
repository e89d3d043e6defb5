"""What of the input was not read, or lacks something, as reports say it."""

from __future__ import annotations

from ascend_doctor.records import Lang
from ascend_doctor.report import Coverage
from ascend_doctor.reporters.labels import label
from ascend_doctor.reporters.reasons import translated


def missing(coverage: Coverage, lang: Lang) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return what was skipped, read in part, or noted, under their labels: paths and why."""
    found = [
        ("skipped", [(path, translated(reason, lang)) for path, reason in coverage.skipped]),
        ("broken", [(path, translated(reason, lang)) for path, reason in coverage.broken]),
        ("notes", _notes(coverage, lang)),
    ]
    return [(name, items) for name, items in found if items]


def said(note: str, lang: Lang) -> str:
    """Return what a file lacks, or had to be taken for something, in a language."""
    return translated(note, lang)


def _notes(coverage: Coverage, lang: Lang) -> list[tuple[str, str]]:
    """Return each note once, behind the first file that it is about and how many more there are."""
    paths: dict[str, list[str]] = {}
    for path, note in coverage.notes:
        paths.setdefault(note, []).append(path)
    return [(_where(found, lang), said(note, lang)) for note, found in paths.items()]


def _where(paths: list[str], lang: Lang) -> str:
    if len(paths) == 1:
        return paths[0]
    count = len(paths) - 1 if lang == "en" else len(paths)
    return label("note_of_more", lang, path=paths[0], count=count)
