# SPDX-License-Identifier: Apache-2.0
"""A graph of NIR, checked: its neuron nodes, what arrives at each, and by how many steps each comes later than the graph says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import bad_parameter, bad_type
from .layers import NEURONS, Layer, layer_of
from .maps import CONSTANT, Entries, Signal, applied, identity, operation, plus

__all__ = ["Graph", "read_graph"]

_LINEAR = ("Linear", "Affine", "Delay", "Conv2d", "SumPool2d", "Flatten")
_KNOWN = ("Input", "Output", *NEURONS, *_LINEAR)


class Graph(NamedTuple):
    """input: name of the Input; output: of the neuron node before the Output; shape: of the Input; late: steps by name of node."""

    input: str
    output: str
    shape: tuple[int, ...]
    layers: Mapping[str, Layer]
    signals: Mapping[str, Signal]
    late: Mapping[str, int]


def read_graph(graph: Any, dt: float, resolution: float) -> Graph:
    """The graph, for steps of dt. Raises BadType for nodes that are not supported, BadParameter."""
    for name, node in graph.nodes.items():
        if name == CONSTANT:
            raise bad_parameter("name of a node", name, "another one: biases have it")
        if type(node).__name__ not in _KNOWN:
            raise bad_type(f"node {name}", type(node).__name__, f"one of {', '.join(_KNOWN)}")
    ends = {kind: [name for name, node in graph.nodes.items() if type(node).__name__ == kind] for kind in ("Input", "Output")}
    for kind, names in ends.items():
        if len(names) != 1:
            raise bad_parameter("graph", f"{len(names)} nodes {kind}", f"one {kind}")
    source = ends["Input"][0]
    layers = {name: layer_of(name, node, dt, resolution) for name, node in graph.nodes.items() if type(node).__name__ in NEURONS}
    walk = _Walk(graph, source, layers, dt)
    output = walk.output(ends["Output"][0])
    signals = {name: walk.signal(name) for name in layers}
    shape = tuple(int(k) for k in graph.nodes[source].input_type["input"])
    signals = {name: _with_steps(name, signal) for name, signal in signals.items()}
    return Graph(source, output, shape, layers, signals, _late(source, signals))


class _Walk:
    """Goes back from a node to those that send spikes to it."""

    def __init__(self, graph: Any, source: str, layers: Mapping[str, Layer], dt: float) -> None:
        self._nodes, self._layers, self._source, self._dt = graph.nodes, layers, source, dt
        self._before: dict[str, list[str]] = {}
        for a, b in dict.fromkeys(tuple(edge) for edge in graph.edges):
            self._before.setdefault(b, []).append(a)

    def output(self, name: str) -> str:
        """The neuron node whose spikes or potentials are the output. Raises BadParameter."""
        before = self._before.get(name, [])
        if len(before) != 1 or before[0] not in self._layers:
            raise bad_parameter(f"before {name}", ", ".join(before) or "nothing", f"one node: {', '.join(NEURONS)}")
        return before[0]

    def signal(self, name: str, within: tuple[str, ...] = ()) -> Signal:
        """What arrives at a node."""
        if name in within:
            raise bad_parameter("graph", " -> ".join(within), "without loops of linear nodes alone")
        found: Signal = {}
        for each in self._before.get(name, []):
            if self._sizes(each)[1] != self._sizes(name)[0]:
                raise bad_parameter(f"size of {each}", self._sizes(each)[1], f"{self._sizes(name)[0]}, that of {name}")
            found = plus(found, self._sent(each, (*within, name)))
        return found

    def _sent(self, name: str, within: tuple[str, ...]) -> Signal:
        """What a node sends."""
        if name == self._source or name in self._layers:
            if name in self._layers and not self._layers[name].spikes:
                raise bad_parameter(f"behind {name}", within[-1], "the Output: potentials of an LI are not sent on")
            return {name: identity(self._sizes(name)[1])}
        entries, bias = operation(name, self._nodes[name], self._dt)
        return applied(entries, bias, self.signal(name, within))

    def _sizes(self, name: str) -> tuple[int, int]:
        """Numbers of elements that a node takes and sends."""
        node = self._nodes[name]
        if type(node).__name__ in ("Linear", "Affine"):
            sends, takes = np.shape(node.weight)[-2:]
            return int(takes), int(sends)
        takes, sends = (int(np.prod(kind[key])) for kind, key in ((node.input_type, "input"), (node.output_type, "output")))
        return takes, sends


def _with_steps(name: str, signal: Signal) -> Signal:
    """Spikes of a node to itself are those of the step before, where the graph gives them no delay."""
    own = signal.get(name)
    if own is None or own.steps.all():
        return signal
    late = Entries(own.target, own.source, own.weight, np.maximum(own.steps, 1))
    return {**signal, name: late}


def _late(source: str, signals: Mapping[str, Signal]) -> dict[str, int]:
    """Steps by which each node is late, so that every connection has a delay of at least a step. Raises BadParameter for loops that cannot be."""
    late = {source: 0, CONSTANT: 0} | dict.fromkeys(signals, 1)
    hops = [(a, b, int(part.steps.min())) for b, signal in signals.items() for a, part in signal.items() if len(part.steps)]
    for _ in range(len(late) + 1):
        moved = False
        for a, b, steps in hops:
            if late[b] < late[a] + 1 - steps:
                late[b], moved = late[a] + 1 - steps, True
        if not moved:
            return late
    loop = ", ".join(sorted({b for a, b, steps in hops if late[b] > len(late) and steps == 0}))
    raise bad_parameter(
        "graph", f"a loop over {loop}", "with a Delay of at least as many steps as neuron nodes, or a loop of one node to itself"
    )
