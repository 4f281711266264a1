# SPDX-License-Identifier: Apache-2.0
"""Create, and what else deals with nodes as a whole: GetNodes, PrintNodes, GetLocalNodeCollection."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Mapping
from itertools import groupby
from typing import Any

import numpy as np

from ..engine import Ranges, any_rank, available_memory
from ..errors import TooLarge
from . import node_setting, node_status, node_values, shapes
from .defaults import GetDefaults
from .devices import recorders
from .errors import NESTErrors, translating
from .kernel import drawing, known_only, session
from .models.faces import GROWTH
from .models.node_models import NodeModel, with_room, with_spike_weights
from .node_collection import NodeCollection, checked, collection
from .node_values import TRAINS, Values, is_list
from .registry import Row
from .spatial import layers

_NO_GID = 2**40  # the kernel's ids are below
_BY_NODE = {**GROWTH, "compartments": (), "frozen": False, "receptors": ()}  # NEST-only keys that the kernel is told of
_MANY, _LEAST_BYTES = 2**24, 16  # nodes from which memory is looked at; of a node, its id and a value


@drawing
def Create(model: str, n: int = 1, params: Any = None, positions: Any = None) -> NodeCollection:  # noqa: N802
    """Makes n nodes of a model.

    Parameters
    ----------
    params : dict of values (one for all, n in a list, or a Parameter), or a list with a dict per node
    positions : nest.spatial.grid(...) or nest.spatial.free(...): nodes in space; with a grid n is left out

    Raises UnknownModelName, NotSupported, UnaccessedDictionaryEntry, BadProperty, TypeError, TooLarge; then nothing was made.
    """
    if isinstance(n, Mapping | list | tuple) and params is None:
        n, params = 1, n
    if not isinstance(model, str):
        raise AttributeError(f"'{type(model).__name__}' object has no attribute 'encode'")
    s = session()
    start = s.clocks.start()
    made = _create(model, _count(n), params, positions)
    s.clocks.took("create", start, alone=s.threads == 1)
    return made


def _count(n: Any) -> int:
    if isinstance(n, float | np.floating):
        if n != int(n):
            raise TypeError("n must have an integer value")
        n = int(n)
    if isinstance(n, str):
        raise TypeError(f"n must be a number, not {int(n)!r} as text")
    return operator.index(n)


def _create(name: str, n: int, params: Any, positions: Any) -> NodeCollection:
    s = session()
    model = s.node_models[name]
    shape = getattr(positions, "shape", None)
    _check_room(math.prod(shape) if isinstance(shape, list | tuple) and all(isinstance(k, int) for k in shape) else n)
    layer = None if positions is None else layers.make(positions, n, s.seed, s.next_draw())
    if layer is not None:
        n = len(layer.positions)
    elif n < 1:
        raise NESTErrors.BadParameterValue("n must be at least 1") if n == 0 else NESTErrors.BadProperty("n must be at least 1")
    first = s.registry.size + 1
    if layer is not None:
        layer.place(first)
    made = collection(Ranges.span(first, n), layer)
    given = _by_key(params, n, model)
    if model.kind == "recorder":
        gids = made._gids
        recorders_made = recorders.make_all(model, gids.tolist(), node_values.of_some(given, model, slice(0, n), n))
        _make(Row(first, n, model, recorders=recorders_made, layer=layer), {})
    else:
        _make_with_values(made, model, given)
    return made


def _check_room(n: int) -> None:
    """Raises OverflowError as NEST, BadProperty or TooLarge where n nodes have no ids or no memory, before any array of them is made. Collective."""
    if n < _MANY:
        return
    if n > np.iinfo(np.int64).max:
        raise OverflowError("Python int too large to convert to C long")
    if session().registry.size + n >= _NO_GID:
        raise NESTErrors.BadProperty(f"n = {n}: must be such that ids of nodes stay below 2^40")
    needed, available = float(_LEAST_BYTES * n), float(available_memory())
    if any_rank(needed > available):
        raise TooLarge(f"{n} nodes need more than {needed / 1e9:.0f} GB, but {available / 1e9:.2f} GB are available", needed, available)


def _by_key(params: Any, n: int, model: NodeModel) -> Values:
    if params is None or isinstance(params, Mapping):
        return params or {}
    if not is_list(params):
        raise TypeError("params must be either a dict of parameters or a list or tuple of dicts")
    if len(params) != n:
        raise TypeError("list of params must have one dictionary per node")
    return node_values.by_node(params, lambda key: _default(model, key))


def _default(model: NodeModel, key: str) -> Any:
    """What a node has that is given no value for a key. Raises UnaccessedDictionaryEntry for unknown ones."""
    known_only({key: None}, model.settable, "params", "NodeManager::set_status:")
    return GetDefaults(model.name).get(key)


def _make(row: Row, values: Mapping[str, Any]) -> None:
    with translating(row.model.face.bad_value):
        session().engine.create(row.model.base, row.count, values)
    session().registry.add(row)


def _make_with_values(nodes: NodeCollection, model: NodeModel, given: Values) -> None:
    """Makes nodes that the kernel simulates, and sets what is given and what SetDefaults has changed; all or nothing."""
    given = known_only(given, model.settable, "params", "NodeManager::set_status:")
    if model.base == "spike_generator" and "spike_weights" in model.extras and node_values.any_weights(given):
        model = with_spike_weights(model)
    model = shapes.begun(with_room(model, model.kernel | given))
    values = {key: value for key, value in model.kernel.items() if key in model.settable and key != TRAINS}
    values |= {key: value for key, value in model.extras.items() if key in _BY_NODE and value != _BY_NODE[key]} | given
    row = Row(nodes._ranges.ends[0], len(nodes), model, layer=nodes._layer)
    free = {key: value for key, value in values.items() if key in node_status.shown_of(model).free}  # nothing but the kernel heeds them
    hidden = {key: value for key, value in model.kernel.items() if key not in values}  # that nodes of NEST do not have
    _make(row, hidden | (_numbers(nodes, row, free) if free else {}))
    if len(free) < len(values):
        try:
            node_setting.set_new(nodes, row, {key: value for key, value in values.items() if key not in free})
        except BaseException:
            session().registry.drop_last()
            session().engine.undo_create(row.first)
            raise


def _numbers(nodes: NodeCollection, row: Row, given: Values) -> dict[str, Any]:
    """Values as the kernel takes them: a number, one each, or a distribution."""
    own = node_values.of_some(given, row.model, slice(0, row.count), row.count)
    with translating(row.model.face.bad_value):
        return node_values.kernel_values(nodes, row.model, own, row.gids)


def GetNodes(properties: Mapping[str, Any] | None = None, local_only: bool = False) -> NodeCollection:  # noqa: N802
    """All nodes whose status has exactly the given values; `local_only`: only those of this rank."""
    s = session()
    if not (properties is None or isinstance(properties, Mapping)):
        raise TypeError("properties must be a dict")
    if not s.registry.size:
        return collection(Ranges.span(0, 0))
    everything = collection(Ranges.span(1, s.registry.size))
    wanted = np.ones(s.registry.size, bool)
    for key, value in (properties or {}).items():
        try:
            column = node_status.values(everything, [key])[key]
        except KeyError:
            return collection(Ranges.span(0, 0))
        wanted &= np.array([entry is not None and bool(np.all(entry == value)) for entry in column])
    if local_only:
        wanted &= np.array(node_status.values(everything, ["local"])["local"])
    return collection(Ranges.of(np.flatnonzero(wanted) + 1))


def GetLocalNodeCollection(nc: NodeCollection) -> NodeCollection:  # noqa: N802
    """The nodes of a collection that live on this rank. Deprecated in NEST."""
    warnings.warn("GetLocalNodeCollection() leads to code that depends on the number of ranks.", stacklevel=2)
    own = np.array(node_status.values(checked(nc, "nc"), ["local"])["local"])
    return collection(Ranges.of(nc._gids[own]), nc._layer)


def PrintNodes() -> None:  # noqa: N802
    """Prints runs of ids and their models."""
    rows: list[tuple[int, int, str]] = []
    for name, group in groupby(session().registry.rows, lambda row: row.model.name):
        run = list(group)
        rows.append((run[0].first, run[-1].first + run[-1].count - 1, name))
    width = len(str(session().registry.size))
    texts = [f"{a:>{width}}" + (f" .. {b:>{width}}" if b > a else " " * (width + 4)) for a, b, _ in rows]
    print("\n".join(f"{text} {name}" for text, (_, _, name) in zip(texts, rows, strict=True)))
