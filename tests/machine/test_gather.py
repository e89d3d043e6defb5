"""Where a machine's state is read from, source by source."""

from __future__ import annotations

import struct
import sys

import pytest
from msgspec.structs import replace

from ascend_doctor.errors import InputError
from ascend_doctor.machine.gather.machine import Sources, gather, here
from ascend_doctor.machine.model import Chips, Node, Place, Size, Value
from tests.machine.elves import library
from tests.machine.sites import ASCEND, CANN, SITE, Site, healthy

SMI = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 25.3.rc1                 Version: 25.3.rc1                                             |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| 0     {name:<20}| OK            | 93.6        40                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3402 / 65536         |
| 1     {name:<20}| OK            | 91.2        38                0    / 0             |
"""


@pytest.mark.parametrize(
    ("name", "chip", "kernels"),
    [
        ("910B3", "Ascend910B3", "ascend910b"),
        ("910_9392", "Ascend910_9392", "ascend910_93"),
        ("910ProB", "Ascend910ProB", "ascend910"),
        ("310P3", "Ascend310P3", "ascend310p"),
        # Two generations are called so.
        ("Ascend910", "Ascend910", None),
    ],
)
def test_npu_smi_names_the_chip(tmp_path, name, chip, kernels):
    sources = replace(healthy(tmp_path).sources(), run=lambda _: SMI.format(name=name))
    chips = gather(sources).chips
    assert (chips.name, chips.count, chips.kernels) == (chip, 2, kernels)
    assert (chips.place.path, chips.place.line) == ("npu-smi info", 5)


@pytest.mark.parametrize(
    "printed", [None, "", "DrvMngGetConsoleLogLevel failed. (g_conLogLevel=3)\n"]
)
def test_where_npu_smi_says_nothing_the_bus_does(tmp_path, printed):
    sources = replace(healthy(tmp_path).sources(), run=lambda _: printed)
    place = Place("/sys/bus/pci/devices/0000:00:00.0/device", 1, "0xd802")
    assert gather(sources).chips == Chips("Ascend910B", 2, "ascend910b", place)


@pytest.mark.parametrize(
    ("files", "version", "line"),
    [
        (
            {"version.cfg": "# version: 1.0\nruntime_running_version=[7.6.0.1.220:8.0.0]\n"},
            "8.0.0",
            2,
        ),
        ({"version.cfg": "runtime_running_version=[1.83.T8.0.B128:CANN-1.83]\n"}, "1.83", 1),
        ({"x86_64-linux/ascend_toolkit_install.info": "arch=x86_64\nversion=8.5.0\n"}, "8.5.0", 2),
        ({"aarch64-linux/ascend_nnae_install.info": "version=8.1.RC1\n"}, "8.1.RC1", 1),
        ({"version.cfg": "runtime_running_version=[7.6]\n"}, "8.3.RC1", 1),
    ],
)
def test_each_file_that_says_the_release_is_known(tmp_path, files, version, line):
    site = healthy(tmp_path)
    site.remove(f"{CANN}/version.cfg")
    site.remove(f"{CANN}/aarch64-linux/ascend_toolkit_install.info")
    for name, text in files.items():
        site.file(f"{CANN}/{name}", text)
    [cann] = gather(site.sources()).cann
    assert (cann.version, cann.place.line) == (version, line)


def test_the_driver_lies_where_its_installer_was_told(tmp_path):
    site = Site(tmp_path)
    site.file(
        "/etc/ascend_install.info", "UserName=HwHiAiUser\nDriver_Install_Path_Param=/opt/npu\n"
    )
    site.file("/opt/npu/driver/version.info", "Version=25.2.0\n")
    site.file("/opt/npu/driver/lib64/driver/libascend_hal.so", library("libascend_hal.so"))
    machine = gather(site.sources())
    assert machine.driver.version == "25.2.0"
    assert machine.hal == "/opt/npu/driver/lib64/driver/libascend_hal.so"


def test_nodes_are_those_of_cards_in_their_order(tmp_path):
    site = Site(tmp_path)
    named = ("davinci10", "davinci2", "davinci_manager_docker", "davinci_tap", "hisi_hdc", "null")
    for name in named:
        site.file(f"/dev/{name}")
    found = gather(site.sources()).nodes
    assert [node.path for node in found] == [
        *("/dev/davinci2", "/dev/davinci10", "/dev/davinci_manager_docker", "/dev/hisi_hdc"),
    ]
    assert found[0] == Node("/dev/davinci2", found[0].mode)


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"/.dockerenv": ""}, "docker"),
        ({"/run/.containerenv": ""}, "podman"),
        ({"/proc/1/cgroup": "0::/kubepods.slice/pod1\n"}, "kubepods"),
        ({"/proc/1/cgroup": "0::/init.scope\n"}, None),
    ],
)
def test_a_container_is_known_by_what_it_has(tmp_path, files, kind):
    site = Site(tmp_path)
    for path, text in files.items():
        site.file(path, text)
    container = gather(site.sources()).host.container
    assert (container and container.value) == kind


@pytest.mark.parametrize(
    ("options", "size"), [("rw,size=65536k", 64 << 20), ("rw,size=8g", 8 << 30), ("rw", None)]
)
def test_the_size_of_shared_memory_is_that_of_its_mount(tmp_path, options, size):
    site = Site(tmp_path)
    line = f"shm /dev/shm tmpfs {options} 0 0"
    site.file("/proc/mounts", f"{line}\n")
    expected = None if size is None else Size(size, Place("/proc/mounts", 1, line))
    assert gather(site.sources()).host.shm == expected


@pytest.mark.parametrize(
    ("path", "text", "limit"),
    [
        ("/sys/fs/cgroup/memory.max", "17179869184\n", 16 << 30),
        ("/sys/fs/cgroup/memory.max", "max\n", None),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n", None),
    ],
)
def test_no_limit_of_memory_is_none(tmp_path, path, text, limit):
    site = Site(tmp_path)
    site.file(path, text)
    found = gather(site.sources()).host.memory_limit
    assert (found and found.count) == limit


def cache(libraries: dict[str, str]) -> bytes:
    """Return a loader's cache as ldconfig writes it."""
    table, names, start = b"", b"", 48 + 24 * len(libraries)
    for name, path in libraries.items():
        key = start + len(names)
        names += name.encode() + b"\0"
        table += struct.pack("<iIIIQ", 0x303, key, start + len(names), 0, 0)
        names += path.encode() + b"\0"
    head = b"glibc-ld.so.cache1.1" + struct.pack("<II", len(libraries), len(names)) + bytes(20)
    return head + table + names


@pytest.mark.parametrize("damage", [b"", b"glibc", bytes(100)])
def test_the_cache_of_the_loader_is_read(tmp_path, damage):
    site = healthy(tmp_path)
    site.environ["LD_LIBRARY_PATH"] = f"{CANN}/lib64"
    path = f"{ASCEND}/driver/lib64/driver/libascend_hal.so"
    site.file(
        "/etc/ld.so.cache", cache({"libc.so.6": "/lib64/libc.so.6", "libascend_hal.so": path})
    )
    assert gather(site.sources()).libraries[0].missing == ()
    site.file("/etc/ld.so.cache", damage)
    assert gather(site.sources()).libraries[0].missing == ("libascend_hal.so",)


def test_a_library_is_found_beside_the_one_that_needs_it(tmp_path):
    site = healthy(tmp_path)
    site.environ["LD_LIBRARY_PATH"] = f"{CANN}/lib64"
    runtime = library("libruntime.so", ["libascend_hal.so"], runpath="$ORIGIN/../inner")
    site.file(f"{CANN}/lib64/libruntime.so", runtime)
    site.file(f"{CANN}/inner/libascend_hal.so", library("libascend_hal.so"))
    assert gather(site.sources()).libraries[0].missing == ()


def test_without_torch_npu_the_first_library_of_cann_is_tried(tmp_path):
    site = Site(tmp_path)
    site.cann()
    site.source()
    [found] = gather(site.sources()).libraries
    assert (found.path, found.missing) == (f"{CANN}/lib64/libascendcl.so", ("libascend_hal.so",))


def test_a_build_without_metadata_is_known_by_its_version_file(tmp_path):
    site = Site(tmp_path)
    site.file(f"{SITE}/torch_npu/version.py", "# made by setup\n__version__ = '2.6.0.post3+git1'\n")
    [package] = gather(site.sources()).packages
    assert (package.name, package.version, package.place.line) == (
        "torch_npu",
        "2.6.0.post3+git1",
        2,
    )


@pytest.mark.parametrize("prefix", ["/usr/local", "/opt/conda/envs/npu", "/home/zoe/miniconda3"])
def test_packages_of_a_copy_are_found_where_they_usually_are(tmp_path, prefix):
    site = Site(tmp_path)
    site.package("torch_npu", "2.6.0.post3", folder=f"{prefix}/lib/python3.10/site-packages")
    machine = gather(Sources(root=tmp_path))
    assert [package.version for package in machine.packages] == ["2.6.0.post3"]
    assert (machine.python.version, machine.python.prefix) == ("3.10", prefix)


@pytest.mark.parametrize("separator", ["\n", "\0"])
def test_a_copy_may_hold_variables(tmp_path, separator):
    site = Site(tmp_path)
    site.file("/proc/1/environ", separator.join(("HCCL_BUFFSIZE=200", "SECRET=x", "ASCEND_X=y")))
    machine = gather(Sources(root=tmp_path), ["HCCL_BUFFSIZE"])
    assert [(v.name, v.value) for v in machine.variables] == [
        ("ASCEND_X", None),
        ("HCCL_BUFFSIZE", "200"),
    ]


def test_what_a_copy_does_not_hold_is_not_known(tmp_path):
    machine = gather(Sources(root=tmp_path))
    assert (machine.variables, machine.nodes, machine.python) == (None, None, None)
    assert not machine.has_ascend


def test_another_interpreter_is_asked_where_its_packages_are():
    sources = here(sys.executable)
    assert sources.python.version == ".".join(map(str, sys.version_info[:3]))
    assert {*sources.search} >= {path for path in sys.path if path.endswith("site-packages")}


@pytest.mark.parametrize("program", ["/no/such/python", "/bin/true", "/bin/false"])
def test_what_is_no_interpreter_is_told(program):
    with pytest.raises(InputError, match="no Python that answers"):
        here(program)


def test_the_active_environment_is_the_one_that_is_judged(tmp_path, monkeypatch):
    site = Site(tmp_path)
    folder = "/lib/python3.10/site-packages"
    site.package("torch_npu", "2.6.0.post3", folder=folder)
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    sources = here()
    assert (sources.search, sources.python) == ([f"{tmp_path}{folder}"], None)
    monkeypatch.setenv("VIRTUAL_ENV", "/no/such")
    assert here().python.prefix == sys.prefix


def test_firmware_has_a_place(tmp_path):
    place = Place(f"{ASCEND}/firmware/version.info", 1, "Version=7.8.0.2.212")
    assert gather(healthy(tmp_path).sources()).firmware == Value("7.8.0.2.212", place)
