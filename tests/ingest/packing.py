"""Archives of every kind, made from names and contents."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import zipfile
from collections.abc import Mapping

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESS = {
    "gz": lambda raw: gzip.compress(raw, mtime=0),
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": zstd.compress,
}


def tar(contents: Mapping[str, bytes], format: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as archive:
        for name, content in contents.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def zipped(contents: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in contents.items():
            # Made without a time, the bytes are the same every time.
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return out.getvalue()


def packed(kind: str, contents: Mapping[str, bytes]) -> bytes:
    """Return an archive: ``zip``, ``tar`` or ``tar.`` and a compression."""
    if kind == "zip":
        return zipped(contents)
    raw = tar(contents)
    return COMPRESS[kind.removeprefix("tar.")](raw) if kind != "tar" else raw


KINDS = ("zip", "tar", *(f"tar.{name}" for name in COMPRESS))
