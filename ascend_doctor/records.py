"""The nouns that every stage shares; nothing here imports another stage."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

Role = Literal["cause", "consequence", "wrapper", "notice"]
Confidence = Literal["low", "medium", "high"]
Lang = Literal["en", "zh"]

LANGS: tuple[Lang, ...] = ("en", "zh")

# What speaks for a root cause comes first.
ROLES: tuple[Role, ...] = ("cause", "consequence", "wrapper", "notice")

FAMILIES = (
    "invalid_param",
    "not_found",
    "static_fallback",
    "buffer_oom",
    "dataload",
    "communication",
    "kernel_fault",
    "device_fault",
    "host_resource",
    "compile_error",
    "runtime_misuse",
    "numerics",
    "framework_error",
)

# What a log may say of its machine; variables are named as they are set.
ENVIRONMENT = (
    *("cann", "driver", "firmware", "soc", "python", "torch", "torch_npu", "mindspore"),
    *("vllm", "vllm_ascend", "transformers", "world_size", "container"),
)


class Severity(enum.IntEnum):
    """How bad a diagnosis is; ``INFO`` is a remark and never fails a gate."""

    INFO = 0
    WARNING = 1
    ERROR = 2
    FATAL = 3

    @property
    def label(self) -> str:
        """The lower-case name that options and JSON use."""
        return self.name.lower()


class Origin(Struct, frozen=True):
    """Which process a record came from, as far as its text or its path says."""

    node: str | None = None
    rank: int | None = None
    device: int | None = None
    pid: int | None = None


class Location(Struct, frozen=True):
    """A line of the user's own source code."""

    file: str
    line: int
    function: str


class Record(Struct, frozen=True):
    """One log message with its continuation lines.

    Attributes:
        source: the shown path of the file.
        line: first line in the original file, counted from 1.
        order: position of the record within ``source``; grows downwards.
        kind: name of the format that recognised it.
        level: ``DEBUG`` … ``FATAL``, or empty where the text names none.
        time: ``YYYY-MM-DDThh:mm:ss.ffffff`` in the log's own zone, sortable as text.
        text: the message as it was printed, prefixes removed.
        lines: original line number of each line of ``text``.
        starts: where each of them begins in the view that the record was put together in.
    """

    source: str
    line: int
    order: tuple[int, int]
    kind: str
    level: str
    module: str | None
    time: str | None
    origin: Origin
    text: bytes
    lines: tuple[int, ...]
    starts: tuple[int, ...] = ()


def sortable(time: str | None) -> str:
    """Return a time for comparing: none comes last, and a whole second at its own end.

    What is printed without a fraction (torch_npu's ERR line) is told after the fact; what the
    runtime logged in the same second was there before it.
    """
    if time is None:
        return "~"
    return time[:-6] + "999999" if time.endswith(".000000") else time


class Evidence(Struct, frozen=True, eq=False):
    """A line of a log that is kept and shown as proof.

    Attributes:
        before, after: the lines around it in its file, without colours. Kept of the first places
            only, and no part of what makes two proofs equal.
        match: first and last+1 character of ``text`` that decided.
    """

    path: str
    line: int
    text: str
    order: tuple[int, int] = (0, 0)
    time: str | None = None
    level: str = ""
    module: str | None = None
    origin: Origin = Origin()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    match: tuple[int, int] | None = None

    def __eq__(self, other: object) -> bool:
        """Say whether both are one line, whatever was kept of what stands around it."""
        return isinstance(other, Evidence) and self._line() == other._line()

    def __hash__(self) -> int:
        """See ``__eq__``."""
        return hash(self._line())

    def _line(self) -> tuple[object, ...]:
        told = (self.path, self.line, self.order, self.text)
        return (*told, self.time, self.level, self.module, self.origin)

    @property
    def key(self) -> tuple[str, str, tuple[int, int]]:
        """Sort key: earliest first, and the same whatever the file was cut into."""
        return (sortable(self.time), self.path, self.order)

    def moved(self, lines: int) -> Evidence:
        """Return the same line counted from ``lines`` further up."""
        number, part = self.order
        return replace(self, line=self.line + lines, order=(number + lines, part))


class Note(Struct, frozen=True):
    """What a file that was read lacks, or had to be taken for something.

    Attributes:
        name: of its text, which is in ``reporters.notes``.
        values: what the text puts in, by name.
    """

    name: str
    values: Mapping[str, str] = field(default_factory=dict)


class Sighting(Struct, frozen=True):
    """One place where a rule matched: its proof and what the text said there.

    ``weight`` counts the bytes of fixed text that matched: the more, the more specific;
    ``variant`` says which wording of the rule it was. ``share`` is the part of a job's time that it
    costs, where that is known.
    """

    evidence: tuple[Evidence, ...]
    captures: Mapping[str, str] = field(default_factory=dict)
    codes: tuple[str, ...] = ()
    location: Location | None = None
    weight: int = 0
    variant: int = 0
    share: float = 0.0

    @property
    def key(self) -> tuple[str, str, tuple[int, int]]:
        """Sort key: that of the deciding line."""
        return self.evidence[0].key

    def moved(self, lines: int) -> Sighting:
        """Return the same place counted from ``lines`` further up."""
        return replace(self, evidence=tuple(proof.moved(lines) for proof in self.evidence))
