"""Draw the terminal pictures of the README: ``python docs/pictures/draw.py``."""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

import ascend_doctor
from ascend_doctor.records import Lang
from ascend_doctor.reporters.text import render

HERE = Path(__file__).parent
SAMPLE = HERE.parents[1] / "samples" / "not_found-no-cann-environment"
WIDTH = 100

# What rich draws a character with, in SVG units.
CELL = 12.2

_INDENTED = re.compile(
    r'(?P<head><text [^>]*?)x="(?P<x>[\d.]+)"(?P<mid>[^>]*?)textLength="(?P<length>[\d.]+)"'
    r"(?P<tail>[^>]*)>(?P<blanks>(?:&#160;)+)(?=[^&<]|&(?!#160;))"
)


def draw(lang: Lang) -> str:
    """Return the report of the sample as SVG, with no font fetched from anywhere."""
    report = ascend_doctor.analyze(SAMPLE)
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    command = "pip install . && ascend-doctor analyze samples/not_found-no-cann-environment"
    console.print(Text(f"$ {command}", style="bold"))
    console.print(Text.from_ansi(render(report, lang, color=True, width=WIDTH)))
    svg = console.export_svg(title="ascend-doctor", unique_id=f"report-{lang}")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return _INDENTED.sub(_placed, svg)


def _placed(found: re.Match[str]) -> str:
    """Place a text where its first letter is; not every viewer keeps leading blanks."""
    shift = CELL * found["blanks"].count("&#160;")
    x, length = float(found["x"]) + shift, float(found["length"]) - shift
    return f'{found["head"]}x="{x:g}"{found["mid"]}textLength="{length:g}"{found["tail"]}>'


if __name__ == "__main__":
    for lang in ("en", "zh"):
        (HERE / f"report-{lang}.svg").write_text(draw(lang), encoding="utf-8")
