"""The wheel carries what it needs: built, installed bare, and run from another folder."""

from __future__ import annotations

import subprocess
import sys
import zipfile

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(ROOT)],
        check=True,
    )
    [path] = folder.glob("*.whl")
    return path


def test_the_wheel_holds_rules_index_and_templates(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    needed = {
        "ascend_doctor/_data/index.jsonl",
        "ascend_doctor/_data/patterns/versions.tsv",
        "ascend_doctor/_data/patterns/families.yaml",
        "ascend_doctor/_data/patterns/not_found/not-found-shared-library.yaml",
        "ascend_doctor/_data/templates/report.md.j2",
        "ascend_doctor/py.typed",
    }
    assert needed - names == set()
    assert {name for name in names if name.startswith("ascend_doctor/docs/")} == set()


def test_the_wheel_works_in_a_bare_environment(wheel, tmp_path):
    home = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    python = home / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", str(wheel)], check=True)
    log = tmp_path / "elsewhere" / "train.log"
    log.parent.mkdir()
    log.write_text("ImportError: libhccl.so: cannot open shared object file: No such file\n")
    done = subprocess.run(
        [home / "bin" / "ascend-doctor", "analyze", "train.log"],
        capture_output=True,
        text=True,
        cwd=log.parent,
        check=False,
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        1,
        "✗ Root cause: The loader cannot find libhccl.so",
    ), done.stderr
    done = subprocess.run(
        [home / "bin" / "ascend-doctor", "rules", "test", "-k", "not-found-shared"],
        capture_output=True,
        text=True,
        cwd=log.parent,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "1 rules, 0 failures\n")
    done = subprocess.run(
        [home / "bin" / "ascend-doctor", "explain", "107002", "--lang", "en"],
        capture_output=True,
        text=True,
        cwd=log.parent,
        check=False,
    )
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        0,
        "107002  ACL_ERROR_RT_CONTEXT_NULL",
    )
