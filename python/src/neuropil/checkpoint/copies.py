# SPDX-License-Identifier: Apache-2.0
"""Columns of a checkpoint that are copied to memory, with their checksums: the network goes on before they are on the disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .container import LARGE, Held, filled, piece_bytes
from .files import Part

__all__ = ["MOST_BYTES", "Copies"]

MOST_BYTES = 512 << 20
"""What is copied at most."""

_SHARE = 4  # a copy takes at most one part in so many of the free memory
_PAGE = 4096  # whole pages of memory go to the disk without another copy, see `Disk.write`
_SPARE = 8  # one part in so many more, as recordings grow
_MOST_THREADS = 4  # more are not faster than the memory


class Copies:
    """One copy at a time. The next one goes to the same memory, whose pages are there by then."""

    def __init__(self, threads: int) -> None:
        self._threads = min(threads, _MOST_THREADS)
        self._room: NDArray[np.uint8] = np.empty(0, np.uint8)

    def fit(self, parts: Sequence[Part]) -> bool:
        """Whether there is memory for a copy."""
        size = _places(parts)[-1]
        return size <= MOST_BYTES and (size <= len(self._room) or size <= _core.available_memory() // _SHARE)

    def make(self, parts: Sequence[Part]) -> list[Part]:
        """The columns as they are now; the copy before is overwritten."""
        *places, size = _places(parts)
        if len(self._room) < size:
            self._room = np.empty(0, np.uint8)  # first, so that there are never two
            self._room = _pages(size + size // _SPARE)
        rooms = [self._room[begin : begin + part.nbytes] for part, begin in zip(parts, places, strict=True)]
        with ThreadPoolExecutor(self._threads, "neuropil-checkpoint") as pool:
            held = [Held(room, []) if part.nbytes > LARGE else None for part, room in zip(parts, rooms, strict=True)]
            pieces = [(each, _pieces(pool, part, each.data)) for part, each in zip(parts, held, strict=True) if each]
            copies = [_copy(part, room, each) for part, room, each in zip(parts, rooms, held, strict=True)]
            for each, checksums in pieces:
                each.checksums.extend(checksums)
        return copies


def _pieces(pool: ThreadPoolExecutor, part: Part, room: NDArray[np.uint8]) -> Iterator[int]:
    """Fills the pieces of a column; their checksums."""
    kind = np.dtype(part.dtype)
    step = piece_bytes(kind)
    return pool.map(lambda at: filled(part.fill, at, room[at : at + step], kind), range(0, len(room), step))


def _copy(part: Part, room: NDArray[np.uint8], held: Held | None) -> Part:
    """The column there, which is filled now if it is small."""
    values = room.view(part.dtype)
    if held is None and len(values):
        part.fill(0, values)

    def fill(begin: int, out: NDArray[Any]) -> None:
        out[:] = values[begin : begin + len(out)]

    return part._replace(fill=fill, held=held)


def _places(parts: Sequence[Part]) -> list[int]:
    """Where each column begins, and where the last one ends."""
    return [0, *accumulate(-(-part.nbytes // _PAGE) * _PAGE for part in parts)]


def _pages(size: int) -> NDArray[np.uint8]:
    """Memory that begins with a page. numpy asks for huge ones."""
    room = np.empty(size + _PAGE, np.uint8)
    begin = -room.ctypes.data % _PAGE
    return room[begin : begin + size]
