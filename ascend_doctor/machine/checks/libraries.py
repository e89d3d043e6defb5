"""What the loader would miss."""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.machine.checks.devices import devices_of
from ascend_doctor.machine.checks.paths import fails_at
from ascend_doctor.machine.checks.verdict import Known, Verdict, place_of, verdict
from ascend_doctor.machine.checks.versions import older_cann
from ascend_doctor.machine.model import Library, Machine, Place

_HAL = "libascend_hal.so"


def check(machine: Machine, known: Known) -> Iterator[Verdict]:
    """Yield libraries that are not found, and symbols that none of them has."""
    container = machine.host.container
    for library in machine.libraries:
        by = dict(zip(library.missing, library.needed_by, strict=False))
        others = [name for name in library.missing if name != _HAL]
        if others:
            yield verdict(
                "library_missing",
                _place(library, others[0], by),
                place_of(machine, "LD_LIBRARY_PATH"),
                library=others[0],
                by=by.get(others[0]),
                others=", ".join(others[1:]),
                statement=fails_at(machine),
            )
        # Without a card nobody misses its driver.
        if _HAL in library.missing and (devices_of(machine) or machine.hal):
            yield verdict(
                "hal_missing",
                _place(library, _HAL, by),
                place_of(machine, "LD_LIBRARY_PATH"),
                by=by.get(_HAL),
                folder=machine.hal and machine.hal.rpartition("/")[0],
                container=None if machine.hal or not container else container.value,
            )
        if library.undefined:
            symbol = library.undefined[0]
            is_torch = symbol.startswith("_Z")
            older = {} if is_torch else older_cann(machine, known)
            yield verdict(
                "undefined_torch" if is_torch else "undefined_cann",
                Place(library.path, 1, f"{library.path}: undefined symbol: {symbol}"),
                library=library.path.rpartition("/")[2],
                symbol=symbol,
                count=str(library.undefined_count),
                statement=fails_at(machine),
                **older,
            )


def _place(library: Library, name: str, by: dict[str, str]) -> Place:
    return Place(library.path, 1, f"{by.get(name, library.path)} needs {name}: not found")
