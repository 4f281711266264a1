# SPDX-License-Identifier: Apache-2.0
"""How each neuron model is put to the test: what currents and spikes it gets, and how near to NEST it must come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tests.nest.corpus.values import Near, error, holds, near, spikes

# Kept of a model by NEST for its own use, or of machinery that has its own cases.
INTERNAL = frozenset(
    [
        "Ca",
        "archiver_length",
        "eprop_history_duration",
        "available",
        "beta_Ca",
        "capacity",
        "elementsize",
        "global_id",
        "gsl_error_tol",
        "has_connections",
        "ignore_and_spike",
        "ignore_and_spike_interval",
        "ignore_and_spike_offset",
        "instantiations",
        "local",
        "model_id",
        "node_uses_wfr",
        "post_trace",
        "t_spike",
        "tau_Ca",
        "tau_minus_triplet",
        "thread",
        "thread_local_id",
        "vp",
        "frozen",
        "flush_event_send_interval",
        "t_ref_remaining",
        "is_refractory",
    ]
)
WEAK_TIMES = [10.0, 12.0, 31.5, 40.0, 40.1, 63.0]
STRONG_TIMES = [5.0 + 0.7 * k for k in range(60)] + [60.0 + 2.3 * k for k in range(30)]
INHIBITION = [20.0, 20.5, 55.0, 90.0, 110.0, 111.0]


@dataclass(frozen=True)
class Neuron:
    """Input that lets a model stay below threshold (weak) and fire (strong), and the tolerances."""

    weak: float = 200.0  # current [pA]
    strong: float = 500.0  # current [pA]
    weight: float = 30.0  # of an excitatory spike; its unit is the model's (pA, nS or mV)
    push: float = 300.0  # of an excitatory spike that makes it fire
    pull: float = -60.0  # of an inhibitory spike
    atol: float = 1e-9  # of everything recorded below threshold, its own unit
    step: float = 0.0  # of spike times [ms]
    params: dict[str, Any] = field(default_factory=dict)
    silent: dict[str, Any] = field(default_factory=dict)  # parameters that stop a random model from firing
    ports: tuple[int, int] = (0, 0)  # receptor types of excitation and inhibition
    current_port: int = 0


PSC = {"weight": 100.0, "push": 600.0, "pull": -300.0}
CONDUCTANCE = {"weak": 150.0, "weight": 3.0, "push": 25.0, "pull": -10.0, "atol": 5e-3, "step": 0.1}
AEIF = {"strong": 900.0, "weak": 300.0, "atol": 2e-2, "step": 0.1}
PRECISE = {"atol": 1e-6, "step": 1e-6}
GIF = {"weak": 50.0, "strong": 150.0}
MANY = {"tau_syn": [2.0, 8.0]}
EPROP = {"weight": 1.0, "push": 5.0, "pull": -2.0, "params": {"t_ref": 0.5}}
GLIF = {"weak": 150.0, "strong": 400.0}

NEURONS: dict[str, Neuron] = {
    "iaf_psc_exp": Neuron(**PSC, params={"tau_syn_ex": 1.5, "tau_syn_in": 4.0, "t_ref": 1.5}),
    "iaf_psc_alpha": Neuron(**PSC, params={"tau_syn_ex": 1.5, "tau_syn_in": 4.0, "V_reset": -65.0}),
    "iaf_psc_delta": Neuron(weight=1.0, push=4.0, pull=-2.0, params={"refractory_input": False, "tau_m": 12.0}),
    "iaf_cond_exp": Neuron(**CONDUCTANCE, params={"tau_syn_ex": 2.0, "E_in": -80.0}),
    "iaf_cond_alpha": Neuron(**CONDUCTANCE, params={"tau_syn_ex": 2.0, "E_in": -80.0}),
    "iaf_cond_beta": Neuron(**CONDUCTANCE, params={"tau_rise_ex": 0.5, "tau_decay_ex": 2.0, "tau_rise_in": 1.0, "tau_decay_in": 6.0}),
    "iaf_cond_exp_sfa_rr": Neuron(**CONDUCTANCE | {"weak": 250.0}, params={"tau_sfa": 90.0}),
    "iaf_chxk_2008": Neuron(weak=500.0, strong=3000.0, weight=20.0, push=150.0, pull=-50.0, atol=5e-3, step=0.1),
    "iaf_chs_2007": Neuron(weight=0.2, push=1.0, pull=0.3),
    "iaf_tum_2000": Neuron(**PSC, params={"tau_rec": 300.0}),
    "iaf_psc_exp_htum": Neuron(**PSC, params={"t_ref_abs": 1.5, "t_ref_tot": 4.0}),
    "iaf_psc_exp_multisynapse": Neuron(**PSC, params=MANY, ports=(1, 2)),
    "iaf_psc_alpha_multisynapse": Neuron(**PSC, params=MANY, ports=(1, 2)),
    "aeif_cond_exp": Neuron(**AEIF, weight=5.0, push=60.0, pull=-10.0, params={"tau_syn_ex": 2.0}),
    "aeif_cond_alpha": Neuron(**AEIF, weight=5.0, push=60.0, pull=-10.0, params={"tau_syn_ex": 2.0}),
    "aeif_cond_alpha_multisynapse": Neuron(**AEIF, weight=5.0, push=40.0, pull=10.0, params=MANY | {"E_rev": [0.0, -85.0]}, ports=(1, 2)),
    "aeif_cond_beta_multisynapse": Neuron(
        **AEIF,
        weight=5.0,
        push=40.0,
        pull=10.0,
        params={"E_rev": [0.0, -85.0], "tau_rise": [0.5, 1.0], "tau_decay": [2.0, 8.0]},
        ports=(1, 2),
    ),
    "aeif_psc_exp": Neuron(**AEIF, weight=100.0, push=1500.0, pull=-300.0, params={"tau_syn_ex": 2.0}),
    "aeif_psc_alpha": Neuron(**AEIF, weight=100.0, push=1500.0, pull=-300.0, params={"tau_syn_ex": 2.0}),
    "aeif_psc_delta": Neuron(**AEIF, weight=1.0, push=5.0, pull=-2.0),
    "hh_psc_alpha": Neuron(
        weak=100.0, strong=800.0, weight=50.0, push=2000.0, pull=-100.0, atol=1e-1, step=0.1, params={"tau_syn_ex": 1.0}
    ),
    "aeif_psc_delta_clopath": Neuron(**AEIF, weight=1.0, push=8.0, pull=-2.0, params={"t_ref": 1.0}),
    "hh_psc_alpha_clopath": Neuron(
        weak=100.0, strong=800.0, weight=50.0, push=2000.0, pull=-100.0, atol=1e-1, step=0.1, params={"tau_syn_ex": 1.0}
    ),
    "hh_psc_alpha_gap": Neuron(
        weak=30.0, strong=600.0, weight=30.0, push=800.0, pull=-100.0, atol=1e-2, step=0.1, params={"tau_syn_ex": 1.0}
    ),
    "hh_cond_exp_traub": Neuron(weak=50.0, strong=500.0, weight=1.0, push=20.0, pull=-5.0, atol=1e-1, step=0.1, params={"V_T": -52.0}),
    "hh_cond_beta_gap_traub": Neuron(weak=50.0, strong=500.0, weight=1.0, push=20.0, pull=-5.0, atol=1e-1, step=0.1),
    "izhikevich": Neuron(weak=2.0, strong=10.0, weight=1.0, push=6.0, pull=-2.0),
    "mat2_psc_exp": Neuron(weak=100.0, strong=500.0, weight=60.0, push=600.0, pull=-200.0),
    "amat2_psc_exp": Neuron(weak=30.0, strong=300.0, weight=30.0, push=600.0, pull=-200.0, params={"beta": 0.3}),
    "gif_psc_exp": Neuron(
        **GIF, weight=20.0, push=300.0, pull=-40.0, params={"q_sfa": [10.0], "tau_sfa": [50.0]}, silent={"lambda_0": 1e-12}
    ),
    "gif_cond_exp": Neuron(
        **GIF, weight=0.5, push=10.0, pull=-2.0, atol=5e-3, params={"q_stc": [8.0], "tau_stc": [40.0]}, silent={"lambda_0": 1e-12}
    ),
    "gif_psc_exp_multisynapse": Neuron(**GIF, weight=20.0, push=300.0, pull=-40.0, params=MANY, silent={"lambda_0": 1e-12}, ports=(1, 2)),
    "gif_cond_exp_multisynapse": Neuron(
        **GIF, weight=0.5, push=10.0, pull=2.0, atol=5e-3, params=MANY | {"E_rev": [0.0, -85.0]}, silent={"lambda_0": 1e-12}, ports=(1, 2)
    ),
    "pp_psc_delta": Neuron(
        weak=100.0, strong=500.0, weight=0.5, push=3.0, pull=-1.0, params={"q_sfa": [1.0], "tau_sfa": [30.0]}, silent={"c_2": 0.0}
    ),
    "glif_psc": Neuron(**GLIF, weight=50.0, push=400.0, pull=-100.0, params=MANY, ports=(1, 2)),
    "glif_cond": Neuron(**GLIF, weight=2.0, push=20.0, pull=5.0, atol=5e-3, step=0.1, params={"tau_syn": [1.0, 3.0]}, ports=(1, 2)),
    "glif_psc_double_alpha": Neuron(**GLIF, weight=30.0, push=300.0, pull=-60.0, ports=(1, 1)),
    "ht_neuron": Neuron(weak=1.0, strong=20.0, weight=2.0, push=30.0, pull=5.0, atol=5e-2, step=0.1, ports=(1, 3)),
    "iaf_cond_alpha_mc": Neuron(**CONDUCTANCE | {"pull": 10.0, "push": 120.0}, ports=(1, 2), current_port=7),
    "pp_cond_exp_mc_urbanczik": Neuron(
        **CONDUCTANCE | {"pull": 10.0, "push": 120.0}, ports=(1, 2), current_port=5, silent={"phi_max": 0.0}
    ),
    "iaf_bw_2001": Neuron(weak=200.0, strong=600.0, weight=2.0, push=20.0, pull=5.0, atol=5e-3, step=0.1, ports=(1, 2)),
    "eprop_iaf": Neuron(**EPROP),
    "eprop_iaf_adapt": Neuron(**EPROP | {"params": {"adapt_tau": 30.0, "adapt_beta": 2.0}}),
    "eprop_iaf_psc_delta": Neuron(**EPROP | {"params": {"refractory_input": True, "t_ref": 1.5, "V_reset": -65.0}}),
    "eprop_iaf_psc_delta_adapt": Neuron(**EPROP | {"params": {"t_ref": 0.0, "V_reset": -65.0, "adapt_beta": 0.5}}),
    "eprop_iaf_bsshslm_2020": Neuron(**EPROP | {"params": {"surrogate_gradient_function": "exponential"}}),
    "eprop_iaf_adapt_bsshslm_2020": Neuron(**EPROP | {"params": {"adapt_tau": 30.0, "regular_spike_arrival": False}}),
    "ignore_and_fire": Neuron(weak=0.0, strong=0.0),
    "parrot_neuron": Neuron(weak=0.0, strong=0.0, weight=1.0, push=1.0, pull=1.0),
    "iaf_psc_alpha_ps": Neuron(**PSC, **PRECISE),
    "iaf_psc_delta_ps": Neuron(weight=1.0, push=4.0, pull=-2.0, **PRECISE),
    "iaf_psc_exp_ps": Neuron(**PSC, **PRECISE),
    "iaf_psc_exp_ps_lossless": Neuron(**PSC, **PRECISE),
}
RANDOM = (
    "pp_cond_exp_mc_urbanczik",
    "gif_psc_exp",
    "gif_cond_exp",
    "gif_psc_exp_multisynapse",
    "gif_cond_exp_multisynapse",
    "pp_psc_delta",
)
NO_CURRENT = ("parrot_neuron", "ignore_and_fire", "iaf_chs_2007")
NO_METER = ("parrot_neuron", "ignore_and_fire")


def numbers(status: dict[str, Any]) -> dict[str, float]:
    """Scalar parameters and state of a node; the largest float, infinity and 1e300 all mean: no limit."""
    found = {
        key: value
        for key, value in status.items()
        if key not in INTERNAL and isinstance(value, (int, float, np.number)) and not isinstance(value, np.ndarray)
    }
    return {key: "none" if abs(value) > 1e300 else float(value) for key, value in sorted(found.items())}


def defaults(model: str) -> Callable[[Any], dict[str, Any]]:
    """What GetDefaults and a new node say."""

    def case(nest: Any) -> dict[str, Any]:
        node = nest.Create(model)
        status = node.get()
        names = sorted({*map(str, status.get("recordables", []))} - {"eprop_history_duration"})
        return {"defaults": holds(numbers(nest.GetDefaults(model))), "node": holds(numbers(status)), "recordables": holds(names)}

    return case


def parameters(model: str) -> Callable[[Any], dict[str, Any]]:
    """Each number is moved by 1 per cent and read again; what is refused gives the error's name."""

    def case(nest: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in numbers(nest.GetDefaults(model)).items():
            if (
                value == "none"
                or isinstance(nest.GetDefaults(model)[key], (bool, np.bool_))
                or (float(value).is_integer() and type(nest.GetDefaults(model)[key]) is int)
            ):
                continue
            node = nest.Create(model)
            moved = value * 1.01 if value else 0.01
            found[key] = error(lambda node=node, key=key, moved=moved: node.set({key: moved})) or node.get(key) == moved
        return found

    return case


def cell(nest: Any, model: str, more: dict[str, Any]) -> tuple[Any, Any]:
    """A node of the model and a recorder of its spikes."""
    node = nest.Create(model, params=NEURONS[model].params | more)
    recorder = nest.Create("spike_recorder")
    nest.Connect(node, recorder)
    return node, recorder


def meter(nest: Any, model: str, node: Any, interval: float) -> Any:
    names = [str(name) for name in nest.GetDefaults(model, "recordables") if str(name) not in ("t_ref_remaining", "eprop_history_duration")]
    found = nest.Create("multimeter", params={"record_from": names, "interval": interval})
    nest.Connect(found, node)
    return found


def recorded(device: Any, atol: float) -> dict[str, Near]:
    events = device.events
    return {
        str(key): near(value, atol, 1e-3 if atol > 1e-8 else 1e-11)
        for key, value in sorted(events.items())
        if key not in ("times", "senders")
    }


def send(nest: Any, node: Any, port: int, times: list[float], weight: float, delay: float = 1.0) -> None:
    source = nest.Create("spike_generator", params={"spike_times": [round(time, 1) for time in times]})
    nest.Connect(source, node, syn_spec={"weight": weight, "delay": delay, "receptor_type": port})


def drive(nest: Any, model: str, node: Any, steps: list[tuple[float, float]]) -> None:
    """A step current: (time, value) pairs."""
    if model in NO_CURRENT or not NEURONS[model].strong:
        return
    times, values = zip(*steps, strict=True)
    source = nest.Create("step_current_generator", params={"amplitude_times": list(times), "amplitude_values": list(values)})
    nest.Connect(source, node, syn_spec={"receptor_type": NEURONS[model].current_port})


def below_threshold(model: str) -> Callable[[Any], dict[str, Any]]:
    """Weak current steps and weak spikes: every recordable, each 0.5 ms."""

    def case(nest: Any) -> dict[str, Any]:
        neuron = NEURONS[model]
        node, recorder = cell(nest, model, neuron.silent)
        found = meter(nest, model, node, 0.5)
        drive(nest, model, node, [(5.0, neuron.weak), (35.0, -neuron.weak), (60.0, 0.5 * neuron.weak)])
        send(nest, node, neuron.ports[0], WEAK_TIMES, neuron.weight, 1.5)
        send(nest, node, neuron.ports[1], INHIBITION[:4], neuron.pull)
        nest.Simulate(80.0)
        return recorded(found, neuron.atol) | {"spikes": spikes(recorder.events["times"], neuron.step)}

    return case


def step_current(model: str) -> Callable[[Any], dict[str, Any]]:
    """Strong current steps: spike times."""

    def case(nest: Any) -> dict[str, Any]:
        neuron = NEURONS[model]
        node, recorder = cell(nest, model, {})
        drive(nest, model, node, [(10.0, neuron.strong), (90.0, 0.0), (110.0, 1.5 * neuron.strong)])
        nest.Simulate(200.0)
        return {"spikes": spikes(recorder.events["times"], neuron.step)}

    return case


def spike_input(model: str) -> Callable[[Any], dict[str, Any]]:
    """Strong excitation, some inhibition, from two spike trains: spike times."""

    def case(nest: Any) -> dict[str, Any]:
        neuron = NEURONS[model]
        node, recorder = cell(nest, model, {})
        send(nest, node, neuron.ports[0], STRONG_TIMES, neuron.push, 0.8)
        send(nest, node, neuron.ports[1], INHIBITION, neuron.pull, 2.0)
        nest.Simulate(140.0)
        return {"spikes": spikes(recorder.events["times"], neuron.step)}

    return case


def exact_trace(model: str) -> Callable[[Any], dict[str, Any]]:
    """Models with exact integration: what is recorded while they fire, too."""

    def case(nest: Any) -> dict[str, Any]:
        neuron = NEURONS[model]
        node, recorder = cell(nest, model, {"I_e": 0.4 * neuron.strong} if "I_e" in nest.GetDefaults(model) else {})
        found = meter(nest, model, node, 0.3)
        drive(nest, model, node, [(3.0, 0.8 * neuron.strong), (50.0, 0.0)])
        send(nest, node, neuron.ports[0], STRONG_TIMES[10:40], neuron.push)
        send(nest, node, neuron.ports[1], INHIBITION, neuron.pull)
        nest.Simulate(90.0)
        return recorded(found, neuron.atol) | {"spikes": spikes(recorder.events["times"])}

    return case


def spike_numbers(recorder: Any, n: int) -> np.ndarray:
    """Spikes of each of the senders 1 .. n."""
    return np.bincount(np.asarray(recorder.events["senders"], dtype=np.int64), minlength=n + 1)[1:]


def intervals(recorder: Any, skip: float = 0.0) -> np.ndarray:
    """Between spikes of the same sender [ms], after `skip` ms."""
    events = recorder.events
    order = np.lexsort((events["times"], events["senders"]))
    times, senders = np.asarray(events["times"])[order], np.asarray(events["senders"])[order]
    return np.diff(times)[(np.diff(senders) == 0) & (times[:-1] > skip)]
