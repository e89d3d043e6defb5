"""Lengths of documents, and how much of each policy's work is padding."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from ascend_doctor.errors import HarnessError
from ascend_doctor.harness.batching import POLICIES, Batching, Group, Policy, effective, plan
from ascend_doctor.records import Lang

# Half below 128 tokens, three in ten up to 512, the rest above: the article's service of queries.
# Within a class lengths are uniform, since it says no more.
MIX = ((0.5, 8, 127), (0.3, 128, 512), (0.2, 513, 1024))
MIX_NAME = "mix"
# More lengths than this change no share by a thousandth.
MAX_LENGTHS = 1_000_000
# Longer documents than this are none.
MAX_LENGTH = 1_000_000_000
_NUMBER = re.compile(r"[0-9]{1,19}")


def mix(count: int, seed: int = 0) -> list[int]:
    """Return ``count`` lengths in tokens as the article describes them."""
    chance = random.Random(seed)  # noqa: S311
    shares = [share for share, _, _ in MIX]
    return [
        chance.randint(low, high) for _, low, high in chance.choices(MIX, weights=shares, k=count)
    ]


def read(path: Path) -> list[int]:
    """Return the lengths of a file: a number a line, or JSONL with ``length``, ``input_ids`` or
    ``text``, whose bytes count.

    Raises:
        HarnessError: it cannot be read, or a line is none of these.
    """
    lengths: list[int] = []
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    lengths.append(_length(line.strip(), f"{path}:{number}"))
                if len(lengths) >= MAX_LENGTHS:
                    break
    except UnicodeDecodeError as err:
        raise HarnessError(f"{path}: no UTF-8 text") from err
    except OSError as err:
        raise HarnessError(f"{path}: {(err.strerror or str(err)).lower()}") from err
    if not lengths:
        raise HarnessError(f"{path}: holds no length")
    return lengths


def _length(line: str, where: str) -> int:
    if _NUMBER.fullmatch(line):
        length = int(line)
    else:
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as err:
            raise HarnessError(f"{where}: neither a number nor JSON") from err
        if not isinstance(data, dict):
            raise HarnessError(f"{where}: JSON, but no object with length, input_ids or text")
        if isinstance(data.get("length"), int):
            length = data["length"]
        elif isinstance(data.get("input_ids"), list):
            length = len(data["input_ids"])
        elif isinstance(data.get("text"), str):
            length = len(data["text"].encode(errors="replace"))
        else:
            raise HarnessError(f"{where}: has no length, input_ids or text")
    if length < 1:
        raise HarnessError(f"{where}: a length must be at least 1")
    if length > MAX_LENGTH:
        raise HarnessError(f"{where}: a length must be at most {MAX_LENGTH:,}")
    return length


def cut(lengths: Sequence[int], max_length: int) -> list[int]:
    """Return the lengths when what is longer than ``max_length`` is cut into several.

    They are at most ``MAX_LENGTHS``.
    """
    found: list[int] = []
    for length in lengths:
        whole, rest = divmod(length, max_length)
        found += [max_length] * min(whole, MAX_LENGTHS - len(found)) + ([rest] if rest else [])
        if len(found) >= MAX_LENGTHS:
            break
    return found[:MAX_LENGTHS]


@dataclass(frozen=True, slots=True)
class Row:
    """What one policy makes of the lengths."""

    policy: Policy
    effective: float
    """Share of slots that hold a token."""
    batches: int
    shapes: int
    """Different shapes of batches: graphs to compile where shapes are not dynamic."""


def compare(lengths: Sequence[int], batching: Batching, seed: int = 0) -> list[Row]:
    """Return a row for each policy, least effective as given in ``POLICIES`` first.

    Raises:
        ValueError: ``batching`` is of no use for some policy.
    """
    pieces = cut(lengths, batching.max_length)
    gears = tuple(gear for gear in batching.gears if gear < batching.max_length)
    usable = replace(batching, gears=(*gears, batching.max_length))
    rows = []
    for policy in POLICIES:
        groups = plan(pieces, replace(usable, policy=policy), seed)
        rows.append(
            Row(policy, effective(pieces, groups), len(groups), len({*map(_shape, groups)}))
        )
    return rows


def _shape(group: Group) -> tuple[int, int]:
    return (1 if group.is_packed else len(group.documents), group.width)


_WORDS: Mapping[Lang, Mapping[str, str]] = {
    "en": {
        "title": "Effective tokens by batching policy",
        "basis": "{count:,} documents, {mean:,.0f} tokens on average, at most {max_length:,} a row",
        "policy": "policy",
        "effective": "effective",
        "batches": "batches",
        "shapes": "shapes",
        "work": "slots a token",
    },
    "zh": {
        "title": "各批处理策略的有效 token 占比",
        "basis": "{count:,} 条文档，平均 {mean:,.0f} 个 token，每行至多 {max_length:,} 个",
        "policy": "策略",
        "effective": "有效占比",
        "batches": "batch 数",
        "shapes": "shape 数",
        "work": "每 token 槽位",
    },
}


def basis(lengths: Sequence[int], max_length: int, lang: Lang) -> str:
    """Return the sentence that says what lengths the shares are of."""
    mean = sum(lengths) / len(lengths)
    return _WORDS[lang]["basis"].format(count=len(lengths), mean=mean, max_length=max_length)


def table(rows: Sequence[Row], lang: Lang) -> str:
    """Return the rows as a Markdown table."""
    words = _WORDS[lang]
    names = ("policy", "effective", "work", "batches", "shapes")
    lines = [
        "| " + " | ".join(words[name] for name in names) + " |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row.policy} | {row.effective:.1%} | {1 / row.effective:.2f} "
        f"| {row.batches:,} | {row.shapes:,} |"
        for row in rows
    ]
    return "".join(f"{line}\n" for line in lines)


def svg(rows: Sequence[Row], said: str, lang: Lang) -> str:
    """Return the rows as bars, in an SVG that loads nothing."""
    height = 64 + 28 * len(rows)
    bars = "".join(_bars(rows))
    title = escape(_WORDS[lang]["title"])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {height}" role="img"'
        f' font-family="sans-serif" font-size="13" lang="{lang}">\n'
        f"<title>{title}</title>\n"
        f'<rect width="640" height="{height}" fill="#fff"/>\n'
        f'<text x="16" y="24" font-size="15" font-weight="bold" fill="#222">{title}</text>\n'
        f'<text x="16" y="44" fill="#555">{escape(said)}</text>\n'
        f"{bars}</svg>\n"
    )


def _bars(rows: Sequence[Row]) -> Iterator[str]:
    for number, row in enumerate(rows):
        top = 58 + 28 * number
        width = 440 * row.effective
        yield (
            f'<text x="110" y="{top + 15}" text-anchor="end" fill="#222">{row.policy}</text>\n'
            f'<rect x="120" y="{top}" width="440" height="20" fill="#e6e6e6"/>\n'
            f'<rect x="120" y="{top}" width="{width:.1f}" height="20" fill="#2b6cb0"/>\n'
            f'<text x="568" y="{top + 15}" fill="#222">{row.effective:.1%}</text>\n'
        )
