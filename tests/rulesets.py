"""Small sets of rules for tests that must not depend on the shipped ones."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import yaml

from ascend_doctor import resources
from ascend_doctor.facts import Facts
from ascend_doctor.ingest.source import Skipped, Source
from ascend_doctor.knowledge.build import compile_patterns
from ascend_doctor.knowledge.index import Knowledge, from_dict
from ascend_doctor.records import FAMILIES
from ascend_doctor.scan.scanner import Scanner


def rule(id_: str, *literals: str, **fields: Any) -> dict[str, Any]:
    """Return a rule file's content: a high-confidence error cause unless ``fields`` say more."""
    variant: dict[str, Any] = {"literals": [*literals]}
    if (pattern := fields.pop("regex", None)) is not None:
        variant["regex"] = pattern
    return {
        "id": id_,
        "family": next(name for name in FAMILIES if id_.replace("-", "_").startswith(name)),
        "role": "cause",
        "severity": "error",
        "confidence": "high",
        "provenance": [{"kind": "upstream", "ref": "made for a test"}],
        "match": [variant],
        "title": {"en": f"Title of {id_}", "zh": f"标题之 {id_}"},
        "cause": {"en": f"Cause of {id_}", "zh": f"原因之 {id_}"},
        "fixes": {"en": ["Mend it."], "zh": ["修好它。"]},
        "examples": {"match": [{"log": "unused"}], "near": ["unused"]},
        **fields,
    }


def patterns(folder: Path, *rules: Mapping[str, Any]) -> Path:
    """Lay out ``rules`` below ``folder``, with the shipped families and code tables."""
    shutil.copytree(resources.patterns() / "codes", folder / "codes", dirs_exist_ok=True)
    for name in ("families.yaml", "versions.tsv", "thresholds.yaml"):
        shutil.copy(resources.patterns() / name, folder / name)
    for item in rules:
        path = folder / item["family"] / f"{item['id']}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump({**item}, allow_unicode=True), encoding="utf-8")
    return folder


def knowledge(folder: Path, *rules: Mapping[str, Any]) -> Knowledge:
    """Compile ``rules`` by way of ``folder``."""
    return from_dict(compile_patterns(patterns(folder, *rules)))


def source(path: str, content: bytes) -> Source:
    """Return ``content`` as if it had been found at ``path``."""
    return Source(path, lambda: BytesIO(content))


def scanned(known: Knowledge, files: Mapping[str, str | bytes]) -> Facts:
    """Return the facts of some files, path by path."""
    scanner = Scanner(known)
    shards, skipped = {}, set()
    for path, text in files.items():
        content = text if isinstance(text, bytes) else text.encode()
        result = scanner.scan(source(path, content))
        if isinstance(result, Skipped):
            skipped.add((result.path, result.reason))
        else:
            shards[path] = result
    return Facts(known.digest, shards, frozenset(skipped))
