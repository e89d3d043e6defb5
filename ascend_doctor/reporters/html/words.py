"""The page's own words in both languages, beside those that all reporters share."""

from __future__ import annotations

from collections.abc import Mapping

from ascend_doctor.records import Lang
from ascend_doctor.reporters.labels import filled, label

_WORDS: Mapping[str, tuple[str, str]] = {
    "document": ("{title} — ascend-doctor", "{title} — ascend-doctor"),
    "skip": ("Skip to the report", "跳到报告正文"),
    "dark": ("Dark", "深色"),
    "light": ("Light", "浅色"),
    "verdict": ("Verdict", "结论"),
    "clean_verdict": ("Clean", "未见故障"),
    "unexplained_heading": ("Unexplained", "无法解释"),
    "nothing_heading": ("Nothing read", "没有读到内容"),
    "first_unknown": ("The first of them", "其中最早的一条"),
    "clean_limits": (
        "This is about the lines that were read. Coverage, at the end, says which these were and "
        "which log levels they have.",
        "结论仅针对已读到的内容；读了哪些文件、含哪些日志级别，见文末“读取范围”。",
    ),
    "nothing_next": (
        "Give the folder that holds the plogs and the output of the ranks. What was found and not "
        "read stands below, with the reason.",
        "请指定存放 plog 和各 rank 输出的目录。已找到但未读的文件及原因见下文。",
    ),
    "sure": (
        "high confidence: the proof itself names the cause",
        "置信度高：证据直接指明了原因",
    ),
    "start": ("Begin with", "先执行"),
    "proof": ("Deciding line", "关键日志"),
    "whole": ("Whole lines", "显示整行"),
    "cut": (" [{count} characters cut] ", "［略去 {count} 个字符］"),
    "more_proof": ("More lines that say so", "其他佐证"),
    "also_at": ("The same line also at", "同一内容还出现在"),
    "and_more": ("and {count} more", "等，另有 {count} 处"),
    "why": ("Why", "原因"),
    "how_to_check": ("How to check", "如何确认"),
    "how_to_fix": ("How to fix", "如何修复"),
    "no_checks": (
        "The line says enough; nothing is left to check.",
        "日志已足够明确，无需另行确认。",
    ),
    "no_fixes": ("No fix is known for it.", "暂无已知的修复办法。"),
    "what_followed": ("What followed", "后续影响"),
    "kinds": ("{count} kinds of message, {lines} times in all", "{count} 类报错，共 {lines} 次"),
    "kind": ("one kind of message, {lines} times in all", "1 类报错，共 {lines} 次"),
    "kind_once": ("one message", "1 条报错"),
    "further": ("Further diagnoses", "其他诊断"),
    "no_further": ("Nothing else stands for itself.", "没有其他独立的故障。"),
    "cut_diagnoses": (
        "Not on this page: {count} more diagnoses; the JSON report has all of them.",
        "另有 {count} 条诊断未在本页列出，JSON 报告中有全部内容。",
    ),
    "cut_items": (
        "{count} more are not on this page; the JSON report has all that were kept.",
        "另有 {count} 条未在本页列出，完整内容见 JSON 报告。",
    ),
    "remarks_hint": ("known messages that are no fault", "已知且不属于故障的信息"),
    "over_time": ("Errors over time", "报错时间分布"),
    "over_time_how": (
        "A bar reaches from the first to the last time a message was logged; it need not have been "
        "logged all the time. Times are as the logs give them; clocks of nodes may differ.",
        "横条从该报错首次出现延续到最后一次出现，期间不一定持续打印。时间以日志为准，各节点时钟可能不一致。",
    ),
    "heat_how": (
        "A cell is the darker, the more kinds of message were active in it, counted from the first "
        "to the last time each was logged. Times are as the logs give them; clocks of nodes may "
        "differ.",
        "颜色越深，该时段内活跃的报错种类越多（每类从首次出现算到最后一次出现）。"
        "时间以日志为准，各节点时钟可能不一致。",
    ),
    "heat_scale": ("kinds of message", "报错种类"),
    "span_of": ("{first} to {last}", "{first} 至 {last}"),
    "legend_cause": ("root cause", "根因"),
    "legend_followed": ("what followed from it", "由其引起"),
    "legend_other": ("other diagnoses", "其他诊断"),
    "legend_first": ("root cause first seen", "根因首次出现"),
    "untimed": (
        "{count} without a time stand in the table only.",
        "{count} 条没有时间，仅列入表格。",
    ),
    "lanes_cut": ("Not drawn: {count} more processes.", "另有 {count} 个进程未绘出。"),
    "activities_cut": (
        "{count} more entries were too many to keep; of each process the earliest are here.",
        "另有 {count} 条超出上限未保留；每个进程保留最早的部分。",
    ),
    "no_times": (
        "The lines that speak of faults carry no time, so there is nothing to draw.",
        "与故障有关的日志行不带时间，无法绘图。",
    ),
    "nothing_happened": ("There was nothing to draw.", "没有可绘制的内容。"),
    "as_table": ("The numbers as a table", "以表格查看数据"),
    "process": ("Process", "进程"),
    "message": ("Message", "报错"),
    "count": ("Count", "次数"),
    "first_seen": ("First", "首次"),
    "last_seen": ("Last", "最后"),
    "steps_heading": ("Step time", "Step 耗时"),
    "steps_how": (
        "A bar is the mean step of a rank; the longest fills the width. Time in which the device "
        "neither computed nor communicated is shared out by what its host did meanwhile, as far as "
        "that was measured.",
        "每条为一个 rank 的平均 step，最长者占满宽度。设备既不计算也不通信的时间，"
        "按 Host 当时的活动划分（以采集到的为限）。",
    ),
    "its_diagnosis": ("diagnosis {position}", "诊断 {position}"),
    "steps_of": ("Steps of {who}", "{who} 的各个 step"),
    "num_of_steps": ("{count} steps, longest {time} ms", "共 {count} 个 step，最长 {time} ms"),
    "scale_ms": ("ms a step", "每 step 毫秒数"),
    "legend_step": (
        "a step that a diagnosis is about; click to go there",
        "诊断所指的 step，点击可跳转",
    ),
    "step_ms": ("Step (ms)", "Step（ms）"),
    "step_name": ("Step", "Step"),
    "num_steps": ("Steps", "Step 数"),
    "rank_or_device": ("Rank or device", "Rank 或设备"),
    "lines_of": ("Proof: lines of {path}", "证据：{path} 中的行号"),
    "steps_cut": (
        "The single steps of {count} more ranks are in the JSON report.",
        "另有 {count} 个 rank 的逐 step 数据见 JSON 报告。",
    ),
    "ranks_cut": (
        "Not in this report: {count} more ranks.",
        "另有 {count} 个 rank 未列入报告。",
    ),
    "notes": ("Read, but noted", "已读，但需说明"),
    "codes_met": ("Codes met", "出现的错误码"),
    "no_codes": ("The logs name no known error code.", "日志中没有已知的错误码。"),
    "environment": ("Environment", "环境"),
    "no_environment": (
        "The logs say nothing of versions, chip or container.",
        "日志中没有版本、芯片或容器信息。",
    ),
    "no_unexplained": ("Every error that was read is explained.", "读到的报错均已解释。"),
    "coverage": ("Coverage", "读取范围"),
    "files_read": ("Files", "文件"),
    "lines_read": ("Lines", "行数"),
    "time_range": ("Time range", "时间范围"),
    "levels_seen": ("Log levels seen", "出现的日志级别"),
    "skipped": ("Not read", "未读"),
    "broken": ("Read in part", "只读了一部分"),
    "path": ("Path", "路径"),
    "reason": ("Reason", "原因"),
    "none": ("none", "无"),
    "filter": ("Filter", "筛选"),
    "severity": ("Severity", "严重程度"),
    "family_of": ("Family", "故障类别"),
    "rank_of": ("Rank", "Rank"),
    "all": ("all", "全部"),
    "clear": ("Clear", "清除"),
    "no_match": ("Nothing here matches the filter.", "没有符合筛选条件的内容。"),
    "copy": ("Copy", "复制"),
    "copied": ("Copied", "已复制"),
    "copy_by_hand": ("Press Ctrl+C", "请按 Ctrl+C"),
    "keys": ("Keyboard", "快捷键"),
    "keys_on": ("Single keys act", "启用单键快捷键"),
    "key_next": ("next, previous diagnosis", "下一条、上一条诊断"),
    "key_open": ("open or close everything", "全部展开或收起"),
    "key_lang": ("English or Chinese", "中英文切换"),
    "key_theme": ("dark or light", "深色/浅色切换"),
    "key_copy": ("copy the first command", "复制第一条命令"),
    "made_by": (
        "ascend-doctor {version}, rules {digest}.",
        "ascend-doctor {version}，规则库 {digest}。",
    ),
    "offline": (
        "This file loads nothing and sends nothing.",
        "本文件不加载任何外部内容，也不发送任何数据。",
    ),
    "link_to": ("Link to this diagnosis", "指向此诊断的链接"),
}  # fmt: skip


def word(name: str, lang: Lang, **values: object) -> str:
    """Return one of the page's words, or of those that all reporters share, with values put in."""
    pair = _WORDS.get(name)
    if pair is None:
        return label(name, lang, **values)
    return filled(pair, lang, values)
