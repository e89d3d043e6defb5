"""The reference of the command line: all of it, in both languages."""

from __future__ import annotations

import click
import pytest

from ascend_doctor.docs import commands


@click.group()
def program():
    """Do things.

    \b
    one    the first thing
    two    the second

    More of it, in
    ``two`` lines.
    """


@program.command("one", hidden=True)
def one():
    """Nobody sees this."""


@program.command("two")
@click.argument("paths", nargs=-1)
@click.option(
    "-n", "--number", type=click.IntRange(1), default=3, show_default=True, help="How many|much."
)
@click.option("--name", required=True, metavar="<NAME>", help="What it is called.")
@click.option("--kind", help="Of which kind.  [default: what it looks like]")
@click.option("--hidden", hidden=True, help="Nobody sees this.")
def two(**options):
    """Do the second thing."""


REFERENCE = """\
## ascend-doctor

```console
ascend-doctor [OPTIONS] COMMAND [ARGS]...
```

Do things.

```text
one    the first thing
two    the second
```

More of it, in `two` lines.

## ascend-doctor two

```console
ascend-doctor two [OPTIONS] [PATHS]...
```

Do the second thing.

| Option | Meaning | Default |
| --- | --- | --- |
| `-n, --number INTEGER RANGE` | How many\\|much. (`x>=1`) | `3` |
| `--name <NAME>` | What it is called. (required) |  |
| `--kind TEXT` | Of which kind. | what it looks like |
"""


@pytest.fixture
def of_program(monkeypatch):
    monkeypatch.setattr(commands, "main", program)
    return lambda lang: "".join(text for path, text in commands.pages() if path.startswith(lang))


def test_the_reference_is_what_the_commands_say(of_program):
    assert of_program("en").partition("\n\n## ")[2] == REFERENCE.removeprefix("## ")


def test_the_chinese_reference_has_the_texts_in_chinese(of_program, monkeypatch):
    known = {
        "Do things.": "做事。",
        "one    the first thing\ntwo    the second": "one    甲\ntwo    乙",
    }
    monkeypatch.setattr(commands, "chinese", lambda: known)
    text = of_program("zh")
    assert "\n做事。\n\n```text\none    甲\ntwo    乙\n```\n\nMore of it" in text
    assert "| `--name <NAME>` | What it is called.（必填） |  |\n" in text


def test_every_text_of_the_commands_is_there_in_chinese_and_no_other():
    said, known = {*commands.texts()}, {*commands.chinese()}
    where = "ascend_doctor/docs/commands.zh.yaml"
    assert (said - known, known - said) == (set(), set()), f"write them into {where}"
