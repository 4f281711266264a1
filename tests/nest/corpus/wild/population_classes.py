# SPDX-License-Identifier: Apache-2.0
"""A small library on top of nest: populations and projections as classes with properties, operators, context managers and lazy recording."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cached_property
from typing import ClassVar

import numpy as np

import nest


@dataclasses.dataclass(frozen=True)
class CellType:
    model: str
    parameters: dict = dataclasses.field(default_factory=dict)

    def __call__(self, size: int, name: str) -> Population:
        return Population(self, size, name)


class Population:
    registry: ClassVar[dict[str, Population]] = {}

    def __init__(self, kind: CellType, size: int, name: str):
        self.kind, self.name = kind, name
        self.nodes = nest.Create(kind.model, size, params=kind.parameters)
        Population.registry[name] = self

    def __len__(self) -> int:
        return len(self.nodes)

    def __getitem__(self, key):
        return self.nodes[key]

    def __iter__(self) -> Iterator:
        return iter(self.nodes)

    def __getattr__(self, key):
        if key.startswith("_") or key in ("nodes",):
            raise AttributeError(key)
        return np.array(self.nodes.get(key))

    def initialise(self, **values) -> Population:
        for key, value in values.items():
            setattr(self.nodes, key, value(len(self)) if callable(value) else value)
        return self

    @cached_property
    def spikes(self):
        device = nest.Create("spike_recorder")
        nest.Connect(self.nodes, device)
        return device

    def trace(self, *names: str, dt: float = 0.5):
        device = nest.Create("multimeter", params={"record_from": list(names), "interval": dt})
        nest.Connect(device, self.nodes)
        return device

    @property
    def trains(self) -> list[np.ndarray]:
        events = self.spikes.events
        return [events["times"][events["senders"] == node.global_id] for node in self]


class Projection:
    def __init__(self, pre: Population, post: Population, rule="all_to_all", receptor=0, model="static_synapse", **synapse):
        spec = {"synapse_model": model, "receptor_type": receptor, **synapse}
        nest.Connect(pre.nodes, post.nodes, rule if isinstance(rule, dict) else {"rule": rule}, spec)
        self.pre, self.post, self.model = pre, post, model

    @property
    def connections(self):
        return nest.GetConnections(self.pre.nodes, self.post.nodes, self.model)

    @property
    def matrix(self) -> np.ndarray:
        w = np.full((len(self.pre), len(self.post)), np.nan)
        found = self.connections.get(["source", "target", "weight"])
        w[np.array(found["source"]) - self.pre[0].global_id, np.array(found["target"]) - self.post[0].global_id] = found["weight"]
        return w

    def scale(self, factor: float) -> None:
        self.connections.weight = (factor * np.array(self.connections.weight)).tolist()


class Experiment:
    def __init__(self, **kernel):
        nest.ResetKernel()
        nest.set_verbosity("M_ERROR")
        nest.SetKernelStatus({"resolution": 0.1, **kernel})

    def __enter__(self):
        Population.registry.clear()
        return self

    def run(self, T: float) -> Experiment:
        nest.Simulate(T)
        return self

    def __exit__(self, *why) -> None:
        self.summary = {name: int(p.spikes.n_events) for name, p in Population.registry.items() if "spikes" in p.__dict__}


lif = CellType("iaf_cond_exp", {"E_L": -65.0, "V_reset": -65.0, "V_m": -65.0, "V_th": -50.0, "g_L": 12.0})
fast = dataclasses.replace(lif, parameters={**lif.parameters, "C_m": 120.0, "t_ref": 1.0})
with Experiment(rng_seed=4) as experiment:
    exc, inh = lif(6, "exc"), fast(3, "inh")
    exc.initialise(I_e=lambda n: np.linspace(180.0, 260.0, n), V_m=lambda n: [-65.0 + k for k in range(n)])
    e2i = Projection(exc, inh, weight=4.0, delay=1.0)
    i2e = Projection(inh, exc, model="tsodyks2_synapse", weight=-6.0, delay=1.5, U=0.3, tau_rec=200.0)
    meter = exc.trace("V_m", "g_ex", "g_in", dt=1.0)
    _ = exc.spikes, inh.spikes
    experiment.run(150.0)
    print(len(exc), exc.I_e.round(1).tolist(), [len(t) for t in exc.trains], [t[:2].round(1).tolist() for t in inh.trains])
    before = e2i.matrix
    e2i.scale(2.5)
    print(before[0].tolist(), e2i.matrix[0].tolist(), np.isnan(i2e.matrix).any(), i2e.matrix.shape, len(i2e.connections))
    experiment.run(150.0)
print(experiment.summary, {key: round(float(meter.events[key].mean()), 4) for key in ("V_m", "g_ex", "g_in")}, meter.n_events)
print(sorted(i2e.connections.get(["U", "tau_rec"]).items())[0][1][:2], exc.spikes.get("n_events"), repr(exc.nodes).splitlines()[0])
