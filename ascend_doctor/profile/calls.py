"""What a call of an operator, a library or the runtime is about, by its name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ascend_doctor.profile.model import Kind

_LAYER = re.compile(r"^(?:AscendCL|Runtime|Node|Model|Communication|GE)@", re.IGNORECASE)
_WAITS = re.compile(r"aclrtSynchronize\w+|aclrtQuery\w+UntilComplete")
# Calls of the runtime within those of AscendCL.
_INNER_WAITS = re.compile(r"(?:rt)?(?:Stream|Device|Event|Ctx|Context)Synchronize\w*")
_COMPILES = re.compile(r"op_?compile\w*|\w*FuzzCompile\w*|(?:te|tbe)_?compile\w*", re.IGNORECASE)
_GRAPHS = re.compile(r"aclgrph\w*Build\w*|(?:GE)?(?:Build|Compile)Graph\w*|\w*GraphCompile\w*")
# These compile if they must, and execute.
_OUTER_COMPILES = re.compile(r"aclopCompile\w*")
# Operators whose result the host needs: it waits for the device to have computed it.
_FETCHES_RESULT = frozenset(
    f"aten::{name}"
    for name in (
        *("item", "_local_scalar_dense", "is_nonzero", "nonzero", "nonzero_numpy", "equal"),
        *("masked_select", "unique", "_unique", "_unique2", "unique_consecutive", "unique_dim"),
        *("bincount", "argwhere", "allclose"),
    )
)
# This one is within the others, and it is the one that waits.
_INNER = "aten::_local_scalar_dense"
_OUTER = frozenset({"aten::item", "aten::is_nonzero"})
_AI_CPU = frozenset({"AI_CPU", "AICPU", "KERNEL_AICPU", "AI_CPU_KERNEL"})
_COLLECTIVES = frozenset({"HCCL", "COMMUNICATION", "HCCL_AI_CPU"})
_COLLECTIVE = re.compile(
    r"hcom_|hccl|(?:mat\w*)?all_?(?:reduce|gather)\w*aicpu|reduce_?scatter\w*aicpu"
    r"|all_?to_?all\w*aicpu|broadcast\w*aicpu",
    re.IGNORECASE,
)
_COPIES = re.compile(r"memcpy", re.IGNORECASE)
_NUMBER = re.compile(r"_*\d+$")
_INSTANCE = re.compile(r"_?(?:__\d.*|@.*)$")


def without_layer(name: str) -> str:
    """Return the name of a call without the library that a trace puts before it.

    >>> without_layer("AscendCL@aclrtSynchronizeStream")
    'aclrtSynchronizeStream'
    """
    return _LAYER.sub("", name)


def kind_of_call(name: str) -> Kind:
    """Say what a call of CANN is about.

    Calls within calls are plain ones: the time of a wait would count twice.

    >>> [kind_of_call(n) for n in ("aclrtSynchronizeStreamWithTimeout", "StreamSynchronize")]
    ['sync', 'api']
    >>> [kind_of_call(n) for n in ("OpCompile", "aclopCompileAndExecuteV2", "launch")]
    ['compile', 'compile', 'api']
    """
    name = without_layer(name)
    if _WAITS.fullmatch(name):
        return "sync"
    if is_compile_itself(name) or _OUTER_COMPILES.fullmatch(name):
        return "compile"
    return "api"


def is_compile_itself(name: str) -> bool:
    """Say whether a call compiles and does nothing else, unlike ``aclopCompileAndExecute``."""
    name = without_layer(name)
    return bool(_COMPILES.fullmatch(name) or _GRAPHS.fullmatch(name))


def is_inner_wait(name: str) -> bool:
    """Say whether a call of the runtime waits, as those of AscendCL do by way of it."""
    return _INNER_WAITS.fullmatch(without_layer(name)) is not None


def kind_of_operator(name: str) -> Kind:
    """Say whether an operator of the framework makes the host wait.

    >>> kind_of_operator("aten::item"), kind_of_operator("aten::add")
    ('sync', 'host')
    """
    return "sync" if name in _FETCHES_RESULT else "host"


def outer_waits(names: Iterable[str]) -> frozenset[str]:
    """Return operators that wait only by way of another one of these, so that a wait counts once.

    >>> sorted(outer_waits(["aten::item", "aten::_local_scalar_dense"]))
    ['aten::is_nonzero', 'aten::item']
    >>> outer_waits(["aten::item"])
    frozenset()
    """
    return _OUTER if _INNER in names else frozenset()


def kind_of_kernel(core: str, operator: str, name: str = "") -> Kind:
    """Say which unit an operator ran on.

    Args:
        core: the unit as the file spells it.
        operator: its type.
        name: its name.

    >>> kind_of_kernel("AI_CPU", "Index"), kind_of_kernel("AI_CPU", "AllReduceAicpuKernel")
    ('ai_cpu', 'collective')
    """
    if core in _COLLECTIVES or _COLLECTIVE.match(operator) or _COLLECTIVE.match(name):
        return "collective"
    if core in _AI_CPU:
        return "ai_cpu"
    return "transfer" if _COPIES.match(core) else "kernel"


def type_of(operator: str, name: str) -> str:
    """Return the type of an operator, from its name where the file names none.

    >>> type_of("MatMulV2", "aclnnMm_MatMulV2"), type_of("", "trans_TransData_20")
    ('MatMulV2', 'trans_TransData')
    >>> type_of("hcom_allReduce_", "hcom_allReduce__428_0_1"), type_of("", "hcom_send__1_0_1@77")
    ('hcom_allReduce', 'hcom_send')
    """
    named = operator or _INSTANCE.sub("", name)
    return (_NUMBER.sub("", named) if not operator else named).rstrip("_") or name or "?"
