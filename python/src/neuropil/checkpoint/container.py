# SPDX-License-Identifier: Apache-2.0
"""Files of columns: a zip of .npy members, stored as they are, whose every piece of some MiB has a checksum that is looked at before its bytes are used.

The last member, `index.json`, says where each column is and what its checksums are; the comment of the zip, the last bytes of the file, says where
the index is and what its own digest is. So a column is read at any place without the rest; numpy.load opens the file as well.
"""

from __future__ import annotations

import hashlib
import io
import json
import mmap
import os
import re
import zlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import BadCheckpoint, bad_checkpoint
from .checksums import joined
from .disk import Disk
from .zipped import Member, directory, local_header

__all__ = ["KINDS", "LARGE", "VERSION", "Column", "Fill", "Held", "Reader", "Writer", "filled", "piece_bytes", "plain_type"]

VERSION = 1
KINDS = ("checkpoint", "shard")
_PIECE = 4 << 20
_MOST_PIECE = 64 << 20
LARGE = 64 << 10
"""Columns of so many bytes lie on pages."""
_PAGE = 4096
_LINE = 64
_GATHERED = 1 << 20  # bytes of small columns that are written at once
_BUFFERS = 3
_AHEAD = 3  # pieces that are read in advance
_FEW = 4  # pieces of a column that is read as it comes
_TRAILER = "neuropil {kind:10} {version:5d} {offset:016x} {size:016x} {digest}\n"
_TRAILER_BYTES = len(_TRAILER.format(kind="", version=0, offset=0, size=0, digest="0" * 32))
_TRAILER_FORM = re.compile(rb"neuropil (\w+) +(\d+) ([0-9a-f]{16}) ([0-9a-f]{16}) ([0-9a-f]{32})\n")
_HEAD = "a checkpoint of neuropil"  # name of the first member
_HEAD_TEXT = b"Columns of a network of neuropil. numpy.load shows them, neuropil.load makes the network of them.\n"

Fill = Callable[[int, NDArray[Any]], int | None]
"""Writes elements begin .. begin + len(out) of a column into `out`. What it returns is their CRC-32, None: it is not known."""


class Held(NamedTuple):
    """The bytes of a column in memory, which stay as they are, and the CRC-32 of each piece of them, see `piece_bytes`."""

    data: NDArray[np.uint8]
    checksums: list[int]


class Column(NamedTuple):
    """An array in a file: where its bytes are, and the CRC-32 of each piece of them."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int
    checksums: tuple[int, ...]

    @property
    def length(self) -> int:
        """Number of elements."""
        return _product(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.length * self.dtype.itemsize


def plain_type(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of it are bytes and nothing else: numbers, texts, times."""
    return dtype.kind in "biufcSUmM" and dtype.itemsize > 0 and dtype.fields is None and dtype.subdtype is None


def piece_bytes(kind: np.dtype[Any], piece: int = _PIECE) -> int:
    """Bytes of each piece of a column but the last."""
    return max(piece // kind.itemsize, 1) * kind.itemsize


def filled(fill: Fill, at: int, room: NDArray[np.uint8], kind: np.dtype[Any]) -> int:
    """Fills the room with the bytes of a column from byte `at` on; returns their CRC-32."""
    checksum = fill(at // kind.itemsize, room.view(kind))
    return _core.crc32(room) if checksum is None else checksum


class Writer:
    """Writes a file in one go: columns, one after the other, then the index. A thread writes while the next piece is made.

    It holds a few pieces, whatever the length of a column. What is small is gathered until it is worth a write. All methods raise OSError, also for
    what was written before.
    """

    def __init__(self, disk: Disk, path: Path, piece: int = _PIECE) -> None:
        self._disk, self._piece, self._at = disk, piece, 0
        self._file = disk.create(path)
        self._worker = ThreadPoolExecutor(1, "neuropil-checkpoint")
        self._buffers = [np.empty(0, np.uint8)] * _BUFFERS
        self._used: list[Future[None] | None] = [None] * _BUFFERS
        self._next = 0
        self._small, self._small_at = bytearray(), 0  # gathered, and where it belongs
        self._columns: list[list[Any]] = []
        self._members: list[Member] = []
        self._whole(_HEAD, _HEAD_TEXT)

    def add(
        self,
        name: str,
        dtype: np.dtype[Any] | str,
        shape: tuple[int, ...],
        fill: Fill,
        told: Callable[[int], None] | None = None,
        held: Held | None = None,
    ) -> None:
        """A column; `told` is called with the number of bytes of each piece. `held`: a large column that is in memory is written from there."""
        kind = np.dtype(dtype)
        head = _npy_header(kind, shape)
        size = _product(shape) * kind.itemsize
        if size <= min(self._piece, LARGE):
            self._add_small(name, kind, shape, head, fill)
            if told is not None and size:
                told(size)
            return
        member = Member(f"{name}.npy", self._at, len(head) + size, 0)
        align = _PAGE if size >= LARGE else _LINE
        begin = self._at + len(local_header(member, len(head), align)) + len(head)
        checksums = []
        step = piece_bytes(kind, self._piece)
        for at in range(0, size, step):
            bytes_here = min(step, size - at)
            buffer = self._buffer(bytes_here if held is None else 0)
            if held is None:
                checksums.append(filled(fill, at, buffer, kind))
            else:
                buffer = held.data[at : at + bytes_here]
                checksums.append(held.checksums[at // step])
            self._put(buffer.data, begin + at)
            if told is not None:
                told(bytes_here)
        parts = [(zlib.crc32(head), len(head)), *((c, min(step, size - k * step)) for k, c in enumerate(checksums))]
        member = member._replace(checksum=joined(parts))
        self._put(local_header(member, len(head), align) + head, member.offset)
        self._members.append(member)
        self._columns.append([name, kind.str, list(shape), begin, step, checksums])
        self._at = begin + size

    def _add_small(self, name: str, kind: np.dtype[Any], shape: tuple[int, ...], head: bytes, fill: Fill) -> None:
        """A column of one piece, whose header is known before it is written."""
        values = np.empty(_product(shape), kind)
        if len(values):
            fill(0, values)
        content = values.tobytes()
        member = Member(f"{name}.npy", self._at, len(head) + len(content), zlib.crc32(content, zlib.crc32(head)))
        before = local_header(member, len(head), _LINE) + head
        self._put(before + content, self._at)
        self._members.append(member)
        checksums = [zlib.crc32(content)] if content else []
        self._columns.append([name, kind.str, list(shape), self._at + len(before), piece_bytes(kind, self._piece), checksums])
        self._at += len(before) + len(content)

    def array(self, name: str, values: NDArray[Any]) -> None:
        """A column that is in memory."""
        flat = np.ascontiguousarray(values).reshape(-1)

        def fill(begin: int, out: NDArray[Any]) -> None:
            out[:] = flat[begin : begin + len(out)]

        self.add(name, values.dtype, values.shape, fill)

    def finish(self, kind: str, about: Mapping[str, Any]) -> None:
        """Writes the index with what the file is about, plain values, and brings all to the disk. The file stays open, see `close`."""
        index = json.dumps({"about": dict(about), "columns": self._columns}, separators=(",", ":")).encode()
        offset = self._whole("index.json", index)
        digest = hashlib.blake2b(index, digest_size=16).hexdigest()
        trailer = _TRAILER.format(kind=kind, version=VERSION, offset=offset, size=len(index), digest=digest)
        end = directory(self._members, self._at, trailer.encode())
        self._put(end, self._at)
        self._at += len(end)
        self._write_small()
        self._wait()
        self._disk.sync(self._file)

    def close(self) -> None:
        """Lets go of the file and its lock. A second time does nothing."""
        self._worker.shutdown(wait=True, cancel_futures=True)
        file, self._file = self._file, -1
        if file >= 0:
            self._disk.close(file)

    def _whole(self, name: str, content: bytes) -> int:
        """A member of other content; where that begins."""
        member = Member(name, self._at, len(content), zlib.crc32(content))
        head = local_header(member, 0, 1)
        self._put(head + content, self._at)
        self._members.append(member)
        self._at += len(head) + len(content)
        return self._at - len(content)

    def _buffer(self, size: int) -> NDArray[np.uint8]:
        """Room for a piece, which nothing is written from any more."""
        self._next = (self._next + 1) % _BUFFERS
        if (used := self._used[self._next]) is not None:
            self._used[self._next] = None
            used.result()
        if len(self._buffers[self._next]) < size:
            self._buffers[self._next] = np.frombuffer(mmap.mmap(-1, max(size, 1 << 16)), np.uint8)  # on pages
        return self._buffers[self._next][:size]

    def _put(self, data: memoryview | bytes, at: int) -> None:
        """Writes in the background. Bytes are small: they are gathered with those beside them."""
        if not isinstance(data, bytes):
            self._used[self._next] = self._worker.submit(self._disk.write, self._file, data, at)
            return
        if at != self._small_at + len(self._small) or len(self._small) > _GATHERED:
            self._write_small()
            self._small_at = at
        self._small += data

    def _write_small(self) -> None:
        """What was gathered takes the turn of a buffer."""
        if self._small:
            self._buffer(0)
            self._used[self._next] = self._worker.submit(self._disk.write, self._file, bytes(self._small), self._small_at)
            self._small = bytearray()

    def _wait(self) -> None:
        for k, used in enumerate(self._used):
            self._used[k] = None
            if used is not None:
                used.result()


class Reader:
    """Reads columns of a file. Raises BadCheckpoint for all that is wrong with it."""

    def __init__(self, path: Path, kind: str, about_only: bool = False) -> None:
        """Reads the index alone. `kind`: what the file must be; `about_only`: its columns will not be read."""
        self.path = path
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise bad_checkpoint(path, "", "is missing") from None
        except OSError as error:
            raise bad_checkpoint(path, "", f"cannot be read: {error.strerror}") from error
        self._steps: dict[str, int] = {}
        try:
            self.about, self.columns = self._index(kind, about_only)
        except BaseException:
            self.close()
            raise
        self._cached: tuple[Column, int, NDArray[np.uint8]] | None = None
        self._ahead: dict[tuple[str, int], Future[NDArray[np.uint8]]] = {}
        self._workers: ThreadPoolExecutor | None = None
        self._last = ("", -1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the file. A second time does nothing."""
        if (workers := getattr(self, "_workers", None)) is not None:
            workers.shutdown(wait=True, cancel_futures=True)
            self._workers = None
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)

    def read(self, name: str, begin: int, out: NDArray[Any]) -> None:
        """Elements begin .. begin + len(out) of a column, in the order of C; `out` is one-dimensional, contiguous and of the column's type."""
        column = self._column(name)
        if out.dtype != column.dtype:
            raise self._bad(name, f"holds {column.dtype.str}, wanted is {out.dtype.str}")
        item = column.dtype.itemsize
        if begin < 0 or begin + len(out) > column.length:
            raise self._bad(name, f"has {column.length} elements, wanted are {begin} to {begin + len(out)}")
        view, at, step = out.view(np.uint8), 0, self._steps[name]
        while at < len(view):
            k, inside = divmod(begin * item + at, step)
            size = min(step, column.nbytes - k * step)
            part = min(size - inside, len(view) - at)
            if part == size and (column.name, k) not in self._ahead:
                self._piece(column, k, view[at : at + size])
            else:
                view[at : at + part] = self._kept(column, k, size)[inside : inside + part]
            self._read_on(column, k)
            at += part

    def array(self, name: str) -> NDArray[Any]:
        """A whole column, an array of its own."""
        column = self._column(name)
        flat = np.empty(column.length, column.dtype)
        self.read(name, 0, flat)
        try:
            return flat.reshape(column.shape)
        except ValueError as error:  # (0, more than there can be)
            raise self._bad(name, f"makes no sense: shape {column.shape}") from error

    def check(self) -> None:
        """Reads all there is."""
        for column in self.columns.values():
            per = max((1 << 22) // column.dtype.itemsize, 1)
            for begin in range(0, column.length, per):
                self.read(column.name, begin, np.empty(min(per, column.length - begin), column.dtype))

    def _column(self, name: str) -> Column:
        if name not in self.columns:
            raise self._bad(name, "is not there")
        return self.columns[name]

    def _kept(self, column: Column, k: int, size: int) -> NDArray[np.uint8]:
        """A piece that is read in parts, or was read in advance."""
        if self._cached is None or self._cached[0] is not column or self._cached[1] != k:
            ahead = self._ahead.pop((column.name, k), None)
            self._cached = column, k, self._new(column, k, size) if ahead is None else ahead.result()
        return self._cached[2]

    def _new(self, column: Column, k: int, size: int) -> NDArray[np.uint8]:
        piece = np.empty(size, np.uint8)
        self._piece(column, k, piece)
        return piece

    def _read_on(self, column: Column, k: int) -> None:
        """Reads the next pieces in the background, when a large column is read from begin to end."""
        last, self._last = self._last, (column.name, k)
        step, count = self._steps[column.name], len(column.checksums)
        if last != (column.name, k - 1) or count < _FEW or step < LARGE:
            return
        if self._workers is None:
            self._workers = ThreadPoolExecutor(2, "neuropil-checkpoint")
        self._ahead = {key: future for key, future in self._ahead.items() if key[0] == column.name and key[1] > k}
        for next_k in range(k + 1, min(k + 1 + _AHEAD, count)):
            if (column.name, next_k) not in self._ahead:
                size = min(step, column.nbytes - next_k * step)
                self._ahead[column.name, next_k] = self._workers.submit(self._new, column, next_k, size)

    def _piece(self, column: Column, k: int, out: NDArray[np.uint8]) -> None:
        at = column.offset + k * self._steps[column.name]
        self._bytes(at, out.data, column.name)
        if _core.crc32(out) != column.checksums[k]:
            raise self._bad(column.name, f"bytes {at} to {at + len(out)} have changed since they were written (checksum)")

    def _bytes(self, at: int, out: memoryview, place: str) -> None:
        try:
            while len(out):
                count = os.preadv(self._file, [out], at)
                if not count:
                    raise self._bad(place, "is cut off: the file is shorter than it was")
                out, at = out[count:], at + count
        except OSError as error:
            raise self._bad(place, f"cannot be read: {error.strerror}") from error

    # --- the index

    def _index(self, kind: str, about_only: bool) -> tuple[dict[str, Any], dict[str, Column]]:
        size = os.fstat(self._file).st_size
        trailer = bytearray(min(_TRAILER_BYTES, size))
        try:
            self._bytes(size - len(trailer), memoryview(trailer), "")
        except BadCheckpoint as error:
            raise self._bad("", f"no checkpoint of neuropil: {error}") from None
        found = _TRAILER_FORM.fullmatch(bytes(trailer))
        if found is None:
            raise self._bad("", self._why_no_end())
        if int(found[2]) > VERSION:
            raise self._bad("", f"version {int(found[2])} of the format: this neuropil reads versions up to {VERSION}")
        if found[1].decode() != kind:
            raise self._bad("", f"is a {found[1].decode()}, not a {kind}")
        offset, length = int(found[3], 16), int(found[4], 16)
        if offset + length > size:
            raise self._bad("end of the file", "has changed since it was written")
        text = bytearray(length)
        self._bytes(offset, memoryview(text), "index")
        if hashlib.blake2b(text, digest_size=16).hexdigest() != found[5].decode():
            raise self._bad("index", "has changed since it was written (checksum)")
        try:
            index = json.loads(text)
            return _a(dict, index["about"]), {} if about_only else self._parsed(index, offset)
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError, SyntaxError) as error:
            raise self._bad("index", f"makes no sense: {error!r}") from error

    def _parsed(self, index: Any, end: int) -> dict[str, Column]:
        """Checked as if no one had: raises what wrong values raise."""
        columns: dict[str, Column] = {}
        for name, kind, shape, offset, step, checksums in index["columns"]:
            dtype = np.dtype(_a(str, kind))
            if not plain_type(dtype) or any(_a(int, n) < 0 for n in shape):
                raise ValueError(f"{name}: {kind} {shape}")
            column = Column(_a(str, name), dtype, tuple(shape), _a(int, offset), tuple(_a(int, c) for c in checksums))
            if not (0 < _a(int, step) <= _MOST_PIECE and offset >= 0 and offset + column.nbytes <= end):
                raise ValueError(f"{name}: place")
            if len(checksums) != -(-column.nbytes // step) or name in columns:
                raise ValueError(f"{name}: pieces")
            columns[name], self._steps[name] = column, step
        return columns

    def _why_no_end(self) -> str:
        head = bytearray(30 + len(_HEAD))
        try:
            self._bytes(0, memoryview(head), "")
        except BadCheckpoint:
            return "no checkpoint of neuropil"
        if head.endswith(_HEAD.encode()):
            return "is cut off, or was written to: what ends a checkpoint is not there"
        return "no checkpoint of neuropil"

    def _bad(self, place: str, problem: str) -> BadCheckpoint:
        return bad_checkpoint(self.path, place, problem)


def _a(kind: type, value: Any) -> Any:
    """The value, if it is of the type. Raises TypeError."""
    if type(value) is not kind:
        raise TypeError(f"{value!r:.40} is no {kind.__name__}")
    return value


def _product(shape: tuple[int, ...]) -> int:
    total = 1
    for n in shape:
        total *= n
    return total


@lru_cache(maxsize=1024)
def _npy_header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape})
    return stream.getvalue()
