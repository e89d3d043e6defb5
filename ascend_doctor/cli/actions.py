"""GitHub Actions around a run: whether it is one, and the summary of its step."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from ascend_doctor.records import Lang
from ascend_doctor.reporters.safe import visible

if TYPE_CHECKING:
    from ascend_doctor.report import Report


def is_running(environ: Mapping[str, str] = os.environ) -> bool:
    """Say whether this is a step of a workflow."""
    return environ.get("GITHUB_ACTIONS") == "true"


def new_token() -> str:
    """Return a word that nothing which is printed can know."""
    return os.urandom(16).hex()


def summarize(report: Report, lang: Lang, environ: Mapping[str, str] = os.environ) -> None:
    """Add ``report`` to the step's summary, if there is one and as far as there is room in it.

    What cannot be written is told; nothing else depends on it.
    """
    from ascend_doctor.reporters.github import MAX_SUMMARY, summary

    path = environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        with open(path, "ab") as file:
            # Of a larger file than GitHub takes it would show nothing.
            text = summary(report, lang, MAX_SUMMARY - file.tell())
            file.write(text.encode("utf-8", "backslashreplace"))
    except OSError as err:
        told = f"note: the step summary {path} cannot be written: {err.strerror}"
        click.echo(visible(told), err=True)
