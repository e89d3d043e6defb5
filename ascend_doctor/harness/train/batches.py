"""Batches of documents: rows that are padded, or one row of documents behind each other."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch.utils.data import DataLoader, Dataset

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.batching import Group
from ascend_doctor.harness.devices import Device
from ascend_doctor.harness.train.corpus import Corpus
from ascend_doctor.harness.train.model import IGNORED

PADDING = 0


class Batch(NamedTuple):
    """One batch; B is 1 if it is packed."""

    ids: torch.Tensor
    """int64 (B, T)."""
    labels: torch.Tensor
    """int64 (B, T): the next token of the same document, or ``IGNORED``."""
    positions: torch.Tensor
    """int64 (B, T): from 0 in each document."""
    cu_seqlens: torch.Tensor | None
    """int32 (N + 1,): where documents of a packed row begin and end, padding as one of them."""
    lengths: tuple[int, ...]
    """Tokens of each document."""

    @property
    def tokens(self) -> int:
        """Return how many slots hold a token."""
        return sum(self.lengths)

    @property
    def targets(self) -> int:
        """Return the labels that are not ``IGNORED``: what a sum of losses is divided by."""
        return self.tokens - len(self.lengths)

    @property
    def slots(self) -> int:
        """Return the places for tokens, padding included."""
        return self.ids.numel()

    def to(self, device: Device, *, is_pinned: bool = False) -> Batch:
        """Return it on a device; from pinned memory without waiting for the copy."""

        def moved(tensor: torch.Tensor) -> torch.Tensor:
            return tensor.to(device.torch, non_blocking=is_pinned)

        edges = None if self.cu_seqlens is None else moved(self.cu_seqlens)
        return self._replace(
            ids=moved(self.ids),
            labels=moved(self.labels),
            positions=moved(self.positions),
            cu_seqlens=edges,
        )


def padded(documents: Sequence[torch.Tensor], width: int, rows: int = 1) -> Batch:
    """Return documents as rows of ``width``, at least ``rows`` of them.

    >>> batch = padded([torch.tensor([5, 6, 7]), torch.tensor([8, 9])], width=4)
    >>> batch.ids.tolist(), batch.labels.tolist(), batch.targets
    ([[5, 6, 7, 0], [8, 9, 0, 0]], [[6, 7, -100, -100], [9, -100, -100, -100]], 3)
    """
    shape = (max(len(documents), rows), width)
    ids = torch.full(shape, PADDING)
    labels = torch.full(shape, IGNORED)
    for row, document in enumerate(documents):
        size = len(document)
        ids[row, :size] = document
        labels[row, : size - 1] = document[1:]
    positions = torch.arange(width).expand(shape).contiguous()
    return Batch(ids, labels, positions, None, tuple(map(len, documents)))


def packed(documents: Sequence[torch.Tensor], width: int) -> Batch:
    """Return documents in one row of ``width``, what is left of it as a document of padding.

    >>> batch = packed([torch.tensor([5, 6, 7]), torch.tensor([8, 9])], width=6)
    >>> batch.ids.tolist(), batch.labels.tolist()
    ([[5, 6, 7, 8, 9, 0]], [[6, 7, -100, 9, -100, -100]])
    >>> batch.positions.tolist(), batch.cu_seqlens.tolist()
    ([[0, 1, 2, 0, 1, 0]], [0, 3, 5, 6])
    """
    sizes = [len(document) for document in documents]
    ids = torch.full((1, width), PADDING)
    labels = torch.full((1, width), IGNORED)
    begin = 0
    for document, size in zip(documents, sizes, strict=True):
        ids[0, begin : begin + size] = document
        labels[0, begin : begin + size - 1] = document[1:]
        begin += size
    if begin < width:
        sizes.append(width - begin)
    positions = torch.cat([torch.arange(size) for size in sizes])[None]
    edges = torch.tensor([0, *sizes]).cumsum(0).to(torch.int32)
    return Batch(ids, labels, positions, edges, tuple(map(len, documents)))


class Planned(Dataset[Batch]):
    """The batches of a plan, made when they are asked for."""

    def __init__(self, corpus: Corpus, groups: Sequence[Group], rows: int = 1) -> None:
        self.corpus = corpus
        self.groups = groups
        self.rows = rows

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, number: int) -> Batch:
        group = self.groups[number]
        documents = [self.corpus[document] for document in group.documents]
        if group.is_packed:
            return packed(documents, group.width)
        return padded(documents, group.width, self.rows)


def share(groups: Sequence[Group], rank: int, ranks: int) -> list[Group]:
    """Return every ``ranks``-th batch from that of ``rank``: as many for each rank.

    Where they do not come out even, a rank gets a batch without a document at the end, so that it
    takes part in what the others do together.
    """
    mine = [*groups[rank::ranks]]
    if len(mine) < -(-len(groups) // ranks):
        mine.append(Group((), groups[0].width, groups[0].is_packed))
    return mine


def loaded(
    batches: Planned,
    start: int = 0,
    *,
    workers: int = 0,
    prefetch: int = 2,
    is_pinned: bool = False,
    timeout_s: float = 0,
) -> Generator[Batch, None, None]:
    """Yield the batches from number ``start`` on.

    Raises:
        HarnessError: a worker died, or did not answer within ``timeout_s``.
    """
    loader = DataLoader(
        batches,
        batch_size=None,
        sampler=range(start, len(batches)),
        num_workers=workers,
        # Refused without workers, since nothing would fetch ahead.
        prefetch_factor=prefetch if workers else None,
        pin_memory=is_pinned,
        timeout=timeout_s if workers else 0,
    )
    iterator = iter(loader)
    try:
        # The last three: a worker died while it handed over a batch, through a socket.
        with watched(RuntimeError, ConnectionError, EOFError, FileNotFoundError):
            yield from iterator
    finally:
        # A traceback that is kept would keep them alive, and torch complaining of one that died.
        if workers and hasattr(iterator, "_shutdown_workers"):
            iterator._shutdown_workers()


@contextmanager
def watched(*errors: type[Exception]) -> Iterator[None]:
    """Tell of a worker that died in one line; torch raises it wherever the process is just then.

    Raises:
        HarnessError: one died, or did not answer in time.
    """
    try:
        yield
    except errors as err:
        said = next(iter(str(err).splitlines()), "")
        if not isinstance(err, RuntimeError):
            said = f"DataLoader worker is gone: {said or type(err).__name__}"
        elif not said.startswith("DataLoader"):
            raise
        raise HarnessError(
            f"{said.rstrip('. ')}; was it killed for memory (dmesg)? try fewer data.workers, or 0 "
            "to see its own error"
        ) from err
