"""Where fuzzing starts from: the samples, the examples of all rules, and what they are made of."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ascend_doctor import resources
from ascend_doctor.knowledge.index import load
from ascend_doctor.knowledge.load import load_yaml, rule_files
from tests.hostile.strings import ATTACKS

ROOT = Path(__file__).parent.parent
# What broke an invariant or was made to, a file each; `make fuzz` and the tests begin with these.
CORPUS = ROOT / "fuzz" / "corpus"
# Longer texts take longer and say no more: a window of the narrow scan has 256 bytes.
MAX_SEED = 4 << 10

# What readers of logs give a meaning to.
_MARKS = (
    *(b"\n", b"\r", b"\r\n", b"\x00", b"\t", b"\\n", b'\\"', b"\\u202e", b"\x1b[31m"),
    *(
        b'{"log":"',
        b'","stream":"stdout"}\n',
        b'{"message": "',
        b'"}',
        b"\xff\xfe",
        b"\x1b]0;x\x07",
    ),
    *(b"[ERROR] ", b"[INFO] GE(1,a):2026-03-04-05:00:00.000.000 ", b"[PID: 7] ", b"[rank3]: "),
    *(b"(worker pid=7, ip=1.2.3.4) ", b"  | ", b"| ", b"> ", b"2026-03-04 05:00:00,000 "),
    *(b"Traceback (most recent call last):\n", b'  File "a.py", line 1, in f\n', b"TraceBack (mo"),
    *(b"RuntimeError: ", b"EE1001: ", b"EZ9999: ", b"[Error]: ", b"ERR00100 ", b"code is 507018"),
    *(b" 12%|", b"loss: 1.5 ", b"grad_norm: nan ", b"step 3/9 ", b"\xe5\x86", b"\xd6\xd0"),
    *(b"\x1f\x8b", b"\xef\xbb\xbf"),
)


@cache
def seeds() -> tuple[bytes, ...]:
    """Return the texts to start from, in a stable order."""
    found = [path.read_bytes() for path in sorted(CORPUS.glob("*")) if path.is_file()]
    samples = sorted(path for path in (ROOT / "samples").rglob("*") if path.is_file())
    found += (path.read_bytes()[:MAX_SEED] for path in samples)
    for path in rule_files(resources.patterns()):
        examples = load_yaml(path)[1]["examples"]
        found += (example["log"].encode() for example in examples["match"])
        found += (text.encode() for text in examples["near"])
    return tuple(dict.fromkeys(found))


@cache
def pieces() -> tuple[bytes, ...]:
    """Return short texts that are worth being put in anywhere."""
    rules = load().rules.values()
    literals = (literal for rule in rules for variant in rule.match for literal in variant.literals)
    hostile = (attack.encode("utf-8", "surrogatepass") for attack in ATTACKS)
    return tuple(dict.fromkeys((*_MARKS, *hostile, *literals)))
