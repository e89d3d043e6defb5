"""How long a step took, as step lines say it that tell nothing of data."""

from __future__ import annotations

# Megatron and MindSpeed, MindFormers, NeMo, nanoGPT.
from ascend_doctor import late

_TIME = late.pattern(
    rb"(?:elapsed time per iteration \((?P<before>ms)\): {0,4}|\bper_step_time: {0,4}"
    rb"|\btrain_step_timing in s=|, time )(?P<time>\d{1,9}(?:\.\d{1,9})?) ?(?P<unit>ms)?"
)


def seconds(line: bytes) -> float | None:
    """Return the seconds that a step took, None if the line does not say.

    >>> seconds(b" iteration 5/ 10 | elapsed time per iteration (ms): 8200.5 | lm loss: 2.1 |")
    8.2005
    >>> seconds(b"iter 20: loss 2.1, time 450.00ms"), seconds(b"iter 20: loss 2.1")
    (0.45, None)
    """
    found = _TIME.search(line)
    if found is None:
        return None
    is_ms = found["before"] or found["unit"]
    return float(found["time"]) / (1000.0 if is_ms else 1.0)
