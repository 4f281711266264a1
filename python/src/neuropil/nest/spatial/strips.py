# SPDX-License-Identifier: Apache-2.0
"""A cell list: nodes sorted into strips, and within a strip into bins along the last dimension.

A box around a point touches few strips, and in each one run of nodes that lie side by side in memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .masks import Mask

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_PER_BOX = 8  # strips that the box of a mask is wide
_MARGIN = 1e-9  # of the extent: rounding must not lose a node on the edge of a box


class Runs(NamedTuple):
    """Runs of nodes that may be in the mask of a centre.

    centre : int64 (r,) ascending; start, length : int64 (r,) in sorted order; image : int64 (r,) number of the periodic image;
    base : dims arrays float64 (r,): where the centre is as seen from the image
    """

    centre: Ints
    start: Ints
    length: Ints
    image: Ints
    base: tuple[Floats, ...]

    def part(self, begin: int, end: int) -> Runs:
        """Runs number begin to end - 1."""
        cut = slice(begin, end)
        return Runs(self.centre[cut], self.start[cut], self.length[cut], self.image[cut], tuple(b[cut] for b in self.base))


class Strips:
    """Nodes at float64 (n, dims), sorted to be found by position; `period` (dims,) where space wraps, else None; `box` (dims,): widths of what is looked for."""

    def __init__(self, positions: Floats, lower_left: Floats, period: Floats | None, box: Floats) -> None:
        self.dims, self.period = positions.shape[1], period
        folded = positions if period is None else self._folded(positions, lower_left, period)
        self.low = lower_left if period is not None else _lowest(folded)
        span = period if period is not None else np.maximum(_highest(folded) - self.low, 1e-300)
        self.margin = _MARGIN * span
        self.counts = _numbers_of_cells(span, box, len(folded))
        self.width = span / self.counts
        cells = np.minimum(np.floor((folded - self.low) / self.width).astype(np.int64), self.counts - 1)
        number = np.ravel_multi_index(tuple(np.maximum(cells, 0).T), tuple(self.counts.tolist()))
        self.order = np.argsort(number, kind="stable")
        self.start = np.concatenate([[0], np.cumsum(np.bincount(number, minlength=int(np.prod(self.counts))))])
        self.coordinates = [np.ascontiguousarray(folded[self.order, k]) for k in range(self.dims)]

    @staticmethod
    def _folded(positions: Floats, lower_left: Floats, period: Floats) -> Floats:
        """Positions moved by whole periods into the layer; those that are in it stay, bit by bit, the upper edge too."""
        turns = np.floor((positions - lower_left) / period)
        turns[(positions - lower_left) == period] = 0.0
        return np.where(turns == 0.0, positions, positions - turns * period)

    def images(self, mask: Mask) -> Ints:
        """How many periods away an image can be in each dimension, int64 (dims,)."""
        if self.period is None:
            return np.zeros(self.dims, np.int64)
        widest = np.minimum(np.maximum(np.abs(mask.low), np.abs(mask.high)), 100.0 * self.period)  # infinite ones end somewhere
        return np.ceil(widest / self.period).astype(np.int64) + 1

    def runs(self, centres: Floats, mask: Mask, sign: int) -> Runs:
        """Runs around centres, float64 (m, dims), where sign * (node - centre) may be in the mask."""
        if self.period is not None:
            centres = self._folded(centres, self.low, self.period)
        low, high = (mask.low, mask.high) if sign > 0 else (-mask.high, -mask.low)
        centre, cells, turns = self._strips(centres, low - self.margin, high + self.margin, mask)
        first, last = self._reach(centres[centre], cells, turns, mask, sign)
        return self._along(centres, centre, cells, turns, first, last, mask)

    def _strips(self, centres: Floats, low: Floats, high: Floats, mask: Mask) -> tuple[Ints, list[Ints], list[Ints]]:
        """Strips that a box around each centre touches: number of the centre, index of the strip and periods in each dimension but the last."""
        centre = np.arange(len(centres))
        cells: list[Ints] = []
        turns: list[Ints] = []
        for k in range(self.dims - 1):
            at = centres[centre, k] - self.low[k]
            first, last = (self._cell(at + bound[k], k, mask) for bound in (low, high))
            if self.period is None:
                first, last = np.maximum(first, 0), np.minimum(last, self.counts[k] - 1)
            repeat = np.maximum(last - first + 1, 0)
            index = _expanded(first, repeat)
            cells, turns = [np.repeat(c, repeat) for c in cells], [np.repeat(t, repeat) for t in turns]
            centre = np.repeat(centre, repeat)
            turn = index // self.counts[k] if self.period is not None else np.zeros_like(index)
            cells.append(index - turn * self.counts[k])
            turns.append(turn)
        return centre, cells, turns

    def _cell(self, place: Floats, k: int, mask: Mask) -> Ints:
        """Number of the cell along dimension k, counted on beyond the layer; masks may be infinite."""
        limit = float(self.counts[k]) * (2.0 + 2.0 * float(self.images(mask)[k]))
        return np.clip(np.floor(place / self.width[k]), -limit, limit).astype(np.int64)

    def _reach(self, at: Floats, cells: list[Ints], turns: list[Ints], mask: Mask, sign: int) -> tuple[Floats, Floats]:
        """Lowest and highest last coordinate, relative to the centre, that a node in the strip can have, float64 (r,)."""
        shift = np.zeros(self.dims) if self.period is None else self.period
        low = np.stack([self.low[k] + cells[k] * self.width[k] + turns[k] * shift[k] - at[:, k] for k in range(self.dims - 1)])
        margin = self.margin[:-1, None]
        high = low + self.width[:-1, None] + margin
        low = low - margin
        if sign > 0:
            first, last = mask.reach(low, high)
        else:
            last, first = (-bound for bound in mask.reach(-high, -low))
        return first - self.margin[-1], last + self.margin[-1]

    def _along(self, centres: Floats, centre: Ints, cells: list[Ints], turns: list[Ints], first: Floats, last: Floats, mask: Mask) -> Runs:
        """The bins of each strip as runs of nodes, empty ones left out."""
        k, n = self.dims - 1, int(self.counts[-1])
        at = centres[centre, k] - self.low[k]
        a, b = (self._cell(at + bound, k, mask) for bound in (first, last))
        some = first <= last
        if self.period is None:
            turn, a, b = np.zeros_like(a), np.maximum(a, 0), np.minimum(b, n - 1)
            chosen = np.flatnonzero(some & (a <= b))
        else:
            lowest = a // n
            repeat = np.where(some & (a <= b), b // n - lowest + 1, 0)
            chosen = np.repeat(np.arange(len(a)), repeat)
            turn = _expanded(lowest, repeat)
            a, b = np.maximum(a[chosen] - turn * n, 0), np.minimum(b[chosen] - turn * n, n - 1)
        cells, turns, centre = [c[chosen] for c in cells], [t[chosen] for t in turns], centre[chosen]
        if self.period is None:
            a, b, turn = a[chosen], b[chosen], turn[chosen]
        return self._gathered(centres, centre, cells, [*turns, turn], a, b, mask)

    def _gathered(self, centres: Floats, centre: Ints, cells: list[Ints], turns: list[Ints], a: Ints, b: Ints, mask: Mask) -> Runs:
        strip = cells[0] if self.dims == 2 else cells[0] * self.counts[1] + cells[1]
        start = self.start[strip * self.counts[-1] + a]
        length = self.start[strip * self.counts[-1] + b + 1] - start
        kept = np.flatnonzero(length)
        centre = centre[kept]
        image, base = np.zeros(len(kept), np.int64), []
        for k, most in enumerate(self.images(mask).tolist()):
            turn = turns[k][kept]
            image = image * (2 * most + 1) + turn + most
            base.append(centres[centre, k] if self.period is None else centres[centre, k] - turn * self.period[k])
        return Runs(centre, start[kept], length[kept], image, tuple(base))


def _expanded(first: Ints, repeat: Ints) -> Ints:
    """first, first + 1, ... (repeat of them) for each entry, one after the other."""
    return np.repeat(first - (np.cumsum(repeat) - repeat), repeat) + np.arange(int(repeat.sum()))


def _numbers_of_cells(span: Floats, box: Floats, n: int) -> Ints:
    """Strips and bins: some strips across a box, few bins per node."""
    dims = len(span)
    wanted = np.clip(_PER_BOX * span / np.maximum(box, 1e-300), 1.0, max(n, 1) ** (1.0 / (dims - 1)))
    counts = np.maximum(wanted.astype(np.int64), 1)
    bins = 2 * n // int(np.prod(counts[:-1])) + 1
    counts[-1] = max(1, min(bins, 1 << 20))
    return counts


def _lowest(positions: Floats) -> Floats:
    return positions.min(axis=0) if len(positions) else np.zeros(positions.shape[1])


def _highest(positions: Floats) -> Floats:
    return positions.max(axis=0) if len(positions) else np.ones(positions.shape[1])
