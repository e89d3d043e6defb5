"""Markdown: what a log says is text there, never markup."""

from __future__ import annotations

import ascend_doctor
from ascend_doctor.reporters import markdown


def test_a_function_name_cannot_become_markup(tmp_path):
    frame = '  File "/a.py", line 3, in f` <b> ``'
    log = f"Traceback (most recent call last):\n{frame}\nRuntimeError: x\n"
    (tmp_path / "train.log").write_text(log, encoding="utf-8")
    said = markdown.render(ascend_doctor.analyze(tmp_path))
    assert "**Where**: `/a.py:3` in f' \\<b\\> ''" in said.splitlines()
