"""Versions, chips, containers and variables, wherever a log happens to print them."""

from __future__ import annotations

import re
from itertools import islice

from ascend_doctor.facts import Said
from ascend_doctor.records import Evidence
from ascend_doctor.view.encoding import shown
from ascend_doctor.view.window import Window

# A dot behind it ends the sentence.
_VERSION = rb"(\d{1,2}\.\d{1,2}(?:\.[\w+]{1,24}){0,4})"


def _package(*names: bytes) -> re.Pattern[bytes]:
    """Find the version of a Python package: pip's forms, and the reports of frameworks."""
    name = b"|".join(names)
    return re.compile(
        rb"(?i:(?<![\w./-])(?:%b)(?:==|: {1,4}| {2,40}| version(?: is)?[: ]{1,4}|[ -]v)%b)"
        % (name, _VERSION)
    )


# Each name may be printed in several ways; what two files or ranks say differently is kept.
# A search costs milliseconds a window, so each is tried only where its word stands at all.
_WORDS: dict[str, tuple[bytes, ...]] = {
    "cann": (b"cann", b"ascend-toolkit", b"nnae"),
    "driver": (b"npu-smi", b"driver"),
    "soc": (b"ascend", b"910", b"310", b"950"),
    "torch_npu": (b"torch",),
    "vllm": (b"vllm", b"llm engine"),
    "vllm_ascend": (b"vllm",),
    "world_size": (b"world",),
    "container": (b"kubepods", b"docker", b"containerd"),
}
_SIGNS: dict[str, tuple[re.Pattern[bytes], ...]] = {
    "cann": (
        re.compile(rb"(?:ascend-toolkit|cann|nnae)[/-](\d{1,2}\.\d{1,2}(?:\.[\w.]{1,16})?)(?=[/\s])"),
        re.compile(rb"(?i:Ascend-cann-(?:toolkit|nnae|kernels-[\w-]{2,8})[_-])(\d{1,2}\.\d[\w.]{1,16}?)_"),
        re.compile(rb"package_name=Ascend-cann-toolkit\s{1,4}version=(\d{1,2}\.[\w.]{1,16})"),
        # Advice names versions as well ("upgrade to CANN 8.3.RC1"), but without a colon.
        re.compile(rb"(?i:\bCANN(?: version)? ?[:=] ?)(\d{1,2}\.\d{1,2}(?:\.\w{1,8}){0,2})"),
        re.compile(rb"ascend/cann:(\d{1,2}\.\d{1,2}\.\w{1,8}(?:\.\w{1,8})?)-"),
    ),
    "driver": (
        re.compile(rb"npu-smi (\d{2}\.\d{1,2}[\w.]{0,12})"),
        re.compile(rb"(?i:(?:ascend|npu) driver(?: version)?[: ]{1,3})(\d{2}\.\d[\w.]{0,12})"),
    ),
    "firmware": (re.compile(rb"(?i:firmware[ _]version *[:=] *)(\d\.\d{1,2}[\w.]{1,16})"),),
    "soc": (
        re.compile(rb"\b(Ascend ?(?:310|910)[A-Z]?\d?C?(?:_\d{3,4})?|Ascend ?950\w{0,6})\b"),
        # The second column of npu-smi's table.
        re.compile(rb"^\| {0,3}\d{1,2} {1,8}((?:910|310|950)\w{0,8}) {2,}\|", re.MULTILINE),
    ),
    "python": (
        re.compile(rb"/python(3\.\d{1,2}(?:\.\d{1,2})?)/"),
        re.compile(rb"(?i:\bPython(?: version)?[: ]{1,3})(3\.\d{1,2}(?:\.\d{1,2})?)\b"),
    ),
    "torch": (_package(b"torch", b"pytorch"),),
    "torch_npu": (_package(b"torch[_-]npu"),),
    "mindspore": (_package(b"mindspore(?:-ascend)?"),),
    "vllm": (
        _package(b"vllm"),
        re.compile(rb"vLLM API server version (\d\.\d{1,2}[\w.]{0,16})"),
        re.compile(rb"Initializing an? (?:V\d )?LLM engine \(v(\d\.\d{1,2}[\w.]{0,16})\)"),
    ),
    "vllm_ascend": (_package(b"vllm[_ -]ascend"),),
    "transformers": (_package(b"transformers"),),
    "world_size": (re.compile(rb"\bworld[_ ]size(?:['\"]?[=:] ?| )(\d{1,5})\b"),),
    "container": (re.compile(rb"(kubepods|docker|containerd)(?:[-/][0-9a-f]{12}|\.slice)"),),
}  # fmt: skip

# Variables as a script exports them or a dump lists them; advice that names one does not count.
_VARIABLE = re.compile(
    rb"^[+> ]{0,4}(?:export |declare -x )?"
    rb"((?:ASCEND|HCCL|ACL|NPU|TORCH_HCCL|TORCH_NPU|PYTORCH_NPU|VLLM_ASCEND|TASK_QUEUE|CPU_AFFINITY"
    rb"|INF_NAN|COMBINED|MULTI_STREAM|TORCH_DEVICE)_[A-Z0-9_]{1,40})="
    rb"[\"']?([\w.,:/+-]{1,80})[\"']?[ \t\r]{0,4}$",
    re.MULTILINE,
)
# Bytes of a window that are searched; versions stand in paths and banners, which come early.
_REACH = 256 << 10
# Different values of one name, and variables, that are kept of a source.
MAX_VALUES = 4
MAX_VARIABLES = 32
# Windows from the beginning that are searched in any case.
EARLY_WINDOWS = 2
# Places in a window that are looked at for different values of one name.
MAX_PLACES = 16
# Bytes of the line that are kept as proof.
MAX_LINE = 500


class Environment:
    """What a source says of the machine it was written on."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._said: dict[str, dict[str, Said]] = {}
        self._seen = 0

    def see(self, window: Window, hit: bool = True) -> None:
        """Look in one window for what is still unknown; later on only where there was a hit.

        Versions are printed early, or by what goes wrong.
        """
        self._seen += 1
        if self._seen > EARLY_WINDOWS and not hit:
            return
        start, end = window.body
        end = min(end, start + _REACH)
        lower = window.data[start:end].lower()
        for name, signs in _SIGNS.items():
            if name not in self._said and _may_stand(name, lower):
                for sign in signs:
                    for found in islice(sign.finditer(window.data, start, end), MAX_PLACES):
                        self._note(name, found, 1, window)
        for found in _VARIABLE.finditer(window.data, start, end):
            name = found[1].decode()
            if name in self._said or len(self._said) < len(_SIGNS) + MAX_VARIABLES:
                self._note(name, found, 2, window)

    def said(self) -> tuple[Said, ...]:
        """Return everything that was said, by name; of values that agree, the most exact one."""
        return tuple(
            said
            for name in sorted(self._said)
            for value, said in self._said[name].items()
            if not any(other.startswith(f"{value}.") for other in self._said[name])
        )

    def _note(self, name: str, found: re.Match[bytes], group: int, window: Window) -> None:
        values = self._said.setdefault(name, {})
        value = found[group].decode("ascii", "replace")
        if value in values or len(values) >= MAX_VALUES:
            return
        begin = window.data.rfind(b"\n", 0, found.start(group)) + 1
        end = window.data.find(b"\n", found.end(group))
        line = window.data[begin : begin + MAX_LINE if end < 0 else min(end, begin + MAX_LINE)]
        number = window.first_line + window.data.count(b"\n", 0, begin)
        text = shown(line).rstrip()
        values[value] = Said(name, value, Evidence(self._source, number, text, (number, 0)))


def _may_stand(name: str, lower: bytes) -> bool:
    return any(word in lower for word in _WORDS.get(name, (name.encode(),)))
