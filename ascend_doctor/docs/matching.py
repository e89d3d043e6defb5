"""What a rule looks for, in words: wordings, conditions and captures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ascend_doctor.docs.markdown import fence, span, table
from ascend_doctor.docs.relations import link
from ascend_doctor.docs.words import word
from ascend_doctor.knowledge.explain import READERS, SOMETIMES
from ascend_doctor.knowledge.index import Knowledge
from ascend_doctor.knowledge.schema import Choice, RuleFile, Variant
from ascend_doctor.records import Lang


def conditions(rule: RuleFile, knowledge: Knowledge, lang: Lang) -> list[str]:
    """Return what a message must look like, and what else must hold."""
    lines: list[str] = []
    if rule.reader is not None and rule.when is not None:
        verdicts = _spans(rule.when.verdict, lang)
        lines.append(word(f"reader_{rule.reader}", lang, verdicts=verdicts))
    else:
        lines += _wordings(rule, lang)
    further = [f"- {said}" for said in _further(rule, knowledge, lang)]
    return [*lines, "", *further] if further else lines


def _wordings(rule: RuleFile, lang: Lang) -> Iterator[str]:
    if len(rule.match) > 1:
        yield word("literals_many", lang)
        for number, variant in enumerate(rule.match, start=1):
            said = "" if variant.regex is None else word("regex_item", lang)
            yield from ("", f"{number}. {_words_of(variant, lang)}{said}")
            if variant.regex is not None:
                yield from ("", *(f"   {line}" for line in fence(variant.regex, "regex")))
        return
    [variant] = rule.match
    yield word("literals_one" if variant.regex is None else "literals_regex", lang)
    yield from ("", _words_of(variant, lang))
    if variant.regex is not None:
        yield from ("", *fence(variant.regex, "regex"))


def _words_of(variant: Variant, lang: Lang) -> str:
    return " … ".join(_choice(choice, lang) for choice in variant.literals)


def _choice(choice: Choice, lang: Lang) -> str:
    """Return a text, or the list of those of which any one will do."""
    if isinstance(choice, str):
        return literal(choice)
    return f"({word('one_of', lang)} {word('or', lang).join(map(literal, choice))})"


def literal(text: str) -> str:
    """Return a part of a log as code; a line end in it as the terminal's list of rules shows it."""
    return span(text.replace("\n", "⏎"))


def _further(rule: RuleFile, knowledge: Knowledge, lang: Lang) -> Iterator[str]:
    if rule.when is not None and rule.when.explainer is not None:
        verdicts = _spans(rule.when.verdict, lang)
        yield word(f"explainer_{rule.when.explainer}", lang, verdicts=verdicts)
    if rule.levels == "any" and rule.reader is None:
        yield word("levels_any", lang)
    if rule.modules:
        yield word("modules", lang, modules=_spans(rule.modules, lang))
    for name in ("record", "process"):
        for choice in getattr(rule.requires, name):
            options = (choice,) if isinstance(choice, str) else choice
            yield word(f"needs_{name}", lang, what=_any_of(options, lang))
    for variable, choice in rule.requires.environment.items():
        options = (choice,) if isinstance(choice, str) else choice
        said = word("or", lang).join(map(span, options))
        yield word("needs_environment", lang, name=span(variable), what=said)
    for name in ("record", "process"):
        if literals := getattr(rule.excludes, name):
            yield word(f"not_{name}", lang, what=_any_of(literals, lang))
    for variable, choice in rule.excludes.environment.items():
        options = (choice,) if isinstance(choice, str) else choice
        said = word("or", lang).join(map(span, options))
        yield word("not_environment", lang, name=span(variable), what=said)
    if rule.outvoted_by is not None:
        other = link(knowledge.rules[rule.outvoted_by], rule.family, lang)
        yield word("outvoted", lang, rule=other)
    if rule.fallback:
        yield word("fallback", lang)
    if rule.quiet:
        yield word("quiet", lang)


def _any_of(literals: Iterable[str], lang: Lang) -> str:
    return word("or", lang).join(map(literal, literals))


def _spans(names: Iterable[str], lang: Lang) -> str:
    return word("comma", lang).join(map(span, names))


def captures(rule: RuleFile, lang: Lang) -> list[str]:
    """Return a table of what the rule captures, of which type and from where."""
    if not rule.captures:
        return []
    header = [word(name, lang) for name in ("name", "type", "from")]
    rows = [
        (span(name), span(kind), word(f"from_{_origin(rule, name)}", lang))
        for name, kind in rule.captures.items()
    ]
    return table(header, rows)


def _origin(rule: RuleFile, name: str) -> str:
    if name in rule.from_followed:
        return "followed"
    if name in rule.from_environment:
        return "environment"
    if rule.reader is not None:
        known = {*SOMETIMES[rule.reader]}.union(*READERS[rule.reader].values())
        return "reader" if name in known else "message"
    written = any(name in variant.groups() for variant in rule.match)
    return "message" if written else "explainer"
