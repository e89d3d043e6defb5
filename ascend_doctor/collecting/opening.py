"""What was taken along of a machine, opened again: a root, a collection, or a result."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from ascend_doctor.errors import InputError
from ascend_doctor.ingest.archive import members
from ascend_doctor.ingest.discover import discover
from ascend_doctor.ingest.source import HEAD, Skipped, Source, is_machine, reason_of
from ascend_doctor.ingest.stream import BROKEN
from ascend_doctor.machine.gather.machine import Sources, gather
from ascend_doctor.machine.model import Machine
from ascend_doctor.machine.stored import MAX_BYTES, loads

# The document of a collection, which is its first member, and stands at the top of its folder.
DOCUMENT = "environment.json"
# Members of an archive that are looked at before it is taken for none of ours.
_MAX_TRIED = 64


def opened(path: Path, known: Collection[str] = ()) -> Machine:
    """Return the machine that a path tells of.

    Args:
        path: a folder that stands for the root of a machine, a collection as ``env collect``
            writes it, packed or not, or a result of ``env -f json``.
        known: variables whose values may be told.

    Raises:
        InputError: there is no such path, it is cut off, or it tells of no machine.
        ResultError: the document in it is damaged.
    """
    if path.is_dir():
        documents = [path / DOCUMENT, *sorted(path.glob(f"*/{DOCUMENT}"))[:1]]
        document = next((each for each in documents if each.is_file()), None)
        if document is None:
            return gather(Sources(root=path), known)
        path = document
    try:
        found = _document(path)
    except BROKEN as err:
        raise InputError(f"{path}: cannot be read: {reason_of(err)}") from err
    if found is None:
        raise InputError(
            f"{path}: tells of no machine; give a folder that is a machine's root, what "
            "`ascend-doctor env collect` wrote, or a result of `ascend-doctor env -f json`"
        )
    return loads(*found)


def _document(path: Path) -> tuple[bytes, str] | None:
    """Return the first document of a machine in a file, and its name; None if it has none.

    Raises:
        OSError, EOFError: the file is cut off before its end.
    """
    for number, item in enumerate(_members(path)):
        if isinstance(item, Source):
            with item.open() as stream:
                data = stream.read(HEAD)
                if is_machine(data):
                    while len(data) <= MAX_BYTES and (block := stream.read(HEAD)):
                        data += block
                    return data, item.path
        if number == _MAX_TRIED:
            break
    return None


def _members(path: Path) -> Iterator[Source | Skipped]:
    for found in discover([path]):
        if isinstance(found, Skipped):
            raise InputError(f"{path}: {found.reason}")
        yield from members(found)
