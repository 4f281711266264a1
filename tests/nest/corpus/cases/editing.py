# SPDX-License-Identifier: Apache-2.0
"""Connections that change: Disconnect, and delays and parameters of connections that exist, before and after Simulate."""

import numpy as np
from tests.nest.corpus.values import error, near

PRE = [5.0, 12.0, 19.0, 31.0, 38.0, 52.0, 66.0, 71.0, 85.0]
POST = [7.0, 14.0, 17.0, 33.0, 36.0, 55.0, 63.0, 74.0, 82.0]


def pair(nest, times=None, **syn_spec):
    """A parrot that sends PRE to a neuron with a voltmeter."""
    generator = nest.Create("spike_generator", params={"spike_times": times or PRE})
    pre, post = nest.Create("parrot_neuron"), nest.Create("iaf_psc_exp")
    meter = nest.Create("voltmeter", params={"interval": 0.5})
    nest.Connect(generator, pre)
    nest.Connect(pre, post, syn_spec={"weight": 200.0, "delay": 2.0, **syn_spec})
    nest.Connect(meter, post)
    return pre, post, meter


def plastic(nest, **syn_spec):
    """Parrots as both ends of a plastic synapse, so that its weight is known."""
    ends = []
    for times in (PRE, POST):
        generator = nest.Create("spike_generator", params={"spike_times": times})
        ends.append(nest.Create("parrot_neuron"))
        nest.Connect(generator, ends[-1])
    nest.Connect(ends[0], ends[1], syn_spec={"weight": 50.0, "delay": 1.0, "receptor_type": 1, **syn_spec})
    return ends


def grid(nest):
    a, b = nest.Create("iaf_psc_exp", 3), nest.Create("iaf_psc_exp", 3)
    nest.Connect(a, b)
    return a, b


def pairs(nest):
    found = nest.GetConnections()
    return sorted(zip(found.sources(), found.targets(), strict=True))


def case_disconnect_one_to_one(nest):
    a, b = grid(nest)
    nest.Disconnect(a, b)
    return {"left": pairs(nest), "number": nest.num_connections, "again": error(lambda: nest.Disconnect(a, b))}


def case_disconnect_all_to_all(nest):
    a, b = grid(nest)
    nest.Disconnect(a[:2], b[1:], conn_spec="all_to_all", syn_spec="static_synapse")
    return {"left": pairs(nest), "number": nest.num_connections}


def case_disconnect_a_collection(nest):
    a, b = grid(nest)
    nest.Disconnect(nest.GetConnections(a[0]))
    nest.GetConnections(a[1:], b[2]).disconnect()
    found = nest.GetConnections()
    nest.Disconnect(found)
    return {"first": len(found), "left": nest.num_connections, "none": len(nest.GetConnections())}


def case_disconnect_takes_the_oldest(nest):
    a, b = nest.Create("iaf_psc_exp"), nest.Create("iaf_psc_exp")
    for weight in (1.0, 2.0, 3.0):
        nest.Connect(a, b, syn_spec={"weight": weight})
    nest.Connect(a, b, syn_spec={"weight": 9.0, "synapse_model": "stdp_synapse"})
    nest.Disconnect(a, b)
    first = sorted(nest.GetConnections().weight)
    nest.Disconnect(a, b, syn_spec={"synapse_model": "stdp_synapse"})
    return {"first": first, "second": sorted(nest.GetConnections().weight)}


def case_disconnect_refuses(nest):
    a, b = grid(nest)
    noise = nest.Create("poisson_generator")
    nest.Connect(noise, a)
    return {
        "lengths": error(lambda: nest.Disconnect(a, b[:2])),
        "rule": error(lambda: nest.Disconnect(a, b, conn_spec={"rule": "fixed_indegree", "indegree": 1})),
        "no rule": error(lambda: nest.Disconnect(a, b, conn_spec="nonsense")),
        "model": error(lambda: nest.Disconnect(a, b, syn_spec="nonsense")),
        "other model": error(lambda: nest.Disconnect(a, b, syn_spec="stdp_synapse")),
        "key": error(lambda: nest.Disconnect(a, b, syn_spec={"nonsense": 1.0})),
        "one": error(lambda: nest.Disconnect(a)),
        "lists": error(lambda: nest.Disconnect([1], [4])),
        "positional rule": error(lambda: nest.Disconnect(a, b, "one_to_one")),
        "device": error(lambda: nest.Disconnect(noise, a, conn_spec="all_to_all")),
        "device's": error(lambda: nest.GetConnections(noise).disconnect()),
        "number": nest.num_connections,
    }


def case_spikes_on_their_way_arrive(nest):
    pre, post, meter = pair(nest, delay=5.0)
    nest.Simulate(15.0)
    nest.Disconnect(pre, post)
    nest.Simulate(30.0)
    return {"V_m": near(meter.events["V_m"], 1e-9), "number": nest.num_connections}


def case_connected_again(nest):
    pre, post, meter = pair(nest)
    nest.Connect(pre, nest.Create("iaf_psc_exp", 2))
    nest.Simulate(20.0)
    nest.Disconnect(pre, post)
    nest.Simulate(20.0)
    nest.Connect(pre, post, syn_spec={"weight": -150.0, "delay": 2.0})
    nest.Simulate(40.0)
    return {"V_m": near(meter.events["V_m"], 1e-9)}


def case_others_go_on(nest):
    _, post, meter = pair(nest, delay=3.0)
    others = nest.Create("parrot_neuron", 4)
    generator = nest.Create("spike_generator", params={"spike_times": [10.0, 11.0, 13.0, 40.0]})
    nest.Connect(generator, others)
    for delay in (1.0, 2.5, 6.0):
        nest.Connect(others, post, syn_spec={"weight": [[40.0, 50.0, 60.0, 70.0]], "delay": delay})
    nest.Simulate(13.0)
    nest.Disconnect(others[1:3], post, conn_spec="all_to_all")
    nest.Simulate(40.0)
    return {"V_m": near(meter.events["V_m"], 1e-9), "left": nest.num_connections}


def case_set_the_delay(nest):
    pre, post, meter = pair(nest)
    found = nest.GetConnections(pre, post)
    found.delay = 4.0
    nest.Connect(pre, nest.Create("iaf_psc_exp"), syn_spec={"delay": 1.0})
    nest.Simulate(15.0)
    found.delay = 3.0
    nest.Simulate(15.0)
    found.set(delay=1.5)
    nest.Simulate(30.0)
    return {"V_m": near(meter.events["V_m"], 1e-9), "delay": near(found.delay, 1e-9), "weight": found.weight}


def case_set_delays_one_by_one(nest):
    grid(nest)
    found = nest.GetConnections()
    delays = [1.0 + 0.3 * s + 0.1 * t for s, t in zip(found.sources(), found.targets(), strict=True)]
    found.delay = delays
    read = nest.GetConnections()
    return {
        "delays": near(sorted(read.delay), 1e-9),
        "own": near(np.array(found.delay) - delays, 1e-9),
        "bounds": near([nest.min_delay, nest.max_delay], 1e-9),
        "rounded": near([setattr(found, "delay", 1.26), found[0].delay][1], 1e-9),
    }


def case_set_delay_refuses(nest):
    grid(nest)
    found = nest.GetConnections()
    small = error(lambda: found.set(delay=0.01))
    found.delay = [1.0] * 8 + [3.0]
    nest.Simulate(1.0)
    return {
        "small": small,
        "below": error(lambda: found.set(delay=0.5)),
        "above": error(lambda: found.set(delay=4.0)),
    }


def case_set_learning_rates(nest):
    pre, post = plastic(nest, synapse_model="stdp_synapse")
    found = nest.GetConnections(pre, post)
    weights = []
    for change in ({}, {"lambda": 0.05}, {"alpha": 0.5, "tau_plus": 12.0}, {"mu_plus": 0.4, "Wmax": 80.0}):
        found.set(change)
        nest.Simulate(20.0)
        weights.append(found.weight)
    return {"weights": near(weights, 1e-9), "read": near(found.get(["lambda", "alpha", "tau_plus", "mu_plus", "Wmax"])["alpha"], 1e-12)}


def case_set_parameters_one_by_one(nest):
    a, b = nest.Create("parrot_neuron", 2), nest.Create("parrot_neuron", 2)
    nest.Connect(a, b, syn_spec={"synapse_model": "stdp_synapse"})
    found = nest.GetConnections(a, b)
    found.set([{"alpha": 0.1 * s + t} for s, t in zip(found.sources(), found.targets(), strict=True)])
    found[:2].set([{"lambda": 0.2}, {"mu_minus": 0.3}])
    rows = sorted((c.source, c.target, c.alpha) for c in nest.GetConnections())
    return {"alpha": near([row[2] for row in rows], 1e-12), "lambda": sorted(found.get("lambda")), "mu_minus": sorted(found.mu_minus)}


def case_set_short_term_plasticity(nest):
    pre, post, meter = pair(nest, synapse_model="tsodyks2_synapse", U=0.5, tau_rec=100.0, weight=800.0)
    found = nest.GetConnections(pre, post)
    nest.Simulate(25.0)
    found.set(tau_rec=20.0, tau_fac=50.0)
    nest.Simulate(25.0)
    found.set(U=0.3, weight=-900.0)
    nest.Simulate(30.0)
    return {"V_m": near(meter.events["V_m"], 1e-9), "read": found.get(["U", "tau_rec", "tau_fac", "weight"])}


def case_set_parameters_refuses(nest):
    a, b = nest.Create("iaf_psc_exp", 2), nest.Create("iaf_psc_exp", 2)
    nest.Connect(a, b, syn_spec={"synapse_model": "stdp_synapse"})
    nest.Connect(a, b, syn_spec={"synapse_model": "tsodyks_synapse"})
    stdp, tsodyks = (nest.GetConnections(synapse_model=model) for model in ("stdp_synapse", "tsodyks_synapse"))
    start = [tsodyks.set(x=0.5, u=0.2), sorted(tsodyks.x), sorted(tsodyks.u)][1:]
    return {
        "start": start,
        "receptor": error(lambda: stdp.set(receptor=1)),
        "model": error(lambda: stdp.set(synapse_model="static_synapse")),
        "sign": error(lambda: stdp.set(Wmax=-100.0)),
        "weight": error(lambda: stdp.set(weight=-1.0)),
        "U": error(lambda: tsodyks.set(U=2.0)),
        "x": error(lambda: tsodyks.set(x=2.0)),
        "both": [stdp.set(weight=-1.0, Wmax=-50.0), sorted(stdp.weight), sorted(stdp.Wmax)][1:],
    }


def case_change_signs(nest):
    pre, post, meter = pair(nest)
    found = nest.GetConnections(pre, post)
    nest.Simulate(13.0)
    found.weight = -300.0
    nest.Simulate(20.0)
    found.weight = 100.0
    nest.Simulate(30.0)
    return {"V_m": near(meter.events["V_m"], 1e-9), "weight": found.weight}


def case_collections_stay_valid(nest):
    a, b = nest.Create("iaf_psc_exp", 2), nest.Create("iaf_psc_exp", 2)
    nest.Connect(a, b, syn_spec={"weight": [[1.0, 2.0], [3.0, 4.0]]})
    found = nest.GetConnections()
    one = nest.GetConnections(a[0], b[0])
    nest.Connect(b, a, syn_spec={"weight": 7.0})
    read = sorted(found.weight)
    found.weight = [10.0 * w for w in found.weight]
    found.delay = 2.0
    return {"read": read, "set": sorted(nest.GetConnections(a).weight), "one": [one.weight, one.delay], "length": len(found)}


def case_connections_of_devices(nest):
    cells, noise = nest.Create("iaf_psc_exp", 3), nest.Create("poisson_generator", params={"rate": 1000.0})
    current, meter, recorder = (
        nest.Create("dc_generator", params={"amplitude": 100.0}),
        nest.Create("voltmeter"),
        nest.Create("spike_recorder"),
    )
    nest.Connect(noise, cells, syn_spec={"weight": 2.0})
    nest.Connect(current, cells[:1], syn_spec={"weight": 3.0})
    nest.Connect(meter, cells)
    nest.Connect(cells, recorder)
    nest.GetConnections(noise).weight = [0.0, 0.0, 5.0]
    nest.GetConnections(current).set(weight=-1.0, delay=2.0)
    nest.GetConnections(meter).delay = 3.0
    nest.GetConnections(target=recorder).weight = 4.0
    nest.Simulate(5.0)
    nest.GetConnections(current).weight = 2.0
    nest.Simulate(20.0)
    events = meter.events
    return {
        "noise": sorted(nest.GetConnections(noise).weight),
        "current": nest.GetConnections(current).get(["weight", "delay"]),
        "meter": nest.GetConnections(meter).delay,
        "recorder": nest.GetConnections(target=recorder).weight,
        "V_m": near([v for v, s in zip(events["V_m"], events["senders"], strict=True) if s < 3], 1e-9),
    }


def case_many_values_of_a_parameter(nest):
    a, b = nest.Create("parrot_neuron", 20), nest.Create("parrot_neuron", 20)
    values = 0.01 + 1e-4 * np.arange(400.0).reshape(20, 20)
    nest.Connect(a, b, syn_spec={"synapse_model": "stdp_synapse", "lambda": values})
    return {"lambda": near(sorted(nest.GetConnections().get("lambda")), 1e-12)}


def case_tau_minus_of_plastic_synapses(nest):
    ends = plastic(nest, synapse_model="stdp_synapse")
    cells = nest.Create("iaf_psc_delta", 2, {"V_th": -69.9, "t_ref": 0.1, "tau_minus": [15.0, 25.0]})
    generator = nest.Create("spike_generator", params={"spike_times": POST})
    nest.Connect(generator, cells, syn_spec={"weight": 10.0})
    nest.Connect(ends[0], cells, syn_spec={"synapse_model": "stdp_synapse", "weight": 1e-4, "Wmax": 2e-4, "lambda": 0.1})
    cells.tau_minus = [12.0, 40.0]
    nest.Simulate(100.0)
    return {"weights": near(nest.GetConnections(ends[0], cells).weight, 1e-12), "tau_minus": cells.tau_minus}


def lent(nest, model, receptor, weight, start, changes, recorded):
    """Three neurons that lend parameters to their connections, which are changed between calls of Simulate while spikes are on their way."""
    drive = nest.Create("dc_generator", params={"amplitude": 700.0})
    sources, targets = nest.Create(model, 3, start), nest.Create(model, 2)
    meter = nest.Create("multimeter", params={"record_from": [recorded], "interval": 0.5})
    nest.Connect(drive, sources)
    for delay in (1.0, 7.0):
        nest.Connect(sources, targets, "all_to_all", {"receptor_type": receptor, "weight": weight, "delay": delay})
    nest.Connect(meter, targets)
    for change in changes:
        sources.set(change)
        nest.Simulate(30.0)
    sources[1].set(changes[-1])
    nest.Simulate(30.0)
    return near(meter.events[recorded], 1e-8)


def case_parameters_of_iaf_tum_2000_that_its_connections_have(nest):
    changes = {
        "before": [{"x": 0.5, "u": 0.2, "y": 0.1, "U": 0.3}, {}],
        "U": [{}, {"U": 0.3}, {"U": [0.2, 0.4, 0.6]}],
        "tau": [{}, {"tau_rec": 100.0, "tau_psc": 5.0}, {"tau_fac": 0.0}, {"tau_fac": 50.0, "U": 0.7}],
    }
    found = {}
    for name, given in changes.items():
        nest.ResetKernel()
        found[name] = lent(nest, "iaf_tum_2000", 1, 50.0, {"x": 0.9}, given, "I_syn_ex")
    return found


def case_parameters_of_iaf_bw_2001_that_its_connections_have(nest):
    changes = {
        "alpha": [{"alpha": 0.4}, {"alpha": 0.3}, {"alpha": [0.2, 0.4, 0.6]}],
        "tau": [{}, {"tau_rise_NMDA": 5.0}, {"tau_decay_NMDA": 50.0, "alpha": 0.7}],
    }
    found = {}
    for name, given in changes.items():
        nest.ResetKernel()
        found[name] = lent(nest, "iaf_bw_2001", 3, 0.2, {}, given, "s_NMDA")
    return found
