"""What people read, whole: one golden file a reporter and language.

``pytest tests/reporters --update-golden`` writes them anew; the diff is to be reviewed.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import ascend_doctor
from tests.conftest import ROOT

GOLDEN = Path(__file__).parent / "golden"
SAMPLES = {"oom": "buffer_oom-fragmented", "import": "not_found-no-cann-environment"}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("reporter", ["text", "markdown"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_report_reads_as_it_did(request, sample, reporter, lang):
    report = ascend_doctor.analyze(ROOT / "samples" / SAMPLES[sample])
    said = import_module(f"ascend_doctor.reporters.{reporter}").render(report, lang)
    golden = GOLDEN / f"{sample}.{reporter}.{lang}.txt"
    if request.config.getoption("--update-golden"):
        golden.write_text(said, encoding="utf-8")
    assert said == golden.read_text(encoding="utf-8")
