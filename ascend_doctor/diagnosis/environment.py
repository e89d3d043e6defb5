"""What all files together say of the machines: versions, chips, variables, and what fits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from ascend_doctor.facts import Facts, Finding, Process, Said
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.rule import by_reader
from ascend_doctor.knowledge.versions import Pair, Versions, order, same_release
from ascend_doctor.records import Sighting

# Different values of one name that are told; a job has few, a folder of many jobs has more.
MAX_VALUES = 4


class Environment:
    """Values by name, the most often said first, each with the first place that says it."""

    def __init__(self, facts: Facts, versions: Versions) -> None:
        said: dict[str, dict[str, Said]] = defaultdict(dict)
        times: Counter[tuple[str, str]] = Counter()
        for path in sorted(facts.shards):
            for item in facts.shards[path].environment:
                said[item.name].setdefault(item.value, item)
                times[item.name, item.value] += 1
        self._said: Mapping[str, tuple[Said, ...]] = {
            name: tuple(sorted(values.values(), key=lambda item: -times[item.name, item.value]))
            for name, values in sorted(said.items())
        }
        self._versions = versions

    def first(self, name: str) -> Said | None:
        """Return what is said most often of ``name``."""
        return next(iter(self._said.get(name, ())), None)

    def shown(self) -> dict[str, str]:
        """Return the values for a report, several of one name as a list."""
        return {
            name: ", ".join(item.value for item in values[:MAX_VALUES])
            for name, values in self._said.items()
        }

    def says(self, name: str, wanted: tuple[str, ...]) -> bool:
        """Say whether any value of ``name`` contains one of ``wanted``."""
        return any(part in item.value for item in self._said.get(name, ()) for part in wanted)

    def captures(self) -> dict[str, str]:
        """Return what rule texts may name: each value, and the versions that belong together.

        ``fits_torch_npu`` is what the torch_npu that was seen was made for, ``fits_cann`` the
        torch_npu releases that were made for the CANN that was seen.
        """
        found = {name: values[0].value for name, values in self._said.items()}
        pair = self.pair()
        if pair is not None:
            found["fits_torch_npu"] = f"torch {pair.torch}, CANN {pair.cann}"
        if cann := found.get("cann"):
            pairs = self._versions.of_cann(cann)
            if pairs:
                found["fits_cann"] = ", ".join(pair.torch_npu for pair in pairs)
        return found

    def findings(self, knowledge: Knowledge, *, pairs: bool = True) -> Iterator[Finding]:
        """Yield what rules say of versions that do not belong together, or are past their end.

        Without ``pairs``, only the latter.
        """
        readers = by_reader(knowledge.rules.values())
        for verdict, said, captures in self._verdicts():
            if not pairs and verdict != "end_of_life":
                continue
            evidence = tuple(item.evidence for item in said)
            process = Process(source=evidence[0].path)
            for rule in readers.get(("environment", verdict), ()):
                yield Finding(rule.id, process, 1, (Sighting(evidence, captures),), None, None)

    def _verdicts(self) -> Iterator[tuple[str, tuple[Said, ...], dict[str, str]]]:
        npu, torch, cann = self._only("torch_npu"), self._only("torch"), self._only("cann")
        if npu is None:
            return
        seen = {"torch_npu": npu.value}
        if torch is not None and not same_release(npu.value, torch.value):
            yield "torch_differs", (npu, torch), {**seen, "torch": torch.value}
        pair = self._versions.of_torch_npu(npu.value)
        if pair is None:
            return
        if cann is not None:
            one, other = order(cann.value), order(pair.cann)
            if one is not None and other is not None and one < other:
                told = {**seen, "cann": cann.value, "wanted": pair.cann}
                yield "cann_older", (npu, cann), told
        if pair.eol:
            yield "end_of_life", (npu,), {**seen, "ended": pair.eol}

    def _only(self, name: str) -> Said | None:
        """Return what is said of ``name`` if all logs agree; several jobs may be in a folder."""
        said = self._said.get(name, ())
        return said[0] if len(said) == 1 else None

    def pair(self) -> Pair | None:
        """Return the row of the matrix for the torch_npu that was seen."""
        said = self.first("torch_npu")
        return None if said is None else self._versions.of_torch_npu(said.value)
