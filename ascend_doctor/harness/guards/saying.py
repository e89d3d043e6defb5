"""How a gate says what is wrong: one line, logged, and raised unless it is to warn only."""

from __future__ import annotations

import logging
from typing import Literal

from ascend_doctor.errors import HarnessError

Gate = Literal["data", "model", "runtime"]
OnFailure = Literal["raise", "warn"]

# Where a program has not set up logging, Python writes it to standard error.
_LOG = logging.getLogger("ascend_doctor.guards")


class GuardError(HarnessError):
    """A gate is closed; the message is the line that it logs."""


def close(gate: Gate, said: str, on_failure: OnFailure, cause: BaseException | None = None) -> None:
    """Log ``said`` as the line of a gate, and raise it if failures are to be raised.

    Raises:
        GuardError: ``on_failure`` is ``raise``.
    """
    line = f"ascend-doctor {gate} gate: {' '.join(said.split())}"
    _LOG.error(line)
    if on_failure == "raise":
        raise GuardError(line) from cause
