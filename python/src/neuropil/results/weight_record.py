# SPDX-License-Identifier: Apache-2.0
"""What synapses send: recorders from `Network.record_weights`, for `connect(..., weight_recorder=...)`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.closed import Closed
from ..model.nodes import Nodes

if TYPE_CHECKING:
    import pandas

    from ..model.network import Network
    from .streaming import WeightStream

__all__ = ["WeightData", "WeightRecord"]

_NAMES = ("times", "sources", "targets", "weights", "delays", "receptors")


class WeightData(Closed):
    """Weights that synapses have sent, as data: one entry per spike and synapse. Arrays are read-only, of shape (n_events,)."""

    __slots__ = ("_data", "_resolution", "_seed")
    _data: dict[str, NDArray[Any]]
    _resolution: float | None
    _seed: int | None

    @staticmethod
    def _made(data: dict[str, NDArray[Any]], resolution: float | None, seed: int | None) -> WeightData:
        made = object.__new__(WeightData)
        made._data, made._resolution, made._seed = data, resolution, seed
        for column in data.values():
            column.setflags(write=False)
        return made

    def _parts(self) -> tuple[dict[str, NDArray[Any]], float | None, int | None]:
        return {name: getattr(self, name) for name in _NAMES}, self.resolution, self.seed

    def __reduce__(self) -> tuple[Callable[..., WeightData], tuple[Any, ...]]:
        """Pickled and copied as data, apart from the network."""
        return WeightData._made, self._parts()

    def copy(self) -> WeightData:
        """These weights as data of their own, apart from the network: they stay as they are when it runs on."""
        return WeightData._made(*self._parts())

    @property
    def times(self) -> NDArray[np.float64]:
        """When the sources spiked (ms), float64."""
        return self._data["times"]

    @property
    def sources(self) -> NDArray[np.int64]:
        """Gids of the sources, int64."""
        return self._data["sources"]

    @property
    def targets(self) -> NDArray[np.int64]:
        """Gids of the targets, int64."""
        return self._data["targets"]

    @property
    def weights(self) -> NDArray[np.float64]:
        """What was sent (pA, nS or mV, as the target takes it): after what plasticity did at this spike; float64."""
        return self._data["weights"]

    @property
    def delays(self) -> NDArray[np.float64]:
        """Delays of the synapses (ms), float64."""
        return self._data["delays"]

    @property
    def receptors(self) -> NDArray[np.int32]:
        """Indices into the receptors of the target's model, int32."""
        return self._data["receptors"]

    @property
    def resolution(self) -> float | None:
        """Step of the simulation (ms); None when it is not known."""
        return self._resolution

    @property
    def seed(self) -> int | None:
        """Seed of the simulation; None when it is not known."""
        return self._seed

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes everything to a file .npz, .h5 or .parquet, which `neuropil.load_weights` reads; on several ranks see `neuropil.load_weights`.

        The file is whole or not there: it is written under another name and then renamed. Raises BadParameter, MissingLibrary, OSError.
        """
        from .saving import save_weights

        save_weights(self, path)

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with columns time_ms, source, target, weight, delay_ms, receptor. Raises MissingLibrary."""
        from .libraries import library

        names = {"time_ms": self.times, "source": self.sources, "target": self.targets, "weight": self.weights}
        table: pandas.DataFrame = library("pandas").DataFrame(names | {"delay_ms": self.delays, "receptor": self.receptors})
        return table

    def _writes(self) -> bool:
        """Whether this rank writes the file of `save`."""
        return True

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} events)"


class WeightRecord(WeightData):
    """The weight of every spike that the synapses with this recorder have sent, in canonical order (time, source, target, ...).

    A spike is noted when it reaches its target: those still on the way are not in here. Arrays are read-only, of shape (n_events,). Copies and
    pickles are `WeightData`: the events so far. On several ranks all read together, see `view`.
    """

    __slots__ = ("_columns", "_gather", "_network", "_number", "_read_at")

    def __init__(self, network: Network, sources: Nodes | None, targets: Nodes | None) -> None:
        chosen = [None if nodes is None else nodes._ranges.ascending() for nodes in (sources, targets)]
        self._network = network
        self._number = network._kernel.record_weights(*chosen)
        self._columns: dict[str, NDArray[Any]] = {}
        self._gather, self._read_at = True, (-1, -1)

    def view(self, gather: bool = True) -> WeightRecord:
        """The same recorder, read in another way.

        With `gather` every rank gets the events of all ranks, and all ranks must read together. Without, a rank gets those of the synapses
        that end on its own nodes, and needs no other rank: memory stays that of the rank's own part.
        """
        other = object.__new__(WeightRecord)
        other._network, other._number, other._gather = self._network, self._number, gather
        other._columns, other._read_at = {}, (-1, -1)
        return other

    def _of(self, network: Network) -> WeightRecord:
        """The same recorder of a copy of the network."""
        other = self.view(self._gather)
        other._network = network
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
        """What was sent (pA, nS or mV, as the target takes it): after what plasticity did at this spike; float64."""
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
        self._read_at = (-1, -1)

    def stream(self, to: str | os.PathLike[str], every: float = 100.0) -> WeightStream:
        """From now on what was sent goes to a new directory every `every` ms of biological time and at the end of each run, and is forgotten here.

        As `Network.record(..., to=)`: `load()` of what is returned, or `load_weights` of the directory, reads it. Every rank writes files of its
        own synapses. Raises BadParameter for a directory in use and for times off the grid.
        """
        from .streaming import WeightStream

        network = self._network
        network._streams.check(to)
        return network._streams.add(WeightStream(self, to, network._grid.steps("every", every, at_least=1)))

    @property
    def resolution(self) -> float:
        """Step of the simulation (ms)."""
        return self._network.resolution

    @property
    def seed(self) -> int:
        """Seed of the simulation."""
        return self._network.seed

    def _writes(self) -> bool:
        return not self._gather or self._network.rank == 0

    def __len__(self) -> int:
        return len(self._column("steps"))

    def _column(self, name: str) -> NDArray[Any]:
        if self._read_at != self._network._moment:
            found = self._network._kernel.sent_weights(self._number, self._gather)
            self._columns = {key: np.asarray(column) for key, column in found.items()}
            for column in self._columns.values():
                column.setflags(write=False)
            self._read_at = self._network._moment
        return self._columns[name]
