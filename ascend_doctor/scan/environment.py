"""Versions, chips, containers and variables, wherever a log happens to print them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from ascend_doctor import late
from ascend_doctor.facts import Said
from ascend_doctor.records import Evidence
from ascend_doctor.view.encoding import shown
from ascend_doctor.view.window import Window

# A dot behind it ends the sentence.
_VERSION = rb"(\d{1,2}\.\d{1,2}(?:\.[\w+]{1,24}){0,4})"


def _package(*names: bytes) -> re.Pattern[bytes]:
    """Find the version of a Python package: pip's forms, and the reports of frameworks."""
    name = b"|".join(names)
    return late.pattern(
        rb"(?i:(?<![\w./-])(?:%b)(?:==|: {1,4}| {2,40}| version(?: is)?[: ]{1,4}|[ -]v)%b)"
        % (name, _VERSION)
    )


def _packages(*names: str) -> tuple[bytes, ...]:
    """Return the words by which ``_package`` is worth a try."""
    ends = ("==", ": ", "  ", " version", " v", "-v")
    return tuple(f"{name}{end}".encode() for name in names for end in ends)


# Each name may be printed in several ways; what two files or ranks say differently is kept.
# The words tell where to look; the case of their letters does not count.
_WORDS: dict[str, tuple[bytes, ...]] = {
    "cann": (
        *(b"ascend-toolkit/", b"ascend-toolkit-", b"cann/", b"cann-", b"nnae/", b"nnae-"),
        *(b"cann:", b"cann=", b"cann :", b"cann =", b"cann version"),
    ),
    "driver": (b"npu-smi ", b"ascend driver", b"npu driver"),
    "firmware": (b"firmware version", b"firmware_version"),
    "soc": (
        *(b"ascend910", b"ascend 910", b"ascend310", b"ascend 310", b"ascend950", b"ascend 950"),
        *(b"  910", b"  310", b"  950"),
    ),
    "python": (b"/python3.", b"python 3", b"python:", b"python version"),
    "torch": _packages("torch"),
    "torch_npu": _packages("torch_npu", "torch-npu"),
    "mindspore": _packages("mindspore", "mindspore-ascend"),
    "vllm": (*_packages("vllm"), b"vllm api server version", b"llm engine (v"),
    "vllm_ascend": _packages("vllm_ascend", "vllm ascend", "vllm-ascend"),
    "transformers": _packages("transformers"),
    "world_size": (b"world_size", b"world size"),
    "container": (
        *(b"kubepods", b"docker-", b"docker/", b"docker.slice"),
        *(b"containerd-", b"containerd/", b"containerd.slice"),
    ),
}
_SIGNS: dict[str, tuple[re.Pattern[bytes], ...]] = {
    "cann": (
        late.pattern(rb"(?:ascend-toolkit|cann|nnae)[/-](\d{1,2}\.\d{1,2}(?:\.[\w.]{1,16})?)(?=[/\s])"),
        late.pattern(rb"(?i:Ascend-cann-(?:toolkit|nnae|kernels-[\w-]{2,8})[_-])(\d{1,2}\.\d[\w.]{1,16}?)_"),
        late.pattern(rb"package_name=Ascend-cann-toolkit\s{1,4}version=(\d{1,2}\.[\w.]{1,16})"),
        # Advice names versions as well ("upgrade to CANN 8.3.RC1"), but without a colon.
        late.pattern(rb"(?i:\bCANN(?: version)? ?[:=] ?)(\d{1,2}\.\d{1,2}(?:\.\w{1,8}){0,2})"),
        late.pattern(rb"ascend/cann:(\d{1,2}\.\d{1,2}\.\w{1,8}(?:\.\w{1,8})?)-"),
    ),
    "driver": (
        late.pattern(rb"npu-smi (\d{2}\.\d{1,2}[\w.]{0,12})"),
        late.pattern(rb"(?i:(?:ascend|npu) driver(?: version)?[: ]{1,3})(\d{2}\.\d[\w.]{0,12})"),
    ),
    "firmware": (late.pattern(rb"(?i:firmware[ _]version *[:=] *)(\d\.\d{1,2}[\w.]{1,16})"),),
    "soc": (
        late.pattern(rb"\b(Ascend ?(?:310|910)[A-Z]?\d?C?(?:_\d{3,4})?|Ascend ?950\w{0,6})\b"),
        # The second column of npu-smi's table.
        late.pattern(rb"^\| {0,3}\d{1,2} {1,8}((?:910|310|950)\w{0,8}) {2,}\|", re.MULTILINE),
    ),
    "python": (
        late.pattern(rb"/python(3\.\d{1,2}(?:\.\d{1,2})?)/"),
        late.pattern(rb"(?i:\bPython(?: version)?[: ]{1,3})(3\.\d{1,2}(?:\.\d{1,2})?)\b"),
    ),
    "torch": (_package(b"torch", b"pytorch"),),
    "torch_npu": (_package(b"torch[_-]npu"),),
    "mindspore": (_package(b"mindspore(?:-ascend)?"),),
    "vllm": (
        _package(b"vllm"),
        late.pattern(rb"vLLM API server version (\d\.\d{1,2}[\w.]{0,16})"),
        late.pattern(rb"Initializing an? (?:V\d )?LLM engine \(v(\d\.\d{1,2}[\w.]{0,16})\)"),
    ),
    "vllm_ascend": (_package(b"vllm[_ -]ascend"),),
    "transformers": (_package(b"transformers"),),
    "world_size": (late.pattern(rb"\bworld[_ ]size(?:['\"]?[=:] ?| )(\d{1,5})\b"),),
    "container": (late.pattern(rb"(kubepods|docker|containerd)(?:[-/][0-9a-f]{12}|\.slice)"),),
}  # fmt: skip

# Variables as a script exports them or a dump lists them; advice that names one does not count.
_VARIABLE = late.pattern(
    rb"^[+> ]{0,4}(?:export |declare -x )?"
    rb"((?:ASCEND|HCCL|ACL|NPU|TORCH_HCCL|TORCH_NPU|PYTORCH_NPU|VLLM_ASCEND|TASK_QUEUE|CPU_AFFINITY"
    rb"|INF_NAN|COMBINED|MULTI_STREAM|TORCH_DEVICE)_[A-Z0-9_]{1,40})="
    rb"[\"']?([\w.,:/+-]{1,80})[\"']?[ \t\r]{0,4}$",
    re.MULTILINE,
)
_VARIABLE_WORDS = (
    *(b"ASCEND_", b"HCCL_", b"ACL_", b"NPU_", b"TASK_QUEUE_", b"CPU_AFFINITY_", b"INF_NAN_"),
    *(b"COMBINED_", b"MULTI_STREAM_", b"TORCH_DEVICE_"),
)
_VARIABLES = "variables"
# Different values of one name, and variables, that are kept of a source.
MAX_VALUES = 4
MAX_VARIABLES = 32
# Lines with a word of a name that are read for it, in each part of a source.
MAX_READ = 1024
# Bytes on either side of a word that are looked at, and bytes of the line that are kept as proof.
_REACH = 1 << 10
MAX_LINE = 500


def words() -> Iterator[tuple[bytes, bool, str]]:
    """Yield what to look for, whether its case does not count, and which name it is for."""
    for name, found in _WORDS.items():
        for word in found:
            yield word, True, name
    for word in _VARIABLE_WORDS:
        yield word, False, _VARIABLES


class Environment:
    """What a part of a source says of the machine it was written on."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._said: dict[str, dict[str, Said]] = {}
        self._read: Counter[str] = Counter()
        self._lines: dict[str, int] = {}

    def see(self, window: Window, offset: int, name: str) -> bool:
        """Look at the line of a word that was found at ``offset`` of the window's data.

        Return false if enough such lines were read, and no more are.
        """
        if self._read[name] >= MAX_READ:
            return False
        data = window.data
        start = data.rfind(b"\n", max(0, offset - _REACH), offset) + 1 or max(0, offset - _REACH)
        if self._lines.get(name) == window.offset + start:
            return True
        self._lines[name] = window.offset + start
        self._read[name] += 1
        end = data.find(b"\n", offset, offset + _REACH)
        # The version of a package may stand in the line below its name.
        end = data.find(b"\n", end + 1, end + _REACH) if end >= 0 else -1
        end = min(len(data), offset + _REACH) if end < 0 else end
        if name == _VARIABLES:
            found = _VARIABLE.match(data, start, end)
            if found is not None:
                self._note_variable(found, window)
            return True
        for sign in _SIGNS[name]:
            for found in sign.finditer(data, start, end):
                self._note(name, found, 1, window)
        return True

    def join(self, other: Environment, lines: int) -> None:
        """Go on with the part behind this one; ``lines`` stand before it."""
        for name, values in other._said.items():
            if name not in _SIGNS and not self._may_be_kept(name):
                continue
            mine = self._said.setdefault(name, {})
            for value, said in values.items():
                if value not in mine and len(mine) < MAX_VALUES:
                    mine[value] = replace(said, evidence=said.evidence.moved(lines))

    def said(self) -> tuple[Said, ...]:
        """Return everything that was said, by name; of values that agree, the most exact one."""
        return tuple(
            said
            for name in sorted(self._said)
            for value, said in self._said[name].items()
            if not any(other.startswith(f"{value}.") for other in self._said[name])
        )

    def _note_variable(self, found: re.Match[bytes], window: Window) -> None:
        name = found[1].decode()
        if self._may_be_kept(name):
            self._note(name, found, 2, window)

    def _may_be_kept(self, variable: str) -> bool:
        kept = sum(name not in _SIGNS for name in self._said)
        return variable in self._said or kept < MAX_VARIABLES

    def _note(self, name: str, found: re.Match[bytes], group: int, window: Window) -> None:
        values = self._said.setdefault(name, {})
        value = found[group].decode("ascii", "replace")
        if value in values or len(values) >= MAX_VALUES:
            return
        data = window.data
        begin = data.rfind(b"\n", 0, found.start(group)) + 1
        end = data.find(b"\n", found.end(group))
        line = data[begin : begin + MAX_LINE if end < 0 else min(end, begin + MAX_LINE)]
        number = window.line_at(begin)
        text = shown(line).rstrip()
        values[value] = Said(name, value, Evidence(self._source, number, text, (number, 0)))
