"""The limits on archives, as a user gives them."""

from __future__ import annotations

import json

import pytest

from tests.ingest.packing import packed

HEALTHY = b"step 1 loss 2.31\n"


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "logs.zip"
    path.write_bytes(packed("zip", {f"{name}.log": HEALTHY * 20_000 for name in "abc"}))
    return path


def skipped(done):
    coverage = json.loads(done.stdout)["coverage"]
    return {part["path"]: part["reason"] for part in coverage["skipped"] + coverage["broken"]}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), {}),
        (("--max-unpacked", "1g"), {}),
        (
            ("--max-members", 1),
            {"logs.zip": "more than 1 members; --max-members raises this limit; {rest}"},
        ),
        (
            ("--max-unpacked", "400K"),
            {
                "logs.zip": "unpacks to more than 400K; --max-unpacked raises this limit; {rest}",
                "logs.zip!b.log": "unpacks to more than 400K; --max-unpacked raises this limit",
            },
        ),
        (
            ("--max-depth", 0),
            {"logs.zip": "packed more than 0 deep; --max-depth raises this limit"},
        ),
    ],
    ids=str,
)
def test_a_limit_names_the_option_that_raises_it_and_fails_a_strict_run(
    run, archive, options, said
):
    (archive.parent / "z.log").write_bytes(HEALTHY)
    done = run("analyze", archive.parent, "-f", "json", "--strict", *options)
    rest = "what follows was not read"
    assert skipped(done) == {path: reason.format(rest=rest) for path, reason in said.items()}
    assert done.exit_code == (2 if said else 0)


@pytest.mark.parametrize("size", ["", "G", "1X", "-1", "1.5G"])
def test_what_is_no_size_is_wrong_usage(run, archive, size):
    done = run("analyze", archive, "--max-unpacked", size)
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (
        2,
        f"Error: Invalid value for '--max-unpacked': {size!r} is no size; "
        "give bytes, or K, M, G or T of them",
    )


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        (
            "en",
            [
                "  Skipped  logs.zip: more than 1 members; --max-members raises this limit; "
                "what follows was not read",
                "           z.bin: binary",
            ],
        ),
        (
            "zh",
            [
                "  未读    logs.zip：成员超过 1 个；可用 --max-members 放宽；其后内容未读",
                "          z.bin：二进制文件",
            ],
        ),
    ],
)
def test_each_skip_stands_on_its_own_line(run, archive, lang, said):
    (archive.parent / "z.bin").write_bytes(bytes(100))
    done = run("analyze", archive.parent, "--max-members", 1, "--lang", lang)
    assert done.stdout.splitlines()[-len(said) :] == said
