"""What the host or container gives too little of."""

from __future__ import annotations

from collections.abc import Iterator

from ascend_doctor.machine.checks.verdict import Known, Verdict, verdict
from ascend_doctor.machine.model import Machine

# What containers have unless told otherwise; a batch of images is more.
_SHM = 64 << 20
# Less than this is full by the first checkpoint, log or compiled kernel.
_FREE = 1 << 30
# Half of what systems usually allow.
_FILES = 1024


def check(machine: Machine, known: Known) -> Iterator[Verdict]:
    """Yield what a job will soon have used up."""
    host = machine.host
    if host.shm is not None and host.shm.count <= _SHM:
        size = str(host.shm.count >> 20)
        yield verdict(
            "shm_small",
            host.shm.place,
            size=size,
            container=host.container.value if host.container else None,
        )
    full = next((size for size in host.free if size.count < _FREE), None)
    if full is not None:
        yield verdict("disk_full", full.place, path=full.place.path, free=str(full.count >> 20))
    if host.open_files is not None and host.open_files.count < _FILES:
        limit = str(host.open_files.count)
        yield verdict("open_files_few", host.open_files.place, limit=limit)
