# SPDX-License-Identifier: Apache-2.0
"""Connections from stimulators, whose output is made at each target, by any rule, alone or among neurons.

The kernel links a device to all of its targets; which these are is worked out here, on every rank for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _core
from ..errors import IllegalConnection
from .arguments import kernel_arguments
from .edges import Edges, Ints
from .nodes import Nodes
from .readings import Readings
from .rules import Rule, all_to_all
from .synapses import Synapse

__all__ = ["check_targets", "parted", "senders", "split"]

_OF_DEVICES = ("all_to_all", "one_to_one")  # rules by which the kernel links devices


def senders(pre: Nodes) -> Ints:
    """Positions of the stimulators whose output is made at each target; int64 (n,)."""
    if not any(_is_device(entry) for entry, _ in pre._parts()):
        return np.empty(0, np.int64)
    populations = pre._network._populations
    device = np.array([_is_device(entry) for _, _, entry in populations.rows()])
    return np.flatnonzero(device[populations.index(pre.gids)])


def parted(pre: Nodes, rule: Rule, model: Synapse) -> bool:
    """Whether the kernel needs more than one call, or edges: for stimulators of several models or with neurons, or by other rules than it links by."""
    if not pre._network._populations.with_devices:
        return False
    entries = [entry for entry, _ in pre._parts()]
    devices = [entry for entry in entries if _is_device(entry)]
    own_train = model.name != "static_synapse" and all(
        entry.effect == "spikes" for entry in devices
    )  # then the kernel stores them as it does others
    return bool(devices) and (len(entries) > 1 or not (own_train or rule.name in _OF_DEVICES))


def check_targets(post: Nodes) -> None:
    """Raises IllegalConnection for targets that receive nothing."""
    for entry, _ in post._parts():
        if entry.kind != "neuron":
            raise IllegalConnection(f"post: a {entry.name} cannot receive spikes")


def _is_device(entry: Any) -> bool:
    return entry.effect not in ("", "emits", "values")


def split(
    network: Readings, nodes: tuple[Nodes, Nodes], devices: Ints, edges: Edges, values: tuple[Any, Any, Synapse], more: tuple[Any, ...]
) -> list[tuple[Nodes, Nodes, dict[str, Any]]]:
    """Calls of the kernel: one for the edges from neurons, some for each device. Collective. more : receptor, double_weights, label, recorder."""
    pre, post = nodes
    weight, delay, model = values
    from_device = np.isin(edges.source, devices)
    calls = []
    if len(devices) < len(pre):
        some, mine = np.flatnonzero(~from_device), np.setdiff1d(np.arange(len(pre)), devices)
        neurons = pre[mine]
        own = {"own_targets": True} if network.n_ranks > 1 else {}
        rule = Rule("explicit", {"sources": np.searchsorted(mine, edges.source[some]), "targets": edges.target[some], **own})
        made = Synapse(model.name, {name: _of(value, some) for name, value in model.parameters.items()})
        calls.append((neurons, post, kernel_arguments(network, neurons, post, rule, _of(weight, some), _of(delay, some), made, *more)))
    some = np.flatnonzero(from_device)
    for device, targets, w, d in _layers(_of_all(network, edges.take(some), _of(weight, some), _of(delay, some))):
        node, ends = pre[[device]], post[targets]
        calls.append((node, ends, kernel_arguments(network, node, ends, all_to_all(), w, d, model, *more)))
    if not calls:
        _check_links(network, pre, post, model, more)
    return calls


def _check_links(network: Readings, pre: Nodes, post: Nodes, model: Synapse, more: tuple[Any, ...]) -> None:
    """Refuses without a connection what would be refused with one: what is allowed does not depend on what was drawn."""
    arguments = kernel_arguments(network, pre, post, all_to_all(), 1.0, network._grid.resolution, model, *more)
    for k in range(len(pre)):
        network._kernel.connect(pre=pre[[k]]._ranges.ascending(), post=post._ranges.ascending(), check_only=True, **arguments)


def _of(value: Any, some: Ints) -> Any:
    return value[some] if isinstance(value, np.ndarray) else value


def _of_all(network: Readings, edges: Edges, weight: Any, delay: Any) -> tuple[Ints, Ints, Any, Any]:
    """Source, target, weight and delay of the edges of all ranks, by source, then target, then key."""
    n = len(edges.source)
    values = np.stack([np.broadcast_to(np.asarray(value, np.float64), n) for value in (weight, delay)])
    table = np.concatenate([np.stack([edges.source, edges.target, edges.key]), values.view(np.int64)]).T
    if network.n_ranks > 1 and not network._kernel.dry:
        parts = _core.gather_bytes(network._comm, np.ascontiguousarray(table).tobytes())
        table = np.concatenate([np.frombuffer(part, np.int64).reshape(-1, 5) for part in parts])
    table = table[np.lexsort((table[:, 2], table[:, 1], table[:, 0]))]
    w, d = (np.ascontiguousarray(table[:, k]).view(np.float64) for k in (3, 4))
    return table[:, 0], table[:, 1], w if np.ndim(weight) else weight, d if np.ndim(delay) else delay


def _layers(all_edges: tuple[Ints, Ints, Any, Any]) -> Iterator[tuple[int, Ints, Any, Any]]:
    """(device, its targets without repeats, weights, delays), again for targets that it is connected to several times."""
    source, target, weight, delay = all_edges
    for device in np.unique(source).tolist():
        begin, end = np.searchsorted(source, [device, device + 1])
        ends = target[begin:end]
        first = np.flatnonzero(np.diff(ends, prepend=-1))
        which = np.arange(len(ends)) - np.repeat(first, np.diff(first, append=len(ends)))
        for layer in range(int(which.max()) + 1):
            some = begin + np.flatnonzero(which == layer)
            yield device, target[some], _of(weight, some), _of(delay, some)
