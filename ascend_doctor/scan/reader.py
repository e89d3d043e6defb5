"""Windows → parts, under one state of the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.scan import curves
from ascend_doctor.scan.asides import Asides
from ascend_doctor.scan.judging import Judging
from ascend_doctor.scan.literals import Hit
from ascend_doctor.scan.meanings import Meaning, Vocabulary
from ascend_doctor.scan.part import Part
from ascend_doctor.scan.sampling import Sampler
from ascend_doctor.scan.targets import Targets
from ascend_doctor.scope import EVERYTHING, Scope
from ascend_doctor.view.prefix import ranks_in
from ascend_doctor.view.raw import Raw
from ascend_doctor.view.view import Printed, of
from ascend_doctor.view.window import Window

if TYPE_CHECKING:  # most logs are no storm, and need not wait for what folds one
    from ascend_doctor.scan.fold import Templates
    from ascend_doctor.scan.storm import Storm

# So many hits, one in so many bytes, are a storm. While so many messages are folded, the windows
# behind it are not searched for literals first.
_STORM_HITS, _STORM_BYTES = 256, 1500


class Reader:
    """Knows what to look for, and what to do where it stands."""

    def __init__(
        self,
        knowledge: Knowledge,
        vocabulary: Vocabulary,
        meanings: Sequence[Meaning],
        scope: Scope = EVERYTHING,
    ) -> None:
        self.knowledge = knowledge
        self._scope = scope
        self.literals = vocabulary.literals
        self.asides = Asides(vocabulary.asides, len(meanings))
        self.targets = Targets(vocabulary.literals, meanings)
        self._texts = vocabulary.all_texts
        # Whether the last window was one of a storm, which the next part may go on with.
        self.is_in_storm = False

    @cached_property
    def templates(self) -> Templates:
        """What is known of the messages of storms."""
        from ascend_doctor.scan.fold import Templates
        from ascend_doctor.scan.template import Reach

        return Templates(Reach(chain(self._texts, _inner(self.knowledge))))

    def begin(self, source: str, above: str = "") -> Reading:
        """Begin to read a part of a source; ``above`` are the folders it stands in."""
        return Reading(self, Part(source, self._scope, above))


class Reading:
    """One part while its windows go by."""

    def __init__(self, reader: Reader, part: Part) -> None:
        self._reader = reader
        self._part = part
        self._samplers: dict[bytes, Sampler] = {}
        self._storm: Storm | None = None

    def read(self, window: Window) -> None:
        """Gather what one window says."""
        reader, part = self._reader, self._part
        if part.scope.ranks:
            part.ranks |= ranks_in(window.data, *window.body)
        if reader.is_in_storm and window.part > 0:
            self._read_storm(window)
            return
        hits = reader.literals.hits(window.data, window.body[0])
        view = of(window, is_marked=reader.asides.is_marked(hits))
        starts_message = window.data.startswith(b"[", window.body[0])
        # Of what is folded, not each message is asked for its time.
        may_fold = starts_message and self._part.scope.is_all
        if isinstance(view, Raw) and may_fold and _is_dense(window, len(hits)):
            self._read_storm(window)
        else:
            self._read_hits(window, view, hits)

    def _read_hits(self, window: Window, view: Printed | Raw, hits: list[Hit]) -> None:
        part, reader = self._part, self._reader
        seen = reader.asides.note(window, hits, part)
        signs = seen.signs
        if isinstance(view, Printed):
            hits, signs = reader.literals.hits(view.text), [*curves.SIGNS]
        judging = Judging(view, part, reader.knowledge, self._samplers)
        judging.take(reader.targets.of(view, hits))
        judging.finish()
        part.curves.see(window, view, signs)
        if seen.is_card:
            part.cards.see(view)
        part.coverage.see(window)

    def _read_storm(self, window: Window) -> None:
        part, reader = self._part, self._reader
        if self._storm is None:
            from ascend_doctor.scan.storm import Storm

            self._storm = Storm(
                reader.literals, reader.targets, reader.asides, reader.templates, part
            )
        view = Raw(window)
        judging = Judging(view, part, reader.knowledge, self._samplers)
        spared, signs = self._storm.read(window, view, judging)
        judging.finish()
        part.curves.see(window, view, signs)
        part.coverage.see(window)
        reader.is_in_storm = _is_dense(window, spared)

    def finish(self) -> Part:
        """Return the part, now that all of it was read."""
        if self._storm is not None:
            self._storm.finish()
        self._part.coverage.finish()
        return self._part


def _is_dense(window: Window, count: int) -> bool:
    size = window.body[1] - window.body[0]
    return count >= _STORM_HITS and count * _STORM_BYTES > size


def _inner(knowledge: Knowledge) -> Iterator[bytes]:
    """Yield the literals that are looked for only within a message."""
    for rule in knowledge.rules.values():
        yield from chain(*(variant.literals for variant in rule.match))
        yield from chain(*rule.requires_record)
        yield from rule.excludes_record
