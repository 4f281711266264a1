# SPDX-License-Identifier: Apache-2.0
"""What all results share: `Data`, results that are kept, and `Record`, what a network has recorded so far.

A kind of results is a module with a subclass of `Data`, which declares its columns, and a subclass of `Record` that reads them from a network.
`saving.KINDS` lists the kinds.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import to_time
from ..base.closed import Closed
from ..base.ranges import Ranges
from ..base.tables import html_table
from ..errors import bad_parameter, bad_type
from ..model.core import Core
from ..model.nodes import Nodes
from .files import Table, arrow_table, write
from .libraries import library

if TYPE_CHECKING:
    import neo
    import pandas
    import pyarrow
    import xarray
    from matplotlib.axes import Axes

    from .stream_files import Part

__all__ = [
    "FEW_COLUMNS",
    "Column",
    "Data",
    "KindData",
    "NodeData",
    "NodeRecord",
    "Record",
    "chosen_ends",
    "limit",
    "moved",
    "own_nodes",
    "to_watched",
]

FEW_ROWS = 5  # that a notebook shows
FEW_COLUMNS = 4  # nodes or connections of a trace that a notebook shows
K = TypeVar("K", bound="Data")  # the class of data that a record is copied to
T = TypeVar("T", bound=np.generic)


class Column(property, Generic[T]):
    """A read-only array with a row per entry, declared in the body of a class: `times = Column[np.float64]("Times of the spikes (ms)")`.

    kept : what files call it, if not by the name of the attribute
    """

    def __init__(self, text: str, kept: str = "") -> None:
        super().__init__(doc=text)
        self._name = kept

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = self._name or name

    @overload
    def __get__(self, data: None, kind: type | None = None) -> Self: ...
    @overload
    def __get__(self, data: Any, kind: type | None = None) -> NDArray[T]: ...
    def __get__(self, data: Any, kind: type | None = None) -> Any:
        return self if data is None else data._now()._column(self._name)


class Data(Closed):
    """Results apart from a network. All arrays are read-only; times are ms.

    All kinds of results can be selected from (`select`), saved (`save`, read by `neuropil.open_results`), copied, pickled, plotted (`plot`) and
    converted (`to_pandas`, `to_xarray`, `to_arrow`, `to_neo`; spikes also `to_elephant`).
    """

    __slots__ = ("_resolution", "_seed")
    _resolution: float | None
    _seed: int | None
    _KIND: ClassVar[str]  # what files call it
    _PARTS: ClassVar[tuple[str, ...]]  # attributes that make it up, in the order of pickles
    _PLOT: ClassVar[str]  # the function of neuropil.plot that draws it
    _STREAMED: ClassVar[tuple[str, ...]] = ()  # columns of a directory that a network streams to
    times: Column[np.float64]

    @classmethod
    def _made(cls, *parts: Any) -> Self:
        """Of its parts, which are known to be right; the nodes may be a table of ranges."""
        made = object.__new__(cls)
        made._fill(*parts)
        return made

    def _fill(self, *parts: Any) -> None:
        for name, part in zip(self._PARTS, parts, strict=True):
            for array in part.values() if isinstance(part, dict) else (part,):
                if isinstance(array, np.ndarray):
                    array.setflags(write=False)
            setattr(self, name, Ranges(part) if name == "_ranges" and not isinstance(part, Ranges) else part)

    @classmethod
    def _of_table(cls, table: Table) -> Self:
        """Of what a file holds. Raises errors of neuropil, KeyError, ValueError, TypeError for what is not consistent."""
        raise NotImplementedError

    def _table(self) -> Table:
        """What a file holds."""
        raise NotImplementedError

    @classmethod
    def _of_stream(cls, segments: list[list[Part]]) -> Self:
        """Of what ranks have streamed, for each time that the network went on from a checkpoint."""
        raise NotImplementedError

    def _now(self) -> Any:
        """The data that are read."""
        return self

    def _but(self, **changed: Any) -> Any:
        """The same data with other parts."""
        now = self._now()
        return type(now)._made(*(changed.get(name, getattr(now, name)) for name in now._PARTS))

    def _column(self, name: str) -> Any:
        return getattr(self, f"_{name}")

    def _frame(self) -> dict[str, NDArray[Any]]:
        """Columns of a table with a row per entry, by the names that pandas shows."""
        raise NotImplementedError

    def _shown(self) -> dict[str, NDArray[Any]]:
        """Columns whose first rows a notebook shows."""
        return self._frame()

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Pickled and copied as data, apart from the network."""
        now = self._now()
        parts = (getattr(now, name) for name in now._PARTS)
        return type(now)._made, tuple(part.table if isinstance(part, Ranges) else part for part in parts)

    @property
    def resolution(self) -> float | None:
        """Step of the simulation (ms); None when it is not known."""
        return self._resolution

    @property
    def seed(self) -> int | None:
        """Seed of the simulation; None when it is not known."""
        return self._seed

    def copy(self) -> Data:
        """The data apart from the network: they stay as they are when it runs on."""
        found: Data = self._but()
        return found

    def data(self) -> Data:
        """The same as `copy`."""
        return self.copy()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes everything to a file .npz, .h5 or .parquet, which `neuropil.open_results` reads. On several ranks all ranks save together.

        The file is whole or not there: it is written under another name and then renamed. Raises BadParameter, MissingLibrary, OSError.
        """
        table = self._now()._table()
        if self._writes():
            write(path, table)

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with a row per entry (spike, bin, transmission) or per time of a sample. Raises MissingLibrary."""
        table: pandas.DataFrame = library("pandas").DataFrame(self._now()._frame())
        return table

    def to_xarray(self) -> xarray.DataArray | xarray.Dataset:
        """Arrays of xarray with dimensions and units; what they hold is told by each kind. Raises MissingLibrary."""
        raise NotImplementedError

    def to_neo(self) -> neo.Segment:
        """neo.Segment with spike trains, analog signals or events, as told by each kind. Raises MissingLibrary."""
        raise NotImplementedError

    def to_arrow(self) -> pyarrow.Table:
        """pyarrow.Table with the columns and the notes of a file .parquet. Vectors are not copied. Raises MissingLibrary.

        polars, DuckDB and others take it as it is. `open_results` reads the file that pyarrow.parquet.write_table makes of it.
        """
        return arrow_table(self._now()._table())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The same for libraries that ask objects for their Arrow data: `polars.DataFrame(spikes)`, `pyarrow.table(spikes)`."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def plot(self, *what: Any, **options: Any) -> Axes:
        """A picture over time: `neuropil.plot.raster`, `trace`, `binned`, `synapses` or `transmitted`, which take the same arguments.

        what : groups of nodes for spikes, the name of a quantity for traces.
        """
        from ..analysis import plot

        axes: Axes = getattr(plot, self._PLOT)(self, *what, **options)
        return axes

    def _repr_html_(self) -> str:
        """What it holds, and its first rows. Of a record all ranks must ask."""
        columns = self._now()._shown()
        rows = [[f"{value:g}" for value in row] for row in zip(*(column[:FEW_ROWS] for column in columns.values()), strict=True)]
        more = [["..."] * len(columns)] if len(self) > FEW_ROWS else []
        return html_table([*columns], rows + more, repr(self))

    def _within(self, start: float | None, stop: float | None) -> NDArray[np.bool_]:
        """Which entries are in (start, stop] ms; None: no limit. Raises BadType, BadParameter."""
        times = self.times
        return (times > limit("start", start, -np.inf)) & (times <= limit("stop", stop, np.inf))

    def _writes(self) -> bool:
        """Whether this rank writes the file of `save`."""
        return True

    def __len__(self) -> int:
        return len(self.times)


class KindData(Data, Generic[K]):
    """Data of the kind K, for type checkers."""

    __slots__ = ()

    if TYPE_CHECKING:

        def _now(self) -> K: ...
        def _but(self, **changed: Any) -> K: ...
        def copy(self) -> K:
            """As of `Data`."""

        def data(self) -> K:
            """As of `Data`."""


class NodeData(KindData[K]):
    """Results of nodes, which are kept as ranges: a population of 10^9 costs 24 bytes."""

    __slots__ = ("_ranges",)
    _ranges: Ranges

    @property
    def watched(self) -> NDArray[np.int64]:
        """Global ids of all watched nodes in their order, int64 of shape (n_nodes,)."""
        return self._watched_ranges().ids()

    def _watched_ranges(self) -> Ranges:
        return self._ranges

    def _count_watched(self) -> int:
        return len(self._watched_ranges())

    def _chosen(self, nodes: Nodes | ArrayLike) -> Ranges:
        """Ranges of nodes to select. Raises BadParameter for nodes that were not watched."""
        mine, asked = self._watched_ranges(), to_watched("nodes", nodes)
        if not mine.covers(asked):
            gids = asked.ids()
            raise bad_parameter("nodes", int(gids[~mine.contains(gids)][0]), "gids of nodes that were recorded")
        return asked


class Record(Data):
    """What a network has recorded so far; data grow while it runs and are read when asked for.

    Arrays belong to the time at which they were asked for. Copies, selections and pickles are `Data`. On several ranks all ranks read together, see
    `view`; also `clear` and `save` must be called by all.
    """

    __slots__ = ()
    _cached: Data | None
    _cached_at: Any
    _gather: bool

    def __init__(self, gather: bool) -> None:
        self._gather, self._cached, self._cached_at = gather, None, None

    @property
    def _network(self) -> Core:
        raise NotImplementedError

    def _read(self) -> Data:
        """Reads what the network has recorded."""
        raise NotImplementedError

    def _forget(self) -> None:
        """Drops what the network has recorded."""
        raise NotImplementedError

    def _again(self, network: Any, gather: bool) -> Self:
        """The same recorder, of this network or of a copy of it."""
        raise NotImplementedError

    def _moment(self) -> Any:
        """Another value whenever there may be more to read."""
        return self._network._moment

    def _now(self) -> Any:
        now = self._moment()
        if self._cached_at != now:
            self._cached = self._read()
            self._cached_at = now
        return self._cached

    @property
    def resolution(self) -> float:
        """Step of the simulation (ms)."""
        return self._network.resolution

    @property
    def seed(self) -> int:
        """Seed of the simulation."""
        return self._network.seed

    def view(self, gather: bool = True) -> Self:
        """The same recorder, read in another way.

        With `gather` every rank gets what all ranks have recorded, and all ranks must read together. Without, a rank gets the spikes and samples of
        its own nodes, which are then `nodes`, or of the synapses that end on them. It needs no other rank: memory stays that of the rank's own part.
        """
        return self._again(self._network, gather)

    def clear(self) -> None:
        """Forgets what was recorded so far; recording goes on. Other views of this recorder that were read in this step keep what they read."""
        self._forget()
        self._cached = self._cached_at = None

    def _writes(self) -> bool:
        return not self._gather or self._network.rank == 0


class NodeRecord(Record):
    """What records of nodes know from their network."""

    __slots__ = ()
    _nodes: Nodes

    @property
    def _network(self) -> Core:
        return self._nodes._network

    @property
    def nodes(self) -> Nodes:
        """The recorded nodes."""
        return self._nodes

    def _watched_ranges(self) -> Ranges:
        return self._nodes._ranges


def own_nodes(nodes: Nodes) -> Nodes:
    """Those that live on this rank."""
    network = nodes._network
    return nodes[np.asarray(network._kernel.ranks_of(nodes.gids)) == network.rank]


def moved(nodes: Nodes, network: Core) -> Nodes:
    """The same nodes of a copy of their network."""
    return type(nodes)(network, nodes._ranges)


def limit(name: str, value: float | None, default: float) -> float:
    """A time in ms that a selection begins or ends at. Raises BadType, BadParameter for nan."""
    found = default if value is None else to_time(name, value)
    if np.isnan(found):
        raise bad_parameter(name, found, "a time in ms")
    return found


def chosen_ends(data: Any, source: Nodes | ArrayLike | None, target: Nodes | ArrayLike | None) -> NDArray[np.bool_]:
    """Which synapses go from any of the nodes `source` to any of `target`; None: all. Raises BadType, BadParameter for repeats."""
    keep = np.ones(len(data.source), bool)
    for name, nodes in (("source", source), ("target", target)):
        if nodes is not None:
            keep &= to_watched(name, nodes).contains(getattr(data, name))
    return keep


def to_watched(name: str, nodes: Nodes | ArrayLike) -> Ranges:
    """Ranges of the gids in their order. Raises BadType, BadParameter for repeats."""
    known = getattr(nodes, "_ranges", None)
    if isinstance(known, Ranges):
        return known
    array = np.atleast_1d(np.asarray(nodes))
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise bad_type(name, nodes, "Nodes or a one-dimensional array of gids")
    gids = array.astype(np.int64)
    values, counts = np.unique(gids, return_counts=True)
    if (counts > 1).any():
        raise bad_parameter(name, int(values[counts > 1][0]), "without repeats")
    return Ranges.of(gids)
