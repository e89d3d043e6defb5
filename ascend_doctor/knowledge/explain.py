"""What needs arithmetic: numbers in a message → a verdict, and further captures.

>>> said = {"tried": "5.03 GiB", "capacity": "60.96 GiB", "allocated": "49.47 GiB",
...         "free": "1.32 GiB", "reserved": "57.55 GiB"}
>>> explain("oom", said)
('fragmented', {'gap': '8.08 GiB', 'others': '2.09 GiB'})
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from ascend_doctor.knowledge.profile import PROFILE, PROFILE_SOMETIMES

_SIZE = re.compile(r"(?P<number>\d+(?:\.\d+)?) ?(?P<unit>[KMGTPE]?)(?:i?B)?(?:bytes)?")
_POWERS = "KMGTPE"

# HCCL, the context and the operator library hold 1 to 2 GiB beside the pool of a 64 GiB card;
# a tenth of the card is more than they ever took in the reports that were read.
OTHERS_SHARE = 0.10

# Every pool keeps some unused memory; below a fiftieth of the card, compacting it is no cure.
GAP_SHARE = 0.02

# From here on the accelerator waits for a third of the step. By this, step lines are put together
# and the sum of a whole run is judged; steps that were measured, by the threshold step-data-share.
WAITING_SHARE = 0.30

# A wait that is printed longer than its step by less than this is rounded.
_ROUNDED = 1.05

# The explainer that computes with the numbers of step lines.
STEPS = "step_share"

# What each explainer may answer; a rule that waits for anything else would never fire.
VERDICTS: Mapping[str, frozenset[str]] = {
    "oom": frozenset({"absurd", "refused", "shared", "fragmented", "full"}),
    "step_share": frozenset({"waiting", "fine"}),
}

# Findings that a reader makes rather than literals: its verdicts, and what each captures.
READERS: Mapping[str, Mapping[str, frozenset[str]]] = {
    "profile": PROFILE,
    "curve": {
        **dict.fromkeys(
            ("exploded", "stuck", "zero"), frozenset({"loss", "best", "last", "lines"})
        ),
        "recovered": frozenset({"loss", "count", "lines"}),
        "gradient_finite": frozenset({"norm"}),
    },
    "environment": {
        "torch_differs": frozenset({"torch_npu", "torch"}),
        "cann_older": frozenset({"torch_npu", "cann", "wanted"}),
        "end_of_life": frozenset({"torch_npu", "ended"}),
        # Of a machine that was looked at itself.
        "autoload_off": frozenset(),
        "cann_absent": frozenset({"torch_npu", "statement"}),
        "cann_unreadable": frozenset({"root"}),
        "compiler_packages": frozenset({"names", "first"}),
        "disk_full": frozenset({"path", "free"}),
        "driver_older": frozenset({"driver", "cann"}),
        "firmware_outside": frozenset({"firmware", "driver", "range"}),
        "hal_missing": frozenset({"by"}),
        "installed_cann_older": frozenset({"torch_npu", "cann", "wanted"}),
        "installed_torch_differs": frozenset({"torch_npu", "torch", "wanted"}),
        "kernels_absent": frozenset({"chip", "kernels", "root"}),
        "latest_older": frozenset({"path", "version", "newer", "root"}),
        "library_missing": frozenset({"library", "by", "statement"}),
        "link_broken": frozenset({"path", "target"}),
        "nnal_differs": frozenset({"nnal", "cann"}),
        "no_npu": frozenset(),
        "node_refused": frozenset({"node", "mode"}),
        "nodes_absent": frozenset({"chip", "count"}),
        "nodes_missing": frozenset({"missing", "device"}),
        "not_sourced": frozenset({"root", "set_env"}),
        "numpy_newer": frozenset({"numpy", "torch"}),
        "open_files_few": frozenset({"limit"}),
        "package_twice": frozenset({"package", "first", "second"}),
        "partly_sourced": frozenset({"missing", "first", "set_env"}),
        "python_outside": frozenset({"python", "torch_npu", "wanted"}),
        "release_unlisted": frozenset({"torch_npu"}),
        "requirement_absent": frozenset({"package", "version", "name"}),
        "requirement_differs": frozenset({"package", "version", "name", "wanted", "found"}),
        "shm_small": frozenset({"size"}),
        "stubs_first": frozenset({"path"}),
        "torchair_packages": frozenset({"names", "first"}),
        "two_canns": frozenset({"first", "second", "first_path", "second_path", "set_env"}),
        "undefined_cann": frozenset({"library", "symbol", "count", "statement"}),
        "undefined_torch": frozenset({"library", "symbol", "count", "statement"}),
        "variable_dangling": frozenset({"name", "path"}),
        "variable_deprecated": frozenset({"name", "instead"}),
        "variable_early": frozenset({"name", "since", "cann", "instead"}),
        "variable_misspelt": frozenset({"name"}),
        "variables_at_odds": frozenset({"one", "other"}),
        "visible_malformed": frozenset({"value"}),
        "visible_outside": frozenset({"value", "count", "last"}),
    },
}
# What a reader captures as well, where the log says it.
SOMETIMES: Mapping[str, frozenset[str]] = {
    "profile": PROFILE_SOMETIMES,
    "curve": frozenset({"step", "epoch", "best_step", "best_epoch"}),
    "environment": frozenset(
        {
            "others",
            "fits",
            "folder",
            "container",
            "group",
            "meant",
            "cann",
            "torch",
            "torch_npu",
            "wanted",
        }
    ),
}

Answer = tuple[str, Mapping[str, str]]


def explain(explainer: str, captures: Mapping[str, str]) -> Answer | None:
    """Return the verdict of ``explainer`` and what it computed; None if numbers are missing."""
    return _EXPLAINERS[explainer](captures)


def size_bytes(text: str) -> float | None:
    """Return a printed size in bytes, as torch and the driver print it.

    >>> size_bytes("22.00 MiB"), size_bytes("3221291008")
    (23068672.0, 3221291008.0)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        return None
    power = _POWERS.index(found["unit"]) + 1 if found["unit"] else 0
    return float(found["number"]) * 1024.0**power


def _gib(size: float) -> str:
    return f"{size / 1024**3:.2f} GiB"


def _oom(captures: Mapping[str, str]) -> Answer | None:
    """Tell the kinds of a full device apart by the five numbers of torch_npu's sentence.

    ``absurd``: one request is larger than the card. ``refused``: more is free than was asked
    for, so something else than the card is full. ``shared``: much of the card is held by
    something else than this pool. ``fragmented``: the pool holds enough unused memory for the
    request, but in pieces. ``full``: live tensors fill the card.
    """
    sizes = {}
    for name in ("tried", "capacity", "allocated", "free", "reserved"):
        size = size_bytes(captures.get(name, ""))
        if size is None:
            return None
        sizes[name] = size
    gap = sizes["reserved"] - sizes["allocated"]
    others = max(0.0, sizes["capacity"] - sizes["free"] - sizes["reserved"])
    more = {"gap": _gib(gap), "others": _gib(others)}
    if sizes["tried"] > sizes["capacity"]:
        return "absurd", more
    if sizes["free"] >= sizes["tried"]:
        return "refused", more
    if others > OTHERS_SHARE * sizes["capacity"]:
        return "shared", more
    if gap >= max(sizes["tried"], GAP_SHARE * sizes["capacity"]):
        return "fragmented", more
    return "full", more


def step_times(captures: Mapping[str, str]) -> tuple[float, float] | None:
    """Return for how many seconds a step waited for data, and how many it took.

    None, if that is not said, or it waited for longer than it took: these are not of one unit, or
    not of one step. What it took is ``step``, or ``data`` + ``compute``; of a line in
    milliseconds, ``unit`` is ``ms``. Where all steps were summed up, ``percent`` of 100 s was data.

    >>> step_times({"data": "0.5", "step": "2"})
    (0.5, 2.0)
    >>> step_times({"data": "3000", "compute": "1000", "unit": "ms"})
    (3.0, 4.0)
    >>> step_times({"data": "2.01", "step": "2"}), step_times({"data": "12", "step": "2"})
    ((2.0, 2.0), None)
    """
    scale = 1000.0 if captures.get("unit") == "ms" else 1.0
    try:
        if "percent" in captures:
            percent = float(captures["percent"])
            return (percent, 100.0) if percent <= 100.0 else None
        data = float(captures["data"])
        step = float(captures["step"]) if "step" in captures else data + float(captures["compute"])
    except (KeyError, ValueError):
        return None
    if not 0 < step < math.inf or data > _ROUNDED * step:
        return None
    return min(data, step) / scale, step / scale


def _step_share(captures: Mapping[str, str]) -> Answer | None:
    """Say whether a step waited for data."""
    times = step_times(captures)
    if times is None:
        return None
    share = times[0] / times[1]
    verdict = "waiting" if share >= WAITING_SHARE else "fine"
    return verdict, {"share": f"{100 * share:.0f}"}


_EXPLAINERS: Mapping[str, Callable[[Mapping[str, str]], Answer | None]] = {
    "oom": _oom,
    "step_share": _step_share,
}
