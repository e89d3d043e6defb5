"""Unpacking in a thread: the same blocks, errors and limits as without one, and no thread left."""

from __future__ import annotations

import gzip
import io
import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.engines.local import scan
from ascend_doctor.engines.watch import Watch
from ascend_doctor.ingest import compression
from ascend_doctor.ingest import limits as limits_module
from ascend_doctor.ingest.ahead import Ahead
from ascend_doctor.ingest.archive import members
from ascend_doctor.ingest.limits import DEFAULT, Limits
from ascend_doctor.ingest.source import Source, blocks
from ascend_doctor.knowledge import index
from tests.ingest.packing import COMPRESS, packed

# No thread that does what it should takes so long to end.
_LONG_S = 60


def threads():
    return [thread for thread in threading.enumerate() if thread.name == "ahead"]


@pytest.fixture(autouse=True)
def no_thread_is_left():
    yield
    for thread in threads():
        thread.join(_LONG_S)
    assert threads() == []


def taken(items):
    """Return the items, and what they ended with."""
    found = []
    try:
        # One by one: what came before an error is kept.
        for item in items:
            found += [item]
    except (OSError, EOFError, KeyboardInterrupt) as err:
        return found, repr(err)
    return found, None


def made(items, error):
    yield from items
    if error is not None:
        raise error


@settings(deadline=None)
@given(
    st.lists(st.lists(st.binary(max_size=3), max_size=9), max_size=4),
    st.sampled_from([None, OSError("damaged"), EOFError("ends early"), KeyboardInterrupt()]),
)
def test_items_and_errors_come_in_their_order(rounds, error):
    ahead = Ahead()
    found = [taken(ahead.of(made(items, error))) for items in rounds]
    ahead.close()
    assert found == [taken(made(items, error)) for items in rounds]


def test_only_a_few_items_are_made_before_they_are_asked_for():
    count = 0

    def numbers():
        nonlocal count
        while count < 100:
            count += 1
            yield count

    ahead = Ahead()
    lead = [count - number for number in ahead.of(numbers())]
    ahead.close()
    assert (len(lead), max(lead) <= 3, min(lead) >= 0) == (100, True, True)


def test_what_is_left_early_lets_the_thread_end():
    ahead = Ahead()
    assert next(ahead.of(iter(range(100)))) == 0
    assert next(ahead.of(iter("ab"))) == "a"
    assert len(threads()) == 1
    ahead.close()


def test_where_no_thread_can_be_started_items_are_made_here(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert [*Ahead().of(iter(range(9)))] == [*range(9)]


# It packs to half its size.
LOG = b"".join(
    b"[INFO] %x\n" % number for number in map(random.Random(7).getrandbits, [200] * 60_000)
)
SHORT = LOG[: 1 << 20]
PACKED = {name: compress(SHORT) for name, compress in COMPRESS.items()}


def pieces(raw, size):
    return (raw[start : start + size] for start in range(0, len(raw), size))


@pytest.mark.parametrize("name", ["gzip", "xz", "bzip2", "zstd"])
@pytest.mark.parametrize("harm", ["none", "cut", "damaged", "zeros", "twice"])
def test_streams_are_unpacked_the_same_in_a_thread(name, harm, monkeypatch):
    raw = PACKED[{"gzip": "gz", "bzip2": "bz2", "zstd": "zst"}.get(name, name)]
    half = len(raw) // 2
    raw = {
        "none": raw,
        "cut": raw[:half],
        "damaged": raw[:half] + bytes(1000) + raw[half + 1000 :],
        "zeros": raw + bytes(2 << 20) + b"not looked for",
        "twice": raw + raw,
    }[harm]
    found = []
    for alone in (1 << 40, 1000):
        monkeypatch.setattr(compression, "_ALONE", alone)
        found.append(taken(compression.decompressed(name, pieces(raw, 100_000))))
    assert found[0] == found[1]
    text, error = b"".join(found[0][0]), found[0][1]
    assert (text == SHORT, text == 2 * SHORT, error is None) == {
        "none": (True, False, True),
        "zeros": (True, False, True),
        "twice": (False, True, True),
    }.get(harm, (False, False, error is None and name == "zstd"))
    if harm == "cut":
        assert error == f"EOFError('the {name} stream ends early')"


def texts(raw, limits=DEFAULT):
    """Return what is read of the members of a file, and how each ends."""
    found = []
    for item in members(Source("x", lambda: io.BytesIO(raw)), limits):
        if isinstance(item, Source):
            with item.open() as stream:
                found.append((item.path, *taken(blocks(stream))))
        else:
            found.append(item)
    return found


@pytest.mark.parametrize(
    "limits", [Limits(unpacked=3 << 20), Limits(ratio=20)], ids=["total", "ratio"]
)
@pytest.mark.parametrize("kind", ["gz", "zip", "gz.gz"])
def test_limits_fall_on_the_same_place(kind, limits, monkeypatch):
    monkeypatch.setattr(limits_module, "RATIO_FROM", 1 << 20)
    # Where it is given up depends on how much was read of what packs badly, and when.
    log = LOG + b"x" * (80 << 20) + LOG
    if kind == "gz.gz":
        raw = gzip.compress(gzip.compress(log, 1), 0)
    else:
        raw = COMPRESS[kind](log) if kind in COMPRESS else packed(kind, {"a.log": log})
    found = []
    for alone in (1 << 40, 1000):
        monkeypatch.setattr(compression, "_ALONE", alone)
        found.append(texts(raw, limits))
    assert found[0] == found[1]
    assert "raises this limit" in repr(found[0][-1])[-200:]


@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_an_archive_that_is_left_early_leaves_no_thread(kind):
    raw = packed(kind, {"a.log": LOG, "b.log": LOG, "c.log": LOG})
    found = members(Source("x", lambda: io.BytesIO(raw)))
    for name in ("x!a.log", "x!b.log"):
        item = next(found)
        with item.open() as stream:
            assert (item.path, len(stream.read(1 << 20)) > 0) == (name, True)
            stream.skip(2 << 20)
    assert len(threads()) > 0
    del item, stream
    found.close()


class StopsBehind(Watch):
    """Stops when so many bytes were read."""

    def __init__(self, size):
        super().__init__()
        self._size = size

    def see(self, progress):
        if progress.done_bytes >= self._size:
            self.stop()


def test_an_interrupted_file_keeps_what_was_read_and_leaves_no_thread(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(LOG * 2, 1))
    found = scan([tmp_path], index.load(), watch=StopsBehind(2 << 20))
    shard = found.shards["a.gz"]
    assert found.is_interrupted
    assert shard.broken == "interrupted"
    assert 1 << 20 < shard.size < len(LOG) * 2
    assert shard.lines == (LOG * 2)[: shard.size - 1].count(b"\n") + 1
