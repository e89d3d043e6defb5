"""Memory over time, of each component: its peak, and a bounded sketch of the rest."""

from __future__ import annotations

from collections.abc import Callable

from ascend_doctor.profile.model import MAX_SAMPLES, Memory, Sample
from ascend_doctor.profile.tally import Place
from ascend_doctor.records import Evidence, Note

# Components that are told apart, on all devices.
_MAX_COMPONENTS = 128
_MAX_NAME = 64


class Curves:
    """The memory of components; of unordered samples as well."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, str], _Curve] = {}
        self._left_out = 0

    def add(self, component: str, device: str, sample: Sample, place: Place) -> None:
        """Note how much memory a component had reserved at a time."""
        key = component[:_MAX_NAME], device[:_MAX_NAME]
        curve = self._of.get(key)
        if curve is None:
            if len(self._of) >= _MAX_COMPONENTS:
                self._left_out += 1
                return
            curve = self._of[key] = _Curve(sample, place)
        curve.add(sample, place)

    def memory(self, proof: Callable[[Place], Evidence]) -> tuple[Memory, ...]:
        """Return what is known of each component.

        Args:
            proof: makes a proof of a place.
        """
        return tuple(
            Memory(
                component=component,
                device=device or None,
                peak=curve.peak,
                proof=proof(curve.place),
                samples=curve.samples(),
            )
            for (component, device), curve in sorted(self._of.items())
        )

    def notes(self) -> tuple[Note, ...]:
        """Return what is to be said of samples that were left out."""
        if not self._left_out:
            return ()
        return (Note("components_left_out", {"count": str(self._left_out)}),)


class _Curve:
    """A curve whose samples are thinned out by half whenever there are too many."""

    def __init__(self, sample: Sample, place: Place) -> None:
        self.peak, self.place = sample, place
        self._samples: list[Sample] = []
        self._stride = 1
        self._count = 0

    def add(self, sample: Sample, place: Place) -> None:
        if _size(sample) > _size(self.peak):
            self.peak, self.place = sample, place
        if self._count % self._stride == 0:
            self._samples.append(sample)
        elif _size(sample) > _size(self._samples[-1]):
            self._samples[-1] = sample
        self._count += 1
        if len(self._samples) > 2 * MAX_SAMPLES:
            self._samples = _halved(self._samples)
            self._stride *= 2

    def samples(self) -> tuple[Sample, ...]:
        samples = self._samples
        while len(samples) > MAX_SAMPLES:
            samples = _halved(samples)
        return tuple(sorted(samples, key=lambda sample: sample.at_us))


def _halved(samples: list[Sample]) -> list[Sample]:
    """Return the larger one of each two samples that follow each other."""
    return [max(samples[at : at + 2], key=_size) for at in range(0, len(samples), 2)]


def _size(sample: Sample) -> float:
    return -1.0 if sample.reserved is None else sample.reserved
