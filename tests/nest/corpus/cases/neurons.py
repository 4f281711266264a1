# SPDX-License-Identifier: Apache-2.0
"""Every neuron model: defaults, parameters, trace below threshold, spikes under step currents and under fixed spike input."""

import numpy as np
from tests.nest.corpus import neurons
from tests.nest.corpus.values import counts, error, near, sample

for _model, _neuron in neurons.NEURONS.items():
    globals()[f"case_{_model}_defaults"] = neurons.defaults(_model)
    globals()[f"case_{_model}_parameters"] = neurons.parameters(_model)
    if _model not in neurons.NO_METER:
        globals()[f"case_{_model}_below_threshold"] = neurons.below_threshold(_model)
        if not _neuron.step and not _neuron.silent:
            globals()[f"case_{_model}_trace_with_spikes"] = neurons.exact_trace(_model)
    if _model not in neurons.NO_CURRENT and _model not in neurons.RANDOM:
        globals()[f"case_{_model}_step_current"] = neurons.step_current(_model)
    if _model not in neurons.RANDOM and _model != "ignore_and_fire":
        globals()[f"case_{_model}_spike_input"] = neurons.spike_input(_model)


def population(nest, model, n, time, **params):
    """Spike recorder of `n` independent nodes after `time` ms."""
    nodes, recorder = nest.Create(model, n, params), nest.Create("spike_recorder")
    nest.Connect(nodes, recorder)
    nest.Simulate(time)
    return recorder


def case_gif_psc_exp_intervals(nest):
    recorder = population(nest, "gif_psc_exp", 20, 1000.0, I_e=180.0, q_sfa=[5.0], tau_sfa=[60.0], Delta_V=2.0)
    return {"intervals": sample(neurons.intervals(recorder, 200.0)[::2])}


def case_gif_cond_exp_intervals(nest):
    recorder = population(nest, "gif_cond_exp", 20, 1000.0, I_e=180.0, q_stc=[10.0], tau_stc=[60.0], Delta_V=2.0)
    return {"intervals": sample(neurons.intervals(recorder, 200.0)[::2])}


def case_pp_psc_delta_intervals(nest):
    recorder = population(nest, "pp_psc_delta", 20, 2000.0, I_e=300.0, dead_time=2.0)
    return {"intervals": sample(neurons.intervals(recorder)), "numbers": counts(neurons.spike_numbers(recorder, 20))}


def case_pp_psc_delta_random_dead_time(nest):
    recorder = population(nest, "pp_psc_delta", 20, 2000.0, I_e=300.0, dead_time=5.0, dead_time_random=True, dead_time_shape=3)
    return {"intervals": sample(neurons.intervals(recorder))}


def case_ignore_and_fire_trains(nest):
    nodes = nest.Create("ignore_and_fire", 3, {"rate": [20.0, 50.0, 33.0], "phase": [0.2, 0.5, 1.0]})
    recorder = nest.Create("spike_recorder")
    nest.Connect(nodes, recorder)
    nest.Simulate(200.0)
    events = recorder.events
    return {str(node): sorted(events["times"][events["senders"] == node].tolist()) for node in (1, 2, 3)}


def binary(nest, model, **params):
    """States of 40 independent binary neurons, each 25 ms."""
    nodes = nest.Create(model, 40, params)
    meter = nest.Create("multimeter", params={"record_from": ["S"], "interval": 25.0})
    nest.Connect(meter, nodes)
    nest.Simulate(1000.0)
    return np.array(meter.events["S"]).astype(int)


def case_mcculloch_pitts_neuron_defaults(nest):
    return neurons.defaults("mcculloch_pitts_neuron")(nest)


def case_mcculloch_pitts_neuron_states(nest):
    return {
        "on": counts(binary(nest, "mcculloch_pitts_neuron", theta=-0.5)),
        "off": counts(binary(nest, "mcculloch_pitts_neuron", theta=0.5)),
    }


def case_ginzburg_neuron_defaults(nest):
    return neurons.defaults("ginzburg_neuron")(nest)


def case_ginzburg_neuron_states(nest):
    return {"states": counts(binary(nest, "ginzburg_neuron", theta=0.3, c_1=0.1))}


def case_erfc_neuron_defaults(nest):
    return neurons.defaults("erfc_neuron")(nest)


def case_binary_neurons_in_a_network(nest):
    """A coupled pair of ensembles: inhibition keeps the mean activity down."""
    nodes = nest.Create("ginzburg_neuron", 50, {"theta": -1.0, "tau_m": 5.0})
    once = {"allow_autapses": False, "allow_multapses": False}  # NEST mixes up the spikes of two connections from one source
    nest.Connect(nodes, nodes, {"rule": "fixed_indegree", "indegree": 20, **once}, {"weight": -0.1})
    meter = nest.Create("multimeter", params={"record_from": ["S"], "interval": 20.0})
    nest.Connect(meter, nodes)
    nest.Simulate(1000.0)
    states = np.array(meter.events["S"]).reshape(-1, 50)[5:]
    return {"active": counts(states.sum(axis=1))}


def case_ht_neuron_receptors(nest):
    return {"receptors": {str(key): int(value) for key, value in nest.GetDefaults("ht_neuron", "receptor_types").items()}}


def case_input_of_binary_neurons(nest):
    """Two spikes at once: the source went to state 1; one: to 0."""
    generator = nest.Create("spike_generator", params={"spike_times": [1.0, 4.0, 6.0, 6.5], "spike_multiplicities": [2, 1, 2, 1]})
    relay, cell = nest.Create("parrot_neuron"), nest.Create("ginzburg_neuron", params={"theta": 100.0})
    meter = nest.Create("multimeter", params={"record_from": ["h", "S"], "interval": 0.5})
    nest.Connect(generator, relay)
    nest.Connect(relay, cell, syn_spec={"weight": 0.7, "delay": 1.5})
    nest.Connect(generator, cell, syn_spec={"weight": -2.0})
    nest.Connect(meter, cell)
    nest.Simulate(12.0)
    return neurons.recorded(meter, 1e-9)


def case_binary_and_spiking_neurons_do_not_mix(nest):
    binary, cell = nest.Create("erfc_neuron"), nest.Create("iaf_psc_exp")
    return {
        "to binary": error(lambda: nest.Connect(cell, binary)),
        "from binary": error(lambda: nest.Connect(binary, cell)),
        "poisson": error(lambda: nest.Connect(nest.Create("poisson_generator"), binary)),
        "spin detector": error(lambda: nest.Connect(cell, nest.Create("spin_detector"))),
        "read only": error(lambda: binary.set(S=True)),
    }


def driven(nest, model, port, params, weight):
    """Input of a cell from one of the same model that is made to spike, at a port whose spikes say more than that they came."""
    source, cell = nest.Create(model, params=params), nest.Create(model, params=params | {"V_th": 1000.0})
    nest.Connect(source, cell, syn_spec={"weight": weight, "receptor_type": port, "delay": 1.5})
    current = nest.Create("step_current_generator", params={"amplitude_times": [1.0, 60.0, 90.0], "amplitude_values": [900.0, 0.0, 900.0]})
    nest.Connect(current, source)
    names = sorted({"I_syn_ex", "s_NMDA", "I_NMDA", "V_m"} & set(map(str, nest.GetDefaults(model, "recordables"))))
    meter = nest.Create("multimeter", params={"record_from": names, "interval": 0.5})
    nest.Connect(meter, cell)
    nest.Simulate(120.0)
    return source, meter


def case_nmda_of_iaf_bw_2001(nest):
    _, meter = driven(nest, "iaf_bw_2001", 3, {"tau_rise_NMDA": 3.0, "alpha": 0.4, "conc_Mg2": 0.8}, 2.0)
    return neurons.recorded(meter, 5e-3)


def case_short_term_plasticity_of_iaf_tum_2000(nest):
    params = {"U": 0.3, "tau_fac": 50.0, "tau_rec": 100.0, "tau_psc": 3.0, "x": 0.5, "u": 0.1, "y": 0.2}
    source, meter = driven(nest, "iaf_tum_2000", 1, params, 100.0)
    return {**neurons.recorded(meter, 1e-9), **{key: near(source.get(key)) for key in "xyu"}}


def case_ports_that_need_a_source_of_the_same_model(nest):
    cell, tum, bw = nest.Create("iaf_psc_exp"), nest.Create("iaf_tum_2000"), nest.Create("iaf_bw_2001")
    return {
        "NMDA": error(lambda: nest.Connect(cell, bw, syn_spec={"receptor_type": 3})),
        "no port": error(lambda: nest.Connect(cell, bw, syn_spec={"receptor_type": 0})),
        "tum at 0": error(lambda: nest.Connect(tum, tum, syn_spec={"receptor_type": 0})),
        "others": [error(lambda port=port: nest.Connect(cell, tum, syn_spec={"receptor_type": port})) for port in (0, 1, 2)],
    }


def case_iaf_cond_alpha_mc_compartments(nest):
    cell = nest.Create("iaf_cond_alpha_mc", params={"soma": {"I_e": 100.0, "V_m": -65.0}, "distal": {"tau_syn_ex": 1.0}, "g_sp": 3.0})
    names = [str(name) for name in nest.GetDefaults("iaf_cond_alpha_mc", "recordables")]
    meter = nest.Create("multimeter", params={"record_from": names, "interval": 0.5})
    nest.Connect(meter, cell)
    for port in range(1, 7):
        neurons.send(nest, cell, port, [3.0 * port, 20.0 + port], 5.0)
    nest.Simulate(40.0)
    found = neurons.recorded(meter, 5e-3)
    ports = {str(k): int(v) for k, v in nest.GetDefaults("iaf_cond_alpha_mc", "receptor_types").items()}
    return {**found, "I_e": cell.soma["I_e"], "tau": cell.distal["tau_syn_ex"], "ports": ports}


def case_multisynapse_ports(nest):
    """Four time constants, four ports; a fifth is refused in another case."""
    cell = nest.Create("iaf_psc_exp_multisynapse", params={"tau_syn": [0.5, 2.0, 5.0, 20.0]})
    meter = nest.Create("multimeter", params={"record_from": ["V_m", "I_syn_1", "I_syn_2", "I_syn_3", "I_syn_4"]})
    nest.Connect(meter, cell)
    for port in (1, 2, 3, 4):
        neurons.send(nest, cell, port, [10.0 * port], 100.0)
    nest.Simulate(80.0)
    return {"n": cell.n_synapses, **neurons.recorded(meter, 1e-9)}


def case_refractory_input_of_iaf_psc_delta(nest):
    found = {}
    for keep in (False, True):
        nest.ResetKernel()
        cell = nest.Create("iaf_psc_delta", params={"refractory_input": keep, "t_ref": 5.0})
        meter = nest.Create("voltmeter", params={"interval": 0.5})
        nest.Connect(meter, cell)
        neurons.send(nest, cell, 0, [5.0], 20.0)
        neurons.send(nest, cell, 0, [7.0, 8.0], 3.0)
        nest.Simulate(20.0)
        found |= {f"{key} {keep}": value for key, value in neurons.recorded(meter, 1e-9).items()}
    return found


def case_lower_bound_of_the_potential(nest):
    cell = nest.Create("iaf_psc_alpha", params={"V_min": -75.0})
    meter = nest.Create("voltmeter", params={"interval": 0.5})
    nest.Connect(meter, cell)
    neurons.send(nest, cell, 0, [5.0, 6.0, 7.0], -800.0)
    nest.Simulate(40.0)
    return neurons.recorded(meter, 1e-9)


def case_escape_noise_of_iaf_psc_exp(nest):
    recorder = population(nest, "iaf_psc_exp", 20, 1000.0, I_e=330.0, delta=2.0, rho=40.0)
    return {"intervals": sample(neurons.intervals(recorder))}
