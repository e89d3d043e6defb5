"""Records that wait: many of one window are judged before its end, with the same outcome."""

from __future__ import annotations

import random

import pytest

from ascend_doctor.scan import judging
from ascend_doctor.scan.scanner import Scanner
from ascend_doctor.view.window import Sizes
from tests.rulesets import knowledge, rule, source

# Messages of one line and of many, of writers that take turns, and what belongs to nobody.
MESSAGES = (
    "[ERROR] GE({pid},py):2026-03-04-00:00:01.000.000 [a.cc:1]{pid} pool is full by {n} now\n",
    "[ERROR] GE({pid},py):2026-03-04-00:00:02.000.000 [a.cc:1]{pid} odd\n  and more\n",
    "[rank{pid}]: Traceback (most recent call last):\n"
    '[rank{pid}]:   File "/app/a.py", line {n}, in f\n'
    "step {n}\n"
    "[rank{pid}]: RuntimeError: pool is full by {n} now\n",
    "step {n} loss 1.0\n",
    "2026-03-04 00:00:03 ERROR app: cannot do {n}\n",
)
RULE = rule("buffer-oom-pool", "pool is full", regex=r"by (?P<n>\d+)", captures={"n": "int"})


@pytest.mark.parametrize("seed", range(6))
def test_a_window_of_many_records_is_judged_in_pieces(tmp_path, monkeypatch, seed):
    rng = random.Random(seed)
    text = "".join(
        rng.choice(MESSAGES).format(pid=rng.randrange(3), n=rng.randrange(100)) for _ in range(900)
    ).encode()
    # A first part of no size: all the rest is looked at line by line.
    scanner = Scanner(knowledge(tmp_path, RULE), Sizes(first=1))
    whole = scanner.scan(source("run.log", text))
    finished: list[int] = []
    before = judging.Judging._finish_before

    def finish_before(self, place, view):
        finished.append(place)
        before(self, place, view)

    monkeypatch.setattr(judging, "MAX_WAITING", 20)
    monkeypatch.setattr(judging, "REACH", 8 << 10)
    monkeypatch.setattr(judging.Judging, "_finish_before", finish_before)
    assert scanner.scan(source("run.log", text)) == whole
    assert len(finished) >= 3
    assert whole.findings
    assert whole.unknown
