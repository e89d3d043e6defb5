"""``ascend-doctor explain``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

import click

from ascend_doctor.cli import completing, exits, parameters
from ascend_doctor.cli.terminal import screen, standard_input, standard_output
from ascend_doctor.reporters.language import choose
from ascend_doctor.reporters.safe import visible
from ascend_doctor.view.encoding import shown

# A paste, not a log: whole logs are for `analyze`.
MAX_TEXT = 4 << 20
# Characters of unknown terms that are repeated in an error.
MAX_NAMES = 400


@click.command("explain")
@click.argument("terms", nargs=-1, metavar="CODE...", shell_complete=completing.terms)
@click.option(
    "-f",
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What to write.",
)
@parameters.lang("answer")
@click.pass_context
def command(ctx: click.Context, terms: tuple[str, ...], format_: str, lang: str) -> None:
    """Say what a code, an environment variable, a threshold or a term means.

    CODE is an ACL number (507018), a runtime code (0x7110001), an HCCL errNo, an E or W code
    (EI0002), an ERR code, a symbolic name, an environment variable, an id of a rule, a
    threshold (idle-share), a word of profiles (Preparing), or a term such as
    variable_seq_lengths. With - or without CODE, a text is read from standard input, and
    everything known in it is explained.

    \b
    Exit codes
      0  all of it is known
      1  something is not
      2  wrong usage
      3  the text names nothing that is known
    """
    from ascend_doctor.knowledge import index
    from ascend_doctor.knowledge.glossary import Glossary
    from ascend_doctor.reporters import explanation

    output = standard_output("utf-8" if format_ == "json" else None)
    known = Glossary(index.load())
    if "-" in terms and len(terms) > 1:
        raise click.UsageError("- stands for standard input, and stands alone")
    if terms in ((), ("-",)):
        text = standard_input(
            MAX_TEXT, is_asked=bool(terms), otherwise="name a code, or pipe a text in"
        )
        terms = tuple(known.terms_in(text))
        if not terms:
            click.echo("error: the text names no code, variable or term that is known", err=True)
            ctx.exit(exits.NO_INPUT)
    else:
        terms = tuple(shown(os.fsencode(term)) for term in terms)
    told = [known.explain(term) for term in terms]
    if format_ == "json":
        text = explanation.render_json(told)
    else:
        text = explanation.render(told, choose(lang), **screen(output))
    click.echo(text, output, nl=False)
    unknown = [item.term for item in told if not item.is_known]
    if unknown:
        names = visible(", ".join(unknown))
        names = names if len(names) <= MAX_NAMES else names[:MAX_NAMES] + " …"
        click.echo(f"error: not known: {names}{_hint(unknown)}", err=True)
    ctx.exit(exits.FINDINGS if unknown else exits.OK)


def _hint(unknown: Sequence[str]) -> str:
    """Say how the text of a file is explained, if one was named."""
    file = next((term for term in unknown if os.path.isfile(term)), None)
    if file is None:
        return ""
    return visible(f"; for the text in it: ascend-doctor explain < {shlex.quote(file)}")
