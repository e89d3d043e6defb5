"""Paths in reports for a repository's own tools are those of the repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ascend_doctor.cli import main
from ascend_doctor.cli.roots import roots
from ascend_doctor.reporters.repository import located
from tests.reporters.reports import CLEAN

LINE = "ImportError: libx.so: cannot open shared object file: No such file or directory\n"


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "repo"
    (folder / "ci" / "logs").mkdir(parents=True)
    (folder / "ci" / "logs" / "a.log").write_text(LINE, encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "b.log").write_text(LINE, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["ci/logs"], (("", "ci/logs"),)),
        (["ci"], (("", "ci"),)),
        (["."], (("", ""),)),
        (["ci/logs/a.log"], (("a.log", "ci/logs/a.log"),)),
        (["ci/logs", "ci/logs/a.log"], (("ci/logs", "ci/logs"), ("ci/logs/a.log",) * 2)),
        (["-"], ()),
        (["../elsewhere"], ()),
        (["../elsewhere", "ci"], (("ci", "ci"),)),
    ],
)
def test_arguments_below_the_repository(checkout, arguments, expected):
    assert roots([*map(Path, arguments)], {}) == expected
    absolute = [str(checkout / a) for a in arguments if a != "-"]
    if len(absolute) == 1:
        assert roots([*map(Path, absolute)], {}) == expected


@pytest.mark.parametrize("name", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
def test_a_job_says_where_its_repository_is(checkout, monkeypatch, name):
    monkeypatch.chdir(checkout / "ci")
    assert roots([Path("logs")], {name: str(checkout)}) == (("", "ci/logs"),)
    assert roots([Path("logs")], {name: "/nowhere"}) == (("", "logs"),)


def test_a_link_in_the_repository_lies_in_it(checkout):
    (checkout / "linked").symlink_to(checkout.parent / "elsewhere")
    assert roots([Path("linked")], {}) == (("", "linked"),)


@pytest.mark.parametrize(
    ("known", "path", "expected"),
    [
        ((("", "ci/logs"),), "r/a.log", "ci/logs/r/a.log"),
        ((("", "ci"),), "x.tar.gz!r/a.log", "ci/x.tar.gz"),
        ((("", "ci"),), "<stdin>", "<stdin>"),
        ((("a.log", "ci/a.log"),), "a.log", "ci/a.log"),
        ((("x.zip", "ci/x.zip"),), "x.zip!b.log", "ci/x.zip"),
        ((("/repo/ci", "ci"),), "/repo/ci/a.log", "ci/a.log"),
        ((("ci", "ci"),), "cinema/a.log", "cinema/a.log"),
        ((("ci", "ci"), ("b", "b")), "../c/a.log", "../c/a.log"),
        ((), "r/a.tar!b", "r/a.tar!b"),
    ],
)
def test_what_is_shown_is_put_below_the_repository(known, path, expected):
    from msgspec.structs import replace

    assert located(replace(CLEAN, roots=known), path) == expected


@pytest.mark.parametrize("argument", ["ci", "ci/logs", "ci/logs/a.log"])
def test_reports_of_services_name_the_file_in_the_repository(checkout, argument):
    def written(format_: str) -> str:
        return CliRunner().invoke(main, ["analyze", argument, "-f", format_]).stdout

    [entry] = json.loads(written("gitlab"))
    [result] = json.loads(written("sarif"))["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert entry["location"]["path"] == place == "ci/logs/a.log"
    assert "file=ci/logs/a.log,line=1," in written("github")
    assert json.loads(written("json"))["diagnoses"][0]["evidence"][0]["path"] == str(
        Path("ci/logs/a.log").relative_to(argument) if argument != "ci/logs/a.log" else "a.log"
    )
