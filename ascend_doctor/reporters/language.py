"""Which language a person reads."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ascend_doctor.records import Lang


def choose(lang: str, environ: Mapping[str, str] = os.environ) -> Lang:
    """Return ``lang``, or for ``auto`` the language of the locale.

    >>> choose("auto", {"LANG": "zh_CN.UTF-8"}), choose("auto", {"LC_ALL": "C", "LANG": "zh_CN"})
    ('zh', 'en')
    """
    if lang == "zh":
        return "zh"
    if lang == "auto":
        for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
            value = environ.get(name)
            if value:
                return "zh" if value.lower().startswith("zh") else "en"
    return "en"
