"""The bytes of a stored result → a JSON document; what is wrong with them is told where."""

from __future__ import annotations

import json
from typing import Any

from ascend_doctor.errors import ResultError

# Of what is much longer no `analyze` was the author: it keeps samples, not logs.
MAX_BYTES = 64 << 20
_ENDS_EARLY = "the file ends early; it should hold a JSON report"


def parsed(data: bytes, name: str) -> Any:
    """Return the document that some bytes are.

    Raises:
        ResultError: they are none; ``name`` is what it calls them.
    """
    try:
        return json.loads(data)
    except json.JSONDecodeError as err:
        raise ResultError(f"{name}:{err.lineno}:{err.colno}: {_fault(err)}") from err
    except UnicodeDecodeError as err:
        if err.end == len(data) and "unexpected end" in err.reason:
            raise ResultError(f"{name}: {_ENDS_EARLY}") from err
        raise ResultError(f"{name}: not text in UTF-8 at byte {err.start}") from err
    except RecursionError as err:
        raise ResultError(f"{name}: no JSON report: nested too deeply") from err
    except ValueError as err:  # Python's own bound for the digits of a number
        raise ResultError(f"{name}: no JSON report: a number is too long") from err


def _fault(error: json.JSONDecodeError) -> str:
    text = error.doc.strip()
    if not text:
        return "the file is empty; it should hold a JSON report"
    if text.startswith("{") and not (text.endswith("}") and error.doc[error.pos :].strip()):
        return _ENDS_EARLY
    return f"not JSON: {error.msg}"
