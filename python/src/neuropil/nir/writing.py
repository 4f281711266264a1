# SPDX-License-Identifier: Apache-2.0
"""A network as a graph of NIR: spike generators, iaf_psc_delta and iaf_psc_exp with static synapses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.libraries import needed
from ..base.ranges import Ranges
from ..errors import NotKept, bad_parameter
from ..model.network import Network
from ..model.nodes import Nodes
from .layers import propagator
from .network import NirNetwork

__all__ = ["to_nir"]

_MODELS = ("iaf_psc_delta", "iaf_psc_exp")
_MOST_DELAYS = 64


def to_nir(network: Network | NirNetwork, output: Nodes | None = None) -> Any:
    """A graph of NIR, nir.NIRGraph, whose neurons take the same steps; of `from_nir` it makes the same network, up to when each population begins.

    network : its populations are spike generators (one call of `create`: the Input), iaf_psc_delta and iaf_psc_exp without refractory time
    output : the population that the Output shows; default: the one that sends to no other

    Time constants and delays are in seconds, for steps of dt = resolution / 1000. Delays become Delay nodes. The generator with one spike per step, of
    biases in `from_nir`, becomes Affine nodes. Raises NotKept for what NIR has no node for.
    """
    nir = needed("nir", "nir", "graphs of NIR need")
    clock = -1
    if isinstance(network, NirNetwork):
        output = network.nodes[network._graph.output] if output is None else output
        clock = -1 if network._clock is None else int(network._clock.gids[0])
        network = network.net
    return _Writer(nir, network, clock).graph(output)


class _Writer:
    """Makes the graph of a network."""

    def __init__(self, nir: Any, net: Network, clock: int) -> None:
        self.nir, self.net, self.clock, self.dt = nir, net, clock, 1e-3 * net.resolution
        self.rows = [row for row in net._populations.rows() if row[0] != clock]
        inputs = [first for first, _, entry in self.rows if entry.name == "spike_generator"]
        for _, _, entry in self.rows:
            if entry.name not in (*_MODELS, "spike_generator"):
                raise NotKept(f"to_nir: NIR has no node for {entry.name}; there are spike_generator, {', '.join(_MODELS)}")
        if len(inputs) != 1:
            raise NotKept(f"to_nir: the network has {len(inputs)} populations of spike generators; a graph has one Input")
        self.names = {
            first: "input" if first == inputs[0] else net.name_of(self._nodes(k)) or f"neurons_{k}"
            for k, (first, _, _) in enumerate(self.rows)
        }
        self.factors: dict[int, NDArray[np.float64]] = {}
        self.sent = {first: False for first, _, _ in self.rows}
        self.nodes: dict[str, Any] = {}
        self.edges: list[tuple[str, str]] = []

    def _nodes(self, k: int) -> Nodes:
        return Nodes(self.net, Ranges.span(self.rows[k][0], self.rows[k][1]))

    def graph(self, output: Nodes | None) -> Any:
        """All nodes and edges."""
        for k, (first, count, entry) in enumerate(self.rows):
            name = self.names[first]
            self.nodes[name] = (
                self.nir.Input({"input": np.array([count])}) if name == "input" else self._neurons(first, self._nodes(k), entry.name)
            )
        self._connections()
        last = [first for first, sends in self.sent.items() if not sends] if output is None else [int(output.gids[0])]
        if len(last) != 1 or last[0] not in self.names:
            raise bad_parameter("output", f"{len(last)} populations", "one population of the network, which the Output shows")
        count = next(row[1] for row in self.rows if row[0] == last[0])
        self.nodes["output"] = self.nir.Output({"output": np.array([count])})
        self.edges.append((self.names[last[0]], "output"))
        return self.nir.NIRGraph(self.nodes, self.edges)

    def _neurons(self, first: int, nodes: Nodes, model: str) -> Any:
        h, values = self.net.resolution, {key: np.asarray(column, np.float64) for key, column in nodes.get().items()}
        if values["t_ref"].any() or values["I_e"].any() or np.isfinite(values.get("V_min", -np.inf)).any():
            raise NotKept(f"to_nir: {self.names[first]} has t_ref, I_e or V_min: NIR has none of them")
        kept = np.exp(-h / values["tau_m"])
        tau, leak = self.dt / (1.0 - kept), values["E_L"]
        threshold, one = np.nextafter(values["V_th"], -np.inf), np.ones(len(tau))
        if model == "iaf_psc_delta":
            self.factors[first] = 1.0 - kept
            if np.isinf(values["V_th"]).all():
                return self.nir.LI(tau, one, leak)
            return self.nir.LIF(tau, one, leak, threshold, values["V_reset"])
        if (values["tau_syn_ex"] != values["tau_syn_in"]).any():
            raise NotKept(f"to_nir: {self.names[first]} has two synaptic time constants; a CubaLIF has one")
        current = np.exp(-h / values["tau_syn_ex"])
        self.factors[first] = 1.0 - current
        resistance = propagator(values["tau_m"], values["tau_syn_ex"], h) / values["C_m"] / (1.0 - kept)
        return self.nir.CubaLIF(self.dt / (1.0 - current), tau, resistance, leak, threshold, values["V_reset"], one)

    def _connections(self) -> None:
        """Linear (or Affine) and Delay nodes for each pair of populations and each delay."""
        found = self.net.connections()
        if {*found.synapse.tolist()} - {"static_synapse"}:
            raise NotKept(f"to_nir: NIR has no plasticity, the network has {', '.join(sorted({*found.synapse.tolist()}))}")
        firsts = np.array([first for first, _, _ in self.net._populations.rows()])
        source, target = (firsts[np.searchsorted(firsts, gids, "right") - 1] for gids in (found.source, found.target))
        weight, steps = np.asarray(found.weight, np.float64), np.rint(found.delay / self.net.resolution).astype(np.int64)
        for a, b in sorted({*zip(source.tolist(), target.tolist(), strict=True)}):
            mine = np.flatnonzero((source == a) & (target == b))
            delays = sorted({*steps[mine].tolist()})
            if len(delays) > _MOST_DELAYS:
                raise NotKept(
                    f"to_nir: connections of {self.names[a]} to {self.names[b]} have {len(delays)} delays; at most {_MOST_DELAYS}"
                )
            for delay in delays:
                some = mine[steps[mine] == delay]
                add = self._constant if a == self.clock else self._linear
                add((a, b, delay), found.source[some] - a, found.target[some] - b, weight[some])
            self.sent[a] = self.sent.get(a, False) or a != b

    def _constant(self, key: tuple[int, int, int], source: Any, target: Any, weight: Any) -> None:
        """Constants: the bias of an Affine without weights, behind the Input."""
        _, b, delay = key
        n = self._count(b)
        bias = np.bincount(target, weight / self.factors[b][target], n)
        name = f"bias_{self.names[b]}_{delay}"
        first = next(first for first, each in self.names.items() if each == "input")
        self.nodes[name] = self.nir.Affine(np.zeros((n, self._count(first))), bias)
        self.nodes[f"{name}_delay"] = self.nir.Delay(np.full(n, delay * self.dt))
        self.edges += [("input", name), (name, f"{name}_delay"), (f"{name}_delay", self.names[b])]

    def _linear(self, key: tuple[int, int, int], source: Any, target: Any, weight: Any) -> None:
        a, b, delay = key
        matrix = np.zeros((self._count(b), self._count(a)))
        np.add.at(matrix, (target, source), weight / self.factors[b][target])
        name = f"{self.names[a]}_{self.names[b]}_{delay}"
        self.nodes[f"{name}_delay"] = self.nir.Delay(np.full(self._count(a), delay * self.dt))
        self.nodes[name] = self.nir.Linear(matrix)
        self.edges += [(self.names[a], f"{name}_delay"), (f"{name}_delay", name), (name, self.names[b])]

    def _count(self, first: int) -> int:
        return next(row[1] for row in self.rows if row[0] == first)
