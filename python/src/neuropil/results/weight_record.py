# SPDX-License-Identifier: Apache-2.0
"""What synapses send: recorders from `Network.record_weights`, for `connect(..., weight_recorder=...)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.closed import Closed
from ..model.nodes import Nodes

if TYPE_CHECKING:
    import pandas

    from ..model.network import Network

__all__ = ["WeightRecord"]


class WeightRecord(Closed):
    """The weight of every spike that the synapses with this recorder have sent, in canonical order (time, source, target, ...).

    A spike is noted when it reaches its target: those still on the way are not in here. Arrays are read-only, of shape (n_events,).
    """

    __slots__ = ("_columns", "_gather", "_network", "_number", "_read_at")

    def __init__(self, network: Network, sources: Nodes | None, targets: Nodes | None) -> None:
        chosen = [None if nodes is None else nodes._ranges.ascending() for nodes in (sources, targets)]
        self._network = network
        self._number = network._kernel.record_weights(*chosen)
        self._columns: dict[str, NDArray[Any]] = {}
        self._gather, self._read_at = True, -1

    def view(self, gather: bool = True) -> WeightRecord:
        """The same recorder, read in another way.

        With `gather` every rank gets the events of all ranks, and all ranks must read together. Without, a rank gets those of the synapses
        that end on its own nodes, and needs no other rank: memory stays that of the rank's own part.
        """
        other = object.__new__(WeightRecord)
        other._network, other._number, other._gather = self._network, self._number, gather
        other._columns, other._read_at = {}, -1
        return other

    @property
    def times(self) -> NDArray[np.float64]:
        """When the sources spiked (ms), float64."""
        return self._network._grid.ms(self._column("steps"))

    @property
    def sources(self) -> NDArray[np.int64]:
        """Gids of the sources, int64."""
        return self._column("source")

    @property
    def targets(self) -> NDArray[np.int64]:
        """Gids of the targets, int64."""
        return self._column("target")

    @property
    def weights(self) -> NDArray[np.float64]:
        """What was sent (pA, or nS for models with conductances): after what plasticity did at this spike; float64."""
        return self._column("weight")

    @property
    def delays(self) -> NDArray[np.float64]:
        """Delays of the synapses (ms), float64."""
        return self._network._grid.ms(self._column("delay_steps"))

    @property
    def receptors(self) -> NDArray[np.int32]:
        """Indices into the receptors of the target's model, int32."""
        return self._column("receptor")

    def clear(self) -> None:
        """Forgets the events so far; recording goes on. Other views that were read in this step keep what they read."""
        self._network._kernel.clear_weights(self._number)
        self._read_at = -1

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with columns time_ms, source, target, weight, delay_ms, receptor."""
        import pandas

        names = {"time_ms": self.times, "source": self.sources, "target": self.targets, "weight": self.weights}
        return pandas.DataFrame(names | {"delay_ms": self.delays, "receptor": self.receptors})

    def __len__(self) -> int:
        return len(self._column("steps"))

    def __repr__(self) -> str:
        return f"WeightRecord({len(self)} events)"

    def _column(self, name: str) -> NDArray[Any]:
        if self._read_at != self._network._kernel.step:
            found = self._network._kernel.sent_weights(self._number, self._gather)
            self._columns = {key: np.asarray(column) for key, column in found.items()}
            for column in self._columns.values():
                column.setflags(write=False)
            self._read_at = self._network._kernel.step
        return self._columns[name]
