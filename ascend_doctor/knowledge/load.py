"""Rule files as authors write them: YAML in, a checked model or one clear line out."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ascend_doctor.errors import RuleError
from ascend_doctor.knowledge.schema import RuleFile
from ascend_doctor.knowledge.strict import first_error

# libyaml is ten times faster; the pure loader reads the same language.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# The largest file shipped has a quarter of this; YAML needs a hundred times its size in memory.
MAX_BYTES = 1 << 20
# Folders beside the families' that hold no rules.
_NO_RULES = frozenset({"codes", "glossary"})


def rule_files(folder: Path) -> Iterator[Path]:
    """Yield every rule file below ``folder``, in a stable order."""
    yield from sorted(p for p in folder.glob("*/*.yaml") if p.parent.name not in _NO_RULES)


def load_rule(path: Path) -> RuleFile:
    """Load one rule file.

    Raises:
        RuleError: the file is not YAML, not a valid rule, or does not stand under its id
            and family. The message starts with ``file:line: field:``.
    """
    tree, data = load_yaml(path)
    try:
        rule = RuleFile.model_validate(data)
    except ValidationError as err:
        loc, where, message = first_error(err)
        raise RuleError(f"{path}:{line_of(tree, loc)}: {where}: {message}") from err
    if rule.id != path.stem:
        raise RuleError(f"{path}:1: id: is {rule.id}, so name the file {rule.id}.yaml")
    if rule.family != path.parent.name:
        raise RuleError(f"{path}:1: family: is {rule.family}, so keep the file in {rule.family}/")
    return rule


def load_yaml(path: Path) -> tuple[yaml.Node, Any]:
    """Return the node tree and the data of a YAML file without aliases or twin keys.

    Raises:
        RuleError: not readable, not YAML, or using what rule data has no need of.
    """
    try:
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):
            raise RuleError(f"{path}:1: file: is not a regular file")
        if state.st_size > MAX_BYTES:
            raise RuleError(f"{path}:1: file: is larger than {MAX_BYTES >> 10} KiB")
        text = path.read_text(encoding="utf-8")
    except OSError as err:
        raise RuleError(f"{path}:1: file: cannot be read: {err.strerror}") from err
    except UnicodeDecodeError as err:
        raise RuleError(f"{path}:1: file: is not UTF-8 text: {err}") from err
    try:
        # Without a star there is no alias, and nothing to look for.
        for event in yaml.parse(text, Loader=_Loader) if "*" in text else ():
            if isinstance(event, yaml.AliasEvent):
                line = event.start_mark.line + 1 if event.start_mark else 1
                raise RuleError(f"{path}:{line}: alias: write the value out instead")
        loader = _Loader(text)
        tree = loader.get_single_node()
        data = None if tree is None else loader.construct_document(tree)
    except yaml.constructor.ConstructorError as err:
        line = err.problem_mark.line + 1 if err.problem_mark else 1
        raise RuleError(f"{path}:{line}: yaml: a value that is no text; put it in quotes") from err
    except yaml.MarkedYAMLError as err:
        line = err.problem_mark.line + 1 if err.problem_mark else 1
        raise RuleError(f"{path}:{line}: yaml: {err.problem}") from err
    except yaml.reader.ReaderError as err:
        line = text.encode().count(b"\n", 0, err.position) + 1
        raise RuleError(f"{path}:{line}: yaml: {err.reason}") from err
    except ValueError as err:  # a date that does not exist, a number of thousands of digits
        raise RuleError(f"{path}:1: yaml: {err}") from err
    if tree is None:
        raise RuleError(f"{path}:1: rule: the file is empty")
    for node, key in _twins(tree):
        raise RuleError(f"{path}:{node.start_mark.line + 1}: {key}: stands twice")
    return tree, data


def _twins(node: yaml.Node) -> Iterator[tuple[yaml.Node, str]]:
    """Yield each key that a mapping holds a second time."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                yield key, key.value
            seen.add(key.value)
            yield from _twins(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _twins(item)


def line_of(tree: yaml.Node, loc: tuple[int | str, ...]) -> int:
    """Return the line of the deepest key or item on the way to ``loc``."""
    node, line = tree, tree.start_mark.line
    for step in loc:
        if isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if k.value == str(step)), None)
            if found is None:
                break
            key, node = found
            line = key.start_mark.line
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            if step >= len(node.value):
                break
            node = node.value[step]
            line = node.start_mark.line
        else:
            break
    return int(line) + 1
