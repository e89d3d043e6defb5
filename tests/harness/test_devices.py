"""Which device is trained on, and what a process that uses it is given."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness import devices


def test_a_cpu_says_what_works_on_it():
    device = devices.choose("cpu")
    assert device.type == "cpu"
    assert device.torch.type == "cpu"
    assert (device.memory_bytes(), device.peak_bytes(), device.reserved_bytes()) == (None,) * 3
    found = device.supports()
    assert {name: bool(support) for name, support in found.items()} == {
        "bf16": True,
        "pinned_memory": False,
        "varlen_attention": False,
        "compile": True,
        "distributed": True,
    }
    assert found["varlen_attention"].reason.startswith("torch has no kernel for a CPU")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tpu", "no device is called 'tpu'; give auto, cpu, cuda, cuda:1 or npu:0"),
        ("npu:0:1", "no device is called 'npu:0:1'; give auto, cpu, cuda, cuda:1 or npu:0"),
        ("npu:0", "no NPU can be used: torch_npu is not installed"),
    ],
)
def test_a_device_that_is_not_there_is_one_line(name, message, monkeypatch):
    monkeypatch.setattr(devices.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(HarnessError) as caught:
        devices.choose(name)
    assert str(caught.value) == message


def test_a_torch_npu_without_cann_does_not_break_a_cpu(tmp_path):
    # What torch_npu does on a machine without CANN, when torch loads device back ends.
    (tmp_path / "torch_npu.py").write_text(
        "raise ImportError('libhccl.so: cannot open shared object file')\n"
    )
    info = tmp_path / "torch_npu-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch_npu\nVersion: 0\n")
    (info / "entry_points.txt").write_text("[torch.backends]\ntorch_npu = torch_npu:_autoload\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from ascend_doctor.harness import devices\n"
        "print(devices.choose('auto').type)\n"
        "try:\n    devices.choose('npu')\nexcept devices.HarnessError as err:\n    print(err)\n"
    )
    environment = devices.environment()
    del environment["TORCH_DEVICE_BACKEND_AUTOLOAD"]
    environment["PYTHONPATH"] = str(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        [
            "cpu",
            "no NPU can be used: ImportError: libhccl.so: cannot open shared object file",
        ],
    ), done.stderr


def test_processes_load_no_device_backend_unless_it_is_an_npu(monkeypatch):
    monkeypatch.setenv("TORCH_DEVICE_BACKEND_AUTOLOAD", "1")
    for device, expected in (
        (None, "0"),
        (devices.Device("cuda:0", "A GPU"), "0"),
        (devices.Device("npu:0", "Ascend910B4"), None),
    ):
        given = devices.environment(device, threads=2)
        assert given.get("TORCH_DEVICE_BACKEND_AUTOLOAD") == expected
        assert (given["OMP_NUM_THREADS"], given["OMP_WAIT_POLICY"]) == ("2", "PASSIVE")
