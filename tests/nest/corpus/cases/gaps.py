# SPDX-License-Identifier: Apache-2.0
"""What was found to differ from NEST once: each row of the list has a case here, unless its theme has one."""

import math

import numpy as np
from tests.nest.corpus.values import error, near, spikes


def recorded(nest, cell, time, **params):
    recorder = nest.Create("spike_recorder", params=params or None)
    nest.Connect(cell, recorder)
    nest.Simulate(time)
    return recorder.events["times"]


def pulse(nest, cell, weight=1.0, times=(1.0,), **connection):
    source = nest.Create("spike_generator", params={"spike_times": list(times)})
    nest.Connect(source, cell, syn_spec={"weight": weight, "delay": 1.0} | connection)
    return source


# --- wrong results


def case_ht_neuron_shortest_interval(nest):
    cell = nest.Create("ht_neuron", params={"t_ref": 2.0})
    nest.Connect(nest.Create("dc_generator", params={"amplitude": 500.0}), cell)
    return {"times": spikes(recorded(nest, cell, 20.0))}


def case_aeif_psc_delta_jump_over_the_threshold(nest):
    found = {}
    for delta in (2.0, 0.0):
        nest.ResetKernel()
        cell = nest.Create("aeif_psc_delta", params={"Delta_T": delta})
        meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 0.1})
        nest.Connect(meter, cell)
        pulse(nest, cell, 80.0)
        found[f"times {delta}"] = spikes(recorded(nest, cell, 5.0))
        found[f"V {delta}"] = near(meter.events["V_m"], 1e-2)
    return found


def case_iaf_cond_alpha_mc_holds_all_compartments(nest):
    cell = nest.Create("iaf_cond_alpha_mc", params={"soma": {"I_e": 300.0}})
    meter = nest.Create("multimeter", params={"record_from": ["V_m.s", "V_m.p", "V_m.d"], "interval": 0.5})
    nest.Connect(meter, cell)
    return {"times": spikes(recorded(nest, cell, 60.0)), "V": near(meter.events["V_m.d"], 1e-2)}


def case_weights_are_doubles(nest):
    found = {}
    rules = {
        "fixed_indegree": {"indegree": 3},
        "fixed_outdegree": {"outdegree": 3},
        "fixed_total_number": {"N": 7},
        "pairwise_bernoulli": {"p": 0.5},
        "all_to_all": {},
        "one_to_one": {},
    }
    for model in ("static_synapse", "stdp_synapse", "tsodyks2_synapse", "bernoulli_synapse", "cont_delay_synapse", "quantal_stp_synapse"):
        for rule, spec in rules.items():
            nest.ResetKernel()
            cells = nest.Create("iaf_psc_exp", 5)
            for weight in (0.372, 1.0 / 3.0):
                nest.Connect(cells, cells, {"rule": rule} | spec, {"synapse_model": model, "weight": weight})
            drawn = nest.random.uniform(0.3, 0.30001) * 0.0 + 0.123456789012345
            nest.Connect(cells, cells, {"rule": rule} | spec, {"synapse_model": model, "weight": drawn})
            found[f"{model} {rule}"] = sorted(set(nest.GetConnections().weight))
    return found


def case_delays_on_half_steps(nest):
    cells = nest.Create("parrot_neuron", 2)
    for delay in (0.35, 0.15, 0.95, 12.45, 0.05, 0.25, 1.23):
        nest.Connect(cells[0], cells[1], syn_spec={"delay": delay})
    found = {
        "delays": near(sorted(nest.GetConnections().delay)),
        "below": error(lambda: nest.Connect(cells, cells, syn_spec={"delay": 0.04})),
    }
    nest.ResetKernel()
    nest.resolution = 2.0
    cells = nest.Create("parrot_neuron", 2)
    nest.Connect(cells, cells)
    return found | {"coarse": nest.GetConnections().delay, "default": nest.GetDefaults("static_synapse", "delay")}


def case_offgrid_times_of_generators(nest):
    found = {}
    for model, key, other in (
        ("inhomogeneous_poisson_generator", "rate_times", "rate_values"),
        ("step_current_generator", "amplitude_times", "amplitude_values"),
        ("spike_generator", "spike_times", None),
        ("spike_train_injector", "spike_times", None),
    ):
        for times in ([1.23, 2.0], [3.0001, 4.0], [1.9999, 7.1], [5.0499, 6.05]):
            nest.ResetKernel()
            given = {key: times, "allow_offgrid_times": True} | ({other: [10.0, 20.0]} if other else {})
            found[f"{model} {times}"] = near(nest.Create(model, params=given).get(key), 1e-12)
    return found


def case_ports_do_not_depend_on_the_filter(nest):
    cells = nest.Create("iaf_psc_exp", 3)
    nest.Connect(cells, cells)
    everything = nest.GetConnections()
    table = {(s, t): p for s, t, p in zip(everything.source, everything.target, everything.port, strict=True)}
    some = nest.GetConnections(cells[1], cells[2])
    return {"same": some.port == table[2, 3]}


def case_large_precise_times(nest):
    nest.resolution = 0.1
    source = nest.Create("spike_generator", params={"precise_times": True, "spike_times": [353538.3, 353538.4 - 0.1 + 3.0]})
    return {"times": near(source.spike_times, 1e-9)}


def case_aeif_without_refractory_time(nest):
    cell = nest.Create("aeif_psc_exp", params={"t_ref": 0.0, "Delta_T": 0.0, "I_e": 2000.0, "V_reset": -111.0})
    meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 0.1})
    nest.Connect(meter, cell)
    return {"times": spikes(recorded(nest, cell, 10.0)), "V": near(meter.events["V_m"], 2e-2)}


def case_a_kernel_set_that_fails_changes_nothing(nest):
    found = {"raises": error(lambda: nest.set(tics_per_ms=10000, resolution=0.0005, rng_seed=0))}
    return found | {"resolution": nest.resolution}


def case_connections_of_a_kernel_that_was_reset(nest):
    cells = nest.Create("iaf_psc_exp", 2)
    nest.Connect(cells, cells)
    some = nest.GetConnections()
    nest.ResetKernel()
    return {"get": some.get(), "name": some.get("weight"), "set": error(lambda: some.set(weight=3.0)), "size": len(some)}


def case_aeif_stays_bounded(nest):
    found = {}
    for model in ("aeif_cond_exp", "aeif_cond_alpha", "aeif_psc_exp", "aeif_psc_alpha", "aeif_psc_delta"):
        nest.ResetKernel()
        cell = nest.Create(model, params={"Delta_T": 0.5, "I_e": 900.0, "gsl_error_tol": 1e-9})
        found[model] = spikes(recorded(nest, cell, 60.0), 0.1)
        found[model + " V"] = near(cell.V_m, 0.2)
    return found


def case_negative_spike_weights(nest):
    found = {}
    for model, key in (("iaf_cond_exp", "g_in"), ("iaf_psc_exp", "I_syn_in"), ("iaf_cond_beta", "g_in"), ("aeif_cond_exp", "g_in")):
        nest.ResetKernel()
        cell = nest.Create(model)
        meter = nest.Create("multimeter", params={"record_from": [key], "interval": 0.1})
        nest.Connect(meter, cell)
        source = nest.Create("spike_generator", params={"spike_times": [1.0], "spike_weights": [-10.0]})
        nest.Connect(source, cell)
        nest.Simulate(5.0)
        found[model] = near(meter.events[key], 1e-2)
    return found


def case_iaf_cond_beta_initial_conductance(nest):
    cell = nest.Create("iaf_cond_beta", params={"g_ex": 10.0, "tau_rise_ex": 1.0, "tau_decay_ex": 8.0})
    nest.Simulate(6.0)
    return {"V": near(cell.V_m, 1e-2)}


def case_ignore_and_fire_changed_between_runs(nest):
    found = {}
    for name, change in {"phase": {"phase": 0.3}, "rate": {"rate": 50.0}, "both": {"phase": 0.5, "rate": 200.0}}.items():
        nest.ResetKernel()
        cell = nest.Create("ignore_and_fire", params={"rate": 100.0, "phase": 1.0})
        recorder = nest.Create("spike_recorder")
        nest.Connect(cell, recorder)
        nest.Simulate(13.0)
        cell.set(change)
        nest.Simulate(40.0)
        found[name] = spikes(recorder.events["times"])
    return found


def case_refractory_time_changed_while_refractory(nest):
    found = {}
    for model in ("iaf_psc_alpha_ps", "iaf_psc_exp_ps", "iaf_psc_delta_ps"):
        nest.ResetKernel()
        cell = nest.Create(model, params={"t_ref": 5.0, "I_e": 1000.0})
        recorder = nest.Create("spike_recorder")
        nest.Connect(cell, recorder)
        nest.Simulate(6.0)
        cell.t_ref = 2.0
        nest.Simulate(20.0)
        found[model] = spikes(np.round(recorder.events["times"], 5), 1e-5)
    return found


def case_parameters_of_chs_and_delta_changed_while_running(nest):
    cell = nest.Create("iaf_chs_2007")
    pulse(nest, cell, 1.0)
    nest.Simulate(5.0)
    cell.set(tau_epsp=4.0, V_epsp=1.5)
    nest.Simulate(3.0)
    found = {"chs": near(cell.V_m, 1e-6)}
    nest.ResetKernel()
    cell = nest.Create("iaf_chs_2007", params={"V_epsp": 0.0})
    cell.V_epsp = 0.5
    pulse(nest, cell, 1.0)
    nest.Simulate(5.0)
    found["chs without EPSPs before"] = near(cell.V_m, 1e-6)
    nest.ResetKernel()
    cell = nest.Create("iaf_psc_delta", params={"refractory_input": True, "I_e": 1000.0, "t_ref": 10.0})
    pulse(nest, cell, 10.0, [7.0, 8.0])
    nest.Simulate(9.5)
    cell.tau_m = 20.0
    nest.Simulate(8.0)
    return found | {"delta": near(cell.V_m, 1e-6)}


def case_glif_threshold_frozen_or_not(nest):
    cell = nest.Create("glif_psc", params={"spike_dependent_threshold": True, "after_spike_currents": True, "adapting_threshold": True})
    nest.Connect(nest.Create("dc_generator", params={"amplitude": 300.0}), cell)
    nest.Simulate(50.0)
    cell.adapting_threshold = False
    before = cell.threshold_voltage
    nest.Simulate(20.0)
    return {"before": near(before, 1e-6), "after": near(cell.threshold_voltage, 1e-6)}


def case_targets_of_several_models(nest):
    found = {}
    wires = {
        "one_to_one": ({"rule": "one_to_one"}, {}),
        "fixed_outdegree": ({"rule": "fixed_outdegree", "outdegree": 2}, {}),
        "fixed_total_number": ({"rule": "fixed_total_number", "N": 5}, {}),
        "pairwise_poisson": ({"rule": "pairwise_poisson", "pairwise_avg_num_conns": 3.0}, {}),
        "symmetric": ({"rule": "symmetric_pairwise_bernoulli", "p": 0.999999, "allow_autapses": False, "make_symmetric": True}, {}),
        "array": ({"rule": "one_to_one"}, {"weight": np.arange(1.0, 5.0)}),
        "stdp": ({"rule": "all_to_all"}, {"synapse_model": "stdp_synapse"}),
        "fixed_indegree": ({"rule": "fixed_indegree", "indegree": 2}, {"synapse_model": "stdp_synapse"}),
    }
    for name, (rule, synapse) in wires.items():
        nest.ResetKernel()
        cells = nest.Create("iaf_psc_exp", 2) + nest.Create("iaf_psc_alpha", 2)
        nest.Connect(cells, cells, rule, {"synapse_model": "static_synapse"} | synapse)
        number = nest.num_connections
        found[name] = number if name not in ("pairwise_poisson",) else number > 10
    nest.ResetKernel()
    cells = nest.Create("iaf_psc_exp", 2) + nest.Create("iaf_psc_alpha", 2)
    pulse(nest, cells, 900.0)
    nest.Connect([1, 1, 3], [2, 3, 4], "one_to_one", {"weight": np.array([1.0, 2.0, 3.0]), "delay": np.array([1.0, 1.5, 2.0])})
    nest.Simulate(5.0)
    return found | {"V": near(cells.V_m, 1e-6), "lists": nest.num_connections}


def case_sets_of_joined_collections(nest):
    a = nest.Create("iaf_psc_exp")
    nest.Create("poisson_generator")
    b = nest.Create("iaf_psc_exp")
    (a + b).set({"I_e": 3.0})
    (a + b).V_m = [-60.0, -61.0]
    nest.SetStatus(a + b, {"C_m": 200.0})
    nest.Connect(a + b, a + b)
    return {"I_e": (a + b).I_e, "V_m": (a + b).V_m, "C_m": (a + b).C_m, "n": nest.num_connections}


def case_taken_without_reason_to_refuse(nest):
    found = {}
    cell = nest.Create("ginzburg_neuron")
    found["noise onto binary"] = error(lambda: nest.Connect(nest.Create("noise_generator", params={"std": 1.0}), cell))
    tries = (
        ("correlation_detector", {"Tstop": 100.0}),
        ("iaf_psc_delta", {"V_min": -math.inf}),
        ("iaf_psc_exp", {"V_th": math.inf}),
        ("iaf_psc_alpha", {"V_th": math.inf}),
        ("iaf_cond_exp", {"V_th": math.inf}),
        ("ht_neuron", {"N_NaP": 0.0}),
        ("glif_psc", {"th_spike_decay": 0.0}),
        ("gif_psc_exp", {"tau_sfa": 50.0, "q_sfa": 2.0}),
    )
    for model, values in tries:
        nest.ResetKernel()
        found[f"{model} {sorted(values)}"] = error(lambda m=model, v=values: nest.SetDefaults(m, v))
        nest.ResetKernel()
        found[f"{model} {sorted(values)} Create"] = error(lambda m=model, v=values: nest.Create(m, params=v))
    return found


def case_a_neuron_that_never_fires(nest):
    found = {}
    for model in ("iaf_psc_exp", "iaf_psc_alpha", "iaf_psc_delta", "iaf_cond_exp", "iaf_cond_alpha", "iaf_psc_exp_ps", "iaf_psc_alpha_ps"):
        nest.ResetKernel()
        cell = nest.Create(model, params={"V_th": math.inf, "I_e": 1000.0})
        found[model] = spikes(recorded(nest, cell, 30.0))
        found[model + " V"] = near(cell.V_m, 1e-2)
        found[model + " V_th"] = cell.V_th == math.inf
    return found


def case_refused_as_nest_does(nest):
    found = {}
    for values in ({"start": -1.0}, {"stop": -1.0}, {"origin": -1.0}, {"start": 1.0001}, {"start": 5.0, "stop": 4.0}, {"origin": 0.05}):
        for model in ("poisson_generator", "spike_recorder", "dc_generator", "multimeter"):
            nest.ResetKernel()
            found[f"{model} {values}"] = error(lambda m=model, v=values: nest.Create(m, params=v))
            nest.ResetKernel()
            found[f"{model} {values} defaults"] = error(lambda m=model, v=values: nest.SetDefaults(m, v))
    nest.ResetKernel()
    found["bool"] = error(lambda: nest.Create("iaf_psc_delta", params={"refractory_input": 1.0}))
    found["taus"] = error(lambda: nest.Create("ht_neuron", params={"tau_Mg_fast": 30.0, "tau_Mg_slow": 20.0}))
    source = nest.Create("spike_generator", params={"spike_times": [1.0]})
    found["text"] = error(lambda: source.set(spike_times=float("nan"), spike_weights=""))
    found["weights"] = list(source.spike_weights)
    return found


def case_sizes_that_are_too_large(nest):
    cells = nest.Create("iaf_psc_exp", 3)
    return {
        "int64": error(lambda: nest.Create("iaf_psc_exp", 2**63)),
        "indegree": error(lambda: nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 2**63})),
        "receptor": error(lambda: nest.Connect(cells, cells, syn_spec={"receptor_type": 2**63})),
        "seed": error(lambda: setattr(nest, "rng_seed", 2**63)),
    }


def case_shown_rightly(nest):
    found = {}
    cells = nest.Create("iaf_bw_2001", 2)
    receptors = cells[0].receptor_types
    nest.Connect(cells[0], cells[1], syn_spec={"receptor_type": receptors["AMPA"]})
    nest.Connect(cells[0], cells[1], syn_spec={"receptor_type": receptors["GABA"]})
    found["receptors"] = sorted(nest.GetConnections().receptor)
    found["types"] = receptors
    found["element"] = [nest.Create(m).element_type for m in ("spike_train_injector", "spike_generator", "parrot_neuron", "spike_recorder")]
    nest.ResetKernel()
    cell = nest.Create("iaf_psc_exp_ps_lossless", params={"I_e": 1000.0})
    nest.Simulate(20.0)
    found["offset"] = near(cell.offset, 1e-6)
    nest.ResetKernel()
    cell = nest.Create("ht_neuron")
    mc = nest.Create("iaf_cond_alpha_mc")
    source = nest.Create("parrot_neuron")
    found["ht"] = error(lambda: nest.Connect(source, cell, syn_spec={"receptor_type": 9}))
    found["ht 0"] = error(lambda: nest.Connect(source, cell))
    found["mc"] = error(lambda: nest.Connect(source, mc))
    found["mc 77"] = error(lambda: nest.Connect(source, mc, syn_spec={"receptor_type": 77}))
    return found


def case_correlation_detector_counts_what_has_arrived(nest):
    found = nest.Create("correlation_detector", params={"tau_max": 5.0, "delta_tau": 1.0})
    a = nest.Create("spike_generator", params={"spike_times": [1.0, 4.5]})
    b = nest.Create("spike_generator", params={"spike_times": [2.0, 4.8]})
    nest.Connect(a, found, syn_spec={"receptor_type": 0, "delay": 1.0})
    nest.Connect(b, found, syn_spec={"receptor_type": 1, "delay": 1.0})
    nest.Simulate(5.0)
    return {"n": found.n_events, "histogram": found.count_histogram}


def case_threshold_reached_exactly_on_a_step(nest):
    tau, C, ref = 10.0, 250.0, 2.0
    period = 50.0
    cell = nest.Create("iaf_psc_exp", params={"tau_m": tau, "C_m": C, "t_ref": ref, "E_L": 0.0, "V_reset": 0.0, "V_m": 0.0, "V_th": 15.0})
    amplitude = 15.0 * C / tau / (1.0 - math.exp(-(period - ref) / tau))
    nest.Connect(nest.Create("dc_generator", params={"amplitude": amplitude}), cell)
    return {"times": spikes(recorded(nest, cell, 300.0))}
