"""How the captures of verdicts are written, and whose profile it is."""

from __future__ import annotations

import re

from ascend_doctor.profile.model import Profile, Span
from ascend_doctor.profile.verdicts.steady import Steady
from ascend_doctor.records import Location

# Frames of a call stack: `/job/train.py(58): step` of torch_npu, `/job/train.py:58 step`.
_FRAME = re.compile(
    r"(?P<file>[^\s;()<>|]{1,300}\.py)(?:\((?P<at>\d{1,7})\)|:(?P<line>\d{1,7})):? ?"
    r"(?P<function>\w{1,80})?"
)
# Frames of whoever was called, rather than of whoever called.
_LIBRARY = re.compile(r"(?:^|/)(?:site-packages|dist-packages|torch|torch_npu|lib/python[\d.]+)/")


def whose(profile: Profile) -> dict[str, str]:
    """Return the capture that names the rank or device, as far as it is known."""
    if profile.rank is not None:
        return {"rank": str(profile.rank)}
    if profile.device:
        return {"device": profile.device}
    return {}


def counted(compared: Steady) -> dict[str, str]:
    """Return how many steps were compared, and how many left out if there are any."""
    found = {"steps": str(len(compared.steps))}
    if compared.left_out:
        found["left_out"] = str(compared.left_out)
    return found


def ms(time_us: float) -> str:
    """Return a time as texts have it, in milliseconds.

    >>> ms(1234.5), ms(15_234_567.0)
    ('1.2', '15234.6')
    """
    return f"{time_us / 1000:.1f}"


def percent(share: float) -> str:
    """Return a share as a whole number of percent.

    >>> percent(0.305), percent(0.0)
    ('30', '0')
    """
    return f"{100 * share:.0f}"


def gib(size_mib: float) -> str:
    """Return a size as texts have it, in GiB.

    >>> gib(30_000.0)
    '29.30'
    """
    return f"{size_mib / 1024:.2f}"


def ident(name: str) -> str:
    """Return a name of a profile in the form that may stand in a text as one word.

    >>> ident("compile_inner (dynamo_timed)"), ident("a b"), ident("")
    ('compile_inner', 'a_b', '?')
    """
    return re.sub(r"[^\w.:<>+*&\[\]@~-]", "_", name.partition(" (")[0])[:200] or "?"


def location(span: Span) -> Location | None:
    """Return the line of the user's code that a call stack leads to, None if it has none.

    >>> from ascend_doctor.records import Evidence
    >>> proof = Evidence("t.json", 1, "")
    >>> stack = "/usr/lib/python3.11/site-packages/torch/t.py(9): item;\\n/job/train.py(58): step"
    >>> location(Span(1.0, proof, detail={"stack": stack}))
    Location(file='/job/train.py', line=58, function='step')
    """
    for found in _FRAME.finditer(span.detail.get("stack", "")[:20_000]):
        if _LIBRARY.search(found["file"]) is None:
            line = int(found["at"] or found["line"])
            return Location(found["file"], line, found["function"] or "")
    return None
