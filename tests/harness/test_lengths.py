"""``harness lengths``: the table, the picture, and files that are none."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from ascend_doctor.harness.lengths import cut, mix

TABLE = """\
4 documents, 50 tokens on average, at most 100 a row

| policy | effective | slots a token | batches | shapes |
|---|---:|---:|---:|---:|
| padded | 50.0% | 2.00 | 2 | 1 |
| batch-max | 66.7% | 1.50 | 2 | 2 |
| gears | 50.0% | 2.00 | 2 | 1 |
| grouped | 71.4% | 1.40 | 2 | 2 |
| budget | 87.0% | 1.15 | 3 | 3 |
| packed | 100.0% | 1.00 | 2 | 1 |
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "lengths.jsonl"
    path.write_text(
        '10\n{"length": 40}\n\n{"input_ids": [' + ", ".join("0" * 50) + "]}\n"
        '{"text": "' + "\u6c49" * 33 + 'x"}\n',
        encoding="utf-8",
    )
    return path


def test_the_table_says_what_each_policy_pads(run, file):
    done = run(
        "harness", "lengths", file, "--max-length", 100, "--batch-size", 2,
        "--tokens-per-batch", 100,
    )  # fmt: skip
    assert (done.exit_code, done.output) == (0, TABLE)


def test_the_picture_is_drawn_in_both_languages(run, file, tmp_path):
    for lang, title in (("en", "Effective tokens"), ("zh", "各批处理策略的有效 token 占比")):
        path = tmp_path / f"{lang}.svg"
        assert run("harness", "lengths", file, "--svg", path, "--lang", lang).exit_code == 0
        root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
        assert root.find("{http://www.w3.org/2000/svg}title").text.startswith(title)


def test_the_mix_is_the_articles():
    lengths = mix(20_000)
    shares = [
        sum(low <= n <= high for n in lengths) / len(lengths)
        for low, high in ((8, 127), (128, 512), (513, 1024))
    ]
    assert [round(share, 1) for share in shares] == [0.5, 0.3, 0.2]


def test_long_documents_are_cut():
    assert cut([5, 8, 0, 17], 8) == [5, 8, 8, 8, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "holds no length"),
        (b"10\nten\n", "2: neither a number nor JSON"),
        (b"[10]\n", "1: JSON, but no object with length, input_ids or text"),
        (b'{"label": 1}\n', "1: has no length, input_ids or text"),
        (b"10\n0\n", "2: a length must be at least 1"),
        (b'{"length": -4}\n', "1: a length must be at least 1"),
        (b"\xff\xfe1\n", "no UTF-8 text"),
        (b"[" * 100_000, "1: neither a number nor JSON"),
    ],
)
def test_a_file_of_no_lengths_is_one_line(run, tmp_path, text, message):
    path = tmp_path / "odd"
    path.write_bytes(text)
    done = run("harness", "lengths", path)
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert done.output.startswith(f"error: {path}:")
    assert message in done.output


def test_a_file_that_is_missing_is_one_line(run, tmp_path):
    done = run("harness", "lengths", tmp_path / "none")
    path = tmp_path / "none"
    assert (done.exit_code, done.output) == (2, f"error: {path}: no such file or directory\n")
