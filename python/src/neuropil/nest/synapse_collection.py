# SPDX-License-Identifier: Apache-2.0
"""SynapseCollection: connections as arrays, and GetConnections."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..engine import needed
from . import connection_query, editing
from .errors import NESTErrors, is_a
from .kernel import drawing, generation, session
from .node_collection import checked
from .registry import Registry
from .synapse_columns import Columns, empty


class SynapseCollection:
    """Connections, from GetConnections, in the order of `connection_query`.

    Values are attributes (`c.weight`): a value for one connection, a list for several. `c[i]`, `c[a:b]` give some of them.
    """

    __slots__ = ("_columns", "_generation", "print_full")
    _columns: Columns
    _generation: Registry
    print_full: bool

    def __init__(self, data: Any = None) -> None:
        if data is not None and not isinstance(data, Columns):
            raise TypeError("A SynapseCollection comes from GetConnections")
        object.__setattr__(self, "_columns", empty() if data is None else data)
        object.__setattr__(self, "print_full", False)
        object.__setattr__(self, "_generation", generation())

    def __len__(self) -> int:
        return len(self._columns)

    def __iter__(self) -> Iterator[SynapseCollection]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: Any) -> SynapseCollection:
        n = len(self)
        if isinstance(key, slice):
            return self._part(np.arange(n)[key])
        if is_a(int, key):
            if not -n <= key < n:
                raise IndexError("list index out of range")
            return self._part(np.array([key % n]))
        index = np.asarray(key)
        if index.ndim != 1 or index.dtype.kind not in "bi":
            raise IndexError("only integers, slices, and arrays are valid indices")
        return self._part(np.flatnonzero(index) if index.dtype.kind == "b" else index)

    def _part(self, index: Any) -> SynapseCollection:
        made = SynapseCollection(self._columns.part(index))
        object.__setattr__(made, "_generation", self._generation)
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SynapseCollection):
            raise NotImplementedError(f"Cannot compare SynapseCollection to {type(other).__name__}")
        return self._columns.same(other._columns)

    __hash__ = None  # type: ignore[assignment]

    def sources(self) -> Iterator[int]:
        """Iterator over the ids of the sources."""
        return iter(self._columns.source.tolist())

    def targets(self) -> Iterator[int]:
        """Iterator over the ids of the targets."""
        return iter(self._columns.target.tolist())

    def get(self, keys: Any = None, output: str = "") -> Any:
        """Values of one key (a value for one connection, a list for several), of a list of keys, or of all (a dict).

        `output`: "pandas" (index: sources) or "json". Raises KeyError for unknown keys of a single connection.
        """
        c = self._columns
        if not len(self) or self._is_gone():
            return {} if keys is None else ()
        names = c.keys() if keys is None else [keys] if isinstance(keys, str) else keys
        if not hasattr(names, "__iter__"):
            raise TypeError("keys should be either a string or an iterable")
        names = list(names)
        found = {name: _shown(column) for name, column in c.read(names).items()}
        if len(self) == 1:
            missing = [name for name in names if not found[name]]
            if missing:
                raise KeyError(missing[0])
            found = {name: value[0] for name, value in found.items()}
        if output == "pandas":
            pandas = needed("pandas", "results", "output='pandas' needs")
            return pandas.DataFrame({k: [v] if len(self) == 1 else v for k, v in found.items()}, index=c.source.tolist())
        if isinstance(keys, list | tuple) and len(self) > 1:
            for name in names:
                if not found[name] or None in found[name]:
                    raise KeyError(name)
        result = found[keys] if isinstance(keys, str) else found
        return json.dumps(result) if output == "json" else result

    @drawing
    def set(self, params: Any = None, **kwargs: Any) -> None:
        """Sets values: a dict, a list with a dict per connection, or keywords; a value for all or a list with one each.

        On several ranks all call this, each with lists for the connections that it holds. Connections keep their state.

        Raises UnaccessedDictionaryEntry for unknown keys, BadDelay, BadProperty, on all ranks; then nothing has changed.
        """
        if params is not None and kwargs:
            raise TypeError("must either provide params or kwargs, but not both.")
        if not self._is_gone():
            editing.set_values(self._columns, kwargs or params)

    def _is_gone(self) -> bool:
        """Whether these are connections of a kernel that was reset."""
        return self._generation != generation()

    def disconnect(self) -> None:
        """Removes these connections. Raises InexistentConnection where one is gone, or is a device's; then nothing has changed."""
        if self._is_gone():
            raise NESTErrors.InexistentConnection(editing.MISSING)
        editing.disconnect(self._columns)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name == "distance":
            return self._columns.distance()
        return self.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "print_full":
            object.__setattr__(self, name, bool(value))
        elif name.startswith("_"):
            raise AttributeError(f"{name} of a SynapseCollection cannot be set")
        else:
            self.set({name: value})

    def __str__(self) -> str:
        return connection_query.table(empty() if self._is_gone() else self._columns, self.print_full)


def _shown(column: Any) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)


def GetConnections(  # noqa: N802
    source: Any = None, target: Any = None, synapse_model: str | None = None, synapse_label: int | None = None
) -> SynapseCollection:
    """Connections from `source` to `target` (NodeCollections), of a model, with a label; each None for all.

    Raises TypeError for what is no NodeCollection, UnknownSynapseType.
    """
    for name, nodes in (("source", source), ("target", target)):
        if nodes is not None:
            checked(nodes, name)._present()
    if synapse_model is not None:
        session().synapse_models[synapse_model]
    from_, to = (None if nodes is None else nodes._ranges for nodes in (source, target))
    return SynapseCollection(connection_query.query(from_, to, synapse_model, synapse_label))
