# SPDX-License-Identifier: Apache-2.0
"""What random scripts (tests/nest/fuzz) found and what was mended: each script as it was after shrinking, or its family."""

import numpy as np
from tests.nest.corpus.values import error, near

SIGNED = (
    "stdp_synapse",
    "stdp_triplet_synapse",
    "stdp_nn_pre_centered_synapse",
    "stdp_nn_restr_synapse",
    "stdp_nn_symm_synapse",
    "vogels_sprekeler_synapse",
    "stdp_synapse_hom",
    "jonke_synapse",
)


def case_signs_of_default_weights(nest):
    found = {}
    for model in SIGNED:
        for values in ({"Wmax": -10.0}, {"Wmax": -10.0, "weight": -1.0}, {"Wmax": -10.0, "weight": 1.0}, {"Wmax": 0.5}):
            nest.ResetKernel()
            found[f"{model} {values}"] = error(lambda m=model, v=values: nest.CopyModel(m, "copied", v))
            found[f"{model} {values} set"] = error(lambda m=model, v=values: nest.SetDefaults(m, v))
    return found


def case_thresholds_of_glif_at_create(nest):
    found = {}
    for model in ("glif_psc", "glif_psc_double_alpha"):
        for key, flag in (("threshold_spike", "spike_dependent_threshold"), ("threshold_voltage", "adapting_threshold")):
            for values in ({key: 1.0}, {key: 0.0}):
                nest.ResetKernel()
                found[f"{model} {values}"] = error(lambda m=model, v=values: nest.Create(m, params=v))
                found[f"{model} {values} defaults"] = error(lambda m=model, v=values: nest.SetDefaults(m, v))
                found[f"{model} {values} one of two"] = error(lambda m=model, v=values: nest.Create(m, 2, [{}, v]))
            nest.ResetKernel()
            found[f"{model} {flag}"] = flag in nest.GetDefaults(model)
    return found


def case_currents_into_a_copy_with_compartments(nest):
    nest.CopyModel("iaf_cond_alpha_mc", "copied", {"t_ref": 1.0})
    cell = nest.Create("copied")
    current = nest.Create("step_current_generator", params={"amplitude_times": [2.0, 6.0], "amplitude_values": [200.0, 0.0]})
    nest.Connect(current, cell, syn_spec={"receptor_type": 7})
    meter = nest.Create("multimeter", params={"record_from": ["V_m.s"]})
    nest.Connect(meter, cell)
    nest.Simulate(10.0)
    return {"V_m.s": near(meter.events["V_m.s"], 5e-3)}


def case_weights_onto_precise_and_other_targets(nest):
    cells = nest.Create("iaf_psc_exp", 1, {"t_ref": 1.0}) + nest.Create("iaf_psc_alpha_ps", 2)
    parrots = nest.Create("parrot_neuron", 2)
    source = nest.Create("spike_generator", params={"spike_times": [1.0, 3.0]})
    nest.Connect(source, parrots)
    nest.Connect(parrots, cells, "all_to_all", {"weight": np.array([[100.0, 110.0], [120.0, 130.0], [140.0, 150.0]])})
    rows = sorted(zip(*(nest.GetConnections(parrots).get(key) for key in ("source", "target", "weight")), strict=True))
    nest.Simulate(8.0)
    return {"rows": [list(row) for row in rows], "V_m": near(cells.V_m, 1e-6)}


def case_one_weight_of_tsodyks_synapse_hom(nest):
    nest.CopyModel("tsodyks_synapse_hom", "copied", {"weight": 2.0})
    cells = nest.Create("iaf_psc_exp", 2)
    found = {"connect": error(lambda: nest.Connect(cells, cells, syn_spec={"synapse_model": "copied", "weight": 2.0}))}
    nest.Connect(cells, cells, syn_spec={"synapse_model": "copied"})
    made = nest.GetConnections(synapse_model="copied")
    found["set"] = error(lambda: made.set(weight=5.0))
    found["get"] = error(lambda: made[0].get("weight"))
    nest.SetDefaults("copied", {"weight": 7.0})
    return found | {"delays": made.get("delay")}


def case_defaults_of_synapses_take_single_values(nest):
    cells = nest.Create("iaf_psc_exp", 2)
    return {key: error(lambda k=key: nest.SetDefaults("stdp_synapse", {k: cells})) for key in ("weight", "tau_plus")}


def case_third_factors_of_other_types(nest):
    cells = nest.Create("iaf_psc_exp", 2)
    rule = {"rule": "third_factor_bernoulli_with_pool", "p": 1.0}
    return {"list": error(lambda: nest.TripartiteConnect(cells, cells, [1, 2], "all_to_all", rule)) != ""}


def case_disconnecting_spike_train_injectors(nest):
    found = {}
    for model in ("spike_train_injector", "spike_generator", "parrot_neuron"):
        nest.ResetKernel()
        source, cells = nest.Create(model), nest.Create("iaf_psc_exp", 2)
        if model != "parrot_neuron":
            source.spike_times = [1.0, 6.0]
        nest.Connect(source, cells, syn_spec={"weight": 100.0})
        nest.Connect(source, cells[:1], syn_spec={"weight": 50.0})
        nest.Simulate(3.0)
        found[model] = [error(lambda s=source, c=cells: nest.Disconnect(s, c[:1])), int(nest.num_connections)]
        found[f"{model} collection"] = [error(nest.GetConnections(source, cells[1:]).disconnect), int(nest.num_connections)]
        nest.Simulate(7.0)
        found[f"{model} V_m"] = near(cells.V_m)
    return found


def case_errors_of_ht_neuron(nest):
    found = {}
    for key, value in (
        ("tau_theta", -70.0),
        ("tau_D_KNa", 0.0),
        ("tau_decay_GABA_A", -1.0),
        ("tau_spike", 0.0),
        ("t_ref", -1.0),
        ("g_KL", -1.0),
    ):
        nest.ResetKernel()
        cell = nest.Create("ht_neuron")
        found[f"{key} set"] = error(lambda c=cell, k=key, v=value: c.set({k: v}))
        found[f"{key} create"] = error(lambda k=key, v=value: nest.Create("ht_neuron", params={k: v}))
        found[f"{key} defaults"] = error(lambda k=key, v=value: nest.SetDefaults("ht_neuron", {k: v}))
    return found


def case_mechanisms_of_glif_switched_off_and_on(nest):
    found = {}
    for model in ("glif_psc", "glif_psc_double_alpha"):
        nest.ResetKernel()
        cell = nest.Create(model, params={"spike_dependent_threshold": True, "after_spike_currents": True})
        source = nest.Create("dc_generator", params={"amplitude": 400.0})
        nest.Connect(source, cell)
        for number, values in enumerate(
            (
                {},
                {"after_spike_currents": False},
                {"spike_dependent_threshold": False},
                {"after_spike_currents": True},
                {"spike_dependent_threshold": True},
            )
        ):
            cell.set(values)
            nest.Simulate(17.3)
            for key in ("V_m", "threshold_spike", "ASCurrents"):
                found[f"{model} {number} {key}"] = near(cell.get(key))
    return found


def case_thresholds_that_follow_from_other_values(nest):
    found = {}
    for model in ("mat2_psc_exp", "amat2_psc_exp"):
        parts = [{"V_th_alpha_1": 0.5}, {"V_th_alpha_2": 0.764}, {"omega": -40.0}, {"E_L": -60.0}]
        for values in parts + ([{"V_th_v": 0.3}] if model == "amat2_psc_exp" else []):
            nest.ResetKernel()
            cells = nest.Create(model, 3, values)
            cells[0].set({"omega": -45.0})
            cells[1:].set([{"V_th_alpha_1": 1.0}, {"V_th_alpha_1": 2.0}])
            found[f"{model} {values}"] = near(cells.V_th, 1e-12)
            nest.Simulate(1.0)
            found[f"{model} {values} later"] = near(cells.V_th, 1e-12)
            nest.CopyModel(model, "copied", values)
            found[f"{model} {values} copied"] = near(nest.Create("copied").V_th, 1e-12)
    cell = nest.Create("iaf_psc_exp_ps_lossless", params={"I_syn_ex": 0.5})
    found["I_syn"] = near(cell.I_syn, 1e-12)
    cell.I_syn_in = 0.7
    return found | {"I_syn later": near(cell.I_syn, 1e-12)}


def case_stimulators_with_two_synapse_models(nest):
    found = {}
    for name in ("poisson_generator", "spike_generator", "dc_generator", "spike_dilutor", "spike_train_injector", "multimeter"):
        nest.ResetKernel()
        nest.CopyModel("static_synapse", "other")
        device, cells, recorder = nest.Create(name, 3), nest.Create("iaf_psc_delta", 3), nest.Create("spike_recorder")
        calls = [(device[0], cells[0], None), (device[1], cells[0], "other"), (device[0], cells[1], "other"), (device[1], cells[1], None)]
        calls += [(device, cells, "other"), (device[1], cells[2], "other"), (device[2], cells[2], None), (device[2], cells[1], "other")]
        calls += [(device[0], recorder, "other")] if name in ("poisson_generator", "spike_generator") else []
        found[name] = [error(lambda c=call: nest.Connect(c[0], c[1], syn_spec=c[2])) for call in calls]
        both = nest.CollocatedSynapses({"synapse_model": "other"}, {"synapse_model": "static_synapse"})
        if name != "multimeter":
            found[name + " both"] = error(lambda d=device, c=cells, b=both: nest.Connect(d[2], c[2], syn_spec=b))
        found[name + " ids"] = error(lambda d=device, c=cells: nest.Connect(d.tolist()[1:] * 2, c.tolist()[:2] * 2, "one_to_one"))
    return found


def _clocked(nest, values, n=1):
    cells, recorder = nest.Create("iaf_psc_delta", n, values), nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    return cells, lambda: near(recorder.get("events", "times"), 1e-9)


def case_spikes_by_a_clock(nest):
    on = {"ignore_and_spike": True, "ignore_and_spike_interval": 3.0}
    found = {}
    for interval, offset in ((0.3, 0.2), (2.0, 5.0), (3.0, 0.05), (3.04, 1.04), (2.96, 1.06), (0.05, 1.0), (3.0, 0.0), (0.0, 1.0)):
        nest.ResetKernel()
        values = {"ignore_and_spike": True, "ignore_and_spike_interval": interval, "ignore_and_spike_offset": offset}
        if min(interval, offset) == 0.0:
            found[f"{interval} {offset}"] = error(lambda v=values: nest.Create("iaf_psc_delta", params=v))
            continue
        cells, times = _clocked(nest, values)
        nest.Simulate(8.5)
        found[f"{interval} {offset}"], found[f"{interval} {offset} on"] = times(), cells.ignore_and_spike
    nest.ResetKernel()
    cells, times = _clocked(nest, {**on, "I_e": 700.0})
    meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 0.5})
    nest.Connect(meter, cells)
    source = nest.Create("spike_generator", params={"spike_times": [0.6, 1.2, 3.0, 4.0]})
    nest.Connect(source, cells, syn_spec={"weight": 50.0, "delay": 0.1})
    nest.Simulate(5.5)
    cells.ignore_and_spike_interval = 2.0
    nest.Simulate(6.0)
    cells.ignore_and_spike_offset = 2.0
    nest.Simulate(6.5)
    cells.I_e = 650.0
    nest.Simulate(6.5)
    cells.ignore_and_spike = False
    nest.Simulate(30.0)
    cells.ignore_and_spike = True
    nest.Simulate(10.0)
    return found | {"changes": times(), "V": near(meter.get("events", "V_m"), 1e-9)}


def case_some_of_many_spike_by_a_clock(nest):
    nest.SetDefaults("iaf_psc_delta", {"ignore_and_spike_interval": 4.0})
    cells, times = _clocked(nest, {"I_e": 700.0}, 3)
    cells[1].set({"ignore_and_spike_offset": 2.0})
    cells[1:].set({"ignore_and_spike": True})
    shown = [list(cells.get(key)) for key in ("ignore_and_spike", "ignore_and_spike_interval", "ignore_and_spike_offset")]
    nest.Simulate(20.0)
    nest.SetDefaults("iaf_psc_delta", {"ignore_and_spike": True})
    nest.CopyModel("iaf_psc_delta", "copied", {"ignore_and_spike_interval": 3.0})
    return {"shown": shown, "times": times(), "others": [nest.Create(name).ignore_and_spike for name in ("iaf_psc_delta", "copied")]}
