"""A value of a parsed JSON document that knows where it stands, for errors that point at it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

from ascend_doctor.errors import ResultError
from ascend_doctor.records import LANGS, Lang

_T = TypeVar("_T")


class Field:
    """A JSON value that knows where it stands, for errors that point at it."""

    def __init__(self, value: Any, name: str, where: str) -> None:
        self._value = value
        self._name = name
        self._where = where

    def refuse(self, reason: str) -> NoReturn:
        """Raise an error that points at this value."""
        where = f"{self._name}: {self._where}" if self._where else self._name
        raise ResultError(f"{where}: {reason}")

    def at(self, key: str) -> Field:
        """Return a field of an object, which must have it."""
        fields = self._of(dict, "an object")
        inner = self._inner(fields.get(key), f".{key}" if self._where else key)
        if key not in fields:
            inner.refuse("this field is missing; was it written by `ascend-doctor analyze`?")
        return inner

    def maybe(self, key: str, read: Callable[[Field], _T], otherwise: _T) -> _T:
        """Read a field that may be null, or that earlier minor versions did not have."""
        if self._of(dict, "an object").get(key) is None:
            return otherwise
        return read(self.at(key))

    def items(self) -> list[Field]:
        """Return the values of a list."""
        values = self._of(list, "a list")
        return [self._inner(value, f"[{number}]") for number, value in enumerate(values)]

    def mapping(self, read: Callable[[Field], _T]) -> dict[str, _T]:
        """Return an object, each of its values read."""
        return {key: read(self.at(key)) for key in self._of(dict, "an object")}

    def by_lang(self, read: Callable[[Field], _T]) -> dict[Lang, _T]:
        """Return what is there in each language."""
        return {lang: read(self.at(lang)) for lang in LANGS}

    def text(self) -> str:
        """Return a text."""
        return self._of(str, "a text")

    def flag(self) -> bool:
        """Return true or false."""
        return self._of(bool, "true or false")

    def number(self, least: int | None = None) -> int:
        """Return a whole number, ``least`` or more."""
        number = self._of(int, "a whole number")
        if isinstance(number, bool):
            self.refuse("must be a whole number")
        if least is not None and number < least:
            self.refuse(f"must be {least} or more")
        return number

    def decimal(self, least: float | None = None) -> float:
        """Return a number with or without a fraction, ``least`` or more."""
        if isinstance(self._value, bool) or not isinstance(self._value, (int, float)):
            self.refuse("must be a number")
        try:
            number = float(self._value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.refuse("must be a finite number")
        if least is not None and number < least:
            self.refuse(f"must be {least:g} or more")
        return number

    def one_of(self, values: Mapping[str, _T]) -> _T:
        """Return what a text stands for, which must be one of ``values``."""
        if self.text() not in values:
            self.refuse(f"must be one of {', '.join(values)}")
        return values[self.text()]

    def pair(self, read: Callable[[Field], _T]) -> tuple[_T, _T]:
        """Return a list of two."""
        values = self.items()
        if len(values) != 2:
            self.refuse("must be a list of two")
        return read(values[0]), read(values[1])

    def _inner(self, value: Any, key: str) -> Field:
        return Field(value, self._name, self._where + key)

    def _of(self, kind: type[_T], called: str) -> _T:
        if not isinstance(self._value, kind):
            self.refuse(f"must be {called}")
        return self._value
