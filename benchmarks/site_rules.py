"""Rules as a site might add them: many, well-formed, and about none of the logs here."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

COUNT = 500
FAMILY = "framework_error"
_WHAT = ("quota", "token", "licence", "dataset", "queue", "mount", "image", "proxy", "tunnel")
_STATE = ("refused", "expired", "unknown", "locked", "stale", "exhausted", "rejected")


def write_rules(folder: Path, count: int = COUNT, seed: int = 1) -> Path:
    """Write ``count`` rule files below ``folder`` and return it."""
    bits = Random(f"{seed} rules").getrandbits  # noqa: S311
    (folder / FAMILY).mkdir(parents=True, exist_ok=True)
    for number in range(count):
        name = f"framework-error-site-{number:04}"
        what = _WHAT[bits(16) % len(_WHAT)]
        state = _STATE[bits(16) % len(_STATE)]
        code = f"SITE-{bits(32):08x}"
        line = f"{code}: {what} of project 7 is {state}"
        rule = {
            "id": name,
            "family": FAMILY,
            "role": "cause",
            "severity": "error",
            "confidence": "high",
            "provenance": [{"kind": "upstream", "ref": "made for a benchmark"}],
            "match": [
                {
                    "literals": [f"{code}: {what} of project ", f"is {state}"],
                    "regex": f"{code}: {what} of project (?P<project>\\d{{1,9}}) is {state}",
                }
            ],
            "captures": {"project": "int"},
            "title": {
                "en": f"The {what} of project {{project}} is {state} ({code})",
                "zh": f"项目 {{project}} 的 {what} 状态异常：{state}（{code}）",
            },
            "cause": {
                "en": f"The scheduler says that the {what} of project {{project}} is {state}.",
                "zh": f"调度系统提示项目 {{project}} 的 {what} 状态为 {state}。",
            },
            "fixes": {
                "en": [f"Ask for the {what}: `project-ctl {what} renew {{project}}`."],
                "zh": [f"重新申请 {what}：`project-ctl {what} renew {{project}}`。"],
            },
            "examples": {
                "match": [{"log": line, "captures": {"project": "7"}}],
                "near": [line.replace(f"is {state}", "is fine")],
            },
        }
        # JSON is YAML, and needs no package to write.
        text = json.dumps(rule, ensure_ascii=False, indent=1)
        (folder / FAMILY / f"{name}.yaml").write_text(text + "\n", encoding="utf-8")
    return folder
