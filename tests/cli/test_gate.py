"""What fails a job: selections, suppressions, baselines, and how it is told."""

from __future__ import annotations

import json
from datetime import date

import pytest
import yaml

from ascend_doctor.cli import gate
from tests.rulesets import rule

MISSING = "ImportError: libhccl.so: cannot open shared object file: No such file or directory\n"
MEMORY = (
    "torch.OutOfMemoryError: NPU out of memory. Tried to allocate 2.38 GiB (NPU 2; 60.96 GiB total "
    "capacity; 58.11 GiB already allocated; 58.11 GiB current active; 1.74 GiB free; 58.83 GiB "
    "reserved in total by PyTorch)\n"
)
ODD = "[ERROR] FE(7,python3):2026-01-02-03:04:05.006.007 [a.cc:1]7 Run:the moon is in house 8\n"
TODAY = date(2026, 6, 1)


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    """Stand in a folder of one's own, without settings above it, on a certain day."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(gate, "today", lambda: TODAY)


@pytest.fixture
def log(tmp_path):
    def write(text: str, name: str = "train.log") -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return write


def answer(done) -> dict:
    return json.loads(done.stdout)


def fingerprints(tmp_path) -> list[str]:
    entries = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))["entries"]
    return [entry["fingerprint"] for entry in entries]


def hidden(done) -> list[tuple[str, str]]:
    return [(item["rule"], item["by"]) for item in answer(done)["gate"]["hidden"]]


@pytest.mark.parametrize(
    ("options", "code", "shown", "left_out"),
    [
        ([], 1, ["not-found-shared-library"], []),
        (["--ignore", "not_found"], 0, [], [("not-found-shared-library", "--ignore")]),
        (["--ignore", "not-found-*"], 0, [], [("not-found-shared-library", "--ignore")]),
        (["--select", "numerics"], 0, [], [("not-found-shared-library", "--select")]),
        (["--select", "numerics, not-found-shared-library"], 1, ["not-found-shared-library"], []),
        (["--select", "numerics", "--select", "not_found"], 1, ["not-found-shared-library"], []),
        (
            ["--select", "not_found", "--ignore", "not-found-shared-library"],
            0,
            [],
            [("not-found-shared-library", "--ignore")],
        ),
    ],
)
def test_what_is_left_out_is_counted_and_fails_nothing(run, log, options, code, shown, left_out):
    done = run("analyze", log(MISSING), "-f", "json", *options)
    assert (done.exit_code, done.stderr) == (code, "")
    assert [d["rule"] for d in answer(done)["diagnoses"]] == shown
    assert hidden(done) == left_out
    assert answer(done)["gate"]["failed"] == bool(code)


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "✓ No fault found in the part that --since, --until and --rank leave."),
        ("zh", "✓ 在 --since、--until、--rank 限定的范围内未发现故障。"),
    ],
)
def test_the_verdict_is_about_the_slice_alone(run, log, tmp_path, lang, said):
    for rank, text in ((1, MISSING), (5, "step 1\n")):
        (tmp_path / f"rank_{rank}").mkdir()
        log(text, f"rank_{rank}/train.log")
    done = run("analyze", ".", "--rank", "5", "--lang", lang)
    assert done.stdout.splitlines()[0] == said


def test_the_verdict_says_that_something_is_left_out(run, log):
    done = run("analyze", log(MISSING), "--ignore", "not_found")
    said = done.stdout.splitlines()
    assert said[0] == "✓ No fault found beside what --select and --ignore leave out."
    assert said[-1] == "  Hidden   1 diagnosis by --ignore: not-found-shared-library"
    done = run("analyze", log(MISSING), "--ignore", "not_found", "--lang", "zh")
    said = done.stdout.splitlines()
    assert said[0] == "✓ 除 --select、--ignore 排除的之外，未发现故障。"
    assert said[-1] == "  已排除  --ignore 排除 1 条诊断：not-found-shared-library"


def test_what_is_left_when_the_root_cause_is_left_out_is_not_called_so(run, tmp_path):
    for rank, text in enumerate((MISSING, MEMORY)):
        folder = tmp_path / f"rank_{rank}"
        folder.mkdir()
        (folder / "train.log").write_text(text, encoding="utf-8")
    first = answer(run("analyze", ".", "-f", "json"))["diagnoses"][0]["rule"]
    done = run("analyze", ".", "--ignore", first)
    assert (done.exit_code, done.stdout.split(":")[0]) == (1, "✗ Also found")


def test_what_followed_from_a_cause_that_is_left_out_is_no_cause(run, log):
    text = MISSING + "[ERROR] GE(7,py):2026-01-02-03:04:05.006.007 [a.cc:1]7 ctx is NULL!\n"
    done = run("analyze", log(text), "-f", "json", "--ignore", "not_found")
    assert [d["rule"] for d in answer(done)["diagnoses"] if d["severity"] != "info"] == []


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (
            "--ignore=not-found-shared-libary",
            "--ignore: no rule or family is called 'not-found-shared-libary'; did you mean "
            "not-found-shared-library, not-found-nnal-library, not-found-dcmi-library?",
        ),
        (
            "--select=zzz",
            "--select: no rule or family is called 'zzz'; see: ascend-doctor rules list",
        ),
        (
            "--select=zzz-*",
            "--select: no rule or family fits 'zzz-*'; see: ascend-doctor rules list",
        ),
    ],
)
def test_a_name_that_nothing_has_is_wrong_usage(run, log, option, said):
    done = run("analyze", log(MISSING), option)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"error: {said}\n")


def test_a_baseline_lets_what_is_known_pass_and_nothing_else(run, log):
    file = log(MISSING)
    done = run("analyze", file, "--baseline=b.json", "--update-baseline", "--reason=old image")
    assert (done.exit_code, done.stderr) == (0, "b.json: 1 added, 0 kept, 0 removed\n")
    # Another run: other times, folders and counts.
    log("step 1\n" + MISSING.replace("libhccl.so", "/usr/lib/libhccl.so") * 3, "again.log")
    done = run("analyze", "again.log", "--baseline=b.json")
    assert (done.exit_code, done.stdout.splitlines()[:5]) == (
        0,
        [
            "✓ Nothing new: what was found is known.",
            "",
            "Known",
            "  • The loader cannot find libhccl.so ×3  again.log:2",
            "    accepted: old image (b.json:5)",
        ],
    )
    log(MISSING.replace("libhccl", "libge"), "other.log")
    assert run("analyze", "other.log", "--baseline=b.json").exit_code == 1
    log(MISSING + MEMORY, "both.log")
    done = run("analyze", "both.log", "--baseline=b.json")
    assert done.exit_code == 1


def test_a_baseline_is_written_sorted_redacted_and_for_people(run, log, tmp_path):
    log("OSError: [Errno 28] No space left on device: '/home/ann/x'\n", "a.log")
    log(MISSING, "b.log")
    run(
        "analyze",
        ".",
        "--baseline=b.json",
        "--update-baseline",
        "--reason=why",
        "--expires=2026-07-01",
    )
    written = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))
    assert [
        (e["rule"], e["text"], e["reason"], e["added"], e["expires"]) for e in written["entries"]
    ] == [
        (
            "host-resource-disk-full",
            "OSError: [Errno 28] No space left on device: '/home/user-1/x'",
            "why",
            "2026-06-01",
            "2026-07-01",
        ),
        ("not-found-shared-library", MISSING.strip(), "why", "2026-06-01", "2026-07-01"),
    ]


def test_an_update_keeps_reasons_and_drops_what_is_gone(run, log, tmp_path):
    log(MISSING, "a.log")
    log(MEMORY, "b.log")
    run("analyze", ".", "--baseline=b.json", "--update-baseline", "--reason=first")
    before = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))["entries"]
    (tmp_path / "b.log").unlink()
    log(ODD, "c.log")
    done = run(
        "analyze", ".", "--baseline=b.json", "--strict", "--update-baseline", "--reason=second"
    )
    after = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))["entries"]
    assert (done.exit_code, done.stderr) == (0, "b.json: 1 added, 1 kept, 1 removed\n")
    assert [e["reason"] for e in after] == ["second", "first"]
    assert after[1] == next(e for e in before if e["rule"] == "not-found-shared-library")


def test_what_is_new_needs_a_reason_and_the_report_is_told_all_the_same(run, log, tmp_path):
    done = run("analyze", log(MISSING), "--baseline=b.json", "--update-baseline")
    assert (done.exit_code, done.stdout.splitlines()[0], done.stderr) == (
        2,
        "✗ Root cause: The loader cannot find libhccl.so",
        "error: say why these may be there, with --reason TEXT: not-found-shared-library\n",
    )
    assert not (tmp_path / "b.json").exists()


def test_a_baseline_is_not_written_from_what_could_not_be_read(run, tmp_path):
    (tmp_path / "empty").mkdir()
    done = run("analyze", "empty", "--baseline=b.json", "--update-baseline", "--reason=x")
    assert (done.exit_code, done.stderr) == (
        3,
        "note: b.json is left as it is, since not all could be read\n"
        "error: no files found; a gate that read nothing must not be green\n",
    )
    assert not (tmp_path / "b.json").exists()


def test_an_entry_that_matches_nothing_is_said_and_fails_nothing(run, log, tmp_path):
    run("analyze", log(MISSING), "--baseline=b.json", "--update-baseline", "--reason=x")
    done = run("analyze", log("step 1\n"), "--baseline=b.json")
    name = fingerprints(tmp_path)[0]
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (
        0,
        f"  Stale    not-found-shared-library {name} matches nothing any more (b.json:5)",
    )


def test_baselines_and_results_among_the_logs_are_no_logs(run, log):
    log(MISSING)
    options = ("--strict", "--baseline=b.json", "-f", "json=r.json")
    run("analyze", ".", *options, "--update-baseline", "--reason=x")
    done = run("analyze", ".", *options, "-f", "text")
    assert (done.exit_code, done.stdout.splitlines()[-2:]) == (
        0,
        [
            "  Skipped  b.json: written by ascend-doctor",
            "           r.json: written by ascend-doctor",
        ],
    )


def test_an_entry_that_has_expired_fails_and_is_named(run, log, tmp_path, monkeypatch):
    options = (
        "--baseline=b.json",
        "--update-baseline",
        "--reason=new image",
        "--expires=2026-06-30",
    )
    run("analyze", log(MISSING), *options)
    monkeypatch.setattr(gate, "today", lambda: date(2026, 6, 30))
    assert run("analyze", "train.log", "--baseline=b.json").exit_code == 0
    monkeypatch.setattr(gate, "today", lambda: date(2026, 7, 1))
    done = run("analyze", "train.log", "--baseline=b.json")
    name = f"not-found-shared-library {fingerprints(tmp_path)[0]}"
    assert (done.exit_code, done.stderr) == (
        1,
        f"error: b.json:5: {name} was accepted until 2026-06-30: new image\n",
    )
    # Though nothing of it is there any more: who wrote it wanted to be asked.
    assert run("analyze", log("step 1\n"), "--baseline=b.json").exit_code == 1
    done = run("analyze", "train.log", "--baseline=b.json", "--fail-on=never")
    assert (done.exit_code, done.stderr) == (0, "")


ENTRY = {"fingerprint": "1:00000000000000a1", "rule": "not-found-x", "reason": "x"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "b.json:1: not JSON: Expecting value"),
        ('{\n "a": x}', "b.json:2: not JSON: Expecting value"),
        ("[]", "b.json: not a baseline; --update-baseline writes one"),
        (
            '{"entries": []}',
            "b.json: baseline_version is None, and 1 is known here; write it anew with "
            "--update-baseline",
        ),
        ({**ENTRY, "reason": " "}, "b.json:5: reason: is empty; say why this may be there"),
        ({**ENTRY, "fingerprint": ""}, "b.json:5: fingerprint: is empty"),
        (
            {**ENTRY, "expires": "soon"},
            "b.json:5: expires: 'soon' is no date; write it as 2027-01-31",
        ),
        (
            {**ENTRY, "resaon": "x"},
            "b.json:5: resaon: there is no such field; there are fingerprint, rule, reason, title, "
            "text, added, expires",
        ),
        (
            {"fingerprint": "1:00000000000000a1", "rule": "x"},
            "b.json:5: reason: must be there, and a text",
        ),
        ("[" * 100_000, "b.json: not a baseline: nested too deeply"),
    ],
)
def test_a_wrong_baseline_is_told_with_its_line(run, log, tmp_path, text, said):
    if isinstance(text, dict):
        text = json.dumps({"baseline_version": 1, "entries": [text]}, indent=2)
    (tmp_path / "b.json").write_text(text, encoding="utf-8")
    done = run("analyze", log(MISSING), "--baseline=b.json")
    assert (done.exit_code, done.stderr) == (2, f"error: {said}\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--update-baseline"], "--update-baseline needs --baseline FILE"),
        (["--baseline=b.json", "--reason=x"], "--reason is about what --update-baseline adds"),
        (
            ["--baseline=b.json", "--expires=2027-01-01"],
            "--expires is about what --update-baseline adds",
        ),
        (
            ["--expires=tomorrow"],
            "Invalid value for '--expires': 'tomorrow' is no date; write it as 2027-01-31",
        ),
    ],
)
def test_options_that_need_others_say_so(run, log, options, said):
    done = run("analyze", log(MISSING), *options)
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (2, f"Error: {said}")


def suppress(tmp_path, text: str) -> None:
    (tmp_path / "ascend-doctor.toml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "what",
    [
        'rule = "not-found-shared-library"',
        'rule = "not_found"',
        'rule = "not-found-*"',
        'fingerprint = "1:bc4e2b4b2ae0e8c1"',
        'rule = "not_found"\nfingerprint = "1:bc4e2b4b2ae0e8c1"',
    ],
)
def test_a_suppression_lets_something_pass_for_a_reason(run, log, tmp_path, what):
    name = answer(run("analyze", log(MISSING), "-f", "json"))["diagnoses"][0]["fingerprint"]
    what = what.replace("1:bc4e2b4b2ae0e8c1", name)
    suppress(
        tmp_path, f'# why not\n[[suppress]]\n{what}\nreason = "old image"\nexpires = 2026-06-01\n'
    )
    done = run("analyze", "train.log", "-f", "json")
    assert done.exit_code == 0
    assert answer(done)["gate"]["known"] == [
        {
            "fingerprint": name,
            "reason": "old image",
            "where": "ascend-doctor.toml:2",
            "expires": "2026-06-01",
        }
    ]


def test_a_suppression_that_has_expired_fails(run, log, tmp_path):
    suppress(
        tmp_path, '[[suppress]]\nrule = "not_found"\nreason = "old image"\nexpires = "2026-05-31"\n'
    )
    done = run("analyze", log("step 1\n"))
    assert (done.exit_code, done.stderr) == (
        1,
        "error: ascend-doctor.toml:1: not_found was accepted until 2026-05-31: old image\n",
    )
    assert " ".join(" ".join(done.stdout.splitlines()[-2:]).split()) == (
        "Expired not_found was accepted until 2026-05-31: old image (ascend-doctor.toml:1); mend "
        "it, set another day, or remove the entry"
    )


def test_a_stored_result_tells_of_an_entry_once_though_it_is_still_in_force(run, log, tmp_path):
    suppress(
        tmp_path, '[[suppress]]\nrule = "not_found"\nreason = "old image"\nexpires = "2026-05-31"\n'
    )
    run("analyze", log("step 1\n"), "-f", "json=r.json")
    done = run("report", "r.json", "-f", "json")
    assert answer(done)["gate"]["expired"] == [
        {
            "name": "not_found",
            "reason": "old image",
            "where": "ascend-doctor.toml:1",
            "expires": "2026-05-31",
        }
    ]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('rule = "not_found"', "1: reason: say why this may be there"),
        ('rule = "not_found"\nreason = " "', "1: reason: say why this may be there"),
        ('reason = "x"', "1: say what is suppressed: rule or fingerprint"),
        (
            'rule = "x"\nreason = "x"',
            "1: rule: no rule or family is called 'x'; see: ascend-doctor rules list",
        ),
        (
            'rule = "not_found"\nreason = "x"\nexpires = "x"',
            "4: expires: 'x' is no date; write it as 2027-01-31",
        ),
        ('rule = "not_found"\nreason = 1', "3: reason: must be a text"),
        (
            'rules = "x"',
            "2: rules: there is no such field; there are rule, fingerprint, reason, expires",
        ),
    ],
)
def test_a_wrong_suppression_is_told_with_its_line(run, log, tmp_path, entry, said):
    suppress(tmp_path, f"[[suppress]]\n{entry}\n")
    done = run("analyze", log(MISSING))
    assert (done.exit_code, done.stderr) == (2, f"error: ascend-doctor.toml:{said}\n")


def test_a_stored_result_can_be_gated_later(run, log):
    run("analyze", log(MISSING + ODD), "-f", "json=r.json")
    assert run("report", "r.json").exit_code == 1
    assert run("report", "r.json", "--ignore", "not_found").exit_code == 0
    assert run("report", "r.json", "--ignore", "not_found", "--strict").exit_code == 1
    options = ("--strict", "--baseline=b.json")
    assert run("report", "r.json", *options, "--update-baseline", "--reason=x").exit_code == 0
    assert run("report", "r.json", *options).exit_code == 0
    assert run("analyze", "train.log", *options).exit_code == 0
    # What was left out when it was made is said still.
    run("analyze", "train.log", "-f", "json=r.json", "--ignore", "not_found")
    assert hidden(run("report", "r.json", "-f", "json")) == [
        ("not-found-shared-library", "--ignore")
    ]


def test_redaction_is_for_all_formats_and_usual_for_markdown(run, log):
    file = log("OSError: [Errno 28] No space left on device: '/home/ann/x'\n")
    for format_, usual in (("text", True), ("json", True), ("markdown", False), ("junit", True)):
        said = [
            run("analyze", file, "-f", format_, *o).stdout
            for o in ([], ["--redact"], ["--no-redact"])
        ]
        assert [("/home/ann/" in text, "/home/user-1/" in text) for text in said] == [
            (usual, not usual),
            (False, True),
            (True, False),
        ]


def test_a_stored_result_is_judged_where_its_own_rules_are_not(run, log, tmp_path):
    (tmp_path / "mine" / "not_found").mkdir(parents=True)
    mine = yaml.safe_dump(rule("not-found-mine", "the moon is gone"))
    (tmp_path / "mine/not_found/not-found-mine.yaml").write_text(mine, encoding="utf-8")
    suppress(
        tmp_path, 'rules = "mine"\n[[suppress]]\nrule = "not-found-mine"\nreason = "it is day"\n'
    )
    assert run("analyze", log("step 1\n"), "-f", "json=r.json").exit_code == 0
    done = run("report", "r.json", "--ignore=not-found-moon")
    assert (done.exit_code, done.stderr) == (0, "")
    # Nothing would be left to fail.
    done = run("report", "r.json", "--select=not-found-moon")
    assert (done.exit_code, done.stderr.partition(";")[0]) == (
        2,
        "error: --select: no rule or family is called 'not-found-moon'",
    )


def test_a_part_in_which_nothing_is_is_not_green(run, log):
    line = "[ERROR] GE(7,py):2026-03-04-10:00:00.000.000 [a.cc:1]7 step\n"
    done = run("analyze", log(line), "--since", "2026-03-05")
    assert (done.exit_code, done.stderr) == (
        3,
        "error: nothing of what was read is in the part that --since, --until and --rank leave\n",
    )
    assert done.stdout.splitlines()[0] == (
        "! Nothing of what was read is in the part that --since, --until and --rank leave."
    )
    assert run("analyze", log(line), "--until", "2026-03-05").exit_code == 0


def test_an_entry_is_not_added_with_a_day_that_has_passed(run, log, tmp_path):
    known = tmp_path / "known.json"
    words = ("--update-baseline", "--reason", "old image", "--expires", "2020-01-01")
    done = run("analyze", log("step 1\n"), "--baseline", known, *words)
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (
        2,
        "Error: --expires 2020-01-01 has passed; give a day to come",
    )
    assert not known.exists()
