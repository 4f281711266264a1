# SPDX-License-Identifier: Apache-2.0
"""gif_pop_psc_exp: what is not random exactly, activity as a sample of many independent populations, what is shown and refused."""

import numpy as np
from tests.nest.corpus.values import counts, error, near, sample


def case_potential_and_currents(nest):
    nest.ResetKernel()
    nest.resolution = 0.5
    cell = nest.Create("gif_pop_psc_exp", params={"V_T_star": 1000.0, "E_L": 2.0, "V_m": 3.0, "I_e": 10.0, "tau_syn_ex": 5.0})
    for times, weight in (([5.0, 12.0], 100.0), ([8.0, 9.0], -50.0)):
        source = nest.Create("spike_generator", params={"spike_times": times})
        nest.Connect(source, cell, syn_spec={"weight": weight, "delay": 1.0})
    current = nest.Create("dc_generator", params={"amplitude": 80.0, "start": 20.0, "stop": 30.0})
    nest.Connect(current, cell, syn_spec={"weight": 1.5, "delay": 0.5})
    names = ["E_sfa", "I_syn_ex", "I_syn_in", "V_m", "mean", "n_events"]
    meter = nest.Create("multimeter", params={"interval": 0.5, "record_from": names})
    nest.Connect(meter, cell)
    nest.Simulate(50.0)
    return {name: near(np.asarray(meter.events[name], float), atol=1e-12) for name in names} | {"recordables": cell.recordables}


def _activity(nest, populations, ms, **params):
    """Spikes of each of many populations, [populations]."""
    nest.ResetKernel()
    nest.set(resolution=0.5, rng_seed=17)
    cells = nest.Create("gif_pop_psc_exp", populations, params=params)
    meter = nest.Create("multimeter", params={"interval": 0.5, "record_from": ["n_events"]})
    nest.Connect(meter, cells)
    nest.Simulate(ms)
    events = meter.events
    return np.array([np.asarray(events["n_events"])[events["senders"] == gid] for gid in cells.tolist()])


def case_activity_with_adaptation(nest):
    given = {"N": 100, "I_e": 320.0, "tau_sfa": [60.0, 20.0], "q_sfa": [1.5, 0.5]}
    n = _activity(nest, 60, 250.0, **given)
    return {"early": counts(n[:, 40:100].sum(axis=1)), "late": counts(n[:, 300:].sum(axis=1)), "in a step": counts(n[:, 400])}


def case_poisson_numbers_and_a_strong_current(nest):
    n = _activity(nest, 60, 100.0, N=30, I_e=600.0, BinoRand=False, t_ref=2.0, q_sfa=[0.0])
    return {"all": counts(n[:, 50:].sum(axis=1)), "in a step": counts(n[:, 150]), "most": int(n.max() <= 30)}


def case_two_populations_that_talk(nest):
    nest.ResetKernel()
    nest.set(resolution=0.5, rng_seed=5)
    both = {"I_e": 280.0, "tau_sfa": [100.0], "q_sfa": [0.5]}
    exc, inh = nest.Create("gif_pop_psc_exp", 30, params=both | {"N": 80}), nest.Create("gif_pop_psc_exp", 30, params=both | {"N": 20})
    nest.Connect(exc, inh, "one_to_one", {"weight": 8.0, "delay": 1.0})
    nest.Connect(inh, exc, "one_to_one", {"weight": -30.0, "delay": 1.5})
    heard = nest.Create("iaf_psc_exp", 30, params={"V_th": 1e9})
    nest.Connect(exc, heard, "one_to_one", {"weight": 20.0, "delay": 1.0})
    spikes = nest.Create("spike_recorder")
    nest.Connect(exc, spikes)
    nest.Simulate(300.0)
    senders = spikes.events["senders"]
    return {"spikes": counts(np.array([np.sum(senders == gid) for gid in exc.tolist()])), "V_m": sample(np.array(heard.V_m))}


def case_shown_and_refused(nest):
    nest.ResetKernel()
    cell, neuron = nest.Create("gif_pop_psc_exp"), nest.Create("iaf_psc_exp")
    found = {
        key: error(lambda key=key, value=value: cell.set({key: value}))
        for key, value in {
            "n_events": 3,
            "mean": 2.0,
            "E_sfa": 3.0,
            "N": 0,
            "BinoRand": 1,
            "Delta_V": 0.0,
            "lambda_0": -1.0,
            "tau_m": 0.0,
            "tau_syn_ex": 0.0,
            "t_ref": -1.0,
            "q_sfa": [1.0, 2.0],
            "tau_sfa": [0.0],
            "len_kernel": 2.5,
        }.items()
    }
    found |= {
        "stdp onto it": error(lambda: nest.Connect(neuron, cell, syn_spec="stdp_synapse")),
        "receptor": error(lambda: nest.Connect(neuron, cell, syn_spec={"receptor_type": 1})),
        "before": cell.get(["N", "BinoRand", "len_kernel", "q_sfa", "tau_sfa", "n_events", "mean"]),
    }
    nest.Connect(cell, neuron, syn_spec="stdp_synapse")
    nest.Simulate(1.0)
    found["length"] = cell.len_kernel
    for given in ({"q_sfa": [0.0]}, {"q_sfa": [1.0, 0.5], "tau_sfa": [33.0, 777.0]}, {"len_kernel": 60}, {"tau_m": 7.3, "q_sfa": [-1.0]}):
        nest.ResetKernel()
        nest.resolution = 0.5
        cell = nest.Create("gif_pop_psc_exp", params=given)
        nest.Simulate(1.0)
        found[f"length {given}"] = cell.len_kernel
    return found
