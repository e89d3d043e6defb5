"""All that a reporter needs, the same for every format."""

from ascend_doctor.report.breakdown import PARTS, Bar, Breakdown, Part, Place, Track
from ascend_doctor.report.coverage import Coverage, Slice
from ascend_doctor.report.diagnosis import CodeMet, Consequence, Diagnosis, Unexplained
from ascend_doctor.report.gate import Entry, FailOn, Gate, Hidden, Known
from ascend_doctor.report.report import Report, Status
from ascend_doctor.report.timeline import Activity, Timeline

__all__ = [
    "PARTS",
    "Activity",
    "Bar",
    "Breakdown",
    "CodeMet",
    "Consequence",
    "Coverage",
    "Diagnosis",
    "Entry",
    "FailOn",
    "Gate",
    "Hidden",
    "Known",
    "Part",
    "Place",
    "Report",
    "Slice",
    "Status",
    "Timeline",
    "Track",
    "Unexplained",
]
