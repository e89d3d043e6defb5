"""Thresholds of profiles, as a user sets them."""

from __future__ import annotations

import json

import pytest

import ascend_doctor
from ascend_doctor.errors import SettingError
from ascend_doctor.knowledge import index, quantity

# Idle for 40% of its time: above the usual limit.
TABLE = """\
Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage
0,7,60000.0,0.0,0.0,0.0,40000.0,100000.0
0,8,60000.0,0.0,0.0,0.0,40000.0,100000.0
"""
TOML = 'threshold = ["idle-share=0.5"]\n'


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Return a profile, in the working folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "step_trace_time.csv"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize(
    ("options", "variable", "file", "code"),
    [
        ([], None, "", 1),
        (["--threshold", "idle-share=0.5"], None, "", 0),
        (["--threshold", "idle-share=0.5", "--threshold", "idle-share=0.35"], None, "", 1),
        ([], "idle-share=0.5", "", 0),
        ([], "idle-share=0.5 few-steps=3", "", 0),
        (["--threshold", "idle-share=50%"], None, "", 0),
        (["--threshold", "idle-share=35 %"], None, "", 1),
        ([], "idle-share=50% slow-fetch=5ms", "", 0),
        ([], None, 'threshold = ["idle-share=50%"]\n', 0),
        ([], None, TOML, 0),
        (["--threshold", "idle-share=0.3"], "idle-share=0.5", TOML, 1),
        ([], "idle-share=0.3", TOML, 1),
    ],
)
def test_an_option_goes_before_the_environment_and_that_before_a_file(
    run, table, monkeypatch, options, variable, file, code
):
    if variable is not None:
        monkeypatch.setenv("ASCEND_DOCTOR_THRESHOLD", variable)
    if file:
        (table.parent / "ascend-doctor.toml").write_text(file)
    assert run("analyze", table, *options).exit_code == code


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("idle-shar=0.5", "idle-shar: there is no such threshold; did you mean idle-share?"),
        ("idle_share=0.5", "idle_share: there is no such threshold; did you mean idle-share?"),
        ("idle-share=1.5", "idle-share: 1.5 is out of range; it may be 0 to 1"),
        ("warm-up-steps=1.5", "warm-up-steps: 1.5 is no whole number, as a count is"),
        ("idle-share=-1", "idle-share: -1 is out of range; it may be 0 to 1"),
        ("idle-share=nan", "idle-share: nan is out of range; it may be 0 to 1"),
        ("idle-share=inf", "idle-share: inf is out of range; it may be 0 to 1"),
        ("idle-share", "'idle-share' is no threshold with its number; write it as idle-share=0.5"),
        ("idle-share=", "'idle-share=' is no threshold with its number"),
        ("idle-share=half", "'idle-share=half' is no threshold with its number"),
        ("=0.5", "'=0.5' names no threshold"),
        ("idle-share=150%", "idle-share: 1.5 is out of range; it may be 0 to 1"),
        ("idle-share=50", "idle-share: 50 is out of range; it may be 0 to 1, or write 50%"),
        (
            "idle-share=5ms",
            "'idle-share=5ms': 'ms' is no unit of it; write it as idle-share=0.3 or idle-share=30%",
        ),
        (
            "slow-fetch=1s",
            "'slow-fetch=1s': 's' is no unit of it; write it as slow-fetch=200 or slow-fetch=200ms",
        ),
        (
            "gap-size=1G",
            "'gap-size=1G': 'G' is no unit of it; write it as gap-size=1024 or gap-size=1024MiB",
        ),
        ("few-steps=3x", "'few-steps=3x': 'x' is no unit of it; write it as few-steps=2"),
        ("few-steps=30%%", "'few-steps=30%%': '%%' is no unit of it; write it as few-steps=2"),
        ("idle-shar=50%", "idle-shar: there is no such threshold; did you mean idle-share?"),
        ("idle-share=%", "'idle-share=%' is no threshold with its number"),
        ("zzz=1", "zzz: there is no such threshold; there are accounted-share, "),
    ],
)
def test_what_is_no_threshold_is_told_in_a_line(run, table, given, said):
    result = run("analyze", table, "--threshold", given)
    assert result.exit_code == 2
    [line] = [line for line in result.stderr.splitlines() if said in line]
    assert line.lower().startswith("error: ")


def test_a_wrong_one_in_a_file_is_told_with_its_line(run, table):
    (table.parent / "ascend-doctor.toml").write_text('lang = "en"\nthreshold = ["idle-share"]\n')
    result = run("analyze", table)
    assert (result.exit_code, result.stderr) == (
        2,
        "error: ascend-doctor.toml:2: threshold: 'idle-share' is no threshold with its number; "
        "write it as idle-share=0.5\n",
    )


def test_a_unit_that_is_not_its_own_is_told_where_it_stands(run, table, monkeypatch):
    file = table.parent / "ascend-doctor.toml"
    file.write_text('threshold = [\n"slow-fetch=1s"]\n')
    said = "'slow-fetch=1s': 's' is no unit of it; write it as slow-fetch=200 or slow-fetch=200ms\n"
    assert run("analyze", table).stderr == f"error: ascend-doctor.toml:1: threshold: {said}"
    file.unlink()
    monkeypatch.setenv("ASCEND_DOCTOR_THRESHOLD", "slow-fetch=1s")
    assert run("analyze", table).stderr == f"error: ASCEND_DOCTOR_THRESHOLD: {said}"


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("idle-share=35.5%", 0.355),
        ("idle-share=0.1%", 0.001),
        ("idle-share=4e1%", 0.4),
        ("slow-fetch=5ms", 5),
        ("gap-size=200MiB", 200),
        ("short-kernel=3us", 3),
        ("short-kernel=3µs", 3),
        ("short-kernel=3μs", 3),
        ("short-kernel=1e2us", 100),
        ("long-step=4x", 4),
        ("long-step=4times", 4),
        ("long-step= 4 ", 4),
    ],
)
def test_a_number_may_have_its_unit(run, table, given, value):
    report = json.loads(run("analyze", table, "--threshold", given, "-f", "json").stdout)
    assert report["thresholds"] == {given.partition("=")[0]: value}


def test_every_threshold_can_be_written_with_its_unit_in_every_form():
    for name, threshold in index.load().thresholds.items():
        for form in quantity.examples(name, threshold.value, threshold.unit):
            number = quantity.split(form.removeprefix(f"{name}="))
            assert quantity.in_unit(*number, threshold.unit) == threshold.value


def test_the_report_names_those_that_were_changed_and_texts_the_one_in_force(run, table):
    options = ["--threshold", "idle-share=0.35", "--threshold", "few-steps=2", "-f", "json"]
    report = json.loads(run("analyze", table, *options).stdout)
    assert report["thresholds"] == {"idle-share": 0.35}
    assert report["diagnoses"][0]["captures"]["limit"] == "35"


def test_settings_in_force_are_shown(run, table):
    shown = run("config", "show", "--threshold", "idle-share=0.5", "-f", "json")
    said = json.loads(shown.stdout)["settings"]["threshold"]
    assert said == {"value": ["idle-share=0.5"], "from": "option"}


@pytest.mark.parametrize("command", ["run", "watch", "diff"])
def test_other_commands_refuse_a_wrong_one_as_well(run, table, command):
    arguments = {"run": ["--", "true"], "watch": [table], "diff": [table, table]}[command]
    result = run(command, "--threshold", "idle-shar=1", *arguments)
    assert (result.exit_code, result.stderr) == (
        2,
        "error: idle-shar: there is no such threshold; did you mean idle-share?\n",
    )


def test_two_runs_are_compared_by_the_same_thresholds(run, table):
    good = table.parent / "good.csv"
    good.write_text(TABLE.replace("60000.0,0.0,0.0,0.0,40000.0", "90000.0,0.0,0.0,0.0,10000.0"))
    assert run("diff", good, table).exit_code == 1
    assert run("diff", good, table, "--threshold", "idle-share=0.5").exit_code == 0


def test_the_library_takes_them_too(table):
    assert ascend_doctor.analyze(table).status == "problem"
    report = ascend_doctor.analyze(table, thresholds={"idle-share": 0.5})
    assert (report.status, report.thresholds) == ("clean", {"idle-share": 0.5})
    with pytest.raises(SettingError, match="did you mean idle-share"):
        ascend_doctor.analyze(table, thresholds={"idleshare": 0.5})
