"""What is said while, and after, nothing was written to the logs that are followed."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ascend_doctor.records import Lang
from ascend_doctor.reporters.run_labels import say
from ascend_doctor.reporters.safe import visible

# Files that are named, those that were written last first.
MAX_FILES = 5


def names(paths: Sequence[str], lang: Lang) -> str:
    """Return the first of some paths, and how many more there are."""
    shown = (", " if lang == "en" else "、").join(visible(path) for path in paths[:MAX_FILES])
    left = len(paths) - MAX_FILES
    return f"{shown} {say('and_more_files', lang, count=left)}" if left > 0 else shown


def sentence(files: Sequence[tuple[str, float]], paths: Sequence[str], lang: Lang) -> str:
    """Say since when nothing was written.

    Args:
        files: what is followed, and when each was written last, in seconds since 1970.
        paths: what was asked for.
        lang: the language.
    """
    if not files:
        return say("no_files_yet", lang, paths=names(paths, lang))
    path, moment = max(files, key=lambda file: file[1])
    count, since = f"{len(files):,}", _clock(moment)
    return say("unwritten_since", lang, count=count, since=since, path=visible(path))


def lines(files: Sequence[tuple[str, float]], lang: Lang) -> list[str]:
    """Return the files that were written last, and when each was."""
    ordered = sorted(files, key=lambda file: (-file[1], file[0]))
    told = [
        f"{visible(path)}  {say('silent_since', lang, since=_clock(moment))}"
        for path, moment in ordered[:MAX_FILES]
    ]
    left = len(files) - MAX_FILES
    return [*told, say("and_more_files", lang, count=left)] if left > 0 else told


def _clock(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))
