"""``ascend-doctor.toml`` and ``[tool.ascend-doctor]``: found, read, and each key with its line."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ascend_doctor import late
from ascend_doctor.errors import SettingError

NAME = "ascend-doctor.toml"
_PROJECT = "pyproject.toml"
_TABLE = ("tool", "ascend-doctor")
# A file of settings has a few lines; what is larger is none.
MAX_BYTES = 1 << 20

# A place in the data of a file: keys of tables, and numbers within arrays.
Place = tuple[str | int, ...]


class ConfigFile(Struct, frozen=True):
    """The settings of one file, and where each stands."""

    path: Path
    values: Mapping[str, Any]
    lines: Mapping[Place, int] = field(default_factory=dict)

    def where(self, *place: str | int) -> str:
        """Return ``file:line`` of a key, or of the nearest that is known around it."""
        for length in range(len(place), 0, -1):
            line = self.lines.get(place[:length])
            if line is not None:
                return f"{self.path}:{line}"
        return str(self.path)


def found() -> ConfigFile | None:
    """Return the settings in force in the working folder: its own, or those of the nearest above.

    Of one folder, ``ascend-doctor.toml`` goes before ``pyproject.toml``.

    Raises:
        SettingError: the file is wrong.
    """
    start = Path.cwd()
    for folder in (start, *start.parents):
        for name in (NAME, _PROJECT):
            # As seen from there: it stands in messages, and in reports that others read.
            path = Path(os.path.relpath(folder / name, start))
            if (folder / name).is_file() and (name == NAME or _has_table(path)):
                return read(path)
    return None


def read(path: Path) -> ConfigFile:
    """Read a file of settings.

    Raises:
        SettingError: it cannot be read, or is no TOML; it starts with ``file:line:``.
    """
    text = _text(path)
    data = _parsed(text, path)
    lines = dict(_lines(text))
    if path.name != _PROJECT:
        return ConfigFile(path, data, lines)
    for name in _TABLE:
        data = data.get(name, {})
        if not isinstance(data, dict):
            raise SettingError(f"{path}: {'.'.join(_TABLE)}: must be a table")
    depth = len(_TABLE)
    inner = {place[depth:]: n for place, n in lines.items() if place[:depth] == _TABLE}
    return ConfigFile(path, data, inner)


def _has_table(path: Path) -> bool:
    """Say whether a project has settings of ours; its other mistakes are none of our business."""
    try:
        tool = _parsed(_text(path), path).get(_TABLE[0])
    except SettingError:
        # Whether it has cannot be told: only a word of ours makes it a mistake to be told.
        return _mentions(path)
    return isinstance(tool, dict) and _TABLE[1] in tool


def _mentions(path: Path) -> bool:
    try:
        return re.search(r"^\[+tool\.[\"']?ascend-doctor", _text(path), re.MULTILINE) is not None
    except SettingError:
        return False


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as err:
        raise SettingError(f"{path}: {(err.strerror or str(err)).lower()}") from err
    if len(data) > MAX_BYTES:
        raise SettingError(f"{path}: too large for a file of settings")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        line = data.count(b"\n", 0, err.start) + 1
        raise SettingError(f"{path}:{line}: no UTF-8 text") from err


def _parsed(text: str, path: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as err:
        said = str(err)
        at = re.search(r"\s*\(at line (\d+), column \d+\)", said)
        line = int(at[1]) if at else max(1, text.count("\n"))
        reason = said if at is None else said.replace(at[0], "")
        reason = reason.replace(" (at end of document)", " at the end of the file")
        raise SettingError(f"{path}:{line}: {reason[:1].lower()}{reason[1:]}") from err
    except RecursionError as err:
        raise SettingError(f"{path}: nested too deeply") from err


# The parts of a TOML document, of one that is known to be right.
_TOKEN = late.pattern(
    r"(?P<comment>\#[^\n]*)"
    r'|(?P<string>"""(?:\\.|[^\\])*?"{3,5}(?!")'
    r"|'''.*?'{3,5}(?!')"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*')"
    r"|(?P<sign>[\[\]{}=,.])"
    r"|(?P<newline>\n)"
    r"|(?P<bare>[^\s\#\"'\[\]{}=,.]+)",
    re.DOTALL,
)


def _lines(text: str) -> Iterator[tuple[Place, int]]:
    """Yield the place of each key and table, and the line on which it stands.

    Keys within inline tables and arrays have the line of the key that these belong to.
    """
    arrays: dict[Place, int] = {}
    table: Place = ()
    for number, keys, is_header, is_array in _statements(text):
        if not is_header:
            for length in range(1, len(keys) + 1):
                yield (*table, *keys[:length]), number
            continue
        table = _resolved(keys[:-1], arrays)
        last: Place = (*table, keys[-1])
        if is_array:
            arrays[last] = arrays.get(last, -1) + 1
            if arrays[last] == 0:
                yield last, number
            table = (*last, arrays[last])
        else:
            table = _resolved(keys, arrays)
        yield table, number


def _resolved(keys: tuple[str, ...], arrays: Mapping[Place, int]) -> Place:
    """Return the place of a table, with the number of the latest one in each array on the way."""
    place: Place = ()
    for key in keys:
        place = (*place, key)
        if place in arrays:
            place = (*place, arrays[place])
    return place


def _statements(text: str) -> Iterator[tuple[int, tuple[str, ...], bool, bool]]:
    """Yield line, keys, and whether it is a header, and one of an array, for each statement."""
    line, depth = 1, 0
    keys: list[str] = []
    state = "start"  # of a statement: start, header, key, value
    brackets = 0
    for token in _TOKEN.finditer(text):
        kind, value = token.lastgroup, token[0]
        if kind == "newline" and depth == 0:
            if state == "header" and keys:
                yield line, tuple(keys), True, brackets == 2
            keys, state, brackets = [], "start", 0
        elif kind == "sign" and state == "start" and value == "[":
            state, brackets = "header", 1
        elif kind == "sign" and state == "header" and value == "[":
            brackets = 2
        elif kind in ("bare", "string") and state in ("start", "header", "key"):
            keys.append(value if kind == "bare" else _unquoted(value))
            state = "key" if state == "start" else state
        elif kind == "sign" and state == "key" and value == "=":
            yield line, tuple(keys), False, False
            state = "value"
        elif kind == "sign" and state == "value":
            depth += (value in "[{") - (value in "]}")
        line += value.count("\n")
    if state == "header" and keys:
        yield line, tuple(keys), True, brackets == 2


def _unquoted(text: str) -> str:
    if text.startswith("'"):
        return text[1:-1]
    return re.sub(
        r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)",
        lambda found: chr(int(found[1][1:], 16)) if len(found[1]) > 1 else found[1],
        text[1:-1],
    )
