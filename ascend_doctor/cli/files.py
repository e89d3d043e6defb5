"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import re
from contextlib import suppress
from pathlib import Path

# Descriptors by name; 1 is what ``-`` is.
_DESCRIPTOR = re.compile(r"/(?:dev/std(err)|(?:dev|proc/self)/fd/(\d{1,6}))")


def replace(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8, so that who reads ``path`` finds the old file or the whole new one.

    A link is followed. What is no regular file (a pipe, a device) is written to as it is, and so is
    an open descriptor (``/dev/stderr``): others go on writing to what stands behind it.

    Raises:
        OSError: it cannot be written; an old file is as it was.
    """
    data = text.encode("utf-8", "backslashreplace")
    if descriptor := _DESCRIPTOR.fullmatch(str(path)):
        number = 2 if descriptor[1] else int(descriptor[2])
        with open(os.dup(number), "wb") as file:
            file.write(data)
        return
    if path.is_fifo():
        with open(_read_pipe(path), "wb") as file:
            file.write(data)
        return
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".ascend-doctor-{os.urandom(8).hex()}")
    # Made anew: a name that somebody put there is not followed.
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with open(handle, "wb") as file:
            with suppress(FileNotFoundError):
                os.fchmod(file.fileno(), target.stat().st_mode & 0o777)
            file.write(data)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _read_pipe(path: Path) -> int:
    """Open a pipe that somebody reads; to wait for a reader would be to wait for ever.

    Raises:
        OSError: nobody does.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as err:
        if err.errno != errno.ENXIO:
            raise
        raise OSError(errno.ENXIO, "nobody reads this pipe; start its reader first") from err
    os.set_blocking(handle, True)
    return handle
