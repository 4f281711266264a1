# SPDX-License-Identifier: Apache-2.0
"""Deterministic protocols: each is a function of a simulator class (simulators.py) that returns named arrays.

MODELS: traces and spikes of every model under step current, spike input and constant current. STDP: weights after each presynaptic
spike. DEVICES: which steps a device acts on. refresh.py runs them on NEST and stores what comes back; the tests run neuropil.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Result = dict[str, np.ndarray]
H = 0.1
DURATION = 60.0

# Per model: what is recorded, parameters that differ from the defaults, weights (exc, inh), step currents, suprathreshold I_e.
CASES: dict[str, dict] = {
    "iaf_psc_delta": {
        "record": ["V_m"],
        "params": {"tau_m": 13.0, "C_m": 211.0, "t_ref": 1.3, "V_reset": -66.0, "E_L": -68.0, "V_th": -56.0, "V_m": -69.5, "I_e": 3.0},
        "weights": (4.1, -3.3),
        "steps": (250.0, -120.0, 90.0, 500.0),
        "drive": 420.0,
    },
    "iaf_psc_exp": {
        "record": ["V_m", "I_syn_ex", "I_syn_in"],
        "params": {
            "tau_m": 11.0,
            "C_m": 233.0,
            "t_ref": 1.7,
            "V_reset": -67.0,
            "E_L": -69.0,
            "V_th": -54.0,
            "V_m": -70.2,
            "I_e": 5.0,
            "tau_syn_ex": 0.7,
            "tau_syn_in": 3.1,
        },
        "weights": (1900.0, -450.0),
        "steps": (250.0, -120.0, 90.0, 550.0),
        "drive": 480.0,
    },
    "iaf_psc_alpha": {
        "record": ["V_m", "I_syn_ex", "I_syn_in"],
        "params": {
            "tau_m": 9.0,
            "C_m": 247.0,
            "t_ref": 0.9,
            "V_reset": -68.0,
            "E_L": -70.0,
            "V_th": -55.0,
            "V_m": -66.0,
            "I_e": -4.0,
            "tau_syn_ex": 0.33,
            "tau_syn_in": 2.6,
        },
        "weights": (2900.0, -330.0),
        "steps": (250.0, -120.0, 90.0, 600.0),
        "drive": 560.0,
    },
    "iaf_cond_exp": {
        "record": ["V_m", "g_ex", "g_in"],
        "params": {"C_m": 240.0, "t_ref": 1.1, "V_m": -68.0, "g_L": 15.0, "tau_syn_ex": 0.6, "tau_syn_in": 2.4, "E_in": -80.0},
        "weights": (45.0, -22.0),
        "steps": (150.0, -100.0, 60.0, 420.0),
        "drive": 480.0,
    },
    "aeif_cond_exp": {
        "record": ["V_m", "g_ex", "g_in", "w"],
        "params": {"C_m": 270.0, "t_ref": 0.4, "V_m": -69.0, "a": 5.0, "b": 60.0, "tau_w": 90.0, "tau_syn_ex": 0.5, "tau_syn_in": 2.2},
        "weights": (60.0, -25.0),
        "steps": (400.0, -200.0, 150.0, 900.0),
        "drive": 1100.0,
    },
    "izhikevich": {
        "record": ["V_m", "U_m"],
        "params": {"a": 0.03, "b": 0.22, "c": -60.0, "d": 6.0, "V_m": -63.0, "U_m": -12.0},
        "weights": (7.0, -4.0),
        "steps": (4.0, -3.0, 2.0, 12.0),
        "drive": 14.0,
    },
    "hh_psc_alpha": {
        "record": ["V_m", "I_syn_ex", "I_syn_in", "Act_m", "Inact_h", "Act_n"],
        "params": {"C_m": 105.0, "V_m": -63.0, "tau_syn_ex": 0.5, "tau_syn_in": 2.3, "g_L": 33.0},
        "weights": (900.0, -240.0),
        "steps": (120.0, -150.0, 80.0, 420.0),
        "drive": 650.0,
    },
}
EXACT = ("iaf_psc_delta", "iaf_psc_exp", "iaf_psc_alpha", "izhikevich")
STEP_TIMES = (4.0, 13.5, 21.2, 35.0)
EXC_TIMES = np.array(
    [2.0, 2.1, 7.0, 9.3, 9.4, 9.5, 15.0, 21.7, 22.0, 22.1, 22.2, 22.3, 22.4, 22.5, 24.0, 24.1, 24.2, 33.0, 40.5, 40.6, 40.7, 40.8]
)
INH_TIMES = np.array([5.0, 9.4, 18.0, 18.1, 25.0, 30.9, 33.2, 47.0])


def _read(sim, trace, spikes) -> Result:
    return sim.read_trace(trace) | {"spikes": sim.read_spikes(spikes)[0]}


def step_current(simulator: type, model: str) -> Result:
    """Own parameters, four current steps over delay 0.3 ms."""
    case = CASES[model]
    sim = simulator(H)
    node = sim.create(model, **case["params"])
    source = sim.device("step_current_generator", amplitude_times=list(STEP_TIMES), amplitude_values=list(case["steps"]))
    sim.connect(source, node, weight=1.0, delay=0.3)
    trace, spikes = sim.trace(node, case["record"]), sim.spikes(node)
    sim.run(DURATION)
    return _read(sim, trace, spikes)


def spike_input(simulator: type, model: str) -> Result:
    """Own parameters, excitatory spikes over delay 1.2 ms, inhibitory ones over 0.1 ms; bursts that make the neuron fire."""
    case = CASES[model]
    sim = simulator(H)
    node = sim.create(model, **case["params"])
    for times, weight, delay in ((EXC_TIMES, case["weights"][0], 1.2), (INH_TIMES, case["weights"][1], 0.1)):
        sim.connect(sim.device("spike_generator", spike_times=times.tolist()), node, weight=weight, delay=delay)
    trace, spikes = sim.trace(node, case["record"]), sim.spikes(node)
    sim.run(DURATION)
    return _read(sim, trace, spikes)


def constant_current(simulator: type, model: str) -> Result:
    """Default parameters, suprathreshold I_e, and the spike input of spike_input at a tenth of its weights."""
    case = CASES[model]
    sim = simulator(H)
    node = sim.create(model, I_e=case["drive"])
    for times, weight, delay in ((EXC_TIMES, case["weights"][0], 0.5), (INH_TIMES, case["weights"][1], 2.0)):
        sim.connect(sim.device("spike_generator", spike_times=times.tolist()), node, weight=0.1 * weight, delay=delay)
    trace, spikes = sim.trace(node, case["record"]), sim.spikes(node)
    sim.run(DURATION)
    return _read(sim, trace, spikes)


def equal_time_constants(simulator: type, model: str) -> Result:
    """tau_syn_ex = tau_m and tau_syn_in nearly so, where the textbook propagator is 0/0."""
    case = CASES[model]
    sim = simulator(H)
    node = sim.create(model, **case["params"] | {"tau_m": 5.0, "tau_syn_ex": 5.0, "tau_syn_in": 5.00001})
    for times, weight, delay in ((EXC_TIMES, case["weights"][0], 1.2), (INH_TIMES, case["weights"][1], 0.1)):
        sim.connect(sim.device("spike_generator", spike_times=times.tolist()), node, weight=0.1 * weight, delay=delay)
    trace, spikes = sim.trace(node, case["record"]), sim.spikes(node)
    sim.run(DURATION)
    return _read(sim, trace, spikes)


def parrots(simulator: type) -> Result:
    """A chain of three parrots: multiplicities and equal times are passed on, weights are not."""
    sim = simulator(H)
    chain = [sim.create("parrot_neuron") for _ in range(3)]
    source = sim.device("spike_generator", spike_times=[1.0, 2.0, 2.0, 5.5], spike_multiplicities=[1, 2, 1, 3])
    sim.connect(source, chain[0], weight=-3.0, delay=0.4)
    sim.connect(chain[0], chain[1], weight=2.0, delay=1.5)
    sim.connect(chain[1], chain[2], weight=0.0, delay=0.1)
    sim.connect(chain[0], chain[2], weight=1.0, delay=3.0)
    spikes = [sim.spikes(node) for node in chain]
    sim.run(20.0)
    return {f"spikes_{k}": sim.read_spikes(recorder)[0] for k, recorder in enumerate(spikes)}


IGNORE_AND_FIRE = ((10.0, 1.0), (100.0, 0.5), (100.0, 0.505), (300.0, 1.0), (300.0, 0.75), (333.0, 0.01), (1001.0, 0.3), (20000.0, 1.0))


def ignore_and_fire(simulator: type) -> Result:
    sim = simulator(H)
    nodes = [sim.create("ignore_and_fire", rate=rate, phase=phase) for rate, phase in IGNORE_AND_FIRE]
    source = sim.device("spike_generator", spike_times=[1.0, 2.0])
    for node in nodes:
        sim.connect(source, node, weight=5.0, delay=0.1)
    spikes = [sim.spikes(node) for node in nodes]
    sim.run(45.0)
    return {f"spikes_{k}": sim.read_spikes(recorder)[0] for k, recorder in enumerate(spikes)}


PROTOCOLS: dict[str, Callable[[type], Result]] = {"parrot_neuron": parrots, "ignore_and_fire": ignore_and_fire}
for _protocol in (step_current, spike_input, constant_current):
    for _model in CASES:
        PROTOCOLS[f"{_protocol.__name__}/{_model}"] = lambda simulator, p=_protocol, m=_model: p(simulator, m)
for _model in ("iaf_psc_exp", "iaf_psc_alpha"):
    PROTOCOLS[f"equal_time_constants/{_model}"] = lambda simulator, m=_model: equal_time_constants(simulator, m)


# ---- STDP ----------------------------------------------------------------------------------------------------------------------

PLASTIC: dict[str, tuple[str, dict[str, float], float]] = {
    "pl_hpc_benchmark": ("stdp_pl_synapse_hom", {"lambda": 0.1, "alpha": 0.0513, "mu": 0.4, "tau_plus": 15.0, "tau_minus": 30.0}, 45.61),
    "pl_depressing": ("stdp_pl_synapse_hom", {"lambda": 0.05, "alpha": 0.9, "mu": 0.4, "tau_plus": 20.0, "tau_minus": 20.0}, 12.0),
    "pl_linear": ("stdp_pl_synapse_hom", {"lambda": 0.02, "alpha": 0.1, "mu": 1.0, "tau_plus": 8.0, "tau_minus": 40.0}, 3.0),
    "pair_default": (
        "stdp_synapse",
        {"lambda": 0.01, "alpha": 1.0, "mu_plus": 1.0, "mu_minus": 1.0, "Wmax": 100.0, "tau_plus": 20.0, "tau_minus": 20.0},
        30.0,
    ),
    "pair_additive": (
        "stdp_synapse",
        {"lambda": 0.1, "alpha": 1.1, "mu_plus": 0.0, "mu_minus": 0.0, "Wmax": 50.0, "tau_plus": 15.0, "tau_minus": 25.0},
        25.0,
    ),
    "pair_guetig": (
        "stdp_synapse",
        {"lambda": 0.05, "alpha": 1.05, "mu_plus": 0.4, "mu_minus": 0.7, "Wmax": 70.0, "tau_plus": 10.0, "tau_minus": 30.0},
        40.0,
    ),
}
STDP_DELAYS = (0.1, 1.0, 3.7)
STDP_DURATION = 400.0


def spike_trains(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Stamps of presynaptic and postsynaptic spikes [ms], fixed for all time.

    random: both irregular. dense: intervals down to 0.2 ms. edges: post exactly at, one step before and after pre - delay of each delay
    in STDP_DELAYS, and pre = post.
    """
    if kind == "edges":
        pre = np.arange(20.0, 380.0, 20.0)
        shift = np.array([-3.8, -3.7, -3.6, -1.1, -1.0, -0.9, -0.2, -0.1, 0.0, 0.1, 0.2, 0.9, 1.0, 1.1, 3.6, 3.7, 3.8, -10.0])
        return pre, np.sort(np.round(pre + shift, 1))
    random = np.random.Generator(np.random.Philox(key=2024 if kind == "random" else 2025))
    count = 40 if kind == "random" else 150
    steps = [np.sort(random.choice(np.arange(20, 3800, 2 if kind == "dense" else 3), count, replace=False)) for _ in range(2)]
    return steps[0] * H, steps[1] * H


def stdp(simulator: type, kind: str) -> Result:
    """Weight after each presynaptic spike, for every entry of PLASTIC and every delay. Weights are double.

    The source is a parrot, the target an iaf_psc_delta that a generator makes fire: the plastic input is far below its threshold.
    """
    sim = simulator(H)
    pre_stamps, post_stamps = (np.round(t, 6) for t in spike_trains(kind))
    source = sim.create("parrot_neuron")
    sim.connect(sim.device("spike_generator", spike_times=np.round(pre_stamps - 0.1, 6).tolist()), source, delay=0.1)
    teacher = sim.device("spike_generator", spike_times=np.round(post_stamps - 0.1, 6).tolist())
    plastic, delays, targets, names = [], [], [], []
    for label, (synapse, params, weight) in PLASTIC.items():
        for delay in STDP_DELAYS:
            target = sim.create("iaf_psc_delta", E_L=0.0, V_m=0.0, V_reset=0.0, V_th=1e5, t_ref=H)
            sim.connect(teacher, target, weight=1e6, delay=0.1)
            plastic.append(sim.connect_plastic(source, target, synapse, params, weight, delay))
            delays.append(delay)
            targets.append(sim.spikes(target))
            names.append(f"{label}/{delay:g}")
    weights = sim.weights_after(plastic, [pre_stamps] * len(plastic), delays, STDP_DURATION)
    for recorder in targets:
        assert np.allclose(sim.read_spikes(recorder)[0], post_stamps), "the postsynaptic train is not the one asked for"
    return {"pre": pre_stamps, "post": post_stamps} | dict(zip(names, weights, strict=True))


STDP = {f"stdp/{kind}": lambda simulator, k=kind: stdp(simulator, k) for kind in ("random", "dense", "edges")}


# ---- devices -------------------------------------------------------------------------------------------------------------------


def offered(table: dict, simulator: type) -> list[tuple]:
    """(label, entry) of the entries whose parameters the simulator has; parameters are the entry or its first item."""
    pairs = [(label, entry, entry[0] if isinstance(entry, tuple) else entry) for label, entry in table.items()]
    return [(label, entry) for label, entry, params in pairs if not simulator.lacks & set(params)]


TAU = 10.0
LEAK = float(np.exp(-H / TAU))
PROBE = {"E_L": 0.0, "V_m": 0.0, "V_reset": 0.0, "V_th": 1e9, "tau_m": TAU, "C_m": TAU}


def kicks(v: np.ndarray) -> np.ndarray:
    """What moved V in each step besides the leak [mV]; v: (..., samples) of a PROBE that starts at 0."""
    before = np.concatenate([np.zeros_like(v[..., :1]), v[..., :-1]], axis=-1)
    return v - LEAK * before


def currents(v: np.ndarray) -> np.ndarray:
    """Constant current in each step [pA]; entry n covers (n h, (n+1) h]."""
    return kicks(v) / (1.0 - LEAK)


def probe(sim, device, duration: float, weight: float = 1.0, delay: float = H) -> np.ndarray:
    """V_m at h, 2 h, ... of a PROBE with this one device as input."""
    node = sim.create("iaf_psc_delta", **PROBE)
    sim.connect(device, node, weight=weight, delay=delay)
    trace = sim.trace(node, ["V_m"])
    sim.run(duration)
    found = sim.read_trace(trace)
    assert np.allclose(found["times"], H * np.arange(1, len(found["times"]) + 1))
    return found["V_m"][0]


DC = {
    "always": ({}, 1.0, 0.1),
    "window": ({"start": 1.0, "stop": 1.5}, 1.0, 0.1),
    "delay": ({"start": 1.0, "stop": 1.5}, -2.5, 0.3),
    "long_delay": ({"start": 1.0, "stop": 1.5}, 1.0, 2.0),
    "from_0": ({"start": 0.0, "stop": 0.5}, 1.0, 0.1),
    "from_h": ({"start": 0.1, "stop": 0.5}, 1.0, 0.1),
    "from_2h": ({"start": 0.2, "stop": 0.5}, 1.0, 0.1),
    "one_step": ({"start": 1.0, "stop": 1.1}, 1.0, 0.1),
    "never": ({"start": 1.0, "stop": 1.0}, 1.0, 0.1),
    "origin": ({"start": 1.0, "stop": 1.5, "origin": 0.5}, 1.0, 0.1),
}
STEP = {
    "two": ({"amplitude_times": [1.0, 1.5], "amplitude_values": [1.0, 2.0]}, 1.0, 0.1),
    "delay": ({"amplitude_times": [1.0, 1.5], "amplitude_values": [1.0, 0.0]}, -3.0, 0.3),
    "early": ({"amplitude_times": [0.1, 0.2, 0.3, 0.5], "amplitude_values": [1.0, 2.0, 3.0, 0.0]}, 1.0, 0.1),
    "gated": ({"amplitude_times": [1.0, 1.5], "amplitude_values": [1.0, 2.0], "start": 1.2, "stop": 1.7}, 1.0, 0.1),
    "gated_late": ({"amplitude_times": [1.0, 1.5], "amplitude_values": [1.0, 2.0], "start": 2.0, "stop": 2.2}, 1.0, 0.2),
    "origin": ({"amplitude_times": [1.0, 1.5], "amplitude_values": [1.0, 2.0], "start": 1.2, "stop": 1.7, "origin": 0.5}, 1.0, 0.1),
}


def dc_windows(simulator: type) -> Result:
    found = {}
    for label, (params, weight, delay) in offered(DC, simulator):
        sim = simulator(H)
        found[label] = currents(probe(sim, sim.device("dc_generator", amplitude=1.5, **params), 4.0, weight, delay))
    return found


def step_windows(simulator: type) -> Result:
    found = {}
    for label, (params, weight, delay) in offered(STEP, simulator):
        sim = simulator(H)
        found[label] = currents(probe(sim, sim.device("step_current_generator", **params), 4.0, weight, delay))
    return found


def changes_between_runs(simulator: type) -> Result:
    """dc amplitude, then I_e of the target, changed between two runs."""
    found = {}
    for delay in (0.1, 1.0):
        sim = simulator(H)
        node, device = sim.create("iaf_psc_delta", **PROBE), sim.device("dc_generator", amplitude=0.0)
        sim.connect(device, node, delay=delay)
        trace = sim.trace(node, ["V_m"])
        sim.run(1.0)
        sim.set(device, amplitude=1.0)
        sim.run(0.5)
        sim.set(device, amplitude=0.0)
        sim.run(2.0)
        sim.set(node, I_e=7.0)
        sim.run(0.5)
        found[f"dc_delay_{delay:g}"] = currents(sim.read_trace(trace)["V_m"][0])
    return found


SPIKE_GENERATOR = {
    "window": {"spike_times": [0.1, 0.5, 0.9, 1.0, 1.1, 1.5, 1.9, 2.0, 2.1], "start": 1.0, "stop": 2.0},
    "first_window": {"spike_times": [0.1, 0.5, 1.0, 1.1], "start": 0.0, "stop": 1.0},
    "origin": {"spike_times": [1.0, 1.5], "origin": 1.0},
    "double": {"spike_times": [1.0, 1.0, 2.0]},
    "multiplicities": {"spike_times": [1.0, 2.0, 3.0], "spike_multiplicities": [3, 0, 2]},
    "weights": {"spike_times": [1.0, 2.0], "spike_weights": [2.0, -5.0]},
    "both": {"spike_times": [1.0, 2.0], "spike_weights": [2.0, -5.0], "spike_multiplicities": [2, 3]},
}


def spike_generators(simulator: type) -> Result:
    """dV by step in a PROBE (weight 1.5, delay 0.3) and the spikes of a parrot (delay 0.3)."""
    found = {}
    for label, params in offered(SPIKE_GENERATOR, simulator):
        sim = simulator(H)
        device, parrot = sim.device("spike_generator", **params), sim.create("parrot_neuron")
        sim.connect(device, parrot, delay=0.3)
        spikes = sim.spikes(parrot)
        found[f"{label}/dV"] = kicks(probe(sim, device, 5.0, 1.5, 0.3))
        found[f"{label}/parrot"] = sim.read_spikes(spikes)[0]
    return found


MULTIMETER = {
    "default_interval": {"interval": 1.0},
    "offset": {"interval": 0.5, "offset": 0.2},
    "offset_beyond": {"interval": 0.5, "offset": 1.3},
    "offset_equal": {"interval": 0.5, "offset": 0.5},
    "odd": {"interval": 0.3},
    "window": {"interval": 0.5, "start": 0.9, "stop": 2.1},
    "window_edges": {"interval": 0.5, "start": 1.0, "stop": 2.0},
    "origin": {"interval": 0.5, "start": 1.2, "origin": 1.0},
}


def multimeters(simulator: type) -> Result:
    """Stamps of the samples, over runs of 1.7, 0.6 and 2.7 ms, and V_m there."""
    found = {}
    for label, params in offered(MULTIMETER, simulator):
        if "meter_window" in simulator.lacks and {"start", "stop"} & set(params):
            continue
        sim = simulator(H)
        node = sim.create("iaf_psc_exp", I_e=100.0)
        trace = sim.trace(node, ["V_m"], **params)
        for ms in (1.7, 0.6, 2.7):
            sim.run(ms)
        read = sim.read_trace(trace)
        found |= {f"{label}/times": read["times"], f"{label}/V_m": read["V_m"][0]}
    return found


def spike_recorders(simulator: type) -> Result:
    found = {}
    windows = {"all": {}, "window": {"start": 1.1, "stop": 2.1}, "origin": {"origin": 0.9, "start": 0.2, "stop": 1.1}}
    for label, params in offered(windows, simulator):
        sim = simulator(H)
        parrot = sim.create("parrot_neuron")
        sim.connect(sim.device("spike_generator", spike_times=[0.1, 0.9, 1.0, 1.1, 1.9, 2.0, 2.1]), parrot, delay=0.1)
        recorder = sim.spikes(parrot, **params)
        sim.run(4.0)
        found[label] = sim.read_spikes(recorder)[0]
    return found


POISSON = {
    "default": ({}, 0.1),
    "window": ({"start": 1.0, "stop": 2.0}, 0.1),
    "window_delay": ({"start": 1.0, "stop": 2.0}, 1.0),
    "one_step": ({"start": 1.0, "stop": 1.1}, 0.1),
    "origin": ({"start": 1.0, "stop": 2.0, "origin": 1.0}, 0.1),
}


def poisson_windows(simulator: type) -> Result:
    """First and last stamp that a dense poisson_generator sends (20 targets at 1e5 spikes/s: no step stays empty)."""
    found = {}
    for label, (params, delay) in offered(POISSON, simulator):
        sim = simulator(H)
        parrots = sim.create("parrot_neuron", 20)
        sim.connect(sim.device("poisson_generator", rate=1e5, **params), parrots, delay=delay)
        recorder = sim.spikes(parrots)
        sim.run(5.0)
        found[label] = np.round(np.unique(sim.read_spikes(recorder)[0])[[0, -1]] - delay, 6)
    return found


NOISE = {
    "default_dt": ({}, 0.1),
    "dt": ({"dt": 0.5}, 0.1),
    "start": ({"dt": 0.5, "start": 1.2, "stop": 2.5}, 0.1),
    "delay": ({"dt": 0.3}, 1.0),
    "every_step": ({"dt": 0.1}, 0.1),
}


def noise_blocks(simulator: type) -> Result:
    """First step of each block of constant current, and the last step with current."""
    found = {}
    for label, (params, delay) in offered(NOISE, simulator):
        sim = simulator(H)
        current = currents(probe(sim, sim.device("noise_generator", mean=10.0, std=1.0, **params), 5.0, 1.0, delay))
        change = np.flatnonzero(np.abs(np.diff(np.concatenate([[0.0], current]))) > 1e-6)
        found[label] = np.append(change, np.flatnonzero(np.abs(current) > 1e-6)[-1])
    return found


DEVICES = {
    f"device/{p.__name__}": p
    for p in (dc_windows, step_windows, changes_between_runs, spike_generators, multimeters, spike_recorders, poisson_windows, noise_blocks)
}


# ---- a network without randomness ----------------------------------------------------------------------------------------------

NETWORK_MODELS = ("iaf_psc_exp", "iaf_psc_alpha", "iaf_psc_delta")
NETWORK_SIZE, NETWORK_DURATION = 40, 150.0


def pair_lists(random: np.random.Generator, sources: np.ndarray, targets: np.ndarray, indegree: int) -> tuple[np.ndarray, np.ndarray]:
    """indegree different sources for each target, no autapses."""
    chosen = [random.choice(sources[sources != target], indegree, replace=False) for target in targets]
    return np.concatenate(chosen), np.repeat(targets, indegree)


def recurrent_network(simulator: type, threads: int = 1) -> Result:
    """120 neurons of three models, 2400 explicit connections of many delays, half of the excitatory ones plastic, spike trains as input."""
    random = np.random.Generator(np.random.Philox(key=77))
    sim = simulator(H, threads=threads)
    groups = []
    for model in NETWORK_MODELS:
        start = np.round(random.uniform(-70.0, -58.0, NETWORK_SIZE), 3)
        drive = np.round(random.uniform(180.0, 330.0, NETWORK_SIZE), 1)
        nodes = sim.create(model, NETWORK_SIZE)
        sim.set(nodes, V_m=start.tolist(), I_e=drive.tolist())
        sim.set_post_trace(nodes, 25.0)
        groups.append(nodes)
    ids = [sim.ids(nodes) for nodes in groups]
    everyone = np.concatenate(ids)
    exc, inh = everyone[np.arange(len(everyone)) % 5 != 0], everyone[np.arange(len(everyone)) % 5 == 0]
    for targets, scale in zip(ids, (110.0, 60.0, 0.5), strict=True):
        for sources, indegree, factor, plastic in ((exc, 8, 1.0, False), (exc, 8, 1.0, True), (inh, 4, -4.0, False)):
            pre, post = pair_lists(random, sources, targets, indegree)
            weights = factor * scale * np.round(random.uniform(0.5, 1.5, len(pre)), 4)
            delays = np.round(random.integers(5, 40, len(pre)) * H, 1)
            params = {"lambda": 0.1, "alpha": 0.05, "mu": 0.4, "tau_plus": 15.0, "tau_minus": 25.0}
            sim.connect_pairs(pre, post, weights, delays, *(("stdp_pl_synapse_hom", params) if plastic else ()))
        for _ in range(10):
            train = np.sort(random.choice(np.arange(1, 1490), 60, replace=False)) * H
            source = sim.device("spike_generator", spike_times=np.round(train, 1).tolist())
            chosen = random.choice(targets, 12, replace=False)
            pre = np.repeat(sim.ids(source), len(chosen))
            sim.connect_pairs(pre, chosen, np.full(len(chosen), 1.5 * scale), np.full(len(chosen), 1.0))
    recorders, traces = [sim.spikes(nodes) for nodes in groups], [sim.trace(nodes, ["V_m"], interval=5.0) for nodes in groups]
    sim.run(NETWORK_DURATION)
    found = {}
    for model, nodes, recorder, trace in zip(NETWORK_MODELS, ids, recorders, traces, strict=True):
        times, senders = sim.read_spikes(recorder)
        found |= {f"{model}/times": times, f"{model}/senders": senders - nodes[0], f"{model}/V_m": sim.read_trace(trace)["V_m"]}
    return found


NETWORKS = {"recurrent_network": recurrent_network}
ALL = PROTOCOLS | STDP | DEVICES | NETWORKS
