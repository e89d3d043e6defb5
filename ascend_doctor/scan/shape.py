"""Shapes of messages: the template of one that is equal to others but for digits.

The image of a message has a zero for each of its decimal digits. Messages with one image differ in
digits only, as many in the same places; those of a template have the same digits as well wherever
its numbers are not open. A number that is hexadecimal has letters besides: where those stand is
known by an image in which the letters a to f are zeros too, and what is left around them is
looked up like an image.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any, Generic, TypeVar

from msgspec import Struct, field

from ascend_doctor.view.digits import ZEROS

# Bytes of shapes that are kept, and what one takes besides its image.
MAX_BYTES = 12 << 20
_OVERHEAD = 600

_HEX_ZEROS = bytes.maketrans(b"123456789abcdef", b"000000000000000")
_FIXED = re.compile(rb"\d(?:.*\d)?", re.DOTALL)

T = TypeVar("T")
Span = tuple[int, int]


def images_of(messages: Sequence[bytes]) -> list[bytes]:
    """Return messages with a zero for each decimal digit.

    >>> images_of([b"stream 12 at 0x1f0a"])
    [b'stream 00 at 0x0f0a']
    """
    return [*map(bytes.translate, messages, repeat(ZEROS))]


class Holes(Struct, frozen=True):
    """What may be otherwise in each message of a template: places in one of them, in order.

    ``words`` are the hexadecimal numbers that are known by nothing but having letters and digits.
    """

    decimal: Sequence[Span]
    hexadecimal: Sequence[Span]
    words: Sequence[Span]


class Shape(Struct, Generic[T], frozen=True):
    """The templates of messages with one image, by the ``fixed`` digits in them."""

    fixed: Sequence[slice]
    key: Callable[[bytes], Any]
    templates: dict[Any, T] = field(default_factory=dict)


class _Cut(Struct, Generic[T], frozen=True):
    """The same for messages with hexadecimal numbers: by all that is left around these.

    ``apart`` yields that of an image with its message behind it.
    """

    fixed: Sequence[slice]
    holes: Holes
    apart: Callable[[bytes], tuple[bytes, ...]]
    templates: dict[bytes, T] = field(default_factory=dict)


class Shapes(Generic[T]):
    """The shapes of messages that are known to fit a template.

    Attributes:
        plain: those without hexadecimal numbers, by image.
    """

    def __init__(self) -> None:
        self.plain: dict[bytes, Shape[T]] = {}
        self._cuts: dict[bytes, _Cut[T]] = {}
        self._bytes = 0

    @property
    def is_full(self) -> bool:
        """True if no more shapes are kept."""
        return self._bytes > MAX_BYTES

    def find(self, message: bytes, image: bytes) -> T | None:
        """Return the template of a message with hexadecimal numbers, if its shape is known."""
        cut = self._cuts.get(image.translate(_HEX_ZEROS))
        if cut is None:
            return None
        for start, end in cut.holes.words:
            word = image[start:end]
            if word.isdigit() or word.isalpha():
                return None
        return cut.templates.get(b"".join(cut.apart(image + message)))

    def add(self, message: bytes, image: bytes, holes: Holes, template: T) -> None:
        """Keep the shape of a message that fits a template.

        Where another one is in the way, messages of this shape stay unknown.
        """
        if self.is_full:
            return
        self._bytes += 2 * len(image) + _OVERHEAD
        fixed = [*_fixed(message, sorted((*holes.decimal, *holes.hexadecimal)))]
        if holes.hexadecimal:
            parts = _parts(holes.hexadecimal, fixed, len(image), len(message))
            new: _Cut[T] = _Cut(fixed, holes, struct.Struct(parts).unpack)
            cut = self._cuts.setdefault(image.translate(_HEX_ZEROS), new)
            if cut.fixed == fixed and cut.holes.hexadecimal == holes.hexadecimal:
                cut.templates[b"".join(cut.apart(image + message))] = template
        else:
            shape = self.plain.setdefault(image, Shape(fixed, itemgetter(*fixed)))
            if shape.fixed == fixed:
                shape.templates[shape.key(message)] = template


def _parts(holes: Iterable[Span], fixed: Iterable[slice], image: int, message: int) -> str:
    """Return the format of an image and its message behind it, of so many bytes.

    It leaves out the ``holes`` of the image, and all but the ``fixed`` digits of the message.
    """
    parts, place = [], 0
    for start, end in holes:
        parts.append(f"{start - place}s{end - start}x")
        place = end
    parts.append(f"{image - place}s")
    place = 0
    for digits in fixed:
        parts.append(f"{digits.start - place}x{digits.stop - digits.start}s")
        place = digits.stop
    return "".join((*parts, f"{message - place}x"))


def _fixed(message: bytes, holes: Sequence[Span]) -> Iterator[slice]:
    """Yield where digits stand outside of ``holes``."""
    place = 0
    for start, end in (*holes, (len(message), len(message))):
        digits = _FIXED.search(message, place, start)
        if digits is not None:
            yield slice(*digits.span())
        place = end
