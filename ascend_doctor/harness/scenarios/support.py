"""How devices can show a fault."""

from __future__ import annotations

from ascend_doctor.harness.scenarios.model import Machine, Support

_ANALOGUE = Support(
    "analogue",
    {
        "en": "made by torch itself on a {device}; kernels, memory and times of an NPU are not shown",
        "zh": "由 torch 本身在 {device} 上产生，不反映 NPU 的算子、内存和耗时",
    },
)


def of_torch(machine: Machine) -> Support:
    """Return support for a fault of torch or of the program: the same on all devices."""
    return Support("real") if machine.kind == "npu" else _on(machine)


def _on(machine: Machine) -> Support:
    assert _ANALOGUE.reason is not None
    said = _ANALOGUE.reason.items()
    name = {"cpu": "CPU", "cuda": "GPU"}[machine.kind]
    return Support("analogue", {lang: text.format(device=name) for lang, text in said})
