"""Where arguments lie below the repository that a job runs in."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

# Where a job of GitHub or GitLab has its checkout.
_VARIABLES = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")


def roots(
    paths: Sequence[Path], environ: Mapping[str, str] = os.environ
) -> tuple[tuple[str, str], ...]:
    """Return what reports show of each argument, and its path below the repository.

    The repository is what GitHub or GitLab say, else the working directory. Arguments outside of
    it are left out, as is standard input.
    """
    found = []
    for path in paths:
        named = os.fspath(path)
        shown = os.path.normpath(named) if len(paths) > 1 else "" if path.is_dir() else path.name
        below = None if named == "-" else _below(named, environ)
        if below is not None:
            found.append((_text(shown), _text(below)))
    return tuple(found)


def _below(named: str, environ: Mapping[str, str]) -> str | None:
    bases = [*(environ[name] for name in _VARIABLES if environ.get(name)), os.getcwd()]
    # By name first: a link within a checkout lies in it, wherever it leads.
    pairs = [(os.path.abspath(named), os.path.abspath(base)) for base in bases]
    pairs += [(os.path.realpath(named), os.path.realpath(base)) for base in bases]
    for path, base in pairs:
        if path == base:
            return ""
        if path.startswith(f"{base.rstrip('/')}/"):
            return path[len(base.rstrip("/")) + 1 :]
    return None


def _text(path: str) -> str:
    # Names that are not UTF-8 must not break an output; shown paths are written alike.
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
