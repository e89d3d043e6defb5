"""A JSON report read back: the inverse of ``reporters.json``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ascend_doctor.errors import ResultError
from ascend_doctor.report import Breakdown, Gate, Report, Timeline
from ascend_doctor.reporters.field import Field
from ascend_doctor.reporters.stored.breakdown import breakdown
from ascend_doctor.reporters.stored.coverage import coverage, gate
from ascend_doctor.reporters.stored.diagnoses import code, diagnosis, timeline, unexplained
from ascend_doctor.reporters.stored.parsing import MAX_BYTES, parsed
from ascend_doctor.reporters.stored.values import title

if TYPE_CHECKING:
    from ascend_doctor.machine.model import Machine

# A newer minor version only adds fields.
_MAJOR = "1"


def loads(data: bytes, name: str) -> Report:
    """Return the report that a JSON report holds.

    Args:
        data: what ``analyze -f json`` wrote, in UTF-8, -16 or -32.
        name: what errors call it.

    Raises:
        ResultError: it is not JSON, not of this tool, of a newer version, or a field is wrong.
    """
    if len(data) > MAX_BYTES:
        raise ResultError(f"{name}: larger than {MAX_BYTES >> 20} MiB, which no result is")
    document = parsed(data, name)
    root = Field(document, name, "")
    tool, version = root.at("tool"), root.at("schema_version")
    if tool.at("name").text() != "ascend-doctor":
        tool.at("name").refuse("another tool made it")
    if version.text().partition(".")[0] != _MAJOR:
        version.refuse(
            f"version {version.text()} is newer than this ascend-doctor, which reads {_MAJOR}.x"
        )
    return Report(
        rules_digest=tool.at("rules_digest").text(),
        diagnoses=tuple(map(diagnosis, root.at("diagnoses").items())),
        unexplained=tuple(map(unexplained, root.at("unexplained").items())),
        environment=root.at("environment").mapping(Field.text),
        coverage=coverage(root.at("coverage")),
        families=root.maybe("families", lambda value: value.mapping(title), {}),
        version=tool.at("version").text(),
        timeline=root.maybe("timeline", timeline, Timeline()),
        codes=root.maybe("codes", lambda value: tuple(map(code, value.items())), ()),
        is_redacted=root.maybe("redacted", Field.flag, False),
        gate=root.maybe("gate", gate, Gate()),
        breakdown=root.maybe("breakdown", breakdown, Breakdown()),
        thresholds=root.maybe("thresholds", lambda value: value.mapping(Field.decimal), {}),
        machine=_machine(document.get("machine"), name),
        roots=root.maybe("roots", _roots, ()),
    )


def _machine(data: Any, name: str) -> Machine | None:
    if data is None:
        return None
    from ascend_doctor.machine.stored import of_dict

    return of_dict(data, name)


def _roots(value: Field) -> tuple[tuple[str, str], ...]:
    return tuple((item.at("shown").text(), item.at("path").text()) for item in value.items())
