# SPDX-License-Identifier: Apache-2.0
"""Sampling of synapses while a network runs: what `Network.record(projection, name)` returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .synapse_trace import Samples, SynapseTraceData

if TYPE_CHECKING:
    from ..model.connections import Connections
    from ..model.network import Network
    from ..model.projection import Projection

__all__ = ["Sampler", "SynapseTrace", "in_order"]


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


class SynapseTrace(SynapseTraceData):
    """Weights, parameters or state of the connections of a projection, sampled at regular times, from `Network.record(projection, names)`.

    A sample at time t is what `projection.weight` shows at t: what the last spike of the source that has reached the synapse by then has left.
    Columns are the connections that the projection had first; those made later are not among them. Copies and pickles are `SynapseTraceData`: the
    samples so far. On several ranks all read together, see `view`.
    """

    __slots__ = ("_cached", "_cached_at", "_gather", "_sampler")

    def __init__(self, sampler: Sampler, gather: bool = True) -> None:
        self._sampler, self._gather = sampler, gather
        self._cached: Samples | None = None
        self._cached_at: Any = None

    def view(self, gather: bool = True) -> SynapseTrace:
        """The same recorder, read in another way.

        With `gather` every rank gets the samples of all ranks, and all ranks must read together. Without, a rank gets those of the connections that
        end on its own nodes, and needs no other rank: memory stays that of the rank's own part.
        """
        return SynapseTrace(self._sampler, gather)

    def _of(self, network: Network) -> SynapseTrace:
        """The same samples of a copy of the network."""
        return SynapseTrace(network._streams.samplers[self._network._streams.samplers.index(self._sampler)], self._gather)

    @property
    def projection(self) -> Projection:
        """The projection whose connections are sampled."""
        return self._sampler.projection

    @property
    def names(self) -> tuple[str, ...]:
        """The recorded quantities."""
        return self._sampler.names

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the samples (ms), float64 of shape (n_samples,)."""
        return self._network._grid.ms(np.array(self._sampler.steps, np.int64))

    @property
    def interval(self) -> float:
        """Time between samples (ms)."""
        return self._network._grid.time(self._sampler.every)

    @property
    def resolution(self) -> float:
        """Step of the simulation (ms)."""
        return self._network.resolution

    @property
    def seed(self) -> int:
        """Seed of the simulation."""
        return self._network.seed

    def clear(self) -> None:
        """Forgets the samples so far; recording goes on. All ranks clear."""
        self._sampler.clear()
        self._cached = None

    @property
    def _network(self) -> Network:
        return self._sampler.projection._network

    def _samples(self) -> Samples:
        now = (self._network._moment, len(self._sampler.steps))
        if self._cached is None or self._cached_at != now:
            pairs, rows = self._sampler.pairs(), self._sampler.samples
            values = np.stack(rows) if rows else np.empty((0, len(pairs), len(self.names)))
            if self._gather and self._network.n_ranks > 1:
                pairs, values = self._gathered(pairs, values)
            self._cached = (
                self.times,
                {n: np.ascontiguousarray(values[:, :, k]) for k, n in enumerate(self.names)},
                pairs[:, 0],
                pairs[:, 1],
            )
            for array in (*self._cached[1].values(), self._cached[0], pairs):
                array.setflags(write=False)
            self._cached_at = now
        return self._cached

    def _gathered(self, pairs: NDArray[np.int64], values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Those of all ranks in canonical order: synapses between the same two nodes are all on one rank, in their order."""
        gather = self._network._kernel.gather
        counts = np.asarray(gather(np.array([float(len(pairs))]))).astype(np.int64)
        numbers = np.asarray(gather(pairs.astype(np.float64).ravel())).reshape(-1, 3).astype(np.int64)
        every = np.split(np.asarray(gather(np.ascontiguousarray(values).ravel())), np.cumsum(counts)[:-1] * len(values) * values.shape[2])
        joined = np.concatenate(
            [part.reshape(len(values), n, values.shape[2]) for part, n in zip(every, counts.tolist(), strict=True)], axis=1
        )
        order = in_order(numbers[:, 0], numbers[:, 1])
        return numbers[order], joined[:, order]

    def _writes(self) -> bool:
        return not self._gather or self._network.rank == 0


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
