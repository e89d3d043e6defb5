"""What Python and torch_npu print of an exception."""

from __future__ import annotations

from collections.abc import Sequence

from tests.grammar.plog import PID

# torch_npu's own lines: all, none of them (TORCH_NPU_COMPACT_ERROR_OUTPUT), and behind the
# sentence that the task queue adds.
OUTPUTS = ("full", "compact", "queued")

_FRAMES = (
    ("/srv/job/train.py", 88, "<module>", "run(settings)"),
    ("/srv/job/engine.py", 31, "run", "step(batch)"),
)


def traceback(*raised: str, carets: bool = False) -> list[str]:
    """Return a traceback that ends in ``raised``."""
    lines = ["Traceback (most recent call last):"]
    for file, number, function, source in _FRAMES:
        lines += [f'  File "{file}", line {number}, in {function}', f"    {source}"]
        lines += ["    " + "^" * len(source)] if carets else []
    return [*lines, *raised]


def chained(*raised: str) -> list[str]:
    """Return a traceback whose exception brought about another one."""
    return [
        *traceback(*raised),
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        *traceback("RuntimeError: the trainer stops"),
    ]


def handled(*raised: str) -> list[str]:
    """Return a traceback whose exception was raised while another was handled."""
    return [
        *traceback("KeyError: 'cache'"),
        "",
        "During handling of the above exception, another exception occurred:",
        "",
        *traceback(*raised),
    ]


def group(*raised: str) -> list[str]:
    """Return the traceback of an exception group with one member."""
    outer = traceback("ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)")
    return [
        f"  + Exception Group {outer[0]}",
        *(f"  | {text}" for text in outer[1:]),
        "  +-+---------------- 1 ----------------",
        *(f"    | {text}" for text in traceback(*raised)),
        "    +------------------------------------",
    ]


def npu_error(
    call: str,
    code: int,
    *,
    output: str = "full",
    kind: str = "NPU",
    where: str = "build/CMakeFiles/torch_npu.dir/compiler_depend.ts:211",
    meaning: str = "",
    hint: str = "",
    block: Sequence[str] = (),
) -> list[str]:
    """Return the lines of a function error that torch_npu raises, from the exception on."""
    first = f"RuntimeError: launch:{where} {kind} function error: {call}, error code is {code}"
    if output == "queued":
        first = (
            "RuntimeError: The Inner error is reported as above. The process exits for this inner "
            f"error, and the current working operator name is aclnnAdd.\n{first}"
        )
    lines = first.split("\n")
    if output != "compact":
        lines.append(
            f"[ERROR] 2026-03-04-05:00:01 (PID:{PID}, Device:3, RankID:3) "
            "ERR00100 PTA call acl api failed"
        )
    lines += [f"[Error]: {meaning}"] if meaning else []
    lines += [f"        {hint}"] if hint else []
    lines += [f"CANN error: {block[0]}", *block[1:]] if block and output == "compact" else block
    return lines


def out_of_memory(form: str) -> str:
    """Return the allocator's sentence: ``old``, ``new``, or with a limit (``allowed``)."""
    allowed = "58.00 GiB allowed; " if form == "allowed" else ""
    end = ") If" if form == "old" else ").If"
    return (
        "NPU out of memory. Tried to allocate 3.00 GiB (NPU 3; 60.96 GiB total capacity; "
        f"57.10 GiB already allocated; 57.10 GiB current active; 1.20 GiB free; {allowed}"
        f"57.80 GiB reserved in total by PyTorch{end} reserved memory is >> allocated memory try "
        "setting max_split_size_mb to avoid fragmentation."
    )


def dynamo(module: str, *texts: str, level: str = "W") -> list[str]:
    """Return what Dynamo logs: its head on every line of the message."""
    head = f"{level}0304 05:00:00.204000 {PID} torch/_dynamo/{module}]"
    return [f"{head} [3/8] {text}" for text in texts]
