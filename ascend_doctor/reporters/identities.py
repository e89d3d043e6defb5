"""Names of people and machines, addresses and secrets: where a text has them, and of what kind.

A doubtful one counts as found, unless hiding it would take from the message what it says: kernels,
versions, ports, codes, times and addresses in memory are nobody's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Literal, NamedTuple, get_args

Kind = Literal["token", "email", "user", "host", "mac", "ip"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# Sites that everyone knows, or that advice points to.
_PUBLIC = (
    *("hiascend.com", "huawei.com", "huaweicloud.com", "gitee.com", "gitcode.com", "github.com"),
    *("githubusercontent.com", "gitlab.com", "pytorch.org", "python.org", "pypi.org"),
    *("pythonhosted.org", "huggingface.co", "hf-mirror.com", "modelscope.cn", "apache.org"),
)
_NOBODY = frozenset({"localhost", "localhost.localdomain", "none", "null", "unknown", "true"})

_SHAPED = (
    *(r"hf_[A-Za-z0-9]{16,}", r"gh[pousr]_[A-Za-z0-9]{16,}", r"github_pat_\w{20,}"),
    *(r"glpat-[\w-]{16,}", r"(?:AKIA|ASIA)[A-Z0-9]{16}", r"LTAI[A-Za-z0-9]{12,}"),
    *(r"sk-[\w-]{16,}", r"xox[abeprs]-[\w-]{10,}", r"AIza[\w-]{30,}", r"pypi-[\w-]{16,}"),
    *(r"dckr_pat_[\w-]{16,}", r"eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"),
)
_SECRET = (
    *("passwords?", "passwd", "passphrase", "pwd", "secret", "secret[_-]?key", "api[_-]?key"),
    *("access[_-]?key(?:[_-]?id)?", "private[_-]?key", "auth[_-]?key", "credentials?", "signature"),
    *("client[_-]?secret", "secret[_-]?access[_-]?key", "encryption[_-]?key"),
)
_IS = r"[\"']?\s*(?:=>|:=|[:=])\s*[\"']?"
_VALUE = r"[^\s\"',;&)\]}<>|`]+"
_NAME = r"[A-Za-z0-9_][\w.-]{0,99}"
_WORDS = r"(?<![A-Za-z0-9])(?<![A-Za-z0-9][_-])(?:[A-Za-z0-9]+[_-])*"
_HOST_KEY = r"host_?names?|host_?ip|master_addr(?:ess)?|node_?ip|server_?name|pod_?name"
_CODE_FILE = re.compile(r"\.(?:py|cc|cpp|c|h|hpp|ts|cu|so|log|txt|json|ya?ml|out)$", re.IGNORECASE)
# What models and tokenisers call a token.
_NO_SECRET = re.compile(
    r"(?i)(?:^|[_-])(?:pad|eos|bos|unk|cls|sep|mask|eot|eod|special|image|video|audio|next|per|max"
    r"|min|num|new|stop|start|end|begin|last|first|prompt|decode|draft|invalid|unexpected)[_-]token$"
)
_VERSION_BEFORE = re.compile(
    r"(?i)(?:version|\bver|driver|firmware|release|cann|toolkit|python|torch\w*|npu-smi"
    r"|[=<>~!]=|(?<![a-z0-9])v)[\s:=\[(\"'/_-]*$"
)


class Identity(NamedTuple):
    """Something that tells who or where: a stretch of a text, and of what kind it is."""

    start: int
    end: int
    kind: Kind
    value: str


def identities(text: str) -> list[Identity]:
    """Return what tells who or where, in the order of the text and without overlaps.

    >>> [(i.kind, i.value) for i in identities("ann@gpu-7:~$ ssh 10.0.0.7 # /home/ann, v10.0.0.7")]
    [('user', 'ann'), ('host', 'gpu-7'), ('ip', '10.0.0.7'), ('user', 'ann')]
    """
    found: list[Identity] = []
    small = text.lower()
    for hints, pattern, holds in _PATTERNS:
        if hints and not any(hint in small for hint in hints):
            continue
        for match in pattern.finditer(text):
            if holds is None or holds(match):
                found += _new(match, found)
    return sorted(found)


def is_host(value: str) -> bool:
    """Say whether a word may be the name of a machine, not merely a number or one for itself."""
    plain = value.rstrip(".").lower()
    if plain in _NOBODY or not any(char.isalpha() for char in plain):
        return False
    return not any(plain == site or plain.endswith(f".{site}") for site in _PUBLIC)


def _new(match: re.Match[str], found: list[Identity]) -> Iterator[Identity]:
    for group in match.re.groupindex:
        value, start, end = match[group], match.start(group), match.end(group)
        if not value or group not in KINDS:
            continue
        if group == "host":
            value = value.rstrip(".-")
            end = start + len(value)
            if _address(value) or not is_host(value) or _CODE_FILE.search(value):
                continue
        if group == "user" and (value.lower() in _NOBODY or value[0] in "$<{*%#"):
            continue
        if all(end <= other.start or other.end <= start for other in found):
            yield Identity(start, end, group, value)


def _address(value: str) -> bool:
    return re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){3}", value) is not None


def _is_secret(match: re.Match[str]) -> bool:
    """Say whether what a key such as ``password`` has is a secret, and not a path or a state."""
    value = match["token"]
    if value.lower() in _NOBODY | {"false", "yes", "no"} or set(value) <= set("*x.-#?$"):
        return False
    if value.startswith(("/", "$", "{")) or re.match(r"[A-Za-z_][\w.]*\(", value):
        return False
    return not (value.isdigit() and len(value) < 4)


def _is_token(match: re.Match[str]) -> bool:
    """Say the same of a key that ends with ``token``: texts and models have tokens as well."""
    value = match["token"]
    if _NO_SECRET.search(match["key"]) or not _is_secret(match) or value.isdigit():
        return False
    is_told = "=" in match["is"] or not match["is"].strip(" \"'")
    return is_told or len(value) >= 20 or (len(value) >= 8 and bool(re.search(r"\d", value)))


def _is_name_of_host(match: re.Match[str]) -> bool:
    """Say whether a word has the form that machines' names have and ordinary words have not."""
    return re.search(r"[\d.-]", match["host"]) is not None


def _is_account(match: re.Match[str]) -> bool:
    is_symbol = re.match(r"(?i)(?:GLIBC|GCC|CXX|LIB)", match["host"])
    return is_symbol is None and _is_name_of_host(match)


def _is_ip(match: re.Match[str]) -> bool:
    try:
        address = IPv4Address(match["ip"])
    except AddressValueError:
        return False
    if address.is_loopback or address.packed[0] in (0, 255):
        return False
    return _VERSION_BEFORE.search(match.string, max(0, match.start() - 40), match.start()) is None


def _is_ip6(match: re.Match[str]) -> bool:
    value = match["ip"]
    try:
        address = IPv6Address(value)
    except AddressValueError:
        return False
    if address.is_loopback or address.is_unspecified:
        return False
    # Namespaces of C++ may look like one that is all letters.
    return any(char.isdigit() for char in value)


def _is_mac(match: re.Match[str]) -> bool:
    # A date and a clock with dashes have as many digits.
    return ":" in match["mac"] or any(char.isalpha() for char in match["mac"])


_Check = Callable[[re.Match[str]], bool]
# In order of preference: words of which one must be there in small letters, since to look for them
# costs little; the expression; and what else must hold.
_PATTERNS: tuple[tuple[tuple[str, ...], re.Pattern[str], _Check | None], ...] = tuple(
    (tuple(hints.split()), re.compile(pattern), holds)
    for hints, pattern, holds in (
        ("", rf"(?<![A-Za-z0-9])(?P<token>{'|'.join(_SHAPED)})", None),
        (
            "authorization",
            rf"(?i:authorization{_IS}(?:(?:bearer|basic|digest)\s+)?)(?P<token>{_VALUE})",
            None,
        ),
        ("bearer", r"(?i:(?<![a-z])bearer)\s+(?P<token>(?=\S*\d)[\w.~+/=-]{8,})", None),
        (
            "pass pwd secret key credential signature",
            rf"(?i:{_WORDS}(?:{'|'.join(_SECRET)}){_IS})(?P<token>{_VALUE})",
            _is_secret,
        ),
        (
            "-pass -pwd -secret key -credential -signature",
            rf"(?i:--?{_WORDS}(?:{'|'.join(_SECRET)}))\s+(?P<token>(?!-){_VALUE})",
            _is_secret,
        ),
        ("token", rf"(?i:(?P<key>{_WORDS}token)(?P<is>{_IS}))(?P<token>{_VALUE})", _is_token),
        ("token", rf"(?i:--(?P<key>{_WORDS}token)(?P<is>\s+))(?P<token>(?!-){_VALUE})", _is_token),
        ("ak= sk= sig=", r"(?<![A-Za-z0-9])(?i:ak|sk|sig)=(?P<token>[\w/+=%-]{12,})", None),
        (
            "@",
            r"://(?P<user>[^\s/:@'\"]+)(?::(?P<token>[^\s/@'\"]+))?@(?P<host>[A-Za-z0-9][\w.-]*)",
            None,
        ),
        ("://", r"[A-Za-z][A-Za-z0-9+.-]*://(?P<host>[A-Za-z0-9][\w.-]*)", None),
        # A prompt, or what ssh, scp and mpirun are given.
        ("@", rf"(?P<user>{_NAME})@(?P<host>{_NAME})(?=:[~/]|[ ~][^\n]{{0,80}}[\]$#])", None),
        (
            "@",
            rf"(?i:(?<![a-z])(?:ssh|scp|rsync|sftp) [^\n]{{0,80}}?)(?P<user>{_NAME})@"
            rf"(?P<host>{_NAME})",
            None,
        ),
        (
            "@",
            r"(?<![\w.+-])(?P<email>[\w.+-]{1,64}@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,24})"
            r"(?![\w-])",
            None,
        ),
        (
            "@",
            rf"(?<![\w@/.-])(?P<user>[A-Za-z_][\w.-]{{0,31}})@(?P<host>{_NAME})(?![\w@(])",
            _is_account,
        ),
        (
            "home users documents",
            r"(?:(?<![\w.${-])(?i:home|users)|(?i:Documents and Settings))[/\\]+"
            r"(?P<user>[^/\\\s'\":;,!()\[\]<>]+)",
            None,
        ),
        ("~", r"(?<![\w/~])~(?P<user>[A-Za-z_][\w-]*)(?=/)", None),
        (
            "user logname",
            rf"(?<![A-Za-z0-9])(?:USER|LOGNAME|SUDO_USER)=[\"']?(?P<user>{_NAME})",
            None,
        ),
        (
            "user logname login",
            rf"(?i:(?<![a-z])(?:user_?name|logname|login){_IS})(?P<user>{_NAME})",
            None,
        ),
        ("user", rf"(?i:(?<![a-z])user\s+['\"])(?P<user>{_NAME})['\"]", None),
        ("id=", rf"(?<![a-z])[ug]id=\d+\((?P<user>{_NAME})\)", None),
        (
            ": -",
            r"(?<![\w:.-])(?P<mac>[0-9a-fA-F]{2}(?:(?::[0-9a-fA-F]{2}){5,19}"
            r"|(?:-[0-9a-fA-F]{2}){5}))(?![\w:-])",
            _is_mac,
        ),
        (
            ".",
            r"(?<![\w.])(?P<mac>[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4})(?![\w.])",
            _is_mac,
        ),
        (":", r"(?<![\w:.])(?P<ip>[0-9a-fA-F:]{2,39}(?:\.\d{1,3}){0,3})(?![\w:])", _is_ip6),
        (
            ".",
            r"(?<![A-Za-z0-9.])(?P<ip>\d{1,3}(?:\.\d{1,3}){3})(?![A-Za-z0-9]|\.\d|\.?(?i:rc|post))",
            _is_ip,
        ),
        ("ip-", r"(?<![A-Za-z0-9])(?P<host>ip-\d{1,3}(?:-\d{1,3}){3})(?!\d)", None),
        (
            "host addr node_ip nodeip server_ pod servername",
            rf"(?i:{_WORDS}(?:{_HOST_KEY}){_IS})(?P<host>{_NAME})",
            None,
        ),
        (
            "-master -host",
            rf"(?i:--?(?:master[_-]addr(?:ess)?|host_?name))[ =](?P<host>{_NAME})",
            None,
        ),
        ("rdzv", rf"(?i:rdzv[_-]endpoint)[ =:\"']+(?P<host>{_NAME})", None),
        # Nodes of a graph are called after operators: MatMul_3, decoder/Add.
        (
            "node",
            r"(?i:(?<![a-z])node(?:_?name)?[\"']?\s?[=:\[]\s?[\"']?)"
            r"(?P<host>[A-Za-z][A-Za-z0-9.]*-[A-Za-z0-9.-]+)(?![\w/])",
            None,
        ),
        # As torchrun lists it.
        ("host", rf"(?m:^)\s*(?:\[\d+\]:)?\s*host\s+:\s+(?P<host>{_NAME})", None),
        (
            "host server peer remote",
            rf"(?i:(?<![a-z])(?:host|server|peer|remote)[\"']?\s?[=:\[(]\s?[\"']?)(?P<host>{_NAME})",
            _is_name_of_host,
        ),
        ("address of (", rf"(?<=address of \()(?P<host>{_NAME})(?=, \d)", None),
        ("]:", r"\[(?P<host>(?!rank)[A-Za-z][\w.-]*)\]:\d{2,5}(?!\d)", None),
        (
            "connect endpoint peer remote reach address",
            r"(?i:(?<![a-z])(?:connect(?:ed|ing|ion)?|endpoint|peer|remote|reach|address)"
            rf"(?: to| from| with)?\s?[=:]?\s?)(?P<host>{_NAME}):\d{{2,5}}(?!\d)",
            _is_name_of_host,
        ),
        (
            ".",
            r"(?<![\w.-])(?P<host>(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:com|cn|org|edu|corp|lan)"
            r"|(?:[A-Za-z0-9][A-Za-z0-9-]*\.){2,}(?:local|internal|net|cluster|svc|intra|intranet))"
            r"(?![\w-]|\.\w)",
            None,
        ),
    )
)
