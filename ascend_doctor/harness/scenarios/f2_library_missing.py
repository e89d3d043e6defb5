"""F2: a library of CANN is not on the search path of the loader."""

from __future__ import annotations

from ascend_doctor.harness.scenarios.model import (
    Criterion,
    Decoy,
    Expected,
    Machine,
    Scenario,
    Support,
)


def _support(machine: Machine) -> Support:
    if machine.kind == "npu":
        return Support("real")
    return Support(
        "emulated",
        {
            "en": "a stand-in for torch_npu and CANN; the loader and torch are the real ones",
            "zh": "torch_npu 与 CANN 用替身，加载器与 torch 为真实组件",
        },
    )


SCENARIO = Scenario(
    id="f2-library-missing",
    title={
        "en": "libascendcl.so cannot be found, so torch cannot load its back end",
        "zh": "找不到 libascendcl.so，torch 无法加载设备后端",
    },
    program="library_missing.py",
    expected=Expected("not_found", "not-found-shared-library"),
    broken={"set_env": False, "autoload": True},
    decoy=Decoy(
        {
            "en": "TORCH_DEVICE_BACKEND_AUTOLOAD=0, as the message advises",
            "zh": "按报错提示设置 TORCH_DEVICE_BACKEND_AUTOLOAD=0",
        },
        {"autoload": False},
    ),
    criteria=(
        Criterion("broken", "failed", "==", 1),
        Criterion("fixed", "loaded", "==", 1),
    ),
    support=_support,
)
