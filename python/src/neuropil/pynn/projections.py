# SPDX-License-Identifier: Apache-2.0
"""Projections: connections between cells. Weights have PyNN's units, and those of the kernel inside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyNN import common
from pyNN.core import IndexBasedExpression
from pyNN.parameters import LazyArray

from .. import Projection as Connected
from .. import explicit, synapse
from . import simulator
from .errors import refuse
from .populations import gids_of, nodes_of, parts_of
from .simulator import state
from .synapses import StaticSynapse
from .values import Drawn, at_edges, rng_seed, seeded

__all__ = ["Connection", "Projection"]

Ints = NDArray[np.int64]
_ENDS = ("presynaptic_index", "postsynaptic_index")


class Connection(common.Connection):
    """A connection of a projection: its weight, delay and parameters are attributes."""

    projection: Projection
    at: int

    def __init__(self, projection: Projection, at: int) -> None:
        object.__setattr__(self, "projection", projection)
        object.__setattr__(self, "at", at)

    @property
    def presynaptic_index(self) -> int:
        """Position of the source."""
        return int(self.projection.ends[0][self.at])

    @property
    def postsynaptic_index(self) -> int:
        """Position of the target."""
        return int(self.projection.ends[1][self.at])

    @property
    def presynaptic_cell(self) -> Any:
        """The source."""
        return self.projection.pre[self.presynaptic_index]

    @property
    def postsynaptic_cell(self) -> Any:
        """The target."""
        return self.projection.post[self.postsynaptic_index]

    def as_tuple(self, *names: str) -> tuple[Any, ...]:
        """Values of attributes."""
        return tuple(getattr(self, name) for name in names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not self.projection.synapse_type.has_parameter(name):
            raise AttributeError(name)
        return float(self.projection.column(name)[self.at])

    def __setattr__(self, name: str, value: Any) -> None:
        self.projection.set_some(np.array([self.at]), {name: value})


class Projection(common.Projection):
    """Connections from one set of cells to another."""

    __doc__ = common.Projection.__doc__
    _simulator = simulator
    _static_synapse_class = StaticSynapse
    shape: tuple[int, int]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._parts: list[Connected] = []  # one for each call of the network's connect
        self._waiting: list[tuple[Ints, int, dict[str, Any]]] = []
        self._now: tuple[Ints, Ints, Ints] | None = None
        self._receptor, self._factor = self._end()
        self._connector.connect(self)
        self._flush()

    def _end(self) -> tuple[int | str, float]:
        """The receptor, and the kernel's weight for a weight of 1."""
        found = {part.celltype.receptor(self.receptor_type) for part in parts_of(self.post)}
        if len(found) > 1:
            refuse(str(self.label), "its targets take weights in different units")
        receptor, factor = found.pop()
        return receptor, factor

    # --- making connections

    @property
    def taus(self) -> Any:
        """Time constants of the synaptic current of each target, for synapses that need them: a number, or shape (n_post,); else None."""
        if not getattr(self.synapse_type, "needs_taus", False):
            return None
        parts = parts_of(self.post)
        found = np.concatenate([np.broadcast_to(part.celltype.tau_syn(part, self.receptor_type), (part.size,)) for part in parts])
        return float(found[0]) if len(set(found.tolist())) == 1 else found

    def add_rule(self, rule: Any, values: Mapping[str, Any], rng: Any = None) -> None:
        """Connects by a rule of the kernel. values : numbers, distributions, and arrays in the order of the rule, by native names."""
        rngs = [rng, *(value.rng for value in values.values() if isinstance(value, Drawn))]
        seeds = [rng_seed(each) for each in {id(each): each for each in rngs if seeded(each)}.values()]
        self._connect(rule, values, self.taus, sum(seeds) if seeds else None)

    def add_edges(self, pre: Ints, post: Ints, values: Mapping[str, Any]) -> None:
        """Connects cells by their positions. values : numbers, and arrays with one value for each edge, by native names."""
        if not len(pre):
            return
        taus = self.taus
        self._connect(explicit(pre, post), values, taus[post] if np.ndim(taus) else taus, None)

    def _connect(self, rule: Any, values: Mapping[str, Any], taus: Any, seed: int | None) -> None:
        given = {name: value.law if isinstance(value, Drawn) else value for name, value in values.items()}
        weight, delay = given["weight"] * self._factor, given["delay"]
        delay = float(state.on_grid(delay)) if np.ndim(delay) == 0 and isinstance(delay, int | float | np.floating) else delay
        state.shortest_delay = min(
            state.shortest_delay, float(np.min(delay)) if not isinstance(values["delay"], Drawn) else values["delay"].low
        )
        kind = self.synapse_type
        model = synapse(kind.kernel_model, **kind.to_kernel(given, self._factor, taus))
        at = len(self._parts)
        self._parts.append(None)  # type: ignore[arg-type]  # until the next line has run

        def operation() -> None:
            if seed is not None:
                state.engine.reseed(seed)
            options = {"weight": weight, "delay": delay, "synapse": model, "receptor": self._receptor}
            self._parts[at] = state.net.connect(nodes_of(self.pre), nodes_of(self.post), rule, **options)
            if seed is not None:
                state.engine.reseed(state.seed)
            self._now = None

        state.do(operation)

    def _convergent_connect(
        self, presynaptic_indices: Any, postsynaptic_index: int, location_selector: Any = None, **parameters: Any
    ) -> None:
        """What PyNN's own connectors call for each target: edges are collected, and connected together."""
        if location_selector is not None:
            refuse("location_selector", "cells of neuropil are points")
        sources = np.atleast_1d(np.asarray(presynaptic_indices)).astype(np.int64)
        self._waiting.append((sources, int(postsynaptic_index), parameters))

    def _flush(self) -> None:
        if not self._waiting:
            return
        pre = np.concatenate([sources for sources, _, _ in self._waiting])
        post = np.repeat([target for _, target, _ in self._waiting], [len(sources) for sources, _, _ in self._waiting]).astype(np.int64)
        values: dict[str, Any] = {}
        for name in self._waiting[0][2]:
            parts = [np.asarray(given[name], np.float64) for _, _, given in self._waiting]
            if all(part.ndim == 0 and part == parts[0] for part in parts):
                values[name] = float(parts[0])
            else:
                values[name] = np.concatenate(
                    [np.broadcast_to(part, sources.shape) for part, (sources, _, _) in zip(parts, self._waiting, strict=True)]
                )
        self._waiting = []
        self.add_edges(pre, post, values)

    # --- reading

    @property
    def _order(self) -> Ints:
        return self._found()[2]

    @property
    def ends(self) -> tuple[Ints, Ints]:
        """Positions of sources and targets of all connections, in order of target and source."""
        return self._found()[:2]

    def _found(self) -> tuple[Ints, Ints, Ints]:
        """Positions of sources and targets, and the order in which the network has the connections."""
        if self._now is None:
            pre, post = (
                _positions(gids_of(cells), np.concatenate([getattr(part, what) for part in self._parts]) if self._parts else np.empty(0))
                for cells, what in ((self.pre, "source"), (self.post, "target"))
            )
            order = np.lexsort((pre, post))
            self._now = (pre[order], post[order], order)
        return self._now

    def __len__(self) -> int:
        return sum(len(part) for part in self._parts)

    def __getitem__(self, i: int | slice) -> Any:
        if isinstance(i, slice):
            return [Connection(self, k) for k in range(*i.indices(len(self)))]
        if not 0 <= i < len(self):
            raise IndexError(f"connection {i} of {len(self)}")
        return Connection(self, i)

    @property
    def connections(self) -> Iterator[Connection]:
        """All connections, one after the other."""
        return (Connection(self, k) for k in range(len(self)))

    def column(self, name: str) -> NDArray[Any]:
        """Values of an attribute of all connections, in order of target and source."""
        if name in _ENDS:
            return self.ends[_ENDS.index(name)]
        order = self._order
        if not len(order):
            return np.empty(0)
        return np.concatenate([np.asarray(self._read(part, name)) for part in self._parts])[order]

    def _read(self, part: Connected, name: str) -> Any:
        if name == "weight":
            return part.weight / self._factor
        if name == "delay":
            return part.delay
        return self.synapse_type.from_kernel(name, self._reader(part), self._factor)

    def _reader(self, part: Connected) -> Callable[[str], Any]:
        return lambda name: np.asarray(part.weight if name == "weight" else part[name])

    def _get_attributes_as_list(self, names: list[str]) -> list[tuple[Any, ...]]:
        return list(zip(*(self.column(name).tolist() for name in names), strict=True))

    def _get_attributes_as_arrays(self, names: list[str], multiple_synapses: str = "sum") -> list[NDArray[np.float64]]:
        pre, post = self.ends
        found = []
        for name in names:
            values = self.column(name.removesuffix("s") if name in ("weights", "delays") else name)
            matrix = np.full((self.pre.size, self.post.size), np.nan)
            if multiple_synapses == "last":
                matrix[pre, post] = values
            elif multiple_synapses == "first":
                matrix[pre[::-1], post[::-1]] = values[::-1]
            else:
                start, join = {"sum": (0.0, np.add), "min": (np.inf, np.minimum), "max": (-np.inf, np.maximum)}[multiple_synapses]
                matrix[pre, post] = start
                join.at(matrix, (pre, post), values)
            found.append(matrix)
        return found

    # --- setting

    def _set_attributes(self, parameter_space: Any) -> None:
        pre, post = self.ends
        self.set_some(slice(None), {name: at_edges(value, pre, post) for name, value in parameter_space.items()})

    def set_some(self, which: Any, values: Mapping[str, Any]) -> None:
        """Sets attributes of connections by their positions. values : a number, or one for each of them, by native names."""
        for name, check in self.synapse_type.parameter_checks.items():
            if name in values:
                check(values[name], self)
        given = {name: value for name, value in values.items() if name not in ("weight", "delay")}
        if any(name in given for name in self.synapse_type.together):
            given = {name: self.column(name)[which] for name in self.synapse_type.together} | given
        found = self.synapse_type.to_kernel(given, self._factor, None) if given else {}
        if "weight" in values:
            found["weight"] = np.asarray(values["weight"]) * self._factor
        if "delay" in values:
            found["delay"] = state.on_grid(values["delay"])
        chosen = self._order[which]
        columns = {name: np.broadcast_to(np.asarray(value, np.float64), chosen.shape) for name, value in found.items()}
        state.do(lambda: self._put(chosen, columns))

    def _put(self, chosen: Ints, columns: Mapping[str, NDArray[np.float64]]) -> None:
        first = 0
        for part in self._parts:
            mine = (chosen >= first) & (chosen < first + len(part))
            for name, values in columns.items():
                target = part.weight if name == "weight" else part.delay if name == "delay" else part[name]
                target[chosen[mine] - first] = values[mine]
            first += len(part)
        if "delay" in columns:
            self._now = None

    def _set_initial_value_array(self, variable: str, initial_value: Any) -> None:
        self.set_some(slice(None), {variable: initial_value.evaluate(simplify=True)})

    # --- space

    def _handle_distance_expressions(self, parameter_space: Any) -> Any:
        for name, value in parameter_space.items():
            if isinstance(value.base_value, IndexBasedExpression):
                value.base_value.projection = self
            elif callable(value.base_value):
                parameter_space[name] = value(self.distance_map())
        return parameter_space

    def distance_map(self) -> Any:
        """Distances as a lazy array of shape (n_pre, n_post)."""
        return LazyArray(lambda i, j: self.distances(i, j), shape=self.shape)  # a function, as lazy arrays are copied

    def distances(self, pre: Any, post: Any) -> NDArray[np.float64]:
        """Distances between cells by their positions: arrays that fit each other's shape."""
        space = self.space
        axes = np.asarray(space.axes)
        source = self.pre.positions[axes][:, np.asarray(pre, np.int64)]
        target = space.scale_factor * (self.post.positions[axes] + _columns(space.offset, axes))[:, np.asarray(post, np.int64)]
        apart = np.abs(source - target)
        if space.periodic_boundaries is not None:
            for row, axis in enumerate(axes.tolist()):
                if (bounds := space.periodic_boundaries[axis]) is not None:
                    apart[row] = np.minimum(apart[row], bounds[1] - bounds[0] - apart[row])
        return np.asarray(np.sqrt((apart**2).sum(axis=0)))


def _columns(offset: Any, axes: NDArray[Any]) -> NDArray[np.float64]:
    """An offset of all axes, or one for each, as a column."""
    given = np.asarray(offset, np.float64)
    return given if given.ndim == 0 else given[axes][:, np.newaxis]


def _positions(known: Ints, gids: NDArray[Any]) -> Ints:
    """Where each gid is among known ones."""
    order = np.argsort(known, kind="stable")
    return np.asarray(order[np.searchsorted(known[order], gids)] if len(gids) else np.empty(0), np.int64)
