# SPDX-License-Identifier: Apache-2.0
"""Samples of state variables as data."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import to_floats, to_vector
from ..base.ranges import Ranges
from ..errors import bad_length, bad_parameter, unknown_name
from .watched import to_watched

if TYPE_CHECKING:
    import neo
    import pandas
    import xarray
    from matplotlib.axes import Axes

    from ..model.nodes import Nodes

__all__ = ["TraceData"]


class TraceData:
    """State variables of some nodes sampled at regular times. Arrays are read-only.

    `trace["V_m"]` is float64 of shape (n_samples, n_nodes) in the unit of the quantity; `trace.times` (ms) has shape (n_samples,). A sample at
    time t is the state at the end of the step that ends at t.

    Parameters
    ----------
    times : float64, shape (n_samples,), ms, ascending
    values : float64, shape (n_samples, n_nodes, n_names)
    nodes : Nodes or gids, shape (n_nodes,), without repeats: the columns
    names : names of the quantities, shape (n_names,)
    units : unit of each quantity by name; default: none
    interval : ms between samples; default: that between the first two
    resolution, seed : of the simulation; None when they are not known

    Raises BadParameter, BadLength, BadType.
    """

    def __init__(
        self,
        times: ArrayLike,
        values: ArrayLike,
        nodes: Nodes | ArrayLike,
        names: Sequence[str],
        units: Mapping[str, str] | None = None,
        interval: float | None = None,
        *,
        resolution: float | None = None,
        seed: int | None = None,
    ) -> None:
        t, v, watched, quantities = to_vector("times", times), to_floats("values", values), to_watched("nodes", nodes), tuple(names)
        if not (np.diff(t) > 0.0).all():
            raise bad_parameter("times", times, "ascending")
        if len(set(quantities)) < len(quantities):
            raise bad_parameter("names", list(quantities), "without repeats")
        wanted = (len(t), len(watched), len(quantities))
        if v.shape != wanted:
            raise bad_length("values", "x".join(map(str, v.shape)), "x".join(map(str, wanted)))
        every = float(interval) if interval is not None else float(t[1] - t[0]) if len(t) > 1 else 1.0
        if not every > 0.0:
            raise bad_parameter("interval", every, "a positive number of ms")
        known = dict(units or {})
        self._set(t, v, watched, quantities, {name: str(known.get(name, "")) for name in quantities}, every, resolution, seed)

    def _set(
        self,
        times: NDArray[np.float64],
        values: NDArray[np.float64],
        watched: Ranges,
        names: tuple[str, ...],
        units: dict[str, str],
        interval: float,
        resolution: float | None,
        seed: int | None,
    ) -> None:
        self._times, self._values, self._ranges, self._names, self._units = times, values, watched, names, units
        self._interval, self._resolution, self._seed = interval, resolution, seed
        times.setflags(write=False)
        values.setflags(write=False)

    @staticmethod
    def _made(*parts: Any) -> TraceData:
        """Of what `_set` takes, which is known to be right; the nodes may be a table of ranges."""
        made = object.__new__(TraceData)
        times, values, watched, *rest = parts
        made._set(times, values, watched if isinstance(watched, Ranges) else Ranges(watched), *rest)
        return made

    def _parts(self) -> tuple[Any, ...]:
        return (self.times, self.values, self._watched_ranges().table, *self._about())

    def _about(self) -> tuple[Any, ...]:
        return self.names, self.units, self.interval, self.resolution, self.seed

    def __reduce__(self) -> tuple[Callable[..., TraceData], tuple[Any, ...]]:
        """Pickled and copied as data, apart from the network."""
        return TraceData._made, self._parts()

    def copy(self) -> TraceData:
        """These samples as data of their own, apart from the network: they stay as they are when it runs on."""
        return TraceData._made(*self._parts())

    @property
    def names(self) -> tuple[str, ...]:
        """The recorded quantities."""
        return self._names

    @property
    def units(self) -> dict[str, str]:
        """Unit of each quantity."""
        return dict(self._units)

    @property
    def interval(self) -> float:
        """Time between samples (ms)."""
        return self._interval

    @property
    def watched(self) -> NDArray[np.int64]:
        """Global ids of the nodes, in the order of the columns, int64 of shape (n_nodes,)."""
        return self._watched_ranges().ids()

    @property
    def resolution(self) -> float | None:
        """Step of the simulation (ms); None when it is not known."""
        return self._resolution

    @property
    def seed(self) -> int | None:
        """Seed of the simulation; None when it is not known."""
        return self._seed

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the samples (ms), float64 of shape (n_samples,)."""
        return self._times

    @property
    def values(self) -> NDArray[np.float64]:
        """All samples, float64 of shape (n_samples, n_nodes, n_names)."""
        return self._values

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """Samples of one quantity, float64 of shape (n_samples, n_nodes). Raises UnknownName."""
        if name not in self._names:
            raise unknown_name("quantity of this trace", str(name), self._names)
        return self.values[:, :, self._names.index(name)]

    def __len__(self) -> int:
        return len(self.times)

    def select(self, nodes: Nodes | ArrayLike | None = None, start: float | None = None, stop: float | None = None) -> TraceData:
        """The samples of some nodes, in their order, in (start, stop] ms as data of their own. Raises BadParameter for nodes without samples."""
        keep = np.ones(len(self), bool)
        if start is not None:
            keep &= self.times > float(start)
        if stop is not None:
            keep &= self.times <= float(stop)
        watched, values = self._watched_ranges(), self.values[keep]
        if nodes is not None:
            asked = to_watched("nodes", nodes)
            gids, mine = asked.ids(), watched.ids()
            missing = gids[~np.isin(gids, mine)]
            if len(missing):
                raise bad_parameter("nodes", int(missing[0]), "gids of nodes that were recorded")
            order = np.argsort(mine)
            values, watched = values[:, order[np.searchsorted(mine[order], gids)]], asked
        return TraceData._made(self.times[keep], values, watched, *self._about())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes everything to a file .npz, .h5 or .parquet, which `neuropil.load_trace` reads; on several ranks see `neuropil.load_trace`.

        The file is whole or not there: it is written under another name and then renamed. Raises BadParameter, MissingLibrary, OSError.
        """
        from .saving import save_trace

        save_trace(self, path)

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with the times (ms) as index and a column per (quantity, gid). Raises MissingLibrary."""
        from .libraries import library

        pd = library("pandas")
        columns = pd.MultiIndex.from_product([self._names, self.watched.tolist()], names=["quantity", "gid"])
        table = np.moveaxis(self.values, 2, 1).reshape(len(self), -1)
        found: pandas.DataFrame = pd.DataFrame(table, index=pd.Index(self.times, name="time_ms"), columns=columns)
        return found

    def to_xarray(self) -> xarray.Dataset:
        """Dataset with a variable per quantity, with its unit, of dimensions (time, gid). Raises MissingLibrary."""
        from .libraries import library

        xr = library("xarray")
        units = self.units
        variables = {name: (("time", "gid"), self[name], {"units": units[name]}) for name in self._names}
        found: xarray.Dataset = xr.Dataset(variables, coords={"time": ("time", self.times, {"units": "ms"}), "gid": self.watched})
        return found

    def to_neo(self) -> neo.Segment:
        """neo.Segment with one AnalogSignal of shape (n_samples, n_nodes) per quantity. Raises MissingLibrary."""
        from .neo_export import trace_to_neo

        return trace_to_neo(self)

    def plot(self, **options: Any) -> Axes:
        """Traces over time, see `neuropil.plot.trace`."""
        from ..analysis.plot import trace

        return trace(self, **options)

    def _watched_ranges(self) -> Ranges:
        return self._ranges

    def _writes(self) -> bool:
        """Whether this rank writes the file of `save`."""
        return True

    def __repr__(self) -> str:
        shape = f"{len(self._watched_ranges())} nodes, {len(self)} samples, every {self.interval:g} ms"
        return f"{type(self).__name__}({', '.join(self._names)} of {shape})"
