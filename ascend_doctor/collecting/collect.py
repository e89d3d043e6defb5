"""Take a machine's state along: what is installed, listings, and the newest logs, in one file."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from ascend_doctor.collecting.examine import variables_of
from ascend_doctor.collecting.listing import listing
from ascend_doctor.collecting.opening import DOCUMENT
from ascend_doctor.collecting.plogs import Log, Logs, newest
from ascend_doctor.errors import InputError
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.machine.files import Tree
from ascend_doctor.machine.gather.machine import Sources, gather
from ascend_doctor.machine.model import Machine
from ascend_doctor.reporters.json import document
from ascend_doctor.reporters.redaction import Pseudonyms, mapped

LISTING = "listing.txt"
# The folder of a collection, and that of the logs in it.
_TOP = "ascend-env"
_LOGS = "log"
_LINE = 64 << 10


class Taken(Struct, frozen=True):
    """What a collection holds, and what not.

    Attributes:
        logs: those that were taken, and how much was left out for the bound.
        unread: what could not be read, and why.
    """

    machine: Machine
    logs: Logs
    unread: tuple[tuple[str, str], ...]


def collect(
    target: Path,
    sources: Sources,
    knowledge: Knowledge,
    *,
    most: int,
    redact: bool = False,
    force: bool = False,
) -> Taken:
    """Write a collection, whole or not at all, its members in a fixed order.

    Args:
        target: the file, a tar archive packed with gzip.
        sources: where the machine's state is read from.
        knowledge: says of which variables the values are told.
        most: most bytes of logs.
        redact: put pseudonyms in place of hosts, users, addresses and secrets.
        force: replace a file that is there.

    Raises:
        InputError: the file is there already, or cannot be written.
    """
    # A device must not be replaced by a file, nor a link to one.
    target = Path(os.path.realpath(target))
    if target.exists() and not target.is_file():
        raise InputError(f"{target}: not a regular file; name one, ending in .tar.gz")
    if target.exists() and not force:
        raise InputError(f"{target}: exists already; name another file, or add --force")
    machine = gather(sources, variables_of(knowledge))
    tree = Tree(sources.root)
    logs = newest(tree, sources.environ or {}, most)
    names = Pseudonyms() if redact else None
    text = listing(tree)
    if names is not None:
        mapped(machine, names.learn)
        for log in logs.taken:
            for line in _lines(tree, log):
                names.learn(line)
            names.forget_texts()
        machine = mapped(machine, names.hide)
        text = "".join(names.hide(line) for line in text.splitlines(keepends=True))
    beside = target.with_name(f".ascend-doctor-{os.urandom(8).hex()}")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(handle, "wb") as file:
            _write(file, machine, text, tree, logs, names)
        _put(beside, target, force=force)
    except FileExistsError as err:
        raise InputError(f"{target}: exists already; name another file, or add --force") from err
    except OSError as err:
        reason = (err.strerror or str(err)).lower()
        raise InputError(f"{target}: cannot be written: {reason}") from err
    finally:
        beside.unlink(missing_ok=True)
    unread = {**dict(machine.unread), **tree.unread}
    return Taken(machine, logs, tuple(sorted(unread.items())))


def _put(beside: Path, target: Path, *, force: bool) -> None:
    """Give a file its name; without ``force``, fail where that was taken in the meantime."""
    if force:
        beside.replace(target)
    else:
        os.link(beside, target)


def _write(
    file: BinaryIO,
    machine: Machine,
    text: str,
    tree: Tree,
    logs: Logs,
    names: Pseudonyms | None,
) -> None:
    # No name and no time in its head: the same content is the same file.
    with (
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        _add(archive, DOCUMENT, document(machine).encode("utf-8", "backslashreplace"))
        _add(archive, LISTING, text.encode("utf-8", "backslashreplace"))
        for log in logs.taken:
            if (data := _content(tree, log, names)) is not None:
                name = log.name if names is None else names.hide(log.name)
                _add(archive, f"{_LOGS}/{name}", data)


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(f"{_TOP}/{name}".encode("utf-8", "backslashreplace").decode())
    member.size, member.mode = len(data), 0o644
    archive.addfile(member, io.BytesIO(data))


def _content(tree: Tree, log: Log, names: Pseudonyms | None) -> bytes | None:
    if names is None:
        return _end(tree, log)
    hidden = (names.hide(line).encode("utf-8", "surrogateescape") for line in _lines(tree, log))
    data = b"".join(hidden)
    names.forget_texts()
    return data


def _lines(tree: Tree, log: Log) -> Iterator[str]:
    data = _end(tree, log) or b""
    for line in data.splitlines(keepends=True):
        for start in range(0, len(line), _LINE):
            yield line[start : start + _LINE].decode("utf-8", "surrogateescape")


def _end(tree: Tree, log: Log) -> bytes | None:
    """Return a log as it was when it was found, without what is skipped of it."""
    file = tree.open(log.path)
    if file is None:
        tree.unread.setdefault(log.path, "no such file or directory")
        return None
    try:
        with file:
            file.seek(log.skip)
            data = file.read(log.size - log.skip)
    except OSError as err:
        tree.unread[log.path] = (err.strerror or "unreadable").lower()
        return None
    # A line that was cut in two would be read as another one.
    return data.partition(b"\n")[2] if log.skip else data
