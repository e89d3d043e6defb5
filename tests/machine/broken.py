"""Machines with one thing wrong each, and healthy ones; see ``test_judged``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.machine.elves import library
from tests.machine.sites import ASCEND, CANN, SITE, Site, healthy

MACHINES: dict[str, Callable[[Path], Site]] = {}


def machine(make: Callable[[Path], Site]) -> Callable[[Path], Site]:
    """Add a machine under its name."""
    MACHINES[make.__name__.strip("_")] = make
    return make


@machine
def host(root: Path) -> Site:
    return healthy(root)


@machine
def container(root: Path) -> Site:
    site = healthy(root)
    site.container()
    return site


@machine
def without_an_npu(root: Path) -> Site:
    site = Site(root)
    site.torch()
    site.cann()
    site.source()
    site.file("/dev/null0")
    return site


@machine
def newest_layout(root: Path) -> Site:
    """CANN 9 with the folder cann-VERSION and a link, and a torch_npu of no listed release."""
    site = Site(root)
    site.torch("2.13.0", "2.13.0")
    site.cann("9.1.0")
    (site.root / f"{ASCEND[1:]}/ascend-toolkit/9.1.0").rename(
        site.root / f"{ASCEND[1:]}/cann-9.1.0"
    )
    site.link(f"{ASCEND}/cann", "cann-9.1.0")
    site.source(f"{ASCEND}/cann")
    site.driver()
    site.cards()
    return site


@machine
def latest_of_links(root: Path) -> Site:
    """The layout of CANN 8: latest is a folder of links into the folder of the release."""
    site = healthy(root)
    latest = f"{ASCEND}/ascend-toolkit/latest"
    for name in ("aarch64-linux", "lib64", "opp", "python", "runtime"):
        site.link(f"{latest}/{name}", f"../8.3.RC1/{name}")
    site.file(f"{latest}/version.cfg", "runtime_running_version=[7.8.0.1.250:8.3.RC1]")
    site.file(f"{ASCEND}/ascend-toolkit/set_env.sh")
    site.source(latest)
    return site


@machine
def environment_over_another(root: Path) -> Site:
    site = healthy(root)
    site.package("torch", "2.1.0", folder="/usr/lib/python3/dist-packages")
    site.search.append("/usr/lib/python3/dist-packages")
    return site


@machine
def stubs_behind(root: Path) -> Site:
    site = healthy(root)
    site.file(f"{CANN}/devlib/libascendcl.so", library("libascendcl.so"))
    site.environ["LD_LIBRARY_PATH"] += f":{CANN}/devlib"
    return site


@machine
def cann_missing(root: Path) -> Site:
    site = Site(root)
    site.torch()
    site.driver()
    site.cards()
    return site


@machine
def cann_missing_old_torch(root: Path) -> Site:
    site = Site(root)
    site.torch("2.1.0", "2.1.0.post13")
    site.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    site.file("/dev/null0")
    return site


@machine
def set_env_not_sourced(root: Path) -> Site:
    site = healthy(root)
    site.environ = {"HOME": "/root"}
    return site


@machine
def set_env_partly(root: Path) -> Site:
    site = healthy(root)
    del site.environ["ASCEND_OPP_PATH"], site.environ["PYTHONPATH"]
    return site


@machine
def library_path_replaced(root: Path) -> Site:
    site = healthy(root)
    site.environ["LD_LIBRARY_PATH"] = "/my/lib"
    return site


@machine
def home_points_nowhere(root: Path) -> Site:
    site = healthy(root)
    site.environ["ASCEND_TOOLKIT_HOME"] = f"{ASCEND}/ascend-toolkit/7.0.0"
    return site


@machine
def cann_older(root: Path) -> Site:
    site = Site(root)
    site.torch()
    site.source(site.cann("8.0.0"))
    site.driver()
    site.cards()
    return site


@machine
def cann_older_lacks_a_symbol(root: Path) -> Site:
    site = cann_older(root)
    path = f"{SITE}/torch_npu/lib/libtorch_npu.so"
    site.file(path, site.torch_npu_library("aclrtGetFunctionAddr", "aclrtOfTomorrow"))
    return site


@machine
def symbol_of_an_unlisted_release(root: Path) -> Site:
    site = Site(root)
    site.torch("2.13.0", "2.13.0")
    site.cann()
    site.source()
    site.driver()
    site.cards()
    path = f"{SITE}/torch_npu/lib/libtorch_npu.so"
    site.file(path, site.torch_npu_library("aclrtGetFunctionAddr"))
    return site


@machine
def torch_differs(root: Path) -> Site:
    site = healthy(root)
    site.remove(f"{SITE}/torch-2.6.0.dist-info/METADATA")
    (site.root / SITE[1:] / "torch-2.6.0.dist-info").rmdir()
    site.package("torch", "2.7.1")
    site.file(f"{SITE}/torch/lib/libtorch_cpu.so", library("libtorch_cpu.so"))
    return site


@machine
def torch_absent(root: Path) -> Site:
    site = healthy(root)
    site.remove(f"{SITE}/torch-2.6.0.dist-info/METADATA")
    (site.root / SITE[1:] / "torch-2.6.0.dist-info").rmdir()
    site.remove(f"{SITE}/torch/lib/libtorch_cpu.so")
    (site.root / SITE[1:] / "torch/lib").rmdir()
    (site.root / SITE[1:] / "torch").rmdir()
    return site


@machine
def vision_of_another_torch(root: Path) -> Site:
    site = healthy(root)
    site.package("torchvision", "0.16.0", ["torch==2.1.0", "numpy", "pillow!=8.3.*,>=5.3.0"])
    return site


@machine
def python_too_new(root: Path) -> Site:
    site = healthy(root)
    site.python = "3.13.2"
    return site


@machine
def numpy_too_new(root: Path) -> Site:
    site = Site(root)
    site.torch("2.1.0", "2.1.0.post17")
    (site.root / SITE[1:] / "numpy-1.26.4.dist-info/METADATA").unlink()
    (site.root / SITE[1:] / "numpy-1.26.4.dist-info").rmdir()
    site.package("numpy", "2.0.2")
    site.cann()
    site.source()
    site.driver()
    site.cards()
    return site


@machine
def kernels_of_another_chip(root: Path) -> Site:
    site = Site(root)
    site.torch()
    site.cann(kernels=["ascend310p"])
    site.source()
    site.driver()
    site.cards()
    return site


@machine
def driver_older(root: Path) -> Site:
    site = healthy(root)
    site.driver("23.0.3", "V100R001C13")
    return site


@machine
def firmware_of_another_driver(root: Path) -> Site:
    site = healthy(root)
    site.file(f"{ASCEND}/firmware/version.info", "Version=6.4.12.1.241\n")
    return site


@machine
def nodes_missing_in_a_container(root: Path) -> Site:
    site = healthy(root)
    site.container()
    site.remove("/dev/devmm_svm")
    site.remove("/dev/hisi_hdc")
    return site


@machine
def cards_not_passed_in(root: Path) -> Site:
    site = healthy(root)
    site.container()
    for name in ("davinci0", "davinci1", "davinci_manager", "devmm_svm", "hisi_hdc"):
        site.remove(f"/dev/{name}")
    return site


@machine
def driver_not_on_the_path(root: Path) -> Site:
    site = healthy(root)
    site.environ["LD_LIBRARY_PATH"] = f"{CANN}/lib64"
    return site


@machine
def driver_found_by_configuration(root: Path) -> Site:
    """The installer of the driver names its folders to the loader; nothing is wrong."""
    site = driver_not_on_the_path(root)
    site.file("/etc/ld.so.conf", "include ld.so.conf.d/*.conf\n")
    site.file(
        "/etc/ld.so.conf.d/ascend.conf", f"# made by the installer\n{ASCEND}/driver/lib64/driver\n"
    )
    return site


@machine
def driver_not_mounted(root: Path) -> Site:
    site = Site(root)
    site.torch()
    site.cann()
    site.source()
    site.cards()
    site.container()
    return site


@machine
def two_canns(root: Path) -> Site:
    site = healthy(root)
    old = site.cann("8.0.0")
    site.environ["LD_LIBRARY_PATH"] = f"{old}/lib64:" + site.environ["LD_LIBRARY_PATH"]
    return site


@machine
def latest_is_older(root: Path) -> Site:
    site = Site(root)
    site.torch("2.4.0", "2.4.0.post2")
    site.cann("8.0.0")
    site.cann()
    site.link(f"{ASCEND}/ascend-toolkit/latest", "8.0.0")
    site.source(f"{ASCEND}/ascend-toolkit/latest")
    site.driver()
    site.cards()
    return site


@machine
def latest_is_broken(root: Path) -> Site:
    site = Site(root)
    site.torch()
    site.link(f"{ASCEND}/ascend-toolkit/latest", "8.3.RC1")
    site.source(f"{ASCEND}/ascend-toolkit/latest")
    site.driver()
    site.cards()
    return site


@machine
def torch_npu_twice(root: Path) -> Site:
    site = healthy(root)
    site.package("torch_npu", "2.5.1", folder="/opt/site-packages")
    site.search.append("/opt/site-packages")
    return site


@machine
def variables_made_up(root: Path) -> Site:
    site = healthy(root)
    site.environ |= {
        "ASCEND_SLOG_PRINT_TO_SCREEN": "1",
        "ASCEND_GRAPH_DUMP": "1",
        "HCCL_CONECT_TIMEOUT": "600",
        "ASCEND_OUR_SITE": "s3cr3t",
        "ASCEND_LOG_PRINT_TO_STDOUT": "1",
        "ASCEND_LAUNCH_BLOCKING": "1",
        "TASK_QUEUE_ENABLE": "2",
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
    }
    return site


@machine
def variable_past_its_time(root: Path) -> Site:
    site = Site(root)
    site.torch("2.12.0", "2.12.0")
    site.source(site.cann("9.2.0"))
    site.driver()
    site.cards()
    site.environ["ASCEND_SLOG_PRINT_TO_STDOUT"] = "1"
    return site


@machine
def visible_out_of_range(root: Path) -> Site:
    site = healthy(root)
    site.environ["ASCEND_RT_VISIBLE_DEVICES"] = "0,1,2,3"
    return site


@machine
def visible_in_disorder(root: Path) -> Site:
    site = healthy(root)
    site.environ["ASCEND_RT_VISIBLE_DEVICES"] = "1,0"
    return site


@machine
def shared_memory_of_docker(root: Path) -> Site:
    site = healthy(root)
    site.container("nosuid,size=65536k")
    return site


@machine
def stubs_first(root: Path) -> Site:
    site = healthy(root)
    site.file(
        f"{CANN}/devlib/libascendcl.so", library("libascendcl.so", defined=["aclrtSetDevice"])
    )
    site.environ["LD_LIBRARY_PATH"] = f"{CANN}/devlib:" + site.environ["LD_LIBRARY_PATH"]
    return site


@machine
def packages_of_the_compiler(root: Path) -> Site:
    site = healthy(root)
    for name in ("scipy", "protobuf"):
        site.remove(f"{SITE}/{name}-1.0.dist-info/METADATA")
        (site.root / SITE[1:] / f"{name}-1.0.dist-info").rmdir()
    return site


@machine
def nnal_of_another_release(root: Path) -> Site:
    site = healthy(root)
    site.file(
        f"{ASCEND}/nnal/atb/latest/version.info", "Ascend-cann-atb : 8.0.0\nPlatform : aarch64\n"
    )
    return site
