"""What is said beside a report on standard error: that it is not about all that it should be."""

from __future__ import annotations

from collections.abc import Mapping

import click

from ascend_doctor.cli import gate
from ascend_doctor.records import Lang
from ascend_doctor.report import Report
from ascend_doctor.reporters.labels import filled
from ascend_doctor.reporters.reasons import translated
from ascend_doctor.reporters.safe import visible

_SAID: Mapping[str, tuple[str, str]] = {
    "interrupted": (
        "error: interrupted; the report is about what was read until then",
        "错误：已被中止，报告仅针对此前读到的内容",
    ),
    "no_files": (
        "error: no files found; a gate that read nothing must not be green",
        "错误：没有找到任何文件；什么都没读到的检查不能算通过",
    ),
    "nothing_readable": (
        "error: nothing readable was found: {path}: {reason}",
        "错误：没有可读的内容：{path}：{reason}",
    ),
    "nothing_readable_more": (
        "error: nothing readable was found: {path}: {reason} and {count} more",
        "错误：没有可读的内容：{path}：{reason}，另有 {count} 项",
    ),
    "empty_slice": (
        "error: nothing of what was read is in the part that --since, --until and --rank leave",
        "错误：读到的内容均不在 --since、--until、--rank 限定的范围内",
    ),
    "empty_profile": (
        "error: the files of the profile hold no measurement; nothing was judged",
        "错误：性能数据文件中没有任何测量值，未作判断",
    ),
    "empty_machine": (
        "error: no Ascend driver, CANN or torch_npu was found; nothing was checked",
        "错误：没有找到昇腾驱动、CANN 或 torch_npu，未作任何检查",
    ),
}


def tell_what_is_missing(report: Report, lang: Lang) -> None:
    """Say on standard error that reading was interrupted, or that there was nothing to read."""
    coverage = report.coverage
    name, values = None, {}
    if coverage.interrupted:
        name = "interrupted"
    elif not coverage.files and not coverage.skipped:
        name = "no_files"
    elif not coverage.files:
        (path, reason), *more = coverage.skipped
        name = "nothing_readable_more" if more else "nothing_readable"
        values = {
            "path": visible(path),
            "reason": visible(translated(reason, lang)),
            "count": len(more),
        }
    elif coverage.slice is not None and coverage.slice.empty:
        name = "empty_slice"
    else:
        name = coverage.why_empty
    if name is not None:
        click.echo(filled(_SAID[name], lang, values), err=True)
    gate.tell(report)
