# SPDX-License-Identifier: Apache-2.0
"""What was found to differ from NEST once: each row of the list has a case here, unless its theme has one."""

import math

import numpy as np
from tests.nest.corpus.values import error, holds, near, spikes


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


# --- what NEST does: information, time


def case_build_info_has_the_keys(nest):
    info = nest.build_info
    names = "built datadir docdir exitcode have_boost have_gsl have_libneurosim have_music have_sionlib host hostcpu hostos hostvendor ndebug prefix test_exitcodes threads_model version"
    return {
        "has": [name in info for name in names.split()],
        "types": [type(info[name]).__name__ for name in names.split() if name in info],
    } | {name: info.get(name) for name in ("have_gsl", "have_boost", "have_threads", "exitcode", "threads_model", "test_exitcodes")}


def case_times_are_tics_as_doubles(nest):
    source = nest.Create("spike_generator", params={"spike_times": [7.1, 0.3, 1.9][:1]})
    relay = nest.Create("parrot_neuron")
    nest.Connect(source, relay)
    meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 0.1})
    nest.Connect(meter, nest.Create("iaf_psc_exp"))
    times = recorded(nest, relay, 9.0)
    return {
        "spike": times.tolist()[0].hex(),
        "meter": [float(t).hex() for t in meter.events["times"][:80]],
        "now": float(nest.biological_time).hex(),
    }


def case_times_round_to_tics(nest):
    found = {}
    for time in (1.9999, 1.001, 2.0004, 2.0005, 1.99951):
        nest.ResetKernel()
        found[f"Simulate {time}"] = error(lambda t=time: nest.Simulate(t))
        nest.ResetKernel()
        for model, key in (("spike_generator", "spike_times"), ("step_current_generator", "amplitude_times")):
            values = {key: [time]} | ({"amplitude_values": [3.0]} if "current" in model else {})
            found[f"{model} {time}"] = error(lambda m=model, v=values: nest.Create(m, params=v))
            try:
                found[f"{model} {time} is"] = near(nest.Create(model, params=values).get(key))
            except Exception:
                found[f"{model} {time} is"] = "none"
        for key in ("start", "stop", "origin", "interval"):
            for model in ("multimeter", "poisson_generator")[: 1 if key == "interval" else 2]:
                found[f"{model} {key} {time}"] = error(lambda k=key, t=time, m=model: nest.Create(m, params={k: t}))
                try:
                    found[f"{model} {key} {time} is"] = near(nest.Create(model, params={key: time}).get(key))
                except Exception:
                    found[f"{model} {key} {time} is"] = "none"
    return found


def case_options_of_spike_generators(nest):
    found = {}
    tries = {
        "negative": ({"spike_times": [-1.0, 2.0]}, {}),
        "zero": ({"spike_times": [0.0, 2.0]}, {}),
        "zero precise": ({"spike_times": [0.0, 2.0], "precise_times": True}, {}),
        "zero shifted": ({"spike_times": [0.0, 2.0], "shift_now_spikes": True}, {}),
        "option alone": ({"spike_times": [1.0]}, {"allow_offgrid_times": True}),
        "option first": ({}, {"allow_offgrid_times": True}),
        "both": ({}, {"allow_offgrid_times": True, "spike_times": [1.23]}),
        "precise alone": ({"spike_times": [1.0]}, {"precise_times": True}),
        "shift alone": ({"spike_times": [1.0]}, {"shift_now_spikes": True}),
        "weights later": ({"spike_times": [1.0, 2.0]}, {"spike_weights": [3.0, 4.0]}),
        "weights wrong": ({"spike_times": [1.0, 2.0]}, {"spike_weights": [3.0]}),
        "times alone": ({"spike_times": [1.0, 2.0], "spike_weights": [3.0, 4.0]}, {"spike_times": [2.0, 3.0]}),
        "weights away": ({"spike_times": [1.0, 2.0], "spike_weights": [3.0, 4.0]}, {"spike_weights": []}),
        "multiplicities": ({"spike_times": [1.0, 2.0]}, {"spike_multiplicities": [3, 1]}),
    }
    for name, (first, second) in tries.items():
        nest.ResetKernel()
        try:
            source = nest.Create("spike_generator", params=first)
        except nest.NESTError as raised:
            found[name] = type(raised).__name__
            continue
        found[name] = error(lambda s=source, v=second: s.set(v))
        found[name + " is"] = [near(source.spike_times).values.tolist(), list(source.spike_weights), list(source.spike_multiplicities)]
    for model, key, other in (
        ("inhomogeneous_poisson_generator", "rate_times", "rate_values"),
        ("step_current_generator", "amplitude_times", "amplitude_values"),
    ):
        for name, times in {"zero": [0.0], "negative": [-1.0], "twice": [1.0, 1.0], "now": [0.0, 1.0]}.items():
            nest.ResetKernel()
            values = {key: times, other: [5.0] * len(times)}
            found[f"{model} {name}"] = error(lambda m=model, v=values: nest.Create(m, params=v))
            values = values | {"allow_offgrid_times": True}
            found[f"{model} {name} offgrid"] = error(lambda m=model, v=values: nest.Create(m, params=v))
        nest.ResetKernel()
        source = nest.Create(model, params={key: [1.0], other: [1.0]})
        found[f"{model} option alone"] = error(lambda s=source: s.set(allow_offgrid_times=True))
        found[f"{model} option with"] = error(lambda s=source, k=key, o=other: s.set({"allow_offgrid_times": True, k: [1.23], o: [1.0]}))
    return found


def case_weights_set_later_are_sent(nest):
    relay = nest.Create("iaf_psc_delta", params={"V_th": 1000.0})
    source = nest.Create("spike_generator", params={"spike_times": [1.0, 2.0]})
    source.spike_weights = [3.0, -4.0]
    nest.Connect(source, relay)
    nest.Simulate(5.0)
    found = {"first": near(relay.V_m)}
    source.set(spike_times=[6.0, 7.0], spike_weights=[5.0, 6.0])
    nest.Simulate(5.0)
    source.spike_weights = []
    return found | {"second": near(relay.V_m), "weights": list(source.spike_weights)}


# --- tics


def case_tics(nest):
    found = {"default": [nest.tics_per_ms, nest.tics_per_step, nest.ms_per_tic]}
    nest.set(tics_per_ms=1024, resolution=1.0 / 1024.0)
    found["fine"] = [nest.tics_per_ms, nest.tics_per_step, nest.ms_per_tic, nest.resolution]
    cell = nest.Create("iaf_psc_alpha", params={"I_e": 1000.0})
    found["times"] = near(recorded(nest, cell, 20.0), 1e-9)
    nest.ResetKernel()
    found["reset"] = [nest.tics_per_ms, nest.tics_per_step, nest.resolution]
    return found


def case_tics_refused(nest):
    found = {
        "step": error(lambda: setattr(nest, "tics_per_step", 5)),
        "length": error(lambda: setattr(nest, "ms_per_tic", 0.1)),
    }
    for tics, resolution in (
        (1000, 0.0005),
        (1000, 0.0015),
        (2000, 0.0005),
        (100, 0.25),
        (16, 0.25),
        (16, 0.1),
        (8, 0.0625),
        (1000.0, 0.1),
    ):
        nest.ResetKernel()
        found[f"{tics} {resolution}"] = error(lambda t=tics, r=resolution: nest.set(tics_per_ms=t, resolution=r))
        found[f"{tics} {resolution} is"] = [nest.tics_per_ms, nest.resolution, nest.tics_per_step]
    nest.ResetKernel()
    found["alone"] = error(lambda: nest.set(tics_per_ms=2000))
    found["alone is"] = [nest.tics_per_ms, nest.resolution]
    nest.ResetKernel()
    nest.Create("iaf_psc_exp")
    found["nodes"] = error(lambda: nest.set(tics_per_ms=2000, resolution=0.1))
    nest.ResetKernel()
    nest.SetDefaults("iaf_psc_exp", {"I_e": 1.0})
    found["defaults"] = error(lambda: nest.set(tics_per_ms=2000, resolution=0.1))
    nest.ResetKernel()
    nest.CopyModel("iaf_psc_exp", "other")
    found["copy"] = error(lambda: nest.set(tics_per_ms=2000, resolution=0.1))
    nest.ResetKernel()
    nest.Simulate(1.0)
    found["simulated"] = error(lambda: nest.set(tics_per_ms=2000, resolution=0.1))
    found["simulated resolution"] = error(lambda: nest.set(resolution=0.2))
    return found


def case_delays_and_bins_on_a_new_grid(nest):
    found = {}
    for resolution in (0.3, 0.25, 2.0, 0.7):
        nest.ResetKernel()
        nest.resolution = resolution
        found[f"delay {resolution}"] = nest.GetDefaults("static_synapse", "delay")
        found[f"stdp delay {resolution}"] = nest.GetDefaults("stdp_synapse", "delay")
        found[f"delta_tau {resolution}"] = near(nest.GetDefaults("correlation_detector", "delta_tau"))
        found[f"dt {resolution}"] = near(nest.GetDefaults("noise_generator", "dt"))
    nest.ResetKernel()
    nest.set(min_delay=0.57, max_delay=2.31)
    found["bounds"] = near([nest.min_delay, nest.max_delay])
    return found


# --- nodes


def case_archiving_neurons_show_their_archive(nest):
    found = {}
    keys = ("t_spike", "Ca", "tau_Ca", "beta_Ca", "synaptic_elements", "tau_minus", "tau_minus_triplet")
    elsewhere = ("eprop", "rate", "astro", "siegert", "gif_pop", "cm_default", "gap", "exact")
    for model in sorted(name for name in nest.node_models if not any(word in name for word in elsewhere)):
        nest.ResetKernel()
        try:
            defaults = nest.GetDefaults(model)
        except Exception:
            continue
        found[model] = [key for key in keys if key in defaults]
    return {"has": holds(found)}


def case_calcium_and_last_spike(nest):
    found = {}
    for model, drive in (
        ("iaf_psc_exp", 600.0),
        ("iaf_psc_alpha_ps", 600.0),
        ("iaf_psc_delta_ps", 600.0),
        ("iaf_psc_exp_ps", 600.0),
        ("iaf_psc_exp_ps_lossless", 600.0),
        ("aeif_psc_exp", 900.0),
        ("izhikevich", 20.0),
    ):
        nest.ResetKernel()
        cell = nest.Create(model, params={"I_e": drive})
        before = cell.t_spike
        cell.set(tau_Ca=100.0, beta_Ca=0.1)
        nest.Simulate(100.0)
        found[model] = [near(x).values.tolist() for x in (before,)] + [round(cell.t_spike, 3), round(cell.Ca, 5)]
    return found


def case_thread_local_ids(nest):
    nest.local_num_threads = 2
    cells = nest.Create("iaf_psc_exp", 4)
    generator = nest.Create("poisson_generator")
    found = {"new": cells.thread_local_id, "device": generator.thread_local_id}
    nest.Connect(cells[:2], cells[2:])
    found["connected"] = [cells.thread_local_id, generator.thread_local_id]
    more = nest.Create("iaf_psc_exp", 2)
    found["more"] = [more.thread_local_id, cells.thread_local_id]
    nest.Simulate(1.0)
    return found | {"run": [cells.thread_local_id, generator.thread_local_id, more.thread_local_id]}


def case_nodes_of_a_kernel_that_was_reset(nest):
    cells = nest.Create("iaf_psc_exp", 3)
    nest.ResetKernel()
    tries = {
        "tolist": cells.tolist,
        "index": lambda: cells[0],
        "slice": lambda: cells[:2],
        "add": lambda: cells + cells,
        "get": lambda: cells.get("V_m"),
        "set": lambda: cells.set(V_m=1.0),
        "attribute": lambda: cells.V_m,
        "in": lambda: 2 in cells,
        "iter": lambda: list(cells),
        "Connect": lambda: nest.Connect(cells, cells),
        "equal": lambda: cells == cells,
        "find": lambda: cells.index(2),
        "global_id": lambda: cells.global_id,
        "GetConnections": lambda: nest.GetConnections(cells),
        "array": lambda: np.array(cells),
    }
    return {name: error(call) for name, call in tries.items()} | {"len": len(cells)}


def case_keeping_the_source_table(nest):
    nest.keep_source_table = False
    cells = nest.Create("iaf_psc_exp", 2)
    nest.Connect(cells, cells)
    nest.Simulate(1.0)
    return {
        "set": error(lambda: setattr(nest, "keep_source_table", True)),
        "num": nest.num_connections,
    }


def case_ignore_and_spike(nest):
    found = {}
    for model in ("iaf_psc_exp", "iaf_psc_alpha", "iaf_cond_exp", "aeif_psc_exp"):
        nest.ResetKernel()
        try:
            nest.GetDefaults(model, "ignore_and_spike")
        except Exception as raised:
            found[model] = type(raised).__name__
            continue
        cell = nest.Create(model, params={"ignore_and_spike": True, "ignore_and_spike_interval": 5.0, "ignore_and_spike_offset": 2.0})
        found[model] = spikes(recorded(nest, cell, 30.0))
        found[model + " V"] = near(cell.V_m, 1e-3)
    return found


def case_every_kernel_key(nest):
    status = nest.GetKernelStatus()
    return {
        "keys": holds(sorted(status)),
        "get": [
            error(lambda k=key: nest.get(k)) for key in ("resolution", "tics_per_ms", "max_num_syn_models", "off_grid_spiking", "use_wfr")
        ],
    }


def case_numerical_instability(nest):
    found = {}
    for model in ("aeif_cond_exp", "aeif_cond_alpha", "aeif_psc_exp", "aeif_psc_alpha", "aeif_psc_delta"):
        nest.ResetKernel()
        nest.Create(model, params={"I_e": -1e5})
        found[model] = error(lambda: nest.Simulate(100.0))
        found[model + " again"] = error(lambda: nest.Simulate(10.0))
        nest.ResetKernel()
        nest.Create(model, params={"w": 2e6})
        found[model + " w"] = error(lambda: nest.Simulate(10.0))
        nest.ResetKernel()
        nest.Create(model)
        found[model + " after"] = error(lambda: nest.Simulate(10.0))
    return found


def case_inf_and_nan_as_parameters(nest):
    found = {}
    for key in ("V_th",):
        for value in (math.inf, -math.inf):
            nest.ResetKernel()
            found[f"{key} {value}"] = error(lambda k=key, v=value: nest.Create("iaf_psc_exp", params={k: v}))
    return found


def case_kinds_of_defaults(nest):
    found = {}
    for name, value in {"list": [1.0, 2.0], "one": [1.0], "array": np.array([1.0, 2.0]), "parameter": nest.random.uniform()}.items():
        found[name] = error(lambda v=value: nest.SetDefaults("iaf_psc_exp", {"I_e": v}))
    found["integer"] = error(lambda: nest.SetDefaults("iaf_psc_exp", {"I_e": 2**70}))
    found["integer of a node"] = error(lambda: nest.Create("iaf_psc_exp", params={"I_e": 2**70}))
    found["weight"] = error(lambda: nest.SetDefaults("static_synapse", {"weight": [1.0]}))
    return found


def case_twelve_receptors(nest):
    n = 12
    cell = nest.Create("iaf_psc_exp_multisynapse", params={"tau_syn": [1.05 + k for k in range(n)]})
    for k in range(n):
        pulse(nest, cell, 100.0, [1.0 + k], receptor_type=k + 1)
    nest.Simulate(20.0)
    return {"V": near(cell.V_m, 1e-6), "too many": error(lambda: pulse(nest, cell, 1.0, [1.0], receptor_type=13))}


# --- connections


def case_order_of_connections(nest):
    cells = nest.Create("iaf_psc_exp", 3)
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Connect(cells[2], cells[:2], syn_spec={"synapse_model": "stdp_synapse"})
    nest.Connect(cells[1], cells, syn_spec={"weight": 2.0})
    nest.Connect(cells[0], cells[::2], syn_spec={"weight": 3.0})
    pulse(nest, cells, 4.0)
    found = nest.GetConnections()
    return {
        "all": list(zip(found.synapse_model, found.source, found.target, found.weight, strict=True)),
        "port": found.port,
        "ids": found.synapse_id,
    }


def case_threads_of_connections(nest):
    nest.local_num_threads = 2
    cells = nest.Create("iaf_psc_exp", 4)
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    found = nest.GetConnections()
    return {"threads": sorted(zip(found.source, found.target_thread, strict=True))}


def case_connections_refused_or_not(nest):
    cell, other = nest.Create("iaf_psc_exp", 2)
    found = {}
    meter = nest.Create("multimeter", params={"record_from": ["V_m"]})
    nest.Connect(meter, cell)
    found["twice"] = error(lambda: nest.Connect(meter, cell))
    found["other"] = error(lambda: nest.Connect(meter, other))
    found["static hom weight"] = error(lambda: nest.Connect(cell, cell, syn_spec={"synapse_model": "static_synapse_hom_w", "weight": 3.0}))
    found["chs"] = error(lambda: nest.Connect(nest.Create("dc_generator"), nest.Create("iaf_chs_2007")))
    found["array with repeats"] = error(lambda: nest.Connect(nest.Create("parrot_neuron", 3), np.array([1, 1, 2]), "one_to_one"))
    found["receptor floats"] = error(
        lambda: nest.Connect(
            [1, 1], [1, 2], "one_to_one", {"receptor_type": np.array([0.5, 1.0]), "weight": np.ones(2), "delay": np.ones(2)}
        )
    )
    found["p"] = error(lambda: nest.Connect(cell, other, {"rule": "all_to_all", "p": 0.5}))
    found["mask"] = error(lambda: nest.Connect(cell, other, {"rule": "one_to_one", "mask": {"circular": {"radius": 1.0}}}))
    return found


def case_sizes_of_connections(nest):
    found = {}
    for model in ("static_synapse", "stdp_synapse", "static_synapse_hom_w", "bernoulli_synapse", "tsodyks_synapse", "stdp_synapse_hom"):
        found[model] = nest.GetDefaults(model, "sizeof")
        nest.ResetKernel()
        cell = nest.Create("iaf_psc_exp")
        nest.Connect(cell, cell, syn_spec={"synapse_model": model})
        found[model + " c"] = nest.GetConnections().sizeof
    return found


def case_table_of_connections(nest):
    cells = nest.Create("iaf_psc_exp", 3)
    nest.Connect(cells, cells[:2], syn_spec={"weight": 2.5})
    return {"text": str(nest.GetConnections()), "empty": str(nest.GetConnections(synapse_model="stdp_synapse"))}


def case_keys_of_mixed_connections(nest):
    cells = nest.Create("iaf_psc_exp", 2)
    nest.Connect(cells, cells, syn_spec={"synapse_model": "stdp_synapse", "alpha": 2.0})
    nest.Connect(cells, cells, "one_to_one")
    some = nest.GetConnections()
    return {
        "alpha": some.get("alpha"),
        "list": error(lambda: some.get(["alpha", "weight"])),
        "unknown": error(lambda: some.get("nothing")),
        "unknown is": some.get("nothing") if not error(lambda: some.get("nothing")) else "raised",
    }


def case_spike_counter_without_generators(nest):
    relay = nest.Create("parrot_neuron")
    pulse(nest, relay, 1.0, [1.0, 2.0, 3.0])
    nest.Simulate(5.0)
    found = {"relay": nest.local_spike_counter}
    nest.Simulate(5.0)
    return found | {"next": nest.local_spike_counter}


def case_weight_recorder_lists(nest):
    recorder = nest.Create("weight_recorder")
    found = {"new": [len(recorder.senders), len(recorder.targets)]}
    cells = nest.Create("parrot_neuron", 4)
    recorder.set(senders=[cells[0].global_id], targets=cells[2:])
    nest.CopyModel("stdp_synapse", "seen", {"weight_recorder": recorder})
    nest.Connect(cells[:2], cells[2:], syn_spec={"synapse_model": "seen", "weight": 3.0})
    pulse(nest, cells[:2], 1.0, [1.0, 4.0])
    nest.Simulate(10.0)
    events = recorder.events
    return found | {
        "events": sorted(zip(events["senders"].tolist(), events["targets"].tolist(), events["times"].tolist(), strict=True)),
        "keys": sorted(events),
    }


# --- recording


def case_frozen_and_recorded(nest):
    meter = nest.Create("multimeter", params={"record_from": ["V_m"]})
    cells = nest.Create("iaf_psc_exp", 2)
    nest.Connect(meter, cells)
    found = {"meter": error(lambda: meter.set(frozen=True)), "recorder": error(lambda: nest.Create("spike_recorder").set(frozen=True))}
    cells[0].frozen = True
    nest.Simulate(5.0)
    return found | {"senders": sorted(set(meter.events["senders"].tolist())), "n": meter.n_events}


def case_order_of_multimeter_events(nest):
    cells = nest.Create("iaf_psc_exp", 3)
    meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 0.5})
    nest.Connect(meter, cells)
    nest.Simulate(4.0)
    found = {"one": [meter.events["senders"], near(meter.events["times"])][0]}
    nest.ResetKernel()
    cells = nest.Create("iaf_psc_exp", 3)
    nest.Connect(cells, cells, syn_spec={"delay": 1.5})
    meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 0.5})
    nest.Connect(meter, cells)
    nest.Simulate(4.0)
    found |= {"delays": meter.events["senders"], "times": near(meter.events["times"])}
    nest.ResetKernel()
    cells = nest.Create("iaf_psc_exp", 3)
    meter = nest.Create("voltmeter")
    nest.Connect(meter, cells, syn_spec={"delay": 2.0})
    nest.Connect(cells, cells, syn_spec={"delay": 2.0})
    nest.Simulate(7.0)
    return found | {"two": meter.events["senders"], "two times": near(meter.events["times"])}


def case_headers_of_files(nest):
    from pathlib import Path

    nest.overwrite_files = True
    meter = nest.Create("multimeter", params={"record_from": ["V_m", "I_syn_ex"], "record_to": "ascii", "label": "meter", "interval": 0.5})
    recorder = nest.Create("spike_recorder", params={"record_to": "ascii", "label": "spikes"})
    cells = nest.Create("iaf_psc_exp", 2, {"I_e": 900.0})
    nest.Connect(meter, cells)
    nest.Connect(cells, recorder)
    nest.Simulate(10.0)
    return {name: [line.split() for line in Path(name).read_text().splitlines()[:6]] for name in sorted(map(str, Path().glob("*.dat")))}


def case_defaults_of_back_ends(nest):
    found = {}
    for to in ("memory", "ascii", "screen"):
        nest.ResetKernel()
        recorder = nest.Create("spike_recorder", params={"record_to": to})
        found[to] = sorted(
            key
            for key in recorder.get()
            if key in ("file_extension", "precision", "time_in_steps", "events", "filenames", "label", "n_events")
        )
        nest.ResetKernel()
        nest.SetDefaults("spike_recorder", {"record_to": to})
        found[to + " defaults"] = error(lambda: nest.GetDefaults("spike_recorder"))
    return found


def case_individual_spike_trains(nest):
    found = {}
    for model in ("sinusoidal_poisson_generator", "sinusoidal_gamma_generator"):
        nest.ResetKernel()
        source = nest.Create(model)
        found[model] = error(lambda s=source: s.set(individual_spike_trains=False))
        found[model + " create"] = error(lambda m=model: nest.Create(m, params={"individual_spike_trains": False}))
        nest.ResetKernel()
        found[model + " defaults"] = error(lambda m=model: nest.SetDefaults(m, {"individual_spike_trains": False}))
        nest.ResetKernel()
        found[model + " copy"] = error(lambda m=model: nest.CopyModel(m, "mine", {"individual_spike_trains": False}))
    return found


# --- space


def case_metadata_of_parts(nest):
    layer = nest.Create("iaf_psc_exp", positions=nest.spatial.grid([3, 3]))
    return {
        "slice": layer[2:5].spatial is not None,
        "step": layer[::2].spatial is not None,
        "list": layer[[0, 3]].spatial is not None,
        "mask": layer[np.arange(9) % 2 == 0].spatial is not None,
        "one": layer[1].spatial is not None,
        "iter": next(iter(layer)).spatial is not None,
        "keys": sorted(layer[2:5].spatial or {}),
    }


def case_displacements_of_arrays(nest):
    layer = nest.Create("iaf_psc_exp", positions=nest.spatial.grid([3, 3]))
    return {
        "flat": nest.Displacement(np.array([0.0, 0.0]), layer[0]),
        "flat distance": nest.Distance(np.array([0.1, 0.0]), layer[0]),
        "list": nest.Displacement([[0.0, 0.0]], layer[0]),
        "2d": error(lambda: nest.Displacement(np.array([[0.0, 0.0], [0.1, 0.1]]), layer[:2])),
    }


def case_apply_to_positions(nest):
    layer = nest.Create("iaf_psc_exp", positions=nest.spatial.grid([3, 3]))
    distance = nest.spatial.distance
    return {
        "lists": near(distance.apply(layer[0], [[0.0, 0.1], [0.2, 0.3]])),
        "arrays": near(distance.apply(layer[0], [np.array([0.0, 0.1]), np.array([0.2, 0.3])])),
        "inconsistent": error(lambda: distance.apply(layer[0], [[0.0, 0.1], [0.2]])),
        "dimensions": error(lambda: distance.apply(layer[0], [[0.0, 0.1, 0.2]])),
        "unknown": error(lambda: layer.set(unknown=[1.0] * 9)),
    }


def case_oversized_masks(nest):
    layer = nest.Create("iaf_psc_exp", positions=nest.spatial.grid([3, 3], edge_wrap=True))
    mask = {"circular": {"radius": 3.0}}
    found = {"refused": error(lambda: nest.Connect(layer, layer, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": mask}))}
    rule = {"rule": "pairwise_bernoulli", "p": 1.0, "mask": mask, "allow_oversized_mask": True}
    found["allowed"] = error(lambda: nest.Connect(layer, layer, rule))
    found["no multapses"] = error(lambda: nest.Connect(layer, layer, rule | {"allow_multapses": False}))
    found["indegree"] = error(
        lambda: nest.Connect(layer, layer, {"rule": "fixed_indegree", "indegree": 2, "mask": mask, "allow_oversized_mask": True})
    )
    return found


def case_values_stored_and_restored(nest):
    cells = nest.Create("iaf_psc_alpha", 3)
    cells.V_m = [-60.0, -61.0, -62.0]
    stored = cells.get(["V_m", "I_e"])
    nest.ResetKernel()
    cells = nest.Create("iaf_psc_alpha", 3)
    cells.set(stored)
    larger = nest.Create("iaf_psc_alpha", 2) + cells
    return {"V_m": cells.V_m, "wrong": error(lambda: larger.set(stored))}
