# SPDX-License-Identifier: Apache-2.0
"""Values of nodes are set: all is checked first, then it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from .. import Nodes
from ..engine import Ints, Ranges
from . import connection_query, elements, node_values, shapes
from .errors import NESTErrors, NotSupported, translating
from .kernel import drawing, known_only, reshape, session
from .models.faces import GROWTH
from .models.node_models import CM, NodeModel, with_room, with_spike_weights
from .node_collection import NodeCollection
from .node_status import freeze, read, shown_of, values
from .node_values import ON_GRID, OPTIONS, Values, any_weights, kernel_values
from .registry import Row
from .senders import check_lent

Rows = list[tuple[Row, Ints]]
Action = Callable[[], None]
_FEW = 64  # nodes that are set faster one by one than in all groups of the kernel
_EXACT = 2**53  # whole numbers below are the same as floats


@dataclass(slots=True)
class _Native:
    """Values of nodes for the kernel. make : gives them; lent : those that connections have from these nodes."""

    gids: Ints
    make: Callable[[], dict[str, Any]]
    lent: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Changes:
    """What is to be done once all was checked, in this order.

    shapes : gives nodes other shapes; growth : nodes and their calcium and elements; kept : sets what the kernel does not have
    """

    shapes: list[Action] = field(default_factory=list)
    native: list[_Native] = field(default_factory=list)
    growth: list[tuple[Ints, dict[str, Any]]] = field(default_factory=list)
    kept: list[Action] = field(default_factory=list)


def put(nodes: NodeCollection, given: Any) -> None:
    """Sets keys of nodes to one value for all, one each, or what a Parameter gives; a list of dicts has one for all or one per node. All or nothing."""
    if not set_numbers(nodes, given):
        _set_values(nodes, given if isinstance(given, Mapping) else _listed(nodes, list(given)))


def _listed(nodes: NodeCollection, given: list[Any]) -> Values | list[Values]:
    if not all(isinstance(each, Mapping) for each in given):
        raise TypeError(f"params must be a dict, or a list of dicts: one for all nodes or one per node, not {given!r:.80}")
    if len(given) not in (1, len(nodes)):
        raise NESTErrors.BadParameter(
            f"List of dictionaries must be the same size as the NodeCollection ({len(nodes)}), {len(given)} given."
        )
    return given[0] if len(given) == 1 else [dict(each) for each in given]


@drawing
def _set_values(nodes: NodeCollection, given: Values | Sequence[Values]) -> None:
    changes = _Changes()
    _check(nodes, session().registry.joined(nodes._alive()), given, changes)
    _carry_out(changes)


def set_new(nodes: NodeCollection, row: Row, given: Values) -> None:
    """Sets values of nodes that were just made: all those of a row."""
    changes = _Changes()
    _check_row(nodes, row, row.gids, node_values.of_some(given, row.model, slice(0, row.count), row.count), changes)
    _carry_out(changes)


def _carry_out(changes: _Changes) -> None:
    for shape in changes.shapes:
        shape()
    _set_native(changes)
    for keep in changes.kept:
        keep()


def set_numbers(nodes: NodeCollection, given: Any) -> bool:
    """Sets numbers that nothing but the kernel heeds, the same for all. False: nothing has changed, as there are other values or the kernel refuses them."""
    if not isinstance(given, Mapping) or not given:
        return False
    for value in given.values():
        if type(value) is not float and (type(value) is not int or not -_EXACT < value < _EXACT):
            return False
    of_neurons = True
    for row, _ in session().registry.joined(nodes._alive()):
        if not shown_of(row.model).free >= given.keys():
            return False
        of_neurons &= row.model.kind == "neuron"
    kernel = session().engine.kernel
    try:
        if of_neurons and len(nodes) > _FEW:
            kernel.set_each(nodes._ranges.ascending(), {key: np.array([v], np.float64) for key, v in given.items()}, [])
        else:
            kernel.set(nodes._gids, {key: np.full(len(nodes), v, np.float64) for key, v in given.items()})
    except Exception:
        return False
    return True


def _set_native(changes: _Changes) -> None:
    """Sets what the kernel has. What it refuses leaves all values as they were, but arrays that are set one node at a time."""
    several = len(changes.native) + len(changes.growth) > 1
    done: list[tuple[Nodes, dict[str, Any]]] = []
    followed: list[_Native] = []
    try:
        for native in changes.native:
            nodes = Nodes(session().network, Ranges.of(native.gids))
            with translating(session().registry.row(int(native.gids[0])).model.face.bad_value):
                new = native.make()
                old = {key: nodes.get(key) for key in new} if several or native.lent else {}
                _put(nodes, native.gids, new)
            done.append((nodes, {key: value for key, value in old.items() if not isinstance(value, list)}))
            _follow(native)
            followed.append(native)
        for gids, growth in changes.growth:
            elements.put(gids, growth)
    except Exception:
        for nodes, old in reversed(done):
            nodes.set(old)
        for native in followed:
            _follow(native)
        raise


def _put(nodes: Nodes, gids: Ints, new: Mapping[str, Any]) -> None:
    """Sets values; those that need no look at the nodes at once."""
    vectors = session().registry.row(int(gids[0])).model.entry.vectors
    if all(key in vectors or type(value) is float for key, value in new.items()):
        numbers = {key: np.full(len(gids), value) for key, value in new.items() if key not in vectors}
        session().engine.kernel.set(gids, numbers, {key: value for key, value in new.items() if key in vectors})
    else:
        nodes.set(new)


def _follow(native: _Native) -> None:
    """Gives connections the values that they have from nodes."""
    if native.lent:
        kernel = session().engine.kernel
        connection_query.follow(native.gids, {key: kernel.get(native.gids, key) for key in sorted(native.lent)})


# --- checks


def _check(nodes: NodeCollection, rows: Rows, given: Values | Sequence[Values], changes: _Changes) -> None:
    """Checks what is given and notes what is to be done."""
    n = len(nodes)
    if not isinstance(given, Mapping):
        if len({frozenset(each) for each in given}) > 1:
            for node, each in zip(nodes, given, strict=True):
                _check(node, session().registry.joined(node._alive()), each, changes)
            return
        given = node_values.by_node(given)
    at = 0
    for row, gids in rows:
        _check_row(nodes, row, gids, node_values.of_some(given, row.model, slice(at, at + len(gids)), n), changes)
        at += len(gids)
    if len(rows) > 1 and _is_shared(rows, given):
        changes.native = [_Native(nodes._gids, partial(kernel_values, nodes, rows[0][0].model, given, nodes._gids))]


def _is_shared(rows: Rows, given: Values) -> bool:
    """Whether all keys are numbers of the kernel in all rows: then they are set at once, all or none."""
    first = rows[0][0].model
    return all(
        row.model.same == first.same
        and given.keys() <= row.model.scalars
        and not node_values.restarts(row.model, given)
        and not _lent(row.model, gids, given)
        for row, gids in rows
    )


def _check_row(nodes: NodeCollection, row: Row, gids: Ints, given: dict[str, Any], changes: _Changes) -> None:
    """Checks what is given for nodes of one row."""
    if row.recorders:
        for k, recorder in enumerate(row.recorders_of(gids)):
            changes.kept.append(partial(recorder.apply, recorder.checks(node_values.of_one(given, k))))
        return
    if elements.CHANGES in given and "synaptic_elements" in row.model.extras:
        given = elements.merged(row, gids, given)
    given = known_only(given, row.model.settable, "params", "NodeManager::set_status:")
    model = _shaped(row, gids, given, changes)
    node_values.refuse_of_model(model, given)
    shared = _lent(model, gids, given)
    options = _with_options(row, gids, given)
    node_values.check_mechanisms(model, given, lambda flag: session().engine.kernel.get(gids, flag))
    if model.root == CM:
        parts = {key: value for key, value in given.items() if key in shapes.KEYS}
        changes.shapes += shapes.growth(row, gids, parts)
        given = {key: value for key, value in given.items() if key not in parts}
    _check_extras(nodes, row, gids, {key: value for key, value in given.items() if key in model.extras}, changes)
    native = {key: value for key, value in given.items() if key not in model.extras}
    alone = node_values.uneven(native, model)
    for k, gid in enumerate(gids[None].T if alone else ()):
        own = {key: native[key][k] for key in alone}
        changes.native.append(_Native(gid, partial(kernel_values, nodes, model, own, gid, options)))
    if native := {key: value for key, value in native.items() if key not in alone}:
        changes.native.append(_Native(gids, partial(kernel_values, nodes, model, native, gids, options), shared))
    if node_values.restarts(model, given):
        state = node_values.restart_of(model, gids)

        def restart() -> None:
            with translating(model.face.bad_value):
                Nodes(session().network, Ranges.of(gids)).set(state())

        changes.kept.append(restart)


def _check_extras(nodes: NodeCollection, row: Row, gids: Ints, given: Values, changes: _Changes) -> None:
    """Checks values that only NEST has."""
    checked = {key: node_values.checked_extra(row.model, key, value, nodes, gids) for key, value in given.items()}
    fresh = {key: value for key, value in checked.items() if key not in GROWTH}
    if len(fresh) < len(checked):
        changes.growth.append((gids, {key: value for key, value in checked.items() if key in GROWTH}))
    node_values.check_window(fresh, lambda key: row.extra(key, gids))
    if shapes.LENGTH in fresh:
        shapes.check_length(row)
    changes.kept += [partial(_set_extra, row, key, gids, value) for key, value in fresh.items()]


def _shaped(row: Row, gids: Ints, given: Values, changes: _Changes) -> NodeModel:
    """The model with room for what is given. Raises NotSupported where only some nodes of a row get it."""
    model = row.model
    if model.base == "spike_generator" and "spike_weights" in model.extras and any_weights(given):
        kernel = session().engine.kernel
        if session().is_connected(row.gids):
            raise NotSupported("spike_weights that are set after Connect", "set them before")
        if kernel.get(row.gids, "precise_times").any() or any(
            len(kernel.get_vector(gid, "spike_multiplicities")) for gid in row.gids.tolist()
        ):
            raise NotSupported("spike_weights together with precise_times or spike_multiplicities")
        changes.shapes.append(lambda: reshape(row, with_spike_weights(row.model)))
        return with_room(with_spike_weights(model), given)
    wider = with_room(model, given)
    if wider is model:
        return model
    every = row.gids
    clock = {key: row.extra(key, every) for key in model.extras.keys() - wider.extras.keys()}
    if clock and session().simulated:
        raise NotSupported("ignore_and_spike that is switched on after Simulate", "switch it on before, and off again where it waits")
    if len(gids) < row.count and not clock:
        raise NotSupported(f"more receptors of some of the nodes of a Create of {model.name}", "create them on their own")

    def grow() -> None:
        reshape(row, wider)
        with translating():
            for key, values in clock.items():
                session().engine.kernel.set(every, {key: np.array(values, np.float64)})

    changes.shapes.append(grow)
    return wider


def _with_options(row: Row, gids: Ints, given: Values) -> Row:
    """The row with the options that are given for times of spikes. Raises BadProperty for options without new times where there are times."""
    options = {key: given[key] for key in (*OPTIONS, "precise_times") if key in given and key not in row.model.numbered}
    key = next((name for name in ON_GRID if name in row.model.entry.vectors), None)
    if not options or key is None:
        return row
    kernel = session().engine.kernel
    if key not in given and any(len(kernel.get_vector(gid, key)) for gid in gids.tolist()):
        present = read(row, gids, [*options])
        if any(list(np.broadcast_to(value, len(gids))) != present[name] for name, value in options.items()):
            what = key.replace("_", " ")
            option = "Options" if key == "spike_times" else "Option"
            raise NESTErrors.BadProperty(f"{option} can only be set together with {what} or if no {what} have been set.")
    return replace(row, extras={**row.extras, **{name: value for name, value in options.items() if name in row.model.extras}})


def _lent(model: NodeModel, gids: Ints, given: Values) -> frozenset[str]:
    """Parameters that are given and that connections have from these nodes. Raises NotSupported for those that cannot change any more."""
    keys = model.face.lent & given.keys()
    if not keys or not session().is_connected(gids):
        return frozenset()
    check_lent(model, gids, keys)
    return keys


# --- what the kernel does not have


def _set_extra(row: Row, key: str, gids: Ints, value: Any) -> None:
    if key in ("tau_minus", "tau_minus_triplet") and any(map(partial(session().is_connected, gids), ("tau_minus", "tau_minus_triplet"))):
        if session().simulated and key == "tau_minus_triplet":
            raise NotSupported("changing tau_minus_triplet of nodes that have plastic synapses after Simulate", "set it before Simulate")
        if session().simulated and (np.asarray(row.extra("tau_minus_triplet", gids)) == np.asarray(value)).any():
            raise NotSupported("tau_minus equal to tau_minus_triplet after Simulate", "choose values that differ a little")
        connection_query.follow(gids, {key: value}, of_sources=False)
    if key == "p_copy" and session().is_connected(gids):
        connection_query.follow(gids, {"p_transmit": value})
    row.set_extra(key, gids, value)
    if key == "frozen":
        freeze(row, gids)


NodeCollection._read, NodeCollection._set = values, put
