"""What caused what: in a process, in a rank, in a job."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ascend_doctor.diagnosis.diagnose import diagnose
from ascend_doctor.diagnosis.fingerprint import fingerprint
from ascend_doctor.facts import Facts
from ascend_doctor.knowledge import index
from ascend_doctor.knowledge.rule import Texts
from ascend_doctor.records import Evidence, Location, Origin, Severity
from ascend_doctor.report import Consequence, Coverage, Diagnosis, Unexplained
from tests.rulesets import knowledge, rule, scanned


def edge(what: str, scope: str, within_s: int | None = None) -> dict[str, object]:
    return {"what": what, "scope": scope, "within_s": within_s}


RULES = [
    rule("buffer-oom-pool", "pool is full", severity="fatal"),
    rule("buffer-oom-pond", "pond is full"),
    rule("buffer-oom-puddle", "the puddle is dry", severity="warning"),
    rule("not-found-lib", "lib is missing"),
    rule("not-found-guess", "lib may be missing", severity="fatal", confidence="low"),
    rule("dataload-slow", "loader is slow", severity="warning"),
    rule("static-fallback-cut", "graph was cut", severity="info"),
    rule("runtime-misuse-noise", "null is noise", role="notice", severity="info"),
    rule("communication-wait-peer", "peer is gone", role="consequence", severity="fatal"),
    rule("communication-wait-notify", "notify timed out"),
    rule("communication-wait-socket", "socket timed out"),
    rule("framework-error-call", "call has failed", role="wrapper"),
    rule("framework-error-value", "value is bad"),
    rule(
        "kernel-fault-core",
        "core has died",
        explains=[
            edge("numerics-nan", "process"),
            edge("host-resource-disk", "rank"),
            edge("device_fault", "job", 60),
        ],
    ),
    rule("numerics-nan", "loss is nan"),
    rule("host-resource-disk", "disk is full"),
    rule("device-fault-lost", "card is lost", explains=[edge("compile-error-*", "job")]),
    rule("compile-error-op", "op is unknown", explains=[edge("host-resource-disk", "job")]),
    rule("invalid-param-device", "device is wrong", excludes={"process": ["device was found"]}),
    rule("invalid-param-graph", "graph is wrong", requires={"process": ["graph was begun"]}),
    rule("invalid-param-shape", "shape is odd", outvoted_by="invalid-param-even"),
    rule("invalid-param-even", "shape is even", role="notice", severity="info"),
]


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return knowledge(tmp_path_factory.mktemp("rules"), *RULES)


def plog(second: int, text: str, pid: int = 7, level: str = "ERROR") -> str:
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    return f"[{level}] GE({pid},py):2026-03-04-{clock}.000.000 [a.cc:1]{pid} {text}\n"


def told(known, files: dict[str, str] | str) -> list[tuple[str, ...]]:
    """Return the rule of each diagnosis, each with those of its consequences."""
    if isinstance(files, str):
        files = {"run.log": files}
    report = diagnose(scanned(known, files), known)
    return [(d.rule, *(c.rule for c in d.consequences)) for d in report.diagnoses]


def test_a_diagnosis_says_all_that_its_rule_and_its_log_say(known):
    text = (
        "[rank3]: Traceback (most recent call last):\n"
        '[rank3]:   File "/app/train.py", line 31, in main\n'
        "[rank3]: RuntimeError: pool is full, error code is 507018\n"
        "[rank3]: [ERROR] 2026-03-04-00:00:05 (PID:7, Device:1, RankID:3) ERR00100 PTA x\n"
        "[rank3]: INFO: next\n"
        "[rank3]: RuntimeError: pool is full\n"
    )
    report = diagnose(scanned(known, {"run.log": text}), known)
    origin = Origin(rank=3, device=1, pid=7)
    first = Evidence(
        "run.log",
        3,
        "RuntimeError: pool is full, error code is 507018",
        (1, 0),
        "2026-03-04T00:00:05.000000",
        "ERROR",
        None,
        origin,
    )
    again = Evidence(
        "run.log", 6, "RuntimeError: pool is full", (6, 0), None, "ERROR", None, Origin(rank=3)
    )
    assert report.diagnoses == (
        Diagnosis(
            position=1,
            rule="buffer-oom-pool",
            family="buffer_oom",
            severity=Severity.FATAL,
            confidence="high",
            role="cause",
            provenance=("upstream",),
            texts={
                "en": Texts(
                    "Title of buffer-oom-pool", "Cause of buffer-oom-pool", (), ("Mend it.",)
                ),
                "zh": Texts("标题之 buffer-oom-pool", "原因之 buffer-oom-pool", (), ("修好它。",)),
            },
            remedies=(),
            captures={},
            codes=("507018", "ERR00100"),
            evidence=(first, again),
            location=Location("/app/train.py", 31, "main"),
            origin=origin,
            first_seen="2026-03-04T00:00:05.000000",
            last_seen="2026-03-04T00:00:05.000000",
            count=2,
            processes=1,
            ranks=(3,),
            fingerprint=fingerprint("buffer-oom-pool", first),
        ),
    )
    assert (report.status, report.worst, report.rules_digest) == (
        "problem",
        Severity.FATAL,
        known.digest,
    )
    assert report.coverage == Coverage(
        1, len(text), 6, {"stdout": 1}, ("ERROR",), ("2026-03-04T00:00:05",) * 2, (), ()
    )


def test_a_clean_log_is_clean(known):
    report = diagnose(scanned(known, {"run.log": "step 1\nstep 2\n"}), known)
    assert (report.diagnoses, report.unexplained, report.status) == ((), (), "clean")


def test_remarks_alone_are_clean(known):
    text = plog(1, "graph was cut") + plog(2, "null is noise")
    report = diagnose(scanned(known, {"run.log": text}), known)
    assert [(d.rule, d.severity) for d in report.diagnoses] == [
        ("static-fallback-cut", Severity.INFO),
        ("runtime-misuse-noise", Severity.INFO),
    ]
    assert (report.status, report.worst) == ("clean", Severity.INFO)


def test_errors_that_nothing_knows_are_told(known):
    text = plog(2, "foo 17 broke") + plog(1, "foo 18 broke") + plog(3, "bar broke")
    report = diagnose(scanned(known, {"b.log": text, "a.log": plog(9, "foo 19 broke")}), known)
    lines = text.splitlines()
    assert [
        (u.level, u.count, u.first.path, u.first.line, u.first.text) for u in report.unexplained
    ] == [
        ("ERROR", 3, "b.log", 1, lines[0]),
        ("ERROR", 1, "b.log", 3, lines[2]),
    ]
    assert isinstance(report.unexplained[0], Unexplained)
    assert report.status == "unexplained"


def test_the_first_error_outranks_the_loudest(known):
    text = plog(1, "lib is missing") + plog(2, "pool is full") * 50
    assert told(known, text) == [("not-found-lib",), ("buffer-oom-pool",)]


def test_the_order_of_lines_decides_where_no_time_is_known(known):
    assert told(known, "ERROR: pool is full\nERROR: lib is missing\n") == [
        ("buffer-oom-pool",),
        ("not-found-lib",),
    ]
    assert told(known, "ERROR: lib is missing\nERROR: pool is full\n") == [
        ("not-found-lib",),
        ("buffer-oom-pool",),
    ]


def test_an_earlier_line_without_a_time_outranks_a_later_one_with_a_time(known):
    text = "ERROR: pool is full\n" + plog(1, "lib is missing")
    assert told(known, text) == [("buffer-oom-pool",), ("not-found-lib",)]


def test_a_warning_never_comes_before_what_stopped_the_job(known):
    text = plog(1, "loader is slow") + plog(2, "pool is full")
    assert told(known, text) == [("buffer-oom-pool",), ("dataload-slow",)]
    assert told(
        known, {"a.log": plog(1, "loader is slow"), "b.log": plog(2, "pool is full", 8)}
    ) == [
        ("buffer-oom-pool",),
        ("dataload-slow",),
    ]


def test_a_warning_comes_after_an_unsure_error_too(known):
    text = plog(1, "loader is slow") + plog(2, "lib may be missing")
    assert told(known, text) == [("not-found-guess",), ("dataload-slow",)]


def test_a_sure_cause_comes_before_an_unsure_one(known):
    text = plog(1, "lib may be missing") + plog(2, "pool is full")
    assert told(known, text) == [("buffer-oom-pool",), ("not-found-guess",)]


def test_consequences_and_wrappers_are_folded_into_the_cause_of_their_process(known):
    text = plog(1, "call has failed") + plog(2, "peer is gone") + plog(3, "lib is missing")
    assert told(known, text) == [
        ("not-found-lib", "framework-error-call", "communication-wait-peer")
    ]


def test_a_consequence_is_told_where_nothing_better_is_known(known):
    report = diagnose(scanned(known, {"run.log": plog(1, "peer is gone")}), known)
    assert [(d.rule, d.role, d.confidence) for d in report.diagnoses] == [
        ("communication-wait-peer", "consequence", "low")
    ]


def test_a_consequence_is_told_rather_than_the_wrapper_around_it(known):
    text = plog(1, "call has failed") + plog(2, "peer is gone")
    assert told(known, text) == [("communication-wait-peer", "framework-error-call")]


def test_a_remark_does_not_swallow_an_error(known):
    text = plog(1, "graph was cut") + plog(2, "peer is gone")
    assert told(known, text)[0][0] == "communication-wait-peer"


def test_of_two_causes_in_one_message_the_earlier_listed_is_told_once(known):
    text = "ERROR: core has died, disk is full\n"
    report = diagnose(scanned(known, {"run.log": text}), known)
    assert [(d.rule, *(c.rule for c in d.consequences)) for d in report.diagnoses] == [
        ("kernel-fault-core", "host-resource-disk")
    ]


def test_one_family_is_one_diagnosis_unless_the_later_is_worse(known):
    assert told(known, plog(1, "pool is full") + plog(2, "pond is full")) == [
        ("buffer-oom-pool", "buffer-oom-pond")
    ]
    assert told(known, plog(1, "pond is full") + plog(2, "pool is full")) == [
        ("buffer-oom-pond",),
        ("buffer-oom-pool",),
    ]


def test_what_followed_is_kept_with_its_proof(known):
    text = plog(1, "pool is full") + plog(2, "pond is full") + plog(3, "pond is full")
    report = diagnose(scanned(known, {"run.log": text}), known)
    assert report.diagnoses[0].consequences == (
        Consequence(
            rule="buffer-oom-pond",
            family="buffer_oom",
            role="cause",
            title={"en": "Title of buffer-oom-pond", "zh": "标题之 buffer-oom-pond"},
            count=2,
            evidence=Evidence(
                "run.log",
                2,
                text.splitlines()[1],
                (2, 0),
                "2026-03-04T00:00:02.000000",
                "ERROR",
                "GE",
                Origin(pid=7),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"a.log": plog(1, "core has died") + plog(2, "loss is nan")},
            [("kernel-fault-core", "numerics-nan")],
        ),
        (
            {"a.log": plog(1, "core has died"), "b.log": plog(2, "loss is nan", 8)},
            [("kernel-fault-core",), ("numerics-nan",)],
        ),
        (
            {"rank_0/a.log": plog(1, "core has died"), "rank_0/b.log": plog(2, "disk is full", 8)},
            [("kernel-fault-core", "host-resource-disk")],
        ),
        (
            {"rank_0/a.log": plog(1, "core has died"), "rank_1/b.log": plog(2, "disk is full", 8)},
            [("kernel-fault-core",), ("host-resource-disk",)],
        ),
        (
            {"rank_0/a.log": plog(1, "core has died"), "rank_1/b.log": plog(2, "card is lost", 8)},
            [("kernel-fault-core", "device-fault-lost")],
        ),
    ],
    ids=["process", "other-process", "rank", "other-rank", "job"],
)
def test_a_cause_explains_within_its_scope(known, files, expected):
    assert told(known, files) == expected


@pytest.mark.parametrize(
    ("second", "follows"),
    [(100, True), (160, True), (161, False), (95, True), (94, False), (40, False)],
)
def test_a_follow_up_comes_within_its_time_clock_skew_allowed(known, second, follows):
    files = {"a.log": plog(100, "core has died"), "b.log": plog(second, "card is lost", 8)}
    found = [("kernel-fault-core", "device-fault-lost")]
    apart = [("device-fault-lost",), ("kernel-fault-core",)]
    assert told(known, files) == (found if follows else apart if second < 100 else apart[::-1])


def test_a_follow_up_without_a_time_may_have_followed(known):
    files = {"a.log": plog(100, "core has died"), "b.log": "ERROR: card is lost\n"}
    assert told(known, files) == [("kernel-fault-core", "device-fault-lost")]


def test_a_dead_rank_explains_why_its_peers_wait(known):
    files = {
        "rank_0/run.log": plog(100, "notify timed out", 10),
        "rank_1/run.log": plog(40, "pool is full", 11),
        "rank_2/run.log": plog(101, "notify timed out", 12),
    }
    assert told(known, files) == [("buffer-oom-pool", "communication-wait-notify")]


def test_a_chain_over_three_processes_is_told_from_its_root(known):
    files = {
        "a.log": plog(1, "card is lost", 10),
        "b.log": plog(2, "op is unknown", 11),
        "c.log": plog(3, "disk is full", 12),
    }
    assert told(known, files) == [("device-fault-lost", "compile-error-op", "host-resource-disk")]


def test_of_two_that_explain_each_other_the_first_is_the_root(known):
    files = {
        "a.log": plog(1, "socket timed out", 10),
        "b.log": plog(2, "notify timed out", 11),
    }
    assert told(known, files) == [("communication-wait-socket", "communication-wait-notify")]


def test_one_rule_on_two_ranks_is_one_diagnosis_with_both(known):
    files = {
        "rank_1/run.log": plog(5, "pool is full", 21) * 2,
        "rank_0/run.log": plog(6, "pool is full", 20),
    }
    report = diagnose(scanned(known, files), known)
    assert [
        (d.rule, d.ranks, d.processes, d.count, d.origin, d.first_seen, d.last_seen)
        for d in report.diagnoses
    ] == [
        (
            "buffer-oom-pool",
            (0, 1),
            2,
            3,
            Origin(rank=1, pid=21),
            "2026-03-04T00:00:05.000000",
            "2026-03-04T00:00:06.000000",
        )
    ]


def test_ranks_of_one_file_have_causes_of_their_own(known):
    text = "[rank0]: ERROR: pool is full\n[rank1]: ERROR: lib is missing\n"
    assert told(known, text) == [("buffer-oom-pool",), ("not-found-lib",)]
    text = "[rank0]: ERROR: pool is full\n[rank1]: ERROR: pond is full\n"
    assert told(known, text) == [("buffer-oom-pool",), ("buffer-oom-pond",)]


def test_a_pid_of_one_rank_does_not_claim_the_lines_of_another(known):
    text = (
        "[rank0]: RuntimeError: pool is full\n"
        "[rank0]: [ERROR] 2026-03-04-00:00:05 (PID:7, Device:0, RankID:0) ERR00100 PTA x\n"
        "[rank1]: RuntimeError: pond is full\n"
    )
    assert told(known, text) == [("buffer-oom-pool",), ("buffer-oom-pond",)]


def test_a_file_with_one_pid_belongs_to_that_process(known):
    files = {
        "stdout.log": "ERROR: loss is nan\n" + plog(2, "lib is missing", 7),
        "plog-7.log": plog(1, "core has died", 7),
    }
    assert told(known, files) == [("kernel-fault-core", "numerics-nan"), ("not-found-lib",)]


def test_a_file_with_two_pids_belongs_to_neither(known):
    files = {
        "stdout.log": "ERROR: loss is nan\n"
        + plog(2, "lib is missing", 7)
        + plog(3, "pond is full", 8),
        "plog-7.log": plog(1, "core has died", 7),
    }
    assert ("numerics-nan",) in told(known, files)


def test_a_process_with_the_decoys_sign_does_not_have_the_fault(known):
    files = {
        "a.log": plog(1, "device is wrong", 7) + plog(2, "device was found", 7, "INFO"),
        "b.log": plog(3, "device is wrong", 8),
    }
    report = diagnose(scanned(known, files), known)
    assert [(d.rule, d.count, d.origin) for d in report.diagnoses] == [
        ("invalid-param-device", 1, Origin(pid=8))
    ]


def test_a_sign_without_a_pid_counts_for_the_one_pid_of_its_file(known):
    text = "INFO: device was found\n" + plog(1, "device is wrong")
    assert told(known, text) == []
    text = "INFO: graph was begun\n" + plog(1, "graph is wrong")
    assert told(known, text) == [("invalid-param-graph",)]


def test_a_rule_may_require_a_sign_in_its_process(known):
    begun = plog(1, "graph was begun", 7, "INFO")
    assert told(known, begun + plog(2, "graph is wrong", 7)) == [("invalid-param-graph",)]
    assert told(known, begun + plog(2, "graph is wrong", 8)) == []
    assert told(known, {"a.log": begun, "b.log": plog(2, "graph is wrong", 7)}) == [
        ("invalid-param-graph",)
    ]


@pytest.mark.parametrize(
    ("odd", "even", "expected"),
    [
        (1, 0, [("invalid-param-shape",)]),
        (2, 2, [("invalid-param-shape",), ("invalid-param-even",)]),
        (2, 3, [("invalid-param-even",)]),
    ],
)
def test_a_rule_may_be_outvoted_by_another(known, odd, even, expected):
    text = plog(1, "shape is odd") * odd + plog(2, "shape is even") * even
    assert told(known, text) == expected


def test_a_code_with_a_page_is_told_with_its_usual_causes(known):
    page = index.load().pages["acl"]["507018"]
    known = replace(known, pages={"acl": {"507018": page}})
    [found] = diagnose(
        scanned(known, {"a.log": plog(1, "odd, error code is 507018")}), known
    ).diagnoses
    en, zh = found.texts["en"], found.texts["zh"]
    assert (en.cause, zh.cause) == (page.means["en"], page.means["zh"])
    assert (en.fixes, zh.fixes) == (page.next["en"], page.next["zh"])
    assert en.checks[0] == f"Does this fit? {page.causes['en'][0]}"
    assert zh.checks[0] == f"是否属于这种情况：{page.causes['zh'][0]}"


def test_a_code_is_told_where_no_rule_tells_a_cause(known):
    text = plog(1, "peer is gone") + plog(2, "odd, error code is 507018") + plog(3, "EE1001: bad")
    report = diagnose(scanned(known, {"run.log": text}), known)
    [found] = report.diagnoses
    row = known.codes.row("acl", "507018")
    assert (found.rule, found.family, found.severity, found.confidence, found.codes) == (
        "code-acl-507018",
        row.family,
        Severity.ERROR,
        "low",
        ("507018", "EE1001"),
    )
    assert found.texts == {
        "en": Texts(
            f"An AI CPU operator failed while running (507018 {row.name})",
            row.meaning["en"],
            (),
            known.families[row.family].next["en"],
        ),
        "zh": Texts(
            f"AI CPU 算子执行异常（507018 {row.name}）",
            row.meaning["zh"],
            (),
            known.families[row.family].next["zh"],
        ),
    }
    assert [(e.line, e.text) for e in found.evidence] == [(2, text.splitlines()[1])]
    assert [c.rule for c in found.consequences] == ["communication-wait-peer"]


def test_a_code_is_not_told_beside_a_cause(known):
    text = plog(1, "odd, error code is 507018") + plog(2, "lib is missing")
    report = diagnose(scanned(known, {"run.log": text}), known)
    assert [(d.rule, d.codes) for d in report.diagnoses] == [("not-found-lib", ("507018",))]


def test_the_code_of_a_disproved_finding_is_not_told(known):
    text = plog(1, "device is wrong, error code is 107001") + plog(2, "device was found")
    assert told(known, text) == []


def test_a_code_that_names_the_fault_is_told_rather_than_one_of_a_layer(known):
    text = plog(1, "ERR00100 PTA") + plog(2, "odd, error code is 507018")
    assert told(known, text) == [("code-acl-507018",)]


LINES = [
    "pool is full",
    "pond is full",
    "peer is gone",
    "call has failed",
    "core has died",
    "card is lost",
    "disk is full",
    "loss is nan",
    "notify timed out",
    "socket timed out",
    "null is noise",
    "odd 3 times",
    "odd, error code is 507018",
    "EE1001: bad",
    "device is wrong",
    "device was found",
]
writers = st.tuples(st.integers(0, 90), st.sampled_from(LINES), st.sampled_from([None, 7, 8, 9]))
files = st.dictionaries(
    st.sampled_from(["a.log", "rank_0/b.log", "rank_1/b.log", "node-2/rank_1/c.log"]),
    st.lists(writers, max_size=6),
    max_size=4,
)


def written(second: int, text: str, pid: int | None) -> str:
    return f"ERROR: {text}\n" if pid is None else plog(second, text, pid)


@settings(max_examples=150, deadline=None)
@given(files, st.randoms(use_true_random=False))
def test_the_order_of_merging_does_not_change_the_report(known, files, order):
    texts = {path: "".join(written(*line) for line in lines) for path, lines in files.items()}
    facts = scanned(known, texts)
    parts = [Facts(facts.digest, {path: shard}) for path, shard in facts.shards.items()]
    parts += [Facts(facts.digest, {}, facts.skipped), *order.sample(parts, len(parts) // 2)]
    order.shuffle(parts)
    merged = reduce(Facts.merge, parts, Facts(facts.digest))
    assert diagnose(merged, known) == diagnose(facts, known)


@settings(max_examples=150, deadline=None)
@given(files)
def test_nothing_that_was_found_is_lost(known, files):
    texts = {path: "".join(written(*line) for line in lines) for path, lines in files.items()}
    facts = scanned(known, texts)
    report = diagnose(facts, known)
    named = {d.rule for d in report.diagnoses}
    named |= {c.rule for d in report.diagnoses for c in d.consequences}
    found = {f.rule for shard in facts.shards.values() for f in shard.findings}
    assert named >= found - {"invalid-param-device"}
    assert bool(report.diagnoses) or not found - {"invalid-param-device"}


def test_a_headline_takes_from_what_it_explains_only_what_its_rule_asks_for(tmp_path):
    fault = rule(
        "kernel-fault-named",
        "kernel broke",
        regex=r"broke: (?P<kernel>\w+)(?: on (?P<device>\d))?",
        captures={"kernel": "ident", "device": "int", "reason": "text", "core": "int"},
        from_followed=["reason", "core"],
    )
    reason = rule(
        "kernel-fault-reason",
        "core reports",
        regex=r"reports (?P<reason>\w+) of (?P<device>\d)",
        captures={"reason": "text", "device": "int"},
        role="consequence",
    )
    known = knowledge(tmp_path, fault, reason)
    text = plog(1, "core reports overflow of 7") + plog(2, "kernel broke: MatMul")
    report = diagnose(scanned(known, text_of(text)), known)
    assert [d.captures for d in report.diagnoses] == [{"kernel": "MatMul", "reason": "overflow"}]


def test_a_later_place_of_the_same_rule_says_what_the_first_left_out(tmp_path):
    fault = rule(
        "kernel-fault-named",
        "kernel broke",
        regex=r"broke: (?P<kernel>\w+)(?: on (?P<device>\d))?",
        captures={"kernel": "ident", "device": "int"},
    )
    known = knowledge(tmp_path, fault)
    text = (
        plog(1, "kernel broke: MatMul")
        + plog(2, "kernel broke: Add on 5")
        + plog(3, "kernel broke: MatMul on 3")
    )
    report = diagnose(scanned(known, text_of(text)), known)
    assert [d.captures for d in report.diagnoses] == [{"kernel": "MatMul", "device": "3"}]


def text_of(text: str) -> dict[str, str]:
    return {"run.log": text}
