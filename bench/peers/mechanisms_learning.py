# SPDX-License-Identifier: Apache-2.0
"""Networks that learn: pairs, triplets, short-term plasticity, dopamine, the voltage of the target, its dendrite."""

from __future__ import annotations

import statistics

from bench.peers.case import Case, Probe

INDEGREE = 100
POINT = {
    "stdp": ("stdp_synapse", {"Wmax": 80.0}),
    "triplet": ("stdp_triplet_synapse", {"Wmax": 80.0}),
    "tsodyks": ("tsodyks_synapse", {"tau_psc": 2.0}),
}


def driven(nest, n: int):
    """Neurons that fire some ten times a second."""
    cells = nest.Create("iaf_psc_exp", n)
    noise = nest.Create("poisson_generator", params={"rate": 8000.0})
    nest.Connect(noise, cells, syn_spec={"weight": 22.0, "delay": 1.0})
    return cells


def point_neurons(nest, case: str, n: int) -> Probe:
    cells = driven(nest, n)
    model, parameters = POINT[case]
    synapse = {"synapse_model": model, "weight": 5.0, "delay": 1.5, **parameters}
    nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": INDEGREE}, synapse)
    return asked(nest, cells, lambda: nest.GetConnections(cells[:20], synapse_model=model))


def dopamine(nest, n: int) -> Probe:
    cells = driven(nest, n)
    transmitter = nest.Create("volume_transmitter")
    nest.Connect(cells[: n // 100], transmitter)
    nest.SetDefaults("stdp_dopamine_synapse", {"volume_transmitter": transmitter, "Wmax": 80.0, "b": 0.1})
    nest.Connect(
        cells,
        cells,
        {"rule": "fixed_indegree", "indegree": INDEGREE},
        {"synapse_model": "stdp_dopamine_synapse", "weight": 5.0, "delay": 1.5},
    )
    return asked(nest, cells, lambda: nest.GetConnections(cells[:20], synapse_model="stdp_dopamine_synapse"))


def clopath(nest, n: int) -> Probe:
    cells = nest.Create("aeif_psc_delta_clopath", n, {"t_ref": 2.0})
    noise = nest.Create("poisson_generator", params={"rate": 2500.0})
    nest.Connect(noise, cells, syn_spec={"weight": 1.5, "delay": 1.0})
    nest.Connect(
        cells,
        cells,
        {"rule": "fixed_indegree", "indegree": INDEGREE},
        {"synapse_model": "clopath_synapse", "weight": 0.2, "delay": 1.0, "Wmax": 1.0},
    )
    return asked(nest, cells, lambda: nest.GetConnections(cells[:20], synapse_model="clopath_synapse"))


def urbanczik(nest, n: int) -> Probe:
    """Independent sources of 10 spikes/s onto the dendrites."""
    cells = nest.Create("pp_cond_exp_mc_urbanczik", n)
    noise, relays = nest.Create("poisson_generator", params={"rate": 10.0}), nest.Create("parrot_neuron", n)
    nest.Connect(noise, relays)
    synapse = {"synapse_model": "urbanczik_synapse", "weight": 20.0, "delay": 1.0, "receptor_type": 3, "eta": 0.01}
    nest.Connect(relays, cells, {"rule": "fixed_indegree", "indegree": INDEGREE}, synapse)
    return asked(nest, cells, lambda: nest.GetConnections(target=cells[:20], synapse_model="urbanczik_synapse"))


def asked(nest, cells, connections) -> Probe:
    """Spikes, and weights of some synapses."""
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)

    def probe() -> dict[str, float]:
        return {"spikes_per_neuron": int(recorder.n_events) / len(cells), "mean_weight": statistics.fmean(connections().weight)}

    return probe


def point(case: str):
    return lambda nest, n: point_neurons(nest, case, n)


CASES = {
    "stdp": Case("stdp_synapse, 10^6 synapses", point("stdp"), 10_000, 500.0, 5.0),
    "triplet": Case("stdp_triplet_synapse, 10^6 synapses", point("triplet"), 10_000, 500.0, 5.0),
    "tsodyks": Case("tsodyks_synapse, 10^6 synapses", point("tsodyks"), 10_000, 500.0, 5.0),
    "dopamine": Case("stdp_dopamine_synapse, 10^6 synapses, 100 neurons release", dopamine, 10_000, 200.0, 5.0),
    "clopath": Case("clopath_synapse, 2 x 10^5 synapses", clopath, 2_000, 100.0, 5.0),
    "urbanczik": Case("urbanczik_synapse, 10^5 synapses", urbanczik, 1_000, 200.0, 5.0),
}
