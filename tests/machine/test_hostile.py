"""Files of a machine may be anything: bounded, never left by a link, and told."""

from __future__ import annotations

import os
import types
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from ascend_doctor.collecting.examine import examine, report_of
from ascend_doctor.errors import ResultError
from ascend_doctor.knowledge.index import load
from ascend_doctor.machine.files import MAX_TEXT, Tree
from ascend_doctor.machine.gather.machine import gather
from ascend_doctor.machine.model import Machine
from ascend_doctor.machine.stored import as_dict, of_dict
from tests.machine.sites import ASCEND, CANN, SITE, healthy

is_root = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


def unread(site) -> dict[str, str]:
    return dict(gather(site.sources()).unread)


def test_links_in_a_circle_end(tmp_path):
    site = healthy(tmp_path)
    site.link(f"{ASCEND}/cann", "cann2")
    site.link(f"{ASCEND}/cann2", "cann")
    machine = gather(site.sources())
    assert [cann.version for cann in machine.cann] == ["8.3.RC1"]
    assert ("/usr/local/Ascend/cann", "too many levels of symbolic links") in machine.unread


def test_links_lead_to_where_they_would_on_the_machine(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "version.info").write_text("Version=1.2.3\n")
    root = tmp_path / "root"
    site = healthy(root)
    site.remove(f"{ASCEND}/driver/version.info")
    site.link(f"{ASCEND}/driver/version.info", f"{outside}/version.info")
    assert gather(site.sources()).driver is None
    site.file("/data/version.info", "Version=4.5.6\n")
    site.remove(f"{ASCEND}/driver/version.info")
    site.link(f"{ASCEND}/driver/version.info", "../../../../../../../data/version.info")
    assert gather(site.sources()).driver.version == "4.5.6"


def test_what_is_no_file_is_not_waited_for(tmp_path):
    site = healthy(tmp_path)
    for path in (f"{CANN}/aarch64-linux/ascend_toolkit_install.info", f"{CANN}/version.cfg"):
        site.remove(path)
        os.mkfifo(tmp_path / path[1:])
    machine = gather(site.sources())
    # The name of the folder says it as well.
    assert (machine.cann[0].version, machine.cann[0].place.path) == ("8.3.RC1", CANN)
    assert dict(machine.unread)[f"{CANN}/version.cfg"] == "not a regular file"


def test_a_huge_file_is_read_to_a_bound(tmp_path):
    site = healthy(tmp_path)
    site.file(f"{ASCEND}/driver/version.info", "Version=25.3.rc1\n" + "x" * MAX_TEXT)
    machine = gather(site.sources())
    assert machine.driver.version == "25.3.rc1"
    assert machine.unread == (
        (f"{ASCEND}/driver/version.info", "larger than 256 KiB, the rest not read"),
    )


def test_bytes_that_are_no_text_are_shown_as_such(tmp_path):
    site = healthy(tmp_path)
    site.file(f"{ASCEND}/driver/version.info", b"Version=25\xff\n")
    site.environ["ASCEND_OPP_PATH"] = b"/opp\xff".decode("utf-8", "surrogateescape")
    machine = gather(site.sources())
    assert machine.driver.version == "25\\xff"
    assert machine.variable("ASCEND_OPP_PATH") == "/opp\\xff"


def test_a_version_writes_no_command(tmp_path):
    site = healthy(tmp_path)
    site.package("torchvision", "1.0$(reboot)`reboot`", ["torch==9.9.9"])
    site.file(f"{SITE}/torch_npu/lib/libtorch_npu.so", b"\x7fELF nothing")
    report = examine(sources=site.sources())
    said = [text for d in report.diagnoses for t in d.texts.values() for text in t.fixes]
    assert said
    assert not any("reboot" in text for text in said)


def test_a_damaged_library_is_told(tmp_path):
    site = healthy(tmp_path)
    path = f"{SITE}/torch_npu/lib/libtorch_npu.so"
    site.file(path, (tmp_path / path[1:]).read_bytes()[:80])
    assert unread(site) == {path: "not a library: it ends early"}


@is_root
def test_what_may_not_be_read_is_told(tmp_path):
    site = healthy(tmp_path)
    (tmp_path / f"{ASCEND[1:]}/driver/version.info").chmod(0)
    assert unread(site) == {f"{ASCEND}/driver/version.info": "permission denied"}


def test_a_folder_of_many_names_is_read_to_a_bound(tmp_path):
    for number in range(5000):
        (tmp_path / str(number)).touch()
    tree = Tree(tmp_path)
    assert len(tree.names("/")) == 4096
    assert tree.unread == {"/": "more than 4096 names, the rest not read"}


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Return what any value of a field of a machine may be."""
    if get_origin(kind) in (Union, types.UnionType):
        return st.none() | values(get_args(kind)[0])
    if get_origin(kind) is tuple and get_args(kind)[-1] is ...:
        return st.lists(values(get_args(kind)[0]), max_size=2).map(tuple)
    if get_origin(kind) is tuple:
        return st.tuples(*map(values, get_args(kind)))
    if isinstance(kind, type) and issubclass(kind, Struct):
        return st.builds(kind, **{k: values(v) for k, v in get_type_hints(kind).items()})
    return {str: st.text(max_size=9), int: st.integers(0, 1 << 40), bool: st.booleans()}[kind]


@given(values(Machine))
@settings(max_examples=40, deadline=None)
def test_a_machine_comes_back_as_it_was(machine):
    assert of_dict(as_dict(machine), "m.json") == machine


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "m.json: machine: must be an object"),
        ({"active": 3}, "m.json: machine.active: must be a text"),
        ({"packages": {}}, "m.json: machine.packages: must be a list"),
        ({"packages": [{"name": "a"}]}, "m.json: machine.packages[0].version: is missing"),
        ({"unread": [["a"]]}, "m.json: machine.unread[0]: must be a list of 2"),
        ({"firmware": {"value": 1}}, "m.json: machine.firmware.value: must be a text"),
        (
            {"chips": {"name": "a", "count": -1}},
            "m.json: machine.chips.count: must be a whole number",
        ),
        (
            {"variables": [{"name": "a", "line": True}]},
            "m.json: machine.variables[0].line: must be a whole number",
        ),
        (
            {"cann": [{"root": "/", "is_readable": 1}]},
            "m.json: machine.cann[0].is_readable: must be true or false",
        ),
        ({"active": "x" * (1 << 17)}, "m.json: machine.active: longer than 65536 characters"),
    ],
)
def test_what_is_wrong_in_a_stored_machine_is_told(data, said):
    with pytest.raises(ResultError) as caught:
        of_dict(data, "m.json")
    assert str(caught.value) == said


def test_what_a_later_version_knows_is_passed_over():
    assert of_dict({"weather": "fine", "active": "/a"}, "m.json") == Machine(active="/a")


def test_a_path_of_the_tree_is_where_it_says(tmp_path: Path):
    assert Tree(tmp_path).on_disk("/etc/x") == str(tmp_path / "etc/x")
    assert not Tree(tmp_path).is_here
    assert Tree(Path("/")).is_here


@pytest.mark.parametrize("version", ["9" * 5000, f"2.{'9' * 5000}", ""])
def test_a_version_of_any_length_is_endured(tmp_path, version):
    plain = as_dict(gather(healthy(tmp_path).sources()))
    for item in (*plain["packages"], *plain["cann"], plain["driver"]):
        item["version"] = version
    judged = report_of(of_dict(plain, "m.json"), load())
    assert [d.rule for d in judged.diagnoses] == ["not-found-setup-release-unlisted"]
