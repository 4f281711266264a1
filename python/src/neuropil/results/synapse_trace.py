# SPDX-License-Identifier: Apache-2.0
"""Weights, parameters and state of synapses sampled at regular times: what `Network.record(projection, names)` returns."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.grid import Grid
from ..base.lazy import Former
from ..base.named import named_arguments
from ..base.ranges import Ranges
from ..errors import bad_parameter, bad_type, unknown_name
from ..model.nodes import Nodes
from ..model.projection import Projection
from .data import FEW_COLUMNS, Column, KindData, Record, chosen_ends
from .files import Table
from .libraries import library
from .sampling import Sampler, in_order
from .stream_files import Columns, Part
from .streaming import Stream, Streaming

if TYPE_CHECKING:
    import neo
    import pandas
    import xarray


__all__ = ["SynapseStream", "SynapseTrace", "SynapseTraceData"]


class SynapseTraceData(KindData["SynapseTraceData"]):
    """Quantities of the connections of a projection, sampled at regular times. Arrays are read-only.

    `trace.values`, or `trace["weight"]`, is float64 of shape (n_samples, n_connections), nan where a connection was removed; its columns are the
    connections from `sources` to `targets` in canonical order.
    """

    __slots__ = ("_data", "_interval", "_sources", "_targets", "_times")
    _data: dict[str, NDArray[np.float64]]
    _interval: float
    _KIND, _PLOT, _STREAMED = "synapses", "synapses", ("step", "values")
    _PARTS = ("_times", "_data", "_sources", "_targets", "_interval", "_resolution", "_seed")

    times = Column[np.float64]("Times of the samples (ms), float64 of shape (n_samples,).")
    source = Column[np.int64]("Gids of the sources of the connections, int64 of shape (n_connections,).", "sources")
    target = Column[np.int64]("Gids of the targets of the connections, int64 of shape (n_connections,).", "targets")
    sources, targets = Former("source"), Former("target")

    def _fill(self, *parts: Any) -> None:
        super()._fill(*(parts if len(parts) > 4 else (*parts[0], *parts[1:])))  # in older pickles the samples are one tuple

    @property
    def names(self) -> tuple[str, ...]:
        """The recorded quantities."""
        return tuple(self._data)

    @property
    def values(self) -> NDArray[np.float64]:
        """The samples of the one recorded quantity, float64 of shape (n_samples, n_connections). Raises BadParameter when there are several."""
        if len(self.names) != 1:
            raise bad_parameter("values", [*self.names], "read from a record of one quantity; use trace[name]")
        return self[self.names[0]]

    @property
    def interval(self) -> float:
        """Time between samples (ms)."""
        return self._interval

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """Samples of one quantity, float64 of shape (n_samples, n_connections). Raises UnknownName."""
        if name not in self.names:
            raise unknown_name("quantity of this trace", str(name), self.names)
        return self._now()._data[name]

    @named_arguments
    def select(
        self,
        start: float | None = None,
        stop: float | None = None,
        connections: ArrayLike | None = None,
        *,
        source: Nodes | ArrayLike | None = None,
        target: Nodes | ArrayLike | None = None,
    ) -> SynapseTraceData:
        """The samples in (start, stop] ms as data of their own, of all connections or of some.

        connections : positions of columns, or a mask of all of them; source, target : only connections from, and to, any of these nodes.
        Raises BadType, BadParameter.
        """
        now, keep = self._now(), self._within(start, stop)
        some = _positions(connections, len(now.source))
        some = some[chosen_ends(now, source, target)[some]]
        picked = {name: values[keep][:, some] for name, values in now._data.items()}
        return self._but(_times=now.times[keep], _data=picked, _sources=now.source[some], _targets=now.target[some])

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with the times (ms) as index and a column per (quantity, source, target, k-th connection of the two). Raises MissingLibrary."""
        pd, now = library("pandas"), self._now()
        pairs = pd.DataFrame({"source": now.source, "target": now.target})
        pairs["k"] = pairs.groupby(["source", "target"]).cumcount()
        columns = pd.concat([pairs.assign(quantity=name) for name in now.names], ignore_index=True)
        index = pd.MultiIndex.from_frame(columns[["quantity", "source", "target", "k"]])
        values = np.concatenate([*now._data.values()], axis=1)
        found: pandas.DataFrame = pd.DataFrame(values, index=pd.Index(now.times, name="time_ms"), columns=index)
        return found

    def to_xarray(self) -> xarray.Dataset:
        """Dataset with a variable per quantity of dimensions (time, connection), with the coordinates source and target. Raises MissingLibrary."""
        now = self._now()
        ends = {"source": ("connection", now.source), "target": ("connection", now.target)}
        variables = {name: (("time", "connection"), values) for name, values in now._data.items()}
        found: xarray.Dataset = library("xarray").Dataset(variables, coords={"time": ("time", now.times, {"units": "ms"}), **ends})
        return found

    def to_neo(self) -> neo.Segment:
        """neo.Segment with an AnalogSignal of shape (n_samples, n_connections) per quantity, annotated with source and target; without units.

        Raises MissingLibrary.
        """
        from .neo_export import segment_of_signals

        now = self._now()
        signals = {name: (values, "") for name, values in now._data.items()}
        return segment_of_signals(self._KIND, signals, {"source": now.source, "target": now.target}, now.times, self.interval)

    def __repr__(self) -> str:
        shape = f"{len(self.source)} connections, {len(self)} samples, every {self.interval:g} ms"
        return f"{type(self).__name__}({', '.join(self.names)} of {shape})"

    def _shown(self) -> dict[str, NDArray[Any]]:
        ends = enumerate(zip(self.source[:FEW_COLUMNS].tolist(), self.target[:FEW_COLUMNS].tolist(), strict=True))
        columns = {f"{name} of {a} to {b} [{k}]": values[:, k] for k, (a, b) in ends for name, values in self._data.items()}
        return {"time_ms": self.times} | columns

    def _instead(self, name: str) -> str:
        return f'trace["{name}"] has the samples of this quantity' if name in self.names else ""

    def _table(self) -> Table:
        ends = {"sources": self.source.tolist(), "targets": self.target.tolist()}
        about = {"names": [*self.names], "interval_ms": self.interval, "resolution_ms": self.resolution, "seed": self.seed, **ends}
        return Table(self._KIND, {"time_ms": self.times, **self._data}, Ranges.span(1, len(self.source)).table, about)

    @classmethod
    def _of_table(cls, table: Table) -> Self:
        c, about = table.columns, table.about
        ends = [np.array(about[name], np.int64) for name in ("sources", "targets")]
        data = {name: np.array(c[name]).reshape(len(c["time_ms"]), len(ends[0])) for name in about["names"]}
        return cls._made(np.array(c["time_ms"]), data, *ends, about["interval_ms"], about["resolution_ms"], about["seed"])

    @classmethod
    def _of_stream(cls, segments: list[list[Part]]) -> Self:
        about = segments[0][0].about
        names = about["names"]
        found = [_streamed(parts, len(names)) for parts in segments]
        steps, values = (np.concatenate([each[k] for each in found]) for k in (0, 1))
        data = {name: np.ascontiguousarray(values[:, :, k]) for k, name in enumerate(names)}
        rest = (about["interval_ms"], about["resolution_ms"], about["seed"])
        return cls._made(Grid(about["resolution_ms"]).ms(steps), data, *found[0][2:], *rest)


class SynapseTrace(Record, SynapseTraceData):
    """Weights, parameters or state of the connections of a projection, sampled at regular times, from `Network.record(projection, names)`.

    A sample at time t is what `projection.weight` shows at t: what the last spike of the source that has reached the synapse by then has left.
    Columns are the connections that the projection had first; those made later are not among them. Copies and pickles are `SynapseTraceData`: the
    samples so far. On several ranks all read together, see `view`.
    """

    __slots__ = ("_cached", "_cached_at", "_gather", "_sampler")

    def __init__(self, sampler: Sampler, gather: bool = True) -> None:
        Record.__init__(self, gather)
        self._sampler = sampler

    @property
    def projection(self) -> Projection:
        """The projection whose connections are sampled."""
        return self._sampler.projection

    @property
    def names(self) -> tuple[str, ...]:
        """The recorded quantities."""
        return self._sampler.names

    @property
    def interval(self) -> float:
        """Time between samples (ms)."""
        return self._network._grid.time(self._sampler.every)

    @property
    def times(self) -> NDArray[np.float64]:  # type: ignore[override]
        """Times of the samples (ms), float64 of shape (n_samples,). Not collective."""
        times = self._network._grid.ms(np.array(self._sampler.steps, np.int64))
        times.setflags(write=False)
        return times

    @property
    def _network(self) -> Streaming:
        return cast(Streaming, self._sampler.projection._network)

    def __len__(self) -> int:
        return len(self._sampler.steps)

    def _again(self, network: Streaming, gather: bool) -> Self:
        if network is self._network:
            return type(self)(self._sampler, gather)
        return type(self)(network._streams.samplers[self._network._streams.samplers.index(self._sampler)], gather)

    def _forget(self) -> None:
        self._sampler.clear()

    def _moment(self) -> Any:
        return self._network._moment, len(self._sampler.steps)

    def _read(self) -> SynapseTraceData:
        sampler, grid = self._sampler, self._network._grid
        pairs, rows = sampler.pairs(), sampler.samples
        values = np.stack(rows) if rows else np.empty((0, len(pairs), len(self.names)))
        if self._gather and self._network.n_ranks > 1:
            pairs, values = self._gathered(pairs, values)
        data = {name: np.ascontiguousarray(values[:, :, k]) for k, name in enumerate(self.names)}
        times = grid.ms(np.array(sampler.steps, np.int64))
        return SynapseTraceData._made(times, data, pairs[:, 0], pairs[:, 1], self.interval, self.resolution, self.seed)

    def _gathered(self, pairs: NDArray[np.int64], values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Those of all ranks in canonical order: synapses between the same two nodes are all on one rank, in their order."""
        gather = self._network._kernel.gather
        counts = np.asarray(gather(np.array([float(len(pairs))]))).astype(np.int64)
        numbers = np.asarray(gather(pairs.astype(np.float64).ravel())).reshape(-1, 3).astype(np.int64)
        every = np.split(np.asarray(gather(np.ascontiguousarray(values).ravel())), np.cumsum(counts)[:-1] * len(values) * values.shape[2])
        joined = np.concatenate(
            [part.reshape(len(values), n, values.shape[2]) for part, n in zip(every, counts.tolist(), strict=True)], axis=1
        )
        order = in_order(numbers[:, 0], numbers[:, 1])
        return numbers[order], joined[:, order]


class SynapseStream(Stream[SynapseTraceData]):
    """Samples of synapses that go to disk."""

    _DATA = SynapseTraceData

    def __init__(self, trace: SynapseTrace, to: str | os.PathLike[str], every: int) -> None:
        self._sampler = trace._sampler
        about = {"names": list(trace.names), "interval_ms": trace.interval}
        super().__init__(trace._network, 0, to, every, about)

    def open(self) -> Columns:
        """The columns that are written to; made when first asked for."""
        if self._columns is None:
            pairs = self._sampler.pairs()
            self._about |= {"sources": pairs[:, 0].tolist(), "targets": pairs[:, 1].tolist()}
        return super().open()

    def _take(self) -> tuple[dict[str, NDArray[Any]], int]:
        rows = self._sampler.samples
        values = np.stack(rows) if rows else np.empty((0, len(self._sampler.pairs()), len(self._sampler.names)))
        return {"step": np.array(self._sampler.steps, np.int32), "values": values}, len(rows)

    def _forget(self) -> None:
        self._sampler.clear()


def _positions(connections: ArrayLike | None, n: int) -> NDArray[np.int64]:
    """Positions of columns, from positions or a mask. Raises BadType, BadParameter."""
    if connections is None:
        return np.arange(n)
    some = np.asarray(connections)
    if some.dtype.kind not in "iub" and some.size:
        raise bad_type("connections", connections, "positions of columns, or a mask of all of them")
    try:
        return np.atleast_1d(np.arange(n)[some if some.size else np.empty(0, np.int64)])
    except IndexError:
        raise bad_parameter("connections", connections, f"positions below {n}, or a mask of {n} columns") from None


def _streamed(parts: list[Part], names: int) -> tuple[NDArray[Any], ...]:
    """Steps, values, sources and targets in canonical order."""
    n = min(part.rows for part in parts)
    ends = [np.concatenate([np.array(part.about[name], np.int64) for part in parts]) for name in ("sources", "targets")]
    order = in_order(*ends)
    none = np.empty((0, 0, names))
    values = [part.columns["values"][:n] if n else none.reshape(0, len(part.about["sources"]), names) for part in parts]
    steps = np.asarray(parts[0].columns["step"][:n], np.int64) if n else np.empty(0, np.int64)
    return steps, np.concatenate(values, axis=1)[:, order], ends[0][order], ends[1][order]
