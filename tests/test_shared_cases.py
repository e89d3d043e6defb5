"""Real reports with known answers, where a checkout has them beside it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT

SCORE = ROOT.parent / "shared" / "tools" / "score_cases"
COMMAND = f"{sys.executable} -m ascend_doctor"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SCORE.exists(), reason="the shared cases are not beside this checkout"),
]


def score(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCORE), "--command", COMMAND, *args],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )


def test_real_cases_reach_their_floor():
    done = score("--floor", "0.95", "--evidence-floor", "0.90")
    assert done.returncode == 0, done.stdout + done.stderr


def test_peer_logs_are_all_right():
    done = score("--cases", str(ROOT.parent / "shared" / "peer_logs"), "--floor", "1.0")
    assert done.returncode == 0, done.stdout + done.stderr
