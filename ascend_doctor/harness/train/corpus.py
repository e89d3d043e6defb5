"""Documents as token ids: made up, or from a file of text or tokens."""

from __future__ import annotations

import json
import random
import zipfile
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import torch

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness import lengths as lengths_of

# Bytes are their own tokens, so that text needs no tokeniser; one more ends a document.
BYTES = 256
END_OF_TEXT = 256
# How often the likeliest of a token's successors follows, the next, and so on.
_SHARES = (0.7, 0.15, 0.1, 0.05)
_NAMES = "a .jsonl file with text or input_ids, or an .npz file with tokens and lengths"


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents, one behind the other; shared with workers without a copy."""

    tokens: torch.Tensor
    """int32 (all tokens,)."""
    ends: tuple[int, ...]
    """Where each document begins, and behind the last one its end."""
    left_out: int = 0
    """Documents that were too short to predict anything."""
    cut: int = 0
    """Documents that were longer than allowed, and are several now."""

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, number: int) -> torch.Tensor:
        """Return the tokens of a document, int32 (T,)."""
        return self.tokens[self.ends[number] : self.ends[number + 1]]

    @property
    def lengths(self) -> list[int]:
        """Return the length of each document in tokens."""
        return [end - begin for begin, end in pairwise(self.ends)]

    def split(self, held_out: int) -> tuple[Corpus, Corpus]:
        """Return the corpus without its last ``held_out`` documents, and those.

        Raises:
            HarnessError: nothing would be left to train on.
        """
        keep = len(self) - held_out
        if keep < 1:
            raise HarnessError(
                f"the data has {len(self)} documents, so {held_out} cannot be held out"
            )
        at = self.ends[keep]
        train = Corpus(self.tokens[:at], self.ends[: keep + 1], self.left_out, self.cut)
        rest = tuple(end - at for end in self.ends[keep:])
        return train, Corpus(self.tokens[at:], rest)


def made_up(lengths: Sequence[int], vocab: int, seed: int = 0) -> Corpus:
    """Return documents of these lengths in which a token tells much about the next one.

    Each token has four successors with fixed odds, so a model can learn down to their entropy,
    0.91 nats a token.
    """
    chance = random.Random(seed)  # noqa: S311
    successors = [chance.choices(range(vocab), k=len(_SHARES)) for _ in range(vocab)]
    tokens = array("i")
    for length in lengths:
        token = chance.randrange(vocab)
        for place in chance.choices(range(len(_SHARES)), weights=_SHARES, k=length):
            tokens.append(token)
            token = successors[token][place]
    return _corpus(tokens, lengths)


def read(path: Path, vocab: int, max_length: int) -> Corpus:
    """Return the documents of a file, those above ``max_length`` cut into several.

    Raises:
        HarnessError: it cannot be read, is no such file, or a token lies outside ``vocab``.
    """
    try:
        found = _from_arrays(path) if path.suffix == ".npz" else _from_lines(path, vocab)
    except OSError as err:
        raise HarnessError(f"{path}: {(err.strerror or str(err)).lower()}") from err
    tokens, lengths = found
    if len(tokens):
        low, high = map(int, torch.frombuffer(tokens, dtype=torch.int32).aminmax())
        if low < 0 or high >= vocab:
            odd = low if low < 0 else high
            raise HarnessError(f"{path}: token {odd} lies outside of the vocabulary 0-{vocab - 1}")
    return _cut(path, tokens, lengths, max_length)


def _corpus(tokens: array[int], lengths: Sequence[int], left_out: int = 0, cut: int = 0) -> Corpus:
    ends = tuple(accumulate(lengths, initial=0))
    return Corpus(torch.frombuffer(tokens, dtype=torch.int32), ends, left_out, cut)


def _cut(path: Path, tokens: array[int], lengths: Sequence[int], max_length: int) -> Corpus:
    kept, pieces, left_out, cut, begin = array("i"), [], 0, 0, 0
    for length in lengths:
        cut += length > max_length
        for size in lengths_of.cut([length], max_length):
            if size < 2:  # nothing to predict
                left_out += length < 2
            else:
                kept += tokens[begin : begin + size]
                pieces.append(size)
            begin += size
        left_out += length == 0
    if not pieces:
        raise HarnessError(f"{path}: holds no document of two tokens or more")
    return _corpus(kept, pieces, left_out, cut)


def _from_lines(path: Path, vocab: int) -> tuple[array[int], list[int]]:
    tokens, lengths = array("i"), []
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                document = _document(line, f"{path}:{number}", vocab)
                tokens += document
                lengths.append(len(document))
    return tokens, lengths


def _document(line: bytes, where: str, vocab: int) -> array[int]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as err:
        raise HarnessError(f"{where}: no JSON; give {_NAMES}") from err
    if not isinstance(data, dict):
        raise HarnessError(f"{where}: JSON, but no object; give {_NAMES}")
    ids = data.get("input_ids")
    if isinstance(ids, list):
        if any(type(token) is not int or not 0 <= token < vocab for token in ids):
            raise HarnessError(f"{where}: input_ids must be whole numbers from 0 to {vocab - 1}")
        return array("i", ids)
    text = data.get("text")
    if not isinstance(text, str):
        raise HarnessError(f"{where}: has neither text nor input_ids")
    if vocab <= END_OF_TEXT:
        raise HarnessError(
            f"{where}: text is trained on byte by byte, which takes a model.vocab of "
            f"{END_OF_TEXT + 1} or more"
        )
    return array("i", [*text.encode(errors="replace"), END_OF_TEXT])


def _from_arrays(path: Path) -> tuple[array[int], list[int]]:
    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as data:
            tokens, lengths = (np.asarray(data[name]) for name in ("tokens", "lengths"))
    except (KeyError, ValueError, EOFError, zipfile.BadZipFile) as err:
        said = err.args[0] if isinstance(err, KeyError) else err
        raise HarnessError(f"{path}: {said}; give {_NAMES}") from err
    for name, found in (("tokens", tokens), ("lengths", lengths)):
        if found.ndim != 1 or found.dtype.kind not in "iu":
            raise HarnessError(f"{path}: {name} must be one row of whole numbers")
    if (lengths < 0).any() or int(lengths.sum()) != len(tokens):
        raise HarnessError(
            f"{path}: lengths sum up to {int(lengths.sum())}, but there are {len(tokens)} tokens"
        )
    if len(tokens) and int(tokens.max()) > 2**31 - 1:
        raise HarnessError(f"{path}: token {int(tokens.max())} is none")
    return _as_array(tokens.astype(np.int32)), [*map(int, lengths)]


def _as_array(values: Any) -> array[int]:
    found = array("i")
    found.frombytes(values.tobytes())
    return found
