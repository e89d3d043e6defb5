"""Python packages, from their metadata; nothing is imported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase

from ascend_doctor.machine.files import Tree
from ascend_doctor.machine.model import Package, Place, Python

# What a job on NPUs stands on: the frameworks, and what they and CANN's compiler import.
WANTED = frozenset(
    {
        *("torch", "torch_npu", "torchvision", "torchaudio", "numpy", "pyyaml", "packaging"),
        *("protobuf", "decorator", "sympy", "scipy", "attrs", "psutil", "cffi", "cloudpickle"),
        *("ml_dtypes", "tornado", "transformers", "vllm", "vllm_ascend", "mindspore"),
        *("triton", "triton_ascend", "apex", "mindspeed", "megatron_core", "deepspeed"),
    }
)
_INFO = re.compile(
    r"(?P<name>[A-Za-z0-9._-]+?)-(?P<version>\d[^-]*)(?:-py3[^/]*)?\.(?:dist|egg)-info"
)
_REQUIRED = re.compile(r"([A-Za-z0-9._-]+)\s*(?:\[[^\]]*\])?\s*\(?([^;)]*)\)?\s*(;.*)?")
_VERSION_PY = re.compile(r"""__version__(?:\s*:\s*str)?\s*=\s*['"]([\w.+-]{1,64})['"]""")
# Where the packages of a copied machine may be.
_PREFIXES = (
    *("/usr/local", "/usr", "/opt/conda", "/opt/conda/envs/*", "/opt/venv", "/venv", "/opt/*"),
    *("/usr/local/python3*", "/root/miniconda3", "/root/miniconda3/envs/*", "/root/anaconda3"),
    *("/root/anaconda3/envs/*", "/home/*/miniconda3", "/home/*/miniconda3/envs/*"),
    *("/home/*/anaconda3", "/home/*/anaconda3/envs/*", "/root/.local", "/home/*/.local"),
)
_MAX_FOLDERS = 64
_MAX_REQUIRES = 32


def gather(tree: Tree, search: Iterable[str]) -> tuple[Package, ...]:
    """Return the wanted packages in the order in which ``search`` finds them, doubles included."""
    found: list[Package] = []
    folders = [folder for folder in dict.fromkeys(search) if folder.startswith("/")]
    seen: set[str] = set()
    for folder in folders[:_MAX_FOLDERS]:
        real = tree.real(folder)
        if real is None or real in seen:
            continue
        seen.add(real)
        found += _in_folder(tree, folder.rstrip("/"))
    return tuple(found)


def _in_folder(tree: Tree, folder: str) -> Iterator[Package]:
    names = tree.names(folder)
    stated = set()
    for name in names:
        info = _INFO.fullmatch(name)
        if info is None or _normal(info["name"]) not in WANTED:
            continue
        package = _of_metadata(tree, folder, name, info)
        stated.add(package.name)
        yield package
    for name in ("torch", "torch_npu"):
        if name in names and name not in stated and tree.is_folder(f"{folder}/{name}"):
            yield from _of_source(tree, folder, name)


def _of_metadata(tree: Tree, folder: str, name: str, info: re.Match[str]) -> Package:
    version, place, requires = info["version"], Place(f"{folder}/{name}", 1, name), []
    for file in ("METADATA", "PKG-INFO"):
        for line, where in tree.lines(f"{folder}/{name}/{file}"):
            key, colon, value = line.partition(":")
            if not colon or line[0].isspace():
                break  # the description begins
            if key == "Version":
                version, place = value.strip()[:64], where
            elif key == "Requires-Dist" and (wanted := _requirement(value)):
                requires.append(wanted)
    return Package(_normal(info["name"]), version, place, folder, tuple(requires[:_MAX_REQUIRES]))


def _of_source(tree: Tree, folder: str, name: str) -> Iterator[Package]:
    """Yield a package that was put there without metadata, as builds from source are."""
    for line, place in tree.lines(f"{folder}/{name}/version.py"):
        if version := _VERSION_PY.match(line.strip()):
            yield Package(name, version[1], place, folder)
            return


def _requirement(text: str) -> str | None:
    """Return what a package needs in any case, without blanks; None for what is optional."""
    found = _REQUIRED.fullmatch(text.strip())
    if found is None or found[3] is not None or _normal(found[1]) not in WANTED:
        return None
    return _normal(found[1]) + re.sub(r"\s+", "", found[2])


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def python_of(tree: Tree, search: Iterable[str], environ: Mapping[str, str]) -> Python | None:
    """Return the interpreter that a copied machine's packages are for, as their folder says."""
    for folder in search:
        found = re.search(r"^(.*)/lib(?:64)?/python(3\.\d{1,2})/(?:site|dist)-packages$", folder)
        if found is None or not tree.is_folder(folder):
            continue
        is_conda = tree.is_folder(f"{found[1]}/conda-meta")
        is_venv = tree.is_file(f"{found[1]}/pyvenv.cfg")
        kind = "conda" if is_conda else "venv" if is_venv else "system"
        return Python(found[2], Place(folder, 1, f"python{found[2]}"), found[1], kind)
    return None


def search_of(tree: Tree, environ: Mapping[str, str]) -> list[str]:
    """Return where a copied machine has packages: the active environment first."""
    found = [path for path in environ.get("PYTHONPATH", "").split(":") if path.startswith("/")]
    active = (environ.get("VIRTUAL_ENV", ""), environ.get("CONDA_PREFIX", ""))
    for prefix in dict.fromkeys((*filter(None, active), *_prefixes(tree))):
        found += _folders(tree, prefix)
    return found


def folders_of(tree: Tree, prefix: str, environ: Mapping[str, str]) -> list[str]:
    """Return where the interpreter of an environment looks for packages."""
    own = [*_folders(tree, prefix)]
    named = [path for path in environ.get("PYTHONPATH", "").split(":") if path.startswith("/")]
    return [*named, *own] if own else []


def _folders(tree: Tree, prefix: str) -> Iterator[str]:
    for lib in (f"{prefix}/lib", f"{prefix}/lib64"):
        for name in tree.names(lib):
            if fnmatchcase(name, "python3*"):
                places = (f"{lib}/{name}/{kind}-packages" for kind in ("site", "dist"))
                yield from (place for place in places if tree.is_folder(place))


def _prefixes(tree: Tree) -> Iterator[str]:
    for pattern in _PREFIXES:
        places = [""]
        for part in pattern.strip("/").split("/"):
            if "*" not in part:
                places = [f"{place}/{part}" for place in places]
                continue
            places = [
                f"{place}/{name}"
                for place in places
                for name in tree.names(place or "/")
                if fnmatchcase(name, part)
            ]
        yield from places[:_MAX_FOLDERS]
