# SPDX-License-Identifier: Apache-2.0
"""Asking for connections: of the kernel and of devices, in one order; as a table; how many there are; those on neurons whose parameters they have.

The order: by synapse model; those of neurons, to devices, from devices; by source; as they were made, where that can be told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import Connections, Nodes
from ..engine import FollowedConnections, Ints, Ranges
from . import editing, grid
from .errors import NESTErrors, translating
from .kernel import Session, session
from .models.synapse_models import SynapseModel
from .synapse_columns import Columns, empty
from .wires import Call, DeviceWire, Wires


def query(source: Ranges | None = None, target: Ranges | None = None, model: str | None = None, label: int | None = None) -> Columns:
    """Connections from and to the nodes (None: all), of a model and with a label, in order."""
    s = session()
    if not s.has_network or any(nodes is not None and not len(nodes) for nodes in (source, target)):
        return empty()
    kernel = _of_kernel(source, target, model)
    wired = _of_devices(source, target, model)
    if kernel is None and not wired:
        return empty()
    found = _joined(None if kernel is None else FollowedConnections(kernel, lambda: _of_kernel(source, target, model)), wired)
    keep = np.ones(len(found), bool)
    if model is not None and kernel is not None and not all(kind.model == model for kind in s.wires.kinds):
        keep &= found.is_of(model)
    if label is not None:
        keep &= found.labels() == label
    if s.n_ranks > 1:
        keep &= s.own(found.target)
    return found if keep.all() else found.part(np.flatnonzero(keep))


def _of_kernel(source: Ranges | None, target: Ranges | None, model: str | None) -> Connections | None:
    s = session()
    bases = {kind.base for kind in s.wires.kinds if model in (None, kind.model)}
    if not bases:
        return None
    base = next(iter(bases)) if model is not None and len(bases) == 1 else None
    network = s.network
    nodes = [None if n is None else Nodes(network, n) for n in (source, target)]
    try:
        with translating():
            return network.connections(nodes[0], nodes[1], base, gather=s.n_ranks == 1)
    except NESTErrors.IllegalConnection:
        return None  # sources whose connections the kernel does not store: they are among the wires


def _of_devices(source: Ranges | None, target: Ranges | None, model: str | None) -> list[tuple[DeviceWire, Ints]]:
    found = []
    for wire in session().wires.devices:
        if model is not None and wire.model != model:
            continue
        if any(n is not None and not n.overlaps(r) for n, r in ((source, wire.pre), (target, wire.post))):
            continue
        keep = np.ones(len(wire), bool)
        for nodes, column in ((source, wire.source), (target, wire.target)):
            if nodes is not None:
                keep &= nodes.contains(column)
        found.append((wire, np.flatnonzero(keep)))
    return found


def _joined(kernel: FollowedConnections | None, wired: list[tuple[DeviceWire, Ints]]) -> Columns:
    now = None if kernel is None else kernel.now
    n, order = 0 if now is None else len(now), order_of(now, wired)
    origin = np.concatenate([np.arange(n), -1 - np.arange(sum(len(at) for _, at in wired))])
    if order is None and now is not None:
        return Columns(now.source, now.target, origin, kernel, [], query, whole=True)
    parts = [] if now is None else [(now.source, now.target)]
    source, target = (
        np.concatenate(ends) for ends in zip(*parts, *((wire.source[at], wire.target[at]) for wire, at in wired), strict=True)
    )
    return Columns(source[order], target[order], origin[order], kernel, wired, query)


def table(c: Columns, full: bool) -> str:
    """Connections as a table: source, target, model, weight, delay; shortened above 35 rows unless `full`."""
    n = len(c)
    if not n:
        return "The synapse collection does not contain any connections."
    rows = list(range(n)) if full or n < 36 else [*range(15), *range(n - 15, n)]
    part = c.part(np.array(rows))
    cells = zip(part.source.tolist(), part.target.tolist(), part.names(), part.weight().tolist(), part.delay().tolist(), strict=True)
    texts = [(str(a), str(b), str(m), f"{w:#.4g}", f"{d:#.4g}") for a, b, m, w, d in cells]
    heads = ("source", "target", "synapse model", "weight", "delay")
    widths = [max(len(h) + 2, *(len(t[k]) + 1 for t in texts)) for k, h in enumerate(heads)]
    lines = [" ".join(f"{h:^{w}}" for h, w in zip(heads, widths, strict=True)), " ".join("-" * w for w in widths)]
    lines += [" ".join(f"{cell:>{w}}" for cell, w in zip(row, widths, strict=True))[1:] for row in texts]
    if len(rows) < n:
        middle = " ".join(f"{'...':^{w}}" for w in widths)
        lines[17:17] = [middle]
    return "\n".join(lines)


def count_all(s: Session) -> int:
    """Number of connections, of devices as well. Collective."""
    if not s.has_network:
        return 0
    if s.n_ranks > 1 and s.wires.kinds:
        s.network.build(progress=False)
        return s.network.n_connections + s.wires.n_of_devices.total()
    return s.engine.kernel.exact_connection_count() + s.wires.n_of_devices.total()


def count_of_model(model: SynapseModel) -> int:
    """Number of connections of a model, of devices as well; on several ranks those of this rank. Collective."""
    s = session()
    some = [k for k, kind in enumerate(s.wires.kinds) if kind.model == model.name]
    if not some:
        return s.wires.n_of_devices[model.name]
    if s.n_ranks > 1:
        return len(query(model=model.name))
    found = _by_kind(s)
    return sum(found[k] for k in some) + s.wires.n_of_devices[model.name]


def _by_kind(s: Session) -> Counter[int]:
    """Number of connections of the kernel by index into wires.kinds. Listed in full where what is new was built, or edits moved connections."""
    wires = s.wires
    fresh = [kind for kind, *_ in wires.calls[wires.n_counted :]]
    if wires.n_by_kind is not None and fresh:
        new = s.engine.kernel.described_edges(len(fresh)).tolist()
        if len(new) == len(fresh):
            for kind, n in zip(fresh, new, strict=True):
                wires.n_by_kind[kind] += n
            fresh = []
    if wires.n_by_kind is None or fresh:
        found = s.network.connections(gather=False)
        wires.n_by_kind = Counter(dict(enumerate(np.bincount(wires.kinds_of(found)).tolist())))
    wires.n_counted = len(wires.calls)
    return wires.n_by_kind


def follow(gids: Ints, values: Mapping[str, Any], of_sources: bool = True) -> None:
    """Gives connections parameters that they have from their sources, or targets: of each one for all nodes or one per node. Collective.

    State goes on from its values.
    """
    order = np.argsort(gids)
    ends = Ranges.of(gids[order])
    columns, has = (query(ends), editing.having_of_source) if of_sources else (query(target=ends), editing.having)
    some = np.flatnonzero(columns.origin >= 0)
    some = some[np.logical_or.reduce([has(key)[columns.kinds()] for key in values])]
    at = order[np.searchsorted(gids[order], (columns.source if of_sources else columns.target)[some])]
    new = {key: np.broadcast_to(np.asarray(value, np.float64), len(gids))[at] for key, value in values.items()}
    editing.replace(columns.part(some), new, has)


# --- order

_MOST = 10_000_000  # comparisons of connections with calls of Connect; beyond, the targets of a source are in ascending order


def order_of(found: Connections | None, wired: list[tuple[DeviceWire, Ints]]) -> Ints | None:
    """How to order connections of the kernel, which are by source and target, and behind them those of devices; int64 (n,). None: as they are."""
    s, parts = session(), []
    in_order = len({kind.model for kind in s.wires.kinds}.union(wire.model for wire, _ in wired)) == 1
    if found is not None:
        made, sends = _calls(found), s.registry.of_models(lambda model: 2 * (model.kind != "neuron"), found.source)
        in_order &= made is None and not sends.any()
        if in_order and not wired:
            return None
        parts.append((found.target, np.zeros(len(found), np.int64) if made is None else made, found.source, sends, models_of(found)))
    for wire, at in wired:  # in turn, behind the connections of the kernel: those to devices, those from devices
        group = 1 if s.registry.row(int(wire.pre.table[0, 0])).model.kind == "neuron" else 2
        model = s.synapse_models[wire.model].model_id
        target, made, groups, models = (np.full(len(at), value) for value in (0, len(s.wires.calls) + 1, group, model))
        parts.append((target, made, wire.source[at], groups, models))
    first = len(found) if in_order and found is not None else 0
    keys = [key[0] if len(key) == 1 else np.concatenate(key)[first:] for key in zip(*parts, strict=True)]
    telling = [key for key in keys if (key != key[:1]).any()]
    order = np.concatenate([np.arange(first), np.lexsort(telling or keys[:1]) + first])
    return None if not wired and bool((np.diff(order) > 0).all()) else order


def models_of(found: Connections) -> Ints:
    """Numbers of the synapse models of connections of the kernel."""
    wires, models = session().wires, session().synapse_models
    return np.array([models[kind.model].model_id for kind in wires.kinds], np.int64)[wires.kinds_of(found)]


def _calls(found: Connections) -> Ints | None:
    """Which call of Connect made each connection, as far as nodes and delays tell: the k-th of a pair was made by the k-th call for it."""
    wires = session().wires
    if len(wires.calls) < 2 or not len(found) or _seen.of(wires.calls).in_order:
        return None
    kinds, single, source, _, target, _ = _seen.rows.T
    alone, wide = np.flatnonzero(single), np.flatnonzero(single == 0)
    if len(wide) * len(found) > _MOST:
        return None
    numbers = np.unique([kind.model for kind in wires.kinds], return_inverse=True)[1].astype(np.int64)
    model, model_of = numbers[wires.kinds_of(found)], numbers[kinds]
    delay, delay_of = _delays(found, wires)
    joins = _joins((model, found.source, found.target, delay), delay_of)
    order = np.argsort(joins, kind="stable")
    begin = np.flatnonzero(np.diff(joins[order], prepend=-1))
    first, pairs = order[begin], joins[order[begin]]  # of each pair that is connected, with its model and delay
    wanted = _joins((model_of[alone], source[alone], target[alone], delay_of[alone]), delay_of)
    at = np.minimum(np.searchsorted(pairs, wanted), len(pairs) - 1)
    at = np.where(pairs[at] == wanted, at, len(pairs))
    covered, calls = [], []  # pairs that calls can have made, in turn; none: the number behind them
    for some, k in zip(np.split(np.arange(len(alone)), np.searchsorted(alone, wide)), (*wide.tolist(), -1), strict=True):
        covered.append(at[some])
        calls.append(alone[some])
        if k >= 0:
            fits = (model[first] == model_of[k]) & (delay[first] == delay_of[k])
            covered.append(np.flatnonzero(fits & _covered(found.source[first], found.target[first], wires.calls[k])))
            calls.append(np.full(len(covered[-1]), k))
    made = np.empty(len(found), np.int64)
    made[order] = _in_turn(begin, len(found), np.concatenate(covered), np.concatenate(calls), len(wires.calls))
    return made


def _joins(ends: tuple[Ints, Ints, Ints, Ints], delays: Ints) -> Ints:
    """One number for model, source, target and delay."""
    (model, source, target, delay), base = ends, session().registry.size + 1
    return ((model * base + source) * base + target) * (int(delays.max()) + 2) + delay


def _in_turn(begin: Ints, n: int, covered: Ints, calls: Ints, none: int) -> Ints:
    """The call that made each of n connections sorted by pairs: the k-th of a pair was made by the k-th call that covers it; `none` where it has fewer.

    begin : where pairs begin; covered, calls : which pairs calls cover, calls ascending
    """
    pair = np.repeat(np.arange(len(begin)), np.diff(begin, append=n))
    copy = np.arange(n) - begin[pair]
    calls = np.append(calls[np.argsort(covered, kind="stable")], none)
    count = np.bincount(covered, minlength=len(begin) + 1)
    return np.where(copy < count[pair], calls[np.minimum((np.cumsum(count) - count)[pair] + copy, len(calls) - 1)], none)


def _delays(found: Connections, wires: Wires) -> tuple[Ints, Ints]:
    """Numbers of the delays of connections and of calls, equal for equal delays; 0 where a call had none of its own."""
    of_call = [delay for *_, delay in wires.calls]
    if None in of_call:
        return np.zeros(len(found), np.int64), np.zeros(len(of_call), np.int64)
    steps = np.unique(grid.delay_steps(of_call))
    return np.searchsorted(steps, grid.delay_steps(np.asarray(found.delay))), np.searchsorted(steps, grid.delay_steps(of_call))


def _covered(source: Ints, target: Ints, call: Call) -> NDArray[np.bool_]:
    """Which connections a call can have made."""
    _, pre, post, one_to_one, _ = call
    covers = pre.contains(source) & post.contains(target)
    if one_to_one:
        covers[covers] = np.searchsorted(pre.ids(), source[covers]) == np.searchsorted(post.ids(), target[covers])
    return covers


class CallTable:
    """Of each call: its kind, 1 where it connects one node with one, lowest and highest source, lowest and highest target; int64 (n, 6)."""

    _calls: list[Call] | None = None
    # Whether no later call has sources of an earlier one but with targets behind those: then ascending targets are the order of creation.
    in_order = True
    rows = np.empty((0, 6), np.int64)

    def of(self, calls: list[Call]) -> CallTable:
        """Looks at the calls since the last time only, if the list is that of the last time."""
        if calls is not self._calls or len(calls) < len(self.rows):
            self._calls, self.rows, self.in_order = calls, CallTable.rows, True
        new = [
            (kind, len(pre) * len(post) == 1, *((*pre.ends, *post.ends) if len(pre) and len(post) else (0, -1, 0, -1)))
            for kind, pre, post, *_ in calls[len(self.rows) :]
        ]
        self.rows = np.concatenate([self.rows, np.array(new, np.int64).reshape(-1, 6)])
        for k in range(len(self.rows) - len(new), len(self.rows)) if self.in_order else ():
            (a, b, _, d), span = self.rows[:k, 2:].T, self.rows[k, 2:]
            self.in_order &= not ((span[0] <= b) & (a <= span[1]) & (span[2] <= d)).any()
        return self


_seen = CallTable()
