# SPDX-License-Identifier: Apache-2.0
"""Projections: connections between cells. Weights have PyNN's units, and those of the kernel inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyNN import common, errors
from pyNN.core import IndexBasedExpression
from pyNN.parameters import LazyArray

from . import simulator
from .errors import refuse
from .populations import gids_of, nodes_of
from .simulator import state
from .synapses import StaticSynapse
from .values import agreed, at_edges
from .wiring import Ints, Part, Wiring

__all__ = ["Projection"]

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
        return int(self.projection.ends[0][self.at])

    @property
    def postsynaptic_index(self) -> int:
        return int(self.projection.ends[1][self.at])

    @property
    def presynaptic_cell(self) -> Any:
        return self.projection.pre[self.presynaptic_index]

    @property
    def postsynaptic_cell(self) -> Any:
        return self.projection.post[self.postsynaptic_index]

    def as_tuple(self, *names: str) -> tuple[Any, ...]:
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
        self._gather = True
        if self.synapse_type.both_ways and (given := options.get("receptor_type", args[5] if len(args) > 5 else None)):
            refuse("receptor_type", f"{given!r}: ElectricalSynapse acts on no receptor; leave it out")
        self._now: tuple[int, Ints, Ints, Ints] | None = None
        self.wiring = Wiring(self)
        if not hasattr(self._connector, "rule"):  # PyNN draws
            agreed(getattr(self._connector, "rng", None))
        with state.alone():
            self._connector.connect(self)
        self.wiring.flush()

    def _convergent_connect(
        self, presynaptic_indices: Any, postsynaptic_index: int, location_selector: Any = None, **parameters: Any
    ) -> None:
        """What PyNN's own connectors call for each target."""
        if location_selector is not None:
            refuse("location_selector", "cells of neuropil are points")
        self.wiring.collect(presynaptic_indices, postsynaptic_index, parameters)

    # --- reading

    def get(self, attribute_names: Any, format: str, gather: Any = True, *args: Any, **options: Any) -> Any:
        """Attributes of connections: of all on every rank, or without `gather` of those onto cells that this rank simulates. See PyNN."""
        self._gather = bool(gather)
        try:
            return super().get(attribute_names, format, False, *args, **options)
        except KeyError as error:
            raise errors.NonExistentParameterError(error.args[0], str(self.synapse_type), self.synapse_type.get_parameter_names()) from None
        finally:
            self._gather = True

    def save(self, attribute_names: Any, file: Any, format: str = "list", gather: bool = True, with_address: bool = True) -> None:
        if not gather and state.num_processes > 1:
            refuse("gather", "False: save writes one file with all connections; get(..., gather=False) gives those of a rank")
        super().save(attribute_names, file, format, gather, with_address)

    def size(self, gather: bool = True) -> int:
        """Number of connections: of all, or without `gather` of those onto cells that this rank simulates."""
        return len(self) if gather else len(self._shown(gather=False))

    def _shown(self, gather: bool) -> Ints:
        """Positions of the connections that `get` returns."""
        post = self.ends[1]
        return np.arange(len(post)) if gather else np.flatnonzero(state.simulated_here(nodes_of(self.post))[post])

    @property
    def ends(self) -> tuple[Ints, Ints]:
        """Positions of sources and targets of all connections, in order of target and source."""
        return self._found()[:2]

    def _found(self) -> tuple[Ints, Ints, Ints]:
        """Positions of sources and targets, and the order in which the network has the connections."""
        if self._now is None or self._now[0] != self.wiring.version:
            parts = [part.made for part in self.wiring.parts]
            pre, post = (
                _positions(gids_of(cells), np.concatenate([getattr(part, what) for part in parts]) if parts else np.empty(0))
                for cells, what in ((self.pre, "source"), (self.post, "target"))
            )
            order = np.lexsort((pre, post))
            self._now = (self.wiring.version, pre[order], post[order], order)
        return self._now[1:]

    def __len__(self) -> int:
        return sum(len(part.made) for part in self.wiring.parts)

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
        order = self._found()[2]
        if not len(order):
            return np.empty(0)
        return np.concatenate([np.asarray(self._read(part, name)) for part in self.wiring.parts])[order]

    def _read(self, part: Part, name: str) -> Any:
        if name == "weight":
            return part.made.weight / part.factor
        if name == "delay":
            return part.made.delay
        return self.synapse_type.from_kernel(name, lambda key: _kernel_values(part, key), part.factor)

    def _get_attributes_as_list(self, names: list[str]) -> list[tuple[Any, ...]]:
        shown = self._shown(self._gather)
        return list(zip(*(self.column(name)[shown].tolist() for name in names), strict=True))

    def _get_attributes_as_arrays(self, names: list[str], multiple_synapses: str = "sum") -> list[NDArray[np.float64]]:
        shown = self._shown(self._gather)
        pre, post = (end[shown] for end in self.ends)
        found = []
        for name in names:
            values = self.column(name.removesuffix("s") if name in ("weights", "delays") else name)[shown]
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
        chosen = self._found()[2][which]
        given = {name: np.broadcast_to(np.asarray(value, np.float64), chosen.shape) for name, value in values.items()}
        if any(name in given for name in self.synapse_type.together):
            given = {name: self.column(name)[which] for name in self.synapse_type.together} | given
        state.do(lambda: self._put(chosen, given))

    def _put(self, chosen: Ints, values: Mapping[str, NDArray[np.float64]]) -> None:
        first = 0
        for part in self.wiring.parts:
            mine = (chosen >= first) & (chosen < first + len(part.made))
            at = chosen[mine] - first
            first += len(part.made)
            columns = {}
            for name, column in self._kernel_columns(part, {name: value[mine] for name, value in values.items()}).items():
                columns[name] = column if len(at) == len(part.made) else np.array(_kernel_values(part, name))
                columns[name][at] = column.copy()
            if len(at):
                part.set(columns)
        self._now = None  # connections may have changed their order

    def _kernel_columns(self, part: Part, values: Mapping[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
        """Values of parameters of the kernel."""
        rest = {name: value for name, value in values.items() if name not in ("weight", "delay")}
        found = self.synapse_type.to_kernel(rest, part.factor, None) if rest else {}
        if "weight" in values:
            found["weight"] = values["weight"] * part.factor
        if "delay" in values:
            found["delay"] = state.on_grid(values["delay"])
        n = len(next(iter(values.values())))
        return {name: np.array(np.broadcast_to(np.asarray(value, np.float64), (n,))) for name, value in found.items()}

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


def _kernel_values(part: Part, name: str) -> NDArray[np.float64]:
    """Values of a parameter of the kernel."""
    made = part.made
    return np.asarray(made.weight if name == "weight" else made.delay if name == "delay" else made[name])


def _columns(offset: Any, axes: NDArray[Any]) -> NDArray[np.float64]:
    """An offset of all axes, or one for each, as a column."""
    given = np.asarray(offset, np.float64)
    return given if given.ndim == 0 else given[axes][:, np.newaxis]


def _positions(known: Ints, gids: NDArray[Any]) -> Ints:
    """Where each gid is among known ones."""
    order = np.argsort(known, kind="stable")
    return np.asarray(order[np.searchsorted(known[order], gids)] if len(gids) else np.empty(0), np.int64)
