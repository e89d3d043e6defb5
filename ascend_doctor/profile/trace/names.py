"""What an event of a trace is about, by its name and category."""

from __future__ import annotations

import enum
import re


class Role(enum.IntEnum):
    """What is done with an event."""

    NONE = 0
    # Calls of a thread of the host, each of which is kept.
    FETCH = 1
    COMPILE = 2
    SYNC = 3
    COPY = 4  # memory is copied, and the host waits for it
    COLLECT = 5  # Python collects garbage
    STEP = 6
    SEED = 7  # a loader draws its seed: one of its iterators begins
    COMPILE_ID = 8  # says what is being compiled around it
    ENQUEUE = 9
    DEQUEUE = 10
    # What the calls are within.
    OPERATOR = 11
    FRAME = 12  # a function of Python
    # What the device did, by msprof's rows that sum it up.
    COMPUTING = 13
    COMMUNICATION = 14
    EXPOSED = 15  # communication while nothing was computed
    # What it did, task by task.
    KERNEL = 16
    COLLECTIVE = 17
    TRANSFER = 18
    # Either a task of the device or nothing, as its arguments say.
    TASK = 19
    ITERATION = 20  # a step as the device saw it


_FETCH = re.compile(
    r"enumerate\(Data(?:Loader|Pipe)\)#.*|\[pl\]\[profile\].*dataloader_next|(?i:dataloader)"
    r"|(?:Iterator::.*)?GetNext\w*"
)
# Of a compilation in a call that also executes, only ``opCompile`` is one for sure.
_COMPILE = re.compile(
    r"(?:AscendCL@)?(?:aclopCompile\w*|[oO]pCompile\w*)"
    r"|dynamo|entire_(?:frame|backward)_compile|backend_compile|compile_attempt_\d+"
    r"|create_aot_dispatcher_function|inductor_compile|async_compile\.wait"
    r"|(?!gc ).* \(dynamo_timed\)"
)
EXECUTES = re.compile(r"(?:AscendCL@)?aclopCompileAndExecute\w*")
_SYNC = re.compile(
    r"(?:AscendCL@)?aclrtSynchronize\w*|Runtime@\w*Synchronize\w*"
    r"|(?:cuda|hip|musa)(?:Stream|Device|Event)Synchronize|cu(?:Stream|Event|Ctx)Synchronize"
    r"|aten::(?:item|_local_scalar_dense)"
)
_COPY = re.compile(r"(?:AscendCL@)?aclrtMemcpy|(?:cuda|hip)Memcpy|cuMemcpy(?:HtoD|DtoH)_v2")
_COLLECT = re.compile(r"(?:Python )?GC")
_STEP = re.compile(r"ProfilerStep#(\d+)")
_ITERATION = re.compile(r"Iteration (\d+)")
_COMPILE_ID = re.compile(r"\w+_data: (?:.*, )?compile_id=(\S+)")
_DEQUEUE = re.compile(r"Dequeue@(.+)")
# An operator that torch.compile made.
_COMPILED = re.compile(r"CompiledFunction\w*")
# What CANN and the layers of it name their calls by.
_CALL = re.compile(r"\w{1,20}@")
_HCOM = re.compile(r"hcom_\w+")
_NCCL = re.compile(r"(?i)[nr]ccl\w*(?:Kernel|Dev)")
_OVERLAP = {
    "Computing": Role.COMPUTING,
    "Communication": Role.COMMUNICATION,
    "Communication(Not Overlapped)": Role.EXPOSED,
}
_DEVICE = {"kernel": Role.KERNEL, "gpu_memcpy": Role.TRANSFER}
# User ranges are repeated on the device, drawn over what it did for them.
_DRAWN = {"gpu_user_annotation", "gpu_memset", "ac2g", "Trace", "cuda_sync", "overhead"}

# Tasks of the device that move or wait, and compute nothing.
_WAITS = re.compile(r"EVENT|NOTIFY|WAIT|PROFILER|PLACE_HOLDER|MAINTENANCE|CAPTURE|BARRIER|LABEL")
_MOVES = re.compile(r"MEMCPY|SDMA|RDMA|PCIE_DMA")

_CALLS = (
    (_FETCH, Role.FETCH),
    (_SYNC, Role.SYNC),
    (_COMPILE, Role.COMPILE),
    (_COPY, Role.COPY),
    (_COLLECT, Role.COLLECT),
    (_STEP, Role.STEP),
    (_COMPILE_ID, Role.COMPILE_ID),
    (_DEQUEUE, Role.DEQUEUE),
)


def role_of(name: str, category: str | None) -> Role:
    """Return what is done with events of a name and category."""
    if category in _DRAWN:
        return Role.NONE
    if category in _DEVICE:
        return Role.COLLECTIVE if _NCCL.search(name) else _DEVICE[category]
    for pattern, role in _CALLS:
        if pattern.fullmatch(name):
            return role
    if category == "python_function":
        return Role.FRAME
    if category == "enqueue" or name == "Enqueue":
        return Role.ENQUEUE
    if category is None:
        if name in _OVERLAP:
            return _OVERLAP[name]
        if _ITERATION.fullmatch(name):
            return Role.ITERATION
        if _HCOM.match(name):
            return Role.COLLECTIVE
        return Role.NONE if _CALL.match(name) else Role.TASK
    if category == "cpu_op":
        return Role.OPERATOR if "::" in name or _COMPILED.fullmatch(name) else Role.NONE
    return Role.NONE


def task_role(kind: str) -> tuple[Role, str | None]:
    """Return what a task of the device is, and the unit that executes it, by its type.

    >>> task_role("AI_CORE"), task_role("MEMCPY_ASYNC"), task_role("EVENT_WAIT")
    ((<Role.KERNEL: 16>, 'AI_CORE'), (<Role.TRANSFER: 18>, None), (<Role.NONE: 0>, None))
    """
    upper = kind.upper()
    if _MOVES.search(upper):
        return Role.TRANSFER, None
    if _WAITS.search(upper):
        return Role.NONE, None
    return Role.KERNEL, None if upper == "OTHER" else kind


def is_seed(name: str) -> bool:
    """Say whether an operator may be the loader's that draws the seed of its workers."""
    return name == "aten::random_"


def prepares_seed(name: str) -> bool:
    """Say whether a loader calls this around the drawing of its seed."""
    return name in {"aten::empty", "aten::random_", "aten::item"}


def step_of(name: str) -> str:
    """Return the number of a step, as the profiler counts."""
    found = _STEP.fullmatch(name) or _ITERATION.fullmatch(name)
    return found[1] if found else name


def compile_id_of(name: str) -> str:
    """Return which compilation of which frame an event tells of, ``"0/2"``."""
    found = _COMPILE_ID.fullmatch(name)
    return found[1] if found else name


def operator_of(name: str) -> str:
    """Return the operator that a call, a task or an event of the queue is about.

    >>> operator_of("Dequeue@aclnnAdd"), operator_of("aclnnAddmm_MatMulCommon_MatMulV2")
    ('aclnnAdd', 'MatMulV2')
    >>> operator_of("hcom_allReduce__628_1_1"), operator_of("AscendCL@aclopCompile")
    ('hcom_allReduce_', 'aclopCompile')
    """
    if name.startswith("aclnn"):
        return name.rpartition("_")[2]
    if name.startswith("hcom_"):
        head, mark, _ = name.partition("__")
        return head + "_" if mark else name
    return name.partition("@")[2] or name
