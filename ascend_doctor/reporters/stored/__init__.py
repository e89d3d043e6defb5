"""A JSON report read back: the inverse of ``reporters.json``."""

from ascend_doctor.reporters.stored.parsing import MAX_BYTES
from ascend_doctor.reporters.stored.report import loads

__all__ = ["MAX_BYTES", "loads"]
