"""Small programs with one fault each, and the settings that mend it.

Each is run as ``python program.py config.json metrics.json``, and is meant to be read: the line of
the fault ends in ``# fault``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def given() -> dict[str, Any]:
    """Return the settings that the program is to run with."""
    settings = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    assert isinstance(settings, dict)
    return settings


def measured(**metrics: float) -> None:
    """Write what the program measured; what was written before is replaced."""
    Path(sys.argv[2]).write_text(json.dumps(metrics) + "\n", encoding="utf-8")
