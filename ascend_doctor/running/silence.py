"""Whether a job is silent: no output, and no growth of its logs."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

# How often logs are looked at while there is no output, as a share of the time that is allowed.
_SHARE = 0.1
_LEAST_S, _MOST_S = 0.05, 60.0


class Silence:
    """Tells once when nothing was written for ``seconds``, and again after something was.

    While there is output, logs are not looked at.
    """

    def __init__(
        self,
        seconds: float,
        total: Callable[[], Hashable],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take ``total`` as what is another when logs have grown; 0 seconds tell nothing."""
        self._seconds = seconds
        self._total = total
        self._clock = clock
        self._every = min(max(seconds * _SHARE, _LEAST_S), _MOST_S)
        self._last = clock()
        self._next = self._last + self._every
        self._seen: Hashable = None
        self._is_told = False

    @property
    def due_s(self) -> float | None:
        """Seconds until ``look`` is to be called next, None if never."""
        return max(0.0, self._next - self._clock()) if self._seconds else None

    @property
    def lasts_s(self) -> float:
        """Seconds since something was written."""
        return self._clock() - self._last

    def broken(self) -> None:
        """Take note of output."""
        self._last = self._clock()
        self._seen = None
        self._is_told = False

    def look(self) -> float | None:
        """Return for how long nothing was written, if that is too long and was not told."""
        now = self._clock()
        if not self._seconds or now < self._next:
            return None
        self._next = now + self._every
        if now - self._last < self._every:
            return None
        total = self._total()
        if self._seen is not None and total != self._seen:
            self.broken()
        self._seen = total
        lasts = now - self._last
        if self._is_told or lasts < self._seconds:
            return None
        self._is_told = True
        return lasts
