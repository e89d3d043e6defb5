"""Debian's chromium: where it is, and how it is started to keep to itself."""

from __future__ import annotations

import os
import shutil
import subprocess

# Without the fonts Chinese is boxes, and what fits on a screen is not what people see.
PACKAGES = ("chromium", "fonts-noto-core", "fonts-noto-cjk", "fonts-dejavu-core")

# Root's chromium has no sandbox; the rest keeps it from calling home.
OPTIONS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def chromium() -> str | None:
    """Return the path of chromium; root installs what is missing of it and its fonts."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        missing = [name for name in PACKAGES if not _is_installed(name)]
        if missing:
            _run("apt-get", "update")
            _run("apt-get", "install", "-y", "--no-install-recommends", *missing)
    return shutil.which("chromium")


def _is_installed(package: str) -> bool:
    # A package that was removed has a status, too.
    return _run("dpkg-query", "--show", "--showformat=${db:Status-Abbrev}", package)[:2] == "ii"


def _run(*words: str) -> str:
    """Return what a command prints that is not to ask anything."""
    done = subprocess.run(
        words,
        check=False,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    return done.stdout
