"""The reporters' own words in both languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ascend_doctor.records import Lang

# What English texts count, where a number of 1 asks for the singular.
_COUNTED = re.compile(r"\{(\w+)\}((?: more)?) (diagnose|event|file|line|processe|rank|row|step)s\b")
_SINGULAR = {"diagnose": "diagnosis", "processe": "process"}

_LABELS: Mapping[str, tuple[str, str]] = {
    "root_cause": ("Root cause", "根因"),
    "also": ("Also found", "另外发现"),
    "remarks": ("Remarks", "提示"),
    "evidence": ("Proof", "证据"),
    "why": ("Why", "原因"),
    "check": ("Check", "确认"),
    "fix": ("Fix", "修复"),
    "followed": ("Then", "后果"),
    "where": ("Where", "位置"),
    "codes": ("Codes", "错误码"),
    "read": ("Read", "已读"),
    "skipped": ("Skipped", "未读"),
    "broken": ("Broken", "中断"),
    "environment": ("Seen", "环境"),
    "surroundings": ("Environment", "环境"),
    "made_by": (
        "ascend-doctor {version}, rules {digest}",
        "ascend-doctor {version}，规则 {digest}",
    ),
    "unexplained": ("Errors that no rule explains", "没有规则能解释的报错"),
    "clean": ("No fault found in what was read.", "在已读内容中未发现故障。"),
    "clean_slice": (
        "No fault found in the part that --since, --until and --rank leave.",
        "在 --since、--until、--rank 限定的范围内未发现故障。",
    ),
    "empty_slice": (
        "Nothing of what was read is in the part that --since, --until and --rank leave.",
        "读到的内容均不在 --since、--until、--rank 限定的范围内。",
    ),
    "empty_profile": (
        "The files of the profile hold no measurement: nothing was judged. What was recorded and"
        " not parsed yet is parsed by torch_npu.profiler.profiler.analyse('FOLDER'), or by"
        " msprof --export.",
        "性能数据文件中没有任何测量数据，未作判断。若只采集而尚未解析，请先用"
        " torch_npu.profiler.profiler.analyse('目录') 或 msprof --export 解析。",
    ),
    "empty_machine": (
        "No Ascend driver, CANN or torch_npu was found on this machine: nothing was checked.",
        "这台机器上没有找到昇腾驱动、CANN 或 torch_npu，未作任何检查。",
    ),
    "empty_machine_how": (
        "Looked for were the folders of driver and CANN, npu-smi, NPUs on the PCI bus,"
        " /dev/davinci*, torch_npu and MindSpore in the Python environment, and variables that"
        " begin with ASCEND_ or HCCL_. Run `ascend-doctor env` on the machine, or in the container,"
        " where the job runs; or run `ascend-doctor env collect -o machine.tar.gz` there, and here"
        " `ascend-doctor env --from machine.tar.gz`.",
        "已查找：驱动与 CANN 的安装目录、"
        "npu-smi、PCI 总线上的 NPU、/dev/davinci*、Python 环境中的 torch_npu 与 MindSpore，以及以"
        " ASCEND_、HCCL_ 开头的环境变量。请在作业所在的机器或容器内运行 `ascend-doctor env`；"
        "或在那里运行 `ascend-doctor env collect -o machine.tar.gz`，再到本机运行"
        " `ascend-doctor env --from machine.tar.gz`。",
    ),
    "unexplained_verdict": (
        "No diagnosis, but there are errors that no rule knows.",
        "未能给出诊断，但存在规则库不认识的报错。",
    ),
    "all_known": (
        "Nothing new: what was found is known.",
        "没有新问题：发现的均为已知问题。",
    ),
    "all_hidden": (
        "No fault found beside what --select and --ignore leave out.",
        "除 --select、--ignore 排除的之外，未发现故障。",
    ),
    "known": ("Known", "已知问题"),
    "accepted": ("accepted: {reason} ({where})", "已接受：{reason}（{where}）"),
    "accepted_until": (
        "accepted until {expires}: {reason} ({where})",
        "接受至 {expires}：{reason}（{where}）",
    ),
    "hidden": ("Hidden", "已排除"),
    "hidden_one": ("{count} diagnosis by {by}: {rules}", "{by} 排除 {count} 条诊断：{rules}"),
    "hidden_by": ("{count} diagnoses by {by}: {rules}", "{by} 排除 {count} 条诊断：{rules}"),
    "expired": ("Expired", "已过期"),
    "expired_entry": (
        "{what} was accepted until {expires}: {reason} ({where}); mend it, set another day, "
        "or remove the entry",
        "{what} 的接受期已于 {expires} 届满：{reason}（{where}）；请修复、另定期限，或删除该条目",
    ),
    "stale": ("Stale", "已失效"),
    "stale_entry": (
        "{what} matches nothing any more ({where})",
        "{what} 已不再出现（{where}）",
    ),
    "notes": ("Noted", "说明"),
    "note_of_more": ("{note} ({count} more files as well)", "{note}（另有 {count} 个文件亦然）"),
    "thresholds": ("Limits", "阈值"),
    "thresholds_changed": ("changed: {values}", "已更改：{values}"),
    "step_time": ("Step time, mean of each rank", "各 rank 的 step 平均耗时"),
    "step_time_of": ("Step time, mean of {count} steps", "{count} 个 step 的平均耗时"),
    "step": ("step {step}", "step {step}"),
    "steps": ("steps {first}–{last}", "step {first}–{last}"),
    "steps_from": ("{count} steps from {first}", "自 {first} 起 {count} 个 step"),
    "more_ranks": (
        "{count} more ranks; --format json has all",
        "另有 {count} 个 rank，--format json 可查看全部",
    ),
    "more_steps": (
        "{count} more steps; --format json has all",
        "另有 {count} 个 step，--format json 可查看全部",
    ),
    "running_averages": (
        "The log prints running averages, in which earlier steps have a share.",
        "日志打印的是滑动平均值，其中含有之前 step 的份额。",
    ),
    "part_computing": ("computing", "计算"),
    "part_communication": ("exposed communication", "未掩盖通信"),
    "part_fetch": ("waiting for data", "等待数据"),
    "part_compile": ("compiling", "编译"),
    "part_sync": ("synchronising", "同步等待"),
    "part_preparing": ("preparing", "启动准备"),
    "part_free": ("otherwise idle", "其余空闲"),
    "part_unknown": ("unknown", "未知"),
    "slice": ("Slice", "范围"),
    "slice_since": ("from {since}", "自 {since} 起"),
    "slice_until": ("until {until}", "至 {until} 止"),
    "slice_counts": (
        "{left_out} messages outside were left out; {unplaced} that do not say when or by which "
        "rank were kept",
        "范围外的 {left_out} 条消息未计入；{unplaced} 条未注明时间或 rank 的消息予以保留",
    ),
    "redacted": (
        "Hosts, users, addresses and secrets are pseudonyms.",
        "主机、用户、地址与密钥均已换成化名。",
    ),
    "nothing": ("Nothing readable was found.", "没有找到可读的日志。"),
    "interrupted": (
        "Interrupted: this is about what was read until then.",
        "已被中止：以下仅针对此前读到的内容。",
    ),
    "interrupted_files": (
        "Interrupted with at least {count} files left to read; this is about the others.",
        "已被中止：至少有 {count} 个文件未读；以下仅针对此前读到的内容。",
    ),
    "progress": ("{read}, {rate}/s", "{read}，{rate}/s"),
    "progress_of": ("{read} of {size}, {rate}/s", "{read}/{size}，{rate}/s"),
    "progress_files": (
        "{done} files, {read}, {rate}/s",
        "{done} 个文件，{read}，{rate}/s",
    ),
    "progress_files_of": (
        "{done} of {found} files, {read} of {size}, {rate}/s",
        "{done}/{found} 个文件，{read}/{size}，{rate}/s",
    ),
    "high": ("high confidence", "置信度高"),
    "medium": (
        "medium confidence: it follows from a code or a measurement, or from two signs together",
        "置信度中：由错误码、测量数据或两处迹象推断",
    ),
    "low": (
        "low confidence: only a generic code, message or measurement; take it as where to look",
        "置信度低：只有通用错误码、报错或测量数据，仅供确定排查方向",
    ),
    "article": (
        "This wording is known from an article only; no CANN or torch_npu release prints it.",
        "这一写法仅见于文章，任何 CANN 或 torch_npu 版本都不会打印。",
    ),
    "levels": ("levels seen: {levels}", "出现的日志级别：{levels}"),
    "quiet": (
        "CANN logs INFO and WARNING only on request, so a missing line proves nothing",
        "CANN 默认不打印 INFO 与 WARNING，缺少某行不能说明问题",
    ),
    "no_files": ("no file", "没有文件"),
    "file": (
        "{files} file, {size}, {lines} lines ({kinds})",
        "{files} 个文件，{size}，{lines} 行（{kinds}）",
    ),
    "files": (
        "{files} files, {size}, {lines} lines ({kinds})",
        "{files} 个文件，{size}，{lines} 行（{kinds}）",
    ),
    "moment": ("at {first}", "时间 {first}"),
    "span": ("from {first} to {last}", "时间从 {first} 到 {last}"),
    "times": ("{count} times", "共 {count} 次"),
    "processes": ("{count} processes", "{count} 个进程"),
    "rank": ("rank {ranks}", "rank {ranks}"),
    "ranks": ("ranks {ranks}", "rank {ranks}"),
    "more": ("{count} more; --format json has all", "另有 {count} 条，--format json 可查看全部"),
    "cut": ("Cut here; --format json has all.", "此处截断，--format json 可查看全部。"),
    "family": ("{id} ({title})", "{id}（{title}）"),
    "fatal": ("fatal", "致命"),
    "error": ("error", "错误"),
    "warning": ("warning", "警告"),
    "info": ("info", "提示"),
    "in_function": ("in {function}", "函数 {function}"),
    "finds": ("Finds", "匹配"),
    "seen_in": ("Seen in", "来源"),
    "means": ("Means", "含义"),
    "usually": ("Usually", "常见原因"),
    "next": ("Next", "下一步"),
    "claim": ("Claimed", "文章说法"),
    "truth": ("In truth", "实际情况"),
    "instead": ("Instead", "应改用"),
    "default": ("Default", "默认值"),
    "acl": ("ACL, runtime or GE number", "ACL、Runtime 或 GE 错误码"),
    "error_manager": ("error block code", "报错块错误码"),
    "hccl": ("HCCL code", "HCCL 错误码"),
    "torch_npu": ("torch_npu code", "torch_npu 错误码"),
    "runtime": ("internal runtime code", "Runtime 内部错误码"),
    "variables": ("environment variable", "环境变量"),
    "article_term": ("term of the article", "文章中的术语"),
    "profile": ("word of profiles and breakdowns", "性能数据与耗时划分用语"),
    "threshold": ("threshold of profiles", "性能数据阈值"),
    "rule": ("rule", "规则"),
    "family_term": ("family of failures", "故障类别"),
    "nothing_knows": (
        "The first one usually says why. Look up its codes with `ascend-doctor explain`; to teach "
        "the tool the line, `ascend-doctor rules new`.",
        "通常第一条报错说明了原因。其中的错误码可用 `ascend-doctor explain` 查询；"
        "要让本工具认识这条报错，可用 `ascend-doctor rules new` 编写规则。",
    ),
    "deprecated": ("deprecated", "已废弃"),
    "article-only": ("known from the article only", "仅见于文章"),
    "from_table": (
        "From the code table; the sentence beside the code in your log says more than the number.",
        "内容来自错误码表；日志中错误码旁的语句比数字本身更能说明问题。",
    ),
    "unknown_term": (
        "Not known here. If a log says it, `ascend-doctor analyze` reads the sentence beside it.",
        "未收录。若日志中出现该词，可用 `ascend-doctor analyze` 分析其所在的语句。",
    ),
    "proposed": ("did you mean {terms}?", "是否要查 {terms}？"),
}  # fmt: skip


def label(name: str, lang: Lang, **values: object) -> str:
    """Return one of the reporters' own words, with values put in."""
    return filled(_LABELS[name], lang, values)


def filled(pair: tuple[str, str], lang: Lang, values: Mapping[str, object]) -> str:
    """Return one of a text in English and in Chinese, with values put in.

    >>> filled(("{files} files, {lines} lines", ""), "en", {"files": 2, "lines": "1"})
    '2 files, 1 line'
    """
    text = pair[0 if lang == "en" else 1]
    if not values:
        return text
    if lang == "en":
        text = _COUNTED.sub(lambda found: _agreeing(found, values), text)
    return text.format(**values)


def _agreeing(found: re.Match[str], values: Mapping[str, object]) -> str:
    """Return a count and what is counted, as a template, with a noun that agrees with the count."""
    name, more, noun = found.groups()
    if str(values.get(name)) != "1":
        return found[0]
    return f"{{{name}}}{more} {_SINGULAR.get(noun, noun)}"


def colon(lang: Lang) -> str:
    """Return the colon between a heading and its text."""
    return ": " if lang == "en" else "："


def joined(parts: Iterable[str], lang: Lang) -> str:
    """Return remarks as one line."""
    return ("; " if lang == "en" else "；").join(parts)


def size(count: int) -> str:
    """Return a number of bytes for people.

    >>> size(517), size(2_400_000)
    ('517 B', '2.3 MiB')
    """
    value, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"
