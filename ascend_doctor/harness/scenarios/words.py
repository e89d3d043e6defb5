"""What the harness says of a scenario, in both languages."""

from __future__ import annotations

from ascend_doctor.harness.scenarios.model import Level, Texts
from ascend_doctor.records import LANGS

_OF = {
    "value": {"en": "", "zh": " "},
    "ratio": {"en": " compared with the broken run", "zh": "（与故障运行之比）"},
    "distance": {"en": ": distance from the broken run", "zh": "（与故障运行之差）"},
}

_SAID: dict[str, Texts] = {
    "nothing_found": {
        "en": "the analyser found nothing, and should have found {rule}",
        "zh": "分析器没有发现问题，应当给出 {rule}",
    },
    "other_rule": {
        "en": "the analyser's root cause is {found}, and should be {rule}",
        "zh": "分析器给出的根因是 {found}，应当是 {rule}",
    },
    "other_line": {
        "en": "the analyser points at {found}; the fault is at {line}",
        "zh": "分析器指向 {found}，故障实际在 {line}",
    },
    "no_remedy": {
        "en": "{rule} has no remedy that changes anything in this program",
        "zh": "{rule} 的 remedies 对该程序不产生任何改动",
    },
    "still_found": {
        "en": "the analyser still finds {rule}",
        "zh": "分析器仍然报告 {rule}",
    },
    "overdue": {
        "en": "the program did not end in time and was killed",
        "zh": "程序超时未结束，已被终止",
    },
    "criterion": {
        "en": "{metric}{of} is {value}, and must be {op} {bound}",
        "zh": "{metric}{of}为 {value}，要求 {op} {bound}",
    },
    "decoy_passed": {
        "en": "the decoy passes as well, so the criteria prove nothing",
        "zh": "无效修复也通过了判据，说明判据没有证明力",
    },
    "failed": {
        "en": "the program ended with exit code {code}",
        "zh": "程序以退出码 {code} 结束",
    },
}

LEVELS: dict[Level, Texts] = {
    "real": {"en": "real: made on an NPU", "zh": "real：在 NPU 上得到"},
    "analogue": {
        "en": "analogue: the same fault of torch on another device; no NPU evidence",
        "zh": "analogue：在其他设备上复现的 torch 同类故障，不是 NPU 证据",
    },
    "emulated": {
        "en": "emulated: a stand-in for a part that is not there; no NPU evidence",
        "zh": "emulated：用替身代替缺少的部件，不是 NPU 证据",
    },
    "unavailable": {"en": "unavailable", "zh": "unavailable：无法在该设备上复现"},
}


def say(name: str, **values: object) -> Texts:
    """Return a sentence in both languages.

    >>> say("still_found", rule="x-y")["en"]
    'the analyser still finds x-y'
    """
    of = _OF[str(values.pop("of", "value"))]
    return {lang: _SAID[name][lang].format(of=of[lang], **values) for lang in LANGS}
