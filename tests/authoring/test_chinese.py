"""Every Chinese text is set as Chinese is set, and calls one thing by one name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import pytest

from ascend_doctor import resources
from ascend_doctor.knowledge.index import load
from ascend_doctor.knowledge.load import load_rule, rule_files
from ascend_doctor.knowledge.texts import PLACEHOLDER, clauses, code_spans, fill
from ascend_doctor.reporters import labels
from tests.conftest import ROOT

KNOWN = load()
RULES = [load_rule(path) for path in rule_files(resources.patterns())]

# What stands for a capture: captures are mostly numbers and names, so a blank belongs there.
CAPTURED = "X7"
HAN = "[\u4e00-\u9fff]"

FAULTS = {
    "half-width mark behind a Chinese character": f"{HAN}[,;:!?]",
    "half-width mark before a Chinese character": f"[,;:!?]{HAN}",
    "half-width bracket at a Chinese character": rf"{HAN}\(|\({HAN}|{HAN}\)|\){HAN}",
    "straight quotation mark at a Chinese character": f'{HAN}"|"{HAN}',
    "half-width full stop": rf"{HAN}\.(?:\s|$)|[，；：、]$",
    "no blank between Chinese and Latin": f"{HAN}[A-Za-z0-9]|[A-Za-z0-9%]{HAN}",
    "blank between Chinese characters": f"{HAN} +{HAN}",
    "blank at a full-width mark": " [，。；：、！？）]|[，。；：、！？（] ",
    "blank at the edge or twice": r"^ | $|  ",
    "mark behind a mark": "[，；：、][，。；：、]|。[，；：、]|（）",
}
# One thing has one name; these are the others that are met for it.
OTHER_NAMES = {
    "KV cache": "KV Cache",
    "形状": "shape",
    "检查点": "checkpoint",
    "看门狗": "watchdog",
    "主机侧": "Host 侧",
    "host 侧": "Host 侧",
    "设备侧": "Device 侧",
    "主机网卡": "Host 网卡",
    "设备网口": "Device 网口",
    "设备 ID": "设备号",
    "错误块": "报错块",
    "工作空间": "workspace",
    "micro-batch": "micro batch",
    "vector core": "Vector Core",
    "家目录": "用户主目录",
    "堆栈": "调用栈",
    "共享库": "动态库",
    "内核函数": "核函数",
    "通信组": "通信域",
}
# A pronoun is what a translator writes; an engineer names the card, the rank, the file.
PRONOUN = re.compile("(?<!其)它")


def written() -> Iterator[tuple[str, str]]:
    """Yield where each Chinese text stands, and the text."""
    for rule in RULES:
        for number, text in enumerate(rule.texts("zh")):
            yield f"{rule.id}[{number}]", text
    for name, family in KNOWN.families.items():
        yield f"families.{name}", family.title["zh"]
        for text in family.next["zh"]:
            yield f"families.{name}.next", text
    for row in KNOWN.codes.rows():
        yield f"codes.{row.table}.{row.code}", row.meaning["zh"]
    for section, pages in KNOWN.pages.items():
        for term, page in pages.items():
            yield from ((f"glossary.{section}.{term}", text) for text in chinese(page))
    for name, (_, text) in labels._LABELS.items():
        yield f"labels.{name}", text


def chinese(page: object) -> Iterator[str]:
    """Yield the Chinese texts of a page of the glossary."""
    for field in ("claim", "means", "causes", "next"):
        said = getattr(page, field)
        texts = said.get("zh", ()) if isinstance(said, Mapping) else ()
        yield from (texts,) if isinstance(texts, str) else texts


def shown(text: str) -> Iterator[str]:
    """Yield ``text`` with all of its captures, and with only those that it cannot do without.

    Commands and quoted log lines are left out: they are not ours to set.
    """
    needed = {
        found["name"]
        for found in PLACEHOLDER.finditer(clauses(text)[0])
        if found["fallback"] is None
    }
    every = {found["name"] for found in PLACEHOLDER.finditer(text)}
    for names in (every, needed):
        out = fill(text, dict.fromkeys(names, CAPTURED))
        for span in code_spans(out):
            out = out.replace(span, "`")
        yield re.sub("“[^“”]*”", "“”", out)


TEXTS = [*written()]


def test_all_texts_are_looked_at():
    kinds = {where.split(".")[0] for where, _ in TEXTS if "." in where}
    assert kinds == {"families", "codes", "glossary", "labels"}
    assert {rule.id for rule in RULES} <= {where.partition("[")[0] for where, _ in TEXTS}


@pytest.mark.parametrize("fault", FAULTS)
def test_chinese_is_set_as_chinese(fault):
    wrong = re.compile(FAULTS[fault])
    assert [(where, text) for where, text in TEXTS if any(map(wrong.search, shown(text)))] == []


@pytest.mark.parametrize("other", OTHER_NAMES)
def test_one_thing_has_one_name(other):
    odd = [(where, text) for where, text in TEXTS if any(other in said for said in shown(text))]
    assert odd == [], f"say {OTHER_NAMES[other]}"


def test_a_thing_is_named_and_not_called_it():
    assert [(where, text) for where, text in TEXTS if PRONOUN.search(text)] == []


def test_a_sentence_ends_and_a_title_does_not():
    titles = {f"{rule.id}[0]" for rule in RULES} | {f"families.{name}" for name in KNOWN.families}
    for where, text in TEXTS:
        if where in titles:
            assert not text.endswith("。"), where
        elif not where.startswith("labels."):
            # A capture may bring its own end, and a step may be a bare command.
            assert re.search(r"[。？`\]}][）”]?$", text), where


def test_the_readme_calls_a_family_what_its_file_does():
    readme = (ROOT / "README.zh.md").read_text(encoding="utf-8")
    for name in ("invalid_param", "not_found", "static_fallback", "dataload", "numerics"):
        assert f"| `{name}` | {KNOWN.families[name].title['zh']} |" in readme
