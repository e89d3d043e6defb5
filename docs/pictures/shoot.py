"""Take the pictures of the HTML report: ``make pictures``, or ``python -m docs.pictures.shoot``.

They need Debian's chromium and fonts, which root's call installs.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, sync_playwright

import ascend_doctor
from ascend_doctor.records import Lang
from ascend_doctor.reporters import html
from tests.browser.chromium import OPTIONS, chromium

HERE = Path(__file__).parent
SAMPLES = HERE.parents[1] / "samples"


class Picture(NamedTuple):
    """What is shown of which sample, and how."""

    name: str
    sample: str
    lang: Lang
    size: tuple[int, int] = (1280, 800)
    scheme: str = "light"


PICTURES = (
    Picture("html-en", "buffer_oom-fragmented", "en"),
    Picture("html-zh", "buffer_oom-fragmented", "zh"),
    Picture("html-dark-en", "communication-port-busy", "en", scheme="dark"),
    Picture("html-dark-zh", "communication-port-busy", "zh", scheme="dark"),
    Picture("html-narrow-en", "kernel_fault-mte-address", "en", size=(390, 844)),
    Picture("html-narrow-zh", "kernel_fault-mte-address", "zh", size=(390, 844)),
)


def shoot(browser: Browser, picture: Picture, folder: Path) -> None:
    """Take one picture, by way of a page in ``folder``."""
    page_file = folder / f"{picture.name}.html"
    report = ascend_doctor.analyze(SAMPLES / picture.sample)
    page_file.write_text(html.render(report, picture.lang), encoding="utf-8")
    width, height = picture.size
    page = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme=picture.scheme
    )
    page.goto(page_file.as_uri())
    page.screenshot(path=HERE / f"{picture.name}.png")
    page.close()


def main() -> int:
    """Take all pictures."""
    path = chromium()
    if path is None:
        print("no chromium: apt-get install chromium fonts-noto-core fonts-noto-cjk")
        return 1
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        for picture in PICTURES:
            shoot(browser, picture, Path(folder))
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
