# SPDX-License-Identifier: Apache-2.0
"""What Connect has made: by which model, which the kernel does not know, and the connections of devices, which it does not list."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .. import Connections
from ..engine import Floats, Ints, Ranges, catalog, columns_of

Span = tuple[int, int]  # lowest and highest id
Call = tuple[int, Ranges, Ranges, bool, float | None]
"""Of the kernel: index into `kinds`, sources, targets, whether it joined the i-th to the i-th, delay (ms; None: several, or changed)."""


OWN = math.nan
"""Stands for a parameter that each synapse has for itself: the kernel knows it."""


class Identity(NamedTuple):
    """What makes connections alike for NEST. `values`: the parameters, to be compared; OWN, this very object, for those that differ."""

    base: str
    model: str
    values: frozenset[tuple[str, float]]
    synapse_label: int

    @staticmethod
    def of(base: str, model: str, parameters: Mapping[str, Any], synapse_label: int) -> Identity:
        """The identity of synapses with these parameters; values by connection are its own."""
        values = frozenset((key, value if isinstance(value, int | float) else OWN) for key, value in parameters.items())
        return Identity(base, model, values, synapse_label)


@dataclass(slots=True)
class Kind:
    """Connections of the kernel that are alike for NEST: model, parameters, synapse_label.

    label : by which the kernel tells them from others of its model `base`; 0: what they join tells, nodes within the spans pre and post
    """

    base: str
    model: str
    parameters: dict[str, float]  # OWN: see the kernel
    synapse_label: int
    label: int
    pre: Span
    post: Span

    def meets(self, pre: Span, post: Span) -> bool:
        """Whether these connections and others may join the same nodes."""
        return self.pre[0] <= pre[1] and pre[0] <= self.pre[1] and self.post[0] <= post[1] and post[0] <= self.post[1]

    def holds(self, pre: Span, post: Span) -> bool:
        """Whether the spans of these connections hold others."""
        return self.pre[0] <= pre[0] and pre[1] <= self.pre[1] and self.post[0] <= post[0] and post[1] <= self.post[1]

    def widened(self, pre: Span, post: Span) -> tuple[Span, Span]:
        """The spans with others in them."""
        return (min(self.pre[0], pre[0]), max(self.pre[1], pre[1])), (min(self.post[0], post[0]), max(self.post[1], post[1]))


@dataclass(slots=True)
class DeviceWire:
    """Connections from or to devices, made by one call: all pairs, target by target, or the i-th to the i-th.

    weight, delay : a number, or float64 with one per connection (pA or nS, ms); links : calls of the kernel, which of the connections (None: all);
    recorders: none
    """

    pre: Ranges
    post: Ranges
    pairs: bool
    weight: float | Floats
    delay: float | Floats
    model: str
    receptor: int
    label: int
    links: list[tuple[int, Ints | None]] = field(default_factory=list)

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


@dataclass(slots=True)
class Wires:
    """All connections, as far as Python has to know them.

    calls : of the kernel. n_by_kind : connections of the kernel by index into `kinds`, of the first n_counted calls; None: not known, see
    connection_query.py. n_of_devices : connections of devices, by model. of_stimulators : synapse model of all connections of a stimulator,
    by its id. shortest, longest : delays of what the kernel does not count (ms)
    """

    kinds: list[Kind] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    n_by_kind: Counter[int] | None = field(default_factory=Counter)
    n_counted: int = 0
    devices: list[DeviceWire] = field(default_factory=list)
    n_of_devices: Counter[str] = field(default_factory=Counter)
    of_stimulators: dict[int, str] = field(default_factory=dict)
    shortest: float | None = None
    longest: float | None = None
    _alike: dict[Identity, list[int]] = field(default_factory=dict)  # index into kinds, by model, parameters and synapse_label
    _plain: dict[str, list[Kind]] = field(default_factory=dict)  # kinds of label 0, by base
    _highest_label: int = 0

    @property
    def any(self) -> bool:
        """Whether there are connections."""
        return bool(self.kinds or self.devices)

    def place(self, made: Identity, pre: Span, post: Span) -> tuple[int, int]:
        """The kernel's label for connections that are to be made: 0 as long as what they join tells which model made them.

        Before it their index into `kinds`, -1 where their kind is new. pre, post : the spans of sources and targets
        """
        mine, own = None, (-1, self._highest_label + 1)
        for k in self._alike.get(made, ()):
            kind = self.kinds[k]
            if kind.label:
                own = k, kind.label
            elif kind.holds(pre, post):  # no others of label 0 are there
                return k, 0
            else:
                mine, (pre, post) = k, kind.widened(pre, post)
        plain = self._plain.get(made.base, ())
        if len(plain) > (mine is not None) and any(kind.meets(pre, post) for kind in plain if mine is None or kind is not self.kinds[mine]):
            return own
        return -1 if mine is None else mine, 0

    def note(
        self, made: Identity, place: tuple[int, int], ends: tuple[Span, Span], pre: Ranges, post: Ranges, pairs: bool, delay: float | None
    ) -> None:
        """Notes connections that the kernel has made. place : of them; ends : the spans of sources and targets."""
        k, label = place
        if k < 0:
            k = len(self.kinds)
            self.note_kind(Kind(made.base, made.model, dict(sorted(made.values)), made.synapse_label, label, *ends))
        kind = self.kinds[k]
        if not kind.holds(*ends):
            kind.pre, kind.post = kind.widened(*ends)
        self.calls.append((k, pre, post, pairs, delay))

    def forget_delays(self) -> None:
        """Delays do not tell any more which call made a connection."""
        if self.calls:
            self.calls[0] = (*self.calls[0][:4], None)  # one that is not known is enough

    def note_kind(self, kind: Kind) -> None:
        """Adds a kind."""
        self._alike.setdefault(Identity.of(kind.base, kind.model, kind.parameters, kind.synapse_label), []).append(len(self.kinds))
        self.kinds.append(kind)
        self._highest_label = max(self._highest_label, kind.label)
        if kind.label == 0:
            self._plain.setdefault(kind.base, []).append(kind)

    def grow(self, kind: Kind) -> int:
        """Adds connections that grow; returns their label, which no others get."""
        kind.label = self._highest_label = self._highest_label + 1
        self.kinds.append(kind)
        self.n_by_kind = None
        return kind.label

    def edited_kind(self, old: Kind, parameters: dict[str, float], synapse_label: int, ends: tuple[Span, Span]) -> Kind:
        """The kind of connections of kind `old`, between nodes within `ends`, that get other parameters or another synapse_label."""
        for k in self._alike.get(Identity.of(old.base, old.model, parameters, synapse_label), ()):
            kind = self.kinds[k]
            if kind.label or kind.widened(*ends) == (kind.pre, kind.post):
                return kind
        self.note_kind(Kind(old.base, old.model, parameters, synapse_label, self._highest_label + 1, *ends))
        return self.kinds[-1]

    def add_device(self, wire: DeviceWire) -> None:
        """Notes connections of a device."""
        self.devices.append(wire)
        self.n_of_devices[wire.model] += len(wire)
        self.note_delays(float(np.min(wire.delay)), float(np.max(wire.delay)))

    def numbers(self, wires: Iterable[DeviceWire]) -> list[int]:
        """Places of wires in `devices`."""
        places = {id(wire): k for k, wire in enumerate(self.devices)}
        return [places[id(wire)] for wire in wires]

    def note_delays(self, low: float, high: float) -> None:
        """Keeps the shortest and the longest delay (ms) of what the kernel does not count."""
        self.shortest = low if self.shortest is None else min(self.shortest, low)
        self.longest = high if self.longest is None else max(self.longest, high)

    def touches(self, gids: Ints) -> bool:
        """Whether one of the nodes is at an end of a connection."""
        ends = chain((end for call in self.calls for end in call[1:3]), (end for wire in self.devices for end in (wire.pre, wire.post)))
        return any(bool(end.contains(gids).any()) for end in ends)

    def plastic_on(self, gids: Ints) -> bool:
        """Whether one of the nodes is the target of synapses with parameters of the neuron."""
        lends = [not kind.parameters.keys().isdisjoint(("tau_minus", "tau_minus_triplet")) for kind in self.kinds]
        return any(lends[k] and bool(post.contains(gids).any()) for k, _, post, *_ in self.calls)

    def kinds_of(self, found: Connections) -> Ints:
        """Index into `kinds` of each connection, int64 of shape (n,)."""
        if len(self.kinds) == 1:
            return np.zeros(len(found), np.int64)
        columns, bases = columns_of(found), list(catalog.synapses())
        of_label = np.full(self._highest_label + 1, -1, np.int64)
        of_label[[kind.label for kind in self.kinds]] = np.arange(len(self.kinds))
        index: Ints = of_label[columns["label"]]
        for k, kind in enumerate(self.kinds):
            if kind.label == 0:
                fits = (columns["label"] == 0) & (columns["synapse"] == bases.index(kind.base))
                for span, ids in ((kind.pre, found.source), (kind.post, found.target)):
                    fits &= (ids >= span[0]) & (ids <= span[1])
                index[fits] = k
        return index
