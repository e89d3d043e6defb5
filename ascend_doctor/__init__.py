"""Find the root cause of a failed, starved or silently wrong Ascend NPU run from its logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ascend_doctor.version import __version__

__all__ = ["DoctorError", "Report", "__version__", "analyze"]

if TYPE_CHECKING:
    from ascend_doctor.api import analyze
    from ascend_doctor.errors import DoctorError
    from ascend_doctor.report import Report


def __getattr__(name: str) -> Any:
    # Loaded when asked for: `ascend-doctor --help` needs none of it.
    if name == "analyze":
        from ascend_doctor.api import analyze

        return analyze
    if name == "DoctorError":
        from ascend_doctor.errors import DoctorError

        return DoctorError
    if name == "Report":
        from ascend_doctor.report import Report

        return Report
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
