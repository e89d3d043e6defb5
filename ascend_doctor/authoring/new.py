"""The beginning of a rule file, from an id and a line of a log."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ascend_doctor.errors import RuleError
from ascend_doctor.records import FAMILIES
from ascend_doctor.reporters.safe import visible

# What another run prints differently: numbers, addresses, paths, quoted names.
_VARYING = re.compile(r"0x[0-9a-fA-F]+|\d[\d.:-]*|/[\w./-]+|'[^']*'|\"[^\"]*\"")
# The head of a plog line, and prefixes like it, belong to the record and not to the message.
_HEAD = re.compile(r"^.*?\[(?:ERROR|WARNING|INFO|EVENT)\] \w+\([^)]*\):\S+ (?:\[[^\]]*\])?\s*")
# How a text begins that the skeleton leaves to its author.
UNWRITTEN = ("TODO: ", "待写：")
_MIN_LITERAL = 4
_MAX_LITERALS = 3

_SKELETON = """\
id: {id}
family: {family}
role: cause                # cause | consequence | wrapper | notice
severity: error            # fatal | error | warning | info
confidence: medium         # high: the line itself names the cause; medium: it follows; low: a guess
provenance:
  - {{kind: public-report, ref: "where the line was seen"}}
match:
  - literals: {literals}
    # regex: 'confirms and captures, such as port\\[(?P<port>\\d{{1,5}})\\]'
# captures: {{port: int}}
title:
  en: "TODO: the state of the world in a few words"
  zh: "待写：一句话说明现象"
cause:
  en: "TODO: why, in one or two sentences."
  zh: "待写：用一两句话说明原因。"
checks:
  en: ["TODO: how to see that it is so."]
  zh: ["待写：如何确认。"]
fixes:
  en: ["TODO: what to type, most likely first."]
  zh: ["待写：修复命令，最可能的放在最前。"]
examples:
  match:
    - log: {log}
  near:
    - "TODO: a line that differs in one respect and must not match"
"""


def family_of(rule: str) -> str:
    """Return the family that a rule id begins with.

    Raises:
        RuleError: it begins with none, or is not written as ids are.
    """
    if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", rule):
        for family in FAMILIES:
            if rule.startswith(family.replace("_", "-") + "-"):
                return family
    known = ", ".join(family.replace("_", "-") for family in FAMILIES)
    raise RuleError(f"{rule}: an id is a family and a few words, a-b-c; families: {known}")


def skeleton(rule: str, log: str) -> str:
    """Return the text of a new rule file that matches ``log`` and has its texts still to write.

    Raises:
        RuleError: the id is not usable, or the log holds nothing that is always the same.
    """
    family = family_of(rule)
    literals = fixed_parts(log)
    if not literals:
        raise RuleError(f"{rule}: the line holds no fixed words of {_MIN_LITERAL} bytes or more")
    return _SKELETON.format(
        id=rule, family=family, literals=_yaml(literals), log=_yaml(log.rstrip("\n"))
    )


def fixed_parts(log: str) -> list[str]:
    """Return what a log line most likely always says, in its order: the longest parts.

    >>> fixed_parts("[ERROR] HCCL(7,py):2026-01-02-03:04:05.000.000 [a.cc:1] port[60001] is taken")
    ['port[', '] is taken']
    """
    first = log.strip().split("\n", 1)[0]
    message = _HEAD.sub("", first)
    parts = [part.strip() for part in _VARYING.split(message)]
    usable = [part for part in parts if len(part.encode()) >= _MIN_LITERAL]
    longest = sorted(range(len(usable)), key=lambda n: -len(usable[n]))[:_MAX_LITERALS]
    return [usable[number] for number in sorted(longest)]


def create(rule: str, log: str, folder: Path) -> Path:
    """Write a new rule file below ``folder`` and return where.

    Raises:
        RuleError: the id is not usable, or the file exists.
    """
    path = folder / family_of(rule) / f"{rule}.yaml"
    text = skeleton(rule, log)
    if path.exists():
        raise RuleError(f"{path}: exists already")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _yaml(value: str | list[str]) -> str:
    # JSON is YAML, and needs no knowledge of what YAML takes for a number or a tag. What JSON
    # leaves as it is and YAML refuses, or an editor hides, is escaped in a way that YAML reads.
    return visible(json.dumps(value, ensure_ascii=False))
