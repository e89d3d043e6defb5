"""Two runs compared, from files to the answer."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascend_doctor.comparing.compare import compare
from ascend_doctor.comparing.lines import Lines, numbered
from ascend_doctor.comparing.vocabulary import Vocabulary
from ascend_doctor.comparison import Divergence, Stretch
from ascend_doctor.engines.watch import Watch
from ascend_doctor.errors import InputError
from ascend_doctor.ingest.limits import DEFAULT
from ascend_doctor.ingest.source import Source

FAULT = "ImportError: libhccl.so: cannot open shared object file: No such file or directory"
GOOD = [
    "torch==2.7.1 torch_npu==2.7.1",
    *(f"step {n} loss 2.{n}" for n in range(1, 4)),
    "saved checkpoint",
    "done",
]
BAD = ["torch==2.8.0 torch_npu==2.7.1", "step 1 loss 2.1", "step 2 loss 2.2", FAULT, "bye"]


def lay_out(folder, **files: list[str]):
    for name, lines in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


def told(wordings) -> list[tuple[str, str, int, int, str]]:
    return [
        (item.template, item.level, item.good, item.bad, f"{item.first.path}:{item.first.line}")
        for item in wordings
    ]


def test_what_is_new_more_and_gone(tmp_path):
    good = lay_out(tmp_path / "good", train=[*GOOD, "retry 1"])
    bad = lay_out(tmp_path / "bad", train=[*BAD, *(f"retry {n}" for n in range(12))])
    found = compare(good, bad)
    assert told(found.new) == [
        ("ImportError: libhccl.so: cannot open shared object file: No such file or directory",
         "ERROR", 0, 1, "train:4"),
        ("bye", "", 0, 1, "train:5"),
    ]  # fmt: skip
    assert told(found.more) == [("retry #", "", 1, 12, "train:6")]
    assert told(found.gone) == [
        ("saved checkpoint", "", 1, 0, "train:5"),
        ("done", "", 1, 0, "train:6"),
    ]
    assert [d.rule for d in found.new_diagnoses] == ["not-found-shared-library"]
    assert found.environment["torch"] == ("2.7.1", "2.8.0")
    assert found.cut is False


def test_where_it_leaves_the_path_with_lines_around(tmp_path):
    found = compare(lay_out(tmp_path / "good", train=GOOD), lay_out(tmp_path / "bad", train=BAD))
    (divergence,) = found.divergences
    assert divergence == Divergence(
        process="train",
        good=Stretch(
            "train",
            (
                (1, GOOD[0]), (2, "step 1 loss 2.1"), (3, "step 2 loss 2.2"),
                (4, "step 3 loss 2.3"), (5, "saved checkpoint"), (6, "done"),
            ),
            4,
        ),
        bad=Stretch(
            "train",
            ((1, BAD[0]), (2, "step 1 loss 2.1"), (3, "step 2 loss 2.2"), (4, FAULT), (5, "bye")),
            4,
        ),
    )  # fmt: skip


def test_ranks_of_one_output_are_compared_with_themselves(tmp_path):
    def steps(last: dict[int, int]) -> list[str]:
        order = [(n, rank) for n in range(5) for rank in (0, 1, 2) if n < last[rank]]
        return [f"[rank{rank}]: step {n}" for n, rank in order]

    good = lay_out(tmp_path / "good", **{"out.log": [*steps({0: 5, 1: 5, 2: 5}), "end"]})
    bad = [*steps({0: 5, 1: 2, 2: 5}), "[rank1]: lost card 3", "end"]
    bad.insert(4, "[rank1]: card 3 is hot")
    found = compare(good, lay_out(tmp_path / "bad", **{"out.log": bad}))
    assert [(d.process, d.bad.at, d.good.at) for d in found.divergences] == [("rank 1", 5, 5)]
    assert found.divergences[0].bad.lines == (
        (2, "step 0"), (5, "card 3 is hot"), (6, "step 1"), (14, "lost card 3"),
    )  # fmt: skip
    assert [w.first.origin.rank for w in found.new] == [1, 1]


def test_a_run_that_only_ends_early_is_told_last(tmp_path):
    good = lay_out(tmp_path / "good", rank_0__a=GOOD, rank_1__a=GOOD)
    bad = lay_out(tmp_path / "bad", rank_0__a=GOOD[:3], rank_1__a=[*GOOD[:2], "odd", "done"])
    found = compare(good, bad)
    assert [(d.process, d.ends, d.bad.at, d.good.at) for d in found.divergences] == [
        ("rank 1", False, 3, 3),
        ("rank 0", True, None, 4),
    ]


def test_a_run_does_not_differ_from_itself(tmp_path):
    good = lay_out(tmp_path / "good", train=BAD)
    bad = lay_out(tmp_path / "bad", train=BAD)
    found = compare(good, bad)
    assert (
        found.new, found.more, found.gone, found.new_diagnoses, found.gone_diagnoses,
        found.environment, found.divergences,
    ) == ((), (), (), (), (), {}, ())  # fmt: skip


def test_archives_are_read_where_they_lie(tmp_path):
    good = lay_out(tmp_path / "good", train=GOOD)
    with zipfile.ZipFile(tmp_path / "bad.zip", "w", zipfile.ZIP_DEFLATED) as pack:
        pack.writestr("logs/train", "".join(f"{line}\n" for line in BAD))
    found = compare(good, tmp_path / "bad.zip")
    assert "bad.zip!logs/train:4" in [f"{w.first.path}:{w.first.line}" for w in found.new]
    assert [d.bad.at for d in found.divergences] == [4]


def test_what_is_no_log_is_left_out(tmp_path):
    good = lay_out(tmp_path / "good", train=GOOD)
    bad = lay_out(tmp_path / "bad", train=GOOD, op=["Device_id,Op Name", "0,MatMul"])
    (bad / "core").write_bytes(bytes(1000))
    assert told(compare(good, bad).new) == []


def test_more_lines_than_can_be_ordered_are_told_to_be(tmp_path):
    lines = Lines(Vocabulary(), max_ordered=3)
    lines.read([lay_out(tmp_path / "run", train=GOOD)], DEFAULT, Watch())
    assert lines.is_cut
    assert [len(written.wordings) for written in lines.sequences.values()] == [3]
    # They are counted nevertheless.
    assert sum(lines.counts.values()) == len(GOOD)


def test_lines_of_more_writers_than_are_told_apart_are_those_of_their_file(tmp_path):
    lines = Lines(Vocabulary(), max_writers=2)
    printed = [f"[rank{rank}]: up" for rank in (0, 1, 2, 3, 1)]
    lines.read([lay_out(tmp_path / "run", train=printed)], DEFAULT, Watch())
    assert lines.is_cut
    assert {writer: [*w.numbers] for writer, w in lines.sequences.items()} == {
        ("rank 0", "train", 0): [1],
        ("rank 1", "train", 0): [2, 5],
        ("", "train", 0): [3, 4],
    }


def test_a_missing_run_is_an_error(tmp_path):
    with pytest.raises(InputError, match="gone: no such file or folder"):
        compare(lay_out(tmp_path / "good", train=GOOD), tmp_path / "gone")


class Dribble(io.BytesIO):
    """A stream that gives few bytes at a time."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        super().__init__(data)
        self._sizes = sizes

    def read(self, size: int | None = -1) -> bytes:
        return super().read(self._sizes.pop() if self._sizes else size)


@given(
    st.lists(st.text("ab\r", max_size=4), max_size=20).map("\n".join),
    st.lists(st.integers(1, 9), max_size=20),
)
def test_lines_are_whole_however_they_are_read(text, sizes):
    data = text.encode()
    source = Source("x", lambda: Dribble(data, [*sizes]))
    found = [
        (number + at, line)
        for number, block in numbered(source)
        for at, line in enumerate(block.split(b"\n"))
    ]
    lines = [*enumerate(data.split(b"\n"), start=1)]
    # What stands behind the last newline is a line if there is anything.
    assert found == (lines if lines[-1][1] else lines[:-1])
