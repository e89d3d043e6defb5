"""What machine this is, asked in a process of its own: this one never imports torch.

Run as a module, it prints the answer for the device that it is given.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.scenarios.model import Machine

_PROBE_S = 180.0
_DRIVER = Path("/usr/local/Ascend/driver/version.info")


def ask(name: str, environment: Mapping[str, str]) -> Machine:
    """Return what the device ``name`` is: ``auto``, ``cpu``, ``cuda``, ``npu:0``.

    Raises:
        HarnessError: there is no such device, or no torch.
    """
    try:
        done = subprocess.run(  # noqa: S603 - a module of ours
            [sys.executable, "-m", __name__, name],
            capture_output=True,
            text=True,
            timeout=_PROBE_S,
            check=False,
            env=dict(environment),
        )
    except subprocess.TimeoutExpired as err:
        raise HarnessError(f"the device did not answer within {_PROBE_S:.0f} s") from err
    said = done.stdout.strip().splitlines()
    if done.returncode or not said:
        why = done.stderr.strip().splitlines()
        raise HarnessError(why[-1] if why else f"the device could not be asked: {done.returncode}")
    return Machine(**json.loads(said[-1]))


def _machine(name: str) -> Machine:
    from ascend_doctor.harness import devices

    device = devices.choose(name)
    torch = devices.import_torch()
    found: dict[str, Any] = {
        "device": device.name,
        "hardware": device.hardware,
        "torch": str(torch.__version__),
        "python": platform.python_version(),
    }
    if device.type == "npu":
        torch_npu = sys.modules["torch_npu"]
        found["torch_npu"] = str(getattr(torch_npu, "__version__", "")) or None
        found["cann"] = _cann(torch_npu)
        found["driver"] = _driver()
    return Machine(**found)


def _cann(torch_npu: Any) -> str | None:
    """Return the version of CANN as torch_npu finds it; None where it cannot say."""
    ask_version = getattr(getattr(torch_npu.npu, "utils", None), "get_cann_version", None)
    if ask_version is None:
        return None
    return str(ask_version()).strip() or None


def _driver() -> str | None:
    try:
        found = re.search(r"(?m)^Version=(\S{1,40})", _DRIVER.read_text(encoding="utf-8"))
    except OSError:
        return None
    return found[1] if found else None


def main() -> None:
    """Print what the device is that the first argument names."""
    try:
        sys.stdout.write(json.dumps(asdict(_machine(sys.argv[1]))) + "\n")
    except HarnessError as err:
        sys.exit(str(err))


if __name__ == "__main__":
    main()
