"""The page in a browser: what is seen at once, switches, filters, folding, paper, no script."""

from __future__ import annotations

import re
from pathlib import Path

import axe_playwright_python
import pytest

from ascend_doctor.records import LANGS
from ascend_doctor.reporters import html
from tests.browser.conftest import NARROW, WIDE
from tests.browser.crowd import FINDINGS, crowd, stepped
from tests.conftest import ROOT
from tests.hostile.reports import forged
from tests.hostile.strings import ATTACKS

pytestmark = pytest.mark.browser

SAMPLES = sorted(path.parent.name for path in (ROOT / "samples").glob("*/SOURCE.md"))
FAULTS = [name for name in SAMPLES if name != "healthy"]
# Two diagnoses and more, codes, ranks.
MANY, RANKS = "article-excerpts", "buffer_oom-fragmented"

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("name", FAULTS)
def test_the_first_screen_shows_cause_proof_and_first_command(show, sample, name, size):
    report = sample(name)
    seen = show(report, size=size)
    for lang in LANGS:
        seen.page.locator(f"label[for=lang-{lang}]").click()
        assert [title.replace("`", "") for title in seen.shown("h1")] == [
            report.diagnoses[0].texts[lang].title.replace("`", "")
        ]
        for selector in ("h1", ".root .deciding .src", ".root .cmd:visible code"):
            box = seen.page.locator(selector).first.bounding_box()
            assert box is not None, selector
            assert box["y"] >= 0, selector
            assert box["y"] + box["height"] <= size[1], selector
    # Nothing sticks out at the side.
    assert seen.page.evaluate("document.documentElement.scrollWidth") == size[0]
    assert (seen.said, seen.asked) == ([], [])


@pytest.mark.parametrize("scripts", [True, False], ids=["script", "no-script"])
def test_the_language_is_switched_without_loading(show, sample, scripts):
    report = sample(RANKS)
    seen = show(report, java_script_enabled=scripts)
    for lang, shown, hidden in (("zh", "如何修复", "How to fix"), ("en", "How to fix", "如何修复")):
        seen.page.locator(f"label[for=lang-{lang}]").click()
        text = seen.page.locator("body").inner_text()
        assert report.diagnoses[0].texts[lang].title in text
        assert (shown in text, hidden in text) == (True, False)
    assert (seen.said, seen.asked) == ([], [])


def test_the_language_of_the_rendering_comes_first(show, sample):
    seen = show(sample(RANKS), lang="zh", java_script_enabled=False)
    assert seen.shown(".todo h2") == ["如何确认", "如何修复"]
    assert seen.page.locator("html").get_attribute("lang") == "zh-Hans"


def test_the_script_names_the_language_of_the_document(show, sample):
    seen = show(sample(RANKS))
    seen.page.keyboard.press("l")
    assert seen.page.locator("html").get_attribute("lang") == "zh-Hans"
    title = sample(RANKS).diagnoses[0].texts["zh"].title
    assert seen.page.title() == f"{title} — ascend-doctor"


def test_filters_leave_what_was_asked_for(show, sample):
    report = sample(MANY)
    seen = show(report)
    further = [d for d in report.diagnoses[1:] if d.severity.label != "info"]
    seen.page.locator("#filters [value=fatal]").check()
    fatal = [d for d in further if d.severity.label == "fatal"]
    assert seen.shown("#further .diagnosis h3") == [d.texts["en"].title for d in fatal]
    assert seen.shown("#filters output") == [f"{len(fatal)} / {len(further)}"]
    seen.page.locator("#filters [value=dataload]").check()
    assert seen.shown("#further .diagnosis h3, #further .none") == [
        "Nothing here matches the filter."
    ]
    seen.page.locator("#filters button").click()
    assert seen.shown("#further .diagnosis h3") == [d.texts["en"].title for d in further]


def test_a_rank_is_filtered_in_the_timeline(show, sample):
    seen = show(sample(RANKS))
    assert seen.shown(".lane h3") == ["rank 0", "rank 1", "rank 2", "rank 3"]
    seen.page.locator("#filters select").select_option("3")
    assert seen.shown(".lane h3") == ["rank 3"]


@pytest.mark.parametrize("clipboard", ["granted", "refused"])
def test_a_command_is_copied(show, sample, clipboard):
    permissions = ["clipboard-read", "clipboard-write"]
    seen = show(sample(RANKS), permissions=permissions)
    if clipboard == "refused":
        refuse = "() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }"
        seen.page.evaluate(refuse)
    seen.page.locator(".fix .en .copy").first.click()
    assert seen.shown("#said") == ["Copied"]
    copied = seen.page.evaluate("navigator.clipboard.readText()")
    assert copied == "export PYTORCH_NPU_ALLOC_CONF=expandable_segments:True"


def test_every_command_has_a_button(show, sample):
    seen = show(sample(RANKS))
    commands, buttons = ".cmd > code", ".cmd > button.copy"
    assert seen.page.locator(commands).count() == seen.page.locator(buttons).count() > 20


def test_what_is_folded_opens(show, sample):
    report = sample(RANKS)
    seen = show(report)
    assert seen.shown(".root .followed li p") == []
    seen.page.locator(".root .followed summary").click()
    titles = [c.title["en"] for c in report.diagnoses[0].consequences]
    assert [re.sub(" ×.*", "", text) for text in seen.shown(".root .followed li p")] == titles


@pytest.mark.parametrize("anchor", ["#d3", "#d3-proof"])
def test_a_deep_link_opens_what_it_names(show, sample, anchor):
    seen = show(sample(MANY), anchor=anchor)
    assert seen.page.locator("details.diagnosis[open]").evaluate_all(
        "all => all.map(d => d.id)"
    ) == ["d3"]
    assert seen.page.locator("#d3 h4").first.is_visible()
    assert 0 <= seen.page.locator(anchor).bounding_box()["y"] <= WIDE[1] / 2


def test_keys_walk_and_open(show, sample):
    seen = show(sample(MANY))
    focused = "document.activeElement.closest('.diagnosis, .root').id"
    walked = []
    for key in "jjjk":
        seen.page.keyboard.press(key)
        walked.append(seen.page.evaluate(focused))
    assert walked == ["d1", "d2", "d3", "d2"]
    seen.page.keyboard.press("Enter")
    assert seen.page.locator("#d2").get_attribute("open") == ""
    seen.page.keyboard.press("o")
    assert seen.page.locator("main details:not([open])").count() == 0
    seen.page.keyboard.press("o")
    assert seen.page.locator("main details[open]").count() == 0


def test_the_theme_follows_the_system_and_can_be_switched(show, sample):
    seen = show(sample(RANKS), color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = seen.page.evaluate(background)
    seen.page.get_by_role("button", name="Light", exact=True).click()
    light = seen.page.evaluate(background)
    seen.page.keyboard.press("t")
    assert (dark, light) == ("rgb(21, 24, 28)", "rgb(255, 255, 255)")
    assert seen.page.evaluate(background) == dark


def test_a_page_without_storage_works(show, sample):
    seen = show(sample(RANKS))
    seen.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no'); }})"
    )
    seen.page.reload()
    seen.page.keyboard.press("t")
    seen.page.keyboard.press("l")
    assert seen.shown(".todo h2") == ["如何确认", "如何修复"]
    assert seen.said == []


def test_without_script_nothing_is_missing(show, sample):
    plain = show(sample(MANY), java_script_enabled=False)
    scripted = show(sample(MANY))
    texts = []
    for seen in (plain, scripted):
        for summary in seen.page.locator("main summary").all():
            if summary.is_visible() and summary.locator("..").get_attribute("open") is None:
                summary.click()
        texts.append(seen.shown("main article, main section"))
    strip = [re.sub(r"\n?(?:Copy|\d+ / \d+)\b", "", text) for text in texts[1]]
    assert [text.split() for text in texts[0]] == [text.split() for text in strip]
    assert plain.shown(".scripted, button") == []


def test_paper_shows_everything_on_a4(show, sample, tmp_path):
    seen = show(sample(MANY), color_scheme="dark")
    data = seen.page.pdf(prefer_css_page_size=True, print_background=True)
    sizes = {tuple(map(float, box.split())) for box in re.findall(rb"/MediaBox \[([^\]]+)\]", data)}
    assert {tuple(map(round, size)) for size in sizes} == {(0, 0, 595, 842)}
    seen.page.emulate_media(media="print", color_scheme="dark")
    seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    folded = seen.page.locator("main details > :not(summary):not(.off)")
    hidden = [item for item in folded.all() if not item.is_visible()]
    assert hidden == []
    assert seen.shown("button, #filters, .bar") == []
    assert seen.page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["article-excerpts", "buffer_oom-fragmented"])
def test_axe_finds_nothing(show, sample, name, scheme):
    seen = show(sample(name), color_scheme=scheme)
    seen.page.evaluate(AXE)
    for lang in LANGS:
        seen.page.locator(f"label[for=lang-{lang}]").click()
        seen.page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
        found = seen.page.evaluate("axe.run({resultTypes: ['violations']})")
        assert [
            (item["id"], [node["html"] for node in item["nodes"]]) for item in found["violations"]
        ] == []


def test_hostile_logs_do_nothing(show):
    for start in range(0, len(ATTACKS), 8):
        seen = show(forged([*ATTACKS[start : start + 8], "x"]))
        seen.page.keyboard.press("o")
        assert seen.page.evaluate("document.scripts.length") == 1
        assert seen.page.locator("img, iframe, object, embed, base, link").count() == 0
        assert (seen.said, seen.asked) == ([], [])


def test_ten_thousand_findings_of_64_ranks_are_small_and_quick(show):
    report = crowd()
    assert len(html.render(report).encode()) < 3_000_000
    seen = show(report)
    session = seen.page.context.new_cdp_session(seen.page)
    # Time of the processor, which does not depend on what else this machine does.
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    seen.page.reload()
    seen.page.keyboard.press("l")
    seen.page.locator("#filters select").select_option("7")
    shown = seen.page.locator("#further > .cases > .diagnosis:visible").count()
    measured = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    assert measured["ThreadTime"] < 2
    assert 0 < shown < 20
    seen.page.locator("#filters button").click()
    told = seen.page.locator("#further > .cases > .diagnosis").count()
    left_out = f"{FINDINGS - 1 - told:,}"
    assert seen.shown("#further > .note:visible") == [
        f"另有 {left_out} 条诊断未在本页列出，JSON 报告中有全部内容。"
    ]
    assert (seen.said, {*seen.asked}) == ([], {seen.page.url})


def test_the_guilty_rank_comes_first_and_leads_to_its_diagnosis(show):
    seen = show(stepped(ranks=3, steps=20))
    names = [text.split(" ms")[0] for text in seen.shown("#steps .span-row p")]
    assert names == ["✗ rank 2 434.4", "rank 0 414.6", "rank 1 414.6"]
    assert seen.page.locator("#steps .span-row.guilty .mark").get_attribute("href") == "#d1"
    # Of the guilty one the steps are open, and the guilty step is marked.
    assert seen.shown("#steps details[open] > summary h3") == ["Steps of rank 2"]
    assert seen.page.locator("#steps details[open] .columns a").count() == 1
    assert (seen.said, seen.asked) == ([], [])


def test_columns_are_read_by_pointer_and_keys_in_the_language_of_the_page(show):
    seen = show(stepped(ranks=2, steps=20))
    columns = seen.page.locator("#steps .columns").first
    columns.locator(".hit").nth(7).hover()
    told = "Step 7 diagnosis 1 · Step (ms) 809.2 · computing 300.0 · exposed communication 81.0"
    assert seen.shown(".readout:visible")[0].startswith(told)
    columns.focus()
    seen.page.keyboard.press("ArrowRight")
    assert seen.shown(".readout:visible")[0].startswith(
        "Step 8 · Step (ms) 413.8 · computing 301.0"
    )
    seen.page.keyboard.press("End")
    seen.page.keyboard.press("l")
    seen.page.keyboard.press("ArrowLeft")
    assert seen.shown(".readout:visible")[0].startswith("Step 18 · Step（ms） 414.8 · 计算 304.0")


def test_the_numbers_behind_the_columns_are_a_table_without_script(show):
    seen = show(stepped(ranks=1, steps=3), java_script_enabled=False)
    seen.page.locator("#steps .steps-of .numbers summary").click()
    assert [text.split() for text in seen.shown("#steps .steps-of tr")][1:] == [
        ["0", "410.8", "300.0", "80.0", "2.50", "1.25", "3.00", "4.00", "20.0", "2"],
        ["1", "412.8", "301.0", "81.0", "2.50", "1.25", "3.00", "4.00", "20.0", "3"],
        ["2", "414.8", "302.0", "82.0", "2.50", "1.25", "3.00", "4.00", "20.0", "4"],
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing_in_steps(show, size, scheme):
    seen = show(stepped(ranks=4, steps=30), size=size, color_scheme=scheme)
    seen.page.evaluate(AXE)
    seen.page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    found = seen.page.evaluate("axe.run({resultTypes: ['violations']})")
    assert [(v["id"], [node["html"] for node in v["nodes"]]) for v in found["violations"]] == []
    assert seen.page.evaluate("document.documentElement.scrollWidth") == size[0]


def test_64_ranks_of_200_steps_are_small_and_quick(show):
    report = stepped()
    assert len(html.render(report).encode()) < 1_500_000
    seen = show(report)
    session = seen.page.context.new_cdp_session(seen.page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    seen.page.reload()
    seen.page.keyboard.press("o")
    measured = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    assert measured["ThreadTime"] < 2
    assert seen.page.locator("#steps .span-row:visible").count() == 64
    told = seen.page.locator("#steps .steps-of").count()
    assert seen.shown("#steps > .note:visible") == [
        f"The single steps of {64 - told} more ranks are in the JSON report."
    ]
    assert (seen.said, {*seen.asked}) == ([], {seen.page.url})


def test_paper_shows_the_steps(show):
    seen = show(stepped(ranks=2, steps=10), color_scheme="dark")
    seen.page.emulate_media(media="print")
    seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert seen.page.locator("#steps .columns:visible").count() == 2
    assert len(seen.shown("#steps .steps-of table")) == 2
