"""What all logs together say of the machines, and what rules may ask of it."""

from __future__ import annotations

import pytest

from ascend_doctor.diagnosis.diagnose import diagnose
from ascend_doctor.diagnosis.environment import Environment
from ascend_doctor.knowledge import index
from tests.rulesets import knowledge, rule, scanned

KNOWN = index.load()


def environment(files: dict[str, str]) -> Environment:
    return Environment(scanned(KNOWN, files), KNOWN.versions)


def test_what_most_logs_say_comes_first():
    found = environment(
        {"a.log": "torch==2.6.0\n", "b.log": "torch==2.7.1\n", "c.log": "torch==2.7.1\n"}
    )
    assert found.shown() == {"torch": "2.7.1, 2.6.0"}
    said = found.first("torch")
    assert said is not None
    assert (said.value, said.evidence.path, said.evidence.line) == ("2.7.1", "b.log", 1)


def test_texts_may_name_the_versions_that_fit():
    found = environment({"a.log": "torch_npu==2.5.1.post1\nCANN version: 8.1.RC1\n"})
    assert found.captures() == {
        "torch_npu": "2.5.1.post1",
        "cann": "8.1.RC1",
        "fits_torch_npu": "torch 2.5.1, CANN 8.2.RC1",
        "fits_cann": "2.5.1, 2.4.0.post4, 2.3.1.post6, 2.1.0.post12",
    }


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("torch==2.6.0\ntorch_npu==2.7.1\n", ["not-found-pair-torch-differs"]),
        ("PyTorch version: 2.7\ntorch_npu==2.7.1\n", []),
        ("torch==2.6.0\ntorch==2.7.1\ntorch_npu==2.7.1\n", []),
    ],
)
def test_only_versions_that_surely_differ_are_told(text, rules):
    report = diagnose(scanned(KNOWN, {"a.log": text}), KNOWN)
    assert [diagnosis.rule for diagnosis in report.diagnoses] == rules


@pytest.mark.parametrize(
    ("requires", "excludes", "holds"),
    [
        ({"soc": "310P"}, {}, True),
        ({"soc": ["910B", "310P"]}, {}, True),
        ({"soc": "910B"}, {}, False),
        ({"driver": "24"}, {}, False),
        ({}, {"soc": "310P"}, False),
        ({}, {"soc": "910B"}, True),
        ({}, {"driver": "24"}, True),
    ],
)
def test_a_rule_may_ask_for_the_chip(tmp_path, requires, excludes, holds):
    asking = rule(
        "buffer-oom-pool",
        "pool is full",
        requires={"environment": requires},
        excludes={"environment": excludes},
    )
    known = knowledge(tmp_path, asking)
    # The chip stands in another file than the error: it is asked of the job.
    facts = scanned(known, {"a.log": "ERROR pool is full\n", "b.log": "found Ascend310P3\n"})
    assert [d.rule for d in diagnose(facts, known).diagnoses] == ["buffer-oom-pool"] * holds


def test_a_text_names_what_was_seen_and_goes_without_where_nothing_was(tmp_path):
    naming = rule(
        "buffer-oom-pool",
        "pool is full",
        captures={"soc": "ident", "fits_cann": "text"},
        from_environment=["soc", "fits_cann"],
        title={
            "en": "Full on {soc|this card}[[ ({fits_cann})]]",
            "zh": "{soc|该卡}已满[[（{fits_cann}）]]",
        },
    )
    known = knowledge(tmp_path, naming)

    def title(text: str) -> str:
        return diagnose(scanned(known, {"a.log": text}), known).diagnoses[0].texts["en"].title

    assert title("ERROR pool is full\n") == "Full on this card"
    assert title("ERROR pool is full on Ascend910B3\n") == "Full on Ascend910B3"
