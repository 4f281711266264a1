# SPDX-License-Identifier: Apache-2.0
"""Files of columns: what is written is read, whoever reads it, and what has changed is not."""

import zipfile
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuropil.checkpoint.checksums import joined
from neuropil.checkpoint.container import Reader, Writer
from neuropil.checkpoint.disk import Disk
from neuropil.errors import BadCheckpoint

ARRAYS = {
    "a/first": np.arange(10_001, dtype="<i8"),
    "a/second": np.linspace(0, 1, 777).astype("<f4"),
    "empty": np.empty(0, "<f8"),
    "bytes": np.arange(255, dtype="u1"),
    "matrix": np.arange(12.0).reshape(3, 4),
    "names": np.array(["L4E", "L23I"]),
    "number": np.array(3.5),
    "times": np.array(["2026-11-23"], "M8[D]"),
}


def write(path, arrays=ARRAYS, piece=4096, kind="checkpoint", about=None):
    writer = Writer(Disk(), path, piece)
    for name, values in arrays.items():
        writer.array(name, values)
    writer.finish(kind, about or {"n": 3})
    writer.close()


@given(st.lists(st.binary(max_size=70), max_size=6))
def test_checksums_of_parts_give_that_of_the_whole(parts):
    assert joined((zlib.crc32(part), len(part)) for part in parts) == zlib.crc32(b"".join(parts))


def test_checksum_of_a_large_part():
    large = bytes(5_000_001)
    assert joined([(zlib.crc32(b"x"), 1), (zlib.crc32(large), len(large))]) == zlib.crc32(b"x" + large)


@pytest.mark.parametrize("piece", [8, 100, 4096, 1 << 22])
def test_what_is_written_is_read(tmp_path, piece):
    write(tmp_path / "x.npc", piece=piece)
    with Reader(tmp_path / "x.npc", "checkpoint") as reader:
        assert reader.about == {"n": 3}
        assert [*reader.columns] == [*ARRAYS]
        for name, values in ARRAYS.items():
            found = reader.array(name)
            assert found.dtype == values.dtype
            assert np.array_equal(found, values)
        reader.check()


def test_columns_are_read_in_parts_of_any_size(tmp_path):
    write(tmp_path / "x.npc", piece=1000)
    rng = np.random.default_rng(1)
    with Reader(tmp_path / "x.npc", "checkpoint") as reader:
        for _ in range(300):
            begin, end = sorted(rng.integers(0, 10_002, 2).tolist())
            out = np.empty(end - begin, "<i8")
            reader.read("a/first", begin, out)
            assert np.array_equal(out, ARRAYS["a/first"][begin:end])


def test_large_columns_are_read_in_advance(tmp_path):
    """From begin to end, with jumps, two at a time; what is wrong with a piece is told when it is wanted, not before."""
    rng = np.random.default_rng(2)
    arrays = {"x": rng.random(300_000), "y": rng.integers(0, 255, 1_000_000).astype("u1")}
    path = tmp_path / "x.npc"
    write(path, arrays, piece=1 << 17)
    for sizes in ([16384], [1000, 16384, 77], [300_000]):
        with Reader(path, "checkpoint") as reader:
            at, jumps = {"x": 0, "y": 0}, 20
            while any(at[name] < len(arrays[name]) for name in at):
                for name in at:
                    n = min(int(rng.choice(sizes)), len(arrays[name]) - at[name])
                    out = np.empty(n, arrays[name].dtype)
                    reader.read(name, at[name], out)
                    assert np.array_equal(out, arrays[name][at[name] : at[name] + n])
                    at[name] += n
                    if jumps and rng.random() < 0.1:
                        at[name], jumps = int(rng.integers(len(arrays[name]))), jumps - 1
    with Reader(path, "checkpoint") as reader:
        offset = reader.columns["x"].offset
    data = bytearray(path.read_bytes())
    data[offset + 9 * (1 << 17) + 5] ^= 1
    path.write_bytes(data)
    with Reader(path, "checkpoint") as reader:
        for k in range(9):
            reader.read("x", k * 16384, np.empty(16384))
        with pytest.raises(BadCheckpoint, match="x: bytes"):
            reader.read("x", 9 * 16384, np.empty(16384))


class Plain(Disk):
    """One whose files cannot be written past the memory of the system."""

    def create(self, path):
        file = super().create(path)
        self._direct[file] = -1
        return file


@pytest.mark.parametrize("disk", [Disk(), Plain()], ids=["direct", "plain"])
def test_large_pieces_are_written_in_either_way(tmp_path, disk):
    arrays = {"x": np.random.default_rng(3).random(3_000_000), "s": np.arange(2_000_000).astype("S3"), "y": np.arange(1_000_000)}
    path = tmp_path / "x.npc"
    writer = Writer(disk, path)
    for name, values in arrays.items():
        writer.array(name, values)
    writer.finish("checkpoint", {})
    writer.close()
    assert not disk._direct
    with Reader(path, "checkpoint") as reader:
        assert all(np.array_equal(reader.array(name), values) for name, values in arrays.items())
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None


def test_others_open_it(tmp_path):
    write(tmp_path / "x.npc")
    with zipfile.ZipFile(tmp_path / "x.npc") as file:
        assert file.testzip() is None  # checksums of the zip
    with np.load(tmp_path / "x.npc") as found:
        for name, values in ARRAYS.items():
            assert np.array_equal(found[name], values)


def test_large_columns_lie_on_pages(tmp_path):
    write(tmp_path / "x.npc")
    with Reader(tmp_path / "x.npc", "checkpoint") as reader:
        assert reader.columns["a/first"].offset % 4096 == 0
        assert all(column.offset % 64 == 0 for column in reader.columns.values())


def test_a_file_says_nothing_of_when_it_was_written(tmp_path):
    for name in ("x.npc", "y.npc"):
        write(tmp_path / name)
    assert (tmp_path / "x.npc").read_bytes() == (tmp_path / "y.npc").read_bytes()


def test_wrong_questions(tmp_path):
    write(tmp_path / "x.npc")
    with Reader(tmp_path / "x.npc", "checkpoint") as reader:
        for name, begin, out in [
            ("a/first", 0, np.empty(10_002, "<i8")),
            ("a/first", -1, np.empty(1, "<i8")),
            ("a/first", 0, np.empty(1, "<i4")),
            ("nothing", 0, np.empty(1, "<i4")),
        ]:
            with pytest.raises(BadCheckpoint, match=r"x.npc, (a/first|nothing)"):
                reader.read(name, begin, out)


def test_errors_name_file_and_cause(tmp_path):
    path = tmp_path / "x.npc"
    write(path)
    good = path.read_bytes()

    def of(content: bytes, kind: str = "checkpoint") -> str:
        path.write_bytes(content)
        with pytest.raises(BadCheckpoint) as error, Reader(path, kind) as reader:
            reader.check()
        assert error.value.file == str(path)
        return str(error.value).removeprefix(str(path))

    with Reader(path, "checkpoint") as reader:
        offset = reader.columns["a/first"].offset
    flipped = bytearray(good)
    flipped[offset + 5000] ^= 4
    assert "a/first: bytes" in of(bytes(flipped))
    assert "changed since" in of(bytes(flipped))
    assert "cut off" in of(good[:-1])
    assert "cut off" in of(good[: len(good) // 2])
    assert "cut off" in of(good + b"x")
    assert of(b"") == ": no checkpoint of neuropil"
    assert of(b"PK" * 1000) == ": no checkpoint of neuropil"
    assert "is a checkpoint, not a shard" in of(good, "shard")
    assert "version 2 of the format: this neuropil reads versions up to 1" in of(good.replace(b"checkpoint     1", b"checkpoint     2"))
    with pytest.raises(BadCheckpoint, match="missing"):
        Reader(tmp_path / "none.npc", "checkpoint")
    with pytest.raises(BadCheckpoint, match="directory"):
        Reader(tmp_path, "checkpoint").check()


def test_members_beyond_4_gib_have_wide_numbers(tmp_path):
    """By the records alone: zipfile reads a directory whose offsets and sizes need 64 bits."""
    from neuropil.checkpoint.zipped import Member, directory, local_header

    content, far = b"hello", 5 << 30
    member = Member("far.txt", far, len(content), zlib.crc32(content))
    head = local_header(member, 0, 1)
    path = tmp_path / "far.zip"
    with path.open("wb") as file:  # a sparse file
        file.seek(far)
        file.write(head + content)
        file.write(directory([member, Member("large", 0, 5 << 30, 0)], file.tell(), b"end"))
    with zipfile.ZipFile(path) as found:
        assert found.read("far.txt") == content
        assert found.getinfo("large").file_size == 5 << 30
        assert found.comment == b"end"
