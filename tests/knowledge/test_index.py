"""Rules compiled to the index and read back are the same rules."""

from __future__ import annotations

import pytest

from ascend_doctor import resources
from ascend_doctor.knowledge import index
from ascend_doctor.knowledge.build import compile_patterns, write_index
from ascend_doctor.knowledge.index import from_dict
from ascend_doctor.knowledge.rule import Explains, Rule, Texts, Variant
from ascend_doctor.knowledge.stored import loaded
from ascend_doctor.records import FAMILIES, Severity
from tests.rulesets import patterns, rule

FULL = rule(
    "buffer-oom-pool",
    "pool",
    "is full",
    regex=r"full by (?P<size>\d+)",
    severity="fatal",
    confidence="medium",
    status="stable",
    provenance=[{"kind": "article", "ref": "a"}, {"kind": "cann-source", "ref": "b"}],
    levels="any",
    modules=["GE"],
    captures={"size": "int", "fits_cann": "text"},
    when={"explainer": "oom", "verdict": ["full", "shared"]},
    outvoted_by="buffer-oom-pond",
    fallback=True,
    from_environment=["fits_cann"],
    requires={
        "record": ["tensor"],
        "process": ["started", ["compiled", "traced"]],
        "environment": {"soc": ["310P", "310B"]},
    },
    excludes={"record": ["ignored"], "process": ["resolved"], "environment": {"cann": "9."}},
    explains=[{"what": "communication-wait-*", "scope": "job", "within_s": 60}],
    title={"en": "Full by {size}", "zh": "超出 {size}"},
    checks={"en": ["Look at `x {size}`."], "zh": ["查看 `x {size}`。"]},
    remedies=[{"id": "smaller-batch", "params": {"by": "2"}}],
)
POND = rule("buffer-oom-pond", "pond is full")


@pytest.fixture
def compiled(tmp_path):
    return compile_patterns(patterns(tmp_path, FULL, POND))


def test_a_rule_keeps_all_that_its_file_says(compiled):
    known = from_dict(compiled).rules["buffer-oom-pool"]
    assert known == Rule(
        id="buffer-oom-pool",
        family="buffer_oom",
        role="cause",
        severity=Severity.FATAL,
        confidence="medium",
        status="stable",
        provenance=("article", "cann-source"),
        levels="any",
        modules=frozenset({"GE"}),
        match=(Variant((b"pool", b"is full"), r"full by (?P<size>\d+)"),),
        reader=None,
        captures={"size": "int", "fits_cann": "text"},
        from_followed=frozenset(),
        from_environment=frozenset({"fits_cann"}),
        explainer="oom",
        verdicts=("full", "shared"),
        outvoted_by="buffer-oom-pond",
        fallback=True,
        quiet=False,
        requires_record=((b"tensor",),),
        requires_process=((b"started",), (b"compiled", b"traced")),
        excludes_record=(b"ignored",),
        excludes_process=(b"resolved",),
        requires_environment={"soc": ("310P", "310B")},
        excludes_environment={"cann": ("9.",)},
        explains=(Explains("communication-wait-*", "job", 60),),
        told=compiled["rules"][1]["texts"],
        remedies=(("smaller-batch", {"by": "2"}),),
    )
    assert known.texts == {
        "en": Texts(
            "Full by {size}",
            "Cause of buffer-oom-pool",
            ("Look at `x {size}`.",),
            ("Mend it.",),
        ),
        "zh": Texts("超出 {size}", "原因之 buffer-oom-pool", ("查看 `x {size}`。",), ("修好它。",)),
    }


def test_the_written_index_reads_back_as_the_same_rules(tmp_path, compiled):
    target = tmp_path / "built" / "index.jsonl"
    write_index(tmp_path, target)
    again, known = from_dict(loaded(target.read_bytes())), from_dict(compiled)
    assert (again.digest, again.rules, again.families) == (
        known.digest,
        known.rules,
        known.families,
    )


def test_the_shipped_rules_read_back_as_the_same_rules(tmp_path):
    target = tmp_path / "index.jsonl"
    write_index(resources.patterns(), target)
    again = from_dict(loaded(target.read_bytes()))
    known = index.load()
    assert (again.digest, again.rules, again.families) == (
        known.digest,
        known.rules,
        known.families,
    )
    assert again.families.keys() == {*FAMILIES}


def test_the_digest_names_the_state_of_the_rules(tmp_path, compiled):
    path = tmp_path / "buffer_oom" / "buffer-oom-pond.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text("# a comment changes nothing\n" + text, encoding="utf-8")
    assert compile_patterns(tmp_path)["digest"] == compiled["digest"]
    path.write_text(text.replace("pond is full", "pond is dry"), encoding="utf-8")
    assert compile_patterns(tmp_path)["digest"] != compiled["digest"]


def test_a_site_adds_rules_of_its_own(tmp_path):
    folder = tmp_path / "site"
    (folder / "buffer_oom").mkdir(parents=True)
    (tmp_path / "ours").mkdir()
    patterns(tmp_path / "ours", rule("buffer-oom-ours", "our pond is full"))
    ours = tmp_path / "ours" / "buffer_oom" / "buffer-oom-ours.yaml"
    ours.rename(folder / "buffer_oom" / ours.name)
    shipped, added = index.load(), index.load(folder)
    assert added.rules.keys() - shipped.rules.keys() == {"buffer-oom-ours"}
    assert shipped.rules.keys() - added.rules.keys() == set()
