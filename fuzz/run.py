"""``python -m fuzz.run``: look for bytes that break an invariant, for a while.

With atheris the search is guided by what the code does; without it (no wheel for this Python or
this machine) the same changes are made blindly. What breaks is written to a file, so that it can
become one of ``fuzz/corpus``.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import sys
import time
import traceback
from pathlib import Path
from random import Random

# Beyond this, a text only takes longer.
MAX_BYTES = 16 << 10
# Seconds for one input; an ordinary one takes hundredths.
PATIENCE_S = 30
MAX_MEMORY_MB = 1024


def main() -> int:
    """Return 0 if nothing broke, 1 if something did."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.run", description=__doc__)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0, help="0 takes another one each time")
    parser.add_argument("--work", type=Path, default=Path(".cache/fuzz"), help="kept between runs")
    parser.add_argument("--blind", action="store_true", help="do without atheris")
    asked = parser.parse_args()
    seed = asked.seed or time.time_ns() % (1 << 31)
    asked.work.mkdir(parents=True, exist_ok=True)
    print(f"seed {seed}", flush=True)
    if asked.blind or importlib.util.find_spec("atheris") is None:
        return _blindly(asked.seconds, seed, asked.work)
    return _guided(asked.seconds, seed, asked.work)


def _blindly(seconds: int, seed: int, work: Path) -> int:
    from fuzz.invariants import check
    from fuzz.mutate import mutated
    from fuzz.seeds import pieces, seeds

    rng, end, count = Random(seed), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data = mutated(rng, rng.choice(seeds()), seeds(), pieces())[:MAX_BYTES]
        count += 1
        try:
            check(data)
        except Exception:
            traceback.print_exc()
            path = work / f"broke-{hashlib.sha256(data).hexdigest()[:16]}"
            path.write_bytes(data)
            print(f"{path}: breaks an invariant", file=sys.stderr)
            return 1
    print(f"{count} inputs, nothing broke")
    return 0


def _guided(seconds: int, seed: int, work: Path) -> int:
    import atheris

    with atheris.instrument_imports(include=["ascend_doctor"]):
        from fuzz.invariants import check
        from fuzz.mutate import mutated
        from fuzz.seeds import pieces, seeds

    found = work / "inputs"
    found.mkdir(exist_ok=True)
    start = work / "seeds"
    start.mkdir(exist_ok=True)
    for data in seeds():
        (start / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)

    def changed(data: bytes, limit: int, number: int) -> bytes:
        rng = Random(number)
        if rng.random() < 0.5:
            return bytes(atheris.Mutate(data, limit))
        return mutated(rng, data, seeds(), pieces())[:limit]

    atheris.Setup(
        [
            sys.argv[0],
            str(found),
            str(start),
            f"-max_total_time={seconds}",
            f"-max_len={MAX_BYTES}",
            f"-timeout={PATIENCE_S}",
            f"-rss_limit_mb={MAX_MEMORY_MB}",
            f"-seed={seed}",
            f"-artifact_prefix={work}/broke-",
        ],
        check,
        custom_mutator=changed,
    )
    atheris.Fuzz()  # ends the process itself, with libFuzzer's exit code
    return 0


if __name__ == "__main__":
    sys.exit(main())
