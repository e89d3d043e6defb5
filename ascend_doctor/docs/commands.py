"""The reference of the command line, from the commands themselves.

The commands speak English. ``commands.zh.yaml`` has each of their texts in Chinese, found by the
English one, so that a text that changes is missed at once; what is missing is shown in English.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import click

from ascend_doctor.cli import main
from ascend_doctor.docs.markdown import fence, generated, page, prose, span, table
from ascend_doctor.docs.words import word
from ascend_doctor.knowledge.load import load_yaml
from ascend_doctor.records import LANGS, Lang

_PROGRAM = "ascend-doctor"
_CHINESE = Path(__file__).with_name("commands.zh.yaml")
# How click marks a paragraph that is laid out by hand.
_AS_IT_IS = "\b"

_Say = Callable[[str], str]


def pages() -> Iterator[tuple[str, str]]:
    """Yield path and text of the reference in each language."""
    for lang in LANGS:
        yield f"{lang}/cli.md", page(_lines(lang))


def texts() -> Iterator[str]:
    """Yield every text that the commands show as help: paragraphs, then options."""
    for ctx in _commands():
        yield from _paragraphs(ctx.command)
        for option in _options(ctx):
            yield from filter(None, _told(option))


@cache
def chinese() -> Mapping[str, str]:
    """Return the texts in Chinese, by the English ones."""
    _, entries = load_yaml(_CHINESE)
    return {entry["en"].strip("\n"): entry["zh"].strip("\n") for entry in entries}


def _lines(lang: Lang) -> Iterator[str]:
    def say(text: str) -> str:
        return text if lang == "en" else chinese().get(text, text)

    other = "zh" if lang == "en" else "en"
    yield generated("the commands")
    yield from (f"# {word('commands', lang)}", "")
    yield f"[{word('other', lang)}](../{other}/cli.md) · [{word('index', lang)}](README.md)"
    yield from ("", word("commands_intro", lang), "")
    for ctx in _commands():
        yield from _command(ctx, say, lang)


def _commands() -> Iterator[click.Context]:
    """Yield a context for each command, groups before what is in them."""
    waiting = [click.Context(main, info_name=_PROGRAM)]
    while waiting:
        ctx = waiting.pop()
        yield ctx
        if isinstance(ctx.command, click.Group):
            for name in reversed(ctx.command.list_commands(ctx)):
                command = ctx.command.get_command(ctx, name)
                assert command is not None
                if not command.hidden:
                    waiting.append(click.Context(command, parent=ctx, info_name=name))


def _command(ctx: click.Context, say: _Say, lang: Lang) -> Iterator[str]:
    yield from (f"## {ctx.command_path}", "")
    usage = " ".join((ctx.command_path, *ctx.command.collect_usage_pieces(ctx)))
    yield from fence(usage, "console")
    for text in _paragraphs(ctx.command):
        yield ""
        told = say(text)
        yield from fence(told) if "\n" in text else [prose(told)]
    options = _options(ctx)
    rows = [_row(option, ctx, say, lang) for option in options]
    if rows:
        header = [word(name, lang) for name in ("option", "meaning", "default")]
        yield from ("", *table(header, rows))
    yield ""


def _paragraphs(command: click.Command) -> Iterator[str]:
    """Yield the paragraphs of a command's help; those laid out by hand have several lines."""
    for text in inspect.cleandoc(command.help or "").split("\n\n"):
        lines = text.split("\n")
        if lines[0].strip() == _AS_IT_IS:
            yield "\n".join(lines[1:])
        elif text:
            yield " ".join(text.split()).replace("``", "`")


def _options(ctx: click.Context) -> list[click.Option]:
    """Return the options of a command, without those that all have."""
    return [
        option
        for option in ctx.command.params
        if isinstance(option, click.Option) and not option.hidden
    ]


def _told(option: click.Option) -> tuple[str, str]:
    """Return the help of an option, and the default that it speaks of itself."""
    text, _, default = (option.help or "").partition("  [default: ")
    return text, default.removesuffix("]")


def _row(option: click.Option, ctx: click.Context, say: _Say, lang: Lang) -> tuple[str, str, str]:
    record = option.get_help_record(ctx)
    assert record is not None
    names, told = record
    text, default = _told(option)
    if default:
        return span(names), prose(say(text)), prose(say(default))
    # What click adds: the default value, the range of a number.
    extra = told.removeprefix(text).strip().removeprefix("[").removesuffix("]")
    parts = [part for part in extra.split("; ") if part]
    defaults = [part.removeprefix("default: ") for part in parts if part.startswith("default: ")]
    limits = [part for part in parts if not part.startswith("default: ")]
    said = prose(say(text))
    shown = [word("required", lang) if part == "required" else span(part) for part in limits]
    if shown:
        inner = word("comma", lang).join(shown)
        said += f" ({inner})" if lang == "en" else f"（{inner}）"
    return span(names), said, word("comma", lang).join(map(span, defaults))
