"""What `explain` knows: pages over tables, every way to write a term, and honest silence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ascend_doctor import resources
from ascend_doctor.errors import RuleError
from ascend_doctor.knowledge import index
from ascend_doctor.knowledge.glossary import Explanation, Glossary
from ascend_doctor.knowledge.index import page_of
from ascend_doctor.knowledge.pages import compile_pages
from ascend_doctor.records import LANGS
from ascend_doctor.report.breakdown import PARTS
from ascend_doctor.reporters.labels import label

KNOWN = index.load()
DEVICE_ID = "RT_ERROR_DEVICE_ID → 107001 ACL_ERROR_RT_INVALID_DEVICEID"
TABLES = Glossary(replace(KNOWN, pages={}))

PAGE = """
"107002":
  also: [ctx is null]
  means: {en: "No context.", zh: "没有上下文。"}
  causes: {en: ["A thread of its own."], zh: ["自建线程。"]}
  next: {en: ["Call `torch.npu.set_device`."], zh: ["调用 `torch.npu.set_device`。"]}
"""


def pages(folder, text, section="acl"):
    target = folder / "glossary"
    target.mkdir(exist_ok=True)
    (target / f"{section}.yaml").write_text(text, encoding="utf-8")
    return compile_pages(folder)


@pytest.mark.parametrize(
    ("term", "kind", "code", "name"),
    [
        ("507018", "acl", "507018", "ACL_ERROR_RT_AICPU_EXCEPTION"),
        (" 507018 ", "acl", "507018", "ACL_ERROR_RT_AICPU_EXCEPTION"),
        ("acl_error_rt_context_null", "acl", "107002", "ACL_ERROR_RT_CONTEXT_NULL"),
        ("161002", "acl", "161002", "ACLNN_ERR_PARAM_INVALID"),
        ("0x7010003", "runtime", "0x7010003", DEVICE_ID),
        ("0x07010003", "runtime", "0x7010003", DEVICE_ID),
        ("RT_ERROR_DEVICE_ID", "runtime", "0x7010003", DEVICE_ID),
        ("4", "hccl", "4", "HCCL_E_INTERNAL"),
        ("HCCL_E_INTERNAL", "hccl", "4", "HCCL_E_INTERNAL"),
        ("errNo[0x0000000005000004]", "hccl", "4", "HCCL_E_INTERNAL"),
        ("0x0000000005000004", "hccl", "4", "HCCL_E_INTERNAL"),
        ("ei0002", "error_manager", "EI0002", "Communication_Error_Timeout"),
        ("ERR00100", "torch_npu", "ERR00100", "PTA_ACL"),
        ("not-found-shared-library", "rule", "not-found-shared-library", ""),
        ("buffer_oom", "family", "buffer_oom", ""),
        ("idle-share", "threshold", "idle-share", ""),
        ("idle-share=30%", "threshold", "idle-share", ""),
        ("[EI0002]:", "error_manager", "EI0002", "Communication_Error_Timeout"),
        ("$EI0002=1", "error_manager", "EI0002", "Communication_Error_Timeout"),
    ],
)  # fmt: skip
def test_a_term_is_known_however_it_is_written(term, kind, code, name):
    found = TABLES.explain(term)
    assert (found.kind, found.code, found.name, found.is_known) == (kind, code, name, True)


@pytest.mark.parametrize(
    ("spelt", "term"),
    [
        ("Preparing", "Preparing"),
        ("free", "Free"),
        ("otherwise idle", "Free"),
        ("overlap", "Overlapped"),
        ("Communication(Not Overlapped)", "Communication(Not Overlapped)"),
    ],
)
def test_words_of_profiles_are_known(spelt, term):
    found = Glossary(KNOWN).explain(spelt)
    assert (found.kind, found.code, found.is_full) == ("profile", term, True)


def test_every_part_of_a_breakdown_is_known_as_reports_call_it():
    glossary = Glossary(KNOWN)
    for part in PARTS:
        # The family of that name tells of failures, and is older.
        kind = "family" if part == "communication" else "profile"
        assert glossary.explain(part).kind == kind
        for lang in LANGS:
            assert glossary.explain(label(f"part_{part}", lang)).kind == "profile"


def test_words_of_profiles_are_not_looked_for_in_texts():
    text = "Preparing data, Computing on 8 ranks, Overlapped: no"
    assert Glossary(KNOWN).terms_in(text) == []


def test_a_threshold_is_told_with_its_range_and_how_it_is_set():
    found = Glossary(KNOWN).explain("slow-fetch")
    assert (found.default, found.means) == ("200ms", KNOWN.thresholds["slow-fetch"].means)
    assert found.next["en"] == (
        "It may be 0 to 86400000. For one run: "
        "`ascend-doctor analyze --threshold slow-fetch=200ms`.",
        'For all of them: `threshold = ["slow-fetch=200ms"]` in `ascend-doctor.toml`, or the '
        "variable `ASCEND_DOCTOR_THRESHOLD=slow-fetch=200ms`.",
    )


def test_a_code_without_a_page_is_told_from_its_table():
    row = KNOWN.codes.row("acl", "507899")
    assert TABLES.explain("507899") == Explanation(
        "507899",
        "acl",
        code="507899",
        name="ACL_ERROR_RT_DRV_INTERNAL_ERROR",
        family="device_fault",
        status="real",
        means=row.meaning,
        next=KNOWN.families["device_fault"].next,
    )


def test_a_page_says_more_than_the_table(tmp_path):
    page = page_of(pages(tmp_path, PAGE)["acl"]["107002"])
    known = replace(KNOWN, pages={"acl": {"107002": page}})
    assert Glossary(known).explain("Ctx is NULL") == Explanation(
        "Ctx is NULL",
        "acl",
        code="107002",
        name="ACL_ERROR_RT_CONTEXT_NULL",
        family="runtime_misuse",
        status="real",
        means={"en": "No context.", "zh": "没有上下文。"},
        causes={"en": ("A thread of its own.",), "zh": ("自建线程。",)},
        next={"en": ("Call `torch.npu.set_device`.",), "zh": ("调用 `torch.npu.set_device`。",)},
        is_full=True,
    )


@pytest.mark.parametrize("term", ["107999", "E", "", "-", "0x7", "0x70fffff", "errNo[5]", "红"])
def test_what_is_not_known_is_said_to_be_unknown(term):
    assert not TABLES.explain(term).is_known


def test_what_looks_like_a_known_term_is_proposed():
    assert TABLES.explain("ACL_ERROR_RT_CONTEXT_NUL").proposed[0] == "107002"
    assert TABLES.explain("HCCL_E_INTERNA").proposed[0] == "HCCL_E_INTERNAL"


def test_a_text_is_searched_for_what_it_names():
    text = (
        "NPU function error: aclrtX, error code is 507899\n"
        "[ERROR] 2026-01-02-03:04:05 (PID:1, Device:0, RankID:-1) ERR00100 PTA call acl api\n"
        "EZ1001: [PID: 1] 507899 InnerCode=0x7010003 ACL_ERROR_RT_CONTEXT_NULL. 42 ordinary words\n"
    )
    assert TABLES.terms_in(text) == ["507899", "ERR00100", "EZ1001", "107001", "107002"]


def test_terms_come_in_their_order_behind_chinese():
    text = "报错发生在第二张卡上，先看 ACL_ERROR_RT_CONTEXT_NULL，再看 EI0002"
    assert TABLES.terms_in(text) == ["107002", "EI0002"]


@given(st.text())
def test_no_text_breaks_it(text):
    for term in (text, *TABLES.terms_in(text)):
        TABLES.explain(term)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("means:", "meens:", "4: 107002.meens: there is no such field"),
        (', zh: ["自建线程。"]', ", zh: []", "5: 107002.causes: 1 steps in en, 0 in zh"),
    ],
)
def test_a_wrong_page_is_told_with_its_place(tmp_path, old, new, message):
    text = PAGE.replace(old, new)
    assert text != PAGE
    with pytest.raises(RuleError) as err:
        pages(tmp_path, text)
    assert str(err.value) == f"{tmp_path}/glossary/acl.yaml:{message}"


def test_what_is_not_real_says_what_to_use_instead(tmp_path):
    told = PAGE.replace("also: [ctx is null]", "status: article-only")
    assert pages(tmp_path, told)["acl"]["107002"]["status"] == "article-only"
    text = "variable_x:\n  status: article-only\n  means: {en: No such thing., zh: 不存在。}\n"
    with pytest.raises(RuleError) as err:
        pages(tmp_path, text, "article")
    assert str(err.value).endswith("what is not real or not current needs instead or next")


def test_the_shipped_pages_belong_to_rows():
    codes = {(row.table, row.code) for row in KNOWN.codes.rows()}
    for section in ("acl", "error_manager", "hccl", "torch_npu"):
        assert {(section, term) for term in KNOWN.pages[section]} <= codes


def test_no_spelling_stands_for_two_terms():
    seen: dict[str, tuple[str, str]] = {}
    for section, items in compile_pages(resources.patterns()).items():
        for term, page in items.items():
            for spelling in (term, *page["also"]):
                assert seen.setdefault(spelling.casefold(), (section, term)) == (section, term)


def test_every_shipped_term_is_explained_in_full():
    known = Glossary(KNOWN)
    for section, items in KNOWN.pages.items():
        for term, page in items.items():
            for spelling in (term, *page.also):
                told = known.explain(spelling)
                assert (told.kind, told.code, told.is_full) == (section, term, True)
