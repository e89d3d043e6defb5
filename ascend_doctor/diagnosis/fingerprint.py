"""Names for failures that stay the same from run to run.

A fingerprint tells one known failure from another in baselines and code-quality services. It is
made of the rule and of the template of the deciding line: that line without what differs from run
to run, such as process ids, times, folders, hosts, addresses and numbers.
"""

from __future__ import annotations

import hashlib
import re

from ascend_doctor.records import Evidence

# Stands before each fingerprint; another way of making templates gets another one.
VERSION = "1"
# Characters of a line that are looked at, and of its template that count.
_MAX_TEXT = 2000
_MAX_TEMPLATE = 400

_MONTH = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_DAY = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)*"
_ZONE = r"(?: ?(?:Z|UTC|[+-]\d\d:?\d\d)(?![A-Za-z0-9]))?"
# Files of code are part of what a message says; those of data are not.
_CODE_FILE = re.compile(r"[\w.+-]+\.(?:so(?:\.\d+)*|py|cc|cpp|cxx|c|h|hpp|ts|cu)(?![\w.])")

_DATE = rf"(?:(?:{_DAY}),? )?(?:{_MONTH}) +\d{{1,2}},?(?: \d{{4}})?"
_IN_PATH = r"[\w.~+@%-]*[/\\]"
_HOST_KEY = r"host_?name|host|server|peer|addr|address|node_?name"
_UNIT = r"(?: ?(?:[KMGTPE]i?B|bytes|[Bsmu]|[mun]s)(?![A-Za-z0-9]))?"

# What varies, in the order in which it is tried.
_VARYING = re.compile(
    "|".join(
        (
            # Codes of the error manager and of torch_npu are names.
            r"(?P<keep>(?<![A-Za-z0-9])(?:E[A-Z0-9]\d{4}|ERR\d{5})(?![A-Za-z0-9]))",
            # The name of the process in the head of a plog line.
            r"(?P<process>(?<=\w)\(\d+,[^()]{0,64}\):)",
            rf"(?P<time>\d{{4}}[-/]\d\d[-/]\d\d[-T ]{_CLOCK}{_ZONE}"
            rf"|(?<![A-Za-z]){_DATE} {_CLOCK}{_ZONE}(?: \d{{4}})?"
            r"|(?<![\w:])\d\d:\d\d:\d\d(?:[.,]\d+)*(?![\w:]))",
            r"(?P<url>\b[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"<>]+)",
            r"(?P<who>(?<![\w.-])[\w.+-]{1,64}@[A-Za-z0-9][A-Za-z0-9.-]*)",
            rf"(?P<host>(?:(?i:(?<![A-Za-z0-9])(?:{_HOST_KEY})[\"']?\s*[=:]\s*[\"']?)"
            r"|(?<=address of )\()[A-Za-z0-9][\w.-]*)",
            r"(?P<bracketed>\[[A-Za-z0-9][\w.-]*\]:\d{1,5}(?!\d))",
            r"(?P<quoted>(?P<mark>['\"])(?:[A-Za-z]:|~)?[/\\][^'\"\n]*(?P=mark))",
            rf"(?P<path>(?<![\w.~+@%-])(?:[A-Za-z]:\\|{_IN_PATH})(?:{_IN_PATH})*[\w.~+@%-]*)",
            r"(?P<ip>(?<![\w:])(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}(?:%\w+)?(?![\w:])"
            r"|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?:%[\w.-]+)?(?![\w.])"
            r"|(?<![\w:-])[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5,19}(?![\w:-]))",
            r"(?P<address>0x[0-9a-fA-F]+)",
            r"(?P<number>(?<![A-Za-z0-9.])[-+]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?"
            rf"{_UNIT}(?![A-Za-z0-9]))",
            # Letters that hexadecimal numbers are made of, together with digits.
            r"(?P<hex>(?<![A-Za-z0-9])(?=[a-fA-F]*\d)[0-9a-fA-F]+(?![A-Za-z0-9]))",
            r"(?P<digits>\d+)",
        )
    )
)
# Shapes and lists: how many numbers there are varies as well.
_NUMBERS = re.compile(r"#(?:\s*[,;:x×*/+-]?\s*#)+")


def fingerprint(rule: str, deciding: Evidence) -> str:
    """Return what names this failure in every run, as ``1:`` and 16 hexadecimal digits.

    ``rule`` is the id of the rule that knows the failure, or empty for an error that none knows;
    it is a part of the name, so that two rules never share one.
    """
    text = deciding.text
    if deciding.origin.node:
        text = text.replace(deciding.origin.node, "#")
    parts = (rule, deciding.module or "", template(text))
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{VERSION}:{digest[:16]}"


def template(text: str) -> str:
    """Return a message without what differs from run to run.

    >>> template("rank 3: 2026-01-02 03:04:05 port[60001] of 10.0.0.7 is taken, EI0006")
    'rank # port[#] of # is taken, EI0006'
    >>> template("/home/me/run7/train.py:31: /opt/x/libhccl.so: no 2.38 GiB at 0x12c1 for [2, 3]")
    'train.py:#: libhccl.so: no # at # for [#]'
    """
    text = _VARYING.sub(_masked, text[:_MAX_TEXT])
    return " ".join(_NUMBERS.sub("#", text).split())[:_MAX_TEMPLATE]


def _masked(found: re.Match[str]) -> str:
    kind = found.lastgroup
    if kind == "keep":
        return found[0]
    if kind == "path" or found["quoted"] is not None:
        name = re.split(r"[/\\]", found[0].strip("'\""))[-1]
        code = _CODE_FILE.fullmatch(name)
        return "#" if code is None else re.sub(r"\d+", "#", name)
    if kind == "host":
        return found[0][: -len(re.split(r"[=:(\s\"']+", found[0])[-1])] + "#"
    return "#"
