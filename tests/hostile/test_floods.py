"""Far more of everything than anyone can read: bounded, and said to be cut."""

from __future__ import annotations

import json
from string import ascii_lowercase

import pytest

from ascend_doctor.diagnosis.diagnose import MAX_UNEXPLAINED, diagnose
from ascend_doctor.facts import FURTHER
from ascend_doctor.reporters import json as json_reporter
from ascend_doctor.reporters import markdown, text
from tests.rulesets import knowledge, patterns, rule, scanned

MANY = 2000
# Explosive however fast the machine is: each takes years on the log below.
EXPLOSIVE = {
    "alternatives": r"slow words (?:a|aa)+\x00",
    "rests": r"slow words (?:.*a){20}\x00",
}


def word(number: int) -> str:
    """Return a word of letters, another one for each number: digits tell no errors apart."""
    letters = ""
    while number:
        number, digit = divmod(number, 26)
        letters += ascii_lowercase[digit]
    return letters + "!"


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return knowledge(tmp_path_factory.mktemp("rules"), rule("dataload-some", "some other words"))


def errors(numbers) -> str:
    line = "[ERROR] GE(7,py):2026-01-02-11:04:09.120.001 [a.cc:1] cannot digest {}\n"
    return "".join(line.format(word(number)) for number in numbers)


@pytest.mark.parametrize("files", [1, 5])
def test_of_many_different_errors_the_first_are_told_and_all_are_counted(known, files):
    each = MANY // files
    logs = {f"{n}.log": errors(range(n * each, (n + 1) * each)) for n in range(files)}
    report = diagnose(scanned(known, logs), known)
    told = report.unexplained
    assert (len(told), sum(item.count for item in told)) == (MAX_UNEXPLAINED, MANY)
    assert (told[-1].template, told[-1].first.line) == (FURTHER, 500 if files == 1 else 100)
    assert len(text.render(report)) < 4000
    assert len(markdown.render(report)) < 8000
    assert len(json.loads(json_reporter.render(report))["unexplained"]) == MAX_UNEXPLAINED


def test_as_many_errors_as_are_told_are_told_one_by_one(known):
    report = diagnose(scanned(known, {"a.log": errors(range(MAX_UNEXPLAINED))}), known)
    assert [item.first.line for item in report.unexplained] == [*range(1, MAX_UNEXPLAINED + 1)]


@pytest.fixture
def attacked(tmp_path):
    """Return a folder of rules that explode, and a log that makes them."""
    rules = (rule(f"compile-error-{name}", "slow words", regex=r) for name, r in EXPLOSIVE.items())
    folder = tmp_path / "site"
    folder.mkdir()
    patterns(folder, *rules, rule("compile-error-fine", "slow words", "a", severity="warning"))
    line = "[ERROR] GE(7,py):2026-01-02-11:04:09.120.001 [a.cc:1] slow words " + "a" * 2000
    log = tmp_path / "a.log"
    log.write_text(f"{line}\n" * 9)
    return folder, log


@pytest.mark.parametrize(
    ("options", "code"), [((), 1), (("--strict",), 2), (("--fail-on", "never"), 0)]
)
def test_rules_that_explode_are_cut_off_and_named_and_the_others_still_answer(
    run, attacked, options, code
):
    folder, log = attacked
    done = run("analyze", log, "--rules", folder, "--format", "json", *options)
    report = json.loads(done.stdout)
    assert (done.exit_code, done.stderr) == (code, "")
    assert [found["rule"] for found in report["diagnoses"]] == ["compile-error-fine"]
    off = "; ".join(
        f"rule compile-error-{name} took too long on 5 messages and was switched off"
        for name in sorted(EXPLOSIVE)
    )
    assert report["coverage"]["broken"] == [{"path": "a.log", "reason": off}]
