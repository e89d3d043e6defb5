"""What a training begins with: its documents, its model, and what is said of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness import lengths
from ascend_doctor.harness.batching import effective, plan
from ascend_doctor.harness.devices import Device
from ascend_doctor.harness.train import attention, corpus
from ascend_doctor.harness.train.config import Config
from ascend_doctor.harness.train.corpus import Corpus
from ascend_doctor.harness.train.model import Decoder
from ascend_doctor.harness.train.precision import DTYPES

Say = Callable[[str], None]


def documents(config: Config, say: Say) -> tuple[Corpus, Corpus]:
    """Return the documents to train on, and those that are held out.

    Raises:
        HarnessError: they cannot be read, or are too few.
    """
    data, batching, vocab = config.data, config.batching, config.model.vocab
    if data.source == lengths.MIX_NAME:
        sizes = lengths.mix(data.documents + data.held_out, config.training.seed)
        pieces = lengths.cut(sizes, batching.max_length)
        whole = corpus.made_up([n for n in pieces if n > 1], vocab, config.training.seed)
    else:
        whole = corpus.read(Path(data.source), vocab, batching.max_length)
    found, held_out = whole.split(data.held_out)
    noted = [f"{found.cut:,} cut at {batching.max_length:,} tokens"] if found.cut else []
    noted += [f"{found.left_out:,} too short" if found.left_out else ""]
    groups = plan(found.lengths, batching, config.training.seed)
    share = effective(found.lengths, groups)
    say(", ".join(filter(None, [f"data: {data.source}, {len(found):,} documents", *noted])))
    say(f"batching: {batching.policy}, {share:.1%} of the work is on tokens, not on padding")
    return found, held_out


def model(config: Config, device: Device, say: Say) -> Decoder:
    """Return the model on the device, with the attention that works there.

    Raises:
        HarnessError: the attention that was asked for does not.
    """
    shape, training = config.model, config.training
    batching = config.batching
    way = attention.choose(
        device,
        heads=shape.heads,
        kv_heads=shape.kv_heads,
        each=shape.width // shape.heads,
        max_length=max(batching.max_length, batching.tokens_per_batch),
        dtype=DTYPES[training.precision],
        wanted=training.attention,
        is_compiled=training.compile != "off",
    )
    if batching.policy == "packed":
        said = f"; {way.reason}" if way.reason else ""
        checked = "the plain loop" if way.name == "loop" else f"{way.name}, equal to the plain loop"
        say(f"attention: {checked}{said}")
    made = Decoder(shape, way.attend)
    if training.precision == "fp64":
        made = made.double()
    made = made.to(device.torch)
    size = sum(parameter.numel() for parameter in made.parameters())
    say(f"model: {size:,} parameters on {device.name} ({device.hardware})")
    return made


def check_resumed(config: Config, before: dict[str, dict[str, object]], path: Path) -> None:
    """Check that a checkpoint was made with what decides on the outcome.

    Raises:
        HarnessError: it was not; the message names the keys.
    """
    odd = []
    for section, values in config.as_json().items():
        for name, value in values.items():
            key = f"{section}.{name}"
            if key not in _FREE and before.get(section, {}).get(name) != value:
                odd.append(f"{key} is {value}, was {before.get(section, {}).get(name)}")
    if odd:
        raise HarnessError(f"{path} cannot be gone on from: {'; '.join(odd)}")


# What changes nothing that is learned, but for the last bits.
_FREE = {
    *(f"data.{name}" for name in ("workers", "prefetch", "pin_memory", "timeout_s")),
    *(
        f"training.{name}"
        for name in (
            "compile", "compile_backend", "compile_cache", "attention", "sync", "threads",
            "evaluate_every", "checkpoint_every", "keep",
        )
    ),
}  # fmt: skip
