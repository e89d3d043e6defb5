"""How wide a terminal is, and whether it shows colour."""

from __future__ import annotations

import os
import shutil
from typing import Any, TextIO

# Lines longer than this are hard to read, however wide the window.
MAX_WIDTH = 120


def settings(output: TextIO) -> dict[str, Any]:
    """Return the options of a text reporter that writes to ``output``; none for a file."""
    if not output.isatty():
        return {}
    width = min(shutil.get_terminal_size().columns, MAX_WIDTH)
    return {"color": "NO_COLOR" not in os.environ, "width": width}
