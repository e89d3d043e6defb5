"""What is known of one code, variable or term: hand-written pages over the code tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from ascend_doctor import late
from ascend_doctor.knowledge.codes import Code
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.rule import Rule
from ascend_doctor.knowledge.thresholds import how_to_set, usual
from ascend_doctor.records import LANGS, Lang

Texts = Mapping[Lang, str]
Steps = Mapping[Lang, tuple[str, ...]]

# What a code of each table is called; the rest of the sections hold terms without a code.
KINDS = (
    *("acl", "error_manager", "hccl", "torch_npu", "runtime", "variables", "article"),
    *("profile", "threshold", "rule", "family"),
)

_RUNTIME = late.pattern(r"0[xX]0?(7[0-9a-fA-F]{6})")
# HCCL prints module and code in one number; 5 is the module HCCL.
_HCCL = late.pattern(r"(?:errNo\[)?0[xX]0{1,9}5[0-9a-fA-F]{2}([0-9a-fA-F]{4})\]?")
# A term in running text: long enough not to be an ordinary word.
_WORD = late.pattern(rb"[A-Za-z_][\w.]{5,79}")
# How alike a known term must be to be proposed for an unknown one.
_LIKENESS = 0.75
_MAX_PROPOSED = 3
_MAX_LENGTH = 80
# Unknown terms that proposals are looked for: a person types few, and each takes milliseconds.
_MAX_UNKNOWN = 50
# What stands around a term where it is copied from: [EI0002], EI0002:, $NAME.
_AROUND = "[](){}<>\"'`,.;:$"


def _no_steps() -> Steps:
    return {"en": (), "zh": ()}


class Explanation(Struct, frozen=True):
    """What is told of one term.

    Attributes:
        term: what was asked for.
        kind: one of ``KINDS``, or empty for an unknown term.
        code: how the tables write it, such as ``107002`` for ``ACL_ERROR_RT_CONTEXT_NULL``.
        name: its symbolic name, if it has one.
        family: the family of failures that it belongs to, if it is a code or a rule.
        is_full: written by hand rather than taken from a table.
        proposed: known terms that look like an unknown one.
    """

    term: str
    kind: str = ""
    code: str = ""
    name: str = ""
    family: str = ""
    status: str = "unknown"
    default: str | None = None
    instead: str | None = None
    claim: Texts | None = None
    means: Texts | None = None
    causes: Steps = field(default_factory=_no_steps)
    next: Steps = field(default_factory=_no_steps)
    is_full: bool = False
    proposed: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Say whether anything is known of it."""
        return bool(self.kind)


class Glossary:
    """Explains terms under one state of the knowledge."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._rows = {(row.table, row.code): row for row in knowledge.codes.rows()}
        self._unknown = 0

    @cached_property
    def _spelt(self) -> Mapping[str, tuple[str, str]]:
        """Every way to write a term, with its kind and key; who asks for codes needs none."""
        return dict(self._spellings())

    def _spellings(self) -> Iterator[tuple[str, tuple[str, str]]]:
        """Yield every way to write a term, folded, with its kind and key; the last one wins."""
        knowledge = self._knowledge
        for rule in knowledge.rules:
            yield rule, ("rule", rule)
        for code, (name, _) in knowledge.codes.runtime.items():
            yield name.casefold(), ("runtime", code)
        # A title that several codes share names none of them.
        names = Counter(row.name for row in self._rows.values())
        for row in self._rows.values():
            if names[row.name] == 1 and row.name != "-":
                yield row.name.casefold(), (row.table, row.code)
        for family in knowledge.families:
            yield family, ("family", family)
        for row in self._rows.values():
            yield row.code.casefold(), (row.table, row.code)
        for name in knowledge.thresholds:
            yield name, ("threshold", name)
        for section, pages in self._knowledge.pages.items():
            for term, page in pages.items():
                for spelling in (*page.also, term):
                    yield spelling.casefold(), (section, term)

    def explain(self, term: str) -> Explanation:
        """Return what is known of ``term``; an unknown one comes back with proposals."""
        bare = term.strip().strip(_AROUND)
        asked = (term.strip(), bare, bare.partition("=")[0])
        found = next(filter(None, map(self._found, asked)), None)
        if found is None:
            self._unknown += 1
            proposed = self._like(bare) if self._unknown <= _MAX_UNKNOWN else ()
            return Explanation(term, proposed=proposed)
        return self._explanation(term, *found)

    def of_code(self, table: str, code: str) -> Explanation:
        """Return what is known of a code that stands in ``table``."""
        return self._explanation(code, table, code)

    def _like(self, term: str) -> tuple[str, ...]:
        if len(term) > _MAX_LENGTH:
            return ()
        from difflib import get_close_matches

        alike = get_close_matches(term.casefold(), self._spelt, _MAX_PROPOSED, _LIKENESS)
        keys = (self._spelt[spelling] for spelling in alike)
        # A small number says nothing; what HCCL calls it does.
        named = (self._rows[key].name if key[0] == "hccl" else key[1] for key in keys)
        return tuple(dict.fromkeys(named))

    def terms_in(self, text: str) -> list[str]:
        """Return the codes, variables and terms that a text names, in its order, each once."""
        places: dict[str, int] = {}
        data = text.encode("utf-8", "replace")
        for offset, code in self._knowledge.codes.find(data):
            places.setdefault(code.code, offset)
        for found in _WORD.finditer(data):
            word = found[0].decode().rstrip(".")
            key = self._spelt.get(word.casefold())
            # An ordinary word is no term: it must be spelt as only a name is.
            # Those of profiles are ordinary words, however they are spelt.
            is_name = key is not None and key[0] != "profile"
            if key is not None and is_name and re.search(r"[A-Z_.\d]", word):
                places.setdefault(key[1], found.start())
        return sorted(places, key=lambda term: places[term])

    def _found(self, term: str) -> tuple[str, str] | None:
        if runtime := _RUNTIME.fullmatch(term):
            code = "0x" + runtime[1].lower()
            return ("runtime", code) if code in self._knowledge.codes.runtime else None
        if hccl := _HCCL.fullmatch(term):
            term = str(int(hccl[1], 16))
        return self._spelt.get(term.casefold())

    def _explanation(self, term: str, kind: str, key: str) -> Explanation:
        if kind == "rule":
            return self._of_rule(term, self._knowledge.rules[key])
        if kind == "family":
            family = self._knowledge.families[key]
            return Explanation(
                term,
                kind,
                code=key,
                family=key,
                status="real",
                means=family.title,
                next=family.next,
                is_full=True,
            )
        if kind == "threshold":
            threshold = self._knowledge.thresholds[key]
            return Explanation(
                term,
                kind,
                code=key,
                status="real",
                default=usual(threshold),
                means=threshold.means,
                next=how_to_set(key, threshold),
                is_full=True,
            )
        if kind == "runtime":
            name, acl = self._knowledge.codes.runtime[key]
            told = self._explanation(term, "acl", acl)
            return replace(told, kind=kind, code=key, name=f"{name} → {acl} {told.name}")
        row = self._rows.get((kind, key))
        page = self._knowledge.pages.get(kind, {}).get(key)
        if page is None:
            return self._short(term, self._rows[kind, key])
        return Explanation(
            term,
            kind,
            code=key,
            name="" if row is None else row.name,
            family="" if row is None else row.family,
            status=page.status,
            default=page.default,
            instead=page.instead,
            claim=page.claim,
            means=page.means,
            causes=page.causes,
            next=page.next,
            is_full=True,
        )

    def _of_rule(self, term: str, rule: Rule) -> Explanation:
        texts = {lang: rule.unfilled(lang) for lang in LANGS}
        return Explanation(
            term,
            "rule",
            status="real",
            code=rule.id,
            family=rule.family,
            means={lang: texts[lang].cause for lang in LANGS},
            next={lang: (*texts[lang].checks, *texts[lang].fixes) for lang in LANGS},
            is_full=True,
        )

    def _short(self, term: str, row: Code) -> Explanation:
        return Explanation(
            term,
            row.table,
            status="real",
            code=row.code,
            name=row.name,
            family=row.family,
            means=row.meaning,
            next=self._knowledge.families[row.family].next,
        )
