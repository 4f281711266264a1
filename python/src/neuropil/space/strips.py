# SPDX-License-Identifier: Apache-2.0
"""A cell list: nodes sorted into strips, and within a strip into bins along the last dimension.

A region around a point touches few strips, and in each one run of nodes that lie side by side in memory. The kernel finds the runs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .masks import Mask

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Reach = dict[str, list[Any]]  # of the kernel: cpp/connect/space/strips.hpp

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
        self.places = columns(positions[self.order])  # where the nodes are, in this order
        self.coordinates = self.places if period is None else columns(folded[self.order])
        self.description = self._described()

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

    def runs(self, centres: Floats, reach: Reach) -> Runs:
        """Runs around centres, float64 (m, dims)."""
        centre, start, length, image, base = _core.runs_near(self.description, reach, columns(centres))
        return Runs(centre, start, length, image, tuple(base))

    def _described(self) -> dict[str, Any]:
        """As the kernel takes it."""
        return {
            "dims": self.dims,
            "low": self.low.tolist(),
            "width": self.width.tolist(),
            "margin": self.margin.tolist(),
            "counts": self.counts.tolist(),
            "wraps": self.period is not None,
            "period": (np.zeros(self.dims) if self.period is None else self.period).tolist(),
            "start": self.start,
        }

    def reach(self, mask: Mask | None, sign: int) -> Reach:
        """What is looked for around a centre when sign * (node - centre) must be in the mask; None: everything."""
        everything = np.full(self.dims, np.inf)
        low, high = (-everything, everything) if mask is None else (mask.low, mask.high)
        middle, half = (np.zeros(self.dims), everything) if mask is None else mask.ellipsoid
        if sign < 0:
            low, high, middle = -high, -low, -middle
        images = np.zeros(self.dims, np.int64) if mask is None else self.images(mask)
        return {"low": low.tolist(), "high": high.tolist(), "middle": middle.tolist(), "half": half.tolist(), "images": images.tolist()}


def columns(positions: Floats) -> list[Floats]:
    """Coordinates by dimension, as the kernel takes them."""
    return list(np.ascontiguousarray(positions.T))


_SMALL, _KEPT = 4096, 4  # nodes of layers whose cell lists are kept; how many of them
_recent: list[tuple[Floats, tuple[bytes, ...], Strips]] = []


def cell_list(positions: Floats, lower_left: Floats, period: Floats | None, box: Floats) -> Strips:
    """Strips of these arguments; of small layers that of an earlier call: networks make many calls with one mask."""
    if len(positions) > _SMALL:
        return Strips(positions, lower_left, period, box)
    key = (lower_left.tobytes(), b"" if period is None else period.tobytes(), box.tobytes())
    for known, of, found in _recent:
        if known is positions and of == key:
            return found
    made = Strips(positions, lower_left, period, box)
    _recent[:] = [(positions, key, made), *_recent[: _KEPT - 1]]
    return made


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
