"""A wrong rule file is named with its line and field, and told how to mend it."""

from __future__ import annotations

import os

import pytest

from ascend_doctor.errors import RuleError
from ascend_doctor.knowledge import index
from ascend_doctor.knowledge.build import compile_patterns, with_rules
from ascend_doctor.knowledge.load import MAX_BYTES, load_rule, rule_files
from tests.rulesets import patterns, rule

GOOD = """\
id: buffer-oom-pool
family: buffer_oom
role: cause
severity: error
confidence: high
provenance:
  - {kind: public-report, ref: "made for this test"}
match:
  - literals: ["pool is full", "asked for"]
    regex: 'asked for (?P<size>[\\d.]+ \\w+) by (?P<who>.+)'
captures: {size: bytes, who: text}
title:
  en: "The pool is full at {size}"
  zh: "内存池已满：{size}"
cause:
  en: "{who} asked for {size}."
  zh: "{who} 申请了 {size}。"
checks:
  en: ["Look: `npu-smi info`."]
  zh: ["查看：`npu-smi info`。"]
fixes:
  en:
    - "Ask for less than `{size}`."
  zh:
    - "申请少于 `{size}` 的内存。"
explains:
  - {what: "framework-error-*", scope: process}
examples:
  match:
    - log: "pool is full: asked for 3 GiB by a step"
      captures: {size: 3 GiB, who: a step}
  near:
    - "pool is empty: asked for 3 GiB by a step"
"""


@pytest.fixture
def path(tmp_path):
    """A good rule file in its place."""
    path = tmp_path / "buffer_oom" / "buffer-oom-pool.yaml"
    path.parent.mkdir()
    path.write_text(GOOD, encoding="utf-8")
    return path


def message(path) -> str:
    with pytest.raises(RuleError) as caught:
        load_rule(path)
    return str(caught.value).removeprefix(f"{path}:")


def test_a_good_rule_is_loaded(path):
    loaded = load_rule(path)
    assert (loaded.id, loaded.family, loaded.captures) == (
        "buffer-oom-pool",
        "buffer_oom",
        {"size": "bytes", "who": "text"},
    )
    assert (loaded.status, loaded.levels, loaded.modules) == ("experimental", "error", ())


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("severity: error", "severty: error", "4: severty: there is no such field"),
        (
            "severity: error",
            "severity: eror",
            "4: severity: must be 'info', 'warning', 'error' or 'fatal'",
        ),
        ("confidence: high\n", "", "1: confidence: is missing"),
        (
            "confidence: high",
            "confidence: 3",
            "5: confidence: must be 'low', 'medium' or 'high'",
        ),
        (
            "id: buffer-oom-pool",
            "id: buffer-oom-pond",
            "1: id: is buffer-oom-pond, so name the file buffer-oom-pond.yaml",
        ),
        (
            "id: buffer-oom-pool",
            "id: Buffer_Pool",
            "1: id: must be lower-case words joined by hyphens, a-b-c",
        ),
        ("id: buffer-oom-pool", "id: pool-full", "1: rule: id must start with buffer-oom-"),
        ("family: buffer_oom", "family: dataload", "1: rule: id must start with dataload-"),
        (
            "captures: {size: bytes, who: text}",
            "captures: {size: bytes}",
            "1: rule: captures must give the type of who",
        ),
        (
            "captures: {size: bytes, who: text}",
            "captures: {size: bytes, who: text, why: text}",
            "1: rule: no regex captures why",
        ),
        (
            "captures: {size: bytes, who: text}",
            "captures: {size: byte, who: text}",
            "11: captures.size: must be 'int', 'hex', 'number', 'bytes', 'ident', 'path' or 'text'",
        ),
        (
            'en: "The pool is full at {size}"',
            'en: "The pool is full at {sise}"',
            "1: rule: en text uses {sise}, which is not captured",
        ),
        (
            "申请少于 `{size}`",
            "申请少于 `{sise}`",
            "1: rule: zh text uses {sise}, which is not captured",
        ),
        (
            "less than `{size}`",
            "less than `{who}`",
            "1: rule: en command uses {who}, which is free text",
        ),
        (
            'zh: "内存池已满：{size}"',
            'zh: "内存池已满：{who}"',
            None,
        ),
        ('  zh: "内存池已满：{size}"\n', "", "12: title.zh: is missing"),
        (
            '  zh: ["查看：`npu-smi info`。"]',
            '  zh: ["查看：`npu-smi info`。", "再看一次。"]',
            "18: checks: 1 steps in en, 2 in zh",
        ),
        ('  zh: ["查看：`npu-smi info`。"]', "  zh: []", "18: checks: 1 steps in en, 0 in zh"),
        (
            "who>.+)'",
            "who>.+'",
            "9: match.0: not a valid regex: missing ) ",
        ),
        (
            'literals: ["pool is full", "asked for"]\n',
            'literals: ["poo", "ask"]\n',
            "9: match.0: no literal of 4 bytes or more",
        ),
        (
            'literals: ["pool is full", "asked for"]\n',
            "literals: []\n",
            "9: match.0.literals: must hold 1 or more",
        ),
        (
            '"pool is full", "asked for"',
            '"pool is full", ""',
            "9: match.0.literals.1: is empty, or too short to say anything",
        ),
        (
            '"pool is full", "asked for"',
            '"pool is full", "asked\\0for"',
            "9: match.0.literals.1: must not hold a NUL character",
        ),
        (
            '"pool is full", "asked for"',
            '"pool is full", ["asked for"]',
            "9: match.0.literals.1: must hold 2 or more",
        ),
        (
            '"pool is full", "asked for"',
            '["pool is full", "poo"]',
            "9: match.0: no literal of 4 bytes or more",
        ),
        (
            "{kind: public-report",
            "{kind: hearsay",
            "7: provenance.0.kind: must be 'cann-source', 'torch-npu', 'upstream', "
            "'public-report', 'vendor-docs' or 'article'",
        ),
        (
            "kind: public-report, ref",
            "kind: public-report, reff",
            "7: provenance.0.reff: there is no such field",
        ),
        (
            "scope: process",
            "scope: node",
            "27: explains.0.scope: must be 'process', 'rank' or 'job'",
        ),
        ("severity: error", "severity: &worst error", None),
        (
            "severity: error\nconfidence: high",
            "severity: &worst error\nconfidence: *worst",
            "5: alias: write the value out instead",
        ),
        ("confidence: high", "severity: fatal\nconfidence: high", "5: severity: stands twice"),
        ("{size: bytes, who: text}", "{size: bytes, size: int}", "11: size: stands twice"),
        ("title:", "title: [", "14: yaml: "),
        (
            "title:",
            "title: !!python/object:os.system\n  x:",
            "12: yaml: a value that is no text; put it in quotes",
        ),
        ("role: cause", "role: notice", "1: rule: a notice has severity info"),
        (
            "role: cause",
            "role: reason",
            "3: role: must be 'cause', 'consequence', 'wrapper' or 'notice'",
        ),
    ],
)
def test_one_wrong_edit_is_told(path, old, new, expected):
    text = GOOD.replace(old, new)
    assert text != GOOD
    path.write_text(text, encoding="utf-8")
    if expected is None:
        load_rule(path)
    elif expected.endswith(" "):
        assert message(path).startswith(expected)
    else:
        assert message(path) == expected


def test_a_file_in_the_wrong_folder_is_told(path):
    moved = path.parent.parent / "dataload" / path.name
    moved.parent.mkdir()
    path.rename(moved)
    assert message(moved) == "1: family: is buffer_oom, so keep the file in buffer_oom/"


def test_a_cause_without_a_fix_is_told(path):
    a, b = GOOD.index("fixes:"), GOOD.index("explains:")
    path.write_text(GOOD[:a] + GOOD[b:], encoding="utf-8")
    assert message(path) == "1: rule: a cause needs at least one fix"


def test_a_capture_of_only_some_variants_needs_a_fallback(path):
    text = GOOD.replace("match:\n  -", 'match:\n  - literals: ["pond is full"]\n  -', 1)
    path.write_text(text, encoding="utf-8")
    assert message(path) == (
        "1: rule: en text uses {size}, which not every variant captures; "
        "write {size|what to say instead} or put the clause in [[ ]]"
    )
    for name in ("size", "who"):
        text = text.replace(f"{{{name}}}", f"{{{name}|?}}")
    path.write_text(text, encoding="utf-8")
    assert load_rule(path).title.en == "The pool is full at {size|?}"


READER = """\
reader: curve
when: {verdict: [zero]}
captures: {loss: number, step: int}
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("reader: curve", "reader: curve", None),
        ("reader: curve\n", "", "1: rule: a rule has either match or a reader"),
        (
            "reader: curve",
            "reader: curve\nmatch: [{literals: [loss is 0]}]",
            "1: rule: a rule has either match or a reader",
        ),
        (
            "when: {verdict: [zero]}\n",
            "",
            "1: rule: when must name a verdict of the reader curve",
        ),
        (
            "{verdict: [zero]}",
            "{explainer: oom, verdict: [full]}",
            "1: rule: when must name a verdict of the reader curve",
        ),
        ("[zero]", "[full]", "1: rule: curve never answers full"),
        (
            "reader: curve",
            "reader: trace",
            "8: reader: must be 'profile', 'curve' or 'environment'",
        ),
        ("step: int}", "step: int, who: text}", "1: rule: no reader captures who"),
        (
            'en: "The loss is {loss}"',
            'en: "The loss is {loss} at {step}"',
            "1: rule: en text uses {step}, which not every variant captures; "
            "write {step|what to say instead} or put the clause in [[ ]]",
        ),
    ],
)
def test_a_rule_may_stand_for_what_a_reader_finds(path, old, new, expected):
    a, b, c = GOOD.index("match:"), GOOD.index("title:"), GOOD.index("explains:")
    text = GOOD[:a] + READER + GOOD[b:c] + GOOD[c:]
    text = text.replace("pool is full at {size}", "loss is {loss}").replace("：{size}", "：{loss}")
    text = text.replace("{size}", "{loss}").replace("{who}", "{loss}").replace("The pool", "The")
    text = text.replace("captures: {size: 3 GiB, who: a step}", "captures: {}").replace(old, new)
    path.write_text(text, encoding="utf-8")
    if expected is None:
        assert load_rule(path).match == ()
    else:
        assert message(path) == expected


def test_a_match_needs_an_explainer_for_its_verdicts(path):
    text = GOOD.replace("title:", "when: {verdict: [full]}\ntitle:", 1)
    path.write_text(text, encoding="utf-8")
    assert message(path) == "1: rule: when needs an explainer"


def test_a_clause_may_use_what_only_some_variants_capture(path):
    text = GOOD.replace("match:\n  -", 'match:\n  - literals: ["pond is full"]\n  -', 1)
    for name in ("size", "who"):
        text = text.replace(f"{{{name}}}", f"[[{{{name}}}]]")
    path.write_text(text, encoding="utf-8")
    assert load_rule(path).title.en == "The pool is full at [[{size}]]"


def test_only_a_notice_can_be_quiet(path):
    path.write_text(GOOD.replace("severity:", "quiet: true\nseverity:", 1), encoding="utf-8")
    assert message(path) == "1: rule: only a notice can be quiet"


def test_languages_must_use_the_same_captures(path):
    text = GOOD.replace('zh: "{who} 申请了 {size}。"', 'zh: "申请了 {size}。"')
    path.write_text(text, encoding="utf-8")
    assert message(path) == "1: rule: only one language uses the capture who"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "1: rule: the file is empty"),
        (b"# only a comment\n", "1: rule: the file is empty"),
        (b"- a\n- b\n", "1: rule: "),
        (b"only words\n", "1: rule: "),
        (GOOD.encode("gb18030"), "1: file: is not UTF-8 text: "),
        (
            GOOD.replace("pool is", "pool\x01is").encode(),
            "9: yaml: control characters are not allowed",
        ),
        (GOOD.encode() + b"---\nid: x\n", "34: yaml: but found another document"),
        (b"? [a, b]\n: c\n", "1: yaml: "),
        (b"{" * 100_000, "1: yaml: "),
    ],
)
def test_what_is_no_rule_file_is_told(path, content, expected):
    path.write_bytes(content)
    assert message(path).startswith(expected)


def test_a_file_that_is_none_or_too_large_is_told(path):
    path.unlink()
    os.mkfifo(path)
    assert message(path) == "1: file: is not a regular file"
    path.unlink()
    path.write_text("#" * (MAX_BYTES + 1), encoding="utf-8")
    assert message(path) == "1: file: is larger than 1024 KiB"


def test_a_folder_without_rules_is_told(tmp_path):
    (tmp_path / "flat.yaml").write_text(GOOD, encoding="utf-8")
    with pytest.raises(RuleError) as err:
        index.load(tmp_path)
    assert str(err.value) == f"{tmp_path}: holds no readable rule; they lie in <family>/<id>.yaml"


@pytest.mark.parametrize(
    "pattern", ["(?R)", "(?1)x", "(?&who)", "(" * 3000 + ")" * 3000, "x" * 5000]
)
def test_a_regex_that_could_take_all_memory_is_refused(path, pattern):
    path.write_text(GOOD.replace("who>.+)'", f"who>.+){pattern}'"), encoding="utf-8")
    assert message(path) == (
        "9: match.0: a regex has at most 4000 characters, and does not call itself"
    )


def test_a_missing_file_is_told(path):
    path.unlink()
    assert message(path).startswith("1: file: cannot be read: No such file or directory")


def test_rule_files_come_in_a_stable_order_and_without_the_tables(tmp_path):
    patterns(tmp_path, rule("numerics-b", "nan seen"), rule("dataload-a", "wait"))
    (tmp_path / "codes" / "x.yaml").write_text("no rule", encoding="utf-8")
    (tmp_path / "dataload" / "notes.txt").write_text("no rule", encoding="utf-8")
    assert [*rule_files(tmp_path)] == [
        tmp_path / "dataload" / "dataload-a.yaml",
        tmp_path / "numerics" / "numerics-b.yaml",
    ]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"explains": [{"what": "buffer-oom-pond"}]},
            "explains.0.what: no rule is called buffer-oom-pond",
        ),
        ({"outvoted_by": "buffer-oom-pond"}, "outvoted_by: no rule is called buffer-oom-pond"),
    ],
)
def test_a_rule_that_names_an_unknown_rule_is_told(tmp_path, fields, expected):
    patterns(tmp_path, rule("buffer-oom-pool", "pool is full", **fields))
    with pytest.raises(RuleError) as caught:
        compile_patterns(tmp_path)
    where = tmp_path / "buffer_oom" / "buffer-oom-pool.yaml"
    assert str(caught.value) == f"{where}:1: {expected}"


@pytest.mark.parametrize("what", ["buffer-oom-pool", "communication", "communication-wait-*"])
def test_a_rule_may_name_a_rule_a_family_or_a_pattern(tmp_path, what):
    patterns(tmp_path, rule("buffer-oom-pool", "pool is full", explains=[{"what": what}]))
    [entry] = compile_patterns(tmp_path)["rules"]
    assert entry["explains"] == [{"what": what, "scope": "process", "within_s": None}]


def test_a_sites_rule_must_not_take_the_id_of_a_built_in_one(tmp_path):
    for name in ("ours", "theirs"):
        (tmp_path / name).mkdir()
        patterns(tmp_path / name, rule("buffer-oom-pool", "pool is full"))
    path = tmp_path / "theirs" / "buffer_oom" / "buffer-oom-pool.yaml"
    with pytest.raises(RuleError) as caught:
        with_rules(compile_patterns(tmp_path / "ours"), tmp_path / "theirs")
    assert str(caught.value) == f"{path}:1: id: buffer-oom-pool is taken by a built-in rule"


def test_a_sites_rule_may_name_a_built_in_one(tmp_path):
    (tmp_path / "ours").mkdir()
    index = compile_patterns(patterns(tmp_path / "ours", rule("buffer-oom-pool", "pool is full")))
    (tmp_path / "site").mkdir()
    edges = [{"what": "buffer-oom-pool"}]
    patterns(tmp_path / "site", rule("buffer-oom-pond", "pond is full", explains=edges))
    found = with_rules(index, tmp_path / "site")["rules"]
    assert [item["id"] for item in found] == ["buffer-oom-pond", "buffer-oom-pool"]


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        (
            "families.yaml",
            "buffer_oom:",
            "buffer_pool:",
            "1: families: missing or unknown: buffer_oom, buffer_pool",
        ),
        ("families.yaml", "  next:", "  nxt:", "9: invalid_param.nxt: there is no such field"),
        (
            "codes/acl.tsv",
            "code\tname",
            "number\tname",
            "1: header: must be code name family role en zh",
        ),
        (
            "codes/acl.tsv",
            "100000\tACL_ERROR_INVALID_PARAM",
            "100000\t",
            "2: row: needs 6 filled cells",
        ),
        ("codes/acl.tsv", "\n100001\t", "\n100000\t", "3: code: 100000 stands twice"),
        ("codes/acl.tsv", "\tinvalid_param\t", "\tbad_param\t", "2: family: bad_param is unknown"),
        (
            "codes/acl.tsv",
            "\tcause\t",
            "\tcouse\t",
            "2: role: couse is none of cause, consequence, wrapper, notice",
        ),
        ("codes/runtime.tsv", "0x7010000\t", "0x7010000\t\t", "2: row: needs 3 filled cells"),
    ],
)
def test_a_wrong_table_is_told(tmp_path, name, old, new, expected):
    path = patterns(tmp_path) / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RuleError) as caught:
        compile_patterns(tmp_path)
    assert str(caught.value) == f"{path}:{expected}"


def test_a_missing_table_is_told(tmp_path):
    path = patterns(tmp_path) / "codes" / "hccl.tsv"
    path.unlink()
    with pytest.raises(RuleError) as caught:
        compile_patterns(tmp_path)
    assert str(caught.value).startswith(f"{path}:1: table: cannot be read: ")


def test_a_date_that_does_not_exist_is_one_line(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("id: 2001-99-99\n", encoding="utf-8")
    with pytest.raises(RuleError) as caught:
        load_rule(path)
    assert str(caught.value) == f"{path}:1: yaml: month must be in 1..12"
