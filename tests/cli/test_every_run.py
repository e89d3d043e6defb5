"""The same report in every run: sets are in another order in each process, and must not show."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.conftest import ROOT

# A rule that tells four things of the environment.
LOG = """CANN version: 8.0.RC3
torch_npu==2.7.1.post2
RuntimeError: aclnnMix or aclnnMixGetWorkspaceSize not in libopapi.so, or libopapi.so not found.
"""


def report(folder, seed: int) -> bytes:
    return subprocess.run(
        [sys.executable, "-m", "ascend_doctor", "analyze", "-f", "json", folder, ROOT / "samples"],
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        check=False,
    ).stdout


def test_what_is_told_comes_in_one_order(tmp_path):
    (tmp_path / "train.log").write_text(LOG, encoding="utf-8")
    first = report(tmp_path, 0)
    captures = [diagnosis["captures"] for diagnosis in json.loads(first)["diagnoses"]]
    assert any("fits_cann" in names and "torch_npu" in names for names in captures)
    assert [report(tmp_path, seed) for seed in range(1, 6)] == [first] * 5
