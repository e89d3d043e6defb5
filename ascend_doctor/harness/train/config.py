"""What a training is told: sections of a TOML or YAML file, checked key by key."""

from __future__ import annotations

import difflib
import json
import sys
import typing
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.batching import Batching
from ascend_doctor.harness.lengths import MIX_NAME
from ascend_doctor.harness.train.model import PRESETS, ModelConfig

Precision = Literal["fp32", "bf16", "fp16", "fp64"]
Compile = Literal["off", "mark", "auto"]
Sync = Literal["none", "boundary", "step"]

# A file of settings has a few lines; what is larger is none.
_MAX_BYTES = 1 << 20
_Section = TypeVar("_Section")


@dataclass(frozen=True, kw_only=True)
class DataConfig:
    """Where documents come from, and how they are fetched."""

    source: str = MIX_NAME
    """``mix`` makes them up with the article's lengths; else a .jsonl or .npz file."""
    documents: int = 2000
    """How many to make up."""
    held_out: int = 64
    """Documents at the end that are not trained on."""
    workers: int = 0
    """Processes that make batches; they never touch the device."""
    prefetch: int = 2
    """Batches that each worker makes ahead."""
    pin_memory: Literal["auto", "on", "off"] = "auto"
    """auto: where there is a device to copy to."""
    timeout_s: float = 300
    """Longest wait for a worker; 0 waits for ever."""

    def __post_init__(self) -> None:
        _at_least(self, documents=1, held_out=0, workers=0, prefetch=1, timeout_s=0)


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How it is trained. Steps are those of the optimizer."""

    steps: int = 100
    accumulate: int = 1
    """Batches of each rank in a step; the loss is divided by the tokens of all of them."""
    learning_rate: float = 3e-3
    warmup: int = 10
    """Steps in which the learning rate rises; then it falls as a cosine to a tenth."""
    weight_decay: float = 0.1
    """For matrices only."""
    clip: float = 1.0
    """Largest norm of the gradient; 0 does not clip."""
    precision: Precision = "fp32"
    compile: Compile = "off"
    """mark: lengths are marked dynamic on the device. auto: torch finds out by itself."""
    compile_backend: str = "auto"
    compile_cache: str = ""
    """Folder of compiled graphs; by default torch's own."""
    attention: str = "auto"
    sync: Sync = "none"
    """When to wait for the device: never, before each optimizer step, or after each batch too."""
    seed: int = 0
    threads: int = 1
    evaluate_every: int = 0
    """Steps between losses of what is held out; 0 only at the end."""
    checkpoint_every: int = 0
    """Steps between checkpoints; 0 only at the end."""
    keep: int = 2
    """Checkpoints that are kept."""

    def __post_init__(self) -> None:
        _at_least(
            self, steps=1, accumulate=1, warmup=0, clip=0, weight_decay=0, threads=1,
            evaluate_every=0, checkpoint_every=0, keep=1,
        )  # fmt: skip
        if not self.learning_rate > 0:
            raise ValueError("learning_rate: must be above 0")


@dataclass(frozen=True, kw_only=True)
class Config:
    """All that a training is told."""

    model: ModelConfig = field(default_factory=ModelConfig)
    data: DataConfig = field(default_factory=DataConfig)
    batching: Batching = field(default_factory=Batching)
    training: TrainingConfig = field(default_factory=TrainingConfig)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return json.loads(json.dumps(asdict(self)))

    def with_(self, values: Mapping[str, object]) -> Config:
        """Return it with some keys, ``section.key``, set to others.

        Raises:
            HarnessError: a key is unknown, or a value is wrong; the message begins with the key.
        """
        # A section at a time: one key may be right only beside another.
        sections: dict[str, dict[str, object]] = {}
        for key, value in values.items():
            section, _, name = key.partition(".")
            if not name or section not in {item.name for item in fields(Config)}:
                raise HarnessError(f"{key}: must be section.key; sections are {_names(Config)}")
            sections.setdefault(section, {})[name] = value
        parts: dict[str, Any] = {
            section: _section(getattr(self, section), given, f"{section}.")
            for section, given in sections.items()
        }
        return replace(self, **parts)


def read(path: Path) -> Config:
    """Return the configuration of a TOML or YAML file.

    ``preset`` in ``[model]`` names a shape to begin with.

    Raises:
        HarnessError: it cannot be read or parsed, or a key or value is wrong.
    """
    data = _parsed(path)
    config = Config()
    for name, values in data.items():
        if name not in {item.name for item in fields(Config)}:
            raise HarnessError(f"{path}: {name}: no such section{_meant(name, Config)}")
        if not isinstance(values, dict):
            raise HarnessError(f"{path}: {name}: must be a section of keys")
        old = getattr(config, name)
        if name == "model" and "preset" in values:
            values = dict(values)
            old = preset(values.pop("preset"), f"{path}: model.")
        parts: dict[str, Any] = {name: _section(old, values, f"{path}: {name}.")}
        config = replace(config, **parts)
    return config


def preset(name: object, where: str = "") -> ModelConfig:
    """Return a shape by its name.

    Raises:
        HarnessError: there is none of that name.
    """
    if name not in PRESETS:
        raise HarnessError(f"{where}preset: must be one of {', '.join(PRESETS)}")
    return PRESETS[str(name)]


def _parsed(path: Path) -> dict[Any, Any]:
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
        if len(raw) > _MAX_BYTES:
            raise HarnessError(f"{path}: too large for a configuration")
        text = raw.decode("utf-8-sig")
    except OSError as err:
        raise HarnessError(f"{path}: {(err.strerror or str(err)).lower()}") from err
    except UnicodeDecodeError as err:
        raise HarnessError(f"{path}: no UTF-8 text") from err
    try:
        data = _yaml(text) if path.suffix in (".yaml", ".yml") else _toml(text)
    except ValueError as err:
        raise HarnessError(f"{path}: {' '.join(str(err).split())}") from err
    if not isinstance(data, dict):
        raise HarnessError(f"{path}: must hold sections: {_names(Config)}")
    return data


def _yaml(text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text) or {}
    except (yaml.YAMLError, RecursionError) as err:
        raise ValueError(f"no YAML: {err}") from err


def _toml(text: str) -> Any:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def _section(old: _Section, values: Mapping[str, object], where: str) -> _Section:
    kinds = typing.get_type_hints(type(old))
    checked = {}
    for name, value in values.items():
        if name not in kinds:
            raise HarnessError(f"{where}{name}: no such key{_meant(name, type(old))}")
        checked[name] = _value(value, kinds[name], f"{where}{name}")
    try:
        return replace(old, **checked)  # type: ignore[type-var]
    except ValueError as err:
        raise HarnessError(f"{where}{err}") from err


def _value(value: object, kind: Any, where: str) -> object:
    """Return a value of ``kind``; a whole number does for a float, and a list for a tuple."""
    if typing.get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise HarnessError(f"{where}: must be one of {', '.join(get_args(kind))}")
        return value
    if typing.get_origin(kind) is tuple:
        if not isinstance(value, (list, tuple)) or any(type(item) is not int for item in value):
            raise HarnessError(f"{where}: must be a list of whole numbers")
        return tuple(value)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        said = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
        raise HarnessError(f"{where}: must be {said[kind]}")
    return value


def _names(kind: type) -> str:
    return ", ".join(item.name for item in fields(kind))


def _meant(name: object, kind: type) -> str:
    names = [item.name for item in fields(kind)]
    close = difflib.get_close_matches(str(name), names, n=1)
    return f"; {close[0]} was meant?" if close else f"; there are {', '.join(names)}"


def _at_least(config: object, **lowest: float) -> None:
    for name, low in lowest.items():
        if not getattr(config, name) >= low:
            raise ValueError(f"{name}: must be at least {low}")
