"""Versions, chips and variables, wherever a log happens to print them."""

from __future__ import annotations

import re

from ascend_doctor.view.window import Window

# Each is searched in a window only until it was found once.
_SIGNS = {
    "cann": re.compile(
        rb"(?:ascend-toolkit|cann)[/-](\d{1,2}\.\d{1,2}(?:\.[\w.]{1,16})?)(?=[/\s])"
    ),
    "soc": re.compile(rb"\b(Ascend ?(?:310|910)[A-Z]?\d?C?(?:_\d{3,4})?|Ascend ?950\w{0,6})\b"),
    "python": re.compile(rb"/python(3\.\d{1,2}(?:\.\d{1,2})?)/"),
    "torch_npu": re.compile(rb"torch[_-]npu(?:==|: | {2,})(\d{1,2}\.\d{1,2}[\w.+]{0,24})"),
    "torch": re.compile(rb"\btorch(?:==|: | {2,})(\d{1,2}\.\d{1,2}[\w.+]{0,24})"),
    "driver": re.compile(rb"npu-smi (\d{2}\.\d{1,2}[\w.]{0,12})"),
}
# Bytes of a window that are searched; versions stand in paths and banners, which come early.
_REACH = 256 << 10


class Environment:
    """What a source says of the machine it was written on."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def see(self, window: Window) -> None:
        """Look for what is still unknown in one window."""
        start, end = window.body
        for name, sign in _SIGNS.items():
            if name not in self.values:
                found = sign.search(window.data, start, min(end, start + _REACH))
                if found is not None:
                    self.values[name] = found[1].decode()
