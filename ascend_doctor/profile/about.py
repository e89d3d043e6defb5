"""``profiler_info_*.json`` and ``profiler_metadata.json``: how a profile was taken, and of what."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ascend_doctor.profile.documents import Document
from ascend_doctor.profile.kinds import profile_of, rank_of
from ascend_doctor.profile.model import Measures
from ascend_doctor.records import Evidence

_VERSION = re.compile(r"\d{1,2}\.\d[\w.+-]{0,40}")
CHIP = re.compile(r"Ascend ?\d{3}[\w-]{0,12}")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{2,60}")
_VALUE = re.compile(r"[\w.,:/+-]{1,80}")
_MAX_VARIABLES = 32
# What the job is made of, as the profiler calls it.
_VERSIONS = {"torch_npu_version": "torch_npu", "cann_version": "cann", "ms_version": "mindspore"}

Told = tuple[str, str, Evidence]


def read_info(path: str, text: Iterator[bytes]) -> Measures:
    """Return versions, level and rank of a profile."""
    document = Document(path, text)
    value = document.value
    environment = []
    facts = {"profiler": "mindspore" if "ms_version" in value else "torch_npu"}
    for key, name in _VERSIONS.items():
        version = str(value.get(key, ""))
        # "not known" stands where none was found.
        if _VERSION.fullmatch(version):
            environment.append((name, version, document.proof(document.at(key))))
            facts[name] = version
    facts |= _settings(value)
    rank = value.get("rank_id")
    is_rank = isinstance(rank, int) and not isinstance(rank, bool) and rank >= 0
    return Measures(
        "profiler_info",
        profile_of(path),
        rank=rank if is_rank else rank_of(path),
        facts=facts,
        environment=tuple(environment),
        broken=document.broken,
        notes=document.notes,
    )


def read_metadata(path: str, text: Iterator[bytes]) -> Measures:
    """Return the environment variables that a profile notes."""
    document = Document(path, text)
    variables = document.value.get("ENV_VARIABLES")
    told = variables_of(variables if isinstance(variables, dict) else {})
    return Measures(
        "profiler_metadata",
        profile_of(path),
        rank=rank_of(path),
        environment=tuple(
            (name, value, document.proof(document.at(name))) for name, value in told.items()
        ),
        broken=document.broken,
        notes=document.notes,
    )


def variables_of(variables: Mapping[str, Any]) -> dict[str, str]:
    """Return the environment variables that are set, as far as they are such."""
    found = {
        name: value
        for name, value in variables.items()
        if _VARIABLE.fullmatch(name) and isinstance(value, str) and _VALUE.fullmatch(value)
    }
    return dict(list(found.items())[:_MAX_VARIABLES])


def variables_in(text: str) -> dict[str, str]:
    """Return the same of a JSON object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return variables_of(value) if isinstance(value, dict) else {}


def _settings(value: Mapping[str, Any]) -> dict[str, str]:
    """Return what the profiler was told to record."""
    config = _inner(value, "config")
    common, experimental = _inner(config, "common_config"), _inner(config, "experimental_config")
    found = {
        "level": experimental.get("_profiler_level"),
        "with_stack": common.get("with_stack"),
        "record_shapes": common.get("record_shapes"),
    }
    return {
        name: str(known).lower() if isinstance(known, bool) else known[:40]
        for name, known in found.items()
        if isinstance(known, (bool, str))
    }


def _inner(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}
