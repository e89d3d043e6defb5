"""Debian's chromium: where it is, and how it is started to keep to itself."""

from __future__ import annotations

import os
import shutil
import subprocess

# Root's chromium has no sandbox; the rest keeps it from calling home.
OPTIONS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def chromium(*further: str) -> str | None:
    """Return the path of chromium, installed with ``further`` packages where root may do so."""
    if (found := shutil.which("chromium")) is not None and not further:
        return found
    if os.geteuid() == 0 and shutil.which("apt-get"):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = ("install", "-y", "--no-install-recommends", "chromium", *further)
        for words in (("update",), install):
            subprocess.run(
                ("apt-get", "-q", *words),
                check=False,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
            )
    return shutil.which("chromium")
