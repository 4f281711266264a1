# SPDX-License-Identifier: Apache-2.0
"""The order of connections: by synapse model; those of neurons, to devices, from devices; by source; as they were made, where that can be told."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import Connections
from ..engine import Ints
from . import grid
from .kernel import session
from .wires import Call, DeviceWire, Wires

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
    if len(wires.calls) < 2 or not len(found) or _table.of(wires.calls).in_order:
        return None
    kinds, single, source, _, target, _ = _table.rows.T
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


_table = CallTable()
