"""Record the traces of this folder anew: a tiny model on a CPU, each time with one thing wrong.

    python tests/profile/recorded/record.py [NAME …]

It needs torch, of which it uses the CPU only. What it writes is what torch.profiler wrote, but for
names of the machine and of folders.
"""

from __future__ import annotations

import gc
import gzip
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, Dataset

HERE = Path(__file__).parent
# So many steps go by before any is recorded.
_BEFORE = 3
_BATCH = 8
_WIDTH = 256
# How much there is to compute in a step.
_COPIES = 32
_PATHS = re.compile(rf"(?:{re.escape(sys.prefix)}|/)[^\s\"()]*/(?:site-packages|lib/python[\d.]+)/")
_ORIGIN = re.compile(rf"[^\s\"()]*{re.escape(Path(__file__).name)}")


class Samples(Dataset[torch.Tensor]):
    """Samples that take their time to be read, as files on a slow disk do."""

    def __init__(self, count: int, read_s: float) -> None:
        self._count = count
        self._read_s = read_s

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> torch.Tensor:
        time.sleep(self._read_s)
        return torch.full((_WIDTH,), float(index % 7))


def batches(workers: int, read_s: float, per_epoch: int = 32) -> Iterator[torch.Tensor]:
    """Yield batches for ever, epoch after epoch."""
    loader = DataLoader(
        Samples(per_epoch * _BATCH, read_s), batch_size=_BATCH, shuffle=True, num_workers=workers
    )
    while True:
        yield from loader


def _model() -> torch.nn.Module:
    layers = [torch.nn.Linear(_WIDTH, 1024), torch.nn.GELU(), torch.nn.Linear(1024, _WIDTH)]
    return torch.nn.Sequential(*layers)


def train(
    batches: Iterator[torch.Tensor],
    *,
    model: torch.nn.Module | None = None,
    after: Callable[[torch.nn.Module, torch.Tensor], None] = lambda model, loss: None,
    repeat: int = 4,
    recorded_steps: int = 4,
    **options: Any,
) -> profile:
    """Train for some steps under the profiler; each computes for some milliseconds."""
    model = model or _model()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    steps = schedule(wait=_BEFORE - 1, warmup=1, active=recorded_steps, repeat=1)
    with profile(activities=[ProfilerActivity.CPU], schedule=steps, **options) as recorded:
        for batch, _ in zip(batches, range(_BEFORE + recorded_steps), strict=False):
            optimizer.zero_grad()
            x = batch.repeat(_COPIES, 1) if batch.ndim == 2 else batch
            for _ in range(repeat):
                x = model(x)
            loss = x.square().mean()
            loss.backward()
            optimizer.step()
            after(model, loss)
            recorded.step()
    return recorded


def log_norms(model: torch.nn.Module, loss: torch.Tensor) -> None:
    """Read the loss and all norms back, one by one, as some loggers do."""
    loss.item()
    for parameter in model.parameters():
        parameter.grad.norm().item()


def collect(model: torch.nn.Module, loss: torch.Tensor) -> None:
    """Make garbage in cycles, and collect it at once."""
    for _ in range(100_000):
        cycle: dict[str, Any] = {}
        cycle["self"] = cycle  # a call would be an event of its own
    gc.collect()


def sequences(lengths: Iterator[int]) -> Iterator[torch.Tensor]:
    """Yield batches of ever other lengths."""
    for length in lengths:
        yield torch.ones(_BATCH, length, _WIDTH)


def _compiled(*, dynamic: bool) -> profile:
    torch._dynamo.reset()
    layers = torch.nn.Linear(_WIDTH, _WIDTH), torch.nn.GELU()
    model = torch.compile(torch.nn.Sequential(*layers), backend="aot_eager", dynamic=dynamic)
    lengths = iter(range(16, 64, 3))
    return train(sequences(lengths), model=model, repeat=1, recorded_steps=2, record_shapes=True)


def _gc() -> profile:
    config = torch._C._profiler._ExperimentalConfig(record_python_gc_info=True)
    return train(
        batches(0, 0),
        after=collect,
        repeat=1,
        recorded_steps=3,
        with_stack=True,
        experimental_config=config,
    )


def _rank(rank: int, read_s: float, path: str, store: str) -> None:
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{store}", rank=rank, world_size=2
    )
    model = torch.nn.parallel.DistributedDataParallel(_model())
    train(batches(0, read_s), model=model, repeat=1).export_chrome_trace(path)
    torch.distributed.destroy_process_group()


def _ranks() -> None:
    """Record two ranks, of which the second has a slow loader."""
    with tempfile.TemporaryDirectory() as folder:
        context = torch.multiprocessing.get_context("spawn")
        paths = [f"{folder}/{rank}.json" for rank in (0, 1)]
        arguments = [(0, 0.0, paths[0], f"{folder}/s"), (1, 0.01, paths[1], f"{folder}/s")]
        started = [context.Process(target=_rank, args=one) for one in arguments]
        for process in started:
            process.start()
        for process in started:
            process.join()
        for rank, path in enumerate(paths):
            keep(Path(path), f"ranks-one-slow-loader-rank{rank}")


RECORDINGS: dict[str, Callable[[], profile]] = {
    "healthy-2-workers": lambda: train(batches(2, 0.0002), record_shapes=True),
    "healthy-epoch-ends": lambda: train(batches(2, 0.0002, per_epoch=5), repeat=2),
    "slow-loader-no-workers": lambda: train(batches(0, 0.005)),
    "slow-loader-2-workers": lambda: train(batches(2, 0.03)),
    "slow-loader-with-stack": lambda: train(
        batches(0, 0.005), repeat=1, recorded_steps=3, with_stack=True
    ),
    "item-every-step": lambda: train(batches(2, 0.0002), after=log_norms, record_shapes=True),
    "item-with-stack": lambda: train(
        batches(2, 0.0002), after=log_norms, repeat=1, recorded_steps=2, with_stack=True
    ),
    "recompiled-per-length": partial(_compiled, dynamic=False),
    "compiled-once": partial(_compiled, dynamic=True),
    "collects-garbage": _gc,
}


def keep(path: Path, name: str) -> None:
    """Keep a trace under ``name``, without what it says of the machine."""
    text = path.read_text(encoding="utf-8")
    events = text.count('"ph":')
    for key, value in {"host_name": "host", "traceName": f"{name}.json"}.items():
        text = re.sub(rf'"{key}": "[^"]*"', f'"{key}": "{value}"', text)
    text = _ORIGIN.sub("train.py", _PATHS.sub("", text))
    # A time in the header would make other bytes of the same trace.
    data = gzip.compress(text.encode(), 9, mtime=0)
    (HERE / f"{name}.json.gz").write_bytes(data)
    sys.stdout.write(f"{name}: {events} events, {len(data) >> 10} KB\n")


def main(names: list[str]) -> None:
    """Record what is named, all if nothing is."""
    torch.manual_seed(0)
    # More of them wait for each other where the machine is busy.
    torch.set_num_threads(1)
    for name in names or [*RECORDINGS, "ranks"]:
        if name == "ranks":
            _ranks()
            continue
        with tempfile.TemporaryDirectory() as folder, nullcontext(f"{folder}/trace.json") as path:
            RECORDINGS[name]().export_chrome_trace(path)
            keep(Path(path), name)


if __name__ == "__main__":
    os.environ.setdefault("KINETO_LOG_LEVEL", "5")
    main(sys.argv[1:])
