"""The entry points and what every command has in common."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ascend_doctor import __version__
from ascend_doctor.scan.literals import engine_name


def test_the_module_runs_as_a_command():
    done = subprocess.run(
        [sys.executable, "-m", "ascend_doctor", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"ascend-doctor {__version__} (search engine: {engine_name()})\n"


def test_help_loads_none_of_the_heavy_modules():
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from ascend_doctor.cli import main\n"
        "CliRunner().invoke(main, ['--help'])\n"
        "heavy = {'pandas', 'rich', 'jinja2', 'pydantic', 'yaml', 'hyperscan', 'torch'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_analysis_loads_neither_pandas_nor_torch(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("Segmentation fault (core dumped)\n")
    code = (
        "import sys\n"
        "import ascend_doctor\n"
        f"ascend_doctor.analyze({str(log)!r})\n"
        "print(sorted({'pandas', 'torch', 'torch_npu'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_rules_test_passes_on_the_shipped_rules_of_a_family(run):
    done = run("rules", "test", "-k", "host-resource-shared-memory")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "1 rules, 0 failures\n")


def test_rules_test_that_tries_no_rule_exits_3(run, tmp_path):
    done = run("rules", "test", "-k", "no-such-rule")
    assert (done.exit_code, done.stdout, done.stderr) == (
        3,
        "",
        "error: no rule to try: the built-in rules hold none whose id contains no-such-rule\n",
    )
    assert run("rules", "test", tmp_path).exit_code == 3


def test_a_bug_shows_its_traceback_and_exits_2(run, tmp_path, monkeypatch):
    (tmp_path / "a.log").write_text("step 1\n")
    monkeypatch.setattr("ascend_doctor.api.analyze", lambda *args, **kwargs: 1 / 0)
    done = run("analyze", tmp_path)
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (
        2,
        "ZeroDivisionError: division by zero",
    )


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("explain 507018 >&-", "error: the report cannot be written: standard output is closed"),
        ("rules list >&-", "error: the report cannot be written: standard output is closed"),
        ("explain <&-", "Error: name a code, or pipe a text in"),
        ("rules new dataload-x <&-", "Error: give a log line with --log, or pipe one in"),
    ],
)
def test_a_closed_stream_is_told_and_exits_2(command, said):
    line = f"{sys.executable} -m ascend_doctor {command}"
    done = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, said)
