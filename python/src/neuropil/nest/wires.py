# SPDX-License-Identifier: Apache-2.0
"""What Connect has made, as far as the kernel does not tell: the models of NEST, and the connections of devices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..engine import Floats, Ints, Ranges


class SynapseKind(NamedTuple):
    """Connections of the kernel that are alike for NEST: the kernel's model and NEST's, and the synapse_label."""

    base: str
    model: str
    synapse_label: int


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
    """What Connect has made.

    kinds : of connections of the kernel, by the label that they have there. n_by_kind : how many there are, without those of the calls in
    `fresh` (kinds of new calls); None: not known, see connection_query.py. n_of_devices : connections of devices, by model.
    of_stimulators : synapse model of all connections of a stimulator, by its id. shortest, longest : delays of what the kernel does not
    count (ms)
    """

    kinds: list[SynapseKind] = field(default_factory=list)
    fresh: list[int] = field(default_factory=list)
    n_by_kind: Counter[int] | None = field(default_factory=Counter)
    devices: list[DeviceWire] = field(default_factory=list)
    n_of_devices: Counter[str] = field(default_factory=Counter)
    of_stimulators: dict[int, str] = field(default_factory=dict)
    shortest: float | None = None
    longest: float | None = None
    _labels: dict[SynapseKind, int] = field(default_factory=dict)

    @property
    def any(self) -> bool:
        """Whether there are connections."""
        return bool(self.kinds or self.devices)

    def label_of(self, kind: SynapseKind) -> int:
        """The kernel's label of connections that are to be made."""
        return self._labels.get(kind, len(self.kinds))

    def note(self, kind: SynapseKind) -> int:
        """Notes that the kernel has connections of a kind; returns their label."""
        label = self._labels.setdefault(kind, len(self.kinds))
        if label == len(self.kinds):
            self.kinds.append(kind)
        return label

    def note_call(self, kind: SynapseKind) -> None:
        """Notes connections that the kernel has made."""
        self.fresh.append(self.note(kind))

    def grow(self, kind: SynapseKind) -> int:
        """Adds connections that grow; returns their label, which no others get."""
        self.kinds.append(kind)
        self.n_by_kind = None
        return len(self.kinds) - 1

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
