"""The table of results is the same in both languages."""

from __future__ import annotations

import re

from benchmarks.chinese import chinese, write_twin
from benchmarks.rows import results
from tests.conftest import ROOT

ENGLISH = """\
A machine, 8 cores, Linux, Python 3.12.1, without ripgrep, 2026-01-31. Scale 1/64 of the full \
size, 3 timed runs.
Two processes are not measured: `analyze` has no `--jobs`.
trace, profile: A machine, 2 cores, Linux, Python 3.12.1, without ripgrep, 2026-01-31.
Wrong in this run: plog: 3, not 4.

| measured | against | figure | lowest–highest | CPU time | bar | aim | seconds |
|---|---|---|---|---|---|---|---|
| plog, two processes | one process | 1.50, above the bar | 1.40–1.60 | 1.5 | 0.65 |  | 3.0 / 2.0 |
| stdout, standard library | hyperscan | 2.00 |  |  | 3 |  |  |
| trace, one process, CPU | msprof-analyze | 0.10 |  |  | 0.33 |  |  |
"""

CHINESE = """\
A machine，8 核，Linux，Python 3.12.1，无 ripgrep，2026-01-31。规模为完整数据的 1/64 倍，计时 3 轮。
未测双进程：`analyze` 没有 `--jobs` 选项。
trace，profile：A machine，2 核，Linux，Python 3.12.1，无 ripgrep，2026-01-31。
本次运行结果有误：plog: 3, not 4.

| 测量项 | 对照 | 数值 | 最低–最高 | CPU 时间 | 上限 | 目标 | 秒 |
|---|---|---|---|---|---|---|---|
| plog，双进程 | 单进程 | 1.50（超出上限） | 1.40–1.60 | 1.5 | 0.65 |  | 3.0 / 2.0 |
| stdout，标准库 | hyperscan | 2.00 |  |  | 3 |  |  |
| trace，单进程，CPU 时间 | msprof-analyze | 0.10 |  |  | 0.33 |  |  |
"""

# What is called the same in both languages.
NAMES = (
    r"\b(?:plog|ranks|storm|stdout|gzip|job|quarter|fourfold|rg|hyperscan|import click|help)\b"
    r"|\b(?:trace|profiles?|msprof-analyze)\b"
    r"|\b(?:CPU|KB|MiB|s)\b"
)


def test_results_are_told_in_chinese():
    assert chinese(ENGLISH) == CHINESE


def test_the_document_beside_gets_the_same_results(tmp_path):
    path, twin = tmp_path / "a.md", tmp_path / "a.zh.md"
    path.write_text(f"# A\n<!-- results -->\n{ENGLISH}<!-- end of results -->\nZ\n")
    write_twin(path)
    assert not twin.exists()
    twin.write_text("# 甲\n<!-- results -->\n旧\n<!-- end of results -->\n乙\n", encoding="utf-8")
    write_twin(path)
    assert twin.read_text(encoding="utf-8") == (
        f"# 甲\n<!-- results -->\n{CHINESE}<!-- end of results -->\n乙\n"
    )


def test_the_committed_documents_agree():
    told = results(ROOT / "docs" / "performance.zh.md")
    assert told == chinese(results(ROOT / "docs" / "performance.md")), "run: make docs"
    rows = [line for line in told.splitlines() if line.startswith("|")]
    left = [row for row in rows[2:] if re.search(r"[a-z]", re.sub(NAMES, "", row))]
    assert left == []
