"""What was read, what was not, and which part of a job a report is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from ascend_doctor.records import Note


class Slice(Struct, frozen=True):
    """The part of the job that the report is about, as it was asked for.

    ``left_out`` counts the messages that are outside of it, ``unplaced`` those that were kept,
    although they do not say when or by which rank they were written. ``empty`` says that, as far
    as times and the names of files tell, nothing of what was read is in it.
    """

    since: str | None
    until: str | None
    ranks: str | None
    left_out: int = 0
    unplaced: int = 0
    empty: bool = False


class Coverage(Struct, frozen=True):
    """What was read, what was not, and what the logs could show at all.

    ``interrupted`` says that reading was stopped before its time, and ``unread`` how many files
    were found and not read for that; there may be more. ``notes`` tell what files that were read
    lack, or had to be taken for something. ``empty`` says that there is nothing in
    them that could be judged: they are files of profiles without a time, a size or a count, or
    tell of machines without anything of Ascend.
    """

    files: int
    bytes: int
    lines: int
    by_kind: Mapping[str, int]
    levels: tuple[str, ...]
    time_range: tuple[str, str] | None
    skipped: tuple[tuple[str, str], ...]
    broken: tuple[tuple[str, str], ...]
    interrupted: bool = False
    unread: int = 0
    slice: Slice | None = None
    notes: tuple[tuple[str, Note], ...] = ()
    empty: bool = False

    @property
    def why_empty(self) -> Literal["empty_profile", "empty_machine"] | None:
        """What all that was read is, if none of it can be judged; None if some can."""
        if not self.empty:
            return None
        return "empty_machine" if {*self.by_kind} == {"environment"} else "empty_profile"
