"""The tables that torch_npu's profiler writes of a rank, and what stands beside them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from benchmarks.planted import Planted

OUTPUT = "ASCEND_PROFILER_OUTPUT"
_STEPS = 8
_START_US = 1_772_600_767_000_000

# Type, unit and shapes of kernels, and the operator that asked for them.
_KERNELS = (
    ("MatMulV2", "AI_CORE", "2048,4096;4096,4096", "aten::linear"),
    ("Add", "AI_VECTOR_CORE", "4,512,4096;4,512,4096", "aten::add"),
    ("LayerNormV4", "AI_VECTOR_CORE", "4,512,4096;4096;4096", "aten::layer_norm"),
    ("FlashAttentionScore", "MIX_AIC", "4,32,512,128;4,32,512,128", "npu::npu_fusion_attention"),
    ("Transpose", "AI_VECTOR_CORE", "4,512,32,128", "aten::transpose"),
    ("Index", "AI_CPU", "32000,4096;4,512", "aten::index"),
)
_KERNEL_DETAILS = (
    "Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),"
    "Block Num,Mix Block Num,Input Shapes,Input Data Types,Input Formats,Output Shapes,"
    "Output Data Types,Output Formats\n"
)
_OPERATOR_DETAILS = (
    "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),"
    "Device Self Duration(us),Device Total Duration(us),Device Self Duration With AICore(us),"
    "Device Total Duration With AICore(us)\n"
)
_OPERATOR_MEMORY = (
    "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),"
    "Active Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),"
    "Allocation Total Active(MB),Release Total Allocated(MB),Release Total Reserved(MB),"
    "Release Total Active(MB),Stream Ptr,Device Type\n"
)
_MEMORY_RECORD = (
    "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,"
    "Device Type\n"
)
_STEP_TRACE = (
    "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,"
    "Bubble,Communication(Not Overlapped and Exclude Receive),Preparing\n"
)


class TablesWriter:
    """Writes the profile of one rank, without its trace; it depends on ``seed`` and sizes only."""

    def __init__(self, seed: str, rank: int, planted: Planted) -> None:
        self._bits = Random(f"{seed} {rank}").getrandbits  # noqa: S311 - the same for a seed
        self._rank = rank
        self._planted = planted

    def write(self, folder: Path, size: int) -> None:
        """Write tables of ``size`` bytes in all, as good as, into the folder of the profile."""
        self._about(folder)
        output = folder / OUTPUT
        output.mkdir(parents=True)
        self._put(output / "step_trace_time.csv", _STEP_TRACE + "".join(self._steps()))
        self._planted.tracks += 1
        tables: tuple[tuple[str, str, Callable[[int], str], int], ...] = (
            ("kernel_details.csv", _KERNEL_DETAILS, self._kernel, 50),
            ("operator_details.csv", _OPERATOR_DETAILS, self._operator, 25),
            ("operator_memory.csv", _OPERATOR_MEMORY, self._memory, 15),
            ("memory_record.csv", _MEMORY_RECORD, self._record, 10),
        )
        for name, header, row, percent in tables:
            self._put(output / name, _filled(header, row, size * percent // 100))

    def beside_a_trace(self, folder: Path) -> None:
        """Write what the profiler notes of itself, and some kernels."""
        self._about(folder)
        self._put(
            folder / OUTPUT / "kernel_details.csv", _filled(_KERNEL_DETAILS, self._kernel, 1 << 16)
        )

    def _about(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        config = {"common_config": {"with_stack": False, "record_shapes": True}}
        told = {"config": config, "rank_id": self._rank, "torch_npu_version": "2.1.0"}
        self._put(folder / f"profiler_info_{self._rank}.json", json.dumps(told) + "\n")

    def _put(self, path: Path, text: str) -> None:
        path.write_bytes(text.encode("ascii"))
        self._planted.files += 1
        self._planted.bytes += len(text)
        self._planted.lines += text.count("\n")

    def _steps(self) -> Iterator[str]:
        for step in range(10, 10 + _STEPS):
            bits = self._bits(40)
            computing, exposed, free = 90_000 + bits % 999, 9_000 + (bits >> 10) % 999, 3_000
            self._planted.steps += 1
            for part, spent in (("computing", computing), ("communication", exposed)):
                self._planted.spent_us[part] += spent
            yield (
                f"{self._rank % 8},{step},{computing},{exposed},5000,{exposed + 5000},{free},"
                f"{computing + exposed + free},0,{exposed},100\n"
            )

    def _kernel(self, number: int) -> str:
        bits = self._bits(60)
        kind, core, shapes, _ = _KERNELS[bits % len(_KERNELS)]
        step = 10 + number % _STEPS
        return (
            f"{step},{self._rank % 8},aclnn{kind}_{kind}AiCore_{kind},{kind},{core},"
            f"{_START_US + 100 * number}.{bits % 1000:03}\t,{5 + (bits >> 10) % 90}.{bits % 10}20,"
            f"{(bits >> 20) % 50}.5,{24 + (bits >> 30) % 24},0,"
            f'"""{shapes}""",DT_BF16;DT_BF16,ND;ND,"""4,512,4096""",DT_BF16,ND\n'
        )

    def _operator(self, number: int) -> str:
        bits = self._bits(60)
        *_, shapes, name = _KERNELS[bits % len(_KERNELS)]
        told = shapes.replace(";", ";\r\n")
        own = 5 + bits % 60
        return (
            f'{name},"{told}","train.py({30 + number % 9}): forward;\r\ntrain.py(80): main",'
            f"{own}.25,{own + 20}.5,{(bits >> 10) % 90}.1,{(bits >> 10) % 90}.1,"
            f"{(bits >> 10) % 80}.1,{(bits >> 10) % 80}.1\n"
        )

    def _memory(self, number: int) -> str:
        bits = self._bits(60)
        begin = _START_US + 100 * number
        return (
            f"{_KERNELS[bits % 6][3]},{512 + bits % 4096}.0,{begin}.101\t,{begin + 900}.202\t,"
            f"{begin + 950}.303\t,900.101,950.202,{20_000 + bits % 900}.5,30050.0,"
            f"{20_000 + bits % 900}.5,{20_000 + bits % 800}.5,30050.0,{20_000 + bits % 800}.5,1,"
            f"NPU:{self._rank % 8}\n"
        )

    def _record(self, number: int) -> str:
        bits = self._bits(60)
        component = ("PTA", "PTA+GE", "GE")[number % 3]
        return (
            f"{component},{_START_US + 50 * number}.120\t,{20_000 + bits % 900}.5,30050.0,"
            f"{20_000 + bits % 900}.5,1,NPU:{self._rank % 8}\n"
        )


def _filled(header: str, row: Callable[[int], str], size: int) -> str:
    """Return a table with as many rows as ``size`` bytes have room for, two at least."""
    rows, length, number = [header], len(header), 0
    while length < size or number < 2:
        rows.append(row(number))
        length += len(rows[-1])
        number += 1
    return "".join(rows)
