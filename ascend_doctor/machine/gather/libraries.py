"""Whether torch_npu, or CANN where that is alone, could be loaded."""

from __future__ import annotations

from collections.abc import Iterable

from ascend_doctor.machine.files import Tree
from ascend_doctor.machine.loader import Loader
from ascend_doctor.machine.model import Entry, Library, Package


def gather(
    tree: Tree, entries: Iterable[Entry], packages: Iterable[Package]
) -> tuple[Library, ...]:
    """Return what the loader would say of the first library that a job loads."""
    search = [entry.path for entry in entries if entry.variable == "LD_LIBRARY_PATH"]
    npu = next((package for package in packages if package.name == "torch_npu"), None)
    torch = [f"{p.folder}/torch/lib" for p in packages if p.name == "torch"][:1]
    if npu is not None:
        path = f"{npu.folder}/torch_npu/lib/libtorch_npu.so"
        found = Loader(tree, search, torch).check(path)
    else:
        loader = Loader(tree, search)
        first = loader.find("libascendcl.so")
        found = None if first is None else loader.check(first)
    return () if found is None else (found,)
