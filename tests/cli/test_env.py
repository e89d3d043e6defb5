"""``env`` on this machine and on others: exit codes, formats, collections."""

from __future__ import annotations

import json

import jsonschema
import pytest
from click.testing import CliRunner

from ascend_doctor.cli import main
from ascend_doctor.collecting import examine
from ascend_doctor.machine.gather import machine
from ascend_doctor.machine.gather.machine import Sources
from ascend_doctor.machine.model import Python
from ascend_doctor.reporters.json import render
from tests.conftest import ROOT
from tests.machine.broken import MACHINES

RUN = CliRunner()
SCHEMA = json.loads((ROOT / "docs/schema/report-1.json").read_text(encoding="utf-8"))


@pytest.fixture
def here(monkeypatch, tmp_path):
    """Return what makes a synthetic machine the one that the command runs on."""

    def set_to(name):
        sources = MACHINES[name](tmp_path / "root").sources()
        monkeypatch.setattr(machine, "here", lambda python=None: sources)
        monkeypatch.setattr(examine, "here", lambda python=None: sources)

    return set_to


@pytest.mark.parametrize(
    ("name", "options", "code"),
    [
        ("host", [], 0),
        ("container", ["--strict"], 0),
        ("without_an_npu", [], 0),
        ("without_an_npu", ["--fail-on", "info"], 1),
        ("cann_missing", [], 1),
        ("cann_missing", ["--fail-on", "never"], 0),
        ("shared_memory_of_docker", [], 1),
        ("shared_memory_of_docker", ["--fail-on", "error"], 0),
        ("shared_memory_of_docker", ["--ignore", "host_resource"], 0),
        ("cann_older", ["--select", "device_fault"], 0),
        ("cann_older", ["--select", "no_such_family"], 2),
    ],
)
def test_the_gate_is_that_of_analyze(here, name, options, code):
    here(name)
    assert RUN.invoke(main, ["env", *options]).exit_code == code


@pytest.fixture
def other_machine(tmp_path):
    """Return the result of ``env`` on a machine without anything of Ascend."""
    stored = tmp_path / "other.json"
    sources = Sources(root=tmp_path / "none", environ={}, python=Python("3.11.9"))
    report = examine.examine(sources=sources)
    stored.write_text(render(report), encoding="utf-8")
    return str(stored)


@pytest.mark.parametrize("command", [["env", "--from"], ["analyze"], ["report"]])
@pytest.mark.parametrize(
    ("lang", "said", "how", "error"),
    [
        (
            "en",
            "! No Ascend driver, CANN or torch_npu was found on this machine: nothing was checked.",
            "Looked for were",
            "error: no Ascend driver, CANN or torch_npu was found; nothing was checked\n",
        ),
        (
            "zh",
            "! 这台机器上没有找到昇腾驱动、CANN 或 torch_npu，未作任何检查。",
            "已查找",
            "错误：没有找到昇腾驱动、CANN 或 torch_npu，未作任何检查\n",
        ),
    ],
)
def test_a_machine_without_anything_of_ascend_is_no_pass(
    other_machine, command, lang, said, how, error
):
    result = RUN.invoke(main, [*command, other_machine, "--lang", lang])
    first, second, *_ = result.stdout.splitlines()
    assert (result.exit_code, first, result.stderr) == (3, said, error)
    assert second.strip().startswith(how)


@pytest.mark.parametrize("name", ["html", "markdown", "junit", "sarif", "gitlab", "github"])
def test_no_format_takes_it_for_a_pass(other_machine, name):
    result = RUN.invoke(main, ["analyze", other_machine, "-f", name])
    assert result.exit_code == 3
    assert "No Ascend driver, CANN or torch_npu was found on this machine" in result.stdout


def test_a_log_beside_such_a_machine_is_judged(other_machine, tmp_path):
    log = tmp_path / "train.log"
    log.write_text("step 1: loss 2.0\n")
    result = RUN.invoke(main, ["analyze", str(log), other_machine])
    assert (result.exit_code, result.stderr) == (0, "")
    assert "python 3.11.9" in result.stdout


@pytest.mark.parametrize(
    ("lang", "said"),
    [("en", "torch_npu 2.6.0.post3 is installed without CANN"), ("zh", "没有 CANN")],
)
def test_it_speaks_both_languages(here, lang, said):
    here("cann_missing")
    assert said in RUN.invoke(main, ["env", "--lang", lang]).stdout


@pytest.mark.parametrize("name", ["json", "html", "markdown", "junit", "sarif", "gitlab", "github"])
def test_every_format_tells_of_it(here, name):
    here("kernels_of_another_chip")
    result = RUN.invoke(main, ["env", "-f", name])
    assert result.exit_code == 1
    assert "910B" in result.stdout or "not-found-setup-kernels-absent" in result.stdout


def test_the_result_is_shown_again_and_joins_the_logs_of_a_job(here, tmp_path):
    here("cann_older")
    stored = str(tmp_path / "env.json")
    assert RUN.invoke(main, ["env", "-f", f"json={stored}"]).exit_code == 1
    document = json.loads((tmp_path / "env.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, SCHEMA)
    assert document["machine"]["python"]["version"] == "3.11.9"
    assert RUN.invoke(main, ["report", stored]).exit_code == 1
    assert RUN.invoke(main, ["env", "--from", stored]).exit_code == 1
    log = tmp_path / "train.log"
    log.write_text("RuntimeError: HCCL is not the matter here\n")
    result = RUN.invoke(main, ["analyze", str(log), stored, "-f", "json"])
    rules = [item["rule"] for item in json.loads(result.stdout)["diagnoses"]]
    assert "not-found-setup-cann-older" in rules


def test_a_redacted_result_is_judged_alike(here, tmp_path):
    here("two_canns")
    for options in (["--redact"], []):
        RUN.invoke(main, ["env", "-f", f"json={tmp_path}/r{len(options)}.json", *options])
    one, other = (
        json.loads(
            RUN.invoke(main, ["env", "--from", f"{tmp_path}/r{n}.json", "-f", "json"]).stdout
        )
        for n in (0, 1)
    )
    assert [d["captures"] for d in one["diagnoses"]] == [d["captures"] for d in other["diagnoses"]]


def test_collect_says_what_it_took_and_what_not(here, tmp_path):
    here("host")
    target = tmp_path / "c.tar.gz"
    result = RUN.invoke(main, ["env", "collect", "-o", str(target)])
    assert result.exit_code == 0
    assert result.stdout == (
        f"{target}: the state of this machine, listings, 0 logs (0 B)\n"
        "no logs: there are none below /root/ascend/log\n"
    )
    again = RUN.invoke(main, ["env", "collect", "-o", str(target)])
    assert (again.exit_code, again.stderr) == (
        2,
        f"error: {target}: exists already; name another file, or add --force\n",
    )
    assert RUN.invoke(main, ["env", "collect", "-o", str(target), "--force"]).exit_code == 0
    assert RUN.invoke(main, ["env", "--from", str(target)]).exit_code == 0


def test_collect_speaks_chinese_as_well(here, tmp_path):
    here("host")
    target = tmp_path / "c.tar.gz"
    result = RUN.invoke(main, ["env", "collect", "-o", str(target), "--lang", "zh"])
    assert result.stdout == (
        f"{target}：本机状态、目录列表、0 个日志（0 B）\n没有日志：/root/ascend/log 下没有找到\n"
    )


@pytest.mark.parametrize("arguments", [["--from", "/no/such"], ["--from", ""], ["collect"], ["x"]])
def test_wrong_usage_is_told(arguments):
    assert RUN.invoke(main, ["env", *arguments]).exit_code == 2


def test_this_very_machine_can_be_looked_at():
    result = RUN.invoke(main, ["env", "-f", "json"])
    assert result.exit_code in (0, 1, 3)
    assert json.loads(result.stdout)["machine"]["python"]["version"]
