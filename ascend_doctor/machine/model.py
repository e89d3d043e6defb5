"""What is known of a machine, as plain data.

Nothing is concluded here. None says that something was not looked at or cannot be known, an empty
tuple that it was looked at and there is none. Every field has a default, so that what an older
version wrote can be read.
"""

from __future__ import annotations

from msgspec import Struct, field

# The path of what no file holds: the variables of the process, or of the shell that it came from.
ENVIRON = "environ"
# What the machine that is looked at is called where files have names.
HERE = "(this machine)"
# What a process opens in /dev beside a card itself; of names in one place, one will do.
COMPANIONS = (("davinci_manager", "davinci_manager_docker"), ("devmm_svm",), ("hisi_hdc",))


class Place(Struct, frozen=True):
    """A line of a file of the machine, as proof."""

    path: str
    line: int = 1
    text: str = ""


NOWHERE = Place("")


class Value(Struct, frozen=True):
    """A value and where it stands."""

    value: str
    place: Place = NOWHERE


class Python(Struct, frozen=True):
    """The interpreter that runs the job; ``kind`` is ``venv``, ``conda`` or ``system``."""

    version: str
    place: Place = NOWHERE
    prefix: str = ""
    kind: str = "system"


class Package(Struct, frozen=True):
    """An installed Python package.

    Attributes:
        name: normalised, with underscores.
        folder: the folder on the search path that it is installed in.
        requires: its unconditional requirements as it states them, ``torch==2.6.0``.
    """

    name: str
    version: str
    place: Place = NOWHERE
    folder: str = ""
    requires: tuple[str, ...] = ()


class Cann(Struct, frozen=True):
    """An installed CANN toolkit.

    Attributes:
        root: the folder that ``ASCEND_HOME_PATH`` would name.
        real: the same without links.
        version: the release, ``8.3.RC1``; None if no file says it.
        inner: the internal release, ``V100R001C20``, by which driver and CANN name each other.
        compatible: internal releases of drivers that it says it works with.
        hal: the least ``ascendhal_version`` of a driver that it asks for.
        kernels: the chips that it has operator kernels for, ``ascend910b``; None without ``opp``.
        set_env: the script that sets its variables.
        is_readable: False if this user may not read its libraries.
    """

    root: str
    real: str = ""
    version: str | None = None
    place: Place = NOWHERE
    inner: str | None = None
    compatible: tuple[str, ...] = ()
    hal: str | None = None
    kernels: tuple[str, ...] | None = None
    set_env: str | None = None
    is_readable: bool = True


class Link(Struct, frozen=True):
    """A link that names the CANN in use, such as ``latest``; ``real`` is None if it is broken."""

    path: str
    target: str = ""
    real: str | None = None


class Driver(Struct, frozen=True):
    """The installed driver; ``firmware`` has pairs of the first and last firmware it works with."""

    version: str
    place: Place = NOWHERE
    root: str = ""
    inner: str | None = None
    compatible: tuple[str, ...] = ()
    hal: str | None = None
    firmware: tuple[str, ...] = ()
    firmware_place: Place = NOWHERE


class Chips(Struct, frozen=True):
    """The NPUs that npu-smi or the PCI bus shows; ``kernels`` is what CANN calls their kernels."""

    name: str
    count: int = 0
    kernels: str | None = None
    place: Place = NOWHERE


class Node(Struct, frozen=True):
    """A device node; ``is_usable`` says whether this user may read and write it."""

    path: str
    mode: str = ""
    owner: str = ""
    group: str = ""
    is_usable: bool | None = None


class Variable(Struct, frozen=True):
    """An environment variable; ``value`` is None where only its name is known."""

    name: str
    value: str | None = None
    line: int = 1


class Entry(Struct, frozen=True):
    """A folder that a variable names, alone or on a search path.

    Attributes:
        variable: which one names it: ``LD_LIBRARY_PATH``, ``ASCEND_HOME_PATH``.
        real: without links; None if there is no such folder.
        is_stub: it holds libraries that are only for linking.
    """

    variable: str
    path: str
    real: str | None = None
    is_stub: bool = False


class Library(Struct, frozen=True):
    """A library, and whether the loader could load it.

    Attributes:
        missing: libraries that it needs, itself or through others, and the loader does not find.
        needed_by: for each of them, the library that names it.
        undefined: symbols that nothing it loads defines, a sample.
        undefined_count: how many there are.
    """

    path: str
    missing: tuple[str, ...] = ()
    needed_by: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()
    undefined_count: int = 0


class Size(Struct, frozen=True):
    """A number of bytes, or of files, and where it stands."""

    count: int
    place: Place = NOWHERE


class Host(Struct, frozen=True):
    """Limits of the host or container.

    Attributes:
        container: what kind of container it is; None on a host.
        shm: bytes of ``/dev/shm``.
        memory_limit, memory_used: bytes of the control group.
        open_files: the soft limit of open files.
        free: bytes that are free where jobs write: home and ``/tmp``.
    """

    container: Value | None = None
    shm: Size | None = None
    memory_limit: Size | None = None
    memory_used: Size | None = None
    open_files: Size | None = None
    free: tuple[Size, ...] = ()


class Machine(Struct, frozen=True):
    """All that is known of a machine.

    Attributes:
        cann: every CANN that was found, the one that the variables name first.
        active: ``root`` of that one; None if no variable names one.
        nodes: ``/dev/davinci*`` and the nodes that go with them.
        hal: where libascend_hal.so lies, whether the loader finds it or not.
        unread: what could not be read, and why.
    """

    python: Python | None = None
    packages: tuple[Package, ...] = ()
    cann: tuple[Cann, ...] = ()
    active: str | None = None
    links: tuple[Link, ...] = ()
    nnal: tuple[Cann, ...] = ()
    driver: Driver | None = None
    firmware: Value | None = None
    chips: Chips | None = None
    nodes: tuple[Node, ...] | None = None
    variables: tuple[Variable, ...] | None = None
    entries: tuple[Entry, ...] = ()
    libraries: tuple[Library, ...] = ()
    hal: str | None = None
    host: Host = field(default_factory=Host)
    unread: tuple[tuple[str, str], ...] = ()

    def package(self, name: str) -> Package | None:
        """Return the package that an import takes: the first on the search path."""
        return next((package for package in self.packages if package.name == name), None)

    def variable(self, name: str) -> str | None:
        """Return the value of a variable, None if it is not set or not known."""
        named = (item.value for item in self.variables or () if item.name == name)
        return next(named, None)

    @property
    def in_use(self) -> Cann | None:
        """The CANN that the variables name."""
        return next((cann for cann in self.cann if cann.root == self.active), None)

    @property
    def has_ascend(self) -> bool:
        """Say whether anything here has to do with Ascend."""
        return bool(
            self.package("torch_npu")
            or self.package("mindspore")
            or self.cann
            or self.links
            or self.nnal
            or self.driver
            or self.chips
            or self.nodes
            or any(v.name.startswith(("ASCEND_", "HCCL_")) for v in self.variables or ())
        )
