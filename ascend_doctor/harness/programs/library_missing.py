"""A back end of torch needs a library of CANN, and the shell that starts the job did not load it.

Without an NPU, both are stand-ins: a package that registers itself with torch as torch_npu does,
and a folder laid out as CANN's. The loader that fails is the system's own.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from ascend_doctor.harness.programs import given, measured

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


def main() -> None:
    settings = given()
    script = stand_in(Path.cwd())
    environment = {**os.environ, "LD_LIBRARY_PATH": ""}
    environment.pop("TORCH_DEVICE_BACKEND_AUTOLOAD", None)
    packages = str(Path.cwd() / "packages")
    environment["PYTHONPATH"] = os.pathsep.join([packages, environment.get("PYTHONPATH", "")])
    if not settings["autoload"]:
        environment["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    start = f". {script} && " if settings["set_env"] else ""
    command = ["/bin/sh", "-c", start + 'exec "$0" -c "$1"', sys.executable, JOB]
    code = subprocess.run(  # noqa: S603 - what is started is ours
        command, env=environment, check=False
    ).returncode
    measured(exit_code=code, loaded=float(code == 0))
    sys.exit(code)


if __name__ == "__main__":
    main()
