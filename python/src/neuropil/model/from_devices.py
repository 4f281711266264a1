# SPDX-License-Identifier: Apache-2.0
"""Connections from stimulators, whose output is made at each target, by any rule, alone or among neurons.

The kernel links a device to its targets; which these are is worked out here, on every rank for its own nodes.
"""

from __future__ import annotations

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
    for device, at in _layers(network, edges.take(some)):
        node, mine = pre[[device]], some[at]
        rule = Rule("explicit", {"sources": np.zeros_like(mine), "targets": edges.target[mine], "own_targets": True})
        calls.append((node, post, kernel_arguments(network, node, post, rule, _of(weight, mine), _of(delay, mine), model, *more)))
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


def _layers(network: Readings, edges: Edges) -> list[tuple[int, Ints]]:
    """Positions of edges of this rank, by target without repeats, of each device of all ranks; again for targets that it is connected to several times.

    Collective.
    """
    order = np.lexsort((edges.key, edges.target, edges.source))
    source, target = edges.source[order], edges.target[order]
    first = np.flatnonzero((np.diff(source, prepend=-1) != 0) | (np.diff(target, prepend=-1) != 0))
    which = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    mine = np.unique(np.stack([source, which], axis=1), axis=0)
    if network.n_ranks > 1 and not network._kernel.dry:
        parts = _core.gather_bytes(network._comm, mine.tobytes())
        mine = np.unique(np.concatenate([np.frombuffer(part, np.int64).reshape(-1, 2) for part in parts]), axis=0)
    begin, end = np.searchsorted(source, mine[:, 0]), np.searchsorted(source, mine[:, 0], side="right")
    return [(int(device), order[a:b][which[a:b] == layer]) for (device, layer), a, b in zip(mine.tolist(), begin, end, strict=True)]
