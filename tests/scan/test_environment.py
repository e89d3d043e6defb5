"""Versions and chips, wherever a log prints them."""

from __future__ import annotations

import pytest

from ascend_doctor.scan.environment import Environment
from ascend_doctor.view.window import Window


def seen(*texts: bytes) -> dict[str, str]:
    environment = Environment()
    for text in texts:
        environment.see(Window(text, (0, len(text)), 1))
    return environment.values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (b"/usr/local/Ascend/ascend-toolkit/8.0.RC3/lib64", {"cann": "8.0.RC3"}),
        (b"/opt/cann-9.1.0/set_env.sh", {"cann": "9.1.0"}),
        (b"soc is Ascend910B2C here", {"soc": "Ascend910B2C"}),
        (b"soc is Ascend910B2 here", {"soc": "Ascend910B2"}),
        (b"Ascend910_9392 found", {"soc": "Ascend910_9392"}),
        (b'File "/usr/lib/python3.10/x.py"', {"python": "3.10"}),
        (
            b"torch==2.6.0+cpu\ntorch_npu==2.6.0.post1",
            {"torch": "2.6.0+cpu", "torch_npu": "2.6.0.post1"},
        ),
        (b"torch-npu   2.5.1\n", {"torch_npu": "2.5.1"}),
        (b"| npu-smi 24.1.rc2   Version: 24.1.rc2 |", {"driver": "24.1.rc2"}),
        (b"ascend-toolkit/latest python3 torch 2", {}),
        (b"", {}),
    ],
)
def test_what_a_log_says_of_its_machine(text, values):
    assert seen(text) == values


def test_the_first_that_is_said_counts():
    assert seen(b"torch==2.5.0\n", b"torch==2.6.0 npu-smi 24.1.0\n") == {
        "torch": "2.5.0",
        "driver": "24.1.0",
    }
