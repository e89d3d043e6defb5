"""Where the data that ships with the package lies; the only place that knows.

A wheel carries it under ``ascend_doctor/_data``; a checkout has it at the top.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_DATA = _PACKAGE / "_data"
_CHECKOUT = _PACKAGE.parent


def patterns() -> Path:
    """Return the folder of rule files and code tables."""
    packed = _DATA / "patterns"
    return packed if packed.is_dir() else _CHECKOUT / "patterns"


def templates() -> Path:
    """Return the folder of report templates."""
    packed = _DATA / "templates"
    return packed if packed.is_dir() else _CHECKOUT / "reports" / "templates"


def checkout_cache() -> Path:
    """Return where a checkout keeps its compiled rules; git ignores it."""
    return _CHECKOUT / ".cache"


def index() -> Path | None:
    """Return the compiled rules of a wheel; a checkout has none and compiles its own."""
    packed = _DATA / "index.jsonl"
    return packed if packed.is_file() else None
