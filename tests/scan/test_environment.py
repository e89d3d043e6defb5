"""Versions and chips, wherever a log prints them."""

from __future__ import annotations

import pytest

from ascend_doctor.records import ENVIRONMENT, Evidence
from ascend_doctor.scan import environment
from ascend_doctor.scan.environment import MAX_VARIABLES, Environment, words
from ascend_doctor.scan.literals import Literal, Literals
from ascend_doctor.view.window import Window

WORDS = [*words()]
LITERALS = Literals([Literal(word, any_case) for word, any_case, _ in WORDS])


def look(environment: Environment, window: Window) -> None:
    """Show an environment all places of a window that a scan would."""
    for offset, number in LITERALS.hits(window.data):
        environment.see(window, offset, WORDS[number][2])


def seen(*texts: bytes) -> dict[str, str]:
    environment = Environment("a.log")
    line = 1
    for text in texts:
        look(environment, Window(text, None, line))
        line += text.count(b"\n")
    return {item.name: item.value for item in environment.said()}


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
        (b"It fails with torch==2.5.1. Then it", {"torch": "2.5.1"}),
        (b"torch==2.7.0.dev20250301+git.ab12", {"torch": "2.7.0.dev20250301+git.ab12"}),
        (b"| npu-smi 24.1.rc2   Version: 24.1.rc2 |", {"driver": "24.1.rc2"}),
        (
            b"[pip3] torch-npu==2.5.1\n- PyTorch version: 2.5.1 (NPU)\n",
            {"torch": "2.5.1", "torch_npu": "2.5.1"},
        ),
        (b"vLLM Ascend Version: 0.9.1rc1", {"vllm_ascend": "0.9.1rc1"}),
        (b"INFO vLLM API server version 0.9.1", {"vllm": "0.9.1"}),
        (b"CANN:\npackage_name=Ascend-cann-toolkit\nversion=8.2.RC1\n", {"cann": "8.2.RC1"}),
        (b"- CANN version: 8.0.RC2.alpha003\n", {"cann": "8.0.RC2.alpha003"}),
        (b"sh Ascend-cann-toolkit_8.0.0_linux-aarch64.run", {"cann": "8.0.0"}),
        (b"docker run quay.io/ascend/cann:8.1.rc1-910b-ubuntu22.04-py3.11", {"cann": "8.1.rc1"}),
        (b"| 0     910B3               | OK            | 93.1 |", {"soc": "910B3"}),
        (b"Python 3.10.12 in /usr/lib/python3.10/site", {"python": "3.10.12"}),
        (b"export HCCL_CONNECT_TIMEOUT=1200\n", {"HCCL_CONNECT_TIMEOUT": "1200"}),
        (b"ASCEND_RT_VISIBLE_DEVICES='0,1'\r\n", {"ASCEND_RT_VISIBLE_DEVICES": "0,1"}),
        (b"try ASCEND_LAUNCH_BLOCKING=1 for an exact stack", {}),
        (b"HCCL_X=1; rm\n", {}),
        (b"world_size=16, rank=0", {"world_size": "16"}),
        (b"/sys/fs/cgroup/kubepods.slice/x", {"container": "kubepods"}),
        (b"mytorch==9.9.9 torchvision==0.16.0 torchaudio 2.1.0", {}),
        (b"please upgrade to CANN 8.3.RC1 or later", {}),
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


def test_each_value_comes_with_the_line_that_says_it():
    environment = Environment("a.log")
    text = b"first\n  npu-smi 24.1.0\nlast\n"
    look(environment, Window(text, None, 41))
    [said] = environment.said()
    assert said.evidence == Evidence("a.log", 42, "  npu-smi 24.1.0", (42, 0))


def test_every_name_that_rules_may_ask_for_is_looked_for():
    assert tuple(environment._SIGNS) == ENVIRONMENT


def test_what_one_log_may_say_is_bounded():
    text = b"".join(b"export HCCL_X%d=1\n" % number for number in range(1000))
    found = Environment("a.log")
    look(found, Window(text, None, 1))
    assert len(found.said()) <= len(ENVIRONMENT) + MAX_VARIABLES
