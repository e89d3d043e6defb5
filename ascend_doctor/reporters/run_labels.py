"""The words of what is said of jobs that run, and of two runs side by side."""

from __future__ import annotations

from collections.abc import Mapping

from ascend_doctor.records import Lang
from ascend_doctor.reporters.labels import filled

_LABELS: Mapping[str, tuple[str, str]] = {
    "ended": (
        "The command ended with exit code {code} after {duration}.",
        "命令运行 {duration}后结束，退出码为 {code}。",
    ),
    "signalled": (
        "The command was ended by {name} after {duration}.",
        "命令运行 {duration}后被信号 {name} 终止。",
    ),
    "silent": (
        "The command was ended after {duration}, as nothing was written for too long.",
        "命令因长时间无任何输出而被终止，共运行 {duration}。",
    ),
    "killed": (
        "No program can tell of SIGKILL. `dmesg -T | grep -i oom` on this host says whether the "
        "kernel was out of memory; a scheduler or the limit of a container may have sent it, too.",
        "进程自身无法记录 SIGKILL。请在本机执行 `dmesg -T | grep -i oom`，确认是否由内核内存不足"
        "引起；也可能来自调度系统或容器的资源限制。",
    ),
    "read": ("This is about its output and {count} logs.", "以下诊断基于其输出和 {count} 个日志。"),
    "read_one": ("This is about its output and one log.", "以下诊断基于其输出和 1 个日志。"),
    "read_output": ("This is about its output.", "以下诊断基于其输出。"),
    "read_nothing": (
        "It printed nothing that can be read, and wrote no new logs.",
        "它没有可读的输出，也没有写出新的日志。",
    ),
    "kept": ("Its output is kept in {path}", "其输出保存在 {path}"),
    "not_kept": (
        "`--keep DIR` keeps the output, so that its lines can be looked up.",
        "如需按行号查看输出，可用 `--keep DIR` 保存。",
    ),
    "dropped": (
        "Of the middle of the output, {size} were not kept; lines behind it are counted without "
        "them.",
        "输出中间有 {size} 未保留；其后的行号不计这一部分。",
    ),
    "copy_broken": (
        "The copy of the output ends early: {reason}; what follows was passed on, not read.",
        "输出的副本不完整：{reason}；其后的内容已照常输出，但未参与诊断。",
    ),
    "logs_missing": (
        "--logs {path}: no such file or folder",
        "--logs {path}：文件或目录不存在",
    ),
    "held": (
        "Processes that it started still hold its output open; what they print from now on is "
        "not shown.",
        "它启动的进程仍占用其输出；此后的内容不再显示。",
    ),
    "unwritten": (
        "The output could not be passed on to its end: {reason}",
        "输出未能全部写出：{reason}",
    ),
    "stalled": (
        "Silent for {duration}: no output and no growth of logs since {since}",
        "已静默 {duration}：自 {since} 起没有输出，日志也没有增长",
    ),
    "silent_since": ("silent since {since}", "{since} 起静默"),
    "last_lines": ("Last lines, those silent the longest first", "各方最后几行（静默最久者在前）"),
    "its_output": ("output", "输出"),
    "doing": ("What its processes are doing", "各进程当前状态"),
    "state_R": ("running", "运行中"),
    "state_S": ("asleep", "睡眠"),
    "state_D": (
        "waiting for a disk or a device, cannot be interrupted",
        "等待磁盘或设备，不可中断",
    ),
    "state_T": ("stopped", "已暂停"),
    "state_t": ("stopped by a debugger", "被调试器暂停"),
    "state_Z": ("ended, not waited for", "已结束，未被回收"),
    "state_I": ("idle", "空闲"),
    "waits_in": ("in {place}", "位于 {place}"),
    "threads": ("{count} threads", "{count} 个线程"),
    "thread": ("1 thread", "1 个线程"),
    "cpu": ("{duration} of CPU", "CPU 时间 {duration}"),
    "more_processes": ("{count} more processes", "另有 {count} 个进程"),
    "more_writers": ("{count} more", "另有 {count} 个"),
    "where_it_stands": (
        "Where a process stands: `py-spy dump --pid {pid}` (`pip install py-spy`; in a container "
        "it needs SYS_PTRACE).",
        "查看进程的 Python 调用栈：`py-spy dump --pid {pid}`（先执行 `pip install py-spy`；"
        "容器内需要 SYS_PTRACE 权限）。",
    ),
    "compare_ranks": (
        "Ranks that stand in different places are out of step; the one that stands alone is the "
        "one to look at.",
        "如果各 rank 的调用栈不一致，说明它们已不同步；应首先查看与众不同的那个 rank。",
    ),
    "until_now": ("Diagnosis of what there is until now", "对目前已有内容的诊断"),
    "following": (
        "Following what is written from now on to {paths} (files so far: {count}); Ctrl-C ends "
        "it with a summary. --from-start also reads what is there already.",
        "正在跟踪此后写入 {paths} 的内容（现有 {count} 个文件）；按 Ctrl-C 结束并输出汇总。"
        "加 --from-start 可连同已有内容一起读取。",
    ),
    "following_all": (
        "Following {paths} from their start (files so far: {count}); Ctrl-C ends it with a "
        "summary.",
        "正在从头跟踪 {paths}（现有 {count} 个文件）；按 Ctrl-C 结束并输出汇总。",
    ),
    "not_there_yet": (
        "{path}: no such file or folder yet; it is waited for",
        "{path}：文件或目录尚不存在，等待其出现",
    ),
    "new_cause": ("Found at {time}", "{time} 新发现"),
    "summary": ("Summary", "汇总"),
    "unwritten_since": (
        "Nothing has been written since {since} ({path} was the last); files followed: {count}.",
        "所跟踪的 {count} 个文件自 {since} 起没有写入新内容（最后写入的是 {path}）。",
    ),
    "still_watching": ("{said} Watching goes on.", "{said}仍在继续跟踪。"),
    "no_files_yet": (
        "There is no file yet in what is followed: {paths}.",
        "所跟踪的路径下还没有文件：{paths}。",
    ),
    "and_more_files": ("and {count} more", "等，另有 {count} 个"),
    "no_growth": (
        "error: nothing was written to the logs; a gate that read nothing must not be green",
        "错误：日志没有任何新内容；什么都没读到的检查不能算通过",
    ),
    "diff_new": (
        "Only in the bad run: diagnoses {diagnoses}, wordings of errors and warnings {problems}",
        "仅异常运行有：诊断 {diagnoses} 条，报错与告警 {problems} 类",
    ),
    "diff_none": (
        "The bad run has no diagnosis, error or warning that the good one has not.",
        "异常运行没有正常运行中未出现过的诊断、报错或告警。",
    ),
    "diff_unread": (
        "Nothing was compared: in one of the two runs, nothing readable was found.",
        "未作比较：两次运行中有一次没有可读的内容。",
    ),
    "diff_interrupted": (
        "Interrupted: what was read until then has no new diagnosis, error or warning.",
        "已被中止：截至中止时读到的内容中没有新增的诊断、错误或警告。",
    ),
    "diff_diagnoses": ("Diagnosed only in the bad run", "仅异常运行有的诊断"),
    "diff_gone_diagnoses": ("Diagnosed only in the good run", "仅正常运行有的诊断"),
    "diff_environment": (
        "The environments differ (good → bad)",
        "环境差异（正常 → 异常）",
    ),
    "diff_unsaid": ("not said", "未打印"),
    "diff_first": ("Where the bad run leaves the path", "异常运行最早在何处偏离"),
    "diff_leaves": (
        "{process}: the first line that the good run never has",
        "{process}：正常运行中从未出现的第一行",
    ),
    "diff_ends": (
        "{process}: says nothing new, but ends before the good run does",
        "{process}：没有新内容，但比正常运行提前结束",
    ),
    "diff_elsewhere": ("Others leave it at", "其余进程的偏离位置"),
    "diff_good": ("good", "正常"),
    "diff_bad": ("bad", "异常"),
    "diff_end": ("ends here", "到此为止"),
    "diff_problems": (
        "New errors and warnings, in order of appearance",
        "新增的报错与告警（按出现先后）",
    ),
    "diff_more": ("Many more than in the good run", "明显增多的内容"),
    "diff_others": ("Other new lines", "其他新增内容"),
    "diff_gone": ("What only the good run has", "仅正常运行有的内容"),
    "diff_rest": ("{count} more; -f json has all", "另有 {count} 条，-f json 可查看全部"),
    "diff_read_one": (
        "{side}: {files} file, {size}, {lines} lines",
        "{side}：{files} 个文件，{size}，{lines} 行",
    ),
    "diff_read": (
        "{side}: {files} files, {size}, {lines} lines",
        "{side}：{files} 个文件，{size}，{lines} 行",
    ),
    "diff_cut": (
        "There are more different lines, or more lines, than can be compared; what came first was.",
        "不同的行或总行数超出可比较的上限，仅比较了靠前的部分。",
    ),
    "hours": ("{hours} h {minutes} min", "{hours} 小时 {minutes} 分"),
    "minutes": ("{minutes} min {seconds} s", "{minutes} 分 {seconds} 秒"),
    "seconds": ("{seconds} s", "{seconds} 秒"),
}  # fmt: skip


def say(name: str, lang: Lang, /, **values: object) -> str:
    """Return one of these texts, with values put in."""
    return filled(_LABELS[name], lang, values)


def duration(seconds: float, lang: Lang) -> str:
    """Return a time span for people.

    >>> duration(0.34, "en"), duration(725, "zh"), duration(7385, "en")
    ('0.3 s', '12 分 5 秒', '2 h 3 min')
    """
    if seconds < 10:
        return say("seconds", lang, seconds=f"{seconds:.1f}")
    whole = int(seconds)
    if whole < 60:
        return say("seconds", lang, seconds=whole)
    if whole < 3600:
        return say("minutes", lang, minutes=whole // 60, seconds=whole % 60)
    return say("hours", lang, hours=whole // 3600, minutes=whole % 3600 // 60)
