# SPDX-License-Identifier: Apache-2.0
"""Edge populations, read slice by slice by the ranks that own the targets, and connected slice by slice."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..circuit.hdf5 import dataset, joined, opened, read, reading
from ..errors import bad_file
from ..model.sonata_files import edge_values
from .config import Config
from .tables import Table, read_table

__all__ = ["AT_ONCE", "EdgePopulation", "Slice", "ahead", "edge_populations"]

T = TypeVar("T")

AT_ONCE = 1 << 20  # edges read at once
_GAP = 1 << 12  # edges: reading and dropping up to so many is faster than a second read
_ENDS = ("source_node_id", "target_node_id")
_BOOKS = (*_ENDS, "edge_type_id", "edge_group_id", "edge_group_index")


class Slice(NamedTuple):
    """Some edges: node ids of their ends, types, and values of their own by name, nan where an edge has none."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    type_of: NDArray[np.integer[Any]]
    own: dict[str, NDArray[Any]]


class EdgePopulation:
    """An edge population of a file. n: edges; source, target: names of the node populations; own: names of properties that edges have themselves."""

    def __init__(self, file: Path, name: str, types: Table) -> None:
        self.file, self.name, self.types, self._place = file, name, types, f"edges/{name}"
        with opened(file) as handle, reading(file, self._place):
            group = handle[self._place]
            self.n = len(dataset(group, _ENDS[0], "iu"))
            for key in _BOOKS[1:]:
                if (key in group or key in _BOOKS[1:3]) and len(dataset(group, key, "iu")) != self.n:
                    raise bad_file(file, f"/{self._place}/{key}", f"has {len(group[key])} values, {_ENDS[0]} has {self.n}")
            self.source, self.target = (_text(group[key].attrs.get("node_population", b"")) for key in _ENDS)
            groups = [key for key in group if key.isdigit()]
            self.own = sorted({key for number in groups for key in group[number] if key not in ("@library", "dynamics_params")})
            varied = [key for number in groups for key in group[number].get("dynamics_params", ())]
        if varied:
            raise bad_file(file, f"/{self._place}", f"has parameters of single synapses ({varied[0]}): give them by edge type")

    def slices(self, mine: NDArray[np.bool_] | None, names: list[str], at_once: int) -> Generator[Slice]:
        """The edges onto the nodes where `mine` is true (None: all edges), in the order of the file. Raises BadFile for node ids out of range."""
        with opened(self.file) as handle:
            group = handle[self._place]
            for begin, end in [(0, self.n)] if mine is None else self._where(group, mine):
                for first in range(begin, end, at_once):
                    yield self._slice(group, slice(first, min(first + at_once, end)), mine, names)

    def _slice(self, group: Any, some: slice, mine: NDArray[np.bool_] | None, names: list[str]) -> Slice:
        with reading(self.file, self._place):
            source, target, type_of = (group[key][some] for key in _BOOKS[:3])
            source, target, type_of = _signed(source), _signed(target), _signed(type_of) if type_of.dtype.itemsize == 8 else type_of
            own = _own(group, names, some)
        if mine is None:
            return Slice(source, target, type_of, own)
        if len(target) and not 0 <= int(target.min()) <= int(target.max()) < len(mine):
            raise bad_file(
                self.file, f"/{self._place}/{_ENDS[1]}", f"has the node id {int(target.max())}, {self.target} has {len(mine)} nodes"
            )
        at = np.flatnonzero(mine[target])
        return Slice(source[at], target[at], type_of[at], {key: values[at] for key, values in own.items()})

    def _where(self, group: Any, mine: NDArray[np.bool_]) -> list[tuple[int, int]]:
        """Ranges of the file that hold all edges onto these nodes: by the index target_to_source, where the file has it."""
        index = group.get("indices/target_to_source")
        if index is None or mine.all():
            return [(0, self.n)]
        name = next((key for key in ("node_id_to_ranges", "node_id_to_range") if key in index), "node_id_to_ranges")
        rows, ranges = (read(dataset(index, key, "iu", 2, 2)).astype(np.int64)[:, :2] for key in (name, "range_to_edge_id"))
        chosen = rows[np.flatnonzero(mine[: len(rows)])]
        count = np.maximum(chosen[:, 1] - chosen[:, 0], 0)
        at = np.repeat(chosen[:, 0] - np.cumsum(count) + count, count) + np.arange(count.sum())
        return joined(np.clip(ranges[at], 0, self.n), _GAP)


def ahead(items: Generator[T]) -> Iterator[T]:
    """The same items, each made by a thread of its own while the one before is in use."""
    with closing(items), ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = thread.submit(next, items, None)
            yield item


def _signed(ids: NDArray[Any]) -> NDArray[np.int64]:
    """Ids as int64; those of 64 bits are not copied."""
    return ids.view(np.int64) if ids.dtype == np.uint64 else ids.astype(np.int64, copy=False)


def _own(group: Any, names: list[str], some: slice) -> dict[str, NDArray[Any]]:
    """Values that edges have for themselves, by name."""
    groups = [key for key in group if key.isdigit()]
    if len(groups) == 1 and ("edge_group_index" not in group or _in_order(group["edge_group_index"][some], some.start)):
        return {key: group[groups[0]][key][some] for key in names if key in group[groups[0]]}
    return {key: values for key in names if (values := edge_values(group, key, some)) is not None}


def _in_order(index: NDArray[Any], first: int) -> bool:
    """Whether edges and their values stand in the same order."""
    # Whole numbers that ascend from the first to the last are all numbers between.
    return bool(len(index) == 0 or (index[0] == first and index[-1] == first + len(index) - 1 and (index[1:] > index[:-1]).all()))


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)


def edge_populations(config: Config, known: Mapping[str, Any]) -> Iterator[EdgePopulation]:
    """All edge populations, in the order of the configuration. Raises BadFile, also for ends in unknown node populations."""
    for entry in config.edges:
        file, types = Path(entry["edges_file"]), read_table(entry.get("edge_types_file"), "edge_type_id")
        with opened(file) as handle:
            there = list(handle["edges"]) if "edges" in handle else []
        for name in entry.get("populations") or there:
            if name not in there:
                raise bad_file(file, f"/edges/{name}", f"is missing; the file has {', '.join(there) or 'no population'}")
            made = EdgePopulation(file, name, types)
            for end, population in zip(_ENDS, (made.source, made.target), strict=True):
                if population not in known:
                    raise bad_file(file, f"/edges/{name}/{end}", f"is of the node population {population!r}; there are {', '.join(known)}")
            yield made
