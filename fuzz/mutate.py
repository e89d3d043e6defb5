"""Changes to a text that keep most of it: what a log goes through, and what an attacker does."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from random import Random

MAX_CHANGES = 6


def mutated(rng: Random, data: bytes, seeds: Sequence[bytes], pieces: Sequence[bytes]) -> bytes:
    """Return ``data`` with a few changes; the same for the same state of ``rng``."""

    def insert(text: bytes) -> bytes:
        at = rng.randint(0, len(text))
        return text[:at] + rng.choice(pieces) + text[at:]

    def replace(text: bytes) -> bytes:
        at = rng.randint(0, len(text))
        return text[:at] + rng.choice(pieces) + text[at + rng.choice((1, 2, 9, 80)) :]

    def remove(text: bytes) -> bytes:
        at = rng.randint(0, len(text))
        return text[:at] + text[at + rng.choice((1, 2, 9, 200)) :]

    def repeat(text: bytes) -> bytes:
        low = rng.randint(0, len(text))
        high = low + rng.choice((1, 3, 20, 200))
        return text[:high] + text[low:high] * rng.choice((1, 2, 30)) + text[high:]

    def flip(text: bytes) -> bytes:
        changed = bytearray(text)
        for _ in range(rng.randint(1, 4)):
            if changed:
                changed[rng.randrange(len(changed))] = rng.randrange(256)
        return bytes(changed)

    def splice(text: bytes) -> bytes:
        other = rng.choice(seeds)
        lines = other.splitlines(True)
        low = rng.randint(0, len(lines))
        at = rng.randint(0, len(text))
        return text[:at] + b"".join(lines[low : low + rng.randint(1, 9)]) + text[at:]

    def shuffle(text: bytes) -> bytes:
        lines = text.splitlines(True)
        rng.shuffle(lines)
        return b"".join(lines)

    def prefix(text: bytes) -> bytes:
        mark = rng.choice(pieces)
        return b"".join(mark + line for line in text.splitlines(True))

    def encode(text: bytes) -> bytes:
        shown = text.decode("utf-8", "replace")
        return rng.choice(
            (
                lambda: shown.encode("utf-16"),
                lambda: shown.encode("gb18030", "replace"),
                lambda: gzip.compress(text, mtime=0),
                lambda: bytes(64) + text,
                lambda: text.replace(b"\n", b"\r\n"),
                lambda: text.replace(b"\n", b"\\n"),
            )
        )()

    steps: tuple[Callable[[bytes], bytes], ...] = (
        *(insert, insert, replace, replace, remove, remove, repeat, flip, splice, splice),
        *(shuffle, prefix),
    )
    for _ in range(rng.randint(1, MAX_CHANGES)):
        data = rng.choice(steps)(data)
    return encode(data) if rng.random() < 0.1 else data
