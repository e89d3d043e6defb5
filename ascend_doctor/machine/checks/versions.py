"""Releases against the version matrix, and against what packages say of each other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascend_doctor.knowledge.versions import numbers, order, same_release
from ascend_doctor.machine.checks.paths import newest
from ascend_doctor.machine.checks.verdict import Known, Verdict, verdict
from ascend_doctor.machine.model import Cann, Driver, Machine, Package

_EXACT = re.compile(r"(\w+)={2,3}([\w.+]+?)(\.\*)?")
# What CANN's operator compiler imports, and what torchair does.
_COMPILER = ("attrs", "decorator", "numpy", "psutil", "scipy")
_TORCHAIR = ("packaging", "protobuf")
# Built for this torch, packages fail with NumPy 2.
_NUMPY2_SINCE = (2, 3)


def check(machine: Machine, known: Known) -> Iterator[Verdict]:
    """Yield what does not belong together."""
    npu, torch = machine.package("torch_npu"), machine.package("torch")
    if npu is not None:
        yield from _torch_npu(machine, npu, torch, known)
    yield from _requirements(machine)
    yield from _doubles(machine)
    yield from _numpy(machine, torch)
    cann = newest(machine)
    if cann is not None:
        yield from _kernels(machine, cann)
        yield from _nnal(machine, cann)
        if npu is not None:
            yield from _compiler(machine, npu)
        if machine.driver is not None:
            yield from _driver(machine.driver, cann)
    if machine.driver is not None:
        yield from _firmware(machine, machine.driver)


def older_cann(machine: Machine, known: Known) -> dict[str, str]:
    """Return torch_npu, the CANN it was made for and the older one that is there, else nothing."""
    npu, cann = machine.package("torch_npu"), newest(machine)
    pair = None if npu is None else known.versions.of_torch_npu(npu.version)
    if npu is None or pair is None or cann is None or cann.version is None:
        return {}
    one, other = order(cann.version), order(pair.cann)
    if one is None or other is None or one >= other:
        return {}
    return {"torch_npu": npu.version, "cann": cann.version, "wanted": pair.cann}


def _torch_npu(
    machine: Machine, npu: Package, torch: Package | None, known: Known
) -> Iterator[Verdict]:
    pair = known.versions.of_torch_npu(npu.version)
    if torch is not None and not same_release(npu.version, torch.version):
        yield verdict(
            "installed_torch_differs",
            npu.place,
            torch.place,
            torch_npu=npu.version,
            torch=torch.version,
            wanted=".".join(re.findall(r"\d+", npu.version)[:3]),
        )
    if pair is None:
        yield verdict("release_unlisted", npu.place, torch_npu=npu.version)
        return
    cann, older = newest(machine), older_cann(machine, known)
    if cann is not None and older:
        fits = ", ".join(p.torch_npu for p in known.versions.of_cann(older["cann"]))
        yield verdict("installed_cann_older", cann.place, npu.place, fits=fits, **older)
    python = machine.python
    if python is not None and pair.python:
        release = ".".join(python.version.split(".")[:2])
        if release not in pair.python:
            yield verdict(
                "python_outside",
                python.place,
                npu.place,
                python=python.version,
                torch_npu=npu.version,
                wanted=", ".join(pair.python),
            )


def _requirements(machine: Machine) -> Iterator[Verdict]:
    """Yield the first package that is not there, and the first of another version."""
    absent = differs = False
    for package in machine.packages:
        if package is not machine.package(package.name):
            continue
        for text in package.requires:
            name = re.split(r"[^\w]", text, maxsplit=1)[0]
            other = machine.package(name)
            exact = _EXACT.fullmatch(text)
            if other is None and not absent and package.name == "torch_npu":
                absent = True
                yield verdict(
                    "requirement_absent",
                    package.place,
                    package=package.name,
                    version=package.version,
                    name=name,
                )
            is_told = (package.name, name) == ("torch_npu", "torch")
            if other is None or exact is None or is_told or differs:
                continue
            if not same_release(exact[2], other.version):
                differs = True
                yield verdict(
                    "requirement_differs",
                    package.place,
                    other.place,
                    package=package.name,
                    version=package.version,
                    name=name,
                    wanted=exact[2],
                    found=other.version,
                )


def _doubles(machine: Machine) -> Iterator[Verdict]:
    for name in ("torch_npu", "torch"):
        found = [package for package in machine.packages if package.name == name]
        for other in found[1:]:
            is_mixed = other.folder == found[0].folder
            # A second torch behind the first is what an environment over another looks like.
            if other.version != found[0].version and (is_mixed or name == "torch_npu"):
                yield verdict(
                    "package_twice",
                    found[0].place,
                    other.place,
                    package=name,
                    first=found[0].version,
                    second=other.version,
                )
                return


def _numpy(machine: Machine, torch: Package | None) -> Iterator[Verdict]:
    numpy = machine.package("numpy")
    if torch is None or numpy is None or not numpy.version.startswith("2."):
        return
    if () < numbers(torch.version)[:2] < _NUMPY2_SINCE:
        yield verdict(
            "numpy_newer", numpy.place, torch.place, numpy=numpy.version, torch=torch.version
        )


def _kernels(machine: Machine, cann: Cann) -> Iterator[Verdict]:
    chips = machine.chips
    if chips is None or chips.kernels is None or cann.kernels is None:
        return
    if chips.kernels not in cann.kernels:
        yield verdict(
            "kernels_absent",
            chips.place,
            cann.place,
            chip=chips.name,
            kernels=chips.kernels,
            cann=cann.version,
            root=cann.root,
            others=", ".join(cann.kernels),
        )


def _nnal(machine: Machine, cann: Cann) -> Iterator[Verdict]:
    for nnal in machine.nnal[:1]:
        one, other = order(nnal.version or ""), order(cann.version or "")
        if one is not None and other is not None and one != other:
            yield verdict(
                "nnal_differs", nnal.place, cann.place, nnal=nnal.version, cann=cann.version
            )


def _compiler(machine: Machine, npu: Package) -> Iterator[Verdict]:
    for name, wanted in (("compiler_packages", _COMPILER), ("torchair_packages", _TORCHAIR)):
        missing = [package for package in wanted if machine.package(package) is None]
        if missing:
            yield verdict(name, npu.place, names=", ".join(missing), first=missing[0])


def _driver(driver: Driver, cann: Cann) -> Iterator[Verdict]:
    """Yield that the driver is older than CANN asks for, by what their own files say."""
    is_older = False
    if cann.hal and driver.hal:
        is_older = numbers(driver.hal) < numbers(cann.hal)
    # Each lists the internal releases of the other that it works with.
    if cann.inner and driver.inner and cann.compatible and driver.compatible:
        fits = cann.inner in driver.compatible or driver.inner in cann.compatible
        is_older = is_older or (not fits and driver.inner < cann.inner)
    if is_older:
        yield verdict(
            "driver_older",
            driver.place,
            cann.place,
            driver=driver.version,
            cann=cann.version or "?",
        )


def _firmware(machine: Machine, driver: Driver) -> Iterator[Verdict]:
    firmware, limits = machine.firmware, driver.firmware
    if firmware is None or not limits or len(limits) % 2:
        return
    here = numbers(firmware.value)[:3]
    ranges = [*zip(limits[::2], limits[1::2], strict=True)]
    if here and not any(numbers(low)[:3] <= here <= numbers(high)[:3] for low, high in ranges):
        yield verdict(
            "firmware_outside",
            firmware.place,
            driver.firmware_place,
            firmware=firmware.value,
            driver=driver.version,
            range=", ".join(f"{low}-{high}" for low, high in ranges),
        )
