"""Whatever a report holds, no reporter lets it steer a terminal, a runner or a page."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascend_doctor.knowledge.glossary import Explanation
from ascend_doctor.records import LANGS
from ascend_doctor.reporters import explanation, markdown, text
from ascend_doctor.reporters import json as json_reporter
from ascend_doctor.reporters.registry import FORMATS
from ascend_doctor.reporters.safe import visible
from tests.hostile.reports import reports
from tests.hostile.strings import ATTACKS, SHAPELESS, dangers, hostile
from tests.rulesets import patterns, rule

langs = st.sampled_from(LANGS)
checked = settings(
    max_examples=150, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

# What rich writes for our own styles, and nothing else.
_COLOURS = re.compile(r"\x1b\[(?:0|1|2|39|1;3[1-4]|3[236])m")
_FENCED = re.compile(r"^( *)```text\n.*?^\1```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(?<!\\)`[^`\n]*`")


def test_every_character_without_a_shape_is_escaped():
    assert [char for char in SHAPELESS - {"\t"} if visible(char) == char] == []


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_made_safe_once_stays_as_it_is(attack):
    assert visible(visible(attack)) == visible(attack)


@checked
@given(reports, langs, st.integers(20, 130))
def test_the_terminal_report_holds_no_control_but_newlines(report, lang, width):
    assert dangers(text.render(report, lang, width=width)) == []


@checked
@given(reports, langs, st.integers(20, 130))
def test_with_colour_only_our_own_codes_are_added(report, lang, width):
    coloured = text.render(report, lang, color=True, width=width)
    assert dangers(_COLOURS.sub("", coloured)) == []


@checked
@given(reports, langs)
def test_json_is_valid_utf8_safe_to_print_and_means_what_was_read(report, lang):
    said = json_reporter.render(report, lang)
    assert dangers(said) == []
    said.encode()
    assert json.loads(said) == json.loads(json.dumps(json_reporter.as_dict(report)))


@checked
@given(reports, langs)
def test_markdown_shows_log_text_only_as_text(report, lang):
    said = markdown.render(report, lang)
    assert dangers(said) == []
    said.encode()
    # Fences close where we close them: outside of them and of code spans no markup is left.
    prose = _CODE.sub("", _FENCED.sub("", said))
    assert re.findall(r"(?<!\\)<(?!!-- -->)|(?<!\\)[\[\]|$&~]", prose) == []
    assert re.findall(r"[@#](?=[\w-])|\bGH-\d|\b[0-9a-f]{40}\b|\w://|www\.", prose) == []
    assert "```" not in prose


@checked
@given(reports, langs, st.sampled_from(["junit", "sarif", "gitlab"]))
def test_documents_for_programs_are_as_safe_to_print(report, lang, name):
    said = FORMATS[name].render(report, lang)
    assert dangers(said) == []
    said.encode()
    (ElementTree.fromstring if name == "junit" else json.loads)(said)


@checked
@given(reports, langs)
def test_annotations_are_a_command_a_line_and_nothing_else(report, lang):
    said = FORMATS["github"].render(report, lang)
    heads = [line.partition(" ")[0] for line in said.splitlines()]
    assert {*heads} <= {"::error", "::warning", "::notice"}
    assert dangers(said) == heads
    said.encode()


languages = st.fixed_dictionaries(dict.fromkeys(LANGS, hostile))
explanations = st.builds(
    Explanation,
    term=hostile,
    kind=st.sampled_from(["acl", "article", ""]),
    code=hostile,
    name=hostile,
    family=hostile,
    status=st.sampled_from(["real", "deprecated"]),
    default=st.none() | hostile,
    instead=st.none() | hostile,
    means=languages,
    proposed=st.tuples(hostile),
)


@checked
@given(st.lists(explanations, max_size=3), langs)
def test_explanations_are_as_safe(told, lang):
    assert dangers(explanation.render(told, lang)) == []
    said = explanation.render_json(told)
    assert dangers(said) == []
    json.loads(said)


# What YAML can hold and a rule file may say: no capture, which would have to exist, no surrogate.
WRITABLE = "".join(a for a in ATTACKS if not re.search("[\x00\ud800]|[{]", a))


@pytest.mark.parametrize(
    "args",
    [
        ("list", "-k", "dataload-evil"),
        ("list", "-k", "dataload-evil", "--format", "json"),
        ("show", "dataload-evil"),
        ("show", "dataload-evil", "--lang", "zh"),
    ],
)
def test_a_rule_cannot_steer_who_lists_or_shows_it(run, tmp_path, args):
    texts = {name: {"en": WRITABLE, "zh": WRITABLE} for name in ("title", "cause")}
    steps = {name: {"en": [WRITABLE], "zh": [WRITABLE]} for name in ("checks", "fixes")}
    item = rule("dataload-evil", "evil words", WRITABLE[:200], **texts, **steps)
    done = run("rules", *args, "--rules", patterns(tmp_path, item))
    assert (done.exit_code, done.stderr, dangers(done.stdout)) == (0, "", [])
