"""Synthetic machines: a folder that stands for a root, and the variables of a shell on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ascend_doctor.machine.gather.machine import Sources
from ascend_doctor.machine.model import Place, Python
from tests.machine.elves import library

ASCEND = "/usr/local/Ascend"
SITE = "/venv/lib/python3.11/site-packages"
CANN = f"{ASCEND}/ascend-toolkit/8.3.RC1"
COMPILER = ("attrs", "decorator", "psutil", "scipy", "packaging", "protobuf", "pyyaml")
# What libtorch_npu.so takes from each library that it needs.
CALLS = {"libhccl.so": "HcclAllReduce", "libascendcl.so": "aclrtSetDevice"}
TORCH_SYMBOL = "_ZN2at4_ops5empty4callEv"


class Site:
    """A machine that is built piece by piece."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environ: dict[str, str] = {"HOME": "/root"}
        self.search = [SITE]
        self.python = "3.11.9"
        root.mkdir(exist_ok=True)

    def file(self, path: str, content: str | bytes = "") -> None:
        """Write a file of the machine."""
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)

    def link(self, path: str, target: str) -> None:
        """Make a link of the machine."""
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)

    def remove(self, path: str) -> None:
        """Remove a file of the machine."""
        (self.root / path.lstrip("/")).unlink()

    def package(
        self, name: str, version: str, requires: Sequence[str] = (), folder: str = SITE
    ) -> None:
        """Install a package: its metadata alone."""
        lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
        lines += [f"Requires-Dist: {text}" for text in requires]
        self.file(f"{folder}/{name}-{version}.dist-info/METADATA", "\n".join((*lines, "", "Text")))

    def torch(self, version: str = "2.6.0", npu: str = "2.6.0.post3") -> None:
        """Install torch and torch_npu with their libraries."""
        self.package("torch", version, ["sympy==1.13.1; python_version >= '3.9'"])
        self.package("torch_npu", npu, [f"torch=={version}", "numpy", "pyyaml"])
        self.package("numpy", "1.26.4")
        for name in COMPILER:
            self.package(name, "1.0")
        self.file(
            f"{SITE}/torch/lib/libtorch_cpu.so",
            library("libtorch_cpu.so", defined=[TORCH_SYMBOL]),
        )
        self.file(f"{SITE}/torch_npu/lib/libtorch_npu.so", self.torch_npu_library())

    @staticmethod
    def torch_npu_library(*more: str) -> bytes:
        """Return a libtorch_npu.so that calls some symbols of CANN and torch, and ``more``."""
        needed = ["libtorch_cpu.so", *CALLS]
        calls = [TORCH_SYMBOL, *CALLS.values(), "PyList_New", *more]
        return library("libtorch_npu.so", needed, undefined=calls, weak=["aclrtOfLater"])

    def cann(self, version: str = "8.3.RC1", kernels: Sequence[str] = ("ascend910b",)) -> str:
        """Install a CANN toolkit with kernels; return its root."""
        root = f"{ASCEND}/ascend-toolkit/{version}"
        said = f"# version: 1.0\nruntime_running_version=[7.8.0.1.250:{version}]\n"
        self.file(f"{root}/version.cfg", said)
        install = [
            *("package_name=Ascend-cann-toolkit", f"version={version}"),
            *("innerversion=V100R001C23SPC001B212", "arch=aarch64", f"path={root}/aarch64-linux"),
            "compatible_version=[V100R001C19],[V100R001C20],[V100R001C21],[V100R001C23]",
        ]
        self.file(f"{root}/aarch64-linux/ascend_toolkit_install.info", "\n".join(install))
        self.file(f"{root}/set_env.sh", "export ASCEND_HOME_PATH=…\n")
        for name, symbol in CALLS.items():
            self.file(f"{root}/lib64/{name}", library(name, ["libruntime.so"], defined=[symbol]))
        self.file(f"{root}/lib64/libruntime.so", library("libruntime.so", ["libascend_hal.so"]))
        self.file(f"{root}/runtime/version.info", "Version=7.8.0.1.250\n")
        self.file(f"{root}/python/site-packages/acl/__init__.py")
        for chip in kernels:
            self.file(f"{root}/opp/built-in/op_impl/ai_core/tbe/kernel/{chip}/add.json", "{}")
        self.file(f"{root}/opp/version.info", "Version=7.8.0.1.250\n")
        return root

    def source(self, root: str = CANN) -> None:
        """Set what set_env.sh of a CANN sets, and the folders of the driver."""
        driver = f"{ASCEND}/driver/lib64"
        self.environ |= {
            "ASCEND_HOME_PATH": root,
            "ASCEND_TOOLKIT_HOME": root,
            "ASCEND_OPP_PATH": f"{root}/opp",
            "ASCEND_AICPU_PATH": root,
            "LD_LIBRARY_PATH": f"{root}/lib64:{driver}:{driver}/driver",
            "PYTHONPATH": f"{root}/python/site-packages",
        }

    def driver(self, version: str = "25.3.rc1", inner: str = "V100R001C23") -> None:
        """Install driver and firmware of one release."""
        said = [
            *(f"Version={version}", "ascendhal_version=7.35.23", f"Innerversion={inner}SPC002B212"),
            f"compatible_version=[V100R001C19],[{inner}]",
            "compatible_version_fw=[7.0.0,8.9.9]",
        ]
        self.file(f"{ASCEND}/driver/version.info", "\n".join(said))
        self.file(f"{ASCEND}/driver/lib64/driver/libascend_hal.so", library("libascend_hal.so"))
        self.file(f"{ASCEND}/firmware/version.info", "Version=7.8.0.2.212\n")

    def cards(self, count: int = 2) -> None:
        """Plug cards in, with the device nodes that go with them."""
        names = [f"davinci{number}" for number in range(count)]
        for name in (*names, "davinci_manager", "devmm_svm", "hisi_hdc"):
            self.file(f"/dev/{name}")
        for number in range(count):
            self.file(f"/sys/bus/pci/devices/0000:0{number}:00.0/vendor", "0x19e5\n")
            self.file(f"/sys/bus/pci/devices/0000:0{number}:00.0/device", "0xd802\n")

    def container(self, shm: str = "size=67108864k") -> None:
        """Make it a container of Docker."""
        self.file("/.dockerenv")
        self.file("/proc/mounts", f"overlay / overlay rw 0 0\nshm /dev/shm tmpfs rw,{shm} 0 0\n")

    def sources(self, environ: Mapping[str, str] | None = None) -> Sources:
        """Return what ``gather`` needs."""
        python = Python(self.python, Place("/venv/bin/python", 1, f"Python {self.python}"))
        given = self.environ if environ is None else environ
        return Sources(self.root, given, tuple(self.search), python)


def healthy(root: Path) -> Site:
    """Return a host on which everything fits."""
    site = Site(root)
    site.torch()
    site.cann()
    site.source()
    site.driver()
    site.cards()
    return site
