"""Names, arguments and streams that a command must not stumble over, nor pass on as they are."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile

import pytest

from tests.conftest import ROOT
from tests.hostile.strings import ATTACKS, dangers

SAMPLE = ROOT / "samples" / "not_found-no-cann-environment"
FAULT = b"ImportError: libx.so: cannot open shared object file: No such file or directory\n"

# What a file may be called: no slash, no NUL, and bytes that are no UTF-8.
NAMES = [
    os.fsencode(attack.replace("/", "%").replace("\x00", "").encode("utf-8", "replace"))[:200]
    for attack in ATTACKS
    if attack
] + [b"\xff\xfe\x9b31m", b"\x85\xad"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder of folders and files that are called as badly as they can be."""
    top = tmp_path_factory.mktemp("names")
    for number, name in enumerate(NAMES):
        below = os.path.join(os.fsencode(top), b"%d" % number + name)
        os.mkdir(below)
        with open(os.path.join(below, name + b".log"), "wb") as log:
            log.write(FAULT if number % 2 else b"ERROR: nobody knows this one\n")
        with open(os.path.join(below, name + b".bin"), "wb") as skipped:
            skipped.write(b"PK\x03\x04")
    return top


@pytest.mark.parametrize("format_", ["text", "json", "markdown", "html"])
def test_names_of_files_and_folders_are_shown_harmless(run, folder, format_):
    done = run("analyze", folder, "--format", format_)
    assert (done.exit_code, done.stderr, dangers(done.stdout)) == (1, "", [])
    if format_ == "json":
        coverage = json.loads(done.stdout)["coverage"]
        assert (coverage["files"], len(coverage["skipped"])) == (len(NAMES), len(NAMES))


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """Return a folder of archives whose members are called as badly."""
    top = tmp_path_factory.mktemp("archives")
    with tarfile.open(top / "a.tar.gz", "w:gz") as tar, zipfile.ZipFile(top / "b.zip", "w") as zips:
        for number, attack in enumerate(ATTACKS):
            name = f"{number}{attack[:150]}".encode("utf-8", "replace").decode().replace("\x00", "")
            member = tarfile.TarInfo(f"{name}.log")
            member.size = len(FAULT)
            tar.addfile(member, io.BytesIO(FAULT))
            zips.writestr(f"{name}.log", FAULT)
            zips.writestr(f"{name}.bin", bytes(range(256)) * 9)
    return top


@pytest.mark.parametrize("format_", ["text", "json", "markdown"])
def test_names_of_members_of_archives_are_shown_harmless(run, archives, format_):
    done = run("analyze", archives, "--format", format_)
    assert (done.exit_code, done.stderr, dangers(done.stdout)) == (1, "", [])
    if format_ == "json":
        assert json.loads(done.stdout)["coverage"]["files"] == 2 * len(ATTACKS)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("analyze", "{}"), 2),
        (("analyze", "--rules", "{}", "."), 2),
        (("analyze", "--{}"), 2),
        (("{}",), 2),
        (("explain", "x{}"), 1),
        (("explain", "--format", "json", "x{}"), 1),
        (("rules", "show", "x{}"), 1),
        (("rules", "list", "-k", "{}!"), 3),
        (("rules", "new", "dataload-x", "--rules", "/dev/null/{}", "--log", "some words"), 2),
        (("rules", "test", "-k", "{}!"), 3),
    ],
)
def test_arguments_are_told_harmless(run, args, code, name):
    done = run(*(arg.replace("{}", os.fsdecode(name)) for arg in args))
    assert (done.exit_code, dangers(done.output)) == (code, [])


def test_a_rule_begun_from_a_hostile_line_reads_back_as_it_was(run, tmp_path):
    from ascend_doctor.knowledge.load import load_yaml

    log = "".join(a for a in ATTACKS if "\x00" not in a and "\ud800" not in a)
    done = run("rules", "new", "dataload-evil", "--rules", tmp_path, "--log", log)
    assert (done.exit_code, dangers(done.output)) == (0, [])
    path = tmp_path / "dataload" / "dataload-evil.yaml"
    assert dangers(path.read_text(encoding="utf-8")) == []
    assert load_yaml(path)[1]["examples"]["match"][0]["log"] == log.rstrip("\n")


def command(*args: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    line = [sys.executable, "-m", "ascend_doctor", *map(str, args)]
    return subprocess.run(line, stderr=subprocess.PIPE, cwd=ROOT, **options)


@pytest.mark.parametrize(
    "args",
    [
        ("--help",),
        ("--version",),
        ("analyze", "--help"),
        ("analyze", SAMPLE),
        ("explain", "507018"),
        ("rules", "list"),
    ],
)
def test_a_full_disk_is_one_line_and_exit_code_2(args):
    with open("/dev/full", "wb") as full:
        done = command(*args, stdout=full)
    said = b"error: the report cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, said)


@pytest.mark.parametrize("encoding", ["ascii", "gbk", "latin-1"])
@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("analyze", SAMPLE, "--lang", "zh"), 1),
        (("explain", "507018", "--lang", "zh"), 0),
        (("rules", "show", "buffer-oom-kv-cache-too-small", "--lang", "zh"), 0),
    ],
)
def test_a_terminal_that_lacks_our_signs_gets_others(args, code, encoding):
    environ = {**os.environ, "PYTHONIOENCODING": encoding}
    done = command(*args, stdout=subprocess.PIPE, env=environ)
    assert (done.returncode, done.stderr) == (code, b"")
    said = done.stdout.decode(encoding)
    assert dangers(said) == []
    assert ("\\u" in said) == (encoding != "gbk")


@pytest.mark.parametrize(
    "args",
    [
        ("analyze", SAMPLE, "--format", "json"),
        ("explain", "507018", "--format", "json"),
        ("rules", "list", "-k", "dataload", "--format", "json"),
    ],
)
def test_json_is_utf8_whatever_the_terminal_is(args):
    environ = {**os.environ, "PYTHONIOENCODING": "gbk"}
    done = command(*args, stdout=subprocess.PIPE, env=environ)
    assert any(char >= "\u4e00" for char in done.stdout.decode("utf-8"))
    json.loads(done.stdout)


@pytest.mark.parametrize(
    ("args", "code"),
    [(("analyze", "no such file"), 2), (("--nonsense",), 2), (("explain", "unheard-of"), 2)],
)
def test_an_error_that_cannot_be_told_is_still_no_finding(args, code):
    line = [sys.executable, "-m", "ascend_doctor", *args]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(line, stdout=subprocess.DEVNULL, stderr=full, cwd=ROOT)
    assert done.returncode == code


def test_a_name_that_is_not_utf8_is_shown_as_its_bytes(run):
    done = run("analyze", os.fsdecode(b"no/\xff\xfe"))
    assert (done.exit_code, done.stderr) == (2, "error: no/\\xff\\xfe: no such file or folder\n")


def test_many_unknown_terms_are_said_to_be_unknown_without_a_search_for_each(run):
    done = run("explain", "--format", "json", *(f"unheard-of-{n}" for n in range(3000)))
    told = json.loads(done.stdout)["explanations"]
    assert (done.exit_code, len(told), {item["known"] for item in told}) == (1, 3000, {False})
    assert len(done.stderr) < 500
