"""What GitHub's runner makes of the lines that a step prints."""

from __future__ import annotations

from typing import NamedTuple

_COMMANDS = {
    *("add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group"),
    *("notice", "remove-matcher", "save-state", "set-env", "set-output", "stop-commands"),
    "warning",
}
_DATA = {"%0D": "\r", "%0A": "\n", "%25": "%"}
_PROPERTY = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}
_OLD = {"%3B": ";", "%0D": "\r", "%0A": "\n", "%5D": "]", "%25": "%"}


class Command(NamedTuple):
    """A workflow command that the runner obeys."""

    name: str
    properties: dict[str, str]
    data: str


def obeyed(printed: str) -> list[Command]:
    """Return the commands that are obeyed, in order; the word that resumes is one as well."""
    commands, token = [], None
    # .NET ends a line at each of these.
    for line in printed.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        known = _COMMANDS | ({token} if token else set())
        command = _new(line, known) or _old(line, known)
        if command is None or (token is not None and command.name != token):
            continue
        commands.append(command)
        token = command.data if command.name == "stop-commands" else None
    return commands


def _new(line: str, known: set[str]) -> Command | None:
    """Read ``::name key=value,key=value::data`` at the start of a line."""
    line = line.lstrip()
    if not line.startswith("::") or "::" not in line[2:]:
        return None
    head, data = line[2:].split("::", 1)
    name, _, properties = head.partition(" ")
    if name.lower() not in known:
        return None
    pairs = (item.split("=", 1) for item in properties.strip().split(",") if item)
    values = {pair[0]: _unescaped(pair[1], _PROPERTY) for pair in pairs if len(pair) == 2}
    return Command(name.lower(), values, _unescaped(data, _DATA))


def _old(line: str, known: set[str]) -> Command | None:
    """Read ``##[name key=value;key=value]data`` anywhere in a line."""
    _, prefix, rest = line.partition("##[")
    head, bracket, data = rest.partition("]")
    name, _, properties = head.partition(" ")
    if not (prefix and bracket) or name.lower() not in known:
        return None
    pairs = (item.split("=", 1) for item in properties.split(";") if item)
    values = {pair[0]: _unescaped(pair[1], _OLD) for pair in pairs if len(pair) == 2}
    return Command(name.lower(), values, _unescaped(data, _OLD))


def _unescaped(text: str, mapping: dict[str, str]) -> str:
    for escaped, char in mapping.items():
        text = text.replace(escaped, char)
    return text
