"""Which files are found below what the user named."""

from __future__ import annotations

import io
import os
import socket
import sys
from pathlib import Path

import pytest

from ascend_doctor.errors import InputError
from ascend_doctor.ingest.discover import discover
from ascend_doctor.ingest.source import Skipped, Source


def paths(found):
    """Return the shown path of each source, and whole what was skipped."""
    return [item.path if isinstance(item, Source) else item for item in found]


@pytest.fixture
def tree(tmp_path):
    for name in ("b/2.log", "b/10.log", "a/z.log", "top.log", ".hidden/x.log", "b/c/d.log"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    return tmp_path


def test_a_folder_is_walked_in_a_stable_order(tree):
    assert paths(discover([tree])) == [
        "top.log",
        ".hidden/x.log",
        "a/z.log",
        "b/10.log",
        "b/2.log",
        "b/c/d.log",
    ]


def test_each_path_is_shown_below_the_argument_it_was_found_under(tree):
    assert paths(discover([tree / "a", tree / "top.log"])) == [
        f"{tree}/a/z.log",
        f"{tree}/top.log",
    ]


def test_a_single_file_is_shown_by_its_name(tree):
    assert paths(discover([tree / "b" / "2.log"])) == ["2.log"]


def test_a_file_named_twice_is_read_once(tree):
    assert paths(discover([tree / "top.log", tree / "b", tree, tree / "top.log"])) == [
        f"{tree}/top.log",
        f"{tree}/b/10.log",
        f"{tree}/b/2.log",
        f"{tree}/b/c/d.log",
        f"{tree}/.hidden/x.log",
        f"{tree}/a/z.log",
    ]


def test_hard_and_symbolic_links_to_a_file_are_read_once(tree):
    (tree / "zz.log").hardlink_to(tree / "top.log")
    (tree / "zzz.log").symlink_to(tree / "top.log")
    (tree / "a" / "again").symlink_to(tree / "b")
    (tree / "a" / "loop").symlink_to(tree)
    assert paths(discover([tree])) == [
        "top.log",
        ".hidden/x.log",
        "a/z.log",
        "b/10.log",
        "b/2.log",
        "b/c/d.log",
    ]


def test_a_source_opens_its_own_file(tree):
    found = [item for item in discover([tree / "b"]) if isinstance(item, Source)]
    contents = []
    for item in found:
        with item.open() as stream:
            contents.append(stream.read())
    assert contents == [b"b/10.log", b"b/2.log", b"b/c/d.log"]


def test_a_path_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(InputError) as caught:
        [*discover([tmp_path / "gone.log"])]
    assert str(caught.value) == f"{tmp_path}/gone.log: no such file or folder"


def test_a_path_out_of_reach_is_an_error_that_says_why(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, reason in (("x" * 300, "file name too long"), ("loop", "too many levels")):
        with pytest.raises(InputError) as caught:
            [*discover([tmp_path / name])]
        assert str(caught.value).startswith(f"{tmp_path}/{name}: {reason}")


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_missing_path_is_an_error_before_anything_is_found(tmp_path, place):
    (tmp_path / "a.log").write_text("boom\n")
    (tmp_path / "b").mkdir()
    paths = [tmp_path / "a.log", tmp_path / "b"]
    paths.insert(place, tmp_path / "gone")
    with pytest.raises(InputError) as caught:
        next(discover(paths))
    assert str(caught.value) == f"{tmp_path}/gone: no such file or folder"


def closed_input() -> io.TextIOWrapper:
    stdin = io.TextIOWrapper(io.BytesIO(b"boom"))
    stdin.close()
    return stdin


@pytest.mark.parametrize("stdin", [None, closed_input()], ids=["from the start", "since"])
def test_a_closed_standard_input_is_an_error(monkeypatch, stdin):
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(InputError, match=r"^-: standard input is closed$"):
        [*discover([Path("-")])]


def test_no_path_at_all_is_an_error():
    with pytest.raises(InputError) as caught:
        [*discover([])]
    assert str(caught.value) == "no input named; give log files, folders, or - for standard input"


def test_an_empty_folder_yields_nothing(tmp_path):
    assert [*discover([tmp_path])] == []


def test_a_pipe_is_read_only_if_it_was_named(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert paths(discover([tmp_path])) == [Skipped("pipe", "not a regular file")]
    assert paths(discover([tmp_path / "pipe"])) == ["pipe"]


def test_a_broken_link_is_skipped_and_said_to_be(tmp_path):
    (tmp_path / "lost.log").symlink_to(tmp_path / "nowhere")
    assert paths(discover([tmp_path])) == [Skipped("lost.log", "no such file or directory")]


def test_a_name_that_is_not_utf8_is_shown_with_escapes(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"bad-\xff.log")
    with open(path, "wb") as stream:
        stream.write(b"boom")
    [item] = discover([tmp_path])
    assert item.path == "bad-\\xff.log"
    with item.open() as stream:
        assert stream.read() == b"boom"


def test_a_folder_that_vanishes_is_skipped_and_said_to_be(tmp_path):
    (tmp_path / "a.log").write_bytes(b"boom")
    gone = os.path.join(os.fsencode(tmp_path), b"gone-\xff")
    os.mkdir(gone)
    found = discover([tmp_path])
    first = next(found)
    os.rmdir(gone)
    assert paths([first, *found]) == [
        "a.log",
        Skipped("gone-\\xff", "no such file or directory"),
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_folder_is_skipped_and_said_to_be(tmp_path):
    (tmp_path / "shut").mkdir(mode=0)
    assert paths(discover([tmp_path])) == [Skipped("shut", "permission denied")]


def test_standard_input_is_a_source(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"boom")))
    [item] = discover([Path("-")])
    assert (item.path, item.open().read()) == ("<stdin>", b"boom")


def test_the_size_and_the_place_of_a_file_are_known_and_nothing_is_opened(tree, monkeypatch):
    monkeypatch.delattr(os, "open")
    monkeypatch.delattr("builtins.open")
    [item] = discover([tree / "b" / "c"])
    assert (item.path, item.size, item.file) == ("d.log", 9, f"{tree}/b/c/d.log")


def test_a_rotated_log_is_as_many_files(tmp_path):
    for name in ("log", "log.1", "log.2", "log.10"):
        (tmp_path / name).write_bytes(name.encode())
    assert paths(discover([tmp_path])) == ["log", "log.1", "log.10", "log.2"]


def test_sockets_and_devices_are_skipped_and_said_to_be(tmp_path):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        (tmp_path / "null").symlink_to("/dev/null")
        assert paths(discover([tmp_path])) == [
            Skipped("null", "not a regular file"),
            Skipped("socket", "not a regular file"),
        ]


def test_a_folder_may_be_deeper_than_a_path_may_be_long(tmp_path):
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=here)
        below = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    [item] = discover([tmp_path])
    assert (item.reason, item.path.startswith("ddd")) == ("file name too long", True)


def test_what_cannot_be_a_path_is_said():
    with pytest.raises(InputError) as caught:
        [*discover([Path("a\0b")])]
    assert str(caught.value) == "'a\\x00b': no path can be that: embedded null byte"
