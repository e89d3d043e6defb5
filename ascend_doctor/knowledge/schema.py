"""What a rule file may say: the model is the schema, and a typo is an error.

Only authors' tools and the build read this module; a scan reads the compiled index.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from typing import Annotated, Any, Literal

import regex
from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from ascend_doctor.knowledge import pattern
from ascend_doctor.knowledge.explain import READERS, SOMETIMES, VERDICTS
from ascend_doctor.knowledge.strict import Bilingual, BilingualSteps, Line, Strict
from ascend_doctor.knowledge.texts import PLACEHOLDER, clauses, code_spans
from ascend_doctor.records import ENVIRONMENT, FAMILIES, LANGS, Confidence, Lang, Role

# A shorter literal hits so often that the scan pays for it on every line.
MIN_ANCHOR_BYTES = 4
# A plog line has at most 1,023 bytes; beyond some thousand the automaton refuses.
MAX_LITERAL_BYTES = 1000

# What texts may take from the environment: its values, and the versions that fit them.
FROM_ENVIRONMENT = (*ENVIRONMENT, "fits_torch_npu", "fits_cann")

CaptureType = Literal["int", "hex", "number", "bytes", "ident", "path", "text"]


def _kind(value: Any) -> str:
    return "<list>" if isinstance(value, tuple) else "<text>"


# One text, or a list of which any one will do. The tags stand in pydantic's paths only.
Choice = Annotated[
    Annotated[Line, Tag("<text>")]
    | Annotated[tuple[Line, ...], Field(min_length=2), Tag("<list>")],
    Discriminator(_kind),
]


def _is_id(text: str) -> str:
    if re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", text) is None:
        raise ValueError("must be lower-case words joined by hyphens, a-b-c")
    return text


RuleId = Annotated[str, AfterValidator(_is_id)]


class Variant(Strict):
    """One wording of a message: literals in this order, then a regex that confirms.

    A list in place of a literal names alternatives, ``["GE", ["failed", "error"]]``: the rule
    is compiled to one wording for each combination.
    """

    literals: Annotated[tuple[Choice, ...], Field(min_length=1)]
    regex: str | None = None

    def wordings(self) -> list[tuple[str, ...]]:
        """Return the literals in every combination of their alternatives."""
        return [*product(*((c,) if isinstance(c, str) else c for c in self.literals))]

    @model_validator(mode="after")
    def _usable(self) -> Variant:
        for wording in self.wordings():
            sizes = [len(literal.encode()) for literal in wording]
            if max(sizes) < MIN_ANCHOR_BYTES:
                raise ValueError(f"no literal of {MIN_ANCHOR_BYTES} bytes or more")
            if max(sizes) > MAX_LITERAL_BYTES:
                raise ValueError(f"a literal of more than {MAX_LITERAL_BYTES} bytes")
        if self.regex is not None:
            pattern.check(self.regex)
        return self

    def groups(self) -> set[str]:
        """Return the names that the regex captures."""
        if self.regex is None:
            return set()
        return set(regex.compile(self.regex.encode()).groupindex)


class Provenance(Strict):
    """Where the wording was seen; ``article`` marks what no release prints."""

    kind: Literal["cann-source", "torch-npu", "upstream", "public-report", "vendor-docs", "article"]
    ref: Line


Environs = dict[Literal[ENVIRONMENT], Choice]  # type: ignore[valid-type]


class Required(Strict):
    """Literals that must all stand in the same message or process; of a list, any one.

    ``environment`` asks for a part of what the logs say of the machine, ``{soc: "310P"}``; what
    no log says does not hold.
    """

    record: tuple[Choice, ...] = ()
    process: tuple[Choice, ...] = ()
    environment: Environs = Field(default_factory=dict)


class Excluded(Strict):
    """Literals of which none may stand in the same message or process, nor in the environment."""

    record: tuple[Line, ...] = ()
    process: tuple[Line, ...] = ()
    environment: Environs = Field(default_factory=dict)


class Explains(Strict):
    """What this rule brings about: a rule id, a pattern of ids such as ``communication-*``."""

    what: Line
    scope: Literal["process", "rank", "job"] = "process"
    within_s: int | None = None


class When(Strict):
    """The verdicts that a rule is for: of an explainer of its captures, or of its reader."""

    explainer: Literal["oom", "step_share", "padding"] | None = None
    verdict: Annotated[tuple[str, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _known_verdicts(self) -> When:
        if self.explainer is not None and (odd := set(self.verdict) - VERDICTS[self.explainer]):
            raise ValueError(f"{self.explainer} never answers {', '.join(sorted(odd))}")
        return self


class Remedy(Strict):
    """A fix that a program can apply."""

    id: RuleId
    params: dict[str, str] = Field(default_factory=dict)


class Example(Strict):
    """A log text and what the rule must capture from it."""

    log: Line
    captures: dict[str, str] = Field(default_factory=dict)
    line: int | None = None


class Examples(Strict):
    """At least one text that matches, and one that differs in a single respect."""

    match: Annotated[tuple[Example, ...], Field(min_length=1)]
    near: Annotated[tuple[Line, ...], Field(min_length=1)]


class RuleFile(Strict):
    """One failure signature: ``patterns/<family>/<id>.yaml``."""

    id: RuleId
    family: Literal[FAMILIES]  # type: ignore[valid-type]
    role: Role
    severity: Literal["info", "warning", "error", "fatal"]
    confidence: Confidence
    status: Literal["experimental", "stable", "deprecated"] = "experimental"
    provenance: Annotated[tuple[Provenance, ...], Field(min_length=1)]
    levels: Literal["error", "any"] = "error"
    modules: tuple[Line, ...] = ()
    match: tuple[Variant, ...] = ()
    reader: Literal["profile", "curve", "environment"] | None = None
    captures: dict[str, CaptureType] = Field(default_factory=dict)
    from_followed: tuple[str, ...] = ()
    from_environment: tuple[Literal[FROM_ENVIRONMENT], ...] = ()  # type: ignore[valid-type]
    when: When | None = None
    outvoted_by: RuleId | None = None
    fallback: bool = False
    quiet: bool = False
    requires: Required = Required()
    excludes: Excluded = Excluded()
    explains: tuple[Explains, ...] = ()
    title: Bilingual
    cause: Bilingual
    checks: BilingualSteps = BilingualSteps(en=(), zh=())
    fixes: BilingualSteps = BilingualSteps(en=(), zh=())
    remedies: tuple[Remedy, ...] = ()
    examples: Examples

    @model_validator(mode="after")
    def _hangs_together(self) -> RuleFile:
        prefix = self.family.replace("_", "-") + "-"
        if not self.id.startswith(prefix):
            raise ValueError(f"id must start with {prefix}")
        self._check_source()
        found = self._captured(set.union)
        if self.reader is None and (missing := found - set(self.captures)):
            raise ValueError(f"captures must give the type of {', '.join(sorted(missing))}")
        # What only messages folded into this one can say, such as the reason of a fault.
        found |= {*self.from_followed, *self.from_environment}
        if self.reader is not None:
            found |= SOMETIMES[self.reader]
        if self._is_plain and (extra := set(self.captures) - found):
            who = "regex" if self.reader is None else "reader"
            raise ValueError(f"no {who} captures {', '.join(sorted(extra))}")
        if self.role == "cause" and not self.fixes.en:
            raise ValueError("a cause needs at least one fix")
        if self.quiet and self.role != "notice":
            raise ValueError("only a notice can be quiet")
        if self.role == "notice" and self.severity != "info":
            raise ValueError("a notice has severity info")
        self._check_texts(always=self._captured(set.intersection))
        return self

    def _check_source(self) -> None:
        """Refuse a rule that neither literals nor a reader can find, or both."""
        if (self.reader is None) != bool(self.match):
            raise ValueError("a rule has either match or a reader")
        if self.reader is None:
            if self.when is not None and self.when.explainer is None:
                raise ValueError("when needs an explainer")
        elif self.when is None or self.when.explainer is not None:
            raise ValueError(f"when must name a verdict of the reader {self.reader}")
        elif odd := set(self.when.verdict) - READERS[self.reader].keys():
            raise ValueError(f"{self.reader} never answers {', '.join(sorted(odd))}")

    def _captured(self, join: Callable[..., set[str]]) -> set[str]:
        """Return what is captured in all wordings or verdicts, or in any of them."""
        if self.reader is not None and self.when is not None:
            return join(*(set(READERS[self.reader][name]) for name in self.when.verdict))
        return join(*(variant.groups() for variant in self.match))

    @property
    def _is_plain(self) -> bool:
        """True if no explainer adds captures that are known only when it has answered."""
        return self.when is None or self.when.explainer is None

    def texts(self, lang: Lang) -> list[str]:
        """Return all texts in one language."""
        return [
            getattr(self.title, lang),
            getattr(self.cause, lang),
            *getattr(self.checks, lang),
            *getattr(self.fixes, lang),
        ]

    def needed(self) -> set[str]:
        """Return the captures that some text has nothing to say instead of."""
        return {
            found["name"]
            for lang in LANGS
            for text in self.texts(lang)
            for found in PLACEHOLDER.finditer(clauses(text)[0])
            if found["fallback"] is None
        }

    def _check_texts(self, always: set[str]) -> None:
        """Refuse texts that name unknown captures, or not the same ones in both languages."""
        used = {}
        for lang in LANGS:
            texts = self.texts(lang)
            for text in texts:
                self._check_text(lang, text, always)
            used[lang] = set().union(*map(_names, texts))
        if odd := used["en"] ^ used["zh"]:
            raise ValueError(f"only one language uses the capture {', '.join(sorted(odd))}")

    def _check_text(self, lang: Lang, text: str, always: set[str]) -> None:
        """Refuse an unknown capture, one that may be missing, or free text inside a command."""
        if unknown := _names(text) - set(self.captures):
            raise ValueError(f"{lang} text uses {{{min(unknown)}}}, which is not captured")
        for found in PLACEHOLDER.finditer(clauses(text)[0]):
            name = found["name"]
            if found["fallback"] is None and name not in always and self._is_plain:
                raise ValueError(
                    f"{lang} text uses {{{name}}}, which not every variant captures; "
                    f"write {{{name}|what to say instead}} or put the clause in [[ ]]"
                )
        for name in sorted(set().union(*map(_names, code_spans(text)))):
            if self.captures[name] == "text":
                raise ValueError(f"{lang} command uses {{{name}}}, which is free text")


def _names(text: str) -> set[str]:
    return {found["name"] for found in PLACEHOLDER.finditer(text)}
