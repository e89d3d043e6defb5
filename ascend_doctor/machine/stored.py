"""A machine as JSON, and back; what comes in may be anybody's."""

from __future__ import annotations

import json
import types
from collections.abc import Callable
from functools import cache
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo, fields

from ascend_doctor.errors import ResultError
from ascend_doctor.machine.model import Machine

# A machine takes some tens of KiB.
MAX_BYTES = 16 << 20
# Texts and lists of a machine are shorter by far.
_MAX_TEXT = 1 << 16
_MAX_ITEMS = 4096


def as_dict(machine: Machine) -> dict[str, Any]:
    """Return a machine as plain data, without what is at its default."""
    return cast("dict[str, Any]", _plain(machine))


def of_dict(data: Any, name: str) -> Machine:
    """Return the machine that plain data describes; ``name`` is what errors call the file.

    Raises:
        ResultError: a field is unknown or of another kind.
    """
    return cast(Machine, _read(Machine, data, f"{name}: machine"))


def loads(data: bytes, name: str) -> Machine:
    """Return the machine in a JSON document: a result of ``env``, or ``environment.json``.

    Raises:
        ResultError: it is no such document.
    """
    if len(data) > MAX_BYTES:
        raise ResultError(f"{name}: larger than {MAX_BYTES >> 20} MiB, which no such file is")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as err:
        raise ResultError(f"{name}: no result of `ascend-doctor env`: {err}") from err
    machine = document.get("machine") if isinstance(document, dict) else None
    if machine is None:
        raise ResultError(f"{name}: no result of `ascend-doctor env`")
    return of_dict(machine, name)


def mapped(machine: Machine, text: Callable[[str, str], str]) -> Machine:
    """Return a machine with each text put through a function, which gets its name as well.

    The name is that of the field, or of the variable whose value it is.
    """

    def walk(value: Any, name: str) -> Any:
        if isinstance(value, dict):
            called = str(value.get("name", "value"))
            return {k: walk(item, called if k == "value" else k) for k, item in value.items()}
        if isinstance(value, list):
            return [walk(item, name) for item in value]
        return text(name, value) if isinstance(value, str) else value

    return of_dict(walk(as_dict(machine), ""), "")


def _plain(value: Any) -> Any:
    if isinstance(value, Struct):
        told = {}
        for field in fields(value):
            item = getattr(value, field.name)
            if item != _default(field):
                told[field.name] = _plain(item)
        return told
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _default(field: FieldInfo) -> Any:
    if field.default_factory is not NODEFAULT:
        return field.default_factory()
    return field.default


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(kind: Any, value: Any, where: str) -> Any:
    if get_origin(kind) in (Union, types.UnionType):
        if value is None and type(None) in get_args(kind):
            return None
        return _read(get_args(kind)[0], value, where)
    if get_origin(kind) is tuple:
        return _tuple(get_args(kind), value, where)
    if isinstance(kind, type) and issubclass(kind, Struct):
        return _object(kind, value, where)
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if kind is int and is_whole and 0 <= value < 1 << 63:
        return value
    if kind is not int and isinstance(value, kind):
        if isinstance(value, str) and len(value) > _MAX_TEXT:
            raise ResultError(f"{where}: longer than {_MAX_TEXT} characters")
        return value
    called = {str: "a text", int: "a whole number", bool: "true or false"}[kind]
    raise ResultError(f"{where}: must be {called}")


def _tuple(kinds: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise ResultError(f"{where}: must be a list")
    if len(value) > _MAX_ITEMS:
        raise ResultError(f"{where}: has more than {_MAX_ITEMS} items")
    if kinds[-1] is ...:
        kinds = (kinds[0],) * len(value)
    if len(kinds) != len(value):
        raise ResultError(f"{where}: must be a list of {len(kinds)}")
    return tuple(
        _read(kind, item, f"{where}[{number}]")
        for number, (kind, item) in enumerate(zip(kinds, value, strict=True))
    )


def _object(kind: type[Struct], value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise ResultError(f"{where}: must be an object")
    hints = _hints(kind)
    # A later version may know more of a machine; what it adds is not judged here.
    given = {k: _read(hints[k], v, f"{where}.{k}") for k, v in value.items() if k in hints}
    try:
        return kind(**given)
    except TypeError:
        needed = [f.name for f in fields(kind) if f.required]
        lacking = next(name for name in needed if name not in given)
        raise ResultError(f"{where}.{lacking}: is missing") from None
