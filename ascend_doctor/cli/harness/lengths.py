"""``ascend-doctor harness lengths``."""

from __future__ import annotations

from pathlib import Path

import click

from ascend_doctor.cli import files, parameters
from ascend_doctor.cli.terminal import standard_output
from ascend_doctor.errors import HarnessError
from ascend_doctor.reporters.language import choose


@click.command("lengths")
@click.argument("source", metavar="FILE|mix")
@click.option("--max-length", type=click.IntRange(2), default=1024, show_default=True,
              help="Longest row in tokens; longer documents are cut.")  # fmt: skip
@click.option("--batch-size", type=click.IntRange(1), default=8, show_default=True,
              help="Documents in a padded batch.")  # fmt: skip
@click.option("--tokens-per-batch", type=click.IntRange(2), default=2048, show_default=True,
              help="Slots of a packed batch, and the most of one by token budget.")  # fmt: skip
@click.option("--count", type=click.IntRange(1, 1_000_000), default=8000, show_default=True,
              help="How many documents to draw from the mix.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all chance.")
@click.option("--svg", "picture", type=parameters.NamedPath(path_type=Path, dir_okay=False),
              help="Also draw it into this SVG file.")  # fmt: skip
@parameters.lang("table")
def command(
    source: str,
    max_length: int,
    batch_size: int,
    tokens_per_batch: int,
    count: int,
    seed: int,
    picture: Path | None,
    lang: str,
) -> None:
    """Show how much of the work is padding under each batching policy; needs no torch.

    FILE has a length in tokens a line, or is JSONL with length, input_ids or text (whose bytes
    count). mix draws the lengths of the article on variable-length training: half below 128
    tokens, three in ten up to 512, the rest up to 1024.
    """
    from ascend_doctor.harness import lengths
    from ascend_doctor.harness.batching import Batching

    output = standard_output()
    language = choose(lang)
    is_mix = source == lengths.MIX_NAME
    found = lengths.mix(count, seed) if is_mix else lengths.read(Path(source))
    try:
        batching = Batching(
            max_length=max_length, batch_size=batch_size, tokens_per_batch=tokens_per_batch
        )
        rows = lengths.compare(found, batching, seed)
    except ValueError as err:
        raise HarnessError(str(err)) from err
    said = lengths.basis(found, max_length, language)
    click.echo(f"{said}\n\n{lengths.table(rows, language)}", output, nl=False)
    if picture is not None:
        files.replace(picture, lengths.svg(rows, said, language))
