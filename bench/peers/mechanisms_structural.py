# SPDX-License-Identifier: Apache-2.0
"""Structural plasticity: a network of 800 excitatory and 200 inhibitory neurons that grows all its connections.

It is after NEST's example structural_plasticity (Diaz-Pier et al. 2016): background noise, no connections at first; every neuron has axonal
elements of its kind and dendritic ones of both, which grow by Gaussian curves until calcium is at its target, 0.05 (5 spikes/s) for
excitatory and 0.2 (20 spikes/s) for inhibitory neurons. All that is slow, growth, calcium and updates, is FASTER times as fast, so that the
example is over after 1/FASTER of its 200 s.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.peers.case import Case, Probe

FASTER = 10.0
EXCITATORY, INHIBITORY = 800, 200
TIME, INTERVAL, RECORD_EVERY = 200_000.0, 10_000.0, 1_000.0  # ms
NEURON = {"tau_m": 10.0, "tau_syn_ex": 0.5, "tau_syn_in": 0.5, "t_ref": 2.0, "E_L": -65.0, "V_th": -50.0, "C_m": 250.0, "V_reset": -65.0}
WEIGHT, NOISE_WEIGHT, NOISE_RATE = 585.0, 63.0, 10_000.0  # pA, pA, spikes/s; without connections neurons fire at about 1 spike/s


def curve(rate: float, eps: float) -> dict[str, Any]:
    """An element that grows while calcium is below eps."""
    return {"growth_curve": "gaussian", "growth_rate": rate * FASTER, "continuous": False, "eta": 0.0, "eps": eps}


def growing(nest: Any, n: int) -> Probe:
    """Four fifths are excitatory; nobody is connected at first. Calcium and inputs are read once per second of the example."""
    n_exc = n * EXCITATORY // (EXCITATORY + INHIBITORY)
    nest.structural_plasticity_update_interval = INTERVAL / FASTER
    nest.CopyModel("static_synapse", "synapse_ex", {"weight": WEIGHT, "delay": 1.0})
    nest.CopyModel("static_synapse", "synapse_in", {"weight": -WEIGHT, "delay": 1.0})
    nest.structural_plasticity_synapses = {
        "synapse_ex": {"synapse_model": "synapse_ex", "post_synaptic_element": "Den_ex", "pre_synaptic_element": "Axon_ex"},
        "synapse_in": {"synapse_model": "synapse_in", "post_synaptic_element": "Den_in", "pre_synaptic_element": "Axon_in"},
    }
    parameters = NEURON | {"tau_Ca": 10_000.0 / FASTER, "beta_Ca": 0.001 * FASTER}
    e, i = curve(0.0001, 0.05), curve(0.0001, 0.2)
    excitatory = nest.Create("iaf_psc_exp", n_exc, parameters)
    excitatory.synaptic_elements = {"Den_ex": e, "Den_in": e, "Axon_ex": e}
    inhibitory = nest.Create("iaf_psc_exp", n - n_exc, parameters)
    inhibitory.synaptic_elements = {"Den_ex": curve(0.0004, 0.2), "Den_in": i, "Axon_in": i}
    noise = nest.Create("poisson_generator", params={"rate": NOISE_RATE})
    nest.Connect(noise, excitatory + inhibitory, "all_to_all", {"weight": NOISE_WEIGHT, "delay": 1.0})
    nest.EnableStructuralPlasticity()
    return lambda: asked(nest, excitatory, inhibitory)


def asked(nest: Any, excitatory: Any, inhibitory: Any) -> dict[str, float]:
    """Mean calcium, and in-degree with its standard deviation, of both populations."""
    found = {}
    for name, nodes in (("exc", excitatory), ("inh", inhibitory)):
        found[f"calcium_{name}"] = float(np.mean(nodes.Ca))
        for element in ("Den_ex", "Den_in"):
            connected = [one[element]["z_connected"] for one in nodes.synaptic_elements]
            found[f"{element}_of_{name}"] = float(np.mean(connected))
            found[f"{element}_of_{name}_sd"] = float(np.std(connected))
    return found


CASES = {
    "structural": Case(
        "structural plasticity, 1000 neurons (NEST: 1 thread)",
        growing,
        EXCITATORY + INHIBITORY,
        TIME / FASTER,
        5.0,
        warm=RECORD_EVERY / FASTER,
        pieces=200,
        nest_threads=1,
    )
}
