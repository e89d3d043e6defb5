"""What a launcher collects of a training run: steps in colour, progress bars, one endless line."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import BinaryIO

from benchmarks.planted import Planted

_START = datetime(2026, 3, 4, 5, 6, 7)
_STEP_S = 0.81
# Steps between two of a kind.
_STEPS_PER_BAR = 40
_STEPS_PER_REMARK = 997
_STEPS_PER_ERROR = 1_999
# The loss has fallen to a third of its height after so many steps.
_LOSS_STEPS = 50_000
_BAR_WIDTH = 40
_WRITE_BYTES = 1 << 18

# What a loader on a Chinese host says in the encoding of that host.
_REMARK = "数据集第 {} 分片读取完成，用时 {} 秒".encode("gb18030").decode("latin-1")

# A request that the allocator refused and the program survived.
_REFUSED = (
    "[rank{rank}]: torch.OutOfMemoryError: NPU out of memory. Tried to allocate {mib}.00 MiB "
    "(NPU {rank}; 60.96 GiB total capacity; 58.71 GiB already allocated; 58.71 GiB current "
    "active; 196.50 MiB free; 59.02 GiB reserved in total by PyTorch)"
)
_REFUSED_RULE = "buffer-oom-pool-full"
_STOPPED = b" RuntimeError: ACL stream synchronize failed, error code:507015 "
_STOPPED_RULE = "kernel-fault-core-code"


class StdoutWriter:
    """Writes the output of one run of eight ranks; the bytes depend on ``seed`` and sizes only."""

    def __init__(self, seed: str, planted: Planted) -> None:
        self._bits = Random(seed).getrandbits  # noqa: S311 - the same bytes for a seed are wanted
        self._planted = planted

    def write(self, stream: BinaryIO, size: int, long_line: int) -> None:
        """Write whole lines until there are ``size`` bytes, one of them ``long_line`` long.

        The long line is a tensor that somebody printed, with an error amidst.
        """
        written = 0
        is_long_due = True
        lines = self._lines()
        while written < size:
            pieces: list[bytes] = []
            pending = 0
            while pending < _WRITE_BYTES and written + pending < size:
                pieces.append(next(lines))
                pending += len(pieces[-1])
            if is_long_due and written + pending > size // 3:
                is_long_due = False
                pieces.append(self._long_line(long_line))
                pending += len(pieces[-1])
            written += pending
            text = b"".join(pieces)
            self._planted.lines += text.count(b"\n")
            stream.write(text)
        self._planted.files += 1
        self._planted.bytes += written

    def _lines(self) -> Iterator[bytes]:
        step = 0
        while True:
            step += 1
            yield self._step(step)
            if step % _STEPS_PER_BAR == 0:
                yield self._bar()
            if step % _STEPS_PER_REMARK == 0:
                yield f"{_REMARK.format(step % 64, step % 7)}\n".encode("latin-1")
            if step % _STEPS_PER_ERROR == 0:
                self._planted.count((_REFUSED_RULE,), is_error=True)
                mib = 256 + 2 * self._bits(8)
                yield f"{_REFUSED.format(rank=step % 8, mib=mib)}\n".encode()

    def _step(self, step: int) -> bytes:
        bits = self._bits(48)
        noise = (bits & 0xFFFF) / 0x10000
        loss = 1.7 + 9 * math.exp(-step / _LOSS_STEPS) + 0.3 * noise
        norm = 0.4 + 0.9 * (bits >> 16 & 0xFFFF) / 0x10000
        ms = 790 + 40 * (bits >> 32) / 0x10000
        time = _START + timedelta(seconds=int(step * _STEP_S))
        return (
            f"\x1b[32m{time:%Y-%m-%d %H:%M:%S}\x1b[0m \x1b[1mINFO\x1b[0m trainer: "
            f"iteration {step:8}/ 2000000 | consumed samples: {step * 512:12} | "
            f"elapsed time per iteration (ms): {ms:.1f} | learning rate: 1.500E-05 | "
            f"lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {norm:.3f} |\n"
        ).encode()

    def _bar(self) -> bytes:
        """Return a bar that was drawn a few dozen times over itself."""
        bits = self._bits(16)
        shown = []
        for done in range(0, 101, 4):
            full = done * _BAR_WIDTH // 100
            bar = "█" * full + " " * (_BAR_WIDTH - full)
            time = f"00:{done // 2:02}<00:{50 - done // 2:02}"
            pace = 1 + (bits + done) % 900 / 100
            shown.append(f"Evaluating: {done:3}%|{bar}| {done}/100 [{time}, {pace:.2f}it/s]")
        return "\r".join(shown).encode() + b"\n"

    def _long_line(self, size: int) -> bytes:
        self._planted.count((_STOPPED_RULE,), is_error=True)
        row = ", ".join(f"{self._bits(20) / 100_000 - 5:.4f}" for _ in range(2000))
        body = (f"tensor([{row}], device='npu:3') ".encode() * (size // len(row) + 1))[:size]
        return b"".join((b"[rank3]: ", body[: size // 2], _STOPPED, body[size // 2 :], b"\n"))
