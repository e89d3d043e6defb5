"""The library's front door: paths in, a report out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path

from ascend_doctor.diagnosis.diagnose import diagnose
from ascend_doctor.engines.local import scan, usual_jobs
from ascend_doctor.engines.watch import Watch
from ascend_doctor.ingest.limits import DEFAULT, Limits
from ascend_doctor.knowledge import index
from ascend_doctor.report import Report
from ascend_doctor.scope import EVERYTHING, Scope


def analyze(
    paths: Iterable[str | PathLike[str]] | str | PathLike[str],
    *,
    rules: str | PathLike[str] | None = None,
    limits: Limits = DEFAULT,
    scope: Scope = EVERYTHING,
    thresholds: Mapping[str, float] | None = None,
    jobs: int | None = 1,
    watch: Watch | None = None,
) -> Report:
    """Diagnose log files and folders.

    Args:
        paths: files, folders, or ``-`` for standard input.
        rules: a folder of further rule files, in the layout of ``patterns/``.
        limits: how much is unpacked of one archive.
        scope: the part of the job that is looked at: some ranks, from a time on, until a time.
        thresholds: from which number on a profile is told to be bad, by name, where it differs from
            what is usual; ``patterns/thresholds.yaml`` lists them.
        jobs: the most processes that read, None for one a core and at most eight; they are started
            only where there is much to read. The report is the same for any number.
        watch: is told how far reading is, and may stop it.

    Raises:
        InputError: a named path does not exist.
        RuleError: a rule file is wrong.
        SettingError: ``ASCEND_DOCTOR_ENGINE`` names no engine, or one that is not installed;
            or there is no such threshold, or none of such a value.
    """
    if isinstance(paths, (str, PathLike)):
        paths = [paths]
    knowledge = index.load(None if rules is None else Path(rules))
    knowledge = knowledge.with_thresholds(thresholds or {})
    facts = scan(
        [Path(path) for path in paths],
        knowledge,
        limits,
        scope=scope,
        jobs=usual_jobs() if jobs is None else jobs,
        watch=watch,
    )
    return diagnose(facts, knowledge)
