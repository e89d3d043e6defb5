"""All sources together: the state of this machine, or of a copy of another one's files."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ascend_doctor.errors import InputError
from ascend_doctor.machine import stored
from ascend_doctor.machine.files import Tree
from ascend_doctor.machine.gather import cann, driver, host, libraries, packages, variables
from ascend_doctor.machine.model import Machine, Place, Python

# npu-smi takes seconds where there are many cards, and may wait for a driver that hangs for ever.
_SMI_S = 15.0
_MAX_OUTPUT = 256 << 10
_PYTHON_S = 20.0
# What an interpreter is asked; it imports nothing but what every one has.
_QUESTION = (
    "import json, sys; v = '.'.join(map(str, sys.version_info[:3])); "
    "print(json.dumps([v, sys.prefix, sys.base_prefix, *sys.path]))"
)


class Sources(Struct, frozen=True):
    """Where a machine's state is read from.

    Attributes:
        root: the folder that stands for its root.
        environ: its variables, None if they are not known.
        search: where its Python looks for packages; None to look where packages usually are.
        python: its interpreter, None to tell it from where the packages are.
        run: returns what a command prints, None where nothing may be run.
    """

    root: Path = Path("/")
    environ: Mapping[str, str] | None = None
    search: Sequence[str] | None = None
    python: Python | None = None
    run: Callable[[str], str | None] | None = None


def here(python: str | None = None) -> Sources:
    """Return the sources of this machine.

    Args:
        python: the interpreter that jobs run with; None for the one of the environment that is
            active in this shell, which need not be this one.

    Raises:
        InputError: it does not say where it looks for packages.
    """
    environ = dict(os.environ)
    if python is not None:
        version, prefix, base, search = _asked(python)
        told = Python(version, Place(python, 1, f"Python {version}"), prefix, _kind(prefix, base))
        return Sources(Path("/"), environ, search, told, _run)
    active = environ.get("VIRTUAL_ENV") or environ.get("CONDA_PREFIX")
    if active and os.path.realpath(active) != os.path.realpath(sys.prefix):
        folders = packages.folders_of(Tree(Path("/")), active, environ)
        if folders:
            return Sources(Path("/"), environ, folders, None, _run)
    return Sources(Path("/"), environ, tuple(sys.path), _own_python(), _run)


def _asked(python: str) -> tuple[str, str, str, tuple[str, ...]]:
    """Return version, prefix, base prefix and search path of an interpreter, as it says them."""
    try:
        done = subprocess.run(  # noqa: S603
            [python, "-c", _QUESTION],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PYTHON_S,
            check=True,
        )
        version, prefix, base, *search = json.loads(done.stdout[-_MAX_OUTPUT:].splitlines()[-1])
    except (OSError, subprocess.SubprocessError, ValueError, TypeError, IndexError) as err:
        raise InputError(f"{python}: no Python that answers; name the one jobs run with") from err
    return str(version), str(prefix), str(base), tuple(map(str, search))


def gather(sources: Sources, known: Collection[str] = ()) -> Machine:
    """Return the state of a machine; ``known`` are variables whose values may be told."""
    tree = Tree(sources.root)
    environ = variables.stored(tree) if sources.environ is None else dict(sources.environ)
    given = environ or {}
    search = packages.search_of(tree, given) if sources.search is None else [*sources.search]
    found = packages.gather(tree, search)
    entries = variables.entries(tree, given)
    installed, active, links = cann.gather(tree, given, entries)
    python = sources.python
    if python is None:
        # The folder of a framework tells more than the first that was found.
        folders = [p.folder for p in found if p.name in ("torch_npu", "torch")]
        python = packages.python_of(tree, (*folders, *search), given)
    machine = Machine(
        python=python,
        packages=found,
        cann=installed,
        active=active,
        links=links,
        nnal=cann.nnal(tree, given),
        driver=driver.driver(tree),
        firmware=driver.firmware(tree),
        chips=driver.chips(tree, sources.run),
        nodes=driver.nodes(tree),
        variables=None if environ is None else variables.gather(environ, known),
        entries=entries,
        libraries=libraries.gather(tree, entries, found),
        hal=driver.hal(tree),
        host=host.gather(tree, given),
        unread=tuple(sorted(tree.unread.items())),
    )
    # Names that are not UTF-8 are surrogates to Python, which no output takes.
    return stored.mapped(machine, lambda _, text: _printable(text))


def _printable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _own_python() -> Python:
    version = ".".join(map(str, sys.version_info[:3]))
    place = Place(sys.executable or sys.prefix, 1, f"Python {version}")
    return Python(version, place, sys.prefix, _kind(sys.prefix, sys.base_prefix))


def _kind(prefix: str, base: str) -> str:
    if os.path.isdir(os.path.join(prefix, "conda-meta")):
        return "conda"
    return "venv" if prefix != base else "system"


def _run(command: str) -> str | None:
    """Return what ``npu-smi info`` prints, None if there is no such command or it hangs."""
    program = shutil.which(command) or shutil.which(command, path="/usr/local/sbin:/usr/local/bin")
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603
            [program, "info"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_SMI_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = done.stdout[:_MAX_OUTPUT].decode("utf-8", "replace")
    return re.sub(r"\x1b\[[0-9;]*m", "", text)
