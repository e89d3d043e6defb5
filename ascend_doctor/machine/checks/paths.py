"""CANN and the search paths: is it there, is it loaded, and is it one only."""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.knowledge.versions import numbers, order
from ascend_doctor.machine.checks.verdict import Known, Verdict, place_of, verdict
from ascend_doctor.machine.model import Cann, Entry, Machine, Place

# What set_env.sh sets in any case. The first two are names for one thing.
_HOMES = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")
_OPP = "ASCEND_OPP_PATH"
_PATHS = ("LD_LIBRARY_PATH", "PYTHONPATH")
# torch imports its backends by itself from here on.
_AUTOLOAD_SINCE = (2, 5)
_AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"


def check(machine: Machine, known: Known) -> Iterator[Verdict]:
    """Yield what is wrong with the CANN that a job would load."""
    yield from _absent(machine)
    if machine.variables is not None:
        yield from _not_loaded(machine)
        yield from _dangling(machine)
        yield from _several(machine)
        yield from _stubs(machine)
        yield from _autoload(machine)
    yield from _links(machine)
    unreadable = next((c for c in machine.cann if not c.is_readable), None)
    if unreadable is not None:
        yield verdict(
            "cann_unreadable",
            Place(unreadable.root, 1, f"{unreadable.root}/lib64"),
            root=unreadable.root,
        )


def fails_at(machine: Machine) -> str:
    """Return the import that loads torch_npu first."""
    torch = machine.package("torch")
    release = numbers(torch.version)[:2] if torch else ()
    is_early = len(release) == 2 and release < _AUTOLOAD_SINCE
    return "import torch_npu" if is_early or machine.variable(_AUTOLOAD) == "0" else "import torch"


def cann_of(machine: Machine, entry: Entry) -> Cann | None:
    """Return the installation that a folder on a path belongs to."""
    found = [
        cann
        for cann in machine.cann
        if _within(entry.path, cann.root) or (entry.real and _within(entry.real, cann.real))
    ]
    return max(found, key=lambda cann: len(cann.root), default=None)


def newest(machine: Machine) -> Cann | None:
    """Return the CANN in use; without one, the newest that is installed."""
    if machine.in_use is not None:
        return machine.in_use
    dated = [cann for cann in machine.cann if order(cann.version or "")]
    best = max(dated, key=lambda cann: order(cann.version or "") or (0, 0, 0, 0), default=None)
    return best or next(iter(machine.cann), None)


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _absent(machine: Machine) -> Iterator[Verdict]:
    npu, torch = machine.package("torch_npu"), machine.package("torch")
    if npu is not None and not machine.cann:
        yield verdict(
            "cann_absent",
            npu.place,
            torch_npu=npu.version,
            statement=fails_at(machine),
            torch=torch.version if torch and fails_at(machine) == "import torch" else None,
        )


def _set_env(cann: Cann) -> str:
    return cann.set_env or f"{cann.root}/set_env.sh"


def _not_loaded(machine: Machine) -> Iterator[Verdict]:
    """Yield that set_env.sh was not sourced, or that not all it sets is there any more."""
    cann = newest(machine)
    if cann is None:
        return
    homes = [name for name in _HOMES if machine.variable(name)]
    if machine.active is None:
        # A variable that names nothing tells more.
        if not homes:
            proofs = [place_of(machine, name) for name in (_HOMES[0], _PATHS[0])]
            yield verdict(
                "not_sourced", *proofs, cann.place, root=cann.root, set_env=_set_env(cann)
            )
        return
    on_path = {e.variable for e in machine.entries if e.real and cann_of(machine, e) is not None}
    missing = [] if homes else [_HOMES[0]]
    missing += [] if machine.variable(_OPP) else [_OPP]
    missing += [name for name in _PATHS if name not in on_path]
    if missing:
        proofs = [place_of(machine, name) for name in missing]
        yield verdict(
            "partly_sourced",
            *proofs,
            missing=", ".join(missing),
            first=missing[0],
            set_env=_set_env(cann),
        )


def _dangling(machine: Machine) -> Iterator[Verdict]:
    named = [e for e in machine.entries if e.variable not in _PATHS and e.real is None]
    if named:
        proofs = [place_of(machine, entry.variable) for entry in named]
        yield verdict("variable_dangling", *proofs, name=named[0].variable, path=named[0].path)


def _several(machine: Machine) -> Iterator[Verdict]:
    """Yield that libraries of two releases are on the paths; the first of each name wins."""
    first: tuple[Entry, Cann] | None = None
    for entry in machine.entries:
        cann = cann_of(machine, entry)
        if cann is None or cann.version is None or entry.is_stub:
            continue
        if first is None:
            first = entry, cann
        elif order(cann.version) != order(first[1].version or ""):
            yield verdict(
                "two_canns",
                *(place_of(machine, e.variable) for e in _unlike(first[0], entry)),
                first=first[1].version,
                second=cann.version,
                first_path=first[0].path,
                second_path=entry.path,
                set_env=_set_env(first[1]),
            )
            return


def _unlike(one: Entry, other: Entry) -> tuple[Entry, ...]:
    return (one,) if one.variable == other.variable else (one, other)


def _stubs(machine: Machine) -> Iterator[Verdict]:
    """Yield that libraries for linking are found before those for running."""
    for entry in machine.entries:
        if entry.variable != "LD_LIBRARY_PATH" or entry.real is None:
            continue
        if entry.is_stub:
            place = place_of(machine, entry.variable)
            yield verdict("stubs_first", place, path=entry.path)
            return
        if cann_of(machine, entry) is not None:
            return


def _autoload(machine: Machine) -> Iterator[Verdict]:
    if machine.package("torch_npu") and machine.variable(_AUTOLOAD) == "0" and machine.cann:
        yield verdict("autoload_off", place_of(machine, _AUTOLOAD))


def _links(machine: Machine) -> Iterator[Verdict]:
    # What nothing goes through does no harm.
    used = [entry.path for entry in machine.entries]
    lost = [link for link in machine.links if link.real is None]
    if machine.in_use is not None:
        lost = [link for link in lost if any(_within(path, link.path) for path in used)]
    broken = next(iter(lost), None)
    if broken is not None:
        place = Place(broken.path, 1, f"{broken.path} -> {broken.target}")
        yield verdict("link_broken", place, path=broken.path, target=broken.target)
    latest = next((c for c in machine.cann if c.root.endswith(("/latest", "Ascend/cann"))), None)
    if latest is None:
        return
    here = order(latest.version or "")
    newer = [c for c in machine.cann if here and (order(c.version or "") or here) > here]
    if newer:
        yield verdict(
            "latest_older",
            latest.place,
            newer[0].place,
            path=latest.root,
            version=latest.version,
            newer=newer[0].version,
            root=newer[0].root,
        )
