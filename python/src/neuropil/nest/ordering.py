# SPDX-License-Identifier: Apache-2.0
"""The order of connections, and their ports: by synapse model; those of neurons, to devices, from devices; by source; as they were made, where that can be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import Connections
from ..engine import Ints, RowIndex, numbered, numbered_rows
from . import grid
from .kernel import session
from .wires import Call, DeviceWire, Wires

if TYPE_CHECKING:
    from .synapse_columns import Columns

_MOST = 10_000_000  # comparisons of connections with calls of Connect; beyond, the targets of a source are in ascending order


def of_kernel(found: Connections) -> Ints | None:
    """How to order the connections of the kernel, which are by source and target, int64 of shape (n,); None: as they are."""
    s = session()
    many = len({kind.model for kind in s.wires.kinds}) > 1
    made = _calls(found)
    sends = from_devices(found)
    if not many and made is None and not sends.any():
        return None
    keys: list[Ints] = [found.target] if made is None else [found.target, made]
    keys += [found.source, sends]
    if many:
        keys.append(models_of(found))
    order = np.lexsort(keys)
    return None if bool((np.diff(order) > 0).all()) else order


def from_devices(found: Connections) -> Ints:
    """2 for the connections of stimulators that the kernel has, else 0."""
    return session().registry.of_models(lambda model: 2 * (model.kind != "neuron"), found.source)


def models_of(found: Connections) -> Ints:
    """Numbers of the synapse models of connections of the kernel."""
    s = session()
    models = np.array([s.synapse_models[kind.model].model_id for kind in s.wires.kinds], np.int64)
    return models[s.wires.kinds_of(found)]


def of_devices(wired: list[tuple[DeviceWire, Ints]]) -> tuple[Ints, Ints]:
    """Model and group (1: to devices, 2: from devices) of connections of devices, int64 of shape (n,)."""
    s = session()
    kinds = [row.model.kind for row in s.registry.rows]
    models, groups = [], []
    for wire, at in wired:
        models.append(np.full(len(at), s.synapse_models[wire.model].model_id))
        sends = kinds[int(s.registry.index_of(wire.pre.ids()[:1])[0])] == "neuron"
        groups.append(np.full(len(at), 1 if sends else 2))
    return np.concatenate(models), np.concatenate(groups)


def _calls(found: Connections) -> Ints | None:
    """Which call of Connect made each connection, as far as nodes and delays tell: the k-th of a pair was made by the k-th call for it."""
    wires = session().wires
    if len(wires.calls) < 2 or _order.holds(wires.calls):
        return None
    wide = [k for k, (_, pre, post, *_) in enumerate(wires.calls) if len(pre) * len(post) > 1]
    if len(wide) * len(found) > _MOST:
        return None
    ids = np.unique([kind.model for kind in wires.kinds], return_inverse=True)[1].astype(np.int64)
    models, of_calls = ids[wires.kinds_of(found)], ids[[kind for kind, *_ in wires.calls]]
    base = session().registry.size + 1
    delay, of_call = _delays(found, wires)
    pairs = _key(models, found.source, found.target, base, delay, of_call)
    copy = numbered(pairs) if len(pairs) else pairs
    made, seen = np.full(len(pairs), len(wires.calls), np.int64), np.zeros(len(pairs), np.int64)
    singles = _Singles(wires, of_calls, pairs, base, of_call)
    for k in (*wide, len(wires.calls)):
        singles.up_to(k, made, seen, copy)
        if k < len(wires.calls):
            covers = _covered(found, wires.calls[k]) & (models == of_calls[k]) & (delay == of_call[k])
            made[covers & (seen == copy)] = k
            seen += covers
    return made


def _key(model: Ints, source: Ints, target: Ints, base: int, delay: Ints, delays: Ints) -> Ints:
    return ((model * base + source) * base + target) * (int(delays.max()) + 2) + delay


def _delays(found: Connections, wires: Wires) -> tuple[Ints, Ints]:
    """Numbers of the delays of connections and of calls, equal for equal delays; 0 where a call had none of its own."""
    of_call = [delay for *_, delay in wires.calls]
    if None in of_call:
        return np.zeros(len(found), np.int64), np.zeros(len(of_call), np.int64)
    steps = np.unique(grid.delay_steps(of_call))
    return np.searchsorted(steps, grid.delay_steps(np.asarray(found.delay))), np.searchsorted(steps, grid.delay_steps(of_call))


def _covered(found: Connections, call: Call) -> NDArray[np.bool_]:
    """Which connections a call can have made."""
    _, pre, post, one_to_one, _ = call
    covers = pre.contains(found.source) & post.contains(found.target)
    if one_to_one:
        places = [np.searchsorted(ends.ids(), column[covers]) for ends, column in ((pre, found.source), (post, found.target))]
        covers[covers] = places[0] == places[1]
    return covers


class _Singles:
    """Calls that connected one node to one: they are found by the model and the pair."""

    def __init__(self, wires: Wires, models: Ints, pairs: Ints, base: int, delays: Ints) -> None:
        calls = [k for k, (_, pre, post, *_) in enumerate(wires.calls) if len(pre) * len(post) == 1]
        source, target = np.array([[end.ends[0] for end in wires.calls[k][1:3]] for k in calls], np.int64).reshape(-1, 2).T
        joined = _key(models[calls], source, target, base, delays[calls], delays)
        order = np.argsort(joined, kind="stable")
        self._calls, self._keys, self._pairs = np.array(calls, np.int64)[order], joined[order], pairs
        self._done = -1

    def up_to(self, limit: int, made: Ints, seen: Ints, copy: Ints) -> None:
        """Notes the calls since the last time and before `limit`."""
        some = (self._calls > self._done) & (self._calls < limit)
        self._done = limit
        if not some.any():
            return
        keys, calls = self._keys[some], self._calls[some]
        low, high = (np.searchsorted(keys, self._pairs, side) for side in ("left", "right"))
        at = low + copy - seen
        hit: NDArray[np.bool_] = (copy >= seen) & (at < high)
        made[hit] = calls[at[hit]]
        seen += high - low


class CallOrder:
    """Whether no later call has sources of an earlier one but with targets behind those: then ascending targets are the order of creation."""

    _calls: list[Call] | None = None
    _seen = 0

    def holds(self, calls: list[Call]) -> bool:
        """Looks at the calls since the last time only, if the list is that of the last time."""
        if calls is not self._calls or len(calls) < self._seen:
            self._calls, self._seen, self._holds = calls, 0, True
            self._spans = np.empty((0, 4), np.int64)  # lowest and highest source, lowest and highest target
        for _, pre, post, *_ in calls[self._seen :] if self._holds else ():
            if len(pre) and len(post):
                span, (a, b, _, d) = (*pre.ends, *post.ends), self._spans.T
                self._holds &= not ((span[0] <= b) & (a <= span[1]) & (span[2] <= d)).any()
                self._spans = np.concatenate([self._spans, [span]])
        self._seen = len(calls)
        return self._holds


_order = CallOrder()


# --- ports: numbers of connections among all of their model and thread, found once and kept until some are made or removed


@dataclass(frozen=True, slots=True)
class AllPorts:
    """All connections, their places and ports. n_devices : how many wires of devices there were."""

    n_devices: int
    connections: Columns
    places: RowIndex
    ports: Ints

    def holds(self) -> bool:
        """Whether they are all connections of now."""
        kernel = self.connections.kernel
        return self.n_devices == len(session().wires.devices) and not (kernel and kernel.stale)


def ports(c: Columns) -> Ints:
    """Numbers of connections among all of their model and thread, int64 of shape (n,); of those to or from a device, among those of the source."""
    from .connection_query import query

    s = session()
    if s.n_ranks > 1:  # where asking is for all ranks together
        return numbered_rows(_groups(c))
    if s.ports is None or not s.ports.holds():
        every = query(None, None, None, None)
        s.ports = AllPorts(len(s.wires.devices), every, RowIndex(_places(every)), numbered_rows(_groups(every)))
    everyone: AllPorts = s.ports
    return everyone.ports[everyone.places.find(_places(c))]


def _places(c: Columns) -> list[Ints]:
    """What tells connections from all others: place in the kernel, or wire and position."""
    c.refresh()
    some: list[Ints] = [] if c.kernel is None else [np.asarray(column, np.int64) for column in c.kernel.handles_of(c.rows())]
    if not c.wired:
        return some
    number = {id(wire): k for k, wire in enumerate(session().wires.devices)}
    of_wire = (
        lambda wire, at: np.full(len(at), -1 - number[id(wire)]),
        lambda wire, at: np.zeros(len(at), np.int64),
        lambda wire, at: at,
    )
    return [c.joined(lambda _, k=k: some[k], of_wire[k], np.int64) for k in range(3)]


def _groups(c: Columns) -> list[Ints]:
    """What connections must have in common to be counted together."""
    ends = [session().registry.of_models(lambda model: model.kind != "neuron", gids) for gids in (c.source, c.target)]
    devices = np.where(ends[0] | ends[1], c.source, -1)
    return [np.array(c.of_model(lambda model: model.model_id), np.int64), c.thread(), devices]


__all__ = ["from_devices", "models_of", "of_devices", "of_kernel", "ports"]
