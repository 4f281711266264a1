# SPDX-License-Identifier: Apache-2.0
"""A graph of NIR as a network: one population per neuron node, connections for the linear nodes between them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import to_number
from ..base.libraries import needed
from ..errors import bad_length, bad_parameter, bad_type
from ..model.network import Network
from ..model.nodes import Nodes
from ..model.rules import explicit
from .graph import Graph, read_graph
from .layers import Layer
from .maps import CONSTANT

__all__ = ["NirNetwork", "from_nir"]


class NirNetwork:
    """A network from `from_nir`. net : the network; nodes : populations by the names of their nodes, the Input's spike generators included."""

    def __init__(self, graph: Graph, dt: float, options: dict[str, Any]) -> None:
        self._graph, self.dt = graph, dt
        self.net = Network(1e3 * dt, **options)
        self.nodes: Mapping[str, Nodes] = {name: self._create(name) for name in (graph.input, *graph.layers)}
        biased = any(CONSTANT in signal for signal in graph.signals.values())
        self._clock = self.net.create("spike_generator") if biased else None
        for name, layer in graph.layers.items():
            self._connect(name, layer)
        outputs = self.nodes[graph.output]
        spiking = graph.layers[graph.output].spikes
        self._record: Any = self.net.record(outputs) if spiking else self.net.record(outputs, "V_m", interval=self.net.resolution)
        self.net.store("nir")

    def _create(self, name: str) -> Nodes:
        if name == self._graph.input:
            return self.net.create("spike_generator", int(np.prod(self._graph.shape)))
        layer = self._graph.layers[name]
        parameters: dict[str, Any] = dict(layer.parameters)
        return self.net.create(layer.model, layer.n, **parameters)

    def _connect(self, name: str, layer: Layer) -> None:
        """Spikes of other nodes; constants are the spikes of a generator that has one in each step."""
        late = self._graph.late
        for source, entries in self._graph.signals[name].items():
            if len(entries.target):
                pre = self._clock if source == CONSTANT else self.nodes[source]
                assert pre is not None
                delay = (late[name] - late[source] + entries.steps) * self.net.resolution
                rule = explicit(entries.source, entries.target)
                self.net.connect(pre, self.nodes[name], rule, weight=entries.weight * layer.factor[entries.target], delay=delay)

    @property
    def latency(self) -> int:
        """Time steps by which the output comes later than the graph says: one for each node that its spikes pass. `run` takes them off."""
        return self._graph.late[self._graph.output]

    def run(self, spikes: ArrayLike) -> NDArray[Any]:
        """What the graph puts out for spikes, from rest.

        spikes : numbers of spikes, of shape (n_steps, *shape of Input)

        Returns spikes (0 or 1, int64), or potentials of an LI (float64), of shape (n_steps, *shape of Output). Raises BadLength, BadParameter.
        """
        given = np.asarray(spikes)
        if given.ndim != len(self._graph.shape) + 1 or given.shape[1:] != self._graph.shape:
            raise bad_length("spikes", given.shape, f"(n_steps, {', '.join(map(str, self._graph.shape))})")
        if given.size and (given.min() < 0 or not (np.floor(given) == given).all()):
            raise bad_parameter("spikes", float(given.min()), "whole numbers of spikes, at least 0")
        n, counts = len(given), given.reshape(len(given), int(np.prod(self._graph.shape))).astype(np.int64)
        self.net.restore("nir")
        self._give(counts)
        if n:
            self.net.run((n + self.latency) * self.net.resolution, progress=False)
        return self._output(n)

    def _give(self, counts: NDArray[np.int64]) -> None:
        """Sets the trains of the generators: input, and a spike per step for constants."""
        h, kernel = self.net.resolution, self.net._kernel
        first = int(self.nodes[self._graph.input].gids[0])
        for k in np.flatnonzero(counts.any(axis=0)).tolist():
            steps = np.flatnonzero(counts[:, k])
            vectors: dict[str, Any] = {"spike_times": (steps + 1) * h, "spike_multiplicities": counts[steps, k].astype(np.float64)}
            kernel.set(np.array([first + k]), {}, vectors)
        if self._clock is not None:
            ticks: dict[str, Any] = {"spike_times": (np.arange(len(counts)) + 1) * h}
            kernel.set(self._clock.gids, {}, ticks)

    def _output(self, n: int) -> NDArray[Any]:
        layer = self._graph.layers[self._graph.output]
        if not layer.spikes:
            values = self._record["V_m"][self.latency : self.latency + n] if n else np.empty((0, layer.n))
            return np.asarray(values.reshape(n, *layer.shape))
        found = np.zeros((n, layer.n), np.int64)
        step = np.rint(self._record.times / self.net.resolution).astype(np.int64) - 1 - self.latency
        keep = (step >= 0) & (step < n)
        found[step[keep], self._record.gids[keep] - self.nodes[self._graph.output].gids[0]] = 1
        return found.reshape(n, *layer.shape)


def from_nir(graph: Any, dt: float, **options: Any) -> NirNetwork:
    """A graph of NIR as a network.

    Parameters
    ----------
    graph : nir.NIRGraph, or the path of a file that nir.write has written
    dt : length of a time step in the unit of the graph's time constants, seconds; the step of the network is 1000 dt ms
    options : of `Network`: seed, threads, ...

    Nodes: Input, Output (one each), LIF, CubaLIF, LI, Linear, Affine, Delay, Conv2d, SumPool2d, Flatten; others raise BadType with their name.
    Neurons move by steps of forward Euler, see docs/howto/nir.md. Raises BadParameter for values that they cannot have, MissingLibrary without nir.
    """
    nir = needed("nir", "nir", "graphs of NIR need")
    step = to_number("dt", dt)
    if not step > 0.0:
        raise bad_parameter("dt", dt, "positive")
    if isinstance(graph, str | os.PathLike):
        graph = nir.read(os.fspath(graph))
    if not isinstance(graph, nir.NIRGraph):
        raise bad_type("graph", graph, "a nir.NIRGraph or the path of a file")
    return NirNetwork(read_graph(graph, step, 1e3 * step), step, options)
