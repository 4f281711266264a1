# SPDX-License-Identifier: Apache-2.0
"""Pairs of nodes that a mask allows, found in chunks around the nodes of one side, the centres."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import bad_length, bad_parameter
from .context import Context, Floats, Ints, check_dimension, wrapped
from .layers import Part
from .masks import Mask
from .strips import Runs, Strips

CHUNK = 1 << 18  # pairs that are looked at together: their arrays stay in the caches


@dataclass(frozen=True, slots=True)
class PairContext(Context):
    """Connections given by the numbers of their ends; positions are looked up only when an expression asks for them.

    ends : positions of all sources and of all targets, float64 (n, dims), with int64 (n,) which one each connection has
    moves : target - source along the shortest way, float64 (n,) for each dimension; empty: computed when asked for
    """

    ends: tuple[Floats, Ints, Floats, Ints] = (np.empty((0, 2)), np.empty(0, np.int64)) * 2
    moves: tuple[Floats, ...] = ()

    @property
    def of_connections(self) -> bool:
        return True

    def take(self, chosen: NDArray[np.generic]) -> PairContext:
        a, i, b, j = self.ends
        return replace(self, keys=self.keys[chosen], ends=(a, i[chosen], b, j[chosen]), moves=tuple(move[chosen] for move in self.moves))

    @property
    def dims(self) -> int:
        return self.ends[0].shape[1]

    def displacement(self, dimension: int) -> Floats:
        a, i, b, j = self.ends
        check_dimension(dimension, a)
        if self.moves:
            return self.moves[dimension]
        return wrapped(b[j, dimension] - a[i, dimension], self, dimension)

    def end_positions(self, end: str) -> Floats:
        positions, which = self.ends[:2] if end == "source" else self.ends[2:]
        return positions[which]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs (centre, other): int64 (n,), centres ascending; image: int64 (n,), which periodic image of the other, 0 where there are none.

    moves : other - centre as seen through the mask, float64 (n,) for each dimension; empty without a mask
    """

    centre: Ints
    other: Ints
    image: Ints | None
    moves: tuple[Floats, ...]

    def __len__(self) -> int:
        return len(self.centre)

    def take(self, chosen: NDArray[np.generic]) -> Pairs:
        image = None if self.image is None else self.image[chosen]
        return Pairs(self.centre[chosen], self.other[chosen], image, tuple(move[chosen] for move in self.moves))


class Search:
    """Finds the others around centres: mask and wrapping are those of `pool`, one of the two sides.

    sign : +1 where the mask lies around the centre, -1 where it lies around the others
    n_images : how many numbers of images there are
    """

    def __init__(self, centres: Part, others: Part, pool: Part, mask: Mask | None, sign: int, oversized: bool) -> None:
        self._centres, self._others, self._sign, self._mask = centres, others, sign, mask
        self._period = pool.extent if pool.periodic else None
        self.n_images, self._strips = 1, None
        if mask is not None:
            check(mask, pool, oversized)
            self._strips = Strips(others.positions, pool.lower_left, self._period, mask.high - mask.low)
            self.n_images = int(np.prod(2 * self._strips.images(mask) + 1))
        self._direct = mask is not None and (self._period is None or bool((np.maximum(-mask.low, mask.high) <= self._period / 2.0).all()))

    def around(self, chosen: Ints) -> Iterator[Pairs]:
        """Pairs of the centres with these numbers, ascending, in chunks that hold whole centres."""
        if self._strips is None or self._mask is None:
            yield from self._all(chosen)
            return
        for some in np.array_split(chosen, len(chosen) // 4096 + 1):
            runs = self._strips.runs(self._centres.positions[some], self._strips.reach(self._mask, self._sign))
            yield from self._masked(some, runs)

    @property
    def moves_are_shortest(self) -> bool:
        """Whether the moves through the mask are the shortest ways."""
        return self._direct

    def _all(self, chosen: Ints) -> Iterator[Pairs]:
        n = len(self._others.positions)
        at_once = max(1, CHUNK // max(n, 1))
        everything = np.arange(n)
        for first in range(0, len(chosen), at_once):
            some = chosen[first : first + at_once]
            yield Pairs(np.repeat(some, n), np.tile(everything, len(some)), None, ())

    def _masked(self, some: Ints, runs: Runs) -> Iterator[Pairs]:
        total = np.cumsum(runs.length)
        last_of_centre = np.flatnonzero(np.diff(runs.centre, append=-1))
        begin = before = 0
        while begin < len(runs.length):
            # Up to the last whole centre that fits, at least one.
            fits = np.searchsorted(total[last_of_centre], before + CHUNK, side="right")
            last = int(last_of_centre[max(int(fits) - 1, int(np.searchsorted(last_of_centre, begin)))]) + 1
            yield self._expanded(some, runs.part(begin, last))
            begin, before = last, int(total[last - 1])

    def _expanded(self, some: Ints, runs: Runs) -> Pairs:
        assert self._strips is not None and self._mask is not None
        length = runs.length
        at = np.repeat(runs.start - (np.cumsum(length) - length), length)
        at += np.arange(len(at))
        moves = []
        for coordinates, base in zip(self._strips.coordinates, runs.base, strict=True):
            move = coordinates[at]
            move -= np.repeat(base, length)
            moves.append(move)
        signed = np.stack(moves) if self._sign > 0 else -np.stack(moves)
        inside = np.flatnonzero(self._mask.inside(signed))
        run = np.repeat(np.arange(len(length)), length)[inside]
        image = runs.image[run] if self.n_images > 1 else None
        return Pairs(some[runs.centre[run]], self._strips.order[at[inside]], image, tuple(move[inside] for move in moves))


def check(mask: Mask, pool: Part, oversized: bool) -> None:
    """Raises BadLength for a mask of other dimensions than the pool, BadParameter for one larger than a pool that wraps."""
    if mask.dims != pool.dims:
        raise bad_length("mask", f"{mask.dims}-dimensional", f"one of {pool.dims} dimensions")
    if pool.periodic and not oversized and (mask.high - mask.low > pool.extent).any():
        raise bad_parameter(
            "mask", mask, f"no larger than the layer, {pool.extent.tolist()}, whose edges are joined, unless oversized is allowed"
        )


def nodes_in(mask: Mask, layer: Part, centre: Floats) -> Ints:
    """Numbers of the nodes of a layer that lie in a mask around a point, float64 (dims,); ascending. Raises BadLength, BadParameter."""
    one = layer._replace(positions=centre[None, :], gids=np.zeros(1, np.int64))
    search = Search(one, layer, layer, mask.on(layer), 1, False)
    return np.unique(np.concatenate([np.empty(0, np.int64), *(pairs.other for pairs in search.around(np.zeros(1, np.int64)))]))
