"""Installed CANN toolkits and NNAL, where they usually are and where variables point."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ascend_doctor.machine.files import Tree, keyed
from ascend_doctor.machine.model import Cann, Entry, Link, Place

# Folders that hold installations, each beside a link to the one in use.
_HOMES = ("/usr/local/Ascend", "/opt/Ascend")
_PRODUCTS = ("ascend-toolkit", "cann", "nnae", "nnrt")
_RELEASE = re.compile(r"(?:cann-)?(\d{1,2}\.\d{1,2}(?:\.\w{1,16}){0,4}(?:-[\w.]{1,16})?)")
_RUNNING = re.compile(r"\w+_running_version=\[([^:\]]*)(?::(?:CANN-)?([^\]]*))?\]")
# How driver and CANN name their internal releases.
INNER = re.compile(r"V\d{3}R\d{3}C\d{2}")
_ARCHES = ("aarch64-linux", "x86_64-linux", "arm64-linux")
_PARTS = ("toolkit", "nnae", "nnrt")
_KERNELS = "/opp/built-in/op_impl/ai_core/tbe/kernel"
# Folders of libraries below the root of an installation.
_BELOW = re.compile(
    r"(?:/(?:aarch64|x86_64)-linux)?/(?:lib64|lib|devlib)(?:/.*)?$"
    r"|/(?:runtime|compiler|fwkacllib|acllib|atc|opp|toolkit|tools|python|hccl)(?:/.*)?$"
)
_MAX_ROOTS = 32


def gather(
    tree: Tree, environ: Mapping[str, str], entries: Iterable[Entry]
) -> tuple[tuple[Cann, ...], str | None, tuple[Link, ...]]:
    """Return all installations, the root of the one that variables name, and links to them."""
    named = [environ.get(name, "") for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")]
    named += [_BELOW.sub("", e.path) for e in entries if e.variable == "LD_LIBRARY_PATH"]
    homes = _homes(environ)
    links = tuple(_links(tree, homes))
    roots = [*named, *(link.path for link in links), *_installed(tree, homes)]
    found: dict[str, Cann] = {}
    active = None
    for root in dict.fromkeys(root.rstrip("/") for root in roots if root.startswith("/")):
        real = tree.real(root)
        if real is None or len(found) >= _MAX_ROOTS or not _is_cann(tree, root):
            continue
        found.setdefault(real, _cann(tree, root, real))
        if root in named and active is None:
            active = found[real].root
    return tuple(found.values()), active, links


def nnal(tree: Tree, environ: Mapping[str, str]) -> tuple[Cann, ...]:
    """Return the installations of NNAL, of which ATB is the part that jobs load."""
    found: dict[str, Cann] = {}
    homes = _homes(environ)
    named = re.sub(r"/atb/cxx_abi_[01]$", "/atb", environ.get("ATB_HOME_PATH", "").rstrip("/"))
    roots = [re.sub(r"/atb$", "", named), *(f"{home}/nnal/atb/latest" for home in homes)]
    for root in filter(None, roots):
        real = tree.real(root)
        if real is None or real in found:
            continue
        for line, place in tree.lines(f"{root}/version.info"):
            if version := re.search(r"(?i)ascend-cann-atb\s*[:=]\s*([\w.]{3,32})", line):
                found[real] = Cann(root, real, version[1], place)
                break
    return tuple(found.values())


def _homes(environ: Mapping[str, str]) -> list[str]:
    own = environ.get("HOME")
    return [*_HOMES, f"{own}/Ascend"] if own else [*_HOMES]


def root_of(path: str) -> str:
    """Return the folder that a folder of libraries belongs to.

    >>> root_of("/usr/local/Ascend/ascend-toolkit/latest/lib64/plugin/opskernel")
    '/usr/local/Ascend/ascend-toolkit/latest'
    """
    return _BELOW.sub("", path)


def _links(tree: Tree, homes: Iterable[str]) -> Iterator[Link]:
    for home in homes:
        paths = (f"{home}/ascend-toolkit/latest", f"{home}/cann", f"{home}/nnae/latest")
        for path in (*paths, f"{home}/cann/latest"):
            target = tree.link(path)
            if target is not None:
                yield Link(path, target, tree.real(path))


def _installed(tree: Tree, homes: Iterable[str]) -> Iterator[str]:
    for home in homes:
        for product in _PRODUCTS:
            folder = f"{home}/{product}"
            yield folder
            yield from (f"{folder}/{n}" for n in tree.names(folder) if _RELEASE.fullmatch(n))
        yield from (f"{home}/{n}" for n in tree.names(home) if n.startswith("cann-"))


def _is_cann(tree: Tree, root: str) -> bool:
    """Say whether a folder holds CANN: what says its version, or its libraries."""
    files = (*_version_files(tree, root), f"{root}/lib64/libascendcl.so", f"{root}/set_env.sh")
    is_folder = tree.is_folder(f"{root}/runtime") or tree.is_folder(f"{root}/lib64")
    return is_folder and any(tree.status(path) is not None for path in files)


def _version_files(tree: Tree, root: str) -> list[str]:
    install = (f"{root}/{a}/ascend_{p}_install.info" for a in _ARCHES for p in _PARTS)
    return [f"{root}/version.cfg", *install]


def _cann(tree: Tree, root: str, real: str) -> Cann:
    version, place, inner, compatible = _version(tree, root, real)
    kernels = None
    if tree.is_folder(f"{root}/opp"):
        names = tree.names(root + _KERNELS)
        kernels = tuple(name for name in names if name.startswith("ascend"))
    scripts = (
        f"{root}/set_env.sh",
        f"{root.rpartition('/')[0]}/set_env.sh",
        f"{root}/bin/setenv.bash",
    )
    required = keyed(tree.lines(f"{root}/runtime/version.info"))
    hal = required.get("required_driver_ascendhal_version", ("", place))[0]
    return Cann(
        root,
        real,
        version,
        place,
        inner,
        compatible,
        hal.strip("<>= ") or None,
        kernels,
        next((path for path in scripts if tree.is_file(path)), None),
        _is_readable(tree, f"{root}/lib64"),
    )


def _is_readable(tree: Tree, folder: str) -> bool:
    if not tree.is_folder(folder):
        return True
    tree.names(folder)
    return folder not in tree.unread


def _version(
    tree: Tree, root: str, real: str
) -> tuple[str | None, Place, str | None, tuple[str, ...]]:
    """Return the release, where that stands, and what is said of drivers."""
    version: str | None = None
    place = Place(root, 1, root)
    inner, compatible = None, ()
    for path in _version_files(tree, root)[1:]:
        said = keyed(tree.lines(path))
        if "version" not in said:
            continue
        version, place = said["version"]
        inner = next(iter(INNER.findall(said.get("innerversion", ("", place))[0])), None)
        compatible = tuple(INNER.findall(said.get("compatible_version", ("", place))[0])[:64])
        break
    if version is None:
        for line, where in tree.lines(f"{root}/version.cfg"):
            found = _RUNNING.match(line.strip())
            if found and found[2]:
                version, place = found[2], where
                break
    if version is None and (found := _RELEASE.fullmatch(real.rpartition("/")[2])):
        version, place = found[1], Place(real, 1, real)
    return version, place, inner, compatible
