# SPDX-License-Identifier: Apache-2.0
"""What synapses send: recorders from `Network.record_weights`, for `connect(..., weight_recorder=...)`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.grid import Grid
from ..base.lazy import Former
from ..base.named import named_arguments
from ..model.nodes import Nodes
from .data import Column, KindData, Record, chosen_ends
from .files import Table
from .libraries import library
from .stream_files import Part
from .streaming import Stream, Streaming

if TYPE_CHECKING:
    import neo
    import xarray


__all__ = ["WeightData", "WeightRecord", "WeightStream"]

_NAMES = ("times", "sources", "targets", "weights", "delays", "receptors")
_SENT = (
    "steps",
    "source",
    "target",
    "weight",
    "delay_steps",
    "receptor",
    "order",
)  # what the kernel calls them, and the order of equal ones
_FROM_1 = {"receptors_from": 1}  # in files; those of version 0.2 count from 0


class WeightData(KindData["WeightData"]):
    """Weights that synapses have sent, as data: one entry per spike and synapse. Arrays are read-only, of shape (n_events,)."""

    __slots__ = ("_data",)
    _data: dict[str, NDArray[Any]]
    _KIND, _PLOT, _STREAMED = "weights", "transmitted", _SENT
    _PARTS = ("_data", "_resolution", "_seed")

    times = Column[np.float64]("When the sources spiked (ms), float64.")
    source = Column[np.int64]("Gids of the sources, int64.", "sources")
    target = Column[np.int64]("Gids of the targets, int64.", "targets")
    weight = Column[np.float64]("What was sent (pA, nS or mV, as the target takes it): after plasticity at this spike; float64.", "weights")
    delay = Column[np.float64]("Delays of the synapses (ms), float64.", "delays")
    receptor = Column[np.int32]("Numbers of the receptors as `Connections.receptor` has them, from 1, int32.", "receptors")
    sources, targets, weights, delays, receptors = (Former(name) for name in ("source", "target", "weight", "delay", "receptor"))

    @named_arguments
    def select(
        self,
        start: float | None = None,
        stop: float | None = None,
        *,
        source: Nodes | ArrayLike | None = None,
        target: Nodes | ArrayLike | None = None,
    ) -> WeightData:
        """What was sent in (start, stop] ms, from some nodes to some nodes; as data of its own. Raises BadType, BadParameter for repeats."""
        keep = self._within(start, stop) & chosen_ends(self, source, target)
        return self._but(_data={name: column[keep] for name, column in self._now()._data.items()})

    def to_xarray(self) -> xarray.Dataset:
        """Dataset with the columns of `to_pandas` as variables of dimension event. Raises MissingLibrary."""
        found: xarray.Dataset = library("xarray").Dataset({name: ("event", column) for name, column in self._now()._frame().items()})
        return found

    def to_neo(self) -> neo.Segment:
        """neo.Segment with an Event per spike and synapse; its array annotations are the other columns of `to_pandas`. Raises MissingLibrary."""
        from .neo_export import segment_of_events

        columns = self._now()._frame()
        return segment_of_events(self._KIND, columns.pop("time_ms"), columns)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} events)"

    def _column(self, name: str) -> NDArray[Any]:
        return self._data[name]

    def _frame(self) -> dict[str, NDArray[Any]]:
        names = {"time_ms": self.times, "source": self.source, "target": self.target, "weight": self.weight}
        return names | {"delay_ms": self.delay, "receptor": self.receptor}

    def _table(self) -> Table:
        return Table(self._KIND, self._data, np.empty((0, 3), np.int64), {"resolution_ms": self.resolution, "seed": self.seed, **_FROM_1})

    @classmethod
    def _of_table(cls, table: Table) -> Self:
        columns = {name: np.array(table.columns[name]) for name in _NAMES}
        columns["receptors"] += 1 - table.about.get("receptors_from", 0)
        if len({len(column) for column in columns.values()}) > 1:
            raise ValueError("columns of different lengths")
        return cls._made(columns, table.about["resolution_ms"], table.about["seed"])

    @classmethod
    def _of_stream(cls, segments: list[list[Part]]) -> Self:
        """Spikes of long delays are written after later ones of short delays."""
        found = [_streamed(parts) for parts in segments]
        c = {name: np.concatenate([each[name] for each in found]) for name in _SENT}
        order = np.lexsort([c[name] for name in ("delay_steps", "order", "target", "source", "steps")])
        about = segments[0][0].about
        c["receptor"] = c["receptor"] + np.int32(1 - about.get("receptors_from", 0))
        data = _in_ms({name: column[order] for name, column in c.items()}, Grid(about["resolution_ms"]))
        return cls._made(data, about["resolution_ms"], about["seed"])


class WeightRecord(Record, WeightData):
    """The weight of every spike that the synapses with this recorder have sent, in canonical order (time, source, target, ...).

    A spike is noted when it reaches its target: those still on the way are not in here. Arrays are read-only, of shape (n_events,). Copies and
    pickles are `WeightData`: the events so far. On several ranks all read together, see `view`.
    """

    __slots__ = ("_cached", "_cached_at", "_gather", "_network", "_number")
    _network: Streaming

    def __init__(self, network: Streaming, number: int, gather: bool = True) -> None:
        Record.__init__(self, gather)
        self._network, self._number = network, number

    @named_arguments
    def choose(self, source: Nodes | None = None, target: Nodes | None = None) -> None:
        """From now on only what synapses between these nodes send is noted, None for all; what has been noted stays. To be called on all ranks.

        Raises BadType, ForeignNodes.
        """
        self._network._kernel.choose_weights(self._number, *self._network._chosen_ends(source, target))

    def stream(self, to: str | os.PathLike[str], every: float = 100.0) -> WeightStream:
        """From now on what was sent goes to a new directory every `every` ms of biological time and at the end of each run, and is forgotten here.

        As `Network.record(..., to=)`: `load()` of what is returned, or `open_results` of the directory, reads it. Every rank writes files of its
        own synapses. Raises BadParameter for a directory in use and for times off the grid.
        """
        network = self._network
        network._streams.check(to)
        return network._streams.add(WeightStream(self, to, network._grid.steps("every", every, at_least=1)))

    def __len__(self) -> int:
        return len(self._now()) if self._cached_at == self._moment() else self._network._kernel.weight_count(self._number, self._gather)

    def _again(self, network: Streaming, gather: bool) -> Self:
        return type(self)(network, self._number, gather)

    def _forget(self) -> None:
        self._network._kernel.clear_weights(self._number)

    def _read(self) -> WeightData:
        sent = _numbered(self._network, self._network._kernel.sent_weights(self._number, self._gather))
        return WeightData._made(_in_ms(sent, self._network._grid), self.resolution, self.seed)


class WeightStream(Stream[WeightData]):
    """Transmitted weights that go to disk."""

    _DATA = WeightData

    def __init__(self, record: WeightRecord, to: str | os.PathLike[str], every: int) -> None:
        super().__init__(record._network, record._number, to, every, dict(_FROM_1))

    def _take(self) -> tuple[dict[str, NDArray[Any]], int]:
        sent = _numbered(self._network, self._network._kernel.sent_weights(self._recorder, False))
        types = {"steps": np.int32, "delay_steps": np.int32}
        return {name: np.asarray(sent[name], types.get(name)) for name in _SENT}, len(sent["steps"])

    def _forget(self) -> None:
        self._network._kernel.clear_weights(self._recorder)


def _numbered(network: Streaming, sent: Any) -> dict[str, Any]:
    """What the kernel has noted, with numbers of receptors as users know them."""
    first = network._populations.first_receptor(np.asarray(sent["target"], np.int64))
    return {**{name: sent[name] for name in _SENT}, "receptor": np.asarray(sent["receptor"], np.int32) + first}


def _in_ms(sent: Any, grid: Grid) -> dict[str, NDArray[Any]]:
    """The columns of data, of what the kernel has noted."""
    times, delays = (grid.ms(np.asarray(sent[name], np.int64)) for name in ("steps", "delay_steps"))
    rest = (np.asarray(sent["weight"], np.float64), delays, np.asarray(sent["receptor"], np.int32))
    return dict(zip(_NAMES, (times, np.asarray(sent["source"]), np.asarray(sent["target"]), *rest), strict=True))


def _streamed(parts: list[Part]) -> dict[str, NDArray[Any]]:
    """The columns, in no order."""
    stop = min(part.step for part in parts)
    columns = {name: [part.columns[name] for part in parts if part.rows] for name in _SENT}
    c = {name: np.concatenate(column) if column else np.empty(0, np.int64) for name, column in columns.items()}
    here = c["steps"] + c["delay_steps"] <= stop  # not what ranks that are ahead have seen arrive since
    return {name: column[here] for name, column in c.items()} if len(parts) > 1 else c
