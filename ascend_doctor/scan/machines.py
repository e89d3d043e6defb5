"""A machine → the facts that it yields, as the lines of a log do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from msgspec.structs import replace

from ascend_doctor.errors import ResultError
from ascend_doctor.facts import Said, Shard
from ascend_doctor.ingest.source import Skipped, Source
from ascend_doctor.machine.checks.paths import newest
from ascend_doctor.machine.gather.variables import PREFIXES
from ascend_doctor.machine.model import ENVIRON, HERE, Machine, Place, Value
from ascend_doctor.machine.stored import MAX_BYTES, as_dict, loads
from ascend_doctor.records import Evidence

# Packages of which a report shows the version, as it does where a log prints it.
_PACKAGES = ("torch", "torch_npu", "mindspore", "vllm", "vllm_ascend", "transformers")
# Variables that are shown: the paths of others would fill the page.
_SHORT = re.compile(r"[\w.,:/+-]{1,80}")
_MAX_VARIABLES = 32


def scan_machine(source: Source, text: Iterator[bytes]) -> Shard | Skipped:
    """Read a result of ``env``, or the document of a collection."""
    data = bytearray()
    for block in text:
        data += block
        if len(data) > MAX_BYTES:
            break
    try:
        machine = loads(bytes(data), source.path)
    except ResultError as err:
        return Skipped(source.path, str(err).removeprefix(f"{source.path}: "))
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    return replace(shard_of(machine, source.path), size=len(data), lines=lines)


def shard_of(machine: Machine, path: str = HERE) -> Shard:
    """Return the facts of a machine that the file ``path`` tells of."""
    text = json.dumps(as_dict(machine), indent=1)
    said = tuple(
        Said(name, item.value, evidence(path, item.place)) for name, item in _said(machine)
    )
    lines = text.count("\n") + 1
    return Shard(path, "environment", len(text), lines, environment=said, machine=machine)


def evidence(path: str, place: Place) -> Evidence:
    """Return a place of the machine that the file ``path`` tells of, as proof."""
    line = max(1, place.line)
    return Evidence(shown(path, place.path), line, place.text, (line, 0))


def shown(path: str, name: str) -> str:
    """Return what a file of a machine is called: as members of an archive are, unless it is here.

    >>> shown("env.json", "/etc/ld.so.conf"), shown(HERE, "/etc/ld.so.conf")
    ('env.json!/etc/ld.so.conf', '/etc/ld.so.conf')
    """
    return name if path == HERE else f"{path}!{name}"


def _said(machine: Machine) -> Iterator[tuple[str, Value]]:
    """Yield what a log may say as well, in the names that it is known by."""
    cann = newest(machine)
    if cann is not None and cann.version:
        yield "cann", Value(cann.version, cann.place)
    if machine.driver is not None:
        yield "driver", Value(machine.driver.version, machine.driver.place)
    if machine.firmware is not None:
        yield "firmware", machine.firmware
    if machine.chips is not None:
        yield "soc", Value(machine.chips.name, machine.chips.place)
    if machine.python is not None:
        yield "python", Value(machine.python.version, machine.python.place)
    for name in _PACKAGES:
        package = machine.package(name)
        if package is not None:
            yield name, Value(package.version, package.place)
    if machine.host.container is not None:
        yield "container", machine.host.container
    ours = (v for v in machine.variables or () if v.name.startswith(PREFIXES))
    told = [v for v in ours if v.value is not None and _SHORT.fullmatch(v.value)]
    for item in told[:_MAX_VARIABLES]:
        place = Place(ENVIRON, item.line, f"{item.name}={item.value}")
        yield item.name, Value(item.value or "", place)
