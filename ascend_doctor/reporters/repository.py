"""Paths as a repository's own tools know them."""

from __future__ import annotations

from ascend_doctor.report import Report


def located(report: Report, path: str) -> str:
    """Return a shown path relative to the repository, where its argument lies in it.

    Of a member of an archive it is the path of the archive: no other lies there. A path that is
    outside of the repository stays as it is shown.
    """
    for shown, below in report.roots:
        rest = _behind(shown, path)
        if rest is not None:
            whole = "/".join(part for part in (below, rest) if part)
            return whole.split("!", 1)[0] or path
    return path


def _behind(shown: str, path: str) -> str | None:
    """Return what of a path stands behind what is shown of its argument, None if it is another."""
    if not shown:
        return None if path.startswith(("/", "<")) else path
    if path == shown:
        return ""
    if path.startswith((f"{shown}/", f"{shown}!")):
        return path[len(shown) :].lstrip("/") if path[len(shown)] == "/" else ""
    return None
