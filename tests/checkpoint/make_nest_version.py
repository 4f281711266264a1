# SPDX-License-Identifier: Apache-2.0
"""Writes a small checkpoint of the NEST front end, as make_version.py one of the native one: `python -m checkpoint.make_nest_version FILE`."""

import hashlib
import sys
from pathlib import Path

import numpy as np

import neuropil.nest as nest
from neuropil.nest import checkpoints


def build():
    """All kinds of recorders and models that keep something of their own."""
    nest.ResetKernel()
    nest.SetKernelStatus({"rng_seed": 11, "local_num_threads": 1, "resolution": 0.1})
    nest.SetDefaults("iaf_psc_exp", {"tau_m": 12.0})
    nest.CopyModel("iaf_psc_exp", "slow", {"tau_m": 30.0})
    recorder = nest.Create("weight_recorder")
    nest.CopyModel("stdp_synapse", "plastic", {"weight_recorder": recorder, "alpha": 1.1})
    cells, slow = nest.Create("iaf_psc_exp", 8, {"I_e": 420.0}), nest.Create("slow", 3)
    noise, train = (
        nest.Create("poisson_generator", params={"rate": 4000.0}),
        nest.Create("spike_generator", params={"spike_times": [5.0, 31.0]}),
    )
    nest.Connect(noise, cells + slow, syn_spec={"weight": 40.0})
    nest.Connect(train, cells, syn_spec={"weight": 90.0, "delay": 1.5})
    nest.Connect(cells, slow, {"rule": "fixed_indegree", "indegree": 3}, {"synapse_model": "plastic", "weight": 20.0, "delay": 2.0})
    nest.Connect(cells, cells, {"rule": "pairwise_bernoulli", "p": 0.4}, {"weight": nest.random.uniform(-20.0, 20.0), "delay": 1.2})
    spikes, volts, meter = (
        nest.Create("spike_recorder"),
        nest.Create("voltmeter"),
        nest.Create("multimeter", params={"record_from": ["V_m", "I_syn_ex"]}),
    )
    of_train, correlations = nest.Create("spike_recorder"), nest.Create("correlation_detector", params={"delta_tau": 0.5, "tau_max": 5.0})
    nest.Connect(cells + slow, spikes)
    nest.Connect(train, of_train)
    of_noise, current = nest.Create("spike_recorder"), nest.Create("noise_generator", params={"mean": 5.0, "std": 20.0})
    of_current = nest.Create("multimeter", params={"record_from": ["I"], "interval": 0.5})
    nest.Connect(noise, of_noise)
    nest.Connect(current, slow)
    nest.Connect(of_current, current)
    nest.Connect(volts, slow)
    nest.Connect(meter, cells[:2])
    for port in (0, 1):
        nest.Connect(cells[port], correlations, syn_spec={"receptor_type": port})
    return {
        "cells": cells,
        "slices": [cells[:3], cells[1::3]],
        "recorders": recorder + spikes + volts + meter + of_train + correlations + of_noise + of_current,
    }


def grow():
    """Synapses that form and go."""
    nest.CopyModel("static_synapse", "grown", {"weight": 30.0, "delay": 1.0})
    nest.SetKernelStatus(
        {
            "structural_plasticity_update_interval": 10.0,
            "structural_plasticity_synapses": {
                "grown": {"synapse_model": "grown", "pre_synaptic_element": "axon", "post_synaptic_element": "spine"}
            },
        }
    )
    curve = {"growth_curve": "gaussian", "growth_rate": 0.02, "continuous": False, "eta": 0.0, "eps": 0.05, "z": 2.0}
    nest.Create("iaf_psc_alpha", 5, {"I_e": 400.0, "synaptic_elements": {"axon": curve, "spine": curve}})
    nest.EnableStructuralPlasticity()


def finish(found) -> str:
    """What the network ends with."""
    nest.Simulate(30.0)
    text = []
    for node in found["recorders"]:
        status = node.get()
        events = status.get("events", {})
        text += [f"{key} {np.asarray(values).tolist()}" for key, values in sorted(events.items()) if key not in ("ports", "offsets")]
        text += [str(np.asarray(status.get(key, ())).tolist()) for key in ("n_events", "histogram", "count_histogram")]
    columns = nest.GetConnections().get(["source", "target", "weight", "delay"])
    text += [str(found["cells"].get("V_m")), str(sorted(zip(*columns.values(), strict=True)))]  # versions differ in the order
    return hashlib.sha256("\n".join(text).encode()).hexdigest()


def prepared():
    """Run up to where it is saved. Versions before 23 lose what stimulators have sent to recorders and nobody has read."""
    found = build()
    grow()
    nest.Simulate(25.3)
    for node in found["recorders"]:
        node.get()
    return found


if __name__ == "__main__":
    saved = prepared()
    checkpoints.save(Path(sys.argv[1]), extra=saved)
    print(Path(sys.argv[1]).stat().st_size, "bytes;", finish(saved))
