# SPDX-License-Identifier: Apache-2.0
"""What Connect has made: by which model, which the kernel does not know, and the connections of devices, which it does not list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..connections import Connections
from ..ranges import Ranges

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_PAIR = 1 << 32


@dataclass(frozen=True, slots=True)
class Made:
    """Connections of the kernel made by one call: from `pre` to `post`, with the model's name in NEST and what all of them share.

    weight, delay : the same of all (pA or nS, ms), or None
    """

    pre: Ranges
    post: Ranges
    base: str
    model: str
    parameters: dict[str, float]
    weight: float | None
    delay: float | None
    label: int
    pairs: Ints | None = None  # ascending source * _PAIR + target, where the call joined only these pairs of pre and post


@dataclass(slots=True)
class DeviceWire:
    """Connections from or to devices, made by one call: all pairs, target by target, or the i-th to the i-th.

    weight, delay : a number, or float64 with one per connection (pA or nS, ms)
    """

    pre: Ranges
    post: Ranges
    pairs: bool
    weight: float | Floats
    delay: float | Floats
    model: str
    receptor: int
    label: int
    settable: bool  # weights mean nothing: they may be changed

    def __len__(self) -> int:
        return len(self.pre) if self.pairs else len(self.pre) * len(self.post)

    @property
    def source(self) -> Ints:
        """Ids of the sources, int64 of shape (n,)."""
        return self.pre.ids() if self.pairs else np.tile(self.pre.ids(), len(self.post))

    @property
    def target(self) -> Ints:
        """Ids of the targets, int64 of shape (n,)."""
        return self.post.ids() if self.pairs else np.repeat(self.post.ids(), len(self.pre))

    def column(self, name: str) -> Floats:
        """weight or delay, float64 of shape (n,)."""
        value = getattr(self, name)
        return np.full(len(self), value, np.float64) if np.ndim(value) == 0 else np.asarray(value)


def present_weights(c: Connections) -> NDArray[np.float64]:
    """Present weights. On several ranks those of this rank, to which the connections belong: other ranks need not ask at the same time."""
    from .kernel import session

    if session().n_ranks == 1:
        return c.weight
    columns = c._columns
    return np.asarray(session().network._kernel.own_weights(columns["slice"], columns["table"], columns["position"]))


def pair_keys(source: Ints, target: Ints) -> Ints:
    """A number for each pair of ids."""
    return source * _PAIR + target


class Wires:
    """All connections, as far as Python has to know them."""

    def __init__(self) -> None:
        self.made: list[Made] = []
        self.devices: list[DeviceWire] = []
        self.shortest: float | None = None  # ms
        self.longest: float | None = None
        self.version = 0

    def add_made(self, made: Made) -> None:
        self.made.append(made)
        self.version += 1

    def add_device(self, wire: DeviceWire) -> None:
        self.devices.append(wire)
        self.version += 1
        self.note_delays(float(np.min(wire.delay)), float(np.max(wire.delay)))

    def note_delays(self, low: float, high: float) -> None:
        """Keeps the shortest and the longest delay (ms) of what the kernel does not count."""
        self.shortest = low if self.shortest is None else min(self.shortest, low)
        self.longest = high if self.longest is None else max(self.longest, high)

    def touches(self, gids: Ints) -> bool:
        """Whether one of the nodes is at an end of a connection."""
        return any(bool(end.contains(gids).any()) for end in self._ends())

    def _ends(self) -> Iterator[Ranges]:
        for made in self.made:
            yield from (made.pre, made.post)
        for wire in self.devices:
            yield from (wire.pre, wire.post)

    @property
    def n_of_devices(self) -> int:
        return sum(map(len, self.devices))

    def plastic_on(self, gids: Ints) -> bool:
        """Whether one of the nodes is the target of synapses with parameters of the neuron."""
        return any(
            made.parameters.keys() & {"tau_minus", "tau_minus_triplet"} and bool(made.post.contains(gids).any()) for made in self.made
        )

    def names(self, base: str, found: Connections) -> Ints:
        """Index into `made` of what made each connection of a model of the kernel, int64 of shape (n,).

        Calls that differ in nothing that is shown count as one. Where two calls of different models may have joined the same nodes, weights
        and delays that all connections of a call share tell them apart.
        """
        some = [k for k, made in enumerate(self.made) if made.base == base]
        if len({self._kind(k) for k in some}) <= 1:
            return np.full(len(found), some[0] if some else -1, np.int64)
        index = np.full(len(found), -1, np.int64)
        for k in some:
            index[self._fits(k, some, found, index < 0)] = k
        return index

    def _fits(self, k: int, some: list[int], found: Connections, rest: NDArray[np.bool_]) -> Ints:
        """Positions of those of the rest that call k may have made."""
        made = self.made[k]
        fits = rest & made.pre.contains(found.source) & made.post.contains(found.target)
        if made.pairs is not None:
            fits &= np.isin(pair_keys(found.source, found.target), made.pairs)
        where = np.flatnonzero(fits)
        if len({self._kind(j) for j in some if self._meets(k, j)}) > 1:
            for value, name in ((made.delay, "delay"), (made.weight, "weight")):
                if value is not None:
                    part = found[where]
                    column = present_weights(part) if name == "weight" else part.delay
                    where = where[np.isclose(column, value, rtol=1e-6, atol=1e-12)]
        return where

    def _kind(self, k: int) -> tuple[Any, ...]:
        made = self.made[k]
        return (made.model, made.label, *sorted(made.parameters.items()))

    def _meets(self, a: int, b: int) -> bool:
        """Whether two calls may have joined the same pair of nodes."""
        return self.made[a].pre.overlaps(self.made[b].pre) and self.made[a].post.overlaps(self.made[b].post)
