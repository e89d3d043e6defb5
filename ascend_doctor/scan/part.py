"""What one part of a source yields; parts are joined in their order."""

from __future__ import annotations

from ascend_doctor.scan.collect import Collection
from ascend_doctor.scan.coverage import Coverage
from ascend_doctor.scan.curves import Curves
from ascend_doctor.scan.environment import Environment


class Part:
    """What one part of a source yields."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.collection = Collection(source)
        self.environment = Environment(source)
        self.curves = Curves(source)
        self.coverage = Coverage()

    def join(self, other: Part) -> None:
        """Go on with the part behind this one."""
        lines = self.coverage.newlines
        self.collection.join(other.collection, lines)
        self.environment.join(other.environment, lines)
        self.curves.join(other.curves, lines)
        self.coverage.join(other.coverage)
