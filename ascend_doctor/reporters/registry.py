"""The formats of a report: what each is called and which module renders it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from msgspec import Struct

from ascend_doctor.records import Lang

if TYPE_CHECKING:
    from ascend_doctor.report import Report


class Format(Struct, frozen=True):
    """A format that a report can be written in.

    Attributes:
        module: the reporter in this package; it is loaded when it is first used.
        is_for_screens: it follows the terminal's width, colours and encoding. The others are for
            programs and pages, which expect UTF-8 wherever they run.
        is_for_others: it is made to be pasted where others read it, and so is redacted unless
            that is declined.
    """

    name: str
    module: str
    is_for_screens: bool = False
    is_for_others: bool = False

    def render(self, report: Report, lang: Lang, **options: object) -> str:
        """Return ``report`` in this format; only formats for screens take options."""
        reporter = import_module(f"ascend_doctor.reporters.{self.module}")
        said = reporter.render(report, lang, **options)
        assert isinstance(said, str)
        return said


FORMATS: Mapping[str, Format] = {
    item.name: item
    for item in (
        Format("text", "text", is_for_screens=True),
        Format("html", "html"),
        Format("json", "json"),
        Format("junit", "junit"),
        Format("sarif", "sarif"),
        Format("gitlab", "gitlab"),
        Format("github", "github"),
        Format("markdown", "markdown", is_for_others=True),
    )
}
