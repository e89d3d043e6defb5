"""Every batch is padded to a maximum that was guessed, and the memory for it is not there."""

import os
import resource
import sys
import traceback

import torch
from torch import nn

from ascend_doctor.harness import memory
from ascend_doctor.harness.devices import choose
from ascend_doctor.harness.programs import given, measured

WORDS, WIDTH, HEADS, BATCH = 256, 64, 4, 4
# Lengths that are tried, and what of the memory is left for the rest of the process.
PROBED, HEADROOM, MULTIPLE = (64, 128, 192, 256, 320), 0.9, 64
TRIES = 3


class Layer(nn.Module):
    """Attention that holds all scores at once, as the plain formula does."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return what the layer makes of its input."""
        count, length, _ = x.shape
        parts = self.qkv(x).view(count, length, 3, HEADS, WIDTH // HEADS)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        hidden = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        scores = q @ k.transpose(-1, -2)  # fault
        weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
        return x + self.out((weights @ v).transpose(1, 2).reshape(x.shape))


def work(batch: int, length: int) -> None:
    """Train on one batch that is padded to ``length``."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(WORDS, WIDTH), Layer(), Layer(), nn.Linear(WIDTH, WORDS))
    ids = torch.randint(WORDS, (batch, length))
    nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten()).backward()


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
            work(BATCH, length)
        except RuntimeError:
            traceback.print_exc()
            code = 1
        os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def main() -> None:
    """Try a length, guessed or fitted, in a process with little memory."""
    settings = given()
    torch.set_num_threads(1)
    budget = settings["budget_mib"] << 20
    length = settings["max_seq_length"]
    error = float("nan")
    if length == "fitted":
        fit, _ = memory.measured(work, choose("cpu"), PROBED, BATCH)
        length, error = fit.longest(BATCH, HEADROOM * budget, MULTIPLE), fit.error
        print(f"longest safe length {length}, error on lengths not fitted {error:.1%}")
    length = int(length * settings["stretch"])
    passed = 0
    for number in range(1, TRIES + 1):
        is_fit = fits(length, budget)
        passed += is_fit
        print(f"step {number} max_seq_length {length} {'done' if is_fit else 'failed'}", flush=True)
        measured(passed=passed, tries=number, max_seq_length=length, held_out_error=error)
    sys.exit(passed < TRIES)


if __name__ == "__main__":
    main()
