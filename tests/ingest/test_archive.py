"""Archives: what is read of them, under which names, and what is skipped and why."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import random
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.api import analyze
from ascend_doctor.ingest import limits as limits_module
from ascend_doctor.ingest.archive import members
from ascend_doctor.ingest.discover import discover
from ascend_doctor.ingest.limits import DEFAULT, Limits
from ascend_doctor.ingest.source import Skipped, Source, blocks
from ascend_doctor.reporters.json import render
from ascend_doctor.reporters.reasons import translated
from tests.ingest.packing import COMPRESS, KINDS, packed, tar, zipped, zstd


def read(found):
    """Return the text of each source by its path, and why each other part was skipped.

    Every reason there is must have its Chinese.
    """
    answer = {}
    for item in found:
        if isinstance(item, Skipped):
            answer[item.path] = item.reason
            check_chinese(item.reason)
            continue
        text = b""
        try:
            with item.open() as stream:
                for block in blocks(stream):
                    text += block
        except (OSError, EOFError, ValueError) as err:
            answer[item.path] = (text, str(err))
            check_chinese(str(err))
        else:
            answer[item.path] = text
    return answer


def check_chinese(reason):
    assert all(translated(part, "zh") != part for part in reason.split("; ")), reason


def unpack(raw: bytes, limits: Limits = DEFAULT, name: str = "x"):
    return read(members(Source(name, lambda: io.BytesIO(raw)), limits))


@pytest.fixture
def on_disk(tmp_path):
    def unpack_file(raw: bytes, limits: Limits = DEFAULT):
        path = tmp_path / "x"
        path.write_bytes(raw)
        [source] = discover([path])
        return read(members(source, limits))

    return unpack_file


TREE = {
    "top.log": b"one\n",
    "rank_3/plog/plog-7.log": b"two\n" * 70_000,
    "设备.log": "三\n".encode(),
    "empty.log": b"",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_member_is_called_after_its_archive(kind, on_disk):
    expected = {f"x!{name}": content for name, content in TREE.items()}
    raw = packed(kind, TREE)
    assert unpack(raw) == expected
    assert on_disk(raw) == expected


@pytest.mark.parametrize("name", COMPRESS)
def test_a_compressed_file_keeps_its_name(name):
    text = b"".join(b"%d line\n" % number for number in range(200_000))
    raw = COMPRESS[name](text)
    assert unpack(raw) == {"x": text}
    assert unpack(raw + raw) == {"x": text + text}
    assert b"".join(blocks(io.BytesIO(raw + raw))) == text + text


@pytest.mark.parametrize("name", COMPRESS)
def test_what_is_packed_as_hard_as_it_can_be_is_read(name):
    text = b"boom\n" * 1000
    hardest = {
        "gz": lambda: gzip.compress(text, 9),
        "xz": lambda: lzma.compress(text, preset=9 | lzma.PRESET_EXTREME),
        "bz2": lambda: bz2.compress(text, 9),
        "zst": lambda: zstd.compress(text, 19),
    }
    assert unpack(hardest[name]()) == {"x": text}


def test_what_needs_more_memory_to_unpack_than_a_scan_may_take_is_named():
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 128 << 20}]
    raw = lzma.compress(b"boom\n", filters=filters)
    assert unpack(raw) == {"x": "the xz stream needs too much memory; unpack it first"}
    inner = lzma.compress(b"boom\n", preset=9)
    assert unpack(tar({"a.xz": inner, "b.xz": lzma.compress(b"boom\n")})) == {
        "x!a.xz": "the xz stream needs too much memory; unpack it first",
        "x!b.xz": b"boom\n",
    }
    options = {zstd.CompressionParameter.window_log: 27}
    long = zstd.ZstdCompressor(options=options)
    raw = long.compress(b"boom\n" * 100) + long.flush()
    assert unpack(raw) == {"x": "the zstd stream needs too much memory; unpack it first"}


def test_only_so_many_zeros_are_looked_through_behind_the_end(monkeypatch):
    for raw in (gzip.compress(b"boom\n"), lzma.compress(b"boom\n")):
        assert unpack(raw + bytes(3 << 20) + b"junk") == {"x": b"boom\n"}
    archive = tar({"a.log": b"boom\n"})
    assert unpack(archive + bytes(3 << 20) + b"junk") == {"x!a.log": b"boom\n"}
    assert unpack(archive + archive) == {"x!a.log": b"boom\n", "x!a.log (2)": b"boom\n"}


def test_a_long_name_is_skipped_and_counts_for_several():
    name = "n" * 5000
    found = unpack(tar({name: b"boom\n", "a.log": b"a\n"}))
    assert found == {
        f"x!{name[:4096]}": "its name is longer than any file's can be",
        "x!a.log": b"a\n",
    }
    assert unpack(tar({"n" * 1000: b"boom\n"}), Limits(members=3)) == {
        "x": "more than 3 members; --max-members raises this limit; what follows was not read"
    }


@pytest.mark.parametrize("name", COMPRESS)
def test_unpacking_goes_in_bounded_steps(name):
    raw = COMPRESS[name](bytes(20 << 20))
    sizes = [len(block) for block in blocks(io.BytesIO(b"" + raw))]
    # The hole at the head is left out; what is told of it is small.
    assert sizes == [16]
    raw = COMPRESS[name](b"x" * (20 << 20))
    sizes = [len(block) for block in blocks(io.BytesIO(raw))]
    assert (sum(sizes), max(sizes) <= 1 << 20) == (20 << 20, True)


@pytest.mark.parametrize(
    "format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT], ids=str
)
def test_every_tar_format_is_read(format):
    long = "/".join(["d" * 60] * 2) + "/f.log"
    tree = {**TREE, long: b"long\n"}
    if format != tarfile.USTAR_FORMAT:
        tree["n" * 300] = b"longer\n"
    assert unpack(tar(tree, format)) == {f"x!{name}": content for name, content in tree.items()}


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2], ids=str
)
def test_every_zip_method_is_read(method):
    assert unpack(zipped(TREE, method)) == {f"x!{name}": text for name, text in TREE.items()}


def test_a_zip_that_was_written_as_a_stream_is_read():
    class Pipe(io.RawIOBase):
        def __init__(self):
            self.written = b""

        def writable(self):
            return True

        def write(self, data):
            self.written += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.log", b"boom\n")
        with archive.open("b.log", "w", force_zip64=True) as stream:
            stream.write(b"bang\n")
    assert unpack(pipe.written) == {"x!a.log": b"boom\n", "x!b.log": b"bang\n"}
    assert unpack(b"#!/bin/sh\n" + pipe.written)["x"].startswith(b"#!/bin/sh\n")


def test_what_was_put_before_a_zip_does_not_move_its_members():
    raw = zipped({"a.log": b"boom\n"})
    assert unpack(b"PK\x03\x04 odd" + raw) == {"x!a.log": b"boom\n"}


def test_an_archive_within_an_archive_is_opened_once():
    inner = tar({"x.log": b"boom\n"})
    middle = zipped({"c.tar": inner, "m.log": b"mid\n", "g.tar.gz": gzip.compress(inner)})
    assert unpack(zipped({"b.tar": inner, "n.log.gz": gzip.compress(b"n\n")})) == {
        "x!b.tar!x.log": b"boom\n",
        "x!n.log.gz": b"n\n",
    }
    deep = packed("tar.gz", {"b.zip": middle, "o.log": b"out\n"})
    assert unpack(deep) == {
        "x!b.zip!c.tar": "packed more than 2 deep; --max-depth raises this limit",
        "x!b.zip!m.log": b"mid\n",
        "x!b.zip!g.tar.gz": "packed more than 2 deep; --max-depth raises this limit",
        "x!o.log": b"out\n",
    }
    assert unpack(deep, Limits(depth=3))["x!b.zip!g.tar.gz!x.log"] == b"boom\n"
    assert unpack(deep, Limits(depth=0)) == {
        "x": "packed more than 0 deep; --max-depth raises this limit"
    }


def test_a_file_compressed_again_and_again_ends_at_the_same_limit():
    raw = b"boom\n"
    for _ in range(3):
        raw = gzip.compress(raw)
    assert unpack(raw) == {"x": b"boom\n"}
    assert unpack(gzip.compress(raw)) == {
        "x": "packed more than 2 deep; --max-depth raises this limit"
    }


def test_too_many_members_end_an_archive_and_keep_what_was_read():
    tree = {f"{number}.log": b"boom\n" for number in range(5)}
    for kind in KINDS:
        assert unpack(packed(kind, tree), Limits(members=2)) == {
            "x!0.log": b"boom\n",
            "x!1.log": b"boom\n",
            "x": "more than 2 members; --max-members raises this limit; what follows was not read",
        }


def test_too_much_ends_an_archive_and_keeps_what_was_read():
    tree = {f"{number}.log": bytes([97 + number]) * (3 << 20) for number in range(4)}
    reason = "unpacks to more than 5M; --max-unpacked raises this limit"
    limits = Limits(unpacked=5 << 20)
    for raw in (zipped(tree, zipfile.ZIP_STORED), packed("zip", tree), packed("tar.xz", tree)):
        found = unpack(raw, limits)
        assert [*found] == ["x!0.log", "x!1.log", "x"]
        assert found["x!0.log"] == tree["0.log"]
        text, said = found["x!1.log"]
        assert (tree["1.log"].startswith(text), len(text) > 1 << 20, said) == (True, True, reason)
        assert found["x"] == f"{reason}; what follows was not read"
    # A plain tar is not packed: it costs what its files would.
    assert len(unpack(tar(tree), limits)) == 4
    inner = tar({"in.tar.gz": packed("tar.gz", tree), "z.log": b"boom\n"})
    assert [*unpack(inner, limits)] == ["x!in.tar.gz!0.log", "x!in.tar.gz!1.log", "x"]


@pytest.mark.parametrize("kind", ["gz", "xz", "bz2", "zst", "zip", "tar.gz"])
def test_a_bomb_is_given_up(kind, on_disk, monkeypatch):
    monkeypatch.setattr(limits_module, "RATIO_FROM", 4 << 20)
    text = b"x" * (40 << 20)
    raw = COMPRESS[kind](text) if kind in COMPRESS else packed(kind, {"a.log": text, "b": b"b"})
    reason = "unpacks to more than 30 times its size; --max-ratio raises this limit"
    found = on_disk(raw, Limits(ratio=30))
    path = "x" if kind in COMPRESS else "x!a.log"
    read_of_it, said = found.pop(path)
    assert (said, 3 << 20 < len(read_of_it) < 12 << 20) == (reason, True)
    assert found == ({} if kind in COMPRESS else {"x": f"{reason}; what follows was not read"})
    assert on_disk(raw, Limits(ratio=10_000_000))[path] == text


def test_members_that_lie_over_each_other_count_each_time(on_disk, monkeypatch):
    monkeypatch.setattr(limits_module, "RATIO_FROM", 4 << 20)
    content = random.Random(7).randbytes(1 << 20).replace(b"\n", b" ")
    raw = zipped({"a": content}, zipfile.ZIP_STORED)
    start = raw.rindex(b"PK\x01\x02")
    end = raw.rindex(b"PK\x05\x06")
    entry = raw[start:end]
    entries = b"".join(entry[:-1] + bytes([97 + number % 26]) for number in range(100))
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 100, 100, len(entries), start, 0)
    found = on_disk(raw[:start] + entries + tail, Limits(ratio=20))
    assert len(found) == 22
    assert found["x"] == (
        "unpacks to more than 20 times its size; --max-ratio raises this limit; "
        "what follows was not read"
    )


def hostile_tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:

        def add(name, kind=tarfile.REGTYPE, content=b"", link=""):
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, len(content), link
            archive.addfile(info, io.BytesIO(content))

        add("dir", tarfile.DIRTYPE)
        add("../../up.log", content=b"up\n")
        add("/etc/abs.log", content=b"abs\n")
        add("./dot.log", content=b"dot\n")
        add("dot.log", content=b"again\n")
        add("sym", tarfile.SYMTYPE, link="/etc/passwd")
        add("hard", tarfile.LNKTYPE, link="dot.log")
        add("fifo", tarfile.FIFOTYPE)
        add("char", tarfile.CHRTYPE)
        add("block", tarfile.BLKTYPE)
        add("odd", b"Q", content=b"odd\n")
        add("sparse", tarfile.GNUTYPE_SPARSE, content=b"sparse\n")
        add("bad-\udcff\x1b[31m\u202e.log", content=b"bad\n")
        add("last.log", content=b"last\n")
    return out.getvalue()


def test_every_hostile_member_of_a_tar_is_read_safely_or_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert unpack(hostile_tar()) == {
        "x!../../up.log": b"up\n",
        "x!/etc/abs.log": b"abs\n",
        "x!dot.log": b"dot\n",
        "x!dot.log (2)": b"again\n",
        "x!sym": "link, not followed",
        "x!hard": "link, not followed",
        "x!fifo": "not a regular file",
        "x!char": "not a regular file",
        "x!block": "not a regular file",
        "x!odd": "of a kind that tar does not define",
        "x!sparse": "stored as a sparse file, not read; pack it without tar's -S",
        "x!bad-\\xff\x1b[31m\u202e.log": b"bad\n",
        "x!last.log": b"last\n",
    }
    assert [*tmp_path.iterdir()] == []


def test_what_gnu_tar_stores_sparsely_is_named(tmp_path):
    for format in ("gnu", "pax"):
        with open(tmp_path / "holes.log", "wb") as stream:
            for number in range(60):
                stream.seek(number << 20)
                stream.write(b"boom\n")
        (tmp_path / "z.log").write_bytes(b"z\n")
        target = tmp_path / "t.tar"
        command = f"tar -C {tmp_path} -S --format={format} -cf {target} holes.log z.log"
        if os.system(command):
            pytest.skip("no GNU tar here")
        assert unpack(target.read_bytes()) == {
            "x!holes.log": "stored as a sparse file, not read; pack it without tar's -S",
            "x!z.log": b"z\n",
        }


def header(name: bytes, size: bytes, kind: bytes = b"0") -> bytes:
    block = bytearray(512)
    block[: len(name)] = name
    block[124 : 124 + len(size)] = size
    block[156:157] = kind
    block[257:265] = b"ustar  \x00"
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\x00 " % sum(block)
    return bytes(block)


@pytest.mark.parametrize(
    ("size", "kind", "said"),
    [
        (b"77777777777\x00", b"0", {"x!a": (b"boom\n", "the tar archive ends early")}),
        (b"\x80" + b"\x7f" * 11, b"0", {"x!a": (b"boom\n", "the tar archive ends early")}),
        (b"\xff" * 12, b"0", {"x": "a header of the tar archive gives no valid size"}),
        (b"-1\x00", b"0", {"x": "a header of the tar archive gives no valid size"}),
        (
            b"77777777777\x00",
            b"L",
            {"x": "a header of the tar archive claims a name of 8589934591 bytes"},
        ),
        (b"77777777777\x00", b"x", None),
        (b"77777777777\x00", b"g", {"x": "the tar archive ends early"}),
    ],
)
def test_an_absurd_size_in_a_tar_header_takes_no_memory(size, kind, said):
    found = unpack(header(b"a", size, kind) + b"boom\n")
    if said is None:
        said = {"x": "a header of the tar archive claims a name of 8589934591 bytes"}
    end = "the tar archive ends early; what follows was not read"
    assert found == (said if "x" in said else {**said, "x": end})


def test_every_hostile_member_of_a_zip_is_read_safely_or_named():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, mode in (("sym", 0o120777), ("fifo", 0o010644), ("char", 0o020644)):
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, mode << 16
            archive.writestr(info, b"/etc/passwd")
        archive.writestr("dir/", b"")
        for name in ("../../up.log", "/abs.log", "secret.log", "odd.log", "crc.log", "same.log"):
            archive.writestr(name, name.encode())
        archive.writestr("z\u202e.log", b"z\n")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("same.log", b"again")
    raw = bytearray(out.getvalue())
    for name, offset, value in ((b"secret.log", 8, 1), (b"odd.log", 10, 97), (b"crc.log", 16, 0)):
        # The entry of the directory, which is the last place of the name.
        at = raw.rindex(name) - 46 + offset
        raw[at] = value or raw[at] ^ 0xFF
    assert unpack(bytes(raw)) == {
        "x!sym": "link, not followed",
        "x!fifo": "not a regular file",
        "x!char": "not a regular file",
        "x!../../up.log": b"../../up.log",
        "x!/abs.log": b"/abs.log",
        "x!secret.log": "encrypted, not read; unpack it first",
        "x!odd.log": "packed by a method that is not known here (97); unpack it first",
        "x!crc.log": (
            b"crc.log",
            "what comes out of the zip archive does not match its checksum",
        ),
        "x!same.log": b"same.log",
        "x!z\u202e.log": b"z\n",
        "x!same.log (2)": b"again",
    }


def test_a_name_of_a_zip_from_a_chinese_desktop_is_readable():
    raw = zipped({"abcd.log": b"boom\n"}).replace(b"abcd", "设备".encode("gb18030"))
    assert unpack(raw) == {"x!设备.log": b"boom\n"}


def test_a_zip_that_comes_as_a_stream_is_kept_up_to_a_size(monkeypatch):
    monkeypatch.setattr("ascend_doctor.ingest.unpack._MAX_KEPT", 1 << 20)
    raw = zipped({"a.log": random.Random(1).randbytes(2 << 20)})
    said = (
        "zip archive of more than 1 MiB that comes as a stream, not read; "
        "unpack what is around it first"
    )
    assert unpack(raw) == {"x": said}
    assert unpack(tar({"in.zip": raw, "z.log": b"z\n"})) == {"x!in.zip": said, "x!z.log": b"z\n"}


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        ("archive/data.pkl", "PyTorch checkpoint"),
        ("a.npy", "NumPy archive"),
        ("[Content_Types].xml", "office document"),
    ],
)
def test_a_zip_that_holds_no_logs_is_one_skip(first, kind):
    assert unpack(zipped({first: b"x", "b": b"y"})) == {"x": kind}


def test_an_empty_archive_holds_nothing():
    assert unpack(zipped({})) == {}


@pytest.mark.parametrize("kind", KINDS)
def test_a_truncated_archive_never_raises_and_says_so(kind):
    tree = {"a.log": b"boom\n" * 100, "b.tar": tar({"c.log": b"c\n"}), "d.log": b"d\n"}
    raw = packed(kind, tree)
    whole = unpack(raw)
    for end in range(5, len(raw) - 1, max(1, len(raw) // 400)):
        found = unpack(raw[:end])
        for path, text in found.items():
            assert isinstance(text, (str, tuple)) or path == "x" or whole[path] == text, end
        if kind != "tar" and found != whole:
            # A tar may be cut within the zeros that fill it up.
            assert not all(isinstance(text, bytes) for text in found.values()) or "x" in found


MAGICS = [
    *(COMPRESS[name](b"")[:6] for name in COMPRESS),
    b"BZh91AY&SY",
    b"PK\x03\x04",
    b"PK\x05\x06",
    header(b"a", b"00000000100\x00"),
    header(b"a", b"00000000100\x00", b"x"),
    header(b"a", b"00000000100\x00", b"S"),
]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(MAGICS), st.binary(max_size=2000))
def test_random_bytes_behind_a_magic_number_never_raise(magic, noise):
    unpack(magic + noise)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(KINDS), st.data())
def test_flipped_bytes_never_raise(kind, data):
    raw = bytearray(packed(kind, {"a.log": b"boom\n", "b.zip": zipped({"c": b"c"})}))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    unpack(bytes(raw))


def test_a_plain_file_is_opened_once_and_can_be_opened_again(tmp_path, monkeypatch):
    path = tmp_path / "a.log"
    path.write_bytes(b"boom\n")
    [source] = discover([path])
    opened = []
    open_it = os.open
    monkeypatch.setattr(os, "open", lambda *args: opened.append(args[0]) or open_it(*args))
    [item] = members(source)
    assert opened == [str(path)]
    found = members(source)
    item = next(found)
    assert (item.path, item.size, item.file) == ("a.log", 5, str(path))
    for _ in range(2):
        with item.open() as stream:
            assert stream.read() == b"boom\n"
    assert [*found] == []


def test_standard_input_may_be_an_archive():
    def pipe(raw):
        class Pipe(io.BytesIO):
            def seekable(self):
                return False

        return Pipe(raw)

    for raw in (zipped(TREE), packed("tar.zst", TREE)):
        source = Source("<stdin>", lambda raw=raw: pipe(raw))
        assert read(members(source)) == {f"<stdin>!{name}": text for name, text in TREE.items()}
    assert read(members(Source("<stdin>", lambda: pipe(b"boom\n")))) == {"<stdin>": b"boom\n"}


def test_what_cannot_be_opened_is_skipped_and_said_to_be(tmp_path):
    path = Path(tmp_path / "gone.log")
    path.write_bytes(b"boom\n")
    [source] = discover([path])
    path.unlink()
    assert read(members(source)) == {"gone.log": "no such file or directory"}


WORDS = (
    "ImportError: libhccl.so: cannot open shared object file: No such file or directory\n",
    "[ERROR] FE(7,python3):2026-01-02-03:04:05.006.007 [a.cc:1]7 Run:the moon is away\n",
    "RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB\n",
    "step 1 loss 2.31\n",
    "设备 0 ok\n",
    "\n",
)
NAMES = st.from_regex(r"(out/|rank_3/)?[a-z]{1,8}\.(log|txt)", fullmatch=True)
TREES = st.dictionaries(
    NAMES, st.lists(st.sampled_from(WORDS), max_size=8).map("".join), min_size=1, max_size=4
)


@settings(max_examples=15, deadline=None)
@given(TREES)
def test_a_folder_and_its_archive_give_the_same_diagnoses(tmp_path_factory, tree):
    folder = tmp_path_factory.mktemp("tree")
    for name, text in tree.items():
        path = folder / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    expected = as_json(folder / "logs", "")
    contents = {name: text.encode() for name, text in sorted(tree.items(), key=in_walk_order)}
    for kind in KINDS:
        archive = folder / f"logs.{kind}"
        archive.write_bytes(packed(kind, contents))
        assert as_json(archive, f"logs.{kind}!") == expected


def in_walk_order(item):
    return "/" in item[0], item[0]


def as_json(path, prefix):
    report = json.loads(render(analyze(path)))
    return json.loads(json.dumps(report).replace(json.dumps(prefix)[1:-1], ""))
