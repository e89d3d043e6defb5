"""What host or container gives a job: shared memory, memory, disk, open files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from ascend_doctor.machine.files import Tree
from ascend_doctor.machine.model import Host, Place, Size, Value

_CGROUP = re.compile(r"kubepods|docker|containerd|libpod|lxc")
_SHM = "/dev/shm"  # noqa: S108
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
# What version 1 of control groups prints for no limit is close to this.
_NO_LIMIT = 1 << 60


def gather(tree: Tree, environ: Mapping[str, str]) -> Host:
    """Return the limits that hold for a job that is started here."""
    return Host(
        container=_container(tree, environ),
        shm=_shm(tree),
        memory_limit=_number(
            tree, "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"
        ),
        memory_used=_number(
            tree, "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory/memory.usage_in_bytes"
        ),
        open_files=_open_files(tree),
        free=tuple(_free(tree, environ)),
    )


def _container(tree: Tree, environ: Mapping[str, str]) -> Value | None:
    if environ.get("KUBERNETES_SERVICE_HOST"):
        return Value("kubernetes", Place("environ", 1, "KUBERNETES_SERVICE_HOST is set"))
    for path, kind in (("/.dockerenv", "docker"), ("/run/.containerenv", "podman")):
        if tree.status(path) is not None:
            return Value(kind, Place(path, 1, f"{path} exists"))
    for line, place in tree.lines("/proc/1/cgroup"):
        if found := _CGROUP.search(line):
            return Value(found[0], place)
    return None


def _shm(tree: Tree) -> Size | None:
    for line, place in tree.lines("/proc/mounts"):
        fields = line.split()
        if len(fields) > 3 and fields[1] == _SHM:
            size = re.search(r"(?:^|,)size=(\d{1,18})([kmgt]?)(?:,|$)", fields[3])
            if size is not None:
                return Size(int(size[1]) * _UNITS[size[2]], place)
    if tree.is_here and tree.is_folder(_SHM):
        status = os.statvfs(_SHM)
        count = status.f_frsize * status.f_blocks
        return Size(count, Place(_SHM, 1, f"{count} bytes"))
    return None


def _number(tree: Tree, *paths: str) -> Size | None:
    for path in paths:
        for line, place in tree.lines(path):
            if re.fullmatch(r"\d{1,18}", line.strip()) and int(line) < _NO_LIMIT:
                return Size(int(line), place)
    return None


def _open_files(tree: Tree) -> Size | None:
    for line, place in tree.lines("/proc/self/limits") if tree.is_here else ():
        if found := re.match(r"Max open files\s+(\d{1,18})\s", line):
            return Size(int(found[1]), place)
    return None


def _free(tree: Tree, environ: Mapping[str, str]) -> Iterator[Size]:
    if not tree.is_here:
        return
    for path in dict.fromkeys(filter(None, (environ.get("HOME"), "/tmp"))):  # noqa: S108
        try:
            status = os.statvfs(path)
        except OSError:
            continue
        count = status.f_frsize * status.f_bavail
        yield Size(count, Place(path, 1, f"{count} bytes free"))
