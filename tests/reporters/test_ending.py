"""What is said when a command has ended, in both languages."""

from __future__ import annotations

import pytest

from ascend_doctor.report import Coverage, Report
from ascend_doctor.reporters.ending import Told, render

CLEAN = Report("", (), (), {}, Coverage(1, 2048, 40, {"text": 1}, (), None, (), ()))
RULER = "─" * 100


def said(told: Told, lang: str, report: Report | None = CLEAN) -> list[str]:
    lines = render(told, report, lang).splitlines()
    assert lines[0] == RULER
    return lines[1:]


@pytest.mark.parametrize(
    ("told", "english", "chinese"),
    [
        (
            Told(1, 725.0),
            "The command ended with exit code 1 after 12 min 5 s. This is about its output.",
            "命令运行 12 分 5 秒后结束，退出码为 1。以下诊断基于其输出。",
        ),
        (
            Told(-15, 3.26, logs=1),
            "The command was ended by SIGTERM after 3.3 s. This is about its output and one log.",
            "命令运行 3.3 秒后被信号 SIGTERM 终止。以下诊断基于其输出和 1 个日志。",
        ),
        (
            Told(-9, 7300.0, was_silent=True, logs=1200),
            "The command was ended after 2 h 1 min, as nothing was written for too long. This is "
            "about its output and 1,200 logs.",
            "命令因长时间无任何输出而被终止，共运行 2 小时 1 分。"
            "以下诊断基于其输出和 1,200 个日志。",
        ),
    ],
)  # fmt: skip
def test_how_it_ended(told, english, chinese):
    for lang, text in (("en", english), ("zh", chinese)):
        lines = said(told, lang)
        # Long ones are wrapped.
        first = lines[: lines.index("")]
        assert (" " if lang == "en" else "").join(first) == f"ascend-doctor: {text}"


def test_what_is_missing_is_said():
    told = Told(
        1, 20.0, kept="/k/out\x1b.log", dropped=3 << 20, broken="no space left on device",
        missing=("/l/a",),
    )  # fmt: skip
    assert said(told, "en") == [
        "ascend-doctor: The command ended with exit code 1 after 20 s. This is about its output.",
        "Of the middle of the output, 3.0 MiB were not kept; lines behind it are counted without "
        "them.",
        "The copy of the output ends early: no space left on device; what follows was passed on, "
        "not read.",
        "--logs /l/a: no such file or folder",
        "",
        "✓ No fault found in what was read.",
        "",
        RULER,
        "  Read     1 file, 2.0 KiB, 40 lines (1 text)",
        "Its output is kept in /k/out\\x1b.log",
    ]
    assert said(told, "zh") == [
        "ascend-doctor: 命令运行 20 秒后结束，退出码为 1。以下诊断基于其输出。",
        "输出中间有 3.0 MiB 未保留；其后的行号不计这一部分。",
        "输出的副本不完整：磁盘空间不足；其后的内容已照常输出，但未参与诊断。",
        "--logs /l/a：文件或目录不存在",
        "",
        "✓ 在已读内容中未发现故障。",
        "",
        RULER,
        "  已读    1 个文件，2.0 KiB，40 行（1 text）",
        "其输出保存在 /k/out\\x1b.log",
    ]


def test_a_kill_is_explained_and_nothing_read_is_said():
    assert " ".join(said(Told(-9, 0.5), "en", None)) == (
        "ascend-doctor: The command was ended by SIGKILL after 0.5 s. It printed nothing that can "
        "be read, and wrote no new logs. No program can tell of SIGKILL. `dmesg -T | grep -i oom` "
        "on this host says whether the kernel was out of memory; a scheduler or the limit of a "
        "container may have sent it, too."
    )
    assert "".join(said(Told(-9, 0.5), "zh", None)) == (
        "ascend-doctor: 命令运行 0.5 秒后被信号 SIGKILL 终止。"
        "它没有可读的输出，也没有写出新的日志。"
        "进程自身无法记录 SIGKILL。请在本机执行 `dmesg -T | grep -i oom`，"
        "确认是否由内核内存不足引起；也可能来自调度系统或容器的资源限制。"
    )
