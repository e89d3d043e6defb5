"""The error manager's blocks, as the releases print them."""

from __future__ import annotations

from tests.grammar.plog import PID

# a: to CANN 7.0; b: 7.x and 8.0 name process and time; c: 8.5 has titles; d: 9.1 does not
# indent the trace; e: 9.2 calls an inner error internal.
RELEASES = ("a", "b", "c", "d", "e")

_WHEN = f"[PID: {PID}] 2026-03-04-05:00:00.204.118"
_INDENT = " " * 8


def user_error(
    release: str,
    code: str,
    title: str,
    message: str,
    *,
    cause: str = "N/A",
    solution: str = "N/A",
    trace: tuple[str, ...] = (),
) -> list[str]:
    """Return the block of an error that the user can mend."""
    head = {"a": f"{code}: {message}", "b": f"{code}: {_WHEN} {message}"}
    lines = [head.get(release, f"{_WHEN} {title}({code}): {message}")]
    lines += [] if cause == "N/A" else [f"{_INDENT}Possible Cause: {cause}"]
    lines += [] if solution == "N/A" else [f"{_INDENT}Solution: {solution}"]
    return lines + _trace(release, trace)


def inner_error(release: str, code: str, text: str, *, trace: tuple[str, ...] = ()) -> list[str]:
    """Return the block of an error that only the vendor can mend."""
    head = {"a": f"{code}  ", "b": f"{code}: {_WHEN} "}
    title = "Internal error!" if release == "e" else "Inner Error!"
    first = head.get(release, f"{code}{_WHEN} ({code}):  ")
    return [f"{code}: {title}", f"{first}{text}", *_trace(release, trace)]


def _trace(release: str, texts: tuple[str, ...]) -> list[str]:
    if not texts:
        return []
    indent = "" if release in "de" else _INDENT
    return [
        f"{indent}TraceBack (most recent call last):",
        *(f"{_INDENT}{text}[FUNC:Run][FILE:model.cc][LINE:77]" for text in texts),
    ]
