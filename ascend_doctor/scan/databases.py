"""Databases of a profile → facts. SQLite reads a file: what is packed is unpacked to one first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import NamedTemporaryFile

from ascend_doctor.facts import Shard
from ascend_doctor.ingest.source import Skipped, Source, reason_of
from ascend_doctor.ingest.stream import BROKEN
from ascend_doctor.profile.sqlite import DatabaseError
from ascend_doctor.scan.tables import shard_of
from ascend_doctor.scope import EVERYTHING, Scope

# Bytes of a database that comes as a stream.
_MAX_UNPACKED = 1 << 30


def scan_database(
    source: Source, blocks: Iterator[bytes], scope: Scope = EVERYTHING
) -> Shard | Skipped:
    """Read a database, where it lies or out of a temporary file; one of others is skipped."""
    from ascend_doctor.profile import database

    try:
        with _on_disk(source, blocks) as file:
            measures = database.read(source.path, file)
            size = os.stat(file).st_size
    except DatabaseError as err:
        return Skipped(source.path, str(err))
    except BROKEN as err:
        return Skipped(source.path, reason_of(err))
    return shard_of(source.path, measures, size, 0, None, scope)


@contextmanager
def _on_disk(source: Source, blocks: Iterator[bytes]) -> Iterator[str]:
    """Give the name of a file that holds the database.

    Raises:
        OSError, EOFError: it cannot be unpacked, or is too large for that.
    """
    # A pipe has a name as well, and no size.
    if source.file is not None and source.size is not None:
        yield source.file
        return
    with NamedTemporaryFile(prefix="ascend-doctor-", suffix=".db") as kept:
        for block in blocks:
            if kept.tell() + len(block) > _MAX_UNPACKED:
                raise OSError(
                    f"database of more than {_MAX_UNPACKED >> 20} MiB that comes as a stream, "
                    "not read; unpack what is around it first"
                )
            kept.write(block)
        kept.flush()
        yield kept.name
