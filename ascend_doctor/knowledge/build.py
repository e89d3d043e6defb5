"""Compile ``patterns/`` to one JSON index, so that start-up reads no YAML."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ascend_doctor.errors import RuleError
from ascend_doctor.knowledge.load import first_error, load_rule, load_yaml, rule_files
from ascend_doctor.knowledge.schema import (
    Bilingual,
    BilingualSteps,
    Explains,
    RuleFile,
    Strict,
)
from ascend_doctor.records import FAMILIES

# Columns of the code tables; the hex table only leads on to the ACL numbers.
CODE_TABLES = ("acl", "hccl", "error_manager", "torch_npu")
_CODE_COLUMNS = ["code", "name", "family", "role", "en", "zh"]
_RUNTIME_COLUMNS = ["code", "name", "acl"]


class _Family(Strict):
    title: Bilingual
    next: BilingualSteps
    explains: tuple[Explains, ...] = ()


class _Families(Strict):
    of: dict[str, _Family]


def compile_patterns(folders: Iterable[Path]) -> dict[str, Any]:
    """Return the index of all rule files and tables below ``folders``.

    The first folder holds the families and code tables; the others add rules.

    Raises:
        RuleError: a file is wrong, or two rules have one id.
    """
    first, *others = folders
    rules: dict[str, tuple[Path, RuleFile]] = {}
    for folder in (first, *others):
        for path in rule_files(folder):
            rule = load_rule(path)
            if rule.id in rules:
                raise RuleError(f"{path}:1: id: {rule.id} is taken by {rules[rule.id][0]}")
            rules[rule.id] = (path, rule)
    _check_references(rules)
    index: dict[str, Any] = {
        "families": _families(first / "families.yaml"),
        "rules": [_entry(rule) for _, (_, rule) in sorted(rules.items())],
        "codes": {name: _table(first, name, _CODE_COLUMNS) for name in CODE_TABLES},
        "runtime": _table(first, "runtime", _RUNTIME_COLUMNS),
    }
    canonical = json.dumps(index, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    index["digest"] = hashlib.sha256(canonical.encode()).hexdigest()[:16]
    return index


def write_index(patterns: Path, target: Path) -> None:
    """Compile ``patterns`` into the file ``target``."""
    index = compile_patterns([patterns])
    target.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(index, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    target.write_text(text + "\n", encoding="utf-8")


def _entry(rule: RuleFile) -> dict[str, Any]:
    # Examples are for tests; the scan has no use for them.
    return rule.model_dump(mode="json", exclude={"examples"})


def _check_references(rules: dict[str, tuple[Path, RuleFile]]) -> None:
    """Refuse a rule that names another one that does not exist."""
    for path, rule in rules.values():
        for index, edge in enumerate(rule.explains):
            known = edge.what in FAMILIES or "*" in edge.what or edge.what in rules
            if not known:
                raise RuleError(f"{path}:1: explains.{index}.what: no rule is called {edge.what}")
        if rule.outvoted_by is not None and rule.outvoted_by not in rules:
            raise RuleError(f"{path}:1: outvoted_by: no rule is called {rule.outvoted_by}")


def _families(path: Path) -> dict[str, Any]:
    _, data = load_yaml(path)
    if set(data) != set(FAMILIES):
        odd = sorted(set(data) ^ set(FAMILIES))
        raise RuleError(f"{path}:1: families: missing or unknown: {', '.join(map(str, odd))}")
    try:
        families = _Families.model_validate({"of": data})
    except ValidationError as err:
        _, where, message = first_error(err)
        raise RuleError(f"{path}:1: {where}: {message}") from err
    return {name: families.of[name].model_dump(mode="json") for name in FAMILIES}


def _table(folder: Path, name: str, columns: list[str]) -> dict[str, list[str]]:
    """Return a code table as ``code -> the other cells``."""
    path = folder / "codes" / f"{name}.tsv"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as err:
        raise RuleError(f"{path}:1: table: cannot be read: {err}") from err
    header, *rows = csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    if header != columns:
        raise RuleError(f"{path}:1: header: must be {' '.join(columns)}")
    table: dict[str, list[str]] = {}
    for number, row in enumerate(rows, start=2):
        if len(row) != len(columns) or not all(row):
            raise RuleError(f"{path}:{number}: row: needs {len(columns)} filled cells")
        if row[0] in table:
            raise RuleError(f"{path}:{number}: code: {row[0]} stands twice")
        if "family" in columns and row[2] not in FAMILIES:
            raise RuleError(f"{path}:{number}: family: {row[2]} is unknown")
        table[row[0]] = row[1:]
    return table
