"""The table of results in Chinese, from the English one.

``python -m benchmarks.chinese docs/performance.md`` writes ``performance.zh.md`` beside it anew.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from benchmarks.rows import results, with_results

_HEADER = "| 测量项 | 对照 | 数值 | 最低–最高 | CPU 时间 | 上限 | 目标 | 秒 |"
_WRONG = "Wrong in this run: "

# What cells and notes are made of; what is not here (names of sets, of programs) stays.
_NOTES = (
    (r"(\d+) cores", r"\1 核"),
    (r"Scale (\S+) of the full size, (\d+) timed runs", r"规模为完整数据的 \1 倍，计时 \2 轮"),
    (
        r"Two processes are not measured: `analyze` has no `--jobs`",
        "未测双进程：`analyze` 没有 `--jobs` 选项",
    ),
    (r"without ripgrep", "无 ripgrep"),
    (r", ", "，"),
    (r"^([\w，]+): ", r"\1："),
    (r"\.(?= |$)", "。"),
    (r"。 ", "。"),
)
_CELLS = (
    (r"memory of (\w+)", r"\1 的内存"),
    (r"(\d+) further rules", r"另加 \1 条规则"),
    (r"without them", "不加"),
    (r"a log of 250 KB", "250 KB 的日志"),
    (r"one process", "单进程"),
    (r"two processes", "双进程"),
    (r"standard library", "标准库"),
    (r"at scale (\S+)", r"规模 \1"),
    (r", above the bar", "（超出上限）"),
    (r", CPU", "，CPU 时间"),
    (r", ", "，"),
)


def chinese(text: str) -> str:
    """Return what stands between the markers, its notes and its table, in Chinese.

    >>> chinese("| memory of plog, one process |  | 151 MiB, above the bar |")
    '| plog 的内存，单进程 |  | 151 MiB（超出上限） |'
    """
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    if line.startswith("| measured |"):
        return _HEADER
    if line.startswith(_WRONG):
        return f"本次运行结果有误：{line.removeprefix(_WRONG)}"
    for english, put in _CELLS if line.startswith("|") else _NOTES:
        line = re.sub(english, put, line)
    return line


def write_twin(path: Path) -> None:
    """Put the results of ``path`` into the Chinese document beside it, if there is one.

    Raises:
        ValueError: one of the two lacks a marker.
    """
    twin = path.with_suffix(".zh.md")
    if twin.exists():
        text = with_results(twin, chinese(results(path)))
        twin.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_twin(Path(sys.argv[1]))
