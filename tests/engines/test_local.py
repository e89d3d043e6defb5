"""Any number of processes: the same facts, whatever the input, and whatever dies."""

from __future__ import annotations

import copy
import errno
import os
import pickle
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ascend_doctor.engines.bounds import Bounds
from ascend_doctor.engines.local import read
from ascend_doctor.engines.pool import WorkerError
from ascend_doctor.engines.reader import Reader
from ascend_doctor.engines.watch import Watch
from ascend_doctor.errors import InputError
from ascend_doctor.facts import Shard
from ascend_doctor.ingest.discover import discover
from ascend_doctor.ingest.stream import FileStream
from ascend_doctor.view.window import Sizes
from tests.ingest.packing import COMPRESS, packed
from tests.rulesets import knowledge, rule

# Small enough that a file of a few KiB is cut, and files are shared out.
DAY = "2026-03-04T00:00:00"
SIZES = Sizes(first=300, part=1200, body=256, margin=128)
BOUNDS = Bounds(alone=1, batch=1 << 10, file=100, large=1500)
JOBS = (1, 2, 3)


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return knowledge(
        tmp_path_factory.mktemp("rules"),
        rule(
            "buffer-oom-pool",
            "pool is full",
            regex=r"full by (?P<size>\d+)",
            captures={"size": "int"},
        ),
    )


@pytest.fixture(scope="module")
def reader(known):
    return Reader(known, sizes=SIZES)


def facts(folder: Path, reader: Reader, jobs: int, bounds: Bounds = BOUNDS):
    return read(discover([folder]), copy.copy(reader), jobs, bounds)


def log(count: int, every: int = 3) -> bytes:
    lines = []
    for number in range(count):
        text = f"pool is full by {number}" if number % every == 0 else f"odd {'x' * (number % 9)}"
        level = "INFO" if number % 5 else "ERROR"
        time = f"2026-03-04-00:{number // 60 % 60:02}:{number % 60:02}.000.000"
        lines.append(f"[{level}] GE({number % 2},py):{time} [a.cc:1]7 {text}\n")
    return "".join(lines).encode()


CONTENT = {
    "large": log(200),
    "large without an end of its last line": log(90)[:-1],
    "small": log(3),
    "of one line": b"loss " + b"x" * 5000 + b" pool is full by 9",
    "empty": b"",
    "binary": bytes(2000),
    "utf-16": log(40).decode().encode("utf-16"),
    "gzip": COMPRESS["gz"](log(100)),
    "cut off gzip": COMPRESS["gz"](log(100))[:-20],
    "zip": packed("zip", {"a.log": log(5), "b/c.log": log(50), "d": b""}),
    "damaged tar": packed("tar", {"a.log": log(5), "b.log": log(60)})[:3000],
    "tar within": packed("tar.gz", {"in.zip": packed("zip", {"x.log": log(4)})}),
}


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(kinds=st.lists(st.sampled_from(sorted(CONTENT)), min_size=1, max_size=14))
def test_the_facts_are_the_same_for_any_number_of_processes(reader, tmp_path_factory, kinds):
    folder = tmp_path_factory.mktemp("logs")
    for number, kind in enumerate(kinds):
        (folder / f"{number % 3}").mkdir(exist_ok=True)
        (folder / f"{number % 3}" / f"{number}.log").write_bytes(CONTENT[kind])
    (folder / "gone").symlink_to("nowhere")
    one, two, three = (facts(folder, reader, jobs) for jobs in JOBS)
    assert one == two == three
    assert [*one.shards] == [*two.shards] == [*three.shards]


def test_all_kinds_of_files_are_read(reader, tmp_path):
    for name, content in CONTENT.items():
        (tmp_path / name).write_bytes(content)
    found = facts(tmp_path, reader, 2)
    assert [*found.shards] == [
        "cut off gzip",
        "damaged tar!a.log",
        "damaged tar!b.log",
        "gzip",
        "large",
        "large without an end of its last line",
        "of one line",
        "small",
        "tar within!in.zip!x.log",
        "utf-16",
        "zip!a.log",
        "zip!b/c.log",
    ]
    assert found.skipped == {
        ("binary", "binary"),
        ("damaged tar", "the tar archive ends early; what follows was not read"),
        ("empty", "empty"),
        ("zip!d", "empty"),
    }
    assert found.shards["large"].lines == 200
    assert found == facts(tmp_path, reader, 1)


class Doomed(Reader):
    """Dies of some sources, each time or only the first time."""

    def __init__(self, reader: Reader, paths: set[str], scars: Path | None = None) -> None:
        super().__init__(reader.knowledge, sizes=reader.sizes)
        self.paths = paths
        self.scars = scars

    def _die_of(self, path: str) -> None:
        if path not in self.paths:
            return
        if self.scars is not None:
            scar = self.scars / path.replace("/", "-")
            if scar.exists():
                return
            scar.touch()
        os.kill(os.getpid(), signal.SIGKILL)

    def read(self, source):
        self._die_of(source.path)
        for item in super().read(source):
            self._die_of(item.path)
            yield item

    def part(self, cut, number):
        self._die_of(f"{cut.source.path}:{number}")
        return super().part(cut, number)


TWICE = "the process that read it was ended twice, the last time by SIGKILL"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in ("0", "1", "2", "3", "4"):
        (folder / f"{name}.log").write_bytes(log(2))
    (folder / "big.log").write_bytes(log(100))
    (folder / "pack.tar").write_bytes(packed("tar", {n: log(3) for n in "abc"}))
    return folder


def test_a_process_that_dies_once_loses_nothing(reader, folder, tmp_path):
    doomed = Doomed(reader, {"2.log", "pack.tar!b", "big.log:2", "big.log:4"}, tmp_path)
    assert read(discover([folder]), doomed, 2, BOUNDS) == facts(folder, reader, 1)


@pytest.mark.parametrize(
    ("path", "lost", "skipped"),
    [
        ("2.log", {"2.log"}, ("2.log", TWICE)),
        (
            "pack.tar!b",
            {"pack.tar!b", "pack.tar!c"},
            ("pack.tar", f"{TWICE}; what follows was not read"),
        ),
    ],
    ids=["file", "archive"],
)
def test_what_processes_die_of_is_named_and_nothing_else_is_lost(
    reader, folder, path, lost, skipped
):
    found = read(discover([folder]), Doomed(reader, {path}), 2, BOUNDS)
    shards = facts(folder, reader, 1).shards
    assert found.skipped == {skipped}
    assert found.shards == {name: shards[name] for name in shards.keys() - lost}


def test_a_file_ends_before_the_part_that_processes_die_of(reader, folder):
    found = read(discover([folder]), Doomed(reader, {"big.log:3"}), 3, BOUNDS)
    cut = (folder / "big.log").read_bytes()[: SIZES.border(3)]
    (folder / "big.log").write_bytes(cut[: cut.rindex(b"\n") + 1])
    short = facts(folder, reader, 1)
    broken = replace(short.shards["big.log"], broken=TWICE)
    assert found == replace(short, shards={**short.shards, "big.log": broken})


@pytest.mark.parametrize("bad", [70_000, 80_000, 81_919, 81_920, 100_000])
def test_a_file_ends_where_it_cannot_be_read(known, tmp_path, monkeypatch, bad):
    (tmp_path / "big.log").write_bytes(log(2000))
    read_at = FileStream.read_at

    def failing(stream: FileStream, offset: int, size: int) -> bytes:
        if offset <= bad < offset + size:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return read_at(stream, offset, size)

    sizes = Sizes(first=16 << 10, part=16 << 10, body=4 << 10, margin=1 << 10)
    cutting = Reader(known, sizes=sizes)
    with monkeypatch.context() as patch:
        patch.setattr(FileStream, "read_at", failing)
        one, two, three = (facts(tmp_path, cutting, jobs) for jobs in JOBS)
    assert one == two == three
    shard = one.shards["big.log"]
    assert (shard.broken, bad - shard.size < 8 << 10) == ("input/output error", True)
    (tmp_path / "big.log").write_bytes(log(2000)[: shard.size])
    assert facts(tmp_path, cutting, 1).shards == {"big.log": replace(shard, broken=None)}


def test_a_bug_in_a_process_shows_its_traceback(reader, folder):
    class Buggy(Reader):
        def read(self, source):
            raise LookupError("a bug")

    with pytest.raises(WorkerError, match="LookupError: a bug"):
        read(discover([folder]), Buggy(reader.knowledge), 2, BOUNDS)


def test_where_no_process_can_be_started_all_is_read_by_this_one(
    reader, folder, tmp_path, monkeypatch
):
    whole = facts(folder, reader, 1)

    def fork() -> int:
        raise BlockingIOError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr(os, "fork", fork)
    assert facts(folder, reader, 3) == whole


def test_when_the_last_process_dies_and_none_can_be_started_nothing_is_lost(
    reader, folder, tmp_path, monkeypatch
):
    whole = facts(folder, reader, 1)
    fork, count = os.fork, iter(range(2))

    def fork_twice() -> int:
        if next(count, None) is None:
            raise BlockingIOError(errno.EAGAIN, "no more processes")
        return fork()

    monkeypatch.setattr(os, "fork", fork_twice)
    doomed = Doomed(reader, {"big.log:2", "big.log:3", "2.log"}, tmp_path)
    assert read(discover([folder]), doomed, 2, BOUNDS) == whole


def test_a_lack_of_memory_in_a_process_is_named(reader, folder):
    class Greedy(Reader):
        def read(self, source):
            if source.path == "2.log":
                raise MemoryError
            return super().read(source)

    found = read(discover([folder]), Greedy(reader.knowledge, sizes=SIZES), 2, BOUNDS)
    assert found.skipped == {("2.log", TWICE.replace("SIGKILL", "MemoryError"))}


def test_a_reader_can_be_sent_to_a_process_that_is_not_forked(reader, folder):
    sent = pickle.loads(pickle.dumps(reader))
    assert facts(folder, sent, 1) == facts(folder, reader, 1)


@pytest.mark.parametrize("jobs", JOBS)
def test_clean_files_share_what_they_have_in_common(reader, tmp_path, jobs):
    for name in "abcdef":
        (tmp_path / f"{name}.log").write_bytes(b"[INFO] GE(1,py):2026-03-04-00:00:00 fine\n")
    shards = facts(tmp_path, reader, jobs).shards.values()
    assert [*shards] == [
        Shard(shard.path, "plog", 41, 1, frozenset({"INFO"}), (DAY, DAY)) for shard in shards
    ]
    for value in ("kind", "levels", "time_range", "signs"):
        assert len({id(getattr(shard, value)) for shard in shards}) == 1


def test_a_missing_path_ends_the_run(reader, folder, tmp_path):
    with pytest.raises(InputError, match="gone: no such file or folder"):
        read(discover([folder, tmp_path / "gone"]), copy.copy(reader), 2, BOUNDS)


def test_what_is_small_is_read_by_one_process(reader, folder):
    class Alone(Reader):
        def read(self, source):
            assert os.getpid() == here
            return super().read(source)

    here = os.getpid()
    assert read(discover([folder]), Alone(reader.knowledge, sizes=SIZES), 8) == facts(
        folder, reader, 1
    )


def test_pipes_are_read_where_they_were_opened(reader, folder, tmp_path):
    import threading

    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    for jobs in JOBS:
        writer = threading.Thread(target=fifo.write_bytes, args=(log(4),))
        writer.start()
        found = read(discover([fifo, folder]), copy.copy(reader), jobs, BOUNDS)
        writer.join()
        assert found.shards[str(fifo)].lines == 4
        assert len(found.shards) == 10


class StopsWhen(Watch):
    """Stops reading when a condition holds, which it looks at whenever it is told of progress."""

    def __init__(self, condition) -> None:
        super().__init__()
        self.condition = condition

    def see(self, progress):
        if not self.is_stopped and self.condition(progress):
            self.stop()


@pytest.mark.parametrize("jobs", JOBS)
def test_what_was_read_before_a_stop_is_kept_and_the_rest_counted(reader, folder, jobs):
    watch = StopsWhen(lambda progress: progress.done >= 3)
    stopping = Reader(reader.knowledge, sizes=SIZES, watch=watch)
    found = read(discover([folder]), stopping, jobs, BOUNDS)
    whole = facts(folder, reader, 1)
    begun = {name for name, shard in found.shards.items() if shard.broken == "interrupted"}
    assert found.is_interrupted
    assert len(found.shards) >= 3
    assert {name: found.shards[name] for name in found.shards.keys() - begun} == {
        name: whole.shards[name] for name in found.shards.keys() - begun
    }
    assert {reason for _, reason in found.skipped} <= {"interrupted; what follows was not read"}
    files = {name.partition("!")[0] for name in found.shards}
    assert found.unread <= len(whole.shards) - 2 - len(files)


def test_a_process_that_hangs_in_a_read_is_left(reader, folder, tmp_path):
    fifo = tmp_path / "hangs"
    os.mkfifo(fifo)
    writers = []

    class Hangs(Reader):
        def read(self, source):
            if source.path == "2.log":
                source = replace(source, open=fifo.open, size=None)
            return super().read(source)

    def is_waiting(progress):
        try:
            writers.append(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            return False
        return True

    bounds = replace(BOUNDS, batch=1)
    hangs = Hangs(reader.knowledge, sizes=SIZES, watch=StopsWhen(is_waiting))
    found = read(discover([folder]), hangs, 2, bounds)
    os.close(*writers)
    assert found.is_interrupted
    assert "2.log" not in found.shards
    assert found.unread >= 1
