"""Small programs with one fault each, and the settings that mend it.

Each is run as ``python program.py config.json metrics.json``, and is meant to be read: the line of
the fault ends in ``# fault``.
"""

from __future__ import annotations

import json
import math
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def given() -> dict[str, Any]:
    """Return the settings that the program is to run with."""
    settings = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    assert isinstance(settings, dict)
    if settings["device"].startswith("npu"):  # torch loads it by itself from 2.5 on
        import_module("torch_npu")
    return settings


def measured(**metrics: float) -> None:
    """Write what the program measured; what was written before is replaced.

    A number that is not finite is none, and becomes null.
    """
    told = {name: value if math.isfinite(value) else None for name, value in metrics.items()}
    Path(sys.argv[2]).write_text(json.dumps(told) + "\n", encoding="utf-8")
