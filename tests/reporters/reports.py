"""Reports to render: one with every field, some that have little to say, and any at all."""

from __future__ import annotations

from typing import get_args

from hypothesis import strategies as st
from msgspec.structs import replace

from ascend_doctor.knowledge.rule import Texts
from ascend_doctor.records import FAMILIES, LANGS, ROLES, Evidence, Location, Note, Origin, Severity
from ascend_doctor.report import (
    PARTS,
    Activity,
    Bar,
    Breakdown,
    CodeMet,
    Consequence,
    Coverage,
    Diagnosis,
    Entry,
    FailOn,
    Gate,
    Hidden,
    Known,
    Place,
    Report,
    Slice,
    Timeline,
    Track,
    Unexplained,
)

# What would begin a command, markup, an escape or another document, where a format lets it.
HOSTILE = (
    "::error file=a.py,line=1::owned",
    "##[add-mask]owned ##vso[task.setvariable variable=x]1 ##teamcity[testFailed name='x']",
    "%0A::warning::owned%0D%25",
    "<script>alert(1)</script> <img src=x onerror=alert(1)> <!-- --> &amp; &#x202e;",
    "]]> <![CDATA[ <?xml version='1.0'?> <!DOCTYPE x [<!ENTITY e SYSTEM 'file:///x'>]> &e;",
    "``` ` ~~~ ![x](https://a.invalid/x) [x](javascript:x) **b** # h | @all #1 https://b.invalid",
    "```[x](y)` ``a`[x](y)```",
    "```",
    "[[ATTACHMENT|/etc/passwd]] ${jndi:ldap://x} $(id) `id` '; drop",
    '"}], "version": "9.9", "x": [{"',
    "\x1b[31mred\x1b]0;title\x07 \x00 \x08 \x9b2J \u202egnp\u2066 \u200b\ufeff \ufffe \U000e0041",
    "bad \udcff byte, half \ud83d pair, line \u2028 end \x85 \r\n::debug::x\n##[group]x\n",
    "\t  ::set-output name=x::y",
)  # fmt: skip

_EN = Texts(
    "The pool of device memory is in pieces ({size})",
    "3.2 GiB are free, but no piece of them holds the 1.5 GiB that were asked for.",
    ("Look at the peak: `npu-smi info -t usages -i 0`.",),
    (
        "Let segments grow: `export PYTORCH_NPU_ALLOC_CONF=expandable_segments:True`.",
        "Or make the batch smaller.",
    ),
)
_ZH = Texts(
    "设备内存池碎片化（{size}）",
    "空闲内存共 3.2 GiB，但没有一块能容纳申请的 1.5 GiB。",
    ("查看峰值：`npu-smi info -t usages -i 0`。",),
    (
        "允许内存段扩展：`export PYTORCH_NPU_ALLOC_CONF=expandable_segments:True`。",
        "或减小 batch。",
    ),
)

_FIRST = Evidence(
    path="node-1/run 7.tar.gz!logs/rank_3/train#1.log",
    line=41,
    text="RuntimeError: NPU out of memory. Tried to allocate 1.50 GiB (NPU 3; 60.96 GiB total)",
    order=(38, 0),
    time="2026-03-04T05:06:07.000008",
    level="ERROR",
    module="PTA",
    origin=Origin("node-1", 3, 7, 4242),
    before=("step 7 loss 2.31", "Traceback (most recent call last):"),
    after=("[ERROR] exit 1",),
    match=(14, 31),
)
_LATER = Evidence("node-2/plog/plog-99_1.log", 7, "[ERROR] HCCL(99,python3):wait timeout")

CAUSE = Diagnosis(
    position=1,
    rule="buffer-oom-pool-fragmented",
    family="buffer_oom",
    severity=Severity.FATAL,
    confidence="high",
    role="cause",
    provenance=("torch-npu", "public-report"),
    texts={"en": _EN.filled({"size": "1.50 GiB"}), "zh": _ZH.filled({"size": "1.50 GiB"})},
    remedies=(("expandable-segments", {"variable": "PYTORCH_NPU_ALLOC_CONF"}),),
    captures={"size": "1.50 GiB"},
    codes=("EL0004", "207001"),
    evidence=(_FIRST, _LATER),
    location=Location("/home/me/src/train.py", 88, "forward"),
    origin=_FIRST.origin,
    first_seen="2026-03-04T05:06:07.000008",
    last_seen="2026-03-04T05:16:07.000008",
    count=12,
    processes=2,
    ranks=(3, 5),
    consequences=(
        Consequence(
            rule="communication-wait-timeout",
            family="communication",
            role="consequence",
            title={"en": "Another rank waited in vain", "zh": "其他 rank 等待超时"},
            count=7,
            evidence=_LATER,
        ),
    ),
    fingerprint="1:00000000000000a1",
)
LESSER = Diagnosis(
    position=2,
    rule="host-resource-shared-memory",
    family="host_resource",
    severity=Severity.WARNING,
    confidence="low",
    role="wrapper",
    provenance=("article",),
    texts={
        "en": Texts("/dev/shm is full", "Workers pass batches through it.", (), ()),
        "zh": Texts("/dev/shm 已满", "worker 通过它传递 batch。", (), ()),
    },
    remedies=(),
    captures={},
    codes=(),
    evidence=(Evidence("<stdin>", 1, "Bus error"),),
    location=None,
    origin=Origin(),
    first_seen=None,
    last_seen=None,
    count=1,
    processes=1,
    ranks=(),
    fingerprint="1:00000000000000b2",
)
REMARK = Diagnosis(
    position=3,
    rule="static-fallback-remark",
    family="static_fallback",
    severity=Severity.INFO,
    confidence="medium",
    role="notice",
    provenance=("vendor-docs",),
    texts={
        "en": Texts("Operators are compiled at run time", "Shapes change.", (), ()),
        "zh": Texts("算子在运行时编译", "shape 在变化。", (), ()),
    },
    remedies=(),
    captures={},
    codes=(),
    evidence=(Evidence("node-1/env.txt", 3, "jit_compile=True", level="INFO"),),
    location=None,
    origin=Origin("node-1"),
    first_seen=None,
    last_seen=None,
    count=2,
    processes=2,
    ranks=(0,),
    fingerprint="1:00000000000000c3",
)
_UNKNOWN = Unexplained(
    "the moon is in house #",
    "ERROR",
    3,
    Evidence("a/b.log", 5, "the moon is in house 8"),
    "1:00000000000000d4",
)
_COVERAGE = Coverage(
    files=4,
    bytes=2_400_000,
    lines=31_415,
    by_kind={"plog": 2, "text": 2},
    levels=("INFO", "ERROR"),
    time_range=("2026-03-04T05:00:00.000000", "2026-03-04T05:20:00.000000"),
    skipped=(("core.17", "binary"), ("empty.log", "empty")),
    broken=(("old.tar.gz", "the gzip stream ends early"),),
    notes=(
        ("node-1/prof/step_trace_time.csv", Note("rows_unread", {"count": "2", "line": "9"})),
        ("node-2/prof/step_trace_time.csv", Note("rows_unread", {"count": "2", "line": "9"})),
        ("node-2/prof/step_trace_time.csv", Note("no_steps")),
    ),
)

_ACTIVITY = Activity(
    position=1,
    rule="buffer-oom-pool-fragmented",
    role="cause",
    severity=Severity.FATAL,
    origin=_FIRST.origin,
    source=_FIRST.path,
    count=12,
    first_seen="2026-03-04T05:06:07.000008",
    last_seen="2026-03-04T05:16:07.000008",
)
_CODE = CodeMet(
    code="EL0004",
    table="error_manager",
    name="Memory_Allocation_Failure",
    family="buffer_oom",
    count=2,
    first=_FIRST,
    means={"en": "Device memory could not be had.", "zh": "设备内存申请失败。"},
    causes={"en": ("Another job holds the card.",), "zh": ("其他任务占用该卡。",)},
    next={"en": ("Look: `npu-smi info`.",), "zh": ("查看：`npu-smi info`。",)},
    is_full=True,
)

_SLOW = Bar(
    *("11", "11", 1, 722.5, {"computing": 300.0, "fetch": 400.25, "free": 22.25}),
    proof=Place("node-1/prof/step_trace_time.csv", 3),
    positions=(1,),
)
_BREAKDOWN = Breakdown(
    (
        Track(
            profile="node-1/prof",
            rank=3,
            device="7",
            steps=3,
            total_ms=1422.5,
            parts={"computing": 900.0, "fetch": 400.25, "free": 122.25},
            bars=(
                _SLOW,
                Bar(
                    *("12", "13", 2, 700.0, {"computing": 600.0, "fetch": 0.0, "free": 100.0}),
                    proof=Place("node-1/prof/step_trace_time.csv", 5),
                ),
            ),
            positions=(1,),
        ),
        Track(
            profile="node-2/train.log",
            rank=None,
            device=None,
            steps=1,
            total_ms=3.5,
            parts={"compile": 0.5, "sync": 0.5, "unknown": 2.5},
            bars=(
                Bar(
                    *("", "", 1, 3.5, {"compile": 0.5, "sync": 0.5, "unknown": 2.5}),
                    proof=Place("node-2/train.log", 40),
                ),
            ),
            is_average=True,
        ),
    ),
    left_out=2,
)

# A report that has every field. What logs and paths say is hostile in `HOSTILE_REPORT`.
FULL = Report(
    rules_digest="0123456789abcdef",
    diagnoses=(CAUSE, LESSER, REMARK),
    unexplained=(_UNKNOWN,),
    environment={"cann": "8.0.RC3", "torch_npu": "2.1.0.post8", "world_size": "16"},
    coverage=_COVERAGE,
    families={name: {"en": f"Family {name}", "zh": f"类别 {name}"} for name in FAMILIES},
    version="0.1.0",
    timeline=Timeline((_ACTIVITY,), left_out=3),
    codes=(_CODE,),
    breakdown=_BREAKDOWN,
    thresholds={"idle-share": 0.5},
    roots=(("node-1", "ci/logs/node-1"),),
)


def _hostile() -> Report:
    """Return ``FULL`` with a hostile text in each place where a log or a stored result has one."""
    words = iter(HOSTILE * 20)

    def evidence(item: Evidence) -> Evidence:
        return replace(item, path=next(words), text=next(words), module=next(words))

    def diagnosis(item: Diagnosis) -> Diagnosis:
        texts = {
            lang: Texts(next(words), next(words), (next(words),), (next(words), next(words)))
            for lang in LANGS
        }
        return replace(
            item,
            texts=texts,
            captures={next(words): next(words)},
            codes=(next(words),),
            evidence=tuple(map(evidence, item.evidence)),
            location=item.location and Location(next(words), 3, next(words)),
            consequences=tuple(
                replace(
                    follower,
                    title={lang: next(words) for lang in LANGS},
                    evidence=evidence(follower.evidence),
                )
                for follower in item.consequences
            ),
        )

    return replace(
        FULL,
        diagnoses=tuple(map(diagnosis, FULL.diagnoses)),
        unexplained=tuple(
            Unexplained(word, "ERROR", 2, Evidence(word, 4, word)) for word in HOSTILE
        ),
        environment={next(words): next(words)},
        coverage=replace(
            FULL.coverage,
            skipped=tuple((word, "binary") for word in HOSTILE),
            broken=((next(words), next(words)),),
            notes=tuple(
                (word, Note("rows_unread", {"count": next(words), "line": "1"})) for word in HOSTILE
            ),
        ),
        breakdown=Breakdown(
            (
                replace(
                    _BREAKDOWN.tracks[0],
                    rank=None,
                    device=next(words),
                    bars=tuple(
                        replace(_SLOW, first=word, last=word, proof=Place(word, 1))
                        for word in HOSTILE
                    ),
                ),
                replace(_BREAKDOWN.tracks[1], profile=next(words)),
            ),
        ),
        thresholds={next(words): 0.1},
        roots=(),
        families={},
        timeline=Timeline((replace(_ACTIVITY, rule=next(words), source=next(words)),), 1),
        codes=(
            replace(
                _CODE,
                code=next(words),
                name=next(words),
                first=evidence(_CODE.first),
                means={lang: next(words) for lang in LANGS},
                causes={lang: (next(words),) for lang in LANGS},
                next={lang: (next(words),) for lang in LANGS},
            ),
        ),
    )


HOSTILE_FULL = _hostile()
CLEAN = Report(
    "0123456789abcdef", (), (), {}, Coverage(1, 17, 1, {"text": 1}, (), None, (), ()),
    version="0.1.0",
)  # fmt: skip
NOTHING = Report(
    "0123456789abcdef", (), (), {}, Coverage(0, 0, 0, {}, (), None, (("core", "binary"),), ()),
    version="0.1.0",
)  # fmt: skip
INTERRUPTED = Report(
    "0123456789abcdef", (), (_UNKNOWN,), {},
    Coverage(1, 17, 1, {"text": 1}, (), None, (), (), interrupted=True, unread=2), version="0.1.0",
)  # fmt: skip


TIMES = st.datetimes().map(lambda time: time.isoformat(timespec="microseconds"))


# What a gate says: something is known, something left out, some entries are of no use.
GATED = replace(
    FULL,
    is_redacted=True,
    diagnoses=FULL.diagnoses[1:],
    coverage=replace(
        _COVERAGE, slice=Slice("2026-03-04T05:00", "05:30", "0, 3-5", left_out=12, unplaced=3)
    ),
    gate=Gate(
        fail_on="error",
        is_strict=True,
        hidden=(
            Hidden("buffer-oom-pool-fragmented", "buffer_oom", Severity.FATAL, 12, "--ignore"),
            Hidden("communication-port", "communication", Severity.ERROR, 1, "--select"),
            Hidden("communication-link", "communication", Severity.ERROR, 2, "--select"),
        ),
        known=(
            Known("1:00000000000000b2", "the old image", "ascend-doctor.toml:7"),
            Known("1:00000000000000d4", "told upstream", "known.json:12", "2027-01-31"),
        ),
        expired=(Entry("not_found", "until the new image", "ascend-doctor.toml:12", "2026-01-31"),),
        stale=(Entry("numerics-loss 1:00000000000000e5", "flaky data", "known.json:20"),),
    ),
)
# Every fault is known.
KNOWN = replace(
    FULL,
    gate=Gate(
        known=tuple(
            Known(item.fingerprint, "known since long", "known.json:3")
            for item in (CAUSE, LESSER, _UNKNOWN)
        )
    ),
)


def _texts(words: st.SearchStrategy[str]) -> st.SearchStrategy[Texts]:
    steps = st.lists(words, max_size=2).map(tuple)
    return st.builds(Texts, words, words, steps, steps)


def reports(words: st.SearchStrategy[str]) -> st.SearchStrategy[Report]:
    """Return reports of which each text, path and name is one of ``words``."""
    maybe = st.none() | words
    lines, counts, ranks = st.integers(1, 10**9), st.integers(1, 99), st.integers(0, 10**5)
    both = st.fixed_dictionaries(dict.fromkeys(LANGS, words))
    mapping = st.dictionaries(words, words, max_size=2)
    places = st.lists(st.tuples(words, words), max_size=2).map(tuple)
    families = st.sampled_from(FAMILIES) | words
    number = st.none() | ranks
    names = st.sampled_from(["1:00000000000000a1", "1:00000000000000b2"])
    origins = st.builds(Origin, maybe, number, number, number)
    order = st.tuples(st.integers(0, 99), st.integers(0, 9))
    around, match = st.lists(words, max_size=2).map(tuple), st.none() | order
    evidence = st.builds(
        Evidence, words, lines, words, order, maybe, words, maybe, origins, around, around, match
    )
    consequences = st.builds(
        Consequence, words, families, st.sampled_from(ROLES), both, counts, evidence
    )
    diagnoses = st.builds(
        Diagnosis,
        position=counts,
        rule=words,
        family=families,
        severity=st.sampled_from(Severity),
        confidence=st.sampled_from(["low", "medium", "high"]),
        role=st.sampled_from(ROLES),
        provenance=st.lists(words, max_size=2).map(tuple),
        texts=st.fixed_dictionaries(dict.fromkeys(LANGS, _texts(words))),
        remedies=st.lists(st.tuples(words, mapping), max_size=1).map(tuple),
        captures=mapping,
        codes=st.lists(words, max_size=2).map(tuple),
        evidence=st.lists(evidence, min_size=1, max_size=3).map(tuple),
        location=st.none() | st.builds(Location, words, ranks, words),
        origin=origins,
        first_seen=maybe,
        last_seen=maybe,
        count=counts,
        processes=counts,
        ranks=st.lists(ranks, max_size=2).map(tuple),
        consequences=st.lists(consequences, max_size=2).map(tuple),
        fingerprint=names,
    )
    told = st.builds(
        Note,
        st.just("rows_unread"),
        st.fixed_dictionaries({"count": words, "line": words}),
    ) | st.just(Note("no_steps"))
    notes = st.lists(st.tuples(words, told), max_size=2).map(tuple)
    coverage = st.builds(
        Coverage,
        files=st.integers(0, 9),
        bytes=ranks,
        lines=ranks,
        by_kind=st.dictionaries(words, counts, max_size=2),
        levels=st.lists(words, max_size=2).map(tuple),
        time_range=st.none() | st.tuples(words, words),
        skipped=places,
        broken=places,
        notes=notes,
        interrupted=st.booleans(),
        unread=st.integers(0, 9),
        slice=st.none() | st.builds(Slice, maybe, maybe, maybe, ranks, ranks),
    )
    activities = st.builds(
        Activity,
        position=counts,
        rule=words,
        role=st.sampled_from(ROLES),
        severity=st.sampled_from(Severity),
        origin=origins,
        source=words,
        count=counts,
        first_seen=st.none() | words | TIMES,
        last_seen=st.none() | words | TIMES,
    )
    steps = st.fixed_dictionaries(dict.fromkeys(LANGS, st.lists(words, max_size=2).map(tuple)))
    codes = st.builds(
        CodeMet,
        code=words,
        table=words | st.sampled_from(["acl", "hccl"]),
        name=words,
        family=families,
        count=counts,
        first=evidence,
        means=both,
        causes=steps,
        next=steps,
        is_full=st.booleans(),
    )
    amounts = st.floats(0, 1e6)
    parts = st.dictionaries(st.sampled_from(PARTS), amounts).map(
        lambda told: {part: told[part] for part in PARTS if part in told}
    )
    positions = st.lists(counts, max_size=2).map(tuple)
    bars = st.builds(
        Bar, words, words, counts, amounts, parts, st.builds(Place, words, lines), positions
    )
    tracks = st.builds(
        Track,
        profile=words,
        rank=number,
        device=maybe,
        steps=counts,
        total_ms=amounts,
        parts=parts,
        bars=st.lists(bars, min_size=1, max_size=3).map(tuple),
        positions=positions,
        is_average=st.booleans(),
    )
    breakdowns = st.builds(Breakdown, st.lists(tracks, max_size=2).map(tuple), st.integers(0, 9))
    entries = st.lists(st.builds(Entry, words, words, words, maybe), max_size=2).map(tuple)
    gates = st.builds(
        Gate,
        fail_on=st.sampled_from(get_args(FailOn)),
        is_strict=st.booleans(),
        hidden=st.lists(
            st.builds(Hidden, words, families, st.sampled_from(Severity), counts, words), max_size=2
        ).map(tuple),
        # Of the names that diagnoses have, so that some are known.
        known=st.lists(st.builds(Known, names, words, words, maybe), max_size=2).map(tuple),
        expired=entries,
        stale=entries,
    )
    return st.builds(
        # Its types are not all known where it stands, and hypothesis would look for them.
        lambda **told: Report(**told),
        rules_digest=words,
        diagnoses=st.lists(diagnoses, max_size=3).map(tuple),
        unexplained=st.lists(
            st.builds(Unexplained, words, words, counts, evidence, names), max_size=2
        ).map(tuple),
        environment=mapping,
        coverage=coverage,
        families=st.dictionaries(families, both, max_size=2),
        version=words,
        timeline=st.builds(
            Timeline, st.lists(activities, max_size=3).map(tuple), st.integers(0, 9)
        ),
        codes=st.lists(codes, max_size=2).map(tuple),
        is_redacted=st.booleans(),
        gate=gates,
        breakdown=breakdowns,
        roots=places,
        thresholds=st.dictionaries(words, st.floats(0, 1e9), max_size=2),
    )


# Bytes of names that are not UTF-8 come as lone halves of pairs.
ANYTHING = st.text(
    st.characters(exclude_categories=["Cs"])
    | st.characters(categories=["Cc", "Cf", "Zl", "Zp", "Po", "Sm"])
    | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF, categories=["Cs"]),
    max_size=12,
)
ANY_REPORT = reports(ANYTHING)
HOSTILE_REPORT = reports(
    st.sampled_from(HOSTILE)
    | st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=3).map("\n".join)
    | st.text(st.sampled_from("#[]:`<>&%|*_~!@$\\\r\n\x00\u2028 \tgroupERR/x0-="), max_size=30)
)
