"""A redacted report tells of no person and no machine, and still of the failure."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import ascend_doctor
from ascend_doctor.knowledge import index
from ascend_doctor.records import LANGS, Evidence, Severity
from ascend_doctor.report import CodeMet, Diagnosis, Report
from ascend_doctor.reporters.identities import identities
from ascend_doctor.reporters.redaction import Pseudonyms, redact
from tests.hostile.reports import Forge, reports

TOKEN = "hf_abcdefghijklmnopqrstuvwx"  # made up

HIDDEN = [
    # people
    ("OSError: '/home/ann/run/a.pt' is gone", "OSError: '/home/user-1/run/a.pt' is gone"),
    ("open /Users/ann.lee/x failed", "open /Users/user-1/x failed"),
    (
        r"open C:\Users\ann\x and C:\\Users\\bob\\y",
        r"open C:\Users\user-1\x and C:\\Users\\user-2\\y",
    ),
    ("home/ann/train.log of ann", "home/user-1/train.log of user-1"),
    ("File /data/users/ann/t.py, ~bob/x", "File /data/users/user-1/t.py, ~user-2/x"),
    ("USER=ann HOME=/home/ann", "USER=user-1 HOME=/home/user-1"),
    ("username: ann; uid=1000(ann)", "username: user-1; uid=1000(user-1)"),
    ("no such user 'ann'", "no such user 'user-1'"),
    ("ask ann.lee+npu@mail.example.com", "ask email-1"),
    # people on machines
    ("[ann@gpu01 run]$ python t.py", "[user-1@host-1 run]$ python t.py"),
    ("root@alpha:/work# make", "user-1@host-1:/work# make"),
    ("ssh -p 22 ann@alpha ls; alpha is down", "ssh -p 22 user-1@host-1 ls; host-1 is down"),
    ("ann@gpu-7 has left", "user-1@host-1 has left"),
    # machines
    ("  host      : alpha.lab (rank: 3)", "  host      : host-1 (rank: 3)"),
    ("HOSTNAME=alpha MASTER_ADDR=beta", "HOSTNAME=host-1 MASTER_ADDR=host-2"),
    (
        "--master_addr alpha --rdzv-endpoint=beta:29500",
        "--master_addr host-1 --rdzv-endpoint=host-2:29500",
    ),
    ("failed to connect to [gpu01]:29500", "failed to connect to [host-1]:29500"),
    ("any address of (alpha, 29500); alpha", "any address of (host-1, 29500); host-1"),
    (
        "HTTPConnectionPool(host='api.corp.cn', port=443)",
        "HTTPConnectionPool(host='host-1', port=443)",
    ),
    ("gpu-7.corp.cn, then gpu-7, then GPU-7", "host-1, then host-1, then host-1"),
    ("a.corp.cn and b.corp.cn and a.corp.cn", "host-1 and host-2 and host-1"),
    ("tcp://alpha:6000 and file train_alpha.log", "tcp://host-1:6000 and file train_host-1.log"),
    ("node: pod-2-11 was lost", "node: host-1 was lost"),
    ("ip-10-0-0-7 does not answer", "host-1 does not answer"),
    # addresses
    ("listen on ip[10.30.4.21%enp67s0f5] port 60000", "listen on ip[ip-1%enp67s0f5] port 60000"),
    ("10.0.0.7:29500, 10.0.0.8/24, 10.0.0.7.", "ip-1:29500, ip-2/24, ip-1."),
    ("fe80::e8eb:d3ff:fe03:1%eth0, [2001:db8::7]:80", "ip-1%eth0, [ip-2]:80"),
    ("::ffff:10.4.0.7 closed", "ip-1 closed"),
    ("mac e8:eb:d3:03:00:01 or e8-eb-d3-03-00-01", "mac mac-1 or mac-2"),
    # secrets
    (f"login with {TOKEN} failed", "login with token-1 failed"),
    (f"https://ann:{TOKEN}@git.corp.cn/x.git", "https://user-1:token-1@host-1/x.git"),
    ("https://ann:pa55@git.corp.cn/x.git", "https://user-1:token-1@host-1/x.git"),
    ("Authorization: Bearer abc.def-123", "Authorization: Bearer token-1"),
    ("Authorization: Basic YW5uOnBhc3M=", "Authorization: Basic token-1"),
    ("DB_PASSWORD='pa55 word'", "DB_PASSWORD='token-1 word'"),
    ('{"password": "pa55", "api_key": "k-1-k"}', '{"password": "token-1", "api_key": "token-2"}'),
    ("--wandb-api-key 0a1b2c3d4e5f --x", "--wandb-api-key token-1 --x"),
    ("token=abcdefgh and access_token: abcdefgh12", "token=token-1 and access_token: token-2"),
    ("eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl", "token-1"),
    ("AKIAABCDEFGHIJKLMNOP, ghp_abcdefghijklmnop1234", "token-1, token-2"),
    ("obs?AccessKeyId=ABCDEFGH1234&Signature=aB%2F1=", "obs?AccessKeyId=token-1&Signature=token-2"),
    ("glpat-abcdefghijklmnopqrst", "token-1"),
]

# What looks like one and is none: hiding it would take from the message what it says.
NEAR = [
    "npu-smi 24.1.0.3 Version: 24.1.0.3",
    "driver version 25.0.0.1, torch==2.1.0.1, v1.2.3.4, CANN 8.0.0.1",
    "torch_npu 2.5.1.post1 with CANN 8.1.RC1, firmware 7.3.0.1.231",
    "bind to 127.0.0.1, 0.0.0.0, ::1, ::, localhost:8080, netmask 255.255.255.0",
    "999.1.1.1 and 1.2.3 and 1.2.3.4.5",
    "2026-01-02 03:04:05.678 [W602 09:41:09.180117642 a.cpp:164]",
    "2026-01-02-03:04:05.006.007, 26-04-21-03-18-24",
    "at::native::add, c10::Error, std::vector, ad::dec",
    "at 0x12c1c0080000, pc start: 0x1240c0080000, 0xe8ebd30300a1b2c3",
    "te_matmul_6c1f0e57a92b4d3388e1d07b5a4f92c6_high_performance_1",
    "memcpy@GLIBC_2.14 is missing, symbol@GLIBCXX_3.4.29",
    "error code is 507018, EI0006, ERR01003, 0x7110001, errNo[0x0000000005000004]",
    "port[60001], rank 3, device_id=0, stream_id=12",
    "max_tokens=4096, num_tokens: 512, pad_token='<pad>', eos_token=</s>, unk_token: [UNK]",
    "special_token=abcdefgh1, SyntaxError: invalid_token=foo, unexpected token: foo",
    "token_id: 5, token=32000, token: None, tokenizer=LlamaTokenizer",
    "password=, password: None, secret=****, password=$PASSWORD",
    "PWD=/data/run, authkey=process.current_process().authkey",
    "$HOME/ascend/log, ${HOME}/x, /home/, ~/x, /home/$USER/x",
    "https://www.hiascend.com/document, git+https://github.com/a/b",
    "node: MatMul_3, node_name:decoder/MatMul_7, host memory, host: memory",
    "torch.distributed.run, threading.local, self.net, model.cluster",
    "worker process, host side, server is busy, user error",
    "Files torch/_dynamo/convert_frame.py:964] and a.cc:1611",
    "[rank3]:12 and [a.cc:88] and (0, 29500)",
    "100% at 2.38 GiB of 60.96 GiB",
]


def hidden(text: str) -> str:
    names = Pseudonyms()
    names.learn(text)
    return names.hide(text)


@pytest.mark.parametrize(("text", "said"), HIDDEN)
def test_who_and_where_are_hidden(text, said):
    assert hidden(text) == said


@pytest.mark.parametrize("text", NEAR)
def test_what_the_message_says_stays(text):
    assert hidden(text) == text


def test_a_name_is_hidden_wherever_it_stands_once_it_is_known():
    names = Pseudonyms()
    for text in ("/home/ann/x", "HOSTNAME=alpha.lab-2.cn", "beta said"):
        names.learn(text)
    names.learn_host("beta")
    assert names.hide("run_ann_alpha, Ann, annual, BETA, beta2") == (
        "run_user-1_alpha, user-1, annual, host-2, beta2"
    )


@pytest.mark.parametrize(
    ("span", "said"),
    [
        ((0, 5), "/home"),
        ((6, 9), "user-1"),
        ((7, 8), "user-1"),
        ((10, 16), "10 lib"),
        ((10, 23), "10 lib of user-1"),
        ((16, 23), " of user-1"),
    ],
)
def test_what_matched_is_still_marked(span, said):
    names = Pseudonyms()
    text = names.learn("/home/ann 10 lib of ann.")
    start, end = names.moved((span[0], span[1]), text)
    assert names.hide(text)[start:end] == said


def test_accounts_that_half_of_the_world_has_are_hidden_only_where_they_are_accounts():
    assert hidden("/home/ascend/x: ascend error") == "/home/user-1/x: ascend error"
    assert hidden("/home/20417/x: pid 20417") == "/home/user-1/x: pid 20417"


def test_no_rule_says_what_would_be_hidden():
    said = {
        (rule.id, identity.value)
        for rule in index.load().rules.values()
        for lang in LANGS
        for texts in [rule.unfilled(lang)]
        for text in (texts.title, texts.cause, *texts.checks, *texts.fixes)
        for identity in identities(text)
    }
    # An example of an address in a command, "your card and address" beside it.
    assert said == {("communication-bind-address", "192.168.100.100")}


LOG = f"""\
ann@gpu-a01:~/run$ torchrun --master_addr 10.0.0.7 train.py --hub-token {TOKEN}
[rank3]: Traceback (most recent call last):
[rank3]:   File "/home/ann/run/train.py", line 31, in main
[rank3]: ImportError: /home/ann/libhccl.so: cannot open shared object file: No such file
[ERROR] FE(7,python3):2026-01-02-03:04:05.006.007 [a.cc:1]7 Run:ann@gpu-a01 met e8:eb:d3:03:00:01
[ERROR] FE(7,python3):2026-01-02-03:04:06.006.007 [a.cc:1]7 Run:mail ann@example.com, {TOKEN}
"""
SECRETS = ("ann", "gpu-a01", "e8:eb:d3:03:00:01", TOKEN, "example.com", "worker-17", "10.0.0.7")


def test_a_whole_report_is_redacted_alike_everywhere(tmp_path):
    folder = tmp_path / "worker-17"
    folder.mkdir()
    (folder / "ann-gpu-a01.log").write_text(LOG, encoding="utf-8")
    (folder / "gpu-a01.core").write_bytes(bytes(99))
    report = ascend_doctor.analyze(tmp_path)
    redacted = redact(report)
    [diagnosis] = redacted.diagnoses
    [first, second] = redacted.unexplained
    assert [(e.path, e.line, e.text, e.origin.node) for e in diagnosis.evidence] == [
        (
            "host-1/user-1-host-2.log",
            4,
            "ImportError: /home/user-1/libhccl.so: cannot open shared object file: No such file",
            "host-1",
        )
    ]
    assert (diagnosis.location.file, diagnosis.origin.node) == (
        "/home/user-1/run/train.py",
        "host-1",
    )
    assert first.first.text.endswith("Run:user-1@host-2 met mac-1")
    assert second.first.text.endswith("Run:mail email-1, token-1")
    assert redacted.coverage.skipped == (("host-1/host-2.core", "binary"),)
    assert [d.fingerprint for d in redacted.diagnoses] == [d.fingerprint for d in report.diagnoses]
    assert redact(redacted) == redacted
    for reporter in ("json", "text", "markdown"):
        said = import_module(f"ascend_doctor.reporters.{reporter}").render(redacted)
        assert [secret for secret in SECRETS if re.search(rf"\b{re.escape(secret)}\b", said)] == []


_letters = st.from_regex(r"[a-z]{2}[a-z0-9]{3,9}", fullmatch=True)
_SHAPES = {
    "/home/{}/x.py": _letters,
    "HOSTNAME={}": _letters,
    "tcp://{}:6000": _letters,
    "password={}": _letters,
    "x {} y": st.one_of(
        st.ip_addresses(network="10.0.0.0/8").map(str),
        st.ip_addresses(network="fd00:7::/32").map(str),
        st.emails().filter(lambda mail: re.fullmatch(r"[a-z0-9.]+@[a-z0-9.]+\.[a-z]+", mail)),
        st.from_regex(r"ghp_[A-Za-z0-9]{20}", fullmatch=True),
        st.lists(st.from_regex(r"[0-9a-f]{2}", fullmatch=True), min_size=6, max_size=6).map(
            ":".join
        ),
    ),
}


@st.composite
def secrets(draw: st.DrawFn) -> tuple[str, str]:
    shape = draw(st.sampled_from(sorted(_SHAPES)))
    secret = draw(_SHAPES[shape])
    return secret, shape.format(secret)


def _report(texts: list[str]) -> Report:
    """Return a report with the texts wherever it repeats a log or its path."""
    report = Forge(texts).report([Severity.ERROR, Severity.INFO])

    def plain(item: Evidence) -> Evidence:
        return replace(item, time=None, level="ERROR", module="GE")

    def diagnosis(item: Diagnosis) -> Diagnosis:
        return replace(
            item,
            rule="a-b",
            family="numerics",
            first_seen=None,
            last_seen=None,
            captures=dict.fromkeys(("reason",), *item.captures.values()),
            remedies=(("a", dict.fromkeys(("b",), *item.remedies[0][1].values())),),
            evidence=tuple(map(plain, item.evidence)),
            consequences=tuple(
                replace(c, rule="a-b", family="numerics", evidence=plain(c.evidence))
                for c in item.consequences
            ),
        )

    return replace(
        report,
        rules_digest="",
        families={},
        diagnoses=tuple(map(diagnosis, report.diagnoses)),
        unexplained=tuple(
            replace(u, level="ERROR", first=plain(u.first)) for u in report.unexplained
        ),
        timeline=replace(
            report.timeline,
            activities=tuple(
                replace(a, rule="a-b", first_seen=None, last_seen=None)
                for a in report.timeline.activities
            ),
        ),
        codes=tuple(
            CodeMet("E", "acl", "x", "numerics", 1, plain(c.first), *({"en": "", "zh": ""},) * 3)
            for c in report.codes
        ),
        environment=dict.fromkeys(("cann",), *report.environment.values()),
        coverage=replace(report.coverage, by_kind={"plog": 1}, levels=(), time_range=None),
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(secrets(), min_size=1, max_size=6), st.sampled_from(LANGS))
def test_no_secret_of_a_report_is_in_any_output(found, lang):
    redacted = redact(_report([text for _, text in found]))
    for reporter in ("json", "text", "markdown"):
        said = import_module(f"ascend_doctor.reporters.{reporter}").render(redacted, lang)
        words = {w.lower() for w in re.findall(r"[A-Za-z0-9]+(?:[.:_@-]+[A-Za-z0-9]+)*", said)}
        assert [secret for secret, _ in found if secret.lower() in words] == []


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(reports)
def test_a_redacted_report_has_the_same_shape(report):
    redacted = redact(report)
    assert [(d.rule, d.count, [e.line for e in d.evidence]) for d in redacted.diagnoses] == [
        (d.rule, d.count, [e.line for e in d.evidence]) for d in report.diagnoses
    ]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_text_can_be_redacted(text):
    found = identities(text)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(text[i.start : i.end] == i.value for i in found)


@pytest.mark.parametrize("text", ["a" * 5000, "a." * 2500, "a-" * 2500, "1:" * 2500, "@" * 5000])
def test_long_words_take_no_time(text):
    # Quadratic work of this size would take minutes under the limit that a test has.
    assert hidden(text) == text
