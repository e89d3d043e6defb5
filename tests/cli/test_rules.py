"""`ascend-doctor rules`: list, show, new, test and lint."""

from __future__ import annotations

import json

from ascend_doctor import resources
from ascend_doctor.knowledge.load import load_rule
from tests.rulesets import patterns, rule

PATTERNS = resources.patterns()


def test_list_prints_a_line_a_rule(run):
    done = run("rules", "list", "-k", "not-found-shared-library", "--lang", "zh")
    assert done.exit_code == 0
    [line] = done.stdout.splitlines()
    assert line.startswith("not-found-shared-library  fatal    ")
    assert "<library>" in line


def test_list_as_json(run):
    done = run("rules", "list", "--family", "dataload", "--format", "json")
    told = json.loads(done.stdout)
    assert {item["family"] for item in told} == {"dataload"}
    assert all(item["title"]["en"] and item["title"]["zh"] for item in told)


def test_list_of_nothing_exits_3(run):
    done = run("rules", "list", "-k", "no-such")
    assert (done.exit_code, done.stdout) == (3, "")


def test_show_tells_everything_of_a_site_rule(run, tmp_path):
    patterns(
        tmp_path,
        rule("buffer-oom-pool", "pool of", "is full", checks={"en": ["Look."], "zh": ["看一看。"]}),
    )
    done = run("rules", "show", "buffer-oom-pool", "--rules", tmp_path, "--lang", "en")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == (
        "buffer-oom-pool\n"
        "  buffer_oom · cause · error · high confidence\n"
        "  Title of buffer-oom-pool\n"
        "  Finds    pool of … is full\n"
        "  Why      Cause of buffer-oom-pool\n"
        "  Check    1. Look.\n"
        "  Fix      1. Mend it.\n"
        "  Seen in  upstream\n"
    )


def test_show_of_an_unknown_rule_exits_1(run):
    done = run("rules", "show", "no-such-rule")
    assert (done.exit_code, done.stdout, done.stderr) == (
        1,
        "",
        "error: no rule is called no-such-rule; see: ascend-doctor rules list\n",
    )


def test_new_begins_a_file_from_a_line_on_stdin(run, tmp_path):
    done = run(
        "rules", "new", "dataload-slow-disk", "--rules", tmp_path, stdin=b"the disk is slow\n"
    )
    path = tmp_path / "dataload" / "dataload-slow-disk.yaml"
    then = f"ascend-doctor rules test {tmp_path} -k dataload-slow-disk"
    assert (done.exit_code, done.stdout) == (0, f"{path}: write its texts, then: {then}\n")
    assert path.is_file()


def test_lint_tells_slow_patterns_and_exits_1(run, tmp_path):
    patterns(tmp_path, rule("buffer-oom-slow", "pool is full", regex=r"pool (?:\w+ ?)+ dry"))
    done = run("rules", "lint", tmp_path)
    assert (done.exit_code, done.stderr) == (1, "1 rules, 1 failures\n")
    assert "buffer-oom-slow: match.0.regex: " in done.stdout


def test_new_takes_a_line_in_another_encoding(run, tmp_path):
    line = "磁盘太慢 disk is slow\n".encode("gb18030")
    done = run("rules", "new", "dataload-slow-disk", "--rules", tmp_path, stdin=line)
    path = tmp_path / "dataload" / "dataload-slow-disk.yaml"
    assert done.exit_code == 0
    assert load_rule(path).examples.match[0].log == "磁盘太慢 disk is slow"


def test_the_built_in_folder_may_be_named(run):
    done = run("rules", "test", PATTERNS, "-k", "host-resource-disk-full")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "1 rules, 0 failures\n")


def test_show_names_the_reader_of_a_rule_without_words(run):
    done = run("rules", "show", "numerics-loss-exploded", "--lang", "en")
    lines = done.stdout.splitlines()
    title = lines.index("  The loss exploded in epoch <epoch> at step <step> and has not come back")
    assert lines[title + 1] == "  Finds    curve: exploded"
