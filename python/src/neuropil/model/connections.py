# SPDX-License-Identifier: Apache-2.0
"""Connections of a network as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.closed import Closed
from ..errors import OutOfRange, Stale, bad_parameter, bad_type, unknown_name
from . import catalog
from .distributions import Value

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from .network import Network

__all__ = ["Connections"]

_STATES = ("u", "x", "y", "P", "a", "s_NMDA", "Kplus", "Kplus_triplet")  # a new model may have others
_COLUMNS = ("source", "target", "delay_steps", "synapse", "receptor", "slice", "table", "position", "label")


class Connections(Closed):
    """Connections in canonical order (source, target, synapse model, delay), the same for any number of threads; from `Network.connections`.

    `c[a:b]`, `c[index]`, `c[mask]` give some of them. Weights are those of now: they follow plasticity, and can be set. What `connect`
    makes later is not in here, and after it weights can no longer be read or set (error Stale): query again.
    """

    __slots__ = ("_columns", "_gather", "_network", "_version")

    def __init__(self, network: Network, columns: dict[str, NDArray[Any]], version: int, gather: bool = True) -> None:
        self._network, self._version, self._gather = network, version, gather
        self._columns = {name: columns[name] for name in _COLUMNS}

    @property
    def source(self) -> NDArray[np.int64]:
        """Gids of the sources, int64 of shape (n,)."""
        return self._columns["source"]

    @property
    def target(self) -> NDArray[np.int64]:
        """Gids of the targets, int64 of shape (n,)."""
        return self._columns["target"]

    @property
    def delay(self) -> NDArray[np.float64]:
        """Delays (ms), float64 of shape (n,)."""
        return self._network._grid.ms(self._columns["delay_steps"])

    @property
    def weight(self) -> NDArray[np.float64]:
        """Present weights (pA, or nS for models with conductances), float64 of shape (n,).

        Set it to one number for all, n numbers or a distribution. Raises BadParameter, BadLength, Stale; then nothing has changed.
        Weights that were drawn at random are stored, and come back, as float32.
        """
        self._check_fresh()
        c = self._columns
        return np.asarray(self._network._kernel.get_weights(c["slice"], c["table"], c["position"], self._gather))

    @weight.setter
    def weight(self, value: Value) -> None:
        self._check_fresh()
        self._check_gathered()
        c = self._columns
        keys = np.arange(1, len(self) + 1, dtype=np.int64)
        with self._network._drawing() as draw:
            self._network._kernel.set_weights(c["slice"], c["table"], c["position"], draw.values("weight", value, keys))

    def state(self, name: str) -> NDArray[np.float64]:
        """What the synapses have become by their spikes so far, float64 of shape (n,): "u", "x", "y", "P", "a" of short-term plasticity, the
        presynaptic traces "Kplus" and "Kplus_triplet"; nan where a model has none of this name. Raises UnknownName when no model has, Stale."""
        self._check_fresh()
        c = self._columns
        values = np.asarray(self._network._kernel.get_state(str(name), c["slice"], c["table"], c["position"], self._gather))
        if name not in _STATES and np.isnan(values).all():
            raise unknown_name("state of synapses", str(name), _STATES)
        return values

    @property
    def synapse(self) -> NDArray[np.str_]:
        """Names of the synapse models, shape (n,)."""
        return np.asarray(np.array([*catalog.synapses()])[self._columns["synapse"]])

    @property
    def receptor(self) -> NDArray[np.int32]:
        """Indices into the receptors of the target's model (`neuropil.describe(model).receptors`), int32 of shape (n,)."""
        return self._columns["receptor"]

    def __len__(self) -> int:
        return len(self._columns["source"])

    def __getitem__(self, key: Any) -> Connections:
        """Some of the connections: a position, a slice, positions or a boolean mask of shape (n,)."""
        index = slice(key, key + 1 or None) if isinstance(key, int | np.integer) and not isinstance(key, bool) else key
        if not isinstance(index, slice) and np.asarray(index).ndim != 1:
            raise bad_type("index", key, "a position, a slice, a one-dimensional array of positions or a boolean mask")
        if isinstance(key, int | np.integer) and not -len(self) <= key < len(self):
            raise OutOfRange(f"position {key} of {len(self)} connections")
        try:
            return Connections(self._network, {name: column[index] for name, column in self._columns.items()}, self._version, self._gather)
        except IndexError as error:
            raise OutOfRange(f"index of {len(self)} connections: {error}") from None

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with columns source, target, weight, delay_ms, synapse."""
        import pandas

        columns = {"source": self.source, "target": self.target, "weight": self.weight, "delay_ms": self.delay, "synapse": self.synapse}
        return pandas.DataFrame(columns)

    def plot(self, **options: Any) -> Axes:
        """Histogram of the weights, see `neuropil.plot.weights`."""
        from ..analysis.plot import weights

        return weights(self, **options)

    def __repr__(self) -> str:
        counts = np.bincount(self._columns["synapse"], minlength=1).tolist()
        found = ", ".join(f"{n} {name}" for name, n in zip(catalog.synapses(), counts, strict=False) if n)
        return f"Connections({found or 'none'})"

    def _check_fresh(self) -> None:
        if self._version != self._network._version:
            raise Stale("connections were made or removed after this query: call connections() again")

    def _check_gathered(self) -> None:
        """Raises BadParameter for the connections of one rank: all ranks change connections together, and name the same ones."""
        if not self._gather:
            raise bad_parameter("gather", False, "True in the query whose connections are set or removed, which all ranks do together")
