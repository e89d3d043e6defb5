"""A package that is not installed is named in one line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT

SAMPLE = "samples/not_found-no-cann-environment"
# What is None in ``sys.modules`` cannot be imported.
BLOCKED = "import sys; sys.modules[{!r}] = None; from ascend_doctor.__main__ import main; main()"


def run(blocked):
    command = [sys.executable, "-c", BLOCKED.format(blocked), "analyze", SAMPLE]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("package", ["msgspec", "regex"])
def test_a_package_that_is_not_installed_is_named(package):
    done = run(package)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        f"error: {package} is not installed, and this version needs it; install ascend-doctor "
        "again (in a checkout: python -m pip install -e .)\n",
    )


def test_a_module_of_ours_that_is_missing_is_a_bug():
    done = run("ascend_doctor.api")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Traceback")
