"""What a job prints, passed on as it comes and copied."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from ascend_doctor.running.channel import PIPE_BYTES, Channel
from ascend_doctor.running.spool import Spool

# How long what is left of the output is waited for when the job has ended and others, that it
# started, still hold it open: so long until nothing comes, and so long in all.
QUIET_S = 0.2
DRAIN_S = 2.0


class Relay:
    """Passes on what comes through some channels, and gives the spool a copy."""

    def __init__(self, channels: Sequence[Channel], spool: Spool, waker: int) -> None:
        self._channels = {channel.source: channel for channel in channels}
        self._spool = spool
        self._is_only = len(channels) == 1
        self._waker = waker
        self._buffer = memoryview(bytearray(PIPE_BYTES))
        self._poll = select.poll()
        self._poll.register(waker, select.POLLIN)
        for source in self._channels:
            self._poll.register(source, select.POLLIN)

    @property
    def is_done(self) -> bool:
        """Say whether all channels were closed at the other end, or broke."""
        return not self._channels

    def turn(self, timeout_s: float | None) -> bool:
        """Wait until something comes, a signal included; pass it on; return whether it did."""
        timeout_ms = None if timeout_s is None else max(0, int(timeout_s * 1000) + 1)
        was_any = False
        for source, _ in self._poll.poll(timeout_ms):
            if source == self._waker:
                with suppress(BlockingIOError):
                    os.read(source, 4096)
            else:
                was_any = self._pass_on(self._channels[source]) or was_any
        return was_any

    def drain(self, clock: Callable[[], float] = time.monotonic) -> bool:
        """Pass on what is left; return False if others hold the output open still."""
        end = clock() + DRAIN_S
        quiet_end = clock() + QUIET_S
        while self._channels and (now := clock()) < min(end, quiet_end):
            if self.turn(min(end, quiet_end) - now):
                quiet_end = clock() + QUIET_S
        return not self._channels

    def _pass_on(self, channel: Channel) -> bool:
        source = channel.source
        count = channel.read(self._buffer)
        if count > 0:
            data = self._buffer[:count]
            channel.write(data)
            self._spool.take(channel.target, data, is_only=self._is_only)
        elif count == 0:
            channel.close()
        if channel.source < 0:
            self._poll.unregister(source)
            del self._channels[source]
        return count > 0
