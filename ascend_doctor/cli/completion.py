"""``ascend-doctor completion``."""

from __future__ import annotations

import click

# The name under which it is installed, and the variable that click then looks for.
_PROGRAM = "ascend-doctor"
_VARIABLE = "_ASCEND_DOCTOR_COMPLETE"


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print a script by which a shell completes commands, options and what they take.

    \b
    bash  ascend-doctor completion bash > ~/.local/share/bash-completion/completions/ascend-doctor
    zsh   ascend-doctor completion zsh > ~/.zfunc/_ascend-doctor    (a folder of $fpath)
    fish  ascend-doctor completion fish > ~/.config/fish/completions/ascend-doctor.fish

    Bash must be 4.4 or newer. For the running bash alone: eval "$(ascend-doctor completion bash)".
    """
    from click.shell_completion import get_completion_class

    from ascend_doctor.cli import main

    kind = get_completion_class(shell)
    assert kind is not None
    completer = kind(main, {}, _PROGRAM, _VARIABLE)
    # Not `source()`: for bash it starts one, to warn of an old one on standard error.
    click.echo(completer.source_template % completer.source_vars())
