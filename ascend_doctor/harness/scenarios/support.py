"""How devices can show a fault."""

from __future__ import annotations

from ascend_doctor.harness.scenarios.model import Machine, Support

_DEVICES = {"cpu": "CPU", "cuda": "GPU", "npu": "NPU"}


def of_torch(machine: Machine) -> Support:
    """Return support for a fault of torch or of the program: the same on all devices."""
    if machine.kind == "npu":
        return Support("real")
    name = _DEVICES[machine.kind]
    return Support(
        "analogue",
        {
            "en": f"made by torch itself on a {name}; kernels, memory and times of an NPU "
            "are not shown",
            "zh": f"由 torch 本身在 {name} 上产生，不反映 NPU 的算子、内存和耗时",
        },
    )


def of_host_memory(machine: Machine) -> Support:
    """Return support for memory: a limit on that of the host, whatever the device."""
    return Support(
        "analogue",
        {
            "en": "limited memory of the host in place of an NPU's; torch_npu's pool is not shown",
            "zh": "以限额的主机内存代替 NPU 显存，不反映 torch_npu 的内存池",
        },
    )


def of_inductor(machine: Machine) -> Support:
    """Return support for the cache of inductor on a CPU; torchair keeps another one."""
    return Support(
        "analogue",
        {
            "en": "the cache of inductor on a CPU; that of torchair is another one",
            "zh": "CPU 上 inductor 的缓存，torchair 的缓存是另一套",
        },
    )
