"""A back end of torch needs a library of CANN, and the shell that starts the job did not load it.

On an NPU it is torch_npu and the CANN that is there, without which torch_npu cannot be imported.
Elsewhere both are stand-ins: a package that registers itself with torch as torch_npu does, and a
folder laid out as CANN's. The loader that fails is the system's own.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from ascend_doctor.harness.programs import measured

LIBRARY = "libascendcl.so"
EXTENSION = f'''"""Stands in for torch_npu."""
import ctypes
library = ctypes.CDLL("{LIBRARY}")  # fault
def autoload(): pass
'''
JOB = """
import sys, torch
if "stub_npu" not in sys.modules:
    sys.exit("torch has no device back end")
print("the back end is loaded")
"""
JOB_OF_NPU = """
import torch, torch_npu
print("the back end is loaded:", (torch.ones(2).npu() + 1).cpu().tolist())
"""
# Where CANN keeps the script that loads its environment, by variables and by habit.
SCRIPTS = (
    "$ASCEND_HOME_PATH/set_env.sh",
    "$ASCEND_TOOLKIT_HOME/../set_env.sh",
    "/usr/local/Ascend/ascend-toolkit/set_env.sh",
    "/usr/local/Ascend/cann/set_env.sh",
)


def stand_in(folder: Path) -> Path:
    """Lay out the package and CANN's folder; return the script that loads its environment."""
    cann = folder / "cann"
    package = folder / "packages"
    for part in (cann / "lib64", package / "stub_npu", package / "stub_npu-0.0.dist-info"):
        part.mkdir(parents=True)
    (package / "stub_npu" / "__init__.py").write_text(EXTENSION)
    info = package / "stub_npu-0.0.dist-info"
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stub_npu\nVersion: 0.0\n")
    (info / "entry_points.txt").write_text("[torch.backends]\nstub_npu = stub_npu:autoload\n")
    # Any library will do: that it can be loaded is all that is asked.
    shutil.copyfile(any_library(), cann / "lib64" / LIBRARY)
    script = cann / "set_env.sh"
    script.write_text(f'export LD_LIBRARY_PATH="{cann / "lib64"}:$LD_LIBRARY_PATH"\n')
    return script


def any_library() -> Path:
    """Return some shared library of this Python."""
    folders = [Path(sysconfig.get_path("platstdlib")) / "lib-dynload", *map(Path, sys.path)]
    return next(path for folder in folders for path in sorted(folder.glob("*.so")))


def cann_of_machine() -> Path:
    """Return the script of the CANN that is installed."""
    found = (Path(os.path.expandvars(name)) for name in SCRIPTS)
    return next(path for path in found if path.is_file())


def without_cann(environment: dict[str, str]) -> dict[str, str]:
    """Return an environment as in a shell that has not loaded CANN; the driver stays."""
    folders = environment.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    kept = [name for name in folders if "/driver/" in name]
    return {**environment, "LD_LIBRARY_PATH": os.pathsep.join(kept)}


def main() -> None:
    """Start the job from a shell that has loaded CANN, or has not."""
    # Not by `given`, which loads torch_npu.
    settings = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    is_npu = settings["device"].startswith("npu")
    script = cann_of_machine() if is_npu else stand_in(Path.cwd())
    environment = without_cann(dict(os.environ))
    environment.pop("TORCH_DEVICE_BACKEND_AUTOLOAD", None)
    packages = str(Path.cwd() / "packages")
    environment["PYTHONPATH"] = os.pathsep.join([packages, environment.get("PYTHONPATH", "")])
    if not settings["autoload"]:
        environment["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    start = f". {script} && " if settings["set_env"] else ""
    # set_env.sh is written for bash, as far as a person loads it.
    shell = shutil.which("bash") or "/bin/sh"
    job = JOB_OF_NPU if is_npu else JOB
    command = [shell, "-c", start + 'exec "$0" -c "$1"', sys.executable, job]
    code = subprocess.run(command, env=environment, check=False).returncode  # noqa: S603 - ours
    measured(exit_code=code, loaded=float(code == 0))
    sys.exit(code)


if __name__ == "__main__":
    main()
