"""All sources together: the state of this machine, or of a copy of another one's files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ascend_doctor.machine.files import Tree
from ascend_doctor.machine.gather import cann, driver, host, libraries, packages, variables
from ascend_doctor.machine.model import Machine, Place, Python

# npu-smi takes seconds where there are many cards, and may wait for a driver that hangs for ever.
_SMI_S = 15.0
_MAX_OUTPUT = 256 << 10


@dataclass(frozen=True)
class Sources:
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


def here() -> Sources:
    """Return the sources of this machine and this interpreter."""
    return Sources(Path("/"), dict(os.environ), tuple(sys.path), _own_python(), _run)


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
    return Machine(
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


def _own_python() -> Python:
    version = ".".join(map(str, sys.version_info[:3]))
    is_conda = os.path.isdir(os.path.join(sys.prefix, "conda-meta"))
    kind = "conda" if is_conda else "venv" if sys.prefix != sys.base_prefix else "system"
    place = Place(sys.executable or sys.prefix, 1, f"Python {version}")
    return Python(version, place, sys.prefix, kind)


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
