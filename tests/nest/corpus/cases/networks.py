# SPDX-License-Identifier: Apache-2.0
"""Whole networks without random numbers in the simulator: made from arrays, so that every spike must be the same."""

import itertools

import numpy as np
from tests.nest.corpus.values import counts, near, spikes

EXACT = ("iaf_psc_exp", "iaf_psc_alpha", "iaf_psc_delta")
WEIGHTS = {"iaf_psc_exp": 90.0, "iaf_psc_alpha": 40.0, "iaf_psc_delta": 0.8}  # of an excitatory input, the unit of the model


def wire(nest, rng, sources, targets, indegree, scale, synapse="static_synapse", longest=3.0):
    """`indegree` inputs of each target, four of five excitatory, as arrays of sources, weights, delays."""
    n = len(targets)
    pre = rng.choice(np.array(sources.tolist()), (n, indegree))
    weights = np.where(rng.random((n, indegree)) < 0.8, 1.0, -4.0) * scale * rng.uniform(0.5, 1.5, (n, indegree))
    if synapse != "static_synapse":
        weights = np.abs(weights)
    delays = rng.integers(1, round(longest * 10) + 1, (n, indegree)) / 10.0
    post = np.repeat(np.array(targets.tolist()), indegree)
    nest.Connect(pre.ravel(), post, "one_to_one", {"synapse_model": synapse, "weight": weights.ravel(), "delay": delays.ravel()})


def record(nest, cells, time):
    """Times and senders of all spikes, in order."""
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Simulate(time)
    events = recorder.events
    order = np.lexsort((events["senders"], np.round(events["times"], 6)))
    return {"times": spikes(events["times"]), "senders": [int(sender) for sender in np.asarray(events["senders"])[order]]}


def drive(nest, rng, cells, rate, scale, time):
    """Each cell gets a spike train of its own, drawn here."""
    for cell in cells:
        times = np.unique(np.round(rng.uniform(0.2, time, rng.poisson(rate * time / 1000.0)), 1))
        nest.Connect(nest.Create("spike_generator", params={"spike_times": times}), cell, syn_spec={"weight": scale, "delay": 1.0})


def network_of(model, seed):
    def case(nest):
        rng = np.random.default_rng(seed)
        cells = nest.Create(model, 40, {"I_e": rng.uniform(300.0, 420.0, 40), "V_m": rng.uniform(-70.0, -56.0, 40)})
        wire(nest, rng, cells, cells, 12, WEIGHTS[model])
        drive(nest, rng, cells[:20], 200.0, 2.0 * WEIGHTS[model], 250.0)
        return record(nest, cells, 250.0)

    return case


for _seed, _model in enumerate(EXACT):
    globals()[f"case_network_of_{_model}"] = network_of(_model, 100 + _seed)


def case_network_of_three_models(nest):
    rng = np.random.default_rng(1)
    parts = [nest.Create(model, 15, {"I_e": rng.uniform(330.0, 450.0, 15), "t_ref": rng.integers(5, 40, 15) / 10.0}) for model in EXACT]
    cells = sum(parts)
    for model, part in zip(EXACT, parts, strict=True):
        wire(nest, rng, cells, part, 10, WEIGHTS[model], longest=8.0)
    return record(nest, cells, 250.0)


def case_network_with_heterogeneous_cells(nest):
    rng = np.random.default_rng(2)
    n = 40
    cells = nest.Create(
        "iaf_psc_exp",
        n,
        {
            "C_m": rng.uniform(150.0, 300.0, n),
            "tau_m": rng.uniform(8.0, 20.0, n),
            "tau_syn_ex": rng.uniform(0.5, 4.0, n),
            "V_th": rng.uniform(-56.0, -50.0, n),
        },
    )
    cells.I_e = rng.uniform(300.0, 700.0, n)
    wire(nest, rng, cells, cells, 15, 80.0)
    return record(nest, cells, 200.0)


def case_network_with_a_coarse_grid(nest):
    nest.resolution = 0.5
    rng = np.random.default_rng(3)
    cells = nest.Create("iaf_psc_alpha", 30, {"I_e": rng.uniform(350.0, 450.0, 30)})
    pre, post = rng.choice(cells.tolist(), 300), rng.choice(cells.tolist(), 300)
    nest.Connect(pre, post, "one_to_one", {"weight": rng.normal(0.0, 60.0, 300), "delay": rng.integers(1, 9, 300) / 2.0})
    return record(nest, cells, 300.0)


def case_network_with_plastic_synapses(nest):
    rng = np.random.default_rng(4)
    cells = nest.Create("iaf_psc_exp", 25, {"I_e": rng.uniform(380.0, 460.0, 25), "tau_minus": 25.0})
    nest.CopyModel("stdp_synapse", "learning", {"lambda": 0.02, "Wmax": 500.0, "mu_plus": 0.3, "mu_minus": 0.3})
    wire(nest, rng, cells, cells, 10, 60.0, "learning")
    found = record(nest, cells, 300.0)
    cells.I_e = -5000.0  # silence, until every spike has arrived: before, NEST's weights are ahead by the spikes on the way
    nest.Simulate(10.0)
    connections = nest.GetConnections(synapse_model="learning")
    rows = np.array([connections.get("source"), connections.get("target"), connections.get("delay"), connections.get("weight")])
    return found | {"weights": near(rows[3][np.lexsort((rows[3], rows[2], rows[1], rows[0]))], 1e-8)}


def case_network_of_relays(nest):
    """Parrots hand spikes on; each has several inputs at the same time."""
    rng = np.random.default_rng(5)
    relays = nest.Create("parrot_neuron", 20)
    for first in range(0, 15, 5):
        wire(nest, rng, relays[first : first + 5], relays[first + 5 : first + 10], 2, 1.0)
    nest.Connect(nest.Create("spike_generator", params={"spike_times": [1.0, 1.5, 7.0]}), relays[:5])
    return record(nest, relays, 40.0)


def case_network_in_layers(nest):
    """A synfire chain made with rules that draw nothing."""
    pools = [nest.Create("iaf_psc_alpha", 20, {"C_m": 250.0}) for _ in range(5)]
    for pre, post in itertools.pairwise(pools):
        nest.Connect(pre, post, "all_to_all", {"weight": 45.0, "delay": 2.0})
    packet = np.round(10.0 + np.linspace(-1.0, 1.0, 20), 1)
    for time, cell in zip(packet, pools[0], strict=True):
        nest.Connect(nest.Create("spike_generator", params={"spike_times": [time]}), cell, syn_spec={"weight": 3000.0})
    return record(nest, sum(pools), 80.0)


def case_network_with_inhibition_and_devices(nest):
    rng = np.random.default_rng(6)
    exc, inh = (
        nest.Create("iaf_psc_exp", 24, {"V_m": rng.uniform(-70.0, -55.5, 24)}),
        nest.Create("iaf_psc_exp", 6, {"V_m": rng.uniform(-70.0, -55.5, 6)}),
    )
    nest.Connect(exc, inh, "all_to_all", {"weight": rng.uniform(20.0, 60.0, (6, 24)), "delay": 1.5})
    nest.Connect(inh, exc, "all_to_all", {"weight": -rng.uniform(50.0, 90.0, (24, 6)), "delay": 0.8})
    nest.Connect(nest.Create("dc_generator", params={"amplitude": 450.0, "start": 20.0, "stop": 180.0}), exc)
    steps = nest.Create(
        "step_current_generator", params={"amplitude_times": [50.0, 100.0, 150.0], "amplitude_values": [100.0, -200.0, 300.0]}
    )
    nest.Connect(steps, exc[::2], syn_spec={"weight": 0.7, "delay": 3.0})
    return record(nest, exc + inh, 220.0)


def case_network_run_in_pieces(nest):
    rng = np.random.default_rng(7)
    cells = nest.Create("iaf_psc_delta", 30, {"I_e": rng.uniform(350.0, 420.0, 30)})
    wire(nest, rng, cells, cells, 8, 1.0)
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    for piece in (10.0, 0.1, 33.3, 56.6, 100.0):
        nest.Simulate(piece)
        cells.I_e = np.array(cells.I_e) + 5.0
    events = recorder.events
    order = np.lexsort((events["senders"], np.round(events["times"], 6)))
    return {"times": spikes(events["times"]), "senders": [int(sender) for sender in np.asarray(events["senders"])[order]]}


def case_network_of_conductances(nest):
    """Solvers differ in the last digits: rates and first spikes agree."""
    rng = np.random.default_rng(8)
    cells = nest.Create("iaf_cond_exp", 30, {"I_e": rng.uniform(300.0, 420.0, 30)})
    wire(nest, rng, cells, cells, 8, 1.0)
    found = record(nest, cells, 100.0)
    first = {sender: time for time, sender in sorted(zip(found["times"].values, found["senders"], strict=True), reverse=True)}
    return {"first": near([first[node] for node in sorted(first)], 0.1001), "who": sorted(first)}


def case_network_that_is_edited(nest):
    """Connections are removed, and get other delays and weights of the other sign, while spikes are on their way."""
    rng = np.random.default_rng(17)
    cells = nest.Create("iaf_psc_exp", 30, {"I_e": rng.uniform(350.0, 450.0, 30), "V_m": rng.uniform(-70.0, -56.0, 30)})
    wire(nest, rng, cells, cells, 12, WEIGHTS["iaf_psc_exp"])
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Simulate(61.3)
    nest.GetConnections(cells[:6], cells).disconnect()
    nest.GetConnections(cells[6:12], cells).delay = 1.7
    nest.Simulate(20.4)
    nest.GetConnections(cells[12:18], cells[:15]).set(weight=-40.0, delay=0.6)
    nest.GetConnections(cells[6:9], cells).weight = 70.0
    nest.Simulate(60.0)
    events = recorder.events
    order = np.lexsort((events["senders"], np.round(events["times"], 6)))
    return {
        "times": spikes(events["times"]),
        "senders": [int(sender) for sender in np.asarray(events["senders"])[order]],
        "number": nest.num_connections,
    }


def case_plastic_network_with_parameters_of_every_synapse(nest):
    rng = np.random.default_rng(23)
    cells = nest.Create("iaf_psc_exp", 20, {"I_e": rng.uniform(370.0, 450.0, 20)})
    pre, post = rng.integers(1, 21, 120), rng.integers(1, 21, 120)
    synapse = {"synapse_model": "stdp_synapse", "weight": rng.uniform(20.0, 80.0, 120), "delay": rng.integers(5, 30, 120) / 10.0}
    nest.Connect(pre, post, "one_to_one", synapse | {"lambda": rng.uniform(0.01, 0.1, 120), "alpha": rng.uniform(0.5, 1.5, 120)})
    return record(nest, cells, 150.0)


def case_neurons_whose_spikes_say_more(nest):
    """Short-term plasticity and NMDA gating by the source, and neurons with two states."""
    found = {}
    for model, port, drive in (("iaf_tum_2000", 1, 500.0), ("iaf_bw_2001", 3, 700.0)):
        nest.ResetKernel()
        cells, current = nest.Create(model, 6), nest.Create("dc_generator", params={"amplitude": drive})
        meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 2.0})
        nest.Connect(current, cells[:3])
        nest.Connect(
            cells, cells, {"rule": "all_to_all", "allow_autapses": False}, {"weight": 40.0 if port == 1 else 0.5, "receptor_type": port}
        )
        nest.Connect(meter, cells)
        nest.Simulate(60.0)
        order = np.lexsort((meter.events["senders"], meter.events["times"]))
        found[model] = near(np.asarray(meter.events["V_m"])[order], 1e-9 if port == 1 else 2e-2)
    nest.ResetKernel()
    nodes = nest.Create("erfc_neuron", 40, {"theta": -0.5, "tau_m": 4.0})
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 0.5, "allow_autapses": False}, {"weight": -0.15, "delay": 0.5})
    states = nest.Create("multimeter", params={"record_from": ["S"], "interval": 20.0})
    nest.Connect(states, nodes)
    nest.Simulate(1500.0)
    active = np.bincount(np.asarray(states.events["times"]).round().astype(int) // 20, states.events["S"])
    return {**found, "active": counts(active[6:].astype(int))}
