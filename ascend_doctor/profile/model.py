"""What a file says of time, memory and lengths, in one shape for every format.

A file yields ``Measures``: bounded, picklable, and without a conclusion. Measures of one profile
are put together by ``assemble``, and judged by ``verdicts``. All times are microseconds (µs), all
sizes mebibytes (MiB), whatever the unit of the file; what a file does not say is ``None``, which is
not the same as zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from ascend_doctor.records import Evidence, Location, Note

# What a stretch of time was spent on, or what was counted.
#   fetch       the training thread was inside its loader's __next__
#   compile     an operator or graph was compiled while the job ran
#   sync        the host waited until the device had done what it was given
#   kernel      the device executed an operator on an AI Core, cube or vector unit
#   ai_cpu      the device executed an operator on its AI CPUs
#   collective  the device was in a collective communication operator
#   transfer    memory was copied between host and device
#   gc          Python collected garbage
#   host        an operator was dispatched by the host
#   api         a call of the CANN or CUDA runtime
#   preprocess  AI CPU operators of a data pipeline, as data_preprocess.csv lists them
Kind = Literal[
    "fetch",
    "compile",
    "sync",
    "kernel",
    "ai_cpu",
    "collective",
    "transfer",
    "gc",
    "host",
    "api",
    "preprocess",
]

# Bounds of what one file may yield; what is more is summed up in the last of each.
MAX_STEPS = 4096
MAX_TALLIES = 256  # of each kind
MAX_SAMPLES = 256
MAX_CARDS = 256
# The format of measures that lines of a log tell.
STEP_LINES = "step_lines"
# The name of what is beyond a bound.
OTHERS = "(others)"


class Step(Struct, frozen=True):
    """One step of one device or rank, as one file tells it.

    Attributes:
        name: what the file calls it, ``"10"``; empty where a profile has no steps and the row is
            about all of it.
        proof: the row, event or line that says so.
        rank, device: whose step it is, where the file itself says so.
        begin_us: when it began, on the clock of the file.
        total_us: how long it took.
        computing_us: time in which the device computed.
        communication_us: time in which it communicated and did not compute.
        overlapped_us: time in which it did both; part of ``computing_us``.
        free_us: time in which it did neither.
        bubble_us: waiting for another pipeline stage; part of ``communication_us``.
        preparing_us: from the begin of the step until the device was given its first task.
        fetch_us: time in which the training thread was inside its loader.
        compile_us, sync_us: the same of compiling, and of waiting for the device.
        is_average: the numbers are a running average that earlier steps have a share in.
        is_border: the step stands at the border of an epoch, where a loader begins anew.
        count: how many steps in a row it stands for; the times are their mean, and the proof is
            one of them.
    """

    name: str
    proof: Evidence
    total_us: float
    rank: int | None = None
    device: str | None = None
    begin_us: float | None = None
    computing_us: float | None = None
    communication_us: float | None = None
    overlapped_us: float | None = None
    free_us: float | None = None
    bubble_us: float | None = None
    preparing_us: float | None = None
    fetch_us: float | None = None
    compile_us: float | None = None
    sync_us: float | None = None
    is_average: bool = False
    is_border: bool = False
    count: int = 1


class Span(Struct, frozen=True):
    """One event: when it began, how long it took, and what the file says beside.

    Attributes:
        step: the step in which it began, None if that is not known.
        detail: further facts by name: ``operator``, ``shapes``, ``stack``, ``dtype``, ``task``.
    """

    duration_us: float
    proof: Evidence
    begin_us: float | None = None
    step: str | None = None
    detail: Mapping[str, str] = field(default_factory=dict)


class Tally(Struct, frozen=True):
    """Events of one kind and name: how many, how long in all, and the longest of them.

    Attributes:
        name: of an operator, its type; of a fetch, the iterator; of a call, its function.
        shapes: how many different input shapes they had, None if the file has none.
        dynamic: how many of them ran as dynamic-shape operators, None if it does not say.
        core: the unit that executed them, as the file spells it: ``AI_CORE``, ``AI_CPU``.
        by_step: time of each step that they began in, of the ``MAX_STEPS`` longest.
    """

    kind: Kind
    name: str
    count: int
    total_us: float
    longest: Span
    shapes: int | None = None
    dynamic: int | None = None
    core: str | None = None
    wait_us: float | None = None
    by_step: Mapping[str, float] = field(default_factory=dict)


class Sample(Struct, frozen=True):
    """Device memory at one moment, in MiB."""

    at_us: float
    reserved: float | None
    allocated: float | None = None
    active: float | None = None


class Memory(Struct, frozen=True):
    """Device memory of one component over time.

    Attributes:
        component: ``PTA`` (the caching allocator), ``GE``, ``PTA+GE``, ``APP`` (all of the
            process), ``WORKSPACE``, or a module as the driver names it.
        device: ``NPU:0``.
        peak: the sample with the most reserved memory.
        proof: the row of it.
        samples: at most ``MAX_SAMPLES``, in order of time; of each stretch the largest.
        capacity: of the card, where the file says it.
    """

    component: str
    device: str | None
    peak: Sample
    proof: Evidence
    samples: tuple[Sample, ...] = ()
    capacity: float | None = None


class Holder(Struct, frozen=True):
    """A process that npu-smi lists on a card, with the device memory that it holds in MiB."""

    pid: int
    name: str
    memory: float | None
    proof: Evidence


class Card(Struct, frozen=True):
    """A chip as npu-smi shows it.

    Attributes:
        npu, chip: its numbers in the table; ``physical`` is the number that frameworks count by.
        name: ``910B3``; ``health`` as printed: ``OK``, ``Alarm``, ``UNKNOWN``.
        used, capacity: device memory in MiB: HBM if the chip has it, else DDR.
        usage: of the AI Cores in percent.
        proof: the row of the chip.
        is_listed: the table of processes tells of it, be it that there are none.
    """

    npu: int
    chip: int
    physical: int | None
    name: str
    health: str
    used: float | None
    capacity: float | None
    usage: float | None
    proof: Evidence
    holders: tuple[Holder, ...] = ()
    hugepages_used: int | None = None
    hugepages: int | None = None
    is_listed: bool = False


class Batches(Struct, frozen=True):
    """Batches of sequences of different lengths, as a log or a file of lengths tells them.

    Attributes:
        tokens: real tokens in all of them.
        slots: what was computed for them, padding included.
        batches: how many there were.
        lengths: how many sequences there were of each length, where it is known.
        proof: the line, or one of them, that says so.
    """

    tokens: int
    slots: int
    batches: int
    proof: Evidence
    lengths: Mapping[int, int] = field(default_factory=dict)


class Measures(Struct, frozen=True):
    """What one file says of time, memory and lengths.

    Attributes:
        format: what the file is, ``"kernel_details"``: see ``readers.READERS``.
        profile: shown path of the folder that files belong together in; of a loose file, its own.
        rank, device: whose it is, where file or folder say so.
        facts: what the file says of itself: ``profiler``, ``torch_npu``, ``cann``, ``level``,
            ``with_stack``, ``loader``, ``workers``.
        environment: versions and variables of the job: name, value, and where that stands.
        broken: why it was not read to its end; what came before is good.
        notes: what it lacks, or had to be taken for something; each is shown with the file.
    """

    format: str
    profile: str
    rank: int | None = None
    device: str | None = None
    steps: tuple[Step, ...] = ()
    tallies: tuple[Tally, ...] = ()
    memory: tuple[Memory, ...] = ()
    cards: tuple[Card, ...] = ()
    batches: tuple[Batches, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    environment: tuple[tuple[str, str, Evidence], ...] = ()
    broken: str | None = None
    notes: tuple[Note, ...] = ()


class Profile(Struct, frozen=True):
    """All that is known of one rank, or device, of one profile.

    Attributes:
        key: the folder of it.
        steps: each step once, in order, what several files say of it put together.
        measures: the files that it was put together from.
    """

    key: str
    rank: int | None
    device: str | None
    steps: tuple[Step, ...]
    tallies: tuple[Tally, ...]
    memory: tuple[Memory, ...]
    cards: tuple[Card, ...]
    batches: tuple[Batches, ...]
    facts: Mapping[str, str]
    measures: tuple[Measures, ...] = ()


class Verdict(Struct, frozen=True):
    """A conclusion about profiles, by the name that rules know it by.

    Attributes:
        name: a verdict of the reader ``profile`` in ``knowledge.explain.READERS``.
        profile: whose; of a finding about several ranks, the guilty one.
        captures: what the texts of the rule may say.
        proofs: rows, events or lines, the deciding one first.
        count: how often it was so.
        location: the line of the user's code that it comes from, where a call stack says it.
        share: the part of the time of ordinary steps that it costs, zero where nothing says it.
    """

    name: str
    profile: Profile
    captures: Mapping[str, str]
    proofs: tuple[Evidence, ...]
    count: int = 1
    location: Location | None = None
    share: float = 0.0
