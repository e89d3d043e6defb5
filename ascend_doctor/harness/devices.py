"""The device that is trained on, and what torch supports there: asked, never told by versions."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ascend_doctor.errors import HarnessError

if TYPE_CHECKING:
    import torch

_NAME = re.compile(r"(auto|cpu|cuda|npu)(?::(\d{1,4}))?")
_AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"
# What loading CANN and asking for its devices takes on a busy machine, many times over.
_PROBE_S = 120.0
_NPU_PROBE = "import torch, torch_npu; print(torch.npu.device_count())"


@dataclass(frozen=True, slots=True)
class Support:
    """Whether something works on a device, and if not, or only by a detour, why."""

    is_there: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.is_there


@dataclass(frozen=True, slots=True)
class Device:
    """One device; ``name`` is how torch calls it, ``cpu``, ``cuda:1`` or ``npu:0``."""

    name: str
    hardware: str
    """What it is, as its driver says; the architecture of a CPU."""

    @property
    def type(self) -> str:
        """Return ``cpu``, ``cuda`` or ``npu``."""
        return self.name.partition(":")[0]

    @property
    def torch(self) -> torch.device:
        """Return it as torch knows it."""
        import torch

        return torch.device(self.name)

    @property
    def module(self) -> ModuleType | None:
        """Return ``torch.cuda`` or ``torch.npu``; None for a CPU, which has no streams."""
        import torch

        return None if self.type == "cpu" else getattr(torch, self.type)

    @property
    def collectives(self) -> str:
        """Return the back end of torch.distributed for it."""
        return {"cpu": "gloo", "cuda": "nccl", "npu": "hccl"}[self.type]

    def synchronize(self) -> None:
        """Wait until all that was started on it is done."""
        if self.module is not None:
            self.module.synchronize()

    def memory_bytes(self) -> int | None:
        """Return how much memory it has; None for a CPU, where it is everyone's."""
        if self.module is None:
            return None
        return int(self.module.get_device_properties(self.torch).total_memory)

    def peak_bytes(self) -> int | None:
        """Return the most bytes that tensors took since ``reset_peak``; None where none counts."""
        return None if self.module is None else int(self.module.max_memory_allocated())

    def reserved_bytes(self) -> int | None:
        """Return what the allocator holds of the device's memory; None for a CPU."""
        return None if self.module is None else int(self.module.memory_reserved())

    def reset_peak(self) -> None:
        """Forget the peak of allocated memory."""
        if self.module is not None:
            self.module.reset_peak_memory_stats()

    def supports(self) -> Mapping[str, Support]:
        """Return what of ``SUPPORTED`` works here."""
        return {name: ask(self) for name, ask in SUPPORTED.items()}


def choose(name: str = "auto") -> Device:
    """Import torch and return the device: ``auto``, ``cpu``, ``cuda``, ``cuda:1`` or ``npu:0``.

    ``auto`` is an NPU if there is one, then a GPU, then the CPU. Call it before anything else
    imports torch: a torch_npu without its CANN makes ``import torch`` fail, unless it is told not
    to load device back ends, as it is here for all but NPUs.

    Raises:
        HarnessError: there is no such device, or torch cannot be imported.
    """
    asked = _NAME.fullmatch(name)
    if asked is None:
        raise HarnessError(f"no device is called {name!r}; give auto, cpu, cuda, cuda:1 or npu:0")
    kind, index = asked[1], int(asked[2] or 0)
    reason = "" if kind in ("cpu", "cuda") else _npu_is_missing()
    if kind == "npu" and reason:
        raise HarnessError(f"no NPU can be used: {reason}")
    if reason or kind in ("cpu", "cuda"):
        os.environ.setdefault(_AUTOLOAD, "0")
    torch = import_torch()
    if kind in ("auto", "npu") and not reason:
        importlib.import_module("torch_npu")
        return _accelerator("npu", index)
    if kind == "cuda" or (kind == "auto" and torch.cuda.is_available()):
        if not torch.cuda.is_available():
            raise HarnessError("no GPU can be used: torch.cuda.is_available() is False")
        return _accelerator("cuda", index)
    import platform

    return Device("cpu", platform.machine())


def import_torch() -> Any:
    """Import torch, and return it.

    Raises:
        HarnessError: it is not installed, or cannot be loaded.
    """
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError as err:
        if err.name != "torch":
            raise
        raise HarnessError('the harness needs torch: pip install "ascend-doctor[harness]"') from err
    except (ImportError, OSError, RuntimeError) as err:
        said = next(iter(str(err).splitlines()), type(err).__name__)
        raise HarnessError(f"torch cannot be imported: {said}") from err


def environment(device: Device | None = None, threads: int = 1) -> dict[str, str]:
    """Return the environment for a process that uses ``device`` (None: no torch_npu at all).

    One thread unless more are asked for: on small models two threads that wait for each other
    actively take a hundred times longer on a shared machine, so they wait passively.
    """
    given = {
        **os.environ,
        "OMP_NUM_THREADS": str(threads),
        "OMP_WAIT_POLICY": "PASSIVE",
        "PYTHONUNBUFFERED": "1",
    }
    if device is not None and device.type == "npu":
        given.pop(_AUTOLOAD, None)
    else:
        given[_AUTOLOAD] = "0"
    return given


def _npu_is_missing() -> str:
    """Return why no NPU can be used, an empty text if one can: asked in a process of its own."""
    if importlib.util.find_spec("torch_npu") is None:
        return "torch_npu is not installed"
    try:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", _NPU_PROBE],
            capture_output=True,
            text=True,
            timeout=_PROBE_S,
            check=False,
            # As autoload, torch would tell only that torch_npu failed, not why.
            env={**os.environ, _AUTOLOAD: "0"},
        )
    except subprocess.TimeoutExpired:
        return f"torch_npu did not answer within {_PROBE_S:.0f} s"
    if done.returncode:
        return next(reversed(done.stderr.strip().splitlines()), "torch_npu cannot be imported")
    count = next(reversed(done.stdout.split()), "0")
    return "torch_npu finds no device" if count == "0" else ""


def _accelerator(kind: str, index: int) -> Device:
    import torch

    module = getattr(torch, kind)
    count = module.device_count()
    if index >= count:
        raise HarnessError(f"there is no {kind}:{index}; torch finds {count} of them")
    module.set_device(index)
    return Device(f"{kind}:{index}", str(module.get_device_name(index)))


def _bf16(device: Device) -> Support:
    asked = getattr(device.module, "is_bf16_supported", None)
    if asked is not None and not asked():
        return Support(False, f"{device.hardware} has no bfloat16")
    return Support(True)


def _pinned_memory(device: Device) -> Support:
    if device.type == "cpu":
        return Support(False, "nothing is copied to a device")
    return Support(True)


def _varlen_attention(device: Device) -> Support:
    import torch

    if device.type == "npu":
        torch_npu = importlib.import_module("torch_npu")
        found = hasattr(torch_npu, "npu_fusion_attention")
        return Support(found, "" if found else "this torch_npu has no npu_fusion_attention")
    if device.type == "cuda":
        if importlib.util.find_spec("torch.nn.attention.varlen") is not None:
            return Support(True)
        found = importlib.util.find_spec("torch.nn.attention.flex_attention") is not None
        return Support(
            found, "by flex_attention" if found else f"torch {torch.__version__} has none"
        )
    return Support(False, "torch has no kernel for a CPU: documents are attended to one by one")


def _compile(device: Device) -> Support:
    backend = compile_backend(device)
    return Support(bool(backend), backend or "torch.compile has no back end for it here")


def compile_backend(device: Device) -> str:
    """Return what torch.compile should use on a device, an empty text if nothing is there."""
    import torch

    if not hasattr(torch, "compile"):
        return ""
    if device.type != "npu":
        return "inductor"
    import torch._dynamo

    # torchair registers it; without it, torch_npu puts plain eager execution under the same name.
    known = torch._dynamo.list_backends()
    has_torchair = importlib.util.find_spec("torchair") is not None or hasattr(
        importlib.import_module("torch_npu"), "dynamo"
    )
    return "npu" if "npu" in known and has_torchair else ""


def _distributed(device: Device) -> Support:
    import torch.distributed as dist

    if not dist.is_available():
        return Support(False, "this torch is built without torch.distributed")
    if device.type == "npu":
        return Support(True, "hccl")
    found = dist.is_nccl_available() if device.type == "cuda" else dist.is_gloo_available()
    return Support(found, device.collectives)


SUPPORTED: Mapping[str, Callable[[Device], Support]] = {
    "bf16": _bf16,
    "pinned_memory": _pinned_memory,
    "varlen_attention": _varlen_attention,
    "compile": _compile,
    "distributed": _distributed,
}
