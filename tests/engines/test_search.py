"""Whatever searches for the literals: the same facts and the same report, byte by byte."""

from __future__ import annotations

from fractions import Fraction

import pytest
from msgspec.structs import replace

from ascend_doctor.engines.bounds import Bounds
from ascend_doctor.engines.local import read
from ascend_doctor.engines.reader import Reader
from ascend_doctor.ingest.discover import discover
from ascend_doctor.knowledge import index
from ascend_doctor.scan.literals import VARIABLE
from ascend_doctor.view.window import SIZES, Sizes
from benchmarks.generate import generate
from benchmarks.sets import SETS
from tests.conftest import ENGINES, ROOT

pytestmark = pytest.mark.skipif(len(ENGINES) == 1, reason="hyperscan is not installed")

SHARED = [ROOT.parent / "shared" / name for name in ("cases", "peer_logs")]
# Small enough that a file of a few KiB has several parts and windows, and files are shared out.
SMALL = Sizes(first=300, part=4800, body=1024, margin=512)
BOUNDS = Bounds(alone=1, batch=1 << 10, file=100, large=1500)


@pytest.fixture(scope="module")
def known():
    return index.load()


@pytest.fixture
def reports(run, monkeypatch):
    """Analyse a path with each engine; return the reports as they were printed."""

    def analysed(path):
        said = []
        for engine in ENGINES:
            monkeypatch.setenv(VARIABLE, engine)
            done = run("analyze", path, "--format", "json")
            said.append((done.exit_code, done.stdout_bytes, done.stderr))
        return said

    return analysed


def facts(path, known, jobs, sizes, engine):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, engine)
        return read(discover([path]), Reader(known, sizes=sizes), jobs, BOUNDS)


def test_reports_of_the_samples_are_equal(reports):
    one, other = reports(ROOT / "samples")
    assert one == other
    assert one[0] == 1


@pytest.mark.parametrize("sizes", [SMALL, SIZES], ids=["small windows", "usual windows"])
@pytest.mark.parametrize("jobs", [1, 3])
def test_facts_of_the_samples_are_equal(known, sizes, jobs):
    one, other = (facts(ROOT / "samples", known, jobs, sizes, engine) for engine in ENGINES)
    assert one == other
    assert one.shards


@pytest.mark.parametrize("name", ["storm", "stdout", "ranks", "job"])
def test_facts_of_generated_logs_are_equal(known, tmp_path, name):
    path = generate(name, tmp_path, scale=Fraction(1, 1024)).input
    sizes = replace(SMALL, first=16 << 10, part=64 << 10, body=16 << 10, margin=4 << 10)
    one, other = (facts(path, known, 2, sizes, engine) for engine in ENGINES)
    assert one == other
    assert one.shards


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SETS if name != "fourfold"])
def test_reports_of_generated_logs_are_equal(reports, tmp_path, name):
    one, other = reports(generate(name, tmp_path, scale=Fraction(1, 512)).input)
    assert one == other
    assert one[1].startswith(b"{")


@pytest.mark.slow
@pytest.mark.skipif(not SHARED[0].exists(), reason="the shared cases are not beside this checkout")
@pytest.mark.parametrize("folder", SHARED, ids=lambda folder: folder.name)
def test_reports_of_real_cases_are_equal(reports, folder):
    one, other = reports(folder)
    assert one == other
    assert one[1].startswith(b"{")
