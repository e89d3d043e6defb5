"""What people and programs read, whole: one golden file a report, format and language.

``pytest tests/reporters --update-golden`` writes them anew; the diff is to be reviewed.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

import ascend_doctor
from ascend_doctor.reporters.registry import FORMATS
from tests.conftest import ROOT
from tests.reporters.reports import CLEAN, FULL, GATED, HOSTILE_FULL, INTERRUPTED, KNOWN, NOTHING

GOLDEN = Path(__file__).parent / "golden"
SAMPLES = {"oom": "buffer_oom-fragmented", "import": "not_found-no-cann-environment"}
# A page holds its style and script as well; tests/browser looks at what is seen of it.
WHOLE = [name for name in FORMATS if name != "html"]
REPORTS = {
    "full": FULL,
    "hostile": HOSTILE_FULL,
    "clean": CLEAN,
    "nothing": NOTHING,
    "interrupted": INTERRUPTED,
    "gated": GATED,
    "known": KNOWN,
}


@pytest.fixture
def is_as_before(request):
    def compare(said: str, name: str) -> None:
        golden = GOLDEN / name
        if request.config.getoption("--update-golden"):
            golden.write_bytes(said.encode())
        assert said == golden.read_bytes().decode()

    return compare


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("format_", ["text", "markdown"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_sample_reads_as_it_did(is_as_before, sample, format_, lang):
    report = ascend_doctor.analyze(ROOT / "samples" / SAMPLES[sample])
    # Another version, and any change of a rule, would change every file.
    report = replace(report, version="0.1.0", rules_digest="0123456789abcdef")
    is_as_before(FORMATS[format_].render(report, lang), f"{sample}.{format_}.{lang}.txt")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("format_", WHOLE)
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_reads_as_it_did(is_as_before, name, format_, lang):
    said = FORMATS[format_].render(REPORTS[name], lang)
    is_as_before(said, f"{name}.{format_}.{lang}.txt")
