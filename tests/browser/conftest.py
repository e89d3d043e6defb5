"""A real browser: Debian's chromium, installed where it is missing and this may do so.

These tests never skip: who runs them (``make test``) wants to know whether the page works.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

import ascend_doctor
from ascend_doctor.records import Lang
from ascend_doctor.report import Report
from ascend_doctor.reporters import html
from tests.browser.chromium import OPTIONS, chromium
from tests.conftest import ROOT

WIDE, NARROW = (1280, 800), (390, 844)


@dataclass
class Seen:
    """A page with what it said and asked for."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def shown(self, selector: str) -> list[str]:
        """Return the texts of what is seen of some elements."""
        found = self.page.locator(selector)
        return [item.inner_text().strip() for item in found.all() if item.is_visible()]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium()
    if path is None:
        pytest.fail("no chromium to look at the page with: `apt-get install chromium`")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield started
        started.close()


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    """Open a report as a file, as from a mail, and note what the page says and asks for."""
    contexts: list[BrowserContext] = []

    def opened(
        report: Report,
        *,
        lang: Lang = "en",
        size: tuple[int, int] = WIDE,
        anchor: str = "",
        **options: Any,
    ) -> Seen:
        file = tmp_path / "report.html"
        file.write_text(html.render(report, lang), encoding="utf-8")
        viewport = {"width": size[0], "height": size[1]}
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        seen = Seen(page)
        page.on("console", lambda message: seen.said.append(message.text))
        page.on("pageerror", lambda error: seen.said.append(str(error)))
        page.on("dialog", lambda dialog: (seen.said.append("dialog"), dialog.dismiss()))
        page.on("request", lambda request: seen.asked.append(request.url))
        page.goto(file.as_uri() + anchor)
        seen.asked.remove(file.as_uri() + anchor if not anchor else file.as_uri())
        return seen

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def sample() -> Any:
    """Return the report of a sample by its name."""
    reports: dict[str, Report] = {}

    def of(name: str) -> Report:
        if name not in reports:
            reports[name] = ascend_doctor.analyze(ROOT / "samples" / name)
        return reports[name]

    return of
