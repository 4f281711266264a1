# SPDX-License-Identifier: Apache-2.0
"""Weights, parameters and state of synapses sampled at regular times, as data."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.closed import Closed
from ..errors import bad_parameter, unknown_name

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

__all__ = ["SynapseTraceData"]

Samples = tuple[NDArray[np.float64], dict[str, NDArray[np.float64]], NDArray[np.int64], NDArray[np.int64]]


class SynapseTraceData(Closed):
    """Quantities of the connections of a projection, sampled at regular times. Arrays are read-only.

    `trace.values`, or `trace["weight"]`, is float64 of shape (n_samples, n_connections), nan where a connection was removed; its columns are the
    connections from `sources` to `targets` in canonical order.
    """

    __slots__ = ("_data", "_interval", "_resolution", "_seed", "_sources", "_targets", "_times")

    @staticmethod
    def _made(samples: Samples, interval: float, resolution: float | None, seed: int | None) -> SynapseTraceData:
        made = object.__new__(SynapseTraceData)
        made._times, made._data, made._sources, made._targets = samples
        made._interval, made._resolution, made._seed = interval, resolution, seed
        for array in (made._times, made._sources, made._targets, *made._data.values()):
            array.setflags(write=False)
        return made

    def _samples(self) -> Samples:
        """Times, values by name, sources, targets."""
        return self._times, self._data, self._sources, self._targets

    def __reduce__(self) -> tuple[Callable[..., SynapseTraceData], tuple[Any, ...]]:
        """Pickled and copied as data, apart from the network."""
        return SynapseTraceData._made, (self._samples(), self.interval, self.resolution, self.seed)

    def copy(self) -> SynapseTraceData:
        """These samples as data of their own, apart from the network: they stay as they are when it runs on."""
        return SynapseTraceData._made(self._samples(), self.interval, self.resolution, self.seed)

    @property
    def names(self) -> tuple[str, ...]:
        """The recorded quantities."""
        return tuple(self._samples()[1])

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the samples (ms), float64 of shape (n_samples,)."""
        return self._samples()[0]

    @property
    def values(self) -> NDArray[np.float64]:
        """The samples of the one recorded quantity, float64 of shape (n_samples, n_connections). Raises BadParameter when there are several."""
        found = self._samples()[1]
        if len(found) != 1:
            raise bad_parameter("values", [*found], "read from a record of one quantity; use trace[name]")
        return next(iter(found.values()))

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """Samples of one quantity, float64 of shape (n_samples, n_connections). Raises UnknownName."""
        found = self._samples()[1]
        if name not in found:
            raise unknown_name("quantity of this trace", str(name), found)
        return found[name]

    @property
    def sources(self) -> NDArray[np.int64]:
        """Gids of the sources of the connections, int64 of shape (n_connections,)."""
        return self._samples()[2]

    @property
    def targets(self) -> NDArray[np.int64]:
        """Gids of the targets of the connections, int64 of shape (n_connections,)."""
        return self._samples()[3]

    @property
    def interval(self) -> float:
        """Time between samples (ms)."""
        return self._interval

    @property
    def resolution(self) -> float | None:
        """Step of the simulation (ms); None when it is not known."""
        return self._resolution

    @property
    def seed(self) -> int | None:
        """Seed of the simulation; None when it is not known."""
        return self._seed

    def __len__(self) -> int:
        return len(self.times)

    def select(self, start: float | None = None, stop: float | None = None, connections: Any = None) -> SynapseTraceData:
        """The samples in (start, stop] ms, of all connections or of those at positions or where a mask is true, as data of their own."""
        times, data, sources, targets = self._samples()
        keep = (times > (-np.inf if start is None else float(start))) & (times <= (np.inf if stop is None else float(stop)))
        some: Any = slice(None) if connections is None else np.asarray(connections)
        picked = {name: np.array(values[keep][:, some]) for name, values in data.items()}
        return SynapseTraceData._made(
            (times[keep], picked, np.array(sources[some]), np.array(targets[some])), self.interval, self.resolution, self.seed
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes everything to a file .npz, .h5 or .parquet, which `neuropil.load_synapse_trace` reads; on several ranks see there.

        The file is whole or not there: it is written under another name and then renamed. Raises BadParameter, MissingLibrary, OSError.
        """
        from .saving import save_synapse_trace

        save_synapse_trace(self, path)

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with the times (ms) as index and a column per (quantity, source, target, k-th connection of the two). Raises MissingLibrary."""
        from .libraries import library

        pd = library("pandas")
        times, data, sources, targets = self._samples()
        pairs = pd.DataFrame({"source": sources, "target": targets})
        pairs["k"] = pairs.groupby(["source", "target"]).cumcount()
        columns = pd.concat([pairs.assign(quantity=name) for name in data], ignore_index=True)
        index = pd.MultiIndex.from_frame(columns[["quantity", "source", "target", "k"]])
        found: pandas.DataFrame = pd.DataFrame(
            np.concatenate([*data.values()], axis=1), index=pd.Index(times, name="time_ms"), columns=index
        )
        return found

    def plot(self, **options: Any) -> Axes:
        """Values over time, see `neuropil.plot.synapses`."""
        from ..analysis.plot import synapses

        return synapses(self, **options)

    def _writes(self) -> bool:
        """Whether this rank writes the file of `save`."""
        return True

    def __repr__(self) -> str:
        shape = f"{len(self.sources)} connections, {len(self)} samples, every {self.interval:g} ms"
        return f"{type(self).__name__}({', '.join(self.names)} of {shape})"
