# SPDX-License-Identifier: Apache-2.0
"""Sampling of synapses while a network runs, for `Network.record(projection, name)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..model.connections import Connections
    from ..model.projection import Projection

__all__ = ["Sampler", "in_order"]


class Sampler:
    """Takes the samples of the connections that end on this rank, at step `offset` and each `every` steps after it."""

    def __init__(self, projection: Projection, names: Sequence[str], every: int, offset: int) -> None:
        self.projection, self.names, self.every, self.offset = projection, tuple(names), every, offset
        self.steps: list[int] = []
        self.samples: list[NDArray[np.float64]] = []  # [connections, names] each
        self._taken_at = -1
        self._pairs: NDArray[np.int64] | None = None  # [connections, 3] source, target, how many the two had before
        self._found: Connections | None = None
        self._places: NDArray[np.int64] | None = None  # where the present connections are among those; None: at their places

    def next_after(self, step: int) -> int:
        """The first step after this one at which a sample is taken."""
        begin = self.offset or self.every
        return begin if step < begin else begin + ((step - begin) // self.every + 1) * self.every

    def take(self) -> None:
        """Takes a sample if one is due now and was not taken. Asks no other rank."""
        kernel = self.projection._network._kernel
        step = int(kernel.step)
        if step == self._taken_at or step != self.next_after(step - 1):
            return
        found = self._present()
        values = np.stack([found._own_values(name) for name in self.names], axis=1)
        if self._places is not None:
            whole = np.full((len(self.pairs()), len(self.names)), np.nan)
            known = self._places >= 0
            whole[self._places[known]] = values[known]
            values = whole
        self.samples.append(values)
        self.steps.append(step)
        self._taken_at = step

    def pairs(self) -> NDArray[np.int64]:
        """The sampled connections: those that there were when this was first asked for."""
        if self._pairs is None:
            self._present()
        assert self._pairs is not None
        return self._pairs

    def copy(self, projection: Projection) -> Sampler:
        """That of a copy of the network, with the samples so far."""
        made = Sampler(projection, self.names, self.every, self.offset)
        made.become(self)
        return made

    def become(self, other: Sampler) -> None:
        """Has taken the samples that another one has."""
        self.steps, self.samples, self._taken_at, self._pairs = list(other.steps), list(other.samples), other._taken_at, other._pairs
        self._found, self._places = None, None

    @property
    def is_known(self) -> bool:
        """Whether it is known which connections are sampled: from the first sample on."""
        return self._pairs is not None

    def resume(self, pairs: NDArray[np.int64], samples: NDArray[np.float64]) -> None:
        """The connections of this rank and their samples [times, connections, names], of a network that goes on."""
        self._pairs, self.samples = pairs, [np.ascontiguousarray(row) for row in samples]

    def clear(self) -> None:
        """Forgets the samples."""
        self.steps, self.samples = [], []

    def begin_again(self) -> None:
        """The network is as it was at time 0."""
        self.clear()
        self._taken_at, self._pairs, self._found, self._places = -1, None, None, None

    def _present(self) -> Connections:
        """The connections of now, found again when some were made, moved or removed."""
        network = self.projection._network
        if self._found is None or self._found._version != network._version:
            self._found = self.projection._query(gather=False)
            pairs = _numbered(self._found.source, self._found.target)
            if self._pairs is None:
                self._pairs = pairs
            self._places = None if np.array_equal(pairs, self._pairs) else _places(pairs, self._pairs)
        return self._found


def in_order(sources: NDArray[np.int64], targets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The canonical order of the connections of several ranks."""
    return np.lexsort((targets, sources)).astype(np.int64)


def _numbered(sources: NDArray[np.int64], targets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Source, target and number among the synapses of the two, which follow one another."""
    n = len(sources)
    new = np.ones(n, bool)
    new[1:] = (sources[1:] != sources[:-1]) | (targets[1:] != targets[:-1])
    first = np.maximum.accumulate(np.where(new, np.arange(n), 0)) if n else np.empty(0, np.int64)
    return np.stack([sources, targets, np.arange(n) - first], axis=1).astype(np.int64)


def _places(pairs: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row of `known` that each row of `pairs` is, -1: none."""
    _, index = np.unique(np.concatenate([known, pairs]), axis=0, return_inverse=True)
    index = np.ravel(index)
    place = np.full(int(index.max(initial=-1)) + 1, -1, np.int64)
    place[index[: len(known)]] = np.arange(len(known))
    return np.asarray(place[index[len(known) :]])
