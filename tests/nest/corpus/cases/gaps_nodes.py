# SPDX-License-Identifier: Apache-2.0
"""What was found to differ from NEST once: information, times, tics and nodes."""

import math

import numpy as np
from tests.nest.corpus.cases.gaps import pulse, recorded
from tests.nest.corpus.values import error, holds, near, spikes

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
