"""A new rule file: fixed words out of a line, and a file that the tools accept as it is."""

from __future__ import annotations

import pytest

from ascend_doctor.authoring.check import check
from ascend_doctor.authoring.new import create, family_of, fixed_parts
from ascend_doctor.errors import RuleError
from ascend_doctor.knowledge.load import load_rule

HEAD = "[ERROR] HCCL(812,python3):2026-01-02-11:04:09.120.001 [a.cc:88] "
PLOG = f"{HEAD}[812][Listen]port[6001] is taken"


@pytest.mark.parametrize(
    ("log", "parts"),
    [
        (PLOG, ["][Listen]port[", "] is taken"]),
        ("OSError: pool 'a b' of /opt/x/y.so is full (3)", ["OSError: pool", "is full ("]),
        ("first line counts\nnot this one", ["first line counts"]),
        ("0x7f 12 '…'", []),
        ("pool 1 pool 2 pool 3 pool 4 pool", ["pool", "pool", "pool"]),
        ("", []),
    ],
)  # fmt: skip
def test_what_always_stays_the_same_becomes_literals(log, parts):
    assert fixed_parts(log) == parts


def test_the_file_is_a_valid_rule_that_matches_its_line(tmp_path):
    path = create("communication-port-taken", PLOG, tmp_path)
    assert path == tmp_path / "communication" / "communication-port-taken.yaml"
    made = load_rule(path)
    assert made.match[0].literals == ("][Listen]port[", "] is taken")
    unwritten = f"{path}: communication-port-taken: has texts that are still to be written"
    assert check(tmp_path, "communication-port-taken") == (1, [unwritten])
    written = path.read_text(encoding="utf-8").replace("TODO: ", "").replace("待写：", "")
    path.write_text(written, encoding="utf-8")
    assert check(tmp_path, "communication-port-taken") == (1, [])


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("port-taken", "port-taken: an id is a family and a few words"),
        ("communication-Port", "communication-Port: an id is a family and a few words"),
        ("communication", "communication: an id is a family and a few words"),
        ("communication-../../x-y", "communication-../../x-y: an id is a family and a few words"),
    ],
)
def test_an_id_that_cannot_be_one_is_told(tmp_path, rule, message):
    with pytest.raises(RuleError) as err:
        create(rule, PLOG, tmp_path)
    assert str(err.value).startswith(message)
    assert [*tmp_path.iterdir()] == []


def test_a_line_without_fixed_words_is_told(tmp_path):
    with pytest.raises(RuleError, match="no fixed words"):
        create("dataload-x", "1 2 3", tmp_path)


@pytest.mark.parametrize("odd", ["\x1b[31m", "\x7f", "\x85", "\u2028", "\ufeff", "内存", "😀"])
def test_a_line_of_any_characters_comes_back_as_it_was(tmp_path, odd):
    log = f"disk {odd} is slow: 7"
    assert load_rule(create("dataload-slow-disk", log, tmp_path)).examples.match[0].log == log


def test_no_file_is_overwritten(tmp_path):
    create("dataload-slow-disk", "disk is slow", tmp_path)
    with pytest.raises(RuleError, match="exists already"):
        create("dataload-slow-disk", "disk is slow", tmp_path)


def test_the_family_is_read_from_the_id():
    assert family_of("buffer-oom-pool-full") == "buffer_oom"
