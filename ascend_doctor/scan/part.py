"""What one part of a source yields; parts are joined in their order."""

from __future__ import annotations

from ascend_doctor.formats.sniff import origin_of
from ascend_doctor.scan.cards import Cards
from ascend_doctor.scan.collect import Collection
from ascend_doctor.scan.coverage import Coverage
from ascend_doctor.scan.curves import Curves
from ascend_doctor.scan.environment import Environment
from ascend_doctor.scan.steps import Steps
from ascend_doctor.scope import EVERYTHING, Scope


class Part:
    """What one part of a source yields.

    Attributes:
        origin: whose the source is, as far as its path and the folders above it tell.
        ranks: that path and, where some were asked for, lines name.
        outside: messages that were looked at and left out, as they are outside of ``scope``.
        unplaced: messages that were kept, although it is not known whether they are in it.
    """

    def __init__(self, source: str, scope: Scope = EVERYTHING, above: str = "") -> None:
        self.source = source
        self.origin = origin_of(source, above)
        self.scope = scope
        self.outside = self.unplaced = 0
        self.ranks: set[int] = set() if self.origin.rank is None else {self.origin.rank}
        self.collection = Collection(source)
        self.environment = Environment(source)
        self.curves = Curves(source, scope, self.origin)
        self.steps = Steps(source)
        self.cards = Cards(source)
        self.coverage = Coverage()

    def join(self, other: Part) -> None:
        """Go on with the part behind this one."""
        lines = self.coverage.newlines
        self.outside += other.outside
        self.unplaced += other.unplaced
        self.ranks |= other.ranks
        self.collection.join(other.collection, lines)
        self.environment.join(other.environment, lines)
        self.curves.join(other.curves, lines)
        self.steps.join(other.steps, lines)
        self.cards.join(other.cards, lines)
        self.coverage.join(other.coverage)
