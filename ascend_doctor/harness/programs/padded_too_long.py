"""Every batch is padded to a maximum that was guessed, and the memory for it is not there."""

import os
import resource
import sys
import traceback
import weakref
from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from ascend_doctor.harness.programs import given, measured

WORDS, WIDTH, HEADS, BATCH = 256, 64, 4, 4
PROBED, HELD_OUT = (128, 256, 512), (384, 768)
TRIES, STEP, HEADROOM, WORST_ERROR = 3, 64, 0.9, 0.10


class Layer(nn.Module):
    """Attention that holds all scores at once, as the plain formula does."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        count, length, _ = x.shape
        parts = self.qkv(x).view(count, length, 3, HEADS, WIDTH // HEADS)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        hidden = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        scores = q @ k.transpose(-1, -2)  # fault
        weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        return x + self.out((weights @ v).transpose(1, 2).reshape(x.shape))


def step(length: int) -> None:
    """Train on one batch that is padded to ``length``."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(WORDS, WIDTH), Layer(), Layer(), nn.Linear(WIDTH, WORDS))
    ids = torch.randint(WORDS, (BATCH, length))
    nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten()).backward()


class Live(TorchDispatchMode):
    """Counts the bytes of the tensors that are alive; their most is in ``peak``.

    What the allocator of the C library takes from the system says too little of that.
    """

    def __init__(self) -> None:
        super().__init__()
        self.alive = self.peak = 0
        self._known: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(out):
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                if storage._cdata not in self._known:
                    self._known.add(storage._cdata)
                    self.alive += storage.nbytes()
                    self.peak = max(self.peak, self.alive)
                    weakref.finalize(storage, self._forget, storage._cdata, storage.nbytes())
        return out

    def _forget(self, key: int, size: int) -> None:
        self._known.discard(key)
        self.alive -= size


def peak(length: int) -> int:
    """Return the most bytes that tensors take in a step."""
    with Live() as live:
        step(length)
    return live.peak


def fit() -> tuple[torch.Tensor, float]:
    """Return bytes as a quadratic of the length, and the worst error at lengths not fitted."""
    powers = torch.tensor([[n**2, n, 1] for n in PROBED], dtype=torch.float64)
    sizes = torch.tensor([peak(n) for n in PROBED], dtype=torch.float64)
    model = torch.linalg.solve(powers, sizes)
    errors = [abs(predicted(model, n) / peak(n) - 1) for n in HELD_OUT]
    return model, max(errors)


def predicted(model: torch.Tensor, length: int) -> float:
    """Return the bytes that a step of this length is to take."""
    return float(model @ torch.tensor([length**2, length, 1], dtype=torch.float64))


def fits(length: int, budget: int) -> bool:
    """Say whether a step succeeds in a process that may take ``budget`` bytes more."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        with open("/proc/self/statm") as file:
            size = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + budget, size + budget))
        code = 0
        try:
            step(length)
        except RuntimeError:
            traceback.print_exc()
            code = 1
        os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def main() -> None:
    settings = given()
    torch.set_num_threads(1)
    budget = settings["budget_mib"] << 20
    length = settings["max_seq_length"]
    worst = float("nan")
    if length == "fitted":
        model, worst = fit()
        if worst > WORST_ERROR or min(model[:2].tolist()) < 0:
            sys.exit(f"no length can be recommended: the model is off by {worst:.0%}")
        known = range(STEP, 65536, STEP)
        length = max(n for n in known if predicted(model, n) <= HEADROOM * budget)
        print(f"longest safe length {length}, held-out error {worst:.1%}")
    length = int(length * settings["stretch"])
    passed = 0
    for number in range(1, TRIES + 1):
        is_fit = fits(length, budget)
        passed += is_fit
        print(f"step {number} max_seq_length {length} {'done' if is_fit else 'failed'}", flush=True)
        measured(passed=passed, tries=number, max_seq_length=length, held_out_error=worst)
    sys.exit(passed < TRIES)


if __name__ == "__main__":
    main()
