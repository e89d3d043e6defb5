"""Find the root cause of a failed, starved or silently wrong Ascend NPU run from its logs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ascend_doctor.version import __version__

__all__ = ["DoctorError", "Limits", "Report", "Scope", "Watch", "__version__", "analyze", "redact"]

if TYPE_CHECKING:
    from ascend_doctor.api import analyze
    from ascend_doctor.engines.watch import Watch
    from ascend_doctor.errors import DoctorError
    from ascend_doctor.ingest.limits import Limits
    from ascend_doctor.report import Report
    from ascend_doctor.reporters.redaction import redact
    from ascend_doctor.scope import Scope


# Loaded when asked for: `ascend-doctor --help` needs none of it.
_HOMES = {
    "DoctorError": "ascend_doctor.errors",
    "Limits": "ascend_doctor.ingest.limits",
    "Report": "ascend_doctor.report",
    "Scope": "ascend_doctor.scope",
    "Watch": "ascend_doctor.engines.watch",
    "analyze": "ascend_doctor.api",
    "redact": "ascend_doctor.reporters.redaction",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
