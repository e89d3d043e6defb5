"""A job is started three times, and its compiled graphs are to be kept from start to start.

The second start is like the first one; the third one compiles other code. Each is a process of its
own that was forked before anything was compiled.
"""

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import torch
import torch._inductor.compile_fx
import torch._inductor.config
from torch._dynamo.utils import counters

from ascend_doctor.harness.programs import given, measured

WIDTH = 32


def first(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Compute what is compiled; products only, for which no compiler of C++ is needed."""
    return (x @ weights) @ weights.t()


def changed(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Compute something else under the same cache."""
    return (x @ weights.t()) @ weights @ weights


def start(compute: Callable[..., torch.Tensor], result: Path, cache: Path) -> int:
    """Run a start of the job; return its exit code. It writes hits, misses and error."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(cache)
        x, weights = torch.rand(4, WIDTH), torch.rand(WIDTH, WIDTH)
        out = torch.compile(compute)(x, weights)  # fault
        error = (out - compute(x, weights)).abs().max().item()
        found = counters["inductor"]
        hits, misses = found["fxgraph_cache_hit"], found["fxgraph_cache_miss"]
        print(f"{result.name}: graph cache hits {hits} misses {misses}", flush=True)
        result.write_text(f"{hits} {misses} {error}")
        code = 0
    except Exception:  # as an interpreter ends
        traceback.print_exc()
    os._exit(code)


def main() -> None:
    """Start the job three times, and count what its cache answered."""
    settings = given()
    torch.manual_seed(settings["seed"])
    torch.set_num_threads(1)
    torch._inductor.config.compile_threads = 1
    # Without it, a compiler of C++ is asked what the CPU can do.
    torch._inductor.config.cpp.simdlen = 1
    folder = Path.cwd()
    kept = folder / "cache"
    if settings["cache"] == "unusable":
        kept = Path(sys.argv[1]).absolute() / "cache"
    metrics: dict[str, float] = {}
    for name, compute in (("cold", first), ("warm", first), ("stale", changed)):
        cache = folder / f"cache-{name}" if settings["cache"] == "fresh" else kept
        if start(compute, folder / name, cache):
            sys.exit(1)
        values = map(float, (folder / name).read_text().split())
        for what, value in zip(("hits", "misses", "error"), values, strict=True):
            metrics[f"{name}_{what}"] = value
        measured(**metrics)


if __name__ == "__main__":
    main()
