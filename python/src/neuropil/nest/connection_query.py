# SPDX-License-Identifier: Apache-2.0
"""Asking for connections: of the kernel and of devices, in one order; as a table; how many there are; those on neurons whose parameters they have.

The order: by synapse model; those of neurons, to devices, from devices; by source; as they were made, where that can be told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import Connections
from ..engine import FollowedConnections, Ints, Ranges, columns_of
from . import editing
from .errors import NESTErrors, translating
from .kernel import Session, session
from .models.synapse_models import SynapseModel
from .synapse_columns import Columns, empty
from .wires import DeviceWire


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
    fits = []
    if model is not None and kernel is not None and not all(kind.model == model for kind in s.wires.kinds):
        fits.append(found.is_of(model))
    if label is not None:
        fits.append(found.labels() == label)
    if s.n_ranks > 1:
        fits.append(s.own(found.target))
    keep = np.logical_and.reduce(fits) if fits else np.True_
    return found if keep.all() else found.part(np.flatnonzero(keep))


def _of_kernel(source: Ranges | None, target: Ranges | None, model: str | None) -> Connections | None:
    s = session()
    bases = {kind.base for kind in s.wires.kinds if model in (None, kind.model)}
    if not bases:
        return None
    base = next(iter(bases)) if model is not None and len(bases) == 1 else None
    try:
        with translating():
            return s.engine.connections(source, target, base or "", gather=s.n_ranks == 1)
    except NESTErrors.IllegalConnection:
        return None  # sources whose connections the kernel does not store: they are among the wires


def _of_devices(source: Ranges | None, target: Ranges | None, model: str | None) -> list[tuple[DeviceWire, Ints]]:
    found = []
    for wire in session().wires.devices:
        ends = ((source, wire.pre), (target, wire.post))
        if model not in (None, wire.model) or any(n is not None and not n.overlaps(r) for n, r in ends):
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
        return Columns(now.source, now.target, origin, kernel, [], query, whole=True, there=now)
    parts = [] if now is None else [(now.source, now.target)]
    source, target = (
        np.concatenate(ends) for ends in zip(*parts, *((wire.source[at], wire.target[at]) for wire, at in wired), strict=True)
    )
    return Columns(source[order], target[order], origin[order], kernel, wired, query, there=now)


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
        lines[17:17] = [" ".join(f"{'...':^{w}}" for w in widths)]
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
    if wires.n_by_kind is not None and wires.fresh:
        new = s.engine.kernel.described_edges(len(wires.fresh)).tolist()
        if len(new) == len(wires.fresh):
            for kind, n in zip(wires.fresh, new, strict=True):
                wires.n_by_kind[kind] += n
            wires.fresh = []
    if wires.n_by_kind is None or wires.fresh:
        found = s.network.connections(gather=False)
        wires.n_by_kind, wires.fresh = Counter(dict(enumerate(np.bincount(columns_of(found)["label"]).tolist()))), []
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


def order_of(found: Connections | None, wired: list[tuple[DeviceWire, Ints]]) -> Ints | None:
    """How to order connections of the kernel, which are by source and target, and behind them those of devices; int64 (n,). None: as they are."""
    s, parts = session(), []
    if found is not None and not wired and len(found) < 2:
        return None
    if found is not None:
        columns, sends = columns_of(found), s.registry.of_models(lambda model: 2 * (model.kind != "neuron"), found.source)
        made = columns["projection"]
        made = np.where(made < 0, _LAST, made)  # synapses that have grown come last
        parts.append((found.target, made, found.source, sends, models_of(found)))
    for wire, at in wired:  # in turn, behind the connections of the kernel: those to devices, those from devices
        group = 1 if s.registry.row(int(wire.pre.table[0, 0])).model.kind == "neuron" else 2
        model = s.synapse_models[wire.model].model_id
        target, made, groups, models = (np.full(len(at), value) for value in (0, _LAST + 1, group, model))
        parts.append((target, made, wire.source[at], groups, models))
    keys = [np.concatenate(key) for key in zip(*parts, strict=True)]
    telling = [key for key in keys if (key != key[:1]).any()]
    order: Ints = np.lexsort(telling or keys[:1])
    return None if not wired and bool((np.diff(order) > 0).all()) else order


_LAST = 2**62  # behind all calls of Connect


def models_of(found: Connections) -> Ints:
    """Numbers of the synapse models of connections of the kernel."""
    wires, models = session().wires, session().synapse_models
    numbers: Ints = np.array([models[kind.model].model_id for kind in wires.kinds], np.int64)[columns_of(found)["label"]]
    return numbers
