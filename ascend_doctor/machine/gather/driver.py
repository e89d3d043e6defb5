"""The driver, the firmware, the chips and their device nodes."""

from __future__ import annotations

import grp
import os
import pwd
import re
import stat
from collections import Counter
from collections.abc import Callable
from itertools import chain

from ascend_doctor.machine.files import Tree, keyed
from ascend_doctor.machine.gather.cann import INNER
from ascend_doctor.machine.model import COMPANIONS, Chips, Driver, Node, Place, Value

_RANGE = re.compile(r"\[([\d.]+),([\d.]+)\]")
# Of Huawei's PCI vendor: the chip of a device, and what CANN calls its kernels.
_VENDOR = "0x19e5"
_PCI = {
    "0xd100": ("Ascend310", "ascend310"),
    "0xd105": ("Ascend310B", "ascend310b"),
    "0xd500": ("Ascend310P", "ascend310p"),
    "0xd801": ("Ascend910", "ascend910"),
    "0xd802": ("Ascend910B", "ascend910b"),
    "0xd803": ("Ascend910_93", "ascend910_93"),
}
# The second column of npu-smi's table. "Ascend910" is printed for chips of two generations.
_ROW = re.compile(r"^\| *\d{1,3} +((?:910|310|950)\w{0,10}|Ascend\w{3,12}) +\|", re.MULTILINE)
_BY_NAME = (
    (re.compile(r"910_93\w*"), "ascend910_93"),
    (re.compile(r"910B\w*"), "ascend910b"),
    (re.compile(r"910(?:A|Pro[AB]|Premium\w)"), "ascend910"),
    (re.compile(r"310P\w*"), "ascend310p"),
    (re.compile(r"310B\w*"), "ascend310b"),
    (re.compile(r"310"), "ascend310"),
)
_NODE = re.compile("|".join((r"v?davinci\d+", *chain.from_iterable(COMPANIONS))))


def driver(tree: Tree) -> Driver | None:
    """Return what the driver's own file says of it."""
    root = _root(tree)
    path = f"{root}/driver/version.info"
    said = keyed(tree.lines(path))
    if "version" not in said:
        return None
    version, place = said["version"]
    nothing = ("", Place(path))
    firmware, firmware_place = said.get("compatible_version_fw", nothing)
    return Driver(
        version[:64],
        place,
        f"{root}/driver",
        next(iter(INNER.findall(said.get("innerversion", nothing)[0])), None),
        tuple(INNER.findall(said.get("compatible_version", nothing)[0])[:64]),
        said.get("ascendhal_version", nothing)[0] or None,
        tuple(part for pair in _RANGE.findall(firmware)[:16] for part in pair),
        firmware_place,
    )


def firmware(tree: Tree) -> Value | None:
    """Return the version of the firmware package."""
    said = keyed(tree.lines(f"{_root(tree)}/firmware/version.info"))
    return Value(said["version"][0][:64], said["version"][1]) if "version" in said else None


def hal(tree: Tree) -> str | None:
    """Return where the library of the driver lies, which the loader need not find."""
    folders = ("driver/lib64/driver", "driver/lib64", "driver/lib64/common")
    root = _root(tree)
    paths = [f"{root}/{folder}/libascend_hal.so" for folder in folders]
    return next((path for path in paths if tree.is_file(path)), None)


def chips(tree: Tree, run: Callable[[str], str | None] | None) -> Chips | None:
    """Return the NPUs that npu-smi shows, or the PCI bus, which containers see as well."""
    text = run("npu-smi") if run is not None else None
    if text and (names := _ROW.findall(text)):
        name, count = Counter(names).most_common(1)[0]
        line = next(i for i, row in enumerate(text.splitlines(), 1) if f" {name} " in row)
        row = text.splitlines()[line - 1].strip()
        kernels = next((k for p, k in _BY_NAME if p.fullmatch(name.removeprefix("Ascend"))), None)
        full = name if name.startswith("Ascend") else f"Ascend{name}"
        return Chips(full, count, kernels, Place("npu-smi info", line, row))
    found: Counter[str] = Counter()
    first: dict[str, Place] = {}
    folder = "/sys/bus/pci/devices"
    for slot in tree.names(folder):
        if (tree.text(f"{folder}/{slot}/vendor") or "").strip() != _VENDOR:
            continue
        device = (tree.text(f"{folder}/{slot}/device") or "").strip()
        if device in _PCI:
            found[device] += 1
            first.setdefault(device, Place(f"{folder}/{slot}/device", 1, device))
    if not found:
        return None
    device, count = found.most_common(1)[0]
    return Chips(_PCI[device][0], count, _PCI[device][1], first[device])


def nodes(tree: Tree) -> tuple[Node, ...] | None:
    """Return the device nodes of NPUs, None where there is no folder of devices."""
    if not tree.is_folder("/dev"):
        return None
    names = [name for name in tree.names("/dev") if _NODE.fullmatch(name)]
    names.sort(key=lambda name: (len(name), name) if name[-1].isdigit() else (99, name))
    found = []
    for name in names:
        path = f"/dev/{name}"
        status = tree.status(path)
        if status is None:
            continue
        is_usable = os.access(tree.on_disk(path), os.R_OK | os.W_OK) if tree.is_here else None
        owner, group = _named(status.st_uid, status.st_gid) if tree.is_here else ("", "")
        found.append(Node(path, f"{stat.S_IMODE(status.st_mode):04o}", owner, group, is_usable))
    return tuple(found)


def _root(tree: Tree) -> str:
    said = keyed(tree.lines("/etc/ascend_install.info"))
    root = said.get("driver_install_path_param", ("/usr/local/Ascend", None))[0]
    return root.rstrip("/") if root.startswith("/") else "/usr/local/Ascend"


def _named(uid: int, gid: int) -> tuple[str, str]:
    try:
        owner = pwd.getpwuid(uid).pw_name
    except KeyError:
        owner = str(uid)
    try:
        return owner, grp.getgrgid(gid).gr_name
    except KeyError:
        return owner, str(gid)
