"""A page that shows the broken run beside the fixed one, and what decided."""

from __future__ import annotations

import html
from collections.abc import Iterable
from pathlib import Path

from ascend_doctor import resources
from ascend_doctor.harness.scenarios import judge
from ascend_doctor.harness.scenarios.evidence import ROLES, Evidence, folder_of
from ascend_doctor.harness.scenarios.words import LEVELS
from ascend_doctor.records import LANGS, Lang
from ascend_doctor.reporters.html.policy import policy
from ascend_doctor.reporters.safe import visible

NAME = "index.html"

_WORDS: dict[str, dict[Lang, str]] = {
    "all": {"en": "All scenarios", "zh": "全部场景"},
    "broken": {"en": "Broken", "zh": "故障"},
    "fixed": {"en": "Fixed as diagnosed", "zh": "按诊断修复"},
    "decoy": {"en": "Decoy", "zh": "无效修复"},
    "config": {"en": "Settings", "zh": "配置"},
    "metrics": {"en": "Measured", "zh": "测量值"},
    "criteria": {"en": "Criteria", "zh": "判据"},
    "found": {"en": "Diagnosis", "zh": "诊断"},
    "nothing": {"en": "nothing found", "zh": "未发现问题"},
    "report": {"en": "Report", "zh": "报告"},
    "log": {"en": "Log", "zh": "日志"},
    "support": {"en": "Support", "zh": "证据级别"},
    "verdict": {"en": "Verdict", "zh": "结论"},
    "program": {"en": "Program", "zh": "程序"},
    "not_npu": {
        "en": "This is no evidence of what an NPU does.",
        "zh": "这不是 NPU 上的证据。",
    },
}


def write(evidence: Evidence, folder: Path) -> Path:
    """Write the page of a scenario beside its evidence; the reports of its runs are linked."""
    path = folder / NAME
    path.write_text(render(evidence), encoding="utf-8")
    return path


def render(evidence: Evidence) -> str:
    """Return the page, in both languages; it loads nothing and runs nothing."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resources.templates()),
        autoescape=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    from markupsafe import Markup

    style = Markup(_style())  # noqa: S704
    template = environment.get_template("html/scenario.html.j2")
    return template.render(
        e=evidence,
        langs=LANGS,
        style=style,
        policy=policy([style], []),
        index=NAME,
        words=_WORDS,
        level=LEVELS[evidence.support.level],
        runs=[_run(evidence, role) for role in ROLES if evidence.runs.get(role)],
    )


def _run(evidence: Evidence, role: str) -> dict[str, object]:
    trials = evidence.runs[role]
    broken = evidence.runs["broken"][0]
    changed = judge.changes(broken.config, trials[0].config) if role != "broken" else {}
    return {
        "role": role,
        "folder": folder_of(role, 1),
        "config": trials[0].config,
        "changed": changed,
        "trials": trials,
        "criteria": judge.checked(
            evidence.scenario.criteria,
            "broken" if role == "broken" else "fixed",
            broken.metrics,
            trials[0],
        ),
    }


def write_index(all_of_them: Iterable[Evidence], out: Path) -> None:
    """Write a page that leads to those of the scenarios."""
    style = _style()
    text = (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy([style], [])}">\n'
        f"<title>ascend-doctor harness</title>\n<style>{style}</style>\n"
        "<h1>ascend-doctor harness</h1>\n<ul>\n"
        f"{''.join(map(_entry, all_of_them))}</ul>\n</html>\n"
    )
    (out / NAME).write_text(text, encoding="utf-8")


def _entry(evidence: Evidence) -> str:
    title = {lang: html.escape(visible(evidence.scenario.title[lang])) for lang in LANGS}
    return (
        f'<li><a href="{evidence.scenario.id}/{NAME}">{evidence.scenario.id}</a> '
        f"<strong>{evidence.conclusion.verdict}</strong> · {evidence.support.level}<br>"
        f'<span lang="en">{title["en"]}</span> '
        f'<span lang="zh-CN" class="other">{title["zh"]}</span></li>\n'
    )


def _style() -> str:
    return (resources.templates() / "html" / "scenario.css").read_text(encoding="utf-8")
