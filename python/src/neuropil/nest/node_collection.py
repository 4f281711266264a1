# SPDX-License-Identifier: Apache-2.0
"""NodeCollection: an ascending set of node ids, kept as ranges."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..engine import Ints, Ranges, needed
from . import shapes
from .errors import NESTErrors
from .kernel import generation, session
from .registry import Registry, Row

_put = object.__setattr__
_first = operator.itemgetter(0)
_MOST_SINGLES = 1024  # that a collection keeps


class NodeCollection:
    """Nodes of the network: `NodeCollection(ids)` for existing ids, or from Create, slices and sums.

    `n[i]`, `n[a:b:c]`, `n[[0, 2]]`, `n[mask]` select; `a + b` joins; parameters are attributes (`n.V_m`): a value for one node, a tuple for
    several. Raises BadProperty for ids that are not ascending or not unique, UnknownNode for those that do not exist.
    """

    __slots__ = ("_generation", "_layer", "_place", "_ranges", "_singles", "_spatial", "_step")
    _ranges: Ranges
    _layer: Any
    _generation: Registry
    _step: int  # of the slice that this collection is, where NEST takes no slices and sums of it any more; else 0
    _spatial: Any
    _place: tuple[Row | None, ...]  # see _row; (): not looked for
    _singles: dict[int, NodeCollection] | None  # by position, those asked for: scripts that connect node by node ask again
    # How values of nodes are read (of keys, None: all) and set: what modules above this one know.
    _read: ClassVar[Callable[[NodeCollection, Sequence[str] | None], dict[str, list[Any]]]]
    _set: ClassVar[Callable[[NodeCollection, Any], None]]

    def __init__(self, data: Any = None) -> None:
        ids = np.asarray([] if data is None else list(data))
        if ids.ndim != 1 or (ids.size and (ids.dtype.kind not in "biuf" or (ids != ids.astype(np.int64)).any())):
            raise TypeError("node ids must be integers")
        _init(self, _ascending(ids.astype(np.int64)), None, 0, None)
        if len(ids):
            session().check_nodes(int(ids[-1]))

    # --- which nodes

    @property
    def _gids(self) -> Ints:
        """Ids, int64 of shape (n,)."""
        return self._ranges.ids()

    @property
    def _models(self) -> Ints:
        """Numbers of the models, also of nodes of a kernel that was reset."""
        return self._generation.of_models(lambda model: model.model_id, self._gids)

    def _alive(self) -> Ints:
        """Table of ranges. Raises UnknownNode after ResetKernel."""
        if self._generation != generation():
            raise NESTErrors.UnknownNode("Nodes of a kernel that was reset")
        return self._ranges.table

    def _present(self) -> None:
        """Raises KernelException after ResetKernel."""
        if self._generation != generation():
            raise NESTErrors.KernelException(
                "InvalidNodeCollection: note that ResetKernel invalidates all previously created NodeCollections."
            )

    def _row(self) -> Row | None:
        """The row of the registry, where the nodes are one ascending range within it; else None."""
        if not self._place:
            _put(self, "_place", (_row_of(self._ranges.table, self._generation),))
        return self._place[0]

    def tolist(self) -> list[int]:
        """Ids as a list of int. Raises UnknownNode after ResetKernel."""
        self._alive()
        return self._gids.tolist() if self else []

    def index(self, node_id: int) -> int:
        """Position of an id. Raises ValueError when it is not here."""
        if (position := self._ranges.position(operator.index(node_id))) is not None:
            return position
        raise ValueError(f"{node_id} is not in NodeCollection")

    @property
    def spatial(self) -> dict[str, Any] | None:
        """Metadata of the layer, None where nodes have no positions."""
        layer = self._layer
        if layer is not None and self._spatial is None:
            where = {"positions": layer.positions_of(self._gids)} if layer.shape is None else {"shape": np.array(layer.shape)}
            found = {"center": layer.center.copy(), "edge_wrap": layer.periodic, "extent": layer.extent.copy(), "network_size": len(self)}
            _put(self, "_spatial", found | where)
        shown: dict[str, Any] | None = self._spatial
        return shown

    def __len__(self) -> int:
        return len(self._ranges)

    def __bool__(self) -> bool:
        return len(self) > 0

    def __iter__(self) -> Iterator[NodeCollection]:
        self._present()
        return (self._one(one) for one in self._ranges.singles())

    def __contains__(self, node_id: Any) -> bool:
        if not hasattr(node_id, "__index__"):
            raise TypeError("an integer is required")
        return self._ranges.position(operator.index(node_id)) is not None

    def __getitem__(self, key: Any) -> NodeCollection:
        self._present()
        if type(key) is int or isinstance(key, np.integer):
            return self._single(int(key))
        if isinstance(key, slice):
            return self._sliced(key)
        if isinstance(key, list | tuple | np.ndarray):
            return self._picked(key)
        raise IndexError("only integers, slices, lists, tuples, and numpy arrays are valid indices")

    def _single(self, position: int) -> NodeCollection:
        """The node at a position, from the end where it is negative."""
        kept = self._singles
        if kept is None:
            _put(self, "_singles", kept := {})
        if (found := kept.get(position)) is not None:
            return found
        n = len(self._ranges)
        if not -n <= position < n:
            raise IndexError("index value outside of the NodeCollection")
        found = self._one(Ranges.one(self._ranges.at(position % n)))
        if len(kept) < _MOST_SINGLES:
            kept[position] = found
        return found

    def _one(self, node: Ranges) -> NodeCollection:
        """One of these nodes. In a layer of several NEST takes it for a slice."""
        made = collection(node, self._layer, int(self._layer is not None and len(self._layer.positions) > 1), self._generation)
        if self._row() is not None:  # then it is in this row, too
            _put(made, "_place", self._place)
        return made

    def _sliced(self, key: slice) -> NodeCollection:
        n = len(self)
        step = 1 if key.step is None else operator.index(key.step)
        if step < 1:
            raise IndexError("slicing step for NodeCollection must be strictly positive")
        start, stop = _bound("start", key.start, 0, n), _bound("stop", key.stop, n, n)
        if start >= stop:
            raise NESTErrors.BadParameter("start < stop required.")
        found = self._ranges.slice(start, stop, step)
        if self._step and len(found) > 1:
            raise NESTErrors.BadProperty("Cannot slice a sliced composite NodeCollection.")
        part = self._layer is not None and len(found) < len(self._layer.positions)
        return collection(found, self._layer, step if step > 1 or part or not _is_run(found) else 0, self._generation)

    def _picked(self, key: Any) -> NodeCollection:
        index = np.asarray(key)
        if not index.size:
            return collection(Ranges.span(0, 0), self._layer, 0, self._generation)
        mixed = not isinstance(key, np.ndarray) and len({isinstance(k, bool | np.bool_) for k in key}) > 1
        if mixed or index.ndim != 1 or index.dtype.kind not in "biu":
            raise TypeError("Indices must be integers or bools")
        if index.dtype.kind == "b":
            if len(index) != len(self):
                raise IndexError("Bool index array must be the same length as NodeCollection")
            index = np.flatnonzero(index)
        found = self._ranges.take(_positions(index, len(self)))
        return collection(found, of=self._generation)  # NEST drops the positions, too

    def __add__(self, other: Any) -> NodeCollection:
        if isinstance(other, int | float) and other == 0:  # so that sum() works
            return self
        if not isinstance(other, NodeCollection):
            raise TypeError(f"Cannot add object of type '{type(other).__name__}' to 'NodeCollection'")
        self._present()
        other._present()
        if not self or not other:
            return self if self else other
        if self._layer is not other._layer:
            raise NESTErrors.BadProperty("Can only join NodeCollections with same metadata.")
        if self._step or other._step:
            raise NESTErrors.BadProperty("Cannot add NodeCollection to a sliced composite.")
        both = self._ranges.merged(other._ranges)
        if both is None:
            raise NESTErrors.BadProperty("Cannot join overlapping NodeCollections.")
        return collection(both, self._layer, 0, self._generation)

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NodeCollection):
            raise NotImplementedError(f"Cannot compare NodeCollection to {type(other).__name__}")
        if self._ranges != other._ranges or self._layer is not other._layer:
            return False
        return self._generation is other._generation or bool(
            (self._models == other._models).all()
        )  # as NEST: the same ids of the same models

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        self._alive()
        return self._gids if dtype is None else self._gids.astype(dtype)

    def __copy__(self) -> NodeCollection:
        return self

    def __deepcopy__(self, memo: object) -> NodeCollection:
        return self  # a name for nodes of the network, which is not copied

    # --- parameters and state

    def get(self, *params: Any, output: str = "") -> Any:
        """Values of parameters: one name, a list of names, (name of a dict, key or keys in it), or nothing for all.

        One node gives values, several give tuples. `output`: "pandas" (index: node ids) or "json". Raises KeyError for unknown names,
        ValueError for an empty collection.
        """
        if not self:
            raise ValueError("Cannot get parameter of empty NodeCollection")
        if params in (("compartments",), ("receptors",)):
            return shapes.shown(params[0], self, self._read(params)[params[0]])
        found = self._get(params)
        if output == "pandas":
            return _to_pandas(self, params, found)
        return to_json(found) if output == "json" else found

    def _get(self, params: tuple[Any, ...]) -> Any:
        shown: Callable[[Any], Any] = _first if len(self) == 1 else tuple
        if params and isinstance(params[0], str):
            column = self._read(params[:1])[params[0]]
            return shown(column) if len(params) == 1 else _inside(column, params[1])
        if params and not hasattr(params[0], "__iter__"):
            raise TypeError("Params should be either a string or an iterable")
        columns = self._read(list(params[0]) if params else None)
        return {key: shown(column) for key, column in columns.items()}

    def set(self, params: Any = None, **kwargs: Any) -> None:
        """Sets parameters: a dict, a list with a dict for all or per node, or keywords. Values: one for all, a list with one per node, or a Parameter.

        Raises UnaccessedDictionaryEntry for unknown names, BadProperty for values that are not allowed; then nothing has changed.
        """
        if params is not None and kwargs:
            raise TypeError("must either provide params or kwargs, but not both.")
        if not self:
            return
        self._set(kwargs or params)

    def _to_array(self, selection: str = "all") -> dict[Any, list[int]]:
        """Ids by rank or thread, to look at."""
        if selection == "all":
            return {"All": self.tolist()}
        if selection == "rank":
            return {f"Rank {session().rank}": self.tolist()}
        if selection == "thread":
            found: dict[Any, list[int]] = {t: [] for t in range(session().threads)}
            for gid, thread in zip(self.tolist(), self._read(["thread"])["thread"], strict=True):
                found.setdefault(thread, []).append(gid)
            return found
        raise NESTErrors.BadParameter(f"to_array() accepts only 'all', 'rank', 'thread', but got '{selection}'.")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in _OWN:
            raise AttributeError(name)
        if not self:
            raise AttributeError("Cannot get attribute of empty NodeCollection")
        return self.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OWN or name == "spatial":
            raise AttributeError(f"{name} of a NodeCollection cannot be set")
        self.set({name: value})

    def __str__(self) -> str:
        if not self:
            return "NodeCollection(<empty>)"
        if self._generation != generation():
            return f"NodeCollection({len(self)} nodes of a kernel that was reset)"
        meta = "metadata=None" if self._layer is None else "metadata=spatial"
        parts = _parts(self)
        if len(parts) == 1 and not self._step:
            return f"NodeCollection({meta}, {parts[0]})"
        return f"NodeCollection({meta}," + ";".join(f"\n               {part}" for part in parts) + ")"

    __repr__ = __str__


_OWN = frozenset(NodeCollection.__slots__)


def checked(nodes: Any, name: str) -> NodeCollection:
    """A NodeCollection. Raises TypeError for anything else."""
    if not isinstance(nodes, NodeCollection):
        raise TypeError(f"{name} must be a NodeCollection, not {type(nodes).__name__}")
    return nodes


def _init(made: NodeCollection, ranges: Ranges, layer: Any, step: int, of: Registry | None) -> None:
    _put(made, "_ranges", ranges)
    _put(made, "_layer", layer)
    _put(made, "_generation", generation() if of is None else of)
    _put(made, "_step", step)
    _put(made, "_spatial", None)
    _put(made, "_place", ())
    _put(made, "_singles", None)


def collection(ranges: Ranges, layer: Any = None, step: int = 0, of: Registry | None = None) -> NodeCollection:
    """A collection of ascending ranges that are known to exist. step: see the class; of: when they exist, now by default."""
    made = NodeCollection.__new__(NodeCollection)
    _init(made, ranges, layer, step, of)
    return made


def _row_of(table: Ints, registry: Registry) -> Row | None:
    if len(table) != 1:
        return None
    first, count, stride = table[0].tolist()
    row = registry.row(first)
    return row if stride > 0 and first + (count - 1) * stride < row.first + row.count else None


def _is_run(ranges: Ranges) -> bool:
    """Whether ids follow each other and are of one model: all else is composite in NEST."""
    if len(ranges.table) != 1:
        return False
    first, count, stride = ranges.table[0].tolist()
    return count == 1 or (stride == 1 and session().registry.is_one_model(first, first + count - 1))


def _ascending(ids: Ints) -> Ranges:
    """Ranges of ascending unique ids."""
    steps = np.diff(ids)
    if (steps == 0).any():
        raise NESTErrors.BadProperty("All node IDs in a NodeCollection have to be unique")
    if (steps < 0).any():
        raise NESTErrors.BadProperty("Indices must be sorted in ascending order")
    if len(ids) and ids[0] < 1:
        raise NESTErrors.UnknownNode(f"Node with id {ids[0]} does not exist.")
    return Ranges.of(ids)


def _bound(name: str, value: Any, default: int, n: int) -> int:
    if value is None:
        return default
    bound = operator.index(value)
    if not -n <= bound <= n or (name == "start" and bound == n):
        raise IndexError(f"slice {name} value outside of the NodeCollection")
    return bound + n if bound < 0 else bound


def _positions(index: Ints, n: int) -> Ints:
    if len(np.unique(index)) < len(index):
        raise ValueError("All node IDs in a NodeCollection have to be unique")
    if (np.diff(index) < 0).any():
        raise NESTErrors.BadProperty("Indices must be sorted in ascending order")
    wrong = (index < 0) | (index >= n)
    if wrong.any():
        raise IndexError(f"pos {index[wrong][0]} points outside of the NodeCollection")
    return index.astype(np.int64)


def _inside(column: list[Any], names: Any) -> Any:
    """Values inside dicts such as events: of one node the value (or a dict), of several a list (or a dict of lists)."""
    if isinstance(names, str):
        entries = [entry[names] for entry in column]
        return entries[0] if len(entries) == 1 else entries
    return {name: _inside(column, name) for name in names}


def _to_pandas(nodes: NodeCollection, params: tuple[Any, ...], found: Any) -> Any:
    """What `get` found as a DataFrame with the node ids as index. Raises MissingLibrary."""
    pandas = needed("pandas", "results", "output='pandas' needs")
    table = found if isinstance(found, dict) and not (len(params) == 1 and isinstance(params[0], str)) else {params[-1]: found}
    columns = {key: [value] if len(nodes) == 1 else list(value) for key, value in table.items()}
    for key, column in columns.items():
        if isinstance(column[0], np.ndarray | list | dict):
            columns[key] = pandas.Series([_plain(value) for value in column], dtype=object).to_numpy()
    return pandas.DataFrame(columns, index=nodes.tolist())


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _parts(nodes: NodeCollection) -> list[str]:
    """How a collection describes itself: one text per run of a model, with ids at the distance of the slice or else neighbours."""
    gids, texts = nodes._gids, []
    ends = (np.diff(gids) != max(nodes._step, 1)) | (np.diff(nodes._models) != 0)
    for run in np.split(gids, np.flatnonzero(ends) + 1):
        step = int(run[1] - run[0]) if len(run) > 1 else 1
        last = f", last={run[-1]}" if len(run) > 1 or nodes._step else ""
        model = session().registry.row(int(run[0])).model.name
        texts.append(f"model={model}, size={len(run)}, first={run[0]}{last}{f', step={step}' if step > 1 else ''}")
    return texts


def to_json(data: Any, **kwargs: Any) -> str:
    """JSON text of values as the status has them."""
    return json.dumps(data, default=lambda v: v.tolist() if hasattr(v, "tolist") else str(v), **kwargs)
