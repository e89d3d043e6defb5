"""Samples are read one after the other while the device waits, longer than a step takes."""

import queue
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from ascend_doctor.harness.programs import given, measured

WORDS, BATCH = 64, 4
# What reading a sample takes, as from a slow disk, and what a step takes on the device.
SAMPLE_S, STEP_S = 0.016, 0.040
WARM_UP = 5


class Texts(Dataset):
    """Texts of varying length that take their time to read."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> torch.Tensor:
        time.sleep(SAMPLE_S)
        generator = torch.Generator().manual_seed(index)
        length = int(torch.randint(8, 128, (1,), generator=generator))
        return torch.randint(WORDS, (length,), generator=generator)


def collate(texts: list[torch.Tensor]) -> torch.Tensor:
    """Return texts as one batch, padded with -1."""
    return nn.utils.rnn.pad_sequence(texts, batch_first=True, padding_value=-1)


def ahead(batches: Iterable[Any], depth: int = 4) -> Iterator[Any]:
    """Yield batches that one thread has fetched in advance."""
    fetched: queue.Queue[Any] = queue.Queue(depth)

    def fetch() -> None:
        for batch in batches:
            fetched.put(batch)
        fetched.put(None)

    threading.Thread(target=fetch, daemon=True).start()
    while (batch := fetched.get()) is not None:
        yield batch


def train(model: nn.Module, ids: torch.Tensor) -> float:
    """Do a step, and wait for the device, which takes ``STEP_S`` at least."""
    start = time.perf_counter()
    known = ids >= 0
    loss = nn.functional.cross_entropy(model(ids.clamp(min=0))[known], ids[known])
    loss.backward()
    value = loss.item()
    time.sleep(max(0.0, STEP_S - (time.perf_counter() - start)))
    return value


def main() -> None:
    """Train, and measure how long steps wait for their batch."""
    settings = given()
    device, steps, workers = settings["device"], settings["steps"], settings["workers"]
    torch.manual_seed(settings["seed"])
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Embedding(WORDS, 32), nn.Linear(32, WORDS)).to(device)
    options = {"num_workers": workers, "collate_fn": collate}
    if workers:
        options |= {"prefetch_factor": 2, "persistent_workers": True}
    loader = DataLoader(Texts(BATCH * steps), BATCH, **options)
    batches = iter(ahead(loader) if settings["prefetch"] == "thread" else loader)
    waited = total = 0.0
    tokens = 0
    for step in range(steps):
        start = time.perf_counter()
        ids = next(batches).to(device)
        fetched = time.perf_counter()
        loss = train(model, ids)
        done = time.perf_counter()
        if step >= WARM_UP:
            waited += fetched - start
            total += done - start
            tokens += int((ids >= 0).sum())
        if step % 10 == 9:
            mean = step + 1 - WARM_UP
            print(
                f"Epoch: [0][{step + 1:4d}/{steps}]\t"
                f"Time {done - start:6.3f} ({total / mean:6.3f})\t"
                f"Data {fetched - start:6.3f} ({waited / mean:6.3f})\tLoss {loss:.4f}"
            )
    measured(data_share=waited / total, tokens_per_s=tokens / total, workers=workers)


if __name__ == "__main__":
    main()
