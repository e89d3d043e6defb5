"""A trace as torch_npu's profiler writes it, event for event in the proportions of a real one."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import BinaryIO

from benchmarks.planted import Planted

# Process and threads of a training, its queue and its backward pass; and the rows of the device.
_PYTHON, _CANN, _NPU, _OVERLAP = 41207, 4120702, 4120704, 4120711
_TRAINING, _QUEUE, _BACKWARD = 41207, 41244, 41281
_START_US = 1_772_600_767_000_000
_WRITE_BYTES = 1 << 20
_OPERATORS_PER_STEP = 180

# What a program calls: the operators within, outermost first; what the queue is given; what of
# CANN is called for it; and the kernels that the device executes.
_OPERATORS = (
    (
        ("aten::linear", "aten::t", "aten::transpose", "aten::as_strided", "aten::addmm"),
        "aclnnAddmm",
        ("aclnnAddmm", "aclnnAddmmGetWorkspaceSize", "MatMulV2_Tiling"),
        ("aclnnAddmm_CastAiCore_Cast", "aclnnAddmm_MatMulCommon_MatMulV2"),
    ),
    (
        ("aten::layer_norm", "aten::native_layer_norm", "aten::empty", "aten::view"),
        "aclnnLayerNorm",
        ("aclnnLayerNorm", "aclnnLayerNormGetWorkspaceSize"),
        ("aclnnLayerNorm_LayerNormV4_LayerNormV4",),
    ),
    (
        ("aten::add_", "aten::result_type", "aten::to"),
        "aclnnInplaceAdd",
        ("aclnnInplaceAdd", "Add_Tiling"),
        ("aclnnInplaceAdd_AddAiCore_Add",),
    ),
    (
        ("aten::gelu", "aten::empty", "aten::empty_strided", "aten::as_strided", "aten::resize_"),
        "aclnnGelu",
        ("aclnnGelu", "aclnnGeluGetWorkspaceSize", "aclCreateTensorDesc"),
        ("aclnnGelu_CastAiCore_Cast", "aclnnGelu_Gelu_Gelu", "aclnnGelu_CastAiCore_Cast"),
    ),
    (
        (
            *("autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0", "aten::t"),
            *("aten::transpose", "aten::as_strided", "aten::mm", "aten::empty"),
        ),
        "aclnnMm",
        ("aclnnMm", "aclnnMmGetWorkspaceSize", "aclCreateDataBuffer"),
        ("aclnnMm_TransData_TransData", "aclnnMm_MatMulCommon_MatMulV2"),
    ),
)
_COMPILED = ("Conv2D", "MaxPoolWithArgmaxV1", "Conv2DBackpropFilter")


class TraceWriter:
    """Writes the trace of one rank, step by step; the bytes depend on ``seed`` and size only.

    Each step waits for its batch, compiles some operators anew, executes many, and reads the loss
    back. Nothing of that overlaps, so that it is known what each was.
    """

    def __init__(self, seed: str, planted: Planted) -> None:
        self._bits = Random(seed).getrandbits  # noqa: S311 - the same bytes for a seed are wanted
        self._planted = planted
        self._now = _START_US
        self._count = self._step = 0
        self._busy_until = 0

    def write(self, stream: BinaryIO, size: int) -> None:
        """Write whole steps until there are at least ``size`` bytes."""
        written = stream.write(("[" + ", ".join(_labels())).encode("ascii"))
        while written < size:
            text = "".join(f", {event}" for event in self._events())
            written += stream.write(text.encode("ascii"))
        written += stream.write(b"]")
        self._planted.files += 1
        self._planted.bytes += written
        self._planted.lines += 1
        self._planted.tracks += 1

    def _events(self) -> Iterator[str]:
        """Yield the events of one step."""
        begin, bits = self._now, self._bits(40)
        self._step += 1
        told: dict[str, int] = {}
        told["fetch"] = 900 + bits % 400 + (150_000 if self._step % 16 == 0 else 0)
        yield _host(
            "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", begin, told["fetch"]
        )
        self._now += told["fetch"] + 10
        self._busy_until = self._now
        told["computing"] = told["compile"] = 0
        for number in range(_OPERATORS_PER_STEP):
            is_compiled = number % 60 == 7
            yield from self._operator(is_compiled, told)
        told["sync"] = 200 + (bits >> 20) % 800
        yield _host("aten::item", self._now, told["sync"] + 0)
        yield _host("aten::_local_scalar_dense", self._now + 1, told["sync"] - 2)
        yield _call(
            "aclrtSynchronizeStreamWithTimeout", self._now + 2, told["sync"] - 5, self._count
        )
        self._now += told["sync"] + 30
        yield _host(f"ProfilerStep#{self._step}", begin, self._now - begin)
        self._planted.steps += 1
        for part, spent in told.items():
            self._planted.spent_us[part] += spent

    def _operator(self, is_compiled: bool, told: dict[str, int]) -> Iterator[str]:
        bits = self._bits(62)
        names, given, calls, kernels = _OPERATORS[bits % len(_OPERATORS)]
        begin = self._now
        self._count += 1
        number = self._count
        compiling = 2_000 + (bits >> 8) % 3_000 if is_compiled else 0
        executing = [3 + (bits >> 20 + 5 * index) % 20 for index in range(len(kernels))]
        duration = 40 + compiling + sum(executing) + len(executing)
        thread = _BACKWARD if names[0].startswith("autograd") else _TRAINING
        for depth, name in enumerate(names):
            yield _host(name, begin + depth, duration - 2 * depth, thread)
        for index in range(2):
            flow = f"{number}{index}"
            yield _flow("s", "async_npu", "torch_to_npu", flow, begin + 2, _PYTHON, thread)
            yield _flow("f", "async_npu", "torch_to_npu", flow, begin + 30, _NPU, 3)
        yield (
            f'{{"ph": "X", "name": "Enqueue", "pid": {_PYTHON}, "tid": {thread}, '
            f'"ts": "{begin + 8}.101", "dur": 3.25, "cat": "enqueue", '
            f'"args": {{"correlation_id": {number}}}}}'
        )
        yield _flow("s", "async_task_queue", "enqueue_to_dequeue", number, begin + 8, _PYTHON, 1)
        taken, queued = (_COMPILED[bits % 3], compiling + 22) if is_compiled else (given, 22)
        yield (
            f'{{"ph": "X", "name": "Dequeue@{taken}", "pid": {_PYTHON}, "tid": {_QUEUE}, '
            f'"ts": "{begin + 12}.101", "dur": {queued}.5, "cat": "dequeue", '
            f'"args": {{"correlation_id": {number}}}}}'
        )
        yield _flow("f", "async_task_queue", "enqueue_to_dequeue", number, begin + 12, _PYTHON, 1)
        for index, name in enumerate(() if is_compiled else calls):
            yield _call(name, begin + 14 + 5 * index, 4, number, _QUEUE)
        if is_compiled:
            yield _call("aclopCompileAndExecute", begin + 13, compiling + 10, number, _QUEUE)
            yield _call("opCompile", begin + 14, compiling, number, _QUEUE)
            told["compile"] += compiling
        start = begin + 30 + compiling
        for index, (name, spent) in enumerate(zip(kernels, executing, strict=True)):
            yield from self._kernel(name, start, spent, f"{number}{index}")
            told["computing"] += spent
            start += spent + 1
        self._now += duration + 15

    def _kernel(self, name: str, begin: int, spent: int, flow: str) -> Iterator[str]:
        flow = f"38654{flow}"
        yield (
            f'{{"name": "HostToDevice{flow}", "ph": "s", "cat": "HostToDevice", "id": "{flow}", '
            f'"pid": {_CANN}, "tid": {_QUEUE}, "ts": "{begin - 4}.203"}}'
        )
        yield (
            f'{{"name": "{name}", "pid": {_NPU}, "tid": 3, "ts": "{begin}.000", "dur": {spent}.0, '
            '"args": {"Model Id": 4294967295, "Task Type": "AI_CORE", "Stream Id": 3, '
            f'"Task Id": {self._count}, "Batch Id": 0, "Subtask Id": 4294967295, '
            f'"connection_id": {flow}}}, "ph": "X"}}'
        )
        yield (
            f'{{"name": "HostToDevice{flow}", "ph": "f", "id": "{flow}", "ts": "{begin}.000", '
            f'"cat": "HostToDevice", "pid": {_NPU}, "tid": 3, "bp": "e"}}'
        )
        yield _row("Free", self._busy_until, begin - self._busy_until, 3)
        yield _row("Computing", begin, spent, 0)
        self._busy_until = begin + spent


def _host(name: str, begin: int, duration: int, thread: int = _TRAINING) -> str:
    return (
        f'{{"ph": "X", "name": "{name}", "pid": {_PYTHON}, "tid": {thread}, "ts": "{begin}.000", '
        f'"dur": {duration}.0, "cat": "cpu_op", '
        '"args": {"Sequence number": -1, "Fwd thread id": 0}}'
    )


def _call(name: str, begin: int, duration: int, number: int, thread: int = _TRAINING) -> str:
    return (
        f'{{"name": "AscendCL@{name}", "pid": {_CANN}, "tid": {thread}, "ts": "{begin}.000", '
        f'"dur": {duration}.0, "args": {{"Thread Id": {thread}, "Mode": "ACL_OP", "level": "acl", '
        f'"id": "{name}", "item_id": "0", "connection_id": {number}}}, "ph": "X"}}'
    )


def _flow(
    phase: str, category: str, name: str, number: int | str, moment: int, pid: int, tid: int
) -> str:
    return (
        f'{{"ph": "{phase}", "bp": "e", "name": "{name}", "id": {number}, "pid": {pid}, '
        f'"tid": {tid}, "ts": "{moment}.101", "cat": "{category}"}}'
    )


def _row(name: str, begin: int, duration: int, tid: int) -> str:
    return (
        f'{{"name": "{name}", "pid": {_OVERLAP}, "tid": {tid}, "ts": "{begin}.000", '
        f'"dur": {duration}.0, "ph": "X"}}'
    )


def _labels() -> Iterator[str]:
    for pid, name, label in (
        (_PYTHON, "Python", "CPU"),
        (_CANN, "CANN", "CPU"),
        (_NPU, "Ascend Hardware", "NPU 0"),
        (_OVERLAP, "Overlap Analysis", "NPU"),
    ):
        yield (
            f'{{"ph": "M", "name": "process_name", "pid": {pid}, "tid": 0, '
            f'"args": {{"name": "{name}"}}}}'
        )
        yield (
            f'{{"ph": "M", "name": "process_labels", "pid": {pid}, "tid": 0, '
            f'"args": {{"labels": "{label}"}}}}'
        )
