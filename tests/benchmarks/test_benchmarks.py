"""The benchmarks hold what they say they hold, and an analysis of them finds all of it.

No test here looks at a clock.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from benchmarks import messages, product, rows, run, site_rules
from benchmarks.cases import CASES, Bench
from benchmarks.floor import file_windows
from benchmarks.generate import generate
from benchmarks.measure import Run, Spread
from benchmarks.measure import run as run_program
from benchmarks.planted import answers_of
from benchmarks.sets import SETS

SCALE = Fraction(1, 512)
LEVELS = {
    "INFO": messages.INFO + messages.REMARKS,
    "EVENT": messages.EVENT,
    "WARNING": messages.WARNING,
    "ERROR": messages.STORM,
}
VALUES = {
    **{"tid": 41231, "n": 11043002, "m": 40211, "s": 41, "dev": 5, "us": 3_600_000_017},
    **{"addr": 0x12C041020000, "hex": 0xABC0123DEF, "big": 1 << 60},
}
PLANTED = [(level, message) for level, pool in LEVELS.items() for message in pool]


@pytest.fixture
def answers(run):
    """Analyse a path and return the answers in counts."""

    def analysed(path, *options):
        done = run("analyze", path, "--format", "json", *options)
        return answers_of(json.loads(done.stdout), done.exit_code)

    return analysed


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SETS if name != "fourfold"])
def test_all_that_was_planted_is_found(answers, tmp_path, name):
    logs = generate(name, tmp_path, scale=SCALE)
    found = answers(logs.input)
    # What is concluded from profiles is not planted.
    told = logs.answers.keys() if "profiles" in logs.answers else found.keys()
    assert {answer: found[answer] for answer in told} == logs.answers


def test_the_floor_reads_every_byte_once(tmp_path):
    log = next(generate("stdout", tmp_path, scale=SCALE).path.iterdir())
    read = [window.data[slice(*window.body)] for window in file_windows(log)]
    assert b"".join(read) == log.read_bytes()


@pytest.mark.parametrize(
    ("level", "message"), PLANTED, ids=[f"{level} {m.text[:24]}" for level, m in PLANTED]
)
def test_a_message_is_known_to_the_rules_it_names(answers, tmp_path, level, message):
    head = f"[{level}] {message.module}(41207,python3):2026-03-04-05:06:07.001.002 "
    path = tmp_path / "plog-41207_20260304050607001.log"
    path.write_text(head + f"{message.text}\n{message.more}" % VALUES)
    found = answers(path)
    assert (found["rules"], found["unexplained"]) == (
        dict.fromkeys(sorted(message.rules), 1),
        int(level == "ERROR" and not message.rules),
    )


def test_a_seed_makes_the_same_bytes_and_a_smaller_log_begins_the_larger(tmp_path):
    one, other = (
        generate("quarter", tmp_path / name, scale=SCALE).input.read_bytes() for name in "ab"
    )
    larger = generate("quarter", tmp_path, scale=2 * SCALE).input.read_bytes()
    assert one == other == larger[: len(one)]
    assert generate("quarter", tmp_path, scale=SCALE, seed=2).input.read_bytes() != one


def test_whole_logs_are_kept_and_others_made_anew(tmp_path):
    logs = generate("quarter", tmp_path, scale=SCALE)
    whole = logs.input.read_bytes()
    logs.input.write_bytes(b"kept")
    assert generate("quarter", tmp_path, scale=SCALE).input.read_bytes() == b"kept"
    (logs.path.parent / "expected.json").unlink()
    assert generate("quarter", tmp_path, scale=SCALE).input.read_bytes() == whole


def test_further_rules_are_sound_and_change_no_answer(answers, tmp_path):
    logs = generate("small", tmp_path / "logs")
    rules = site_rules.write_rules(tmp_path / "rules", count=20)
    assert answers(logs.input, "--rules", rules) == logs.answers


def test_wrong_and_differing_answers_are_told(tmp_path):
    logs = generate("small", tmp_path)
    report = {
        "diagnoses": [],
        "unexplained": [],
        "breakdown": {"tracks": []},
        "coverage": {name: logs.answers[name] for name in ("files", "bytes", "lines")},
    }
    good = Run(1, 1, logs.answers["exit_code"], json.dumps(report).encode())
    planted = {**logs.answers, "rules": {}, "unexplained": 0}
    bench = Bench(logs=lambda name: logs, scratch=tmp_path, repetitions=1)
    bench.check("it", replace(logs, answers=planted), [good, good])
    assert bench.wrong == []
    bench.check("it", replace(logs, answers={**planted, "lines": 7}), [good])
    bench.check("it", replace(logs, answers={"files": 1}), [good, replace(good, output=b"")])
    assert bench.wrong == [
        f"it: lines is {logs.answers['lines']}, not 7",
        "it: files is None, not 1",
        "it: runs over the same logs gave different reports",
    ]


def test_profiles_are_measured_beside_another_program(tmp_path):
    advisor = tmp_path / "msprof-analyze"
    advisor.write_text("#!/bin/sh\nsleep 0.5\n", encoding="utf-8")
    advisor.chmod(0o755)
    bench = Bench(
        logs=lambda name: generate(name, tmp_path, scale=SCALE),
        scratch=tmp_path,
        repetitions=1,
        advisor=str(advisor),
    )
    found = [(row.measured, row.against, row.unit) for row in CASES["trace"].run(bench)]
    assert (found, bench.wrong) == (
        [
            ("trace, one process, CPU", "", "s"),
            ("memory of trace, one process", "", "MiB"),
            ("trace, one process, CPU", "msprof-analyze", ""),
            ("memory of trace, one process", "msprof-analyze", ""),
        ],
        [],
    )


def test_a_run_keeps_output_and_exit_code():
    done = run_program((*product.CHECKOUT, "explain", "no-such-term"))
    assert (done.exit_code, done.output.count(b"\n") > 0) == (1, True)


def test_rows_stand_between_the_markers_of_a_document(tmp_path):
    runs = [Run(wall, cpu, 0, b"") for wall, cpu in ((3.0, 2.0), (1.0, 2.0), (2.0, 2.0))]
    base = [Run(1.0, 0.5, 0, b"")] * 3
    kept = rows.ratio("plog", "rg", runs, base, bar=2, aim=1)
    above = rows.Row("memory", "", Spread.of([151.2]), "MiB", bar=150)
    share = rows.compared("cpu", "another", [2.0, 3.0], [10.0, 10.0], bar=1 / 3)
    path = tmp_path / "performance.md"
    path.write_text("a\n<!-- results -->\nold\n<!-- end of results -->\nb\n", encoding="utf-8")
    rows.into_document(path, [kept, above, share], ["A machine."])
    assert path.read_text(encoding="utf-8") == (
        "a\n<!-- results -->\nA machine.\n\n"
        "| measured | against | figure | lowest–highest | CPU time | bar | aim | seconds |\n"
        "|---|---|---|---|---|---|---|---|\n"
        "| plog | rg | 2.00 | 1.00–3.00 | 4.00 | 2 | 1 | 2.00 / 1.00 |\n"
        "| memory |  | 151 MiB, above the bar |  |  | 150 |  |  |\n"
        "| cpu | another | 0.25 | 0.20–0.30 |  | 0.33 |  |  |\n"
        "<!-- end of results -->\nb\n"
    )
    better = rows.Row("memory", "", Spread.of([9.0]), "MiB", bar=150)
    rows.into_document(path, [better, rows.Row("new", "", Spread.of([1.0]), "s", 2)], ["B."], ["x"])
    assert rows.results(path) == (
        "A machine.\nx: B.\n\n"
        "| measured | against | figure | lowest–highest | CPU time | bar | aim | seconds |\n"
        "|---|---|---|---|---|---|---|---|\n"
        "| plog | rg | 2.00 | 1.00–3.00 | 4.00 | 2 | 1 | 2.00 / 1.00 |\n"
        "| memory |  | 9 MiB |  |  | 150 |  |  |\n"
        "| cpu | another | 0.25 | 0.20–0.30 |  | 0.33 |  |  |\n"
        "| new |  | 1.00 s |  |  | 2 |  |  |\n"
    )
    rows.into_document(path, [better], ["C."], ["x"])
    assert rows.results(path).splitlines()[:3] == ["A machine.", "x: C.", ""]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plog"], "ripgrep (rg) is not installed, and is what is compared with: apt-get install"),
        (["speed"], "there is no case 'speed'; there are plog, ranks, storm, stdout, gzip, job"),
        (["start", "--scale", "half"], "argument --scale: 'half' is no number such as 1/256"),
        (["start", "--repetitions", "0"], "--repetitions: at least 1"),
        (["trace", "--msprof-analyze", "none"], "--msprof-analyze: there is no command 'none'"),
    ],
)
def test_what_cannot_be_run_is_said_in_one_line(monkeypatch, capsys, tmp_path, arguments, message):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as stopped:
        run.main([*arguments, "--data", str(tmp_path)])
    assert stopped.value.code == 2
    assert f"error: {message}" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.slow
def test_a_case_runs_without_ripgrep(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    arguments = ["job", "start", "--data", str(tmp_path), "--scale", "1/512", "--repetitions", "1"]
    assert run.main(arguments) == 0
    told = capsys.readouterr()
    assert "job, one process, CPU" in told.out
    assert told.err == ""
