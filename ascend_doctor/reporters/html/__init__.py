"""The HTML report: one file that loads nothing, in both languages, complete without script."""

from __future__ import annotations

from ascend_doctor.reporters.html.page import render

__all__ = ["render"]
