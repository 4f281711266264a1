# SPDX-License-Identifier: Apache-2.0
"""Samples of state variables of nodes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import to_floats, to_time, to_times
from ..base.grid import Grid
from ..base.named import named_arguments
from ..base.ranges import Ranges
from ..errors import Stale, bad_length, bad_parameter, unknown_name
from ..model.core import Core
from ..model.nodes import Nodes
from .data import FEW_COLUMNS, Column, NodeData, NodeRecord, moved, own_nodes, to_watched
from .files import RESERVED, Table
from .libraries import library
from .stream_files import Part, whole_nodes
from .streaming import NodeStream

if TYPE_CHECKING:
    import neo
    import pandas
    import xarray


__all__ = ["Trace", "TraceData", "TraceStream"]


class TraceData(NodeData["TraceData"]):
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

    __slots__ = ("_interval", "_names", "_times", "_units", "_values")
    _interval: float
    _names: tuple[str, ...]
    _units: dict[str, str]
    _KIND, _PLOT, _STREAMED = "trace", "trace", ("step", "values")
    _PARTS = ("_times", "_values", "_ranges", "_names", "_units", "_interval", "_resolution", "_seed")

    times = Column[np.float64]("Times of the samples (ms), float64 of shape (n_samples,).")
    values = Column[np.float64]("All samples, float64 of shape (n_samples, n_nodes, n_names).")

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
        t, v, watched, quantities = to_times("times", times), to_floats("values", values), to_watched("nodes", nodes), tuple(names)
        if not (np.diff(t) > 0.0).all():
            raise bad_parameter("times", times, "ascending")
        if len(set(quantities)) < len(quantities):
            raise bad_parameter("names", list(quantities), "without repeats")
        wanted = (len(t), len(watched), len(quantities))
        if v.shape != wanted:
            raise bad_length("values", "x".join(map(str, v.shape)), "x".join(map(str, wanted)))
        every = to_time("interval", interval) if interval is not None else float(t[1] - t[0]) if len(t) > 1 else 1.0
        if resolution is not None:
            resolution = to_time("resolution", resolution)
        if not every > 0.0:
            raise bad_parameter("interval", every, "a positive number of ms")
        known = dict(units or {})
        self._fill(t, v, watched, quantities, {name: str(known.get(name, "")) for name in quantities}, every, resolution, seed)

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

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """Samples of one quantity, float64 of shape (n_samples, n_nodes). Raises UnknownName."""
        if name not in self._names:
            raise unknown_name("quantity of this trace", str(name), self._names)
        return self.values[:, :, self._names.index(name)]

    @named_arguments
    def select(self, nodes: Nodes | ArrayLike | None = None, start: float | None = None, stop: float | None = None) -> TraceData:
        """The samples of some nodes, in their order, in (start, stop] ms as data of their own. Raises BadParameter for nodes without samples."""
        keep = self._within(start, stop)
        if nodes is None:
            return self._but(_times=self.times[keep], _values=self.values[keep])
        asked, mine = self._chosen(nodes), self.watched
        order = np.argsort(mine)
        values = self.values[keep][:, order[np.searchsorted(mine[order], asked.ids())]]
        return self._but(_times=self.times[keep], _values=values, _ranges=asked)

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with the times (ms) as index and a column per (quantity, gid). Raises MissingLibrary."""
        pd = library("pandas")
        columns = pd.MultiIndex.from_product([self._names, self.watched.tolist()], names=["quantity", "gid"])
        table = np.moveaxis(self.values, 2, 1).reshape(len(self), len(columns))
        found: pandas.DataFrame = pd.DataFrame(table, index=pd.Index(self.times, name="time_ms"), columns=columns)
        return found

    def to_xarray(self) -> xarray.Dataset:
        """Dataset with a variable per quantity, with its unit, of dimensions (time, gid). Raises MissingLibrary."""
        xr = library("xarray")
        units = self.units
        variables = {name: (("time", "gid"), self[name], {"units": units[name]}) for name in self._names}
        found: xarray.Dataset = xr.Dataset(variables, coords={"time": ("time", self.times, {"units": "ms"}), "gid": self.watched})
        return found

    def to_neo(self) -> neo.Segment:
        """neo.Segment with one AnalogSignal of shape (n_samples, n_nodes) per quantity. Raises MissingLibrary."""
        from .neo_export import segment_of_signals

        units = self.units
        signals = {name: (self[name], units[name]) for name in self.names}
        return segment_of_signals(self._KIND, signals, {"gids": self.watched}, self.times, self.interval)

    def __repr__(self) -> str:
        shape = f"{self._count_watched()} nodes, {len(self)} samples, every {self.interval:g} ms"
        return f"{type(self).__name__}({', '.join(self._names)} of {shape})"

    def _shown(self) -> dict[str, NDArray[Any]]:
        some = enumerate(self.watched[:FEW_COLUMNS].tolist())
        return {"time_ms": self.times} | {f"{name} of {gid}": self[name][:, k] for k, gid in some for name in self._names}

    def _instead(self, name: str) -> str:
        return f'trace["{name}"] has the samples of this quantity' if name in self.names else ""

    def _table(self) -> Table:
        taken = [name for name in self.names if name in RESERVED]
        if taken:
            raise bad_parameter("names", taken[0], f"another name; files reserve {', '.join(RESERVED)}")
        columns = {"time_ms": self.times} | {name: np.ascontiguousarray(self[name]) for name in self.names}
        about = {"names": list(self.names), "units": self.units, "interval_ms": self.interval}
        return Table(self._KIND, columns, self._ranges.table, about | {"resolution_ms": self.resolution, "seed": self.seed})

    @classmethod
    def _of_table(cls, table: Table) -> Self:
        c, about = table.columns, table.about
        names, times, nodes = about["names"], c["time_ms"], Ranges(table.nodes).ids()
        values = np.stack([c[name] for name in names], axis=2) if names else np.empty((len(times), len(nodes), 0))
        rest = (names, about["units"], about["interval_ms"])
        return cls(times, values, nodes, *rest, resolution=about["resolution_ms"], seed=about["seed"])

    @classmethod
    def _of_stream(cls, segments: list[list[Part]]) -> Self:
        about = segments[0][0].about
        names = tuple(about["names"])
        steps, values = (np.concatenate(column) for column in zip(*(_streamed(parts, len(names)) for parts in segments), strict=True))
        rest = (names, about["units"], about["interval_ms"], about["resolution_ms"], about["seed"])
        return cls._made(Grid(about["resolution_ms"]).ms(steps), values, whole_nodes(segments[0]), *rest)


def units_of(nodes: Nodes, names: Sequence[str]) -> dict[str, str]:
    """Unit of each quantity of the first of some nodes; "" where a reset has removed them."""
    try:
        entry, _ = nodes._parts()[0]
    except Stale:
        return dict.fromkeys(names, "")
    known = {**entry.state, **entry.recorded}
    return {name: known[name].unit for name in names}


class Trace(NodeRecord, TraceData):
    """State variables of some nodes sampled at regular times, from `Network.record(nodes, names)`.

    `trace["V_m"]` is float64 of shape (n_samples, n_nodes) in the unit of the quantity; `trace.times` (ms) has shape (n_samples,). A sample at
    time t is the state at the end of the step that ends at t. The columns are in the order of `nodes`. Copies and pickles are `TraceData`: the
    samples so far. On several ranks all read together, see `view`.
    """

    __slots__ = ("_cached", "_cached_at", "_gather", "_nodes", "_recorded", "_recorder")

    def __init__(
        self, nodes: Nodes, names: Sequence[str], recorder: int, interval: float, units: Mapping[str, str], gather: bool = True
    ) -> None:
        NodeRecord.__init__(self, gather)
        self._recorded, self._nodes = nodes, nodes if gather else own_nodes(nodes)
        self._names, self._recorder, self._interval, self._units = tuple(names), recorder, interval, dict(units)

    def _again(self, network: Core, gather: bool) -> Self:
        return type(self)(moved(self._recorded, network), self._names, self._recorder, self._interval, self._units, gather)

    def _forget(self) -> None:
        self._network._kernel.clear_samples(self._recorder)

    def _read(self) -> TraceData:
        network = self._network
        steps, values = network._kernel.samples(self._recorder, self._gather)
        samples = network._grid.ms(np.asarray(steps, np.int64)), np.asarray(values, np.float64), self._watched_ranges()
        return TraceData._made(*samples, self._names, self.units, self._interval, self.resolution, self.seed)


class TraceStream(NodeStream[TraceData]):
    """Samples that go to disk."""

    _DATA = TraceData

    def __init__(self, trace: Trace, to: str | os.PathLike[str], every: int) -> None:
        about = {"names": list(trace.names), "units": trace.units, "interval_ms": trace.interval}
        super().__init__(trace, to, every, about)

    def _take(self) -> tuple[dict[str, NDArray[Any]], int]:
        steps, values = self._network._kernel.samples(self._recorder, False)
        return {"step": np.asarray(steps, np.int32), "values": np.asarray(values, np.float64)}, len(steps)

    def _forget(self) -> None:
        self._network._kernel.clear_samples(self._recorder)


def _streamed(parts: list[Part], names: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Steps, and values of all nodes in the order in which they were given."""
    n = min(part.rows for part in parts)
    values = np.empty((n, sum(len(part.places) for part in parts), names))
    place = np.argsort(np.argsort(np.concatenate([part.places for part in parts])))
    at = 0
    for part in parts:
        values[:, place[at : at + len(part.places)]] = part.columns["values"][:n] if n else 0.0
        at += len(part.places)
    steps = np.asarray(parts[0].columns["step"][:n], np.int64) if n else np.empty(0, np.int64)
    return steps, values
