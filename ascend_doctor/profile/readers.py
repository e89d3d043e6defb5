"""Every format of a profile: who knows it, and who reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ascend_doctor.profile import step_trace
from ascend_doctor.profile.model import Measures
from ascend_doctor.profile.trace import read as trace


@dataclass(frozen=True, slots=True)
class Reader:
    """How one format is read.

    Attributes:
        format: what ``Measures.format`` says.
        knows: says whether a file is of the format, by the begin of its text.
        read: takes the shown path and the text in blocks, and returns what the file says. It never
            fails for what is in the file: what it could not read is in ``notes`` or ``broken``.
    """

    format: str
    knows: Callable[[bytes], bool]
    read: Callable[[str, Iterator[bytes]], Measures]


READERS = (
    Reader("step_trace", step_trace.is_step_trace, step_trace.read),
    Reader("trace", trace.is_trace, trace.read),
)


def reader_of(head: bytes) -> Reader | None:
    """Return the reader of a file that begins with ``head``, None if no one knows it."""
    return next((reader for reader in READERS if reader.knows(head)), None)
