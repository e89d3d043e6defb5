"""Items that a thread makes while those before them are worked on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

# Items that wait to be taken.
_AHEAD = 3

_T = TypeVar("_T")


class _Failure:
    """What ended the making of items."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Order(Generic[_T]):
    """Items to be made, one whenever the thread finds the order, and those that were made."""

    def __init__(self, items: Iterator[_T]) -> None:
        self.made: SimpleQueue[_T | _Failure | None] = SimpleQueue()
        self._items = items

    def fulfil(self) -> None:
        try:
            self.made.put(next(self._items, None))
        except BaseException as err:
            # Whatever it is, whoever waits for the item is told.
            self.made.put(_Failure(err))


_Orders = SimpleQueue[_Order[Any] | None]


class Ahead:
    """A thread, begun when it is needed, that makes items in their order; to be closed.

    It is worth it where most of the making lets go of Python's lock. Nothing ever waits for the
    thread to end: once it is closed, or an iterator is left, it makes three more items at most.
    """

    def __init__(self) -> None:
        self._orders: _Orders | None = None

    def of(self, items: Iterator[_T]) -> Iterator[_T]:
        """Yield ``items``, none of which is None, and end as they do.

        They are made here if no thread can be started.
        """
        try:
            orders = self._orders = self._orders or _begun()
        except RuntimeError:
            yield from items
            return
        order = _Order(items)
        for _ in range(_AHEAD):
            orders.put(order)
        while (made := order.made.get()) is not None:
            if isinstance(made, _Failure):
                raise made.error
            orders.put(order)
            yield made

    def close(self) -> None:
        """Let the thread end."""
        if self._orders is not None:
            self._orders.put(None)


def _begun() -> _Orders:
    orders: _Orders = SimpleQueue()
    threading.Thread(target=_work, args=(orders,), name="ahead", daemon=True).start()
    return orders


def _work(orders: _Orders) -> None:
    while (order := orders.get()) is not None:
        order.fulfil()
