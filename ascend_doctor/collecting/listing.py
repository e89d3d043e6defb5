"""Listings of the folders that decide what a job loads, as ``ls -l`` would print them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from ascend_doctor.ingest.source import LISTING
from ascend_doctor.machine.files import Tree

# Folders, and how many levels below them are listed.
_FOLDERS = (("/usr/local/Ascend", 3), ("/etc/ld.so.conf.d", 1))
_DEVICES = ("davinci", "vdavinci", "devmm_svm", "hisi_hdc")
_MAX_LINES = 4000
# By its begin it is known to be no log: paths in it are not those that a job used.
HEAD = f"{LISTING}: mode, user:group, size, path"


def listing(tree: Tree) -> str:
    """Return one line a file: mode, user, group, size, path, and what a link names."""
    lines = [HEAD, *_devices(tree)]
    for folder, depth in _FOLDERS:
        lines += _below(tree, folder, depth)
    if len(lines) > _MAX_LINES:
        lines = [*lines[:_MAX_LINES], f"({len(lines) - _MAX_LINES} more lines left out)"]
    return "".join(f"{line}\n" for line in lines)


def _devices(tree: Tree) -> Iterator[str]:
    for name in tree.names("/dev"):
        if name.startswith(_DEVICES):
            yield from _line(tree, f"/dev/{name}")


def _below(tree: Tree, folder: str, depth: int) -> Iterator[str]:
    for name in tree.names(folder):
        path = f"{folder}/{name}"
        yield from _line(tree, path)
        if depth > 1 and tree.link(path) is None and tree.is_folder(path):
            yield from _below(tree, path, depth - 1)


def _line(tree: Tree, path: str) -> Iterator[str]:
    try:
        status = os.lstat(tree.on_disk(path))
    except OSError:
        return
    target = tree.link(path)
    link = "" if target is None else f" -> {target}"
    mode = stat.filemode(status.st_mode)
    yield f"{mode} {status.st_uid}:{status.st_gid} {status.st_size:>12} {path}{link}"
