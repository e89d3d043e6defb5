"""Databases of torch_npu, MindSpore and msprof: ``ascend_pytorch_profiler_*.db``, ``analysis.db``.

All of them share one layout: a table for each kind of event, times in ns, sizes in bytes, and
names as numbers that ``STRING_IDS`` spells out. Which tables and columns there are depends on the
version and on what was recorded, so none is taken for granted.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from msgspec.structs import replace

from ascend_doctor.profile.about import CHIP, variables_in
from ascend_doctor.profile.curve import Curves
from ascend_doctor.profile.database_events import Events
from ascend_doctor.profile.database_parts import Names, Proof, Steps, place, shown, step_times
from ascend_doctor.profile.database_samples import (
    STEP_TABLES,
    WAIT_TABLES,
    read_memory,
    read_waits,
    step_traces,
)
from ascend_doctor.profile.kinds import device_of, profile_of, rank_of
from ascend_doctor.profile.model import Measures, Memory, Step
from ascend_doctor.profile.sqlite import Database, DatabaseError
from ascend_doctor.profile.tally import Tallies
from ascend_doctor.records import Evidence, Note

# One of these is in every profile; any program may have a table of tasks.
_SIGNS = ("STRING_IDS", "STEP_TIME", "RANK_DEVICE_MAP", *STEP_TABLES, *WAIT_TABLES)
NO_PROFILE = "SQLite database that is no profile"


def read(path: str, file: str) -> Measures:
    """Return what a database says; what is damaged in it is left out, and said to be.

    Args:
        path: what reports call it.
        file: where it lies on disk.

    Raises:
        DatabaseError: it is none, is damaged from its beginning on, or is no profile.
    """
    database = Database(file)
    try:
        if not any(database.has(name) for name in _SIGNS):
            raise DatabaseError(NO_PROFILE)
        found = _Reading(path, database).measures()
    finally:
        database.close()
    if any(map(_has_content, (f"{file}-wal", f"{file}-journal"))):
        return replace(found, notes=(*found.notes, Note("unfinished")))
    return found


def _has_content(file: str) -> bool:
    return os.path.isfile(file) and os.path.getsize(file) > 0


class _Reading:
    """One database while it is read; a damaged table does not keep the others from it."""

    def __init__(self, path: str, database: Database) -> None:
        self._path, self._database = path, database
        self._proof, self._names = Proof(path), Names(database)
        self._tallies, self._curves = Tallies(), Curves()
        self._broken: list[str] = []
        self._steps: list[Step] = []
        self._traced: list[Step] = []
        self._fetched: dict[str, float] | None = None
        self._environment: list[tuple[str, str, Evidence]] = []
        self._rank = rank_of(path)

    def measures(self) -> Measures:
        self._try(self._read_about)
        self._try(self._read_steps)
        events = Events(self._database, self._names, Steps(self._steps), self._tallies)
        for table in (
            events.read_kernels,
            events.read_collectives,
            events.read_copies,
            events.read_garbage,
            events.read_calls,
        ):
            self._try(table)
        self._try(lambda: self._read_operators(events))
        self._try(lambda: read_memory(self._database, self._names, self._curves))
        self._try(lambda: read_waits(self._database, self._tallies))
        tallies = self._tallies.tallies(self._proof)
        self._try(lambda: self._names.look_up_details(tallies))
        is_analysis = any(self._database.has(name) for name in (*STEP_TABLES, *WAIT_TABLES))
        return Measures(
            "analysis" if is_analysis else "database",
            profile_of(self._path),
            rank=self._rank,
            device=device_of(self._path, events.devices),
            steps=(*self._traced, *self._with_fetches()),
            tallies=self._names.spelt_out(tallies),
            memory=tuple(map(_shown, self._curves.memory(self._proof))),
            environment=tuple(self._environment),
            broken="; ".join(dict.fromkeys(self._broken)) or None,
            notes=self._curves.notes(),
        )

    def _try(self, read: Callable[[], object]) -> None:
        try:
            read()
        except DatabaseError as err:
            self._broken.append(str(err))

    def _read_steps(self) -> None:
        self._steps += step_times(self._database, self._proof)
        self._traced += step_traces(self._database, self._proof)

    def _read_operators(self, events: Events) -> None:
        self._fetched = events.read_operators()

    def _with_fetches(self) -> list[Step]:
        """Return the steps with the time in which the training thread was inside its loader."""
        if self._fetched is None:
            return self._steps
        return [replace(s, fetch_us=self._fetched.get(s.name, 0.0)) for s in self._steps]

    def _read_about(self) -> None:
        """Read whose profile it is, and what the job ran with."""
        database = self._database
        if database.has("RANK_DEVICE_MAP", "rankId"):
            ranks = database.distinct("RANK_DEVICE_MAP", "rankId", 2)
            rank = ranks[0] if len(ranks) == 1 else None
            # A job of one process has rank -1.
            if isinstance(rank, int) and rank >= 0:
                self._rank = rank
        if database.has("META_DATA", "name", "value"):
            where = "name", ("ENV_VARIABLES",)
            for row, value in database.select("META_DATA", ("value",), where=where, limit=1):
                for name, said in variables_in(str(value)).items():
                    told = shown(self._proof(place("META_DATA", row)), f"{name}={said}")
                    self._environment.append((name, said, told))
        if database.has("NPU_INFO", "name"):
            for row, chip in database.select("NPU_INFO", ("name",), limit=1):
                if CHIP.fullmatch(str(chip)):
                    told = shown(self._proof(place("NPU_INFO", row)), str(chip))
                    self._environment.append(("soc", str(chip), told))


def _shown(memory: Memory) -> Memory:
    reserved = memory.peak.reserved or 0.0
    return replace(memory, proof=shown(memory.proof, f"{memory.component}, {reserved:.1f} MiB"))
