"""Compile ``patterns/`` to one JSON index, so that start-up reads no YAML."""

from __future__ import annotations

import csv
import hashlib
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from ascend_doctor.errors import RuleError
from ascend_doctor.knowledge.load import line_of, load_rule, load_yaml, rule_files
from ascend_doctor.knowledge.pages import compile_pages
from ascend_doctor.knowledge.rule import TEXTS
from ascend_doctor.knowledge.schema import Explains, RuleFile
from ascend_doctor.knowledge.stored import dumped, text_of
from ascend_doctor.knowledge.strict import Bilingual, BilingualSteps, Strict, first_error
from ascend_doctor.records import FAMILIES, ROLES

# Columns of the code tables; the hex table only leads on to the ACL numbers.
CODE_TABLES = ("acl", "hccl", "error_manager", "torch_npu")
_CODE_COLUMNS = ["code", "name", "family", "role", "en", "zh"]
_RUNTIME_COLUMNS = ["code", "name", "acl"]
_VERSION_COLUMNS = ["torch_npu", "torch", "cann", "python", "eol"]


class _Family(Strict):
    title: Bilingual
    next: BilingualSteps
    explains: tuple[Explains, ...] = ()


class _Threshold(Strict):
    value: float
    unit: Literal["share", "us", "ms", "count", "MiB", "times"]
    range: tuple[float, float]
    means: Bilingual


_FAMILIES = TypeAdapter(dict[str, _Family])
_THRESHOLDS = TypeAdapter(dict[str, _Threshold])


def compile_patterns(patterns: Path) -> dict[str, Any]:
    """Return the index of all rule files, families and code tables of a patterns folder.

    Raises:
        RuleError: a file is wrong, or two rules have one id.
    """
    return _indexed(
        {
            "families": _families(patterns / "families.yaml"),
            "rules": _compiled(patterns, {}),
            "codes": {
                name: _table(patterns / "codes" / f"{name}.tsv", _CODE_COLUMNS)
                for name in CODE_TABLES
            },
            "runtime": _table(patterns / "codes" / "runtime.tsv", _RUNTIME_COLUMNS),
            # A text within the text: a scan of a log that needs no page does not parse it.
            "pages": text_of(compile_pages(patterns)),
            "versions": _table(patterns / "versions.tsv", _VERSION_COLUMNS),
            "thresholds": _thresholds(patterns / "thresholds.yaml"),
        }
    )


def with_rules(index: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return an index with a site's own rules added.

    Raises:
        RuleError: a file is wrong, its id is taken, or there is no rule file at all.
    """
    if next(rule_files(folder), None) is None:
        raise RuleError(f"{folder}: holds no readable rule; they lie in <family>/<id>.yaml")
    known = {item["id"]: item for item in index["rules"]}
    return _indexed({**index, "rules": _compiled(folder, known)})


def _compiled(folder: Path, known: dict[str, Any]) -> list[Any]:
    """Return the entries of ``known`` and of all rule files below ``folder``, by id."""
    rules = dict(known)
    paths: dict[str, Path] = {}
    for path in rule_files(folder):
        rule = load_rule(path)
        if rule.id in rules:
            taken = paths.get(rule.id, "a built-in rule")
            raise RuleError(f"{path}:1: id: {rule.id} is taken by {taken}")
        paths[rule.id] = path
        rules[rule.id] = _entry(rule)
    for name, path in paths.items():
        _check_references(path, rules[name], rules.keys())
    return [item for _, item in sorted(rules.items())]


def _entry(rule: RuleFile) -> dict[str, Any]:
    """Return a rule as the index holds it: alternatives multiplied out, without examples.

    What it says is a text within the text, as of nearly all rules nothing is said.
    """
    entry = rule.model_dump(mode="json", exclude={"examples"})
    entry["texts"] = text_of({name: entry.pop(name) for name in TEXTS})
    entry["provenance"] = [said["kind"] for said in entry["provenance"]]
    entry["match"] = [
        {"wordings": variant.wordings(), "regex": variant.regex} for variant in rule.match
    ]
    return entry


def _indexed(content: dict[str, Any]) -> dict[str, Any]:
    """Add the digest that names this state of the rules."""
    content = {name: value for name, value in content.items() if name != "digest"}
    return {**content, "digest": hashlib.sha256(text_of(content)).hexdigest()[:16]}


def index_of(patterns: Path) -> bytes:
    """Return the index of ``patterns`` as it is stored."""
    return dumped(compile_patterns(patterns))


def write_index(patterns: Path, target: Path) -> bytes:
    """Compile ``patterns`` into the file ``target``, at once or not at all; return its bytes."""
    data = index_of(patterns)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.{os.getpid()}")
    part.write_bytes(data)
    part.replace(target)
    return data


def _check_references(path: Path, rule: dict[str, Any], ids: Collection[str]) -> None:
    """Refuse a rule that names another one that does not exist."""
    for number, edge in enumerate(rule["explains"]):
        what = edge["what"]
        if what not in FAMILIES and "*" not in what and what not in ids:
            raise RuleError(f"{path}:1: explains.{number}.what: no rule is called {what}")
    if rule["outvoted_by"] is not None and rule["outvoted_by"] not in ids:
        raise RuleError(f"{path}:1: outvoted_by: no rule is called {rule['outvoted_by']}")


def _families(path: Path) -> dict[str, Any]:
    tree, data = load_yaml(path)
    if set(data) != set(FAMILIES):
        odd = sorted(set(data) ^ set(FAMILIES))
        raise RuleError(f"{path}:1: families: missing or unknown: {', '.join(map(str, odd))}")
    try:
        families = _FAMILIES.validate_python(data)
    except ValidationError as err:
        loc, where, message = first_error(err)
        raise RuleError(f"{path}:{line_of(tree, loc)}: {where}: {message}") from err
    return {name: families[name].model_dump(mode="json") for name in FAMILIES}


def _thresholds(path: Path) -> dict[str, Any]:
    tree, data = load_yaml(path)
    try:
        found = _THRESHOLDS.validate_python(data)
    except ValidationError as err:
        loc, where, message = first_error(err)
        raise RuleError(f"{path}:{line_of(tree, loc)}: {where}: {message}") from err
    return {name: threshold.model_dump(mode="json") for name, threshold in found.items()}


def _table(path: Path, columns: list[str]) -> dict[str, list[str]]:
    """Return a table as ``first cell -> the other cells``."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as err:
        raise RuleError(f"{path}:1: table: cannot be read: {err}") from err
    lines = text.splitlines() or [""]
    header, *rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    if header != columns:
        raise RuleError(f"{path}:1: header: must be {' '.join(columns)}")
    table: dict[str, list[str]] = {}
    for number, row in enumerate(rows, start=2):
        if len(row) != len(columns) or not all(row):
            raise RuleError(f"{path}:{number}: row: needs {len(columns)} filled cells")
        if row[0] in table:
            raise RuleError(f"{path}:{number}: {columns[0]}: {row[0]} stands twice")
        if "family" in columns and row[2] not in FAMILIES:
            raise RuleError(f"{path}:{number}: family: {row[2]} is unknown")
        if "role" in columns and row[3] not in ROLES:
            raise RuleError(f"{path}:{number}: role: {row[3]} is none of {', '.join(ROLES)}")
        table[row[0]] = row[1:]
    return table
