# SPDX-License-Identifier: Apache-2.0
"""Nodes: an ordered set of neurons or devices of one network, kept as ranges of gids."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.ranges import Ranges
from ..base.tables import html_table
from ..errors import ForeignNodes, NoPositions, OutOfRange, ReadOnly, UnknownName, bad_length, bad_parameter, bad_type, unknown_attribute
from .core import Core
from .elements import CALCIUM, elements_of
from .setting import set_parameter, set_parameters
from .values import Values

if TYPE_CHECKING:
    from .catalog import Entry

__all__ = ["Nodes"]

_NO_LIMIT = -np.finfo(float).max  # the kernel's, of V_min
_FEW = 100  # nodes


class Nodes:
    """Neurons or devices, made by `Network.create` or `Network.nodes` and by indexing and joining those.

    `n[i]`, `n[a:b:c]`, `n[[3, 1, 2]]`, `n[mask]` give Nodes in that order; `a + b` those of a, then those of b that are not in a. Parameters and
    state variables are attributes: `n.V_m` is a float64 array of shape (len(n),), `n.V_m = value` sets one value for all, one each, or draws
    from a distribution; `n.V_m[mask] = value` sets some. Iteration gives Nodes of length one; gids (int64, from 1) are in `n.gids`.
    """

    __slots__ = ("_network", "_ranges")
    _network: Core
    _ranges: Ranges

    def __init__(self, network: Core, ranges: Ranges) -> None:
        object.__setattr__(self, "_network", network)
        object.__setattr__(self, "_ranges", ranges)

    # --- which nodes

    @property
    def gids(self) -> NDArray[np.int64]:
        """Global ids, int64 of shape (len(self),), in the order of this set."""
        return self._ranges.ids()

    @property
    def network(self) -> Any:
        """The `Network` these nodes belong to."""
        return self._network

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, in order of their first node."""
        return tuple(dict.fromkeys(entry.name for entry, _ in self._parts()))

    @property
    def model(self) -> str:
        """Name of the model. Raises BadParameter when the nodes are of several models or none."""
        names = self.models
        if len(names) != 1:
            raise bad_parameter("model", names, "read from nodes of one model; .models lists those of all")
        return names[0]

    @property
    def positions(self) -> NDArray[np.float64]:
        """Where the nodes are, float64 of shape (len(self), 2 or 3), a copy. Raises NoPositions where `create` was not given positions."""
        part = self._network._populations.part(self._ranges)
        if part is None:
            raise NoPositions("some or all of these nodes have no positions: give them in create(..., positions=...)")
        return np.array(part.positions)

    @property
    def synaptic_elements(self) -> dict[str, dict[str, NDArray[Any]]]:
        """Elements from which synapses grow, by name: arrays of shape (len(self),) of growth_curve, growth_rate, ..., z, z_connected.

        Setting: a dict {"axon": neuropil.synaptic_elements(...), ...} replaces all that these neurons have. Collective.
        """
        return elements_of(self._network, self.gids)

    def __len__(self) -> int:
        return len(self._ranges)

    def __iter__(self) -> Iterator[Nodes]:
        return (Nodes(self._network, Ranges.span(gid, 1)) for gid in self._ranges)

    def __getitem__(self, key: int | slice | ArrayLike) -> Nodes:
        """Nodes at a position, a slice, an array of positions or where a boolean mask of length n is true.

        Raises OutOfRange for positions that do not exist (slices too), BadLength for a mask of another length.
        """
        if isinstance(key, slice):
            return self._slice(key)
        if isinstance(key, str):
            raise bad_type("index", key, f"a position; parameters and state are attributes: nodes.{key}")
        if isinstance(key, Nodes):  # its gids would be taken for positions
            raise bad_type("index", key, "positions; to find nodes use `in`, or net.nodes(gids=...)")
        if isinstance(key, int | np.integer) and not isinstance(key, bool):
            return Nodes(self._network, Ranges.span(self._ranges.at(self._single(int(key))), 1))
        return Nodes(self._network, self._ranges.take(self._positions(np.asarray(key), key)))

    def _single(self, position: int) -> int:
        """A position counted from the front."""
        n = len(self)
        if not -n <= position < n:
            raise OutOfRange(
                f"position {position} of {n} nodes: must be from {-n} to {n - 1}" if n else f"position {position} of an empty set of nodes"
            )
        return position % n

    def _slice(self, key: slice) -> Nodes:
        n = len(self)
        for name, value in (("start", key.start), ("stop", key.stop), ("step", key.step)):
            if value is not None and not hasattr(value, "__index__"):
                raise bad_type(name, value, "a whole number")
        # Python would cut a slice that is too long; here that is most likely a mistake.
        if any(bound is not None and not -n <= operator.index(bound) <= n for bound in (key.start, key.stop)):
            raise OutOfRange(f"slice [{_text(key)}] of {n} nodes: bounds must be from {-n} to {n}")
        if key.step is not None and operator.index(key.step) == 0:
            raise bad_parameter("step", 0, "different from 0")
        return Nodes(self._network, self._ranges.slice(*key.indices(n)))

    def _positions(self, index: NDArray[Any], key: object) -> NDArray[np.int64]:
        n = len(self)
        if index.ndim != 1 or (index.dtype.kind not in "biu" and index.size):
            raise bad_type("index", key, "a position, a slice, a one-dimensional array of positions or a boolean mask")
        if index.dtype.kind == "b":
            if len(index) != n:
                raise bad_length("mask", len(index), n)
            return np.flatnonzero(index).astype(np.int64)
        wrong = (index < -n) | (index >= n)
        if wrong.any():
            raise OutOfRange(f"position {index[wrong][0]} of {n} nodes: must be from {-n} to {n - 1}")
        positions = index.astype(np.int64) % max(n, 1)
        if len(np.unique(positions)) < len(positions):
            raise bad_parameter("index", key, "positions without repeats (a set of nodes holds each once)")
        return positions

    def __contains__(self, item: object) -> bool:
        """Whether all of some Nodes of the same network are in this set. Raises BadType for numbers: nodes[3] takes a position, not a gid."""
        if isinstance(item, Nodes):
            return item._network is self._network and self._ranges.covers(item._ranges)
        if isinstance(item, int | np.integer):
            raise bad_type("item", item, "Nodes; a number could be a gid or a position: write `gid in nodes.gids`")
        return False

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same nodes of the same network in the same order."""
        if not isinstance(other, Nodes):
            return NotImplemented
        return self._network is other._network and self._ranges == other._ranges

    def __hash__(self) -> int:
        return hash((id(self._network), self._ranges.table.tobytes()))

    def __add__(self, other: object) -> Nodes:
        if not isinstance(other, Nodes):
            return NotImplemented
        if other._network is not self._network:
            raise ForeignNodes("nodes of two networks cannot be joined")
        return Nodes(self._network, self._ranges.union(other._ranges))

    def __radd__(self, other: object) -> Nodes:
        if isinstance(other, int) and other == 0:  # so that sum() works
            return self
        return NotImplemented

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.gids if dtype is None else self.gids.astype(dtype)

    def __copy__(self) -> Nodes:
        return self

    def __deepcopy__(self, memo: object) -> Nodes:
        return self  # a name for nodes of a network; copying the name does not copy the network

    # --- parameters and state

    def get(self, *names: str) -> Any:
        """Values of parameters, state variables or array parameters.

        One name: float64 array of shape (n,); of an array parameter (spike_times, ...) the array itself for one node, a list of arrays for
        several. Several names: dict of those; none: all that all these nodes have. Raises UnknownName.
        """
        if len(names) == 1:
            return self._get(names[0])
        return self._get_all(names or self._common_names())

    def set(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        """Sets several parameters or state variables at once, all or none.

        Each value is a number for all nodes, n numbers, or a distribution to draw from; array parameters take one array for all nodes.
        Raises UnknownName, BadParameter, BadLength, BadType; then nothing has changed.
        """
        set_parameters(self._network, self._ranges, {**(values or {}), **more})

    def _get(self, name: str) -> Any:
        if not isinstance(name, str):
            raise bad_type("name", name, "the name of a parameter or state variable")
        kernel, gids = self._network._kernel, self.gids
        if name in CALCIUM:
            return Values(np.asarray(kernel.calcium(gids, name)), lambda at, values: self[at].set({name: values}))
        if self._is_vector(name):
            arrays = [np.asarray(kernel.get_vector(int(gid), name)) for gid in gids]
            return arrays[0] if len(arrays) == 1 else arrays
        return self._values(name, kernel.get(gids, name))

    def _get_all(self, names: Iterable[str]) -> dict[str, Any]:
        """Few nodes: the kernel is asked once for all that are a number per node; of many, lists take longer than calls."""
        kernel, gids = self._network._kernel, self.gids
        arrays = {name for entry, _ in self._parts() for name in entry.vectors}
        plain = [name for name in names if isinstance(name, str) and name not in arrays and name not in CALCIUM]
        found = np.array(kernel.get_all(gids, plain)) if len(gids) <= _FEW else [kernel.get(gids, name) for name in plain]
        columns = dict(zip(plain, found, strict=True))
        return {name: self._values(name, columns[name]) if name in columns else self._get(name) for name in names}

    def _values(self, name: str, column: Any) -> Values:
        """What the kernel has of the nodes, as it is shown: minus infinity where there is no limit."""
        found = np.asarray(column)
        if len(found) and found.min() == _NO_LIMIT:
            found = np.where(found == _NO_LIMIT, -np.inf, found)
        return Values(found, lambda at, values: self[at].set({name: values}))

    def _is_vector(self, name: str) -> bool:
        if (only := self._network._populations.only(self._ranges)) is not None:
            return name in only.vectors
        parts = self._parts()
        return bool(parts) and all(name in entry.vectors for entry, _ in parts)

    def _common_names(self) -> list[str]:
        lists = [entry.names for entry, _ in self._parts()]
        return [name for name in (lists[0] if lists else []) if all(name in other for other in lists)]

    def _parts(self) -> list[tuple[Entry, int]]:
        return self._network._populations.parts(self._ranges)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in _SLOTS:
            raise AttributeError(name)
        try:
            return self._get(name)
        except UnknownName:
            raise unknown_attribute(f"nodes of {self._model_text()}", name, dir(self)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _READ_ONLY:
            raise ReadOnly(f"{name} of Nodes is read-only")
        try:
            set_parameter(self._network, self._ranges, name, value)
        except UnknownName:
            raise unknown_attribute(f"nodes of {self._model_text()}", name, self._common_names()) from None

    def __dir__(self) -> list[str]:
        return sorted({*(k for k in dir(Nodes) if not k.startswith("_")), *self._common_names()})

    def _model_text(self) -> str:
        return " and ".join(self.models) or "no model"

    def __repr__(self) -> str:
        if not len(self):
            return "Nodes(none)"
        parts = ", ".join(f"{n} {entry.name}" for entry, n in self._parts())
        rows = self._ranges.table[:4].tolist()
        spans = [_span_text(*row) for row in rows] + (["..."] if len(self._ranges.table) > 4 else [])
        dims = self._network._populations.dims(self._ranges)
        where = f"; in {dims}-D" if dims else ""
        return f"Nodes({parts}; gids {', '.join(spans)}{where})"

    def _repr_html_(self) -> str:
        net, rows = self.network, self._network._populations.rows()
        table = []
        for k, count in self._network._populations.touched(self._ranges.table)[:_FEW]:
            first, whole, entry = rows[k]
            part = str(count) if count == whole else f"{count} of {whole}"
            table.append([net.name_of(Nodes(net, Ranges.span(first, whole))), entry.name, part, _span_text(first, whole, 1)])
        return html_table(("name", "model", "nodes", "gids of the population"), table)


_SLOTS = frozenset(Nodes.__slots__)
_READ_ONLY = frozenset(dir(Nodes)) - {"synaptic_elements"}


def _span_text(first: int, count: int, stride: int) -> str:
    if count == 1:
        return str(first)
    return f"{first}..{first + (count - 1) * stride}" + (f" step {stride}" if stride != 1 else "")


def _text(key: slice) -> str:
    parts = ["" if v is None else str(v) for v in (key.start, key.stop)]
    return ":".join(parts + ([str(key.step)] if key.step is not None else []))
