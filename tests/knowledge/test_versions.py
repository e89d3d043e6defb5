"""The version matrix, and how versions are told apart."""

from __future__ import annotations

import pytest

from ascend_doctor.knowledge import index
from ascend_doctor.knowledge.versions import Pair, Versions, order, same_release

SHIPPED = index.load().versions
FEW = Versions([Pair("2.5.1", "2.5.1", "8.1.RC1", ("3.9",)), Pair("2.4.0", "2.4.0", "8.0.0", ())])


@pytest.mark.parametrize("version", ["2.5.1", "2.5.1.dev20250320", "2.5.1+gitabc", "2.5.1rc1"])
def test_a_build_of_a_release_counts_as_the_release(version):
    assert FEW.of_torch_npu(version) == Pair("2.5.1", "2.5.1", "8.1.RC1", ("3.9",))


@pytest.mark.parametrize("version", ["2.5.1.post9", "2.5", "", "x"])
def test_no_row_is_made_up(version):
    assert FEW.of_torch_npu(version) is None


@pytest.mark.parametrize(
    ("version", "found"),
    [
        ("8.1.RC1", ["2.5.1"]),
        ("8.1.rc1.alpha001", ["2.5.1"]),
        ("8.0.0", ["2.4.0"]),
        ("9.9.9", []),
        ("latest", []),
    ],
)
def test_a_cann_release_has_its_torch_npu(version, found):
    assert [pair.torch_npu for pair in FEW.of_cann(version)] == found


def test_candidates_come_before_their_release():
    releases = [
        "7.0.RC1",
        "7.0.0",
        "8.0.RC1",
        "8.0.RC3",
        "8.0.0",
        "8.1.RC1",
        "8.3.RC1",
        "8.5.0",
        "9.0.0",
    ]
    assert sorted(sorted(releases), key=order) == releases


def test_the_shipped_matrix_is_sound():
    eight = SHIPPED.of_cann("8.0.RC2")
    assert {pair.torch_npu for pair in eight} == {
        "2.3.1",
        "2.2.0.post2",
        "2.1.0.post6",
        "1.11.0.post14",
    }
    for pair in eight:
        assert same_release(pair.torch_npu, pair.torch)
        assert order(pair.cann) is not None
