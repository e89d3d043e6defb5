"""Shapes of messages: the template of one that is equal to others but for digits.

The image of a message has a zero for each of its decimal digits. Messages with one image differ in
digits only, as many in the same places; those of a template have the same digits as well wherever
its numbers are not open. A number that is hexadecimal has letters besides: where those stand is
known by an image in which the letters a to f are zeros too, and what is left around them is
looked up like an image.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from struct import Struct
from typing import Any, Generic, TypeVar

# Bytes of shapes that are kept, and what one takes besides its image.
MAX_BYTES = 12 << 20
_OVERHEAD = 600

_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_HEX_ZEROS = bytes.maketrans(b"123456789abcdef", b"000000000000000")
_FIXED = re.compile(rb"\d(?:.*\d)?", re.DOTALL)

T = TypeVar("T")
Span = tuple[int, int]


def image_of(message: bytes) -> bytes:
    """Return a message with a zero for each decimal digit.

    >>> image_of(b"stream 12 at 0x1f0a")
    b'stream 00 at 0x0f0a'
    """
    return message.translate(_ZEROS)


@dataclass(frozen=True, slots=True)
class Holes:
    """What may be otherwise in each message of a template: places in one of them, in order.

    ``words`` are the hexadecimal numbers that are known by nothing but having letters and digits.
    """

    decimal: Sequence[Span]
    hexadecimal: Sequence[Span]
    words: Sequence[Span]


@dataclass(frozen=True, slots=True)
class Shape(Generic[T]):
    """The templates of messages with one image, by what stands around ``fixed`` digits."""

    fixed: tuple[slice, ...]
    key: Callable[[bytes], Any]
    templates: dict[Any, T] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Cut(Generic[T]):
    """Where the hexadecimal numbers stand in some messages, and the shapes of what is left."""

    holes: Sequence[Span]
    words: Sequence[Span]
    left: Struct
    shapes: dict[bytes, Shape[T]] = field(default_factory=dict)


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
        for start, end in cut.words:
            word = image[start:end]
            if word.isdigit() or word.isalpha():
                return None
        shape = cut.shapes.get(b"".join(cut.left.unpack(image)))
        return None if shape is None else shape.templates.get(shape.key(message))

    def add(self, message: bytes, image: bytes, holes: Holes, template: T) -> None:
        """Keep the shape of a message that fits a template.

        Where another one is in the way, messages of this shape stay unknown.
        """
        if self.is_full:
            return
        shapes = self.plain
        if holes.hexadecimal:
            hexadecimal = image.translate(_HEX_ZEROS)
            cut = self._cuts.get(hexadecimal)
            if cut is None:
                left = Struct(_around(holes.hexadecimal, len(image)))
                cut = self._cuts[hexadecimal] = _Cut(holes.hexadecimal, holes.words, left)
                self._bytes += len(image) + _OVERHEAD
            if (cut.holes, cut.words) != (holes.hexadecimal, holes.words):
                return
            shapes, image = cut.shapes, b"".join(cut.left.unpack(image))
        fixed = tuple(_fixed(message, sorted((*holes.decimal, *holes.hexadecimal))))
        shape = shapes.get(image)
        if shape is None:
            shape = shapes[image] = Shape(fixed, itemgetter(*fixed))
            self._bytes += len(image) + _OVERHEAD
        if shape.fixed == fixed:
            shape.templates[shape.key(message)] = template
            self._bytes += _OVERHEAD


def _around(holes: Sequence[Span], size: int) -> str:
    """Return the format of a structure that leaves out the ``holes`` of so many bytes."""
    parts, place = [], 0
    for start, end in holes:
        parts.append(f"{start - place}s{end - start}x")
        place = end
    return "".join((*parts, f"{size - place}s"))


def _fixed(message: bytes, holes: Sequence[Span]) -> Iterator[slice]:
    """Yield where digits stand outside of ``holes``."""
    place = 0
    for start, end in (*holes, (len(message), len(message))):
        digits = _FIXED.search(message, place, start)
        if digits is not None:
            yield slice(*digits.span())
        place = end
