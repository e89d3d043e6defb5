"""The code tables that ``explain`` reads, a page a table, with what is written on single codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ascend_doctor.docs.markdown import anchor, generated, numbered, page, prose, section, table
from ascend_doctor.docs.words import word
from ascend_doctor.knowledge.codes import Code
from ascend_doctor.knowledge.index import Knowledge, Page
from ascend_doctor.records import LANGS, Lang

TABLES = ("acl", "error_manager", "hccl", "torch_npu")
_WITH_NOTE = ("hccl",)


def pages(knowledge: Knowledge) -> Iterator[tuple[str, str]]:
    """Yield path and text of all pages."""
    for lang in LANGS:
        yield f"{lang}/codes/README.md", _index(knowledge, lang)
        for name in TABLES:
            yield f"{lang}/codes/{name}.md", _table(name, knowledge, lang)
        yield f"{lang}/codes/runtime.md", _runtime(knowledge, lang)


def place(table_name: str, code: str, knowledge: Knowledge) -> str:
    """Return where a code with a text of its own is told, from the folder of the codes."""
    rows = _rows(table_name, knowledge)
    return f"{table_name}.md#{anchor(_heading(code, rows))}"


def links(path: str, lang: Lang) -> str:
    """Return the line of links that begins a page ``codes/…``."""
    other = "zh" if lang == "en" else "en"
    return (
        f"[{word('other', lang)}](../../{other}/codes/{path})"
        f" · [{word('codes', lang)}](README.md) · [{word('index', lang)}](../README.md)"
    )


def _rows(name: str, knowledge: Knowledge) -> Mapping[str, Code]:
    rows = {row.code: row for row in knowledge.codes.rows() if row.table == name}
    # HCCL's are small numbers; those of the other tables all have the same length.
    return dict(sorted(rows.items(), key=lambda item: (len(item[0]), item[0])))


def _heading(code: str, rows: Mapping[str, Code]) -> str:
    """Return what people know a code by; a page may be on one that stands in no table."""
    return rows[code].label if code in rows else code


def _index(knowledge: Knowledge, lang: Lang) -> str:
    counts = {name: len(_rows(name, knowledge)) for name in TABLES}
    counts["runtime"] = len(knowledge.codes.runtime)
    return page(
        (
            generated("patterns/codes/"),
            f"# {word('codes', lang)}",
            "",
            links("README.md", lang),
            "",
            word("codes_intro", lang),
            "",
            *(f"- [{word(name, lang)}]({name}.md): {count}" for name, count in counts.items()),
        )
    )


def _table(name: str, knowledge: Knowledge, lang: Lang) -> str:
    rows, written = _rows(name, knowledge), knowledge.pages[name]
    header = [word(key, lang) for key in ("code", "name", "family", "role", "meaning")]
    cells = [
        (
            _linked(row, rows, written),
            "" if row.name == "-" else prose(row.name),
            f"[{row.family}](../rules/{row.family}/README.md)",
            word(f"short_{row.role}", lang),
            prose(row.meaning[lang]),
        )
        for row in rows.values()
    ]
    ordered = sorted(written, key=lambda code: (len(code), code))
    further = [line for code in ordered for line in _told(code, written[code], rows, lang)]
    return page(
        (
            generated(f"patterns/codes/{name}.tsv and patterns/glossary/{name}.yaml"),
            f"# {word(name, lang)}",
            "",
            links(f"{name}.md", lang),
            "",
            word("codes_intro", lang),
            *(("", word(f"{name}_note", lang)) if name in _WITH_NOTE else ()),
            "",
            *table(header, cells),
            *section(word("more_on", lang), further),
        )
    )


def _linked(row: Code, rows: Mapping[str, Code], written: Mapping[str, Page]) -> str:
    if row.code not in written:
        return row.code
    return f"[{row.code}](#{anchor(_heading(row.code, rows))})"


def _told(code: str, told: Page, rows: Mapping[str, Code], lang: Lang) -> Iterator[str]:
    yield from (f"### {_heading(code, rows)}", "")
    row = rows.get(code)
    if row is not None:
        other = row.code if row.table == "hccl" else row.name
        if other != "-":
            yield from (prose(other), "")
    yield from (prose(told.means[lang]), "")
    for name, steps in (("usually", told.causes[lang]), ("next", told.next[lang])):
        if steps:
            yield from (f"**{word(name, lang)}**", "", *numbered(steps), "")


def _runtime(knowledge: Knowledge, lang: Lang) -> str:
    acl = _rows("acl", knowledge)
    written = knowledge.pages["acl"]
    header = [word("code", lang), word("name", lang), "ACL", word("meaning", lang)]
    cells = []
    for code, (name, number) in knowledge.codes.runtime.items():
        target = place("acl", number, knowledge) if number in written else "acl.md"
        linked = f"[{number}]({target})"
        cells.append((code, prose(name), linked, prose(acl[number].meaning[lang])))
    return page(
        (
            generated("patterns/codes/runtime.tsv"),
            f"# {word('runtime', lang)}",
            "",
            links("runtime.md", lang),
            "",
            word("runtime_note", lang),
            "",
            *table(header, cells),
        )
    )
