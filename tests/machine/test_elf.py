"""Libraries are read by what the loader looks at; a damaged one is no more than that."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ascend_doctor.machine.elf import Elf, ElfError, Reader
from tests.machine.elves import library

NAMES = st.lists(
    st.text("abcdefghijklmnopqrstuvwxyz_.0123456789", min_size=1, max_size=20),
    max_size=6,
    unique=True,
)


def read(tmp_path, data: bytes) -> Reader:
    path = tmp_path / "lib.so"
    path.write_bytes(data)
    return Reader(path.open("rb"))


@pytest.mark.parametrize("has_hash", [True, False])
def test_a_library_says_what_it_needs(tmp_path, has_hash):
    data = library(
        "liba.so.1",
        ["libb.so", "libc.so.6"],
        ["one", "two"],
        ["three", "four"],
        weak=["five"],
        runpath="$ORIGIN/../lib:/opt/lib",
        has_hash=has_hash,
    )
    reader = read(tmp_path, data)
    assert reader.elf() == Elf(
        183, "liba.so.1", ("libb.so", "libc.so.6"), (), ("$ORIGIN/../lib", "/opt/lib")
    )
    assert reader.undefined() == [b"three", b"four"]
    assert reader.defined({b"one", b"three", b"nine"}) == {b"one"}


@given(needed=NAMES, defined=NAMES, undefined=NAMES)
@settings(max_examples=50, deadline=None)
def test_names_come_back(tmp_path_factory, needed, defined, undefined):
    reader = read(tmp_path_factory.mktemp("elf"), library("x.so", needed, defined, undefined))
    assert reader.elf().needed == tuple(needed)
    assert reader.undefined() == [name.encode() for name in undefined]
    assert reader.defined({name.encode() for name in defined}) == {n.encode() for n in defined}


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_damage_is_one_error_or_none(tmp_path_factory, data):
    whole = bytearray(library("x.so", ["y.so"], ["a"], ["b"], runpath="/z"))
    for _ in range(data.draw(st.integers(0, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    try:
        reader = read(tmp_path_factory.mktemp("elf"), bytes(whole[:cut]))
        reader.elf()
        reader.undefined()
        reader.defined({b"a"})
    except (ElfError, KeyError, struct.error):
        pass


@pytest.mark.parametrize(
    "data", [b"", b"INPUT(libm.so.6)", b"\x7fELF\x01\x01" + bytes(90), bytes(200)]
)
def test_what_is_no_library_is_said_to_be_none(tmp_path, data):
    with pytest.raises(ElfError):
        read(tmp_path, data)
