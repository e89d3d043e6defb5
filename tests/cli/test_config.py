"""Settings: an option over the environment over a file, and what is said of each."""

from __future__ import annotations

import json
import re

import pytest

from ascend_doctor.cli.analyze import command as analyze
from ascend_doctor.cli.settings import settings_of
from tests.conftest import ROOT

FAULT = "ImportError: libhccl.so: cannot open shared object file: No such file or directory\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.log").write_text(FAULT, encoding="utf-8")
    return tmp_path


def write(folder, text: str) -> None:
    (folder / "ascend-doctor.toml").write_text(text, encoding="utf-8")


def test_an_option_goes_before_the_environment_and_that_before_a_file(run, here, monkeypatch):
    assert run("analyze", "train.log").exit_code == 1
    write(here, 'fail-on = "never"\n')
    assert run("analyze", "train.log").exit_code == 0
    monkeypatch.setenv("ASCEND_DOCTOR_FAIL_ON", "fatal")
    assert run("analyze", "train.log").exit_code == 1
    assert run("analyze", "train.log", "--fail-on", "never").exit_code == 0


def test_show_says_what_is_in_force_and_whence(run, here, monkeypatch):
    write(here, 'fail-on = "error"\nignore = ["numerics-*", "dataload"]\nstrict = true\n')
    monkeypatch.setenv("ASCEND_DOCTOR_JOBS", "2")
    done = run("config", "show", "-f", "json", "--lang", "zh", "--", "-f", "html=x.html")
    shown = json.loads(done.stdout)
    assert (done.exit_code, shown["file"]) == (0, str(here / "ascend-doctor.toml"))
    assert {
        name: (item["value"], item["from"])
        for name, item in shown["settings"].items()
        if item["from"] != "default"
    } == {
        "format": (["html=x.html"], "option"),
        "lang": ("zh", "option"),
        "jobs": (2, "ASCEND_DOCTOR_JOBS"),
        "fail-on": ("error", "ascend-doctor.toml:1"),
        "ignore": (["numerics-*", "dataload"], "ascend-doctor.toml:2"),
        "strict": (True, "ascend-doctor.toml:3"),
    }
    assert [*shown["settings"]] == [*settings_of(analyze)]


def test_show_for_people(run, here):
    write(
        here,
        'baseline = "known.json"\n[[suppress]]\nrule = "numerics"\nreason = "toy data"\n'
        "expires = 2027-01-31\n",
    )
    said = run("config", "show").stdout.splitlines()
    assert said[0] == f"file: {here}/ascend-doctor.toml"
    assert [line.split() for line in said[1:] if line.split()[0] in ("baseline", "strict")] == [
        ["strict", "false", "default"],
        ["baseline", "known.json", "ascend-doctor.toml:1"],
    ]
    assert said[-1].split("  ")[0] == "suppress"
    assert said[-1].endswith("numerics: toy data, until 2027-01-31  ascend-doctor.toml:2")


def test_show_without_a_file_says_where_it_was_looked_for(run, here):
    assert run("config", "show").stdout.splitlines()[0] == f"file: none in {here} or above"


def test_a_file_can_be_named(run, here):
    (here / "ci").mkdir()
    (here / "ci" / "strict.toml").write_text('fail-on = "never"\nbaseline = "b.json"\n')
    write(here, 'fail-on = "fatal"\n')
    shown = json.loads(run("config", "show", "-f", "json", "--config", "ci/strict.toml").stdout)
    # A path in a file is meant from where the file is.
    assert [shown["settings"][name] for name in ("fail-on", "baseline")] == [
        {"value": "never", "from": "ci/strict.toml:1"},
        {"value": "ci/b.json", "from": "ci/strict.toml:2"},
    ]


def test_a_project_file_will_do(run, here):
    (here / "pyproject.toml").write_text('[tool.ascend-doctor]\nfail-on = "never"\n')
    assert run("analyze", "train.log").exit_code == 0


def test_what_only_another_command_has_is_no_mistake(run, here):
    write(here, 'jobs = 1\nfail-on = "never"\n')
    run("analyze", "train.log", "-f", "json=r.json")
    assert run("report", "r.json").exit_code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('fail_on = "error"', "1: fail_on: there is no such setting; did you mean fail-on?"),
        ('\n"fial-on" = "error"', "2: fial-on: there is no such setting; did you mean fail-on?"),
        (
            'fail-on = "bad"',
            "1: fail-on: 'bad' is not one of 'never', 'info', 'warning', 'error', 'fatal'.",
        ),
        ('strict = "yes"', "1: strict: 'yes' is neither true nor false"),
        ("lang = 1.5", "1: lang: 1.5 is neither a text nor a whole number"),
        ("jobs = true", "1: jobs: True is neither a text nor a whole number"),
        ("jobs = 0", "1: jobs: 0 is not in the range x>=1."),
        ('baseline = ["a"]', "1: baseline: takes one value, not a list"),
        (
            'max-unpacked = "10X"',
            "1: max-unpacked: '10X' is no size; give bytes, or K, M, G or T of them",
        ),
        (
            'ignore = "nope"',
            "1: ignore: no rule or family is called 'nope'; see: ascend-doctor rules list",
        ),
        ('[suppress]\nrule = "x"', "1: suppress: write each as a table [[suppress]]"),
        ("[analyze]\njobs = 1", "1: analyze: there is no such setting; there are "),
        ('reason = "x"', "1: reason: there is no such setting; "),
    ],
)
def test_a_wrong_setting_is_told_with_its_line(run, here, text, said):
    write(here, f"{text}\n")
    done = run("analyze", "train.log")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: ascend-doctor.toml:{said}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("FAIL_ON", "x", "'x' is not one of 'never', 'info', 'warning', 'error', 'fatal'."),
        ("SELECT", "not_foud", "no rule or family is called 'not_foud'; did you mean not_found?"),
        ("JOBS", "0", "0 is not in the range x>=1."),
    ],
)
def test_a_wrong_variable_is_told_by_its_name(run, monkeypatch, name, value, said):
    monkeypatch.setenv(f"ASCEND_DOCTOR_{name}", value)
    done = run("analyze", "train.log")
    assert (done.exit_code, done.stderr) == (2, f"error: ASCEND_DOCTOR_{name}: {said}\n")


def test_every_setting_can_be_said_in_a_file():
    # A flag with a name that says no would be a double negation in a file.
    assert sorted(settings_of(analyze)) == sorted(
        [
            *("format", "lang", "fail-on", "strict", "select", "ignore", "baseline", "redact"),
            *("rules", "jobs", "no-progress", "since", "until", "rank", "threshold"),
            *("max-depth", "max-unpacked", "max-ratio", "max-members"),
        ]
    )


@pytest.mark.parametrize("name", ["gate.md", "gate.zh.md"])
def test_what_the_manual_shows_can_be_set(run, here, name):
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    for example in re.findall(r"```toml\n(.*?)```", text, re.DOTALL):
        write(here, example)
        (here / "known.json").write_text('{"baseline_version": 1, "entries": []}')
        assert run("config", "show").exit_code == 0
        assert run("analyze", "train.log", "--fail-on", "never").exit_code == 0


def test_each_setting_has_a_variable_of_its_name_and_an_option_of_one_run_has_none(
    run, here, monkeypatch
):
    names = {name: option.envvar for name, option in settings_of(analyze).items()}
    assert names == {
        name: f"ASCEND_DOCTOR_{name.upper().replace('-', '_')}" for name in settings_of(analyze)
    }
    (here / "mine").mkdir()
    given = {"baseline": "known.json", "format": "json", "redact": "no", "rules": "mine"}
    for name, value in given.items():
        monkeypatch.setenv(f"ASCEND_DOCTOR_{name.upper()}", value)
    shown = json.loads(run("config", "show", "-f", "json").stdout)["settings"]
    assert {name: item for name, item in shown.items() if item["from"] != "default"} == {
        "baseline": {"value": "known.json", "from": "ASCEND_DOCTOR_BASELINE"},
        "format": {"value": ["json"], "from": "ASCEND_DOCTOR_FORMAT"},
        "redact": {"value": False, "from": "ASCEND_DOCTOR_REDACT"},
        "rules": {"value": "mine", "from": "ASCEND_DOCTOR_RULES"},
    }
    for name in ("UPDATE_BASELINE", "REASON", "EXPIRES", "CONFIG"):
        with monkeypatch.context() as patch:
            patch.setenv(f"ASCEND_DOCTOR_{name}", "2027-01-31")
            done = run("config", "show")
            assert (done.exit_code, f"ASCEND_DOCTOR_{name}: there is no such" in done.stderr) == (
                2,
                True,
            )


def test_a_variable_that_names_no_setting_is_told(run, monkeypatch, tmp_path):
    (tmp_path / "train.log").write_text("step 1\n", encoding="utf-8")
    monkeypatch.setenv("ASCEND_DOCTOR_ENGINE", "stdlib")
    assert run("analyze", tmp_path).exit_code == 0
    monkeypatch.setenv("ASCEND_DOCTOR_FAILON", "never")
    done = run("analyze", tmp_path)
    assert (done.exit_code, done.stderr) == (
        2,
        "error: ASCEND_DOCTOR_FAILON: there is no such setting; did you mean "
        "ASCEND_DOCTOR_FAIL_ON?\n",
    )


def test_it_is_shown_in_the_language_of_the_reports(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, second, third, *_ = run("config", "show", "--lang", "zh").stdout.splitlines()
    assert first == f"配置文件：{tmp_path} 及其上级目录中均没有"
    assert second.split() == ["format", "text", "默认值"]
    assert third.split() == ["lang", "zh", "命令行选项"]
    monkeypatch.setenv("ASCEND_DOCTOR_LANG", "zh")
    assert run("config", "show").stdout.splitlines()[2].split() == [
        *("lang", "zh", "ASCEND_DOCTOR_LANG"),
    ]
