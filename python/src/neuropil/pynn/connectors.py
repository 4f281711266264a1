# SPDX-License-Identifier: Apache-2.0
"""Connectors as rules of the kernel, else as edges drawn with numpy. What neither has, PyNN's own connectors draw target by target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyNN import connectors, errors

from .. import all_to_all, fixed_indegree, fixed_outdegree, fixed_total_number, one_to_one, pairwise_bernoulli
from . import edges
from .edges import Edges
from .errors import refuse
from .populations import gids_of
from .projections import Projection
from .simulator import state
from .values import Drawn, agreed, at_edges, drawn, rng_seed, seeded

__all__ = [
    "AllToAllConnector",
    "ArrayConnector",
    "DistanceDependentProbabilityConnector",
    "FixedNumberPostConnector",
    "FixedNumberPreConnector",
    "FixedProbabilityConnector",
    "FixedTotalNumberConnector",
    "FromFileConnector",
    "FromListConnector",
    "OneToOneConnector",
]


class _Connector:
    """Base of the connectors of the kernel."""

    safe: bool
    callback: Any
    location_selector: Any
    allow_self_connections: Any = True

    def rule(self, projection: Projection) -> Any:
        """The rule of the kernel; None where the kernel has none."""
        return None

    def edges(self, projection: Projection) -> Edges | None:
        """Edges; None where PyNN's own connector has to draw them."""
        raise NotImplementedError

    def connect(self, projection: Projection) -> None:
        """Makes the connections of a projection."""
        if self.location_selector is not None:
            refuse("location_selector", "cells of neuropil are points")
        if getattr(self, "distributed", False):
            refuse("distributed", "True: every rank describes the whole network, so one file must have all connections")
        if state.connectors == "pynn" or not self._connected(projection):
            agreed(getattr(self, "rng", None))
            super().connect(projection)  # type: ignore[misc]  # PyNN's
        elif self.callback:
            self.callback(1.0)

    def _connected(self, projection: Projection) -> bool:
        """Connects; False where PyNN has to."""
        if self.allow_self_connections not in (True, False):
            return False
        space = self._parameters_from_synapse_type(projection, projection.distance_map())  # type: ignore[attr-defined]  # PyNN's
        values = {name: _simple(projection, name, value, self.safe) for name, value in space.items()}
        known = all(value is not None for value in values.values())
        if known and projection.wiring.alike and (rule := self.rule(projection)) is not None:
            projection.wiring.rule(rule, values, getattr(self, "rng", None))
            return True
        if (found := self.edges(projection)) is None:
            return False
        add_edges(projection, found, space, {}, self.safe)
        return True

    def without_self(self, projection: Projection) -> bool:
        """Whether cells that are on both sides may not connect to themselves."""
        return not self.allow_self_connections and bool(np.isin(gids_of(projection.pre), gids_of(projection.post)).any())

    def random(self) -> np.random.Generator:
        """Of edges that numpy draws: by the seed of the connector's generator, where it has one."""
        rng = getattr(self, "rng", None)
        return np.random.default_rng(rng_seed(rng)) if seeded(rng) else state.random


def _simple(projection: Projection, name: str, lazy: Any, safe: bool) -> Any:
    """A number, a distribution that the kernel can draw and whose values are all allowed, or None."""
    check = projection.synapse_type.parameter_checks.get(name) if safe else None
    if lazy.is_homogeneous:
        value = lazy.evaluate(simplify=True)
        if check:
            check(value, projection)
        return value
    found: Drawn | None = drawn(lazy)
    if found is None or name not in ("weight", "delay"):
        return None
    try:
        (check or (lambda *_: None))(np.array([found.low, found.high]), projection)
    except errors.ConnectionError:
        return None  # some values may be wrong: they are drawn here and looked at
    return found


def add_edges(projection: Projection, found: Edges, space: Any, columns: Mapping[str, Any], safe: bool) -> None:
    """Connects edges. space : parameters of the synapse type; columns : of the edges, instead of those."""
    values = {name: at_edges(value, *found) for name, value in space.items() if name not in columns} | dict(columns)
    if safe:
        for name, check in projection.synapse_type.parameter_checks.items():
            if name in values and np.size(values[name]):
                check(values[name], projection)
    projection.wiring.edges(*found, values)


def _apart(projection: Projection, found: Edges, excluded: bool) -> Edges:
    """Edges, without those from a cell to itself where these are excluded."""
    if not excluded:
        return found
    keep = gids_of(projection.pre)[found[0]] != gids_of(projection.post)[found[1]]
    return found[0][keep], found[1][keep]


class AllToAllConnector(_Connector, connectors.AllToAllConnector):
    __doc__ = connectors.AllToAllConnector.__doc__

    def rule(self, projection: Projection) -> Any:
        return all_to_all(autapses=not self.without_self(projection))

    def edges(self, projection: Projection) -> Edges:
        return _apart(projection, edges.all_pairs(*projection.shape), self.without_self(projection))


class OneToOneConnector(_Connector, connectors.OneToOneConnector):
    __doc__ = connectors.OneToOneConnector.__doc__

    def rule(self, projection: Projection) -> Any:
        self._check(projection)
        return one_to_one()

    def edges(self, projection: Projection) -> Edges:
        self._check(projection)
        every = np.arange(projection.pre.size, dtype=np.int64)
        return every, every

    def _check(self, projection: Projection) -> None:
        if projection.pre.size != projection.post.size:
            raise errors.InvalidDimensionsError("OneToOneConnector: {} sources and {} targets".format(*projection.shape))


class FixedProbabilityConnector(_Connector, connectors.FixedProbabilityConnector):
    __doc__ = connectors.FixedProbabilityConnector.__doc__

    def rule(self, projection: Projection) -> Any:
        return pairwise_bernoulli(self.p_connect, autapses=not self.without_self(projection))

    def edges(self, projection: Projection) -> Edges:
        return _apart(projection, edges.with_probability(*projection.shape, self.p_connect, self.random()), self.without_self(projection))


class _FixedNumber(_Connector):
    """A number of sources for each target, or of targets for each source."""

    n: Any
    with_replacement: bool

    def _fits(self, projection: Projection, size: int) -> bool:
        """Whether the number is one for all, and there are so many other cells."""
        if not isinstance(self.n, int | np.integer):
            return False
        return bool(self.with_replacement or self.n <= size - self.without_self(projection))

    def _same(self, projection: Projection) -> bool:
        """Whether edges can be drawn here: cells are excluded nowhere, or at their own positions."""
        return not self.without_self(projection) or np.array_equal(gids_of(projection.pre), gids_of(projection.post))

    def _options(self, projection: Projection) -> dict[str, Any]:
        return {"autapses": not self.without_self(projection), "multapses": bool(self.with_replacement)}

    def _drawn(self, projection: Projection, size: int, each: int) -> Edges:
        return edges.fixed_number(size, each, self.n, self.with_replacement, self.without_self(projection), self.random())


class FixedNumberPreConnector(_FixedNumber, connectors.FixedNumberPreConnector):
    __doc__ = connectors.FixedNumberPreConnector.__doc__

    def rule(self, projection: Projection) -> Any:
        return fixed_indegree(self.n, **self._options(projection)) if self._fits(projection, projection.pre.size) else None

    def edges(self, projection: Projection) -> Edges | None:
        fits = self._fits(projection, projection.pre.size) and self._same(projection)
        return self._drawn(projection, *projection.shape) if fits else None


class FixedNumberPostConnector(_FixedNumber, connectors.FixedNumberPostConnector):
    __doc__ = connectors.FixedNumberPostConnector.__doc__

    def rule(self, projection: Projection) -> Any:
        return fixed_outdegree(self.n, **self._options(projection)) if self._fits(projection, projection.post.size) else None

    def edges(self, projection: Projection) -> Edges | None:
        if not (self._fits(projection, projection.post.size) and self._same(projection)):
            return None
        post, pre = self._drawn(projection, *projection.shape[::-1])
        return pre, post


class FixedTotalNumberConnector(_FixedNumber, connectors.FixedTotalNumberConnector):
    __doc__ = connectors.FixedTotalNumberConnector.__doc__

    def rule(self, projection: Projection) -> Any:
        return fixed_total_number(int(self.n), **self._options(projection)) if isinstance(self.n, int | np.integer) else None

    def edges(self, projection: Projection) -> Edges | None:
        if self.without_self(projection) or not isinstance(self.n, int | np.integer):
            return None
        return edges.total_number(*projection.shape, int(self.n), self.with_replacement, self.random())


class DistanceDependentProbabilityConnector(_Connector, connectors.DistanceDependentProbabilityConnector):
    __doc__ = connectors.DistanceDependentProbabilityConnector.__doc__

    def edges(self, projection: Projection) -> Edges:
        sources = np.arange(projection.pre.size)[:, np.newaxis]

        def probability(targets: NDArray[np.int64]) -> NDArray[np.float64]:
            distances = projection.distances(sources, targets[np.newaxis])
            return np.broadcast_to(np.asarray(self.distance_function(distances), np.float64), distances.shape)

        return _apart(projection, edges.by_distance(*projection.shape, probability, self.random()), self.without_self(projection))


class ArrayConnector(_Connector, connectors.ArrayConnector):
    __doc__ = connectors.ArrayConnector.__doc__

    def edges(self, projection: Projection) -> Edges:
        if np.shape(self.array) != tuple(projection.shape):
            raise errors.InvalidDimensionsError(f"ArrayConnector: shape {np.shape(self.array)}, must be {tuple(projection.shape)}")
        post, pre = np.nonzero(np.asarray(self.array, bool).T)
        return pre, post


class _Listed(_Connector):
    """Edges of a table: positions of sources and targets, then parameters."""

    conn_list: Any
    column_names: Any

    def _connected(self, projection: Projection) -> bool:
        table = np.asarray(self.conn_list, np.float64)
        if not table.size:
            return True
        names = list(self.column_names)[: table.shape[1] - 2]
        for name in names:
            if not projection.synapse_type.has_parameter(name):
                raise errors.NonExistentParameterError(
                    name, type(projection.synapse_type).__name__, projection.synapse_type.get_parameter_names()
                )
        pre, post = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
        for what, index, size in (("source", pre, projection.pre.size), ("target", post, projection.post.size)):
            if index.min() < 0 or index.max() >= size:
                raise errors.ConnectionError(f"{what} index out of range: {index.min()} to {index.max()} of {size} cells")
        space = self._parameters_from_synapse_type(projection, projection.distance_map())  # type: ignore[attr-defined]  # PyNN's
        add_edges(projection, (pre, post), space, {name: table[:, 2 + k] for k, name in enumerate(names)}, self.safe)
        return True


class FromListConnector(_Listed, connectors.FromListConnector):
    __doc__ = connectors.FromListConnector.__doc__


class FromFileConnector(_Listed, connectors.FromFileConnector):
    __doc__ = connectors.FromFileConnector.__doc__

    def _connected(self, projection: Projection) -> bool:
        """Reads the file first."""
        self.column_names = self.file.get_metadata().get("columns", ("i", "j", "weight", "delay"))
        self.column_names = [name for name in self.column_names if name not in ("i", "j")]
        self.conn_list = self.file.read()
        return super()._connected(projection)
