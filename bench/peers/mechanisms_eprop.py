# SPDX-License-Identifier: Apache-2.0
"""Networks that learn by e-prop, at the size of NEST's examples.

Regression: a readout learns a sum of sines from inputs that repeat, in intervals (gradient descent, Adam, and ten times as many neurons) or
with every spike. Accumulation: two readouts with cross entropy learn from neurons with adaptation, in batches. As in the examples,
potentials, errors, spikes and the weights of the readout are recorded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from bench.peers.case import Case, Probe

OF_2020 = "_bsshslm_2020"
NEURON = {"C_m": 1.0, "E_L": 0.0, "V_m": 0.0, "tau_m": 30.0, "t_ref": 0.0, "c_reg": 300.0, "f_target": 10.0}
LATE = {"regular_spike_arrival": False}
DESCENT, ADAM = {"type": "gradient_descent", "eta": 1e-4}, {"type": "adam", "eta": 5e-3}
REPEATS = 12


@dataclass(frozen=True)
class Task:
    """Model and parameters of recurrent neurons, readouts and synapses; spikes per step of an input, one of `inputs` per neuron."""

    model: str = f"eprop_iaf{OF_2020}"
    neuron: dict[str, Any] = field(default_factory=lambda: LATE | {"V_th": 0.03})
    readout: dict[str, Any] = field(default_factory=lambda: LATE | {"tau_m": 30.0})
    synapse: dict[str, Any] = field(default_factory=lambda: {"tau_m_readout": 30.0})
    optimizer: dict[str, Any] = field(default_factory=lambda: DESCENT)
    interval: int = 1000  # ms
    rate: float = 0.01
    inputs: float = 1.0
    readouts: int = 1


EVENTS = {"model": "eprop_iaf", "neuron": {"V_th": 0.5}, "readout": {"tau_m": 30.0}, "synapse": {}}
ACCUMULATION = Task(
    f"eprop_iaf_adapt{OF_2020}",
    {"V_th": 0.6, "tau_m": 20.0, "t_ref": 5.0, "adapt_beta": 0.02, "adapt_tau": 2000.0},
    {"tau_m": 20.0, "loss": "cross_entropy"},
    {"tau_m_readout": 20.0},
    ADAM | {"batch_size": 4},
    interval=2180,
    rate=0.04,
    inputs=0.4,
    readouts=2,
)


def learning(task: Task, nest: Any, n: int) -> Probe:
    """A network of n recurrent neurons."""
    end = OF_2020 if task.model.endswith(OF_2020) else ""
    nest.set(eprop_update_interval=float(task.interval), eprop_learning_window=float(task.interval))
    rng = np.random.default_rng(1)
    recurrent = nest.Create(task.model, n, NEURON | task.neuron)
    out = nest.Create(f"eprop_readout{end}", task.readouts, {"C_m": 1.0} | task.readout)
    relays, weights, spikes = inputs(nest, task, rng, n), nest.Create("weight_recorder"), nest.Create("spike_recorder")
    meter = nest.Create("multimeter", params={"interval": 1.0, "record_from": ["V_m", "error_signal"]})
    nest.CopyModel(f"eprop_synapse{end}", "learns", {"optimizer": task.optimizer})
    nest.CopyModel("learns", "learns_seen", {"weight_recorder": weights})
    for pre, post in ((relays, recurrent), (recurrent, recurrent), (recurrent, out)):
        drawn = rng.normal(0.0, 1.0 / np.sqrt(len(pre)), (len(post), len(pre)))
        spec = {"synapse_model": "learns_seen" if post is out else "learns", "delay": 1.0, "weight": drawn} | task.synapse
        nest.Connect(pre, post, {"rule": "all_to_all", "allow_autapses": pre is not post}, spec)
    signal = {"synapse_model": f"eprop_learning_signal_connection{end}", "weight": rng.normal(0.0, 1.0, (n, task.readouts)), "delay": 1.0}
    nest.Connect(out, recurrent, "all_to_all", signal)
    tell(nest, task, rng, out)
    nest.Connect(meter, out)
    nest.Connect(recurrent, spikes)
    return lambda: asked(nest, spikes, meter)


def inputs(nest: Any, task: Task, rng: np.random.Generator, n: int) -> Any:
    """Spikes that repeat in each interval."""
    count = round(n * task.inputs)
    relays, sources = nest.Create("parrot_neuron", count), nest.Create("spike_generator", count)
    begins = task.interval * np.arange(REPEATS)[:, None]
    times = [(1.0 + np.flatnonzero(rng.random(task.interval) < task.rate) + begins).ravel() for _ in range(count)]
    sources.set([{"spike_times": each} for each in times])
    nest.Connect(sources, relays, "one_to_one", {"delay": 1.0})
    return relays


def tell(nest: Any, task: Task, rng: np.random.Generator, out: Any) -> None:
    """Targets, and what else readouts need to know."""
    spec = {"synapse_model": "rate_connection_delayed", "delay": 1.0, "receptor_type": 2}
    times = np.arange(1.0, task.interval * REPEATS)
    for readout in out:
        curve = sum(np.sin(2 * np.pi * f * (times / task.interval + rng.random())) for f in (1, 2, 3, 5)) / 4
        nest.Connect(
            nest.Create("step_rate_generator", params={"amplitude_times": times, "amplitude_values": curve}), readout, syn_spec=spec
        )
    if task.readout.get("loss") == "cross_entropy":
        nest.Connect(out, out, {"rule": "all_to_all", "allow_autapses": False}, spec | {"receptor_type": 1})
    if task.model == "eprop_iaf":
        always = nest.Create("step_rate_generator", params={"amplitude_times": [1.0], "amplitude_values": [1.0]})
        nest.Connect(always, out, syn_spec=spec | {"receptor_type": 1})


def asked(nest: Any, spikes: Any, meter: Any) -> dict[str, float]:
    weights = np.asarray(nest.GetConnections(synapse_model="learns").weight)
    return {
        "spikes": float(spikes.n_events),
        "mean_weight": float(weights.mean()),
        "sd_of_weights": float(weights.std()),
        "mean_error": float(np.abs(meter.events["error_signal"]).mean()),
    }


def case(title: str, task: Task, n: int, ms: float) -> Case:
    return Case(title, partial(learning, task), n, ms, 5.0, resolution=1.0)


CASES = {
    "eprop_regression": case("e-prop regression, gradient descent", Task(), 100, 10_000.0),
    "eprop_adam": case("e-prop regression, Adam", Task(optimizer=ADAM), 100, 10_000.0),
    "eprop_large": case("e-prop regression, Adam, 1000 neurons", Task(optimizer=ADAM, inputs=0.3), 1000, 2_100.0),
    "eprop_events": case("event-driven e-prop regression", Task(**EVENTS), 100, 5_000.0),
    "eprop_events_adam": case("event-driven e-prop regression, Adam", Task(**EVENTS, optimizer=ADAM | {"eta": 1e-4}), 100, 5_000.0),
    "eprop_accumulation": case("e-prop accumulation of evidence, batches of Adam", ACCUMULATION, 100, 10_000.0),
}
