# SPDX-License-Identifier: Apache-2.0
"""Edits of connections of devices, which the kernel does not list: their weights and delays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import to_spec
from .edit_checks import check_delays
from .errors import translating
from .kernel import session
from .ranks import gathered
from .wires import DeviceWire

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(slots=True)
class DeviceEdit:
    """Weights and delays that connections of one Connect of devices are to have; checked when it is made."""

    wire: DeviceWire
    weight: float | Floats
    delay: float | Floats

    def apply(self) -> None:
        """Sets them. Does not fail."""
        self.wire.weight, self.wire.delay = self.weight, self.delay
        self._relink(False)
        session().wires.note_delays(float(np.min(self.delay)), float(np.max(self.delay)))

    def _relink(self, check_only: bool) -> None:
        for link, index in self.wire.links:
            n = len(self.wire)
            weight, delay = (np.broadcast_to(value, n)[slice(None) if index is None else index] for value in (self.weight, self.delay))
            with translating():
                session().engine.kernel.relink(link, to_spec("weight", weight), to_spec("delay", delay), check_only)


def device_edits(rows: Ints, columns: Mapping[str, NDArray[Any]]) -> list[DeviceEdit]:
    """Checks weights and delays for connections of devices: rows of shape (2, n) with numbers of wires and positions. Nothing has changed yet.

    Raises BadDelay, BadProperty. Collective.
    """
    s = session()
    table, _ = gathered(np.stack([*rows, *columns.values()], axis=1).astype(np.float64))
    if "delay" in columns and len(table):
        at = 2 + list(columns).index("delay")
        check_delays(table[:, at])
        table[:, at] = s.engine.ms(np.round(table[:, at] / s.resolution).astype(np.int64))
    edits = []
    for number in np.unique(table[:, 0]).astype(int).tolist():
        wire, some = s.wires.devices[number], table[:, 0] == number
        fresh = {key: wire.changed(key, table[some, 1].astype(np.int64), table[some, 2 + k]) for k, key in enumerate(columns)}
        edits.append(DeviceEdit(wire, fresh.get("weight", wire.weight), fresh.get("delay", wire.delay)))
        edits[-1]._relink(True)
    return edits
