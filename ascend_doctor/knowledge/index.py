"""All that is known: rules, families and code tables, as one value."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct, field, json
from msgspec.structs import replace

from ascend_doctor import resources
from ascend_doctor.errors import SettingError
from ascend_doctor.knowledge.codes import Code, Codes
from ascend_doctor.knowledge.rule import Explains, Rule, explains_of, from_index
from ascend_doctor.knowledge.stored import loaded
from ascend_doctor.knowledge.versions import Pair, Versions
from ascend_doctor.records import LANGS, Lang


class Family(Struct, frozen=True):
    """A kind of failure, and what to do when no rule says more."""

    title: Mapping[Lang, str]
    next: Mapping[Lang, tuple[str, ...]]
    explains: tuple[Explains, ...]


class Page(Struct, frozen=True):
    """What is written by hand about a code, a variable or a term; ``pages.Page`` in the build."""

    also: tuple[str, ...]
    status: str
    default: str | None
    instead: str | None
    claim: Mapping[Lang, str] | None
    means: Mapping[Lang, str]
    causes: Mapping[Lang, tuple[str, ...]]
    next: Mapping[Lang, tuple[str, ...]]


class Threshold(Struct, frozen=True):
    """From which number on a profile is told to be bad; ``unit`` is ``share``, ``ms``, … ."""

    value: float
    unit: str
    range: tuple[float, float]
    means: Mapping[Lang, str]


class Knowledge(Struct, frozen=True):
    """Rules by id, families by name, tables, pages, and a digest that names this state of them."""

    digest: str
    rules: Mapping[str, Rule]
    families: Mapping[str, Family]
    codes: Codes
    versions: Versions
    pages: Mapping[str, Mapping[str, Page]]
    thresholds: Mapping[str, Threshold]
    changed: Mapping[str, float] = field(default_factory=dict)

    @property
    def limits(self) -> Mapping[str, float]:
        """The thresholds that are in force, by name."""
        usual = {name: threshold.value for name, threshold in self.thresholds.items()}
        return {**usual, **self.changed}

    def with_thresholds(self, values: Mapping[str, float]) -> Knowledge:
        """Return the same knowledge with some thresholds set; a usual value changes nothing.

        Raises:
            SettingError: there is no such threshold, or it cannot have such a value.
        """
        for name, value in values.items():
            check_threshold(self.thresholds, name, value)
        set_ = {name: float(value) for name, value in values.items()}
        changed = {n: v for n, v in set_.items() if v != self.thresholds[n].value}
        return replace(self, changed=dict(sorted(changed.items())))

    def without(self, rule: str) -> Knowledge:
        """Return the same knowledge without one rule."""
        return replace(self, rules={k: v for k, v in self.rules.items() if k != rule})


def check_threshold(known: Mapping[str, Threshold], name: str, value: float) -> None:
    """Refuse what no threshold is called, or none can be.

    Raises:
        SettingError: it is so; the message names what is close, or the range.
    """
    threshold = known.get(name)
    if threshold is None:
        from difflib import get_close_matches

        close = get_close_matches(name.lower().replace("_", "-"), known, n=1)
        mend = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
        raise SettingError(f"{name}: there is no such threshold; {mend}")
    low, high = threshold.range
    if not low <= value <= high:  # what is not a number is neither
        bounds = f"{low:g} to {high:g}"
        hint = f", or write {value:g}%" if threshold.unit == "share" and 1 < value <= 100 else ""
        raise SettingError(f"{name}: {value:g} is out of range; it may be {bounds}{hint}")
    if threshold.unit == "count" and value != int(value):
        raise SettingError(f"{name}: {value:g} is no whole number, as a count is")


def load(extra: Path | None = None) -> Knowledge:
    """Return the built-in knowledge, with a site's own rule folder added if given.

    The folder of the built-in rules themselves adds nothing.

    Raises:
        RuleError: a rule file is wrong.
    """
    packed = resources.index()
    data = _of_checkout() if packed is None else packed.read_bytes()
    if extra is None or extra.resolve() == resources.patterns().resolve():
        return _from_bytes(data)
    from ascend_doctor.knowledge.build import with_rules

    return from_dict(with_rules(loaded(data), extra))


@cache
def _from_bytes(data: bytes) -> Knowledge:
    return from_dict(loaded(data))


def _of_checkout() -> bytes:
    """Return the index of a checkout, compiled anew whenever a rule or its compiler changes."""
    patterns = resources.patterns()
    files = sorted(path for path in patterns.rglob("*.*") if path.suffix in (".yaml", ".tsv"))
    files += sorted(Path(__file__).parent.glob("*.py"))
    state = "".join(f"{p}{(s := p.stat()).st_mtime_ns}{s.st_size}" for p in files)
    digest = hashlib.sha256(state.encode()).hexdigest()[:16]
    target = resources.checkout_cache() / f"index-{digest}.jsonl"
    with suppress(OSError):
        return target.read_bytes()
    # Imported here: pydantic and YAML cost more than a whole scan of a small log.
    from ascend_doctor.knowledge.build import index_of, write_index

    with suppress(OSError):  # a checkout that cannot be written to is compiled every time
        for old in target.parent.glob("index-*.json*"):
            old.unlink(missing_ok=True)
        return write_index(patterns, target)
    return index_of(patterns)


def from_dict(index: Mapping[str, Any]) -> Knowledge:
    """Build the knowledge from a compiled index."""
    families = {
        name: Family(
            title=item["title"],
            next=_steps(item["next"]),
            explains=explains_of(item),
        )
        for name, item in index["families"].items()
    }
    tables = {
        name: {
            code: Code(name, code, cells[0], cells[1], cells[2], {"en": cells[3], "zh": cells[4]})
            for code, cells in rows.items()
        }
        for name, rows in index["codes"].items()
    }
    runtime = {code: (name, acl) for code, (name, acl) in index["runtime"].items()}
    rules = {item["id"]: from_index(item) for item in index["rules"]}
    pairs = (
        Pair(npu, torch, cann, tuple(python.split()), "" if eol == "-" else eol)
        for npu, (torch, cann, python, eol) in index["versions"].items()
    )
    codes, pages = Codes(tables, runtime), _Pages(index["pages"])
    thresholds = {
        name: Threshold(item["value"], item["unit"], tuple(item["range"]), item["means"])
        for name, item in index["thresholds"].items()
    }
    return Knowledge(index["digest"], rules, families, codes, Versions(pairs), pages, thresholds)


class _Pages(Mapping[str, Mapping[str, Page]]):
    """Pages by section and term, read from their JSON when the first is asked for."""

    def __init__(self, told: bytes) -> None:
        self._told = told

    @cached_property
    def _sections(self) -> Mapping[str, Mapping[str, Page]]:
        return {
            section: {term: page_of(page) for term, page in items.items()}
            for section, items in json.decode(self._told).items()
        }

    def __getitem__(self, section: str) -> Mapping[str, Page]:
        return self._sections[section]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sections)

    def __len__(self) -> int:
        return len(self._sections)


def page_of(item: Mapping[str, Any]) -> Page:
    """Read a page in the compiled index."""
    steps = {name: _steps(item[name]) for name in ("causes", "next")}
    return Page(**{**item, "also": tuple(item["also"]), **steps})


def _steps(texts: Mapping[Lang, list[str]]) -> Mapping[Lang, tuple[str, ...]]:
    return {lang: tuple(texts[lang]) for lang in LANGS}
