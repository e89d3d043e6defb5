"""Environment variables: the values of known names, and the names alone of others."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ascend_doctor.machine.files import Tree
from ascend_doctor.machine.model import Entry, Variable

# What CANN, torch_npu and their tools read begins so; others' variables are nobody's business.
PREFIXES = (
    *("ASCEND_", "HCCL_", "ACL_", "NPU_", "ATB_", "TORCH_NPU_", "TORCH_HCCL_", "PYTORCH_NPU_"),
    *("TASK_QUEUE_", "TORCH_DEVICE_", "DUMP_G"),
)
# What set_env.sh sets, and what else tells how a job was started. Their values are kept, beside
# those of the variables that the glossary explains. It is a list of what is kept, so that a secret
# in any other variable is not.
KEPT = frozenset(
    {
        *("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_OPP_PATH"),
        *("ASCEND_AICPU_PATH", "ASCEND_DRIVER_PATH", "ASCEND_NNAE_PATH", "ASCEND_NNRT_PATH"),
        *("ASCEND_NNRT_HOME", "ASCEND_TENSOR_COMPILER_INCLUDE", "ASCEND_LATEST_INSTALL_PATH"),
        *(
            "ASCEND_RUNTIME_PATH",
            "ASCEND_COMPILER_PATH",
            "ASCEND_INSTALL_PATH",
            "CMAKE_PREFIX_PATH",
        ),
        *("ASCEND_DOCKER_RUNTIME", "ASCEND_RUNTIME_OPTIONS", "ASCEND_VISIBLE_DEVICES"),
        *("ASCEND_CACHE_PATH", "ASCEND_MAX_OP_CACHE_SIZE", "ASCEND_OPS_PRODUCT_PATH"),
        *("ASCEND_ENGINE_PATH", "ASCEND_TOOL_PATH", "NPU_ASD_CONFIG", "NPU_VISIBLE_DEVICES"),
        *("TOOLCHAIN_HOME", "PYTHONPATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "PATH"),
        *("VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "HOME", "WORLD_SIZE", "RANK"),
        *("LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_PORT", "OMP_NUM_THREADS"),
        *("KUBERNETES_SERVICE_HOST", "ATB_HOME_PATH"),
    }
)
# Folders of libraries that only the linker is for.
_STUBS = frozenset({"stub", "stubs", "devlib"})
# Variables that name one folder.
_HOMES = (
    *("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_OPP_PATH", "ASCEND_AICPU_PATH"),
    "ATB_HOME_PATH",
)
_MAX_VARIABLES = 512
_MAX_VALUE = 16 << 10
# Where a copy of a machine's files may have its variables.
_FILES = ("/environ", "/environ.txt", "/env.txt", "/proc/self/environ", "/proc/1/environ")


def gather(environ: Mapping[str, str], known: Collection[str]) -> tuple[Variable, ...]:
    """Return the variables that tell something, by name."""
    kept = {*KEPT, *known}
    told: list[Variable] = []
    for name in sorted(environ):
        if name not in kept and not name.startswith(PREFIXES):
            continue
        value = environ[name][:_MAX_VALUE] if name in kept else None
        told.append(Variable(name, value, len(told) + 1))
    return tuple(told[:_MAX_VARIABLES])


def stored(tree: Tree) -> dict[str, str] | None:
    """Return the variables that a copy of a machine's files holds, None if it has none."""
    for path in _FILES:
        text = tree.text(path)
        if text:
            separator = "\0" if "\0" in text else "\n"
            pairs = (line.partition("=") for line in text.split(separator))
            return {n.removeprefix("export ").strip(): v.strip("\"'\r") for n, s, v in pairs if s}
    return None


def entries(tree: Tree, environ: Mapping[str, str]) -> tuple[Entry, ...]:
    """Return the folders that variables name: those of CANN, and the search paths in order."""
    found = []
    for variable in (*_HOMES, "LD_LIBRARY_PATH", "PYTHONPATH"):
        for path in dict.fromkeys(environ.get(variable, "")[:_MAX_VALUE].split(":")):
            if path.startswith("/"):
                real = tree.real(path)
                is_stub = not _STUBS.isdisjoint(path.split("/"))
                found.append(Entry(variable, path.rstrip("/") or "/", real, is_stub))
    return tuple(found[:_MAX_VARIABLES])
