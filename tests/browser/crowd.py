"""A report as large as a job of 64 ranks can make it."""

from __future__ import annotations

from datetime import datetime, timedelta

from ascend_doctor.knowledge.rule import Texts
from ascend_doctor.records import FAMILIES, Confidence, Evidence, Origin, Severity
from ascend_doctor.report import (
    Activity,
    Bar,
    Breakdown,
    Consequence,
    Coverage,
    Diagnosis,
    Part,
    Place,
    Report,
    Timeline,
    Track,
    Unexplained,
)

RANKS, FINDINGS = 64, 10_000
START = datetime(2026, 3, 4, 5, 6, 7)
LINE = "[ERROR] HCCL(812,python3):2026-03-04-05:06:07.000.000 [a.cc:88] [812][Wait]rank[{}] is late"


def crowd() -> Report:
    """Return a report of 10,000 findings, each a diagnosis of its own, on 64 ranks."""
    diagnoses = tuple(map(_diagnosis, range(FINDINGS)))
    activities = tuple(
        Activity(
            position=d.position,
            rule=d.rule,
            role=d.role,
            severity=d.severity,
            origin=d.origin,
            source=d.evidence[0].path,
            count=d.count,
            first_seen=d.first_seen,
            last_seen=d.last_seen,
        )
        for d in diagnoses[:2048]
    )
    return Report(
        rules_digest="0123456789abcdef",
        diagnoses=diagnoses,
        unexplained=tuple(
            Unexplained(f"unknown {number}", "ERROR", 3, _proof(number)) for number in range(500)
        ),
        environment={"cann": "8.3.RC1", "world_size": str(RANKS)},
        coverage=Coverage(
            files=RANKS,
            bytes=1 << 30,
            lines=FINDINGS * 10,
            by_kind={"plog": RANKS},
            levels=("ERROR",),
            time_range=(_time(0), _time(FINDINGS)),
            skipped=tuple((f"rank_{number}/core", "binary") for number in range(2000)),
            broken=(),
        ),
        timeline=Timeline(activities, left_out=FINDINGS - len(activities)),
    )


def _time(number: int) -> str:
    return (START + timedelta(milliseconds=137 * number)).isoformat(timespec="microseconds")


def stepped(ranks: int = RANKS, steps: int = 200) -> Report:
    """Return a report of profiles of so many ranks and steps; the last rank waits for data."""
    tracks = []
    for rank in range(ranks):
        is_guilty = rank == ranks - 1
        bars = tuple(_bar(rank, step, is_guilty) for step in range(steps))
        parts: dict[Part, float] = {}
        for bar in bars:
            for part, took in bar.parts.items():
                parts[part] = parts.get(part, 0.0) + took
        total = sum(parts.values())
        marks = (1,) if is_guilty else ()
        tracks.append(Track(f"prof/{rank}", rank, None, steps, total, parts, bars, marks))
    tracks.insert(0, tracks.pop())
    return Report(
        rules_digest="0123456789abcdef",
        diagnoses=(_diagnosis(0),),
        unexplained=(),
        environment={},
        coverage=Coverage(1, 1, 1, {"profile": 1}, (), None, (), ()),
        breakdown=Breakdown(tuple(tracks)),
    )


def _bar(rank: int, step: int, is_guilty: bool) -> Bar:
    waits = is_guilty and step % 50 == 7
    parts: dict[Part, float] = {
        "computing": 300.0 + step % 7,
        "communication": 80.0 + step % 3,
        "fetch": 400.0 if waits else 2.5,
        "compile": 1.25,
        "sync": 3.0,
        "preparing": 4.0,
        "free": 20.0,
    }
    place = Place(f"prof/{rank}/ASCEND_PROFILER_OUTPUT/step_trace_time.csv", step + 2)
    marks = (1,) if waits else ()
    return Bar(str(step), str(step), 1, sum(parts.values()), parts, place, marks)


def _proof(number: int) -> Evidence:
    rank = number % RANKS
    lines = tuple(LINE.format(rank) for _ in range(3))
    text = LINE.format(rank) * 3
    return Evidence(
        f"rank_{rank}/plog/plog-{812 + rank}_20260304050607000.log",
        number + 4,
        text,
        (number, 0),
        _time(number),
        "ERROR",
        "HCCL",
        Origin("node-1", rank, rank % 8, 812 + rank),
        lines,
        lines,
        (70, 90),
    )


def _diagnosis(number: int) -> Diagnosis:
    proof = _proof(number)
    command = f"hccn_tool -i {number % 8} -link_stat -g"
    severities = (Severity.FATAL, Severity.ERROR, Severity.WARNING)
    confidences: tuple[Confidence, ...] = ("high", "medium", "low")
    return Diagnosis(
        position=number + 1,
        rule=f"communication-wait-{number}",
        family=FAMILIES[number % len(FAMILIES)],
        severity=severities[number % 3],
        confidence=confidences[number % 3],
        role="cause",
        provenance=("public-report",),
        texts={
            "en": Texts(f"Late {number}", "It waits. " * 20, (f"See: `{command}`.",) * 3, ("x",)),
            "zh": Texts(f"等待 {number}", "正在等待。" * 20, (f"查看：`{command}`。",) * 3, ("x",)),
        },
        remedies=(),
        captures={},
        codes=(),
        evidence=(proof, *(_proof(number + step) for step in range(1, 5))),
        location=None,
        origin=proof.origin,
        first_seen=_time(number),
        last_seen=_time(number + 50),
        count=7,
        processes=1,
        ranks=(number % RANKS,),
        consequences=(
            Consequence(
                rule="communication-wait-peer",
                family="communication",
                role="consequence",
                title={"en": "A peer is gone", "zh": "对端已消失"},
                count=2,
                evidence=proof,
            ),
        ),
    )
