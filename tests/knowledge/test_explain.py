"""Verdicts that need arithmetic."""

from __future__ import annotations

import pytest

from ascend_doctor.knowledge.explain import explain, size_bytes

OOM = {
    "tried": "2.00 GiB",
    "capacity": "60.00 GiB",
    "allocated": "50.00 GiB",
    "free": "1.00 GiB",
    "reserved": "56.00 GiB",
}


@pytest.mark.parametrize(
    ("edit", "answer"),
    [
        ({}, ("fragmented", {"gap": "6.00 GiB", "others": "3.00 GiB"})),
        ({"tried": "6.00 GiB"}, ("fragmented", {"gap": "6.00 GiB", "others": "3.00 GiB"})),
        ({"tried": "6.01 GiB"}, ("full", {"gap": "6.00 GiB", "others": "3.00 GiB"})),
        ({"tried": "61.00 GiB"}, ("absurd", {"gap": "6.00 GiB", "others": "3.00 GiB"})),
        (
            {"reserved": "52.00 GiB", "free": "1.00 GiB"},
            ("shared", {"gap": "2.00 GiB", "others": "7.00 GiB"}),
        ),
        ({"free": "8.00 GiB"}, ("refused", {"gap": "6.00 GiB", "others": "0.00 GiB"})),
        ({"free": "2.00 GiB"}, ("refused", {"gap": "6.00 GiB", "others": "2.00 GiB"})),
        (
            {"tried": "20.00 MiB", "allocated": "55.90 GiB", "free": "0 bytes"},
            ("full", {"gap": "0.10 GiB", "others": "4.00 GiB"}),
        ),
        ({"allocated": "51200.00 MiB"}, ("fragmented", {"gap": "6.00 GiB", "others": "3.00 GiB"})),
        ({"free": "some"}, None),
        ({"free": ""}, None),
    ],
)
def test_kinds_of_a_full_device(edit, answer):
    assert explain("oom", {**OOM, **edit}) == answer


def test_a_sentence_without_all_numbers_gives_no_verdict():
    assert explain("oom", {k: v for k, v in OOM.items() if k != "reserved"}) is None


@pytest.mark.parametrize(
    ("captures", "answer"),
    [
        ({"data": "3", "step": "10"}, ("waiting", {"share": "30"})),
        ({"data": "2.9", "step": "10"}, ("fine", {"share": "29"})),
        ({"data": "1", "compute": "1"}, ("waiting", {"share": "50"})),
        ({"data": "3000", "step": "10000", "unit": "ms"}, ("waiting", {"share": "30"})),
        ({"percent": "61.6"}, ("waiting", {"share": "62"})),
        ({"percent": "x"}, None),
        ({"data": "1"}, None),
        ({"step": "1"}, None),
        ({"data": "x", "step": "1"}, None),
        ({"data": "0", "step": "0"}, None),
    ],
)
def test_share_of_a_step_that_waits_for_data(captures, answer):
    assert explain("step_share", captures) == answer


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512", 512.0),
        ("512 bytes", 512.0),
        ("1.5 KiB", 1536.0),
        ("1.5KB", 1536.0),
        (" 2 GiB ", 2.0 * 1024**3),
        ("1 E", 1024.0**6),
        ("-1", None),
        ("1 XiB", None),
        ("", None),
    ],
)
def test_printed_sizes(text, size):
    assert size_bytes(text) == size
