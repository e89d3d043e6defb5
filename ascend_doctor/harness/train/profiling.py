"""A profile of a few steps, for `ascend-doctor analyze` or a viewer of traces."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch.profiler

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.devices import Device

# The first steps compile and fill pools.
WAIT, WARM_UP, ACTIVE = 2, 1, 3
STEPS = WAIT + WARM_UP + ACTIVE


@contextmanager
def profiled(folder: Path | None, device: Device, rank: int) -> Iterator[Callable[[], None]]:
    """Yield what to call after each step; steps 4 to 6 are recorded into ``folder``, if given.

    Raises:
        HarnessError: the folder cannot be written to.
    """
    if folder is None:
        yield lambda: None
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise HarnessError(f"{folder}: {(err.strerror or str(err)).lower()}") from err
    profiler = torch.profiler
    if device.type == "npu":
        profiler = importlib.import_module("torch_npu").profiler
    kinds = [profiler.ProfilerActivity.CPU]
    if device.type != "cpu":
        kinds.append(getattr(profiler.ProfilerActivity, device.type.upper()))
    with profiler.profile(
        activities=kinds,
        schedule=profiler.schedule(wait=WAIT, warmup=WARM_UP, active=ACTIVE, repeat=1),
        on_trace_ready=_handler(profiler, device, folder, rank),
    ) as recording:
        yield recording.step


def _handler(profiler: object, device: Device, folder: Path, rank: int) -> Callable[..., object]:
    if device.type == "npu":
        return profiler.tensorboard_trace_handler(str(folder))  # type: ignore[attr-defined]
    return lambda found: found.export_chrome_trace(str(folder / f"trace.rank{rank}.json.gz"))
