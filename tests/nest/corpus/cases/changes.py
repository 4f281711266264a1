# SPDX-License-Identifier: Apache-2.0
"""What random scripts showed to differ on purpose once, and does no more; changes between calls of Simulate."""

import numpy as np
from tests.nest.corpus.values import error, near

PLAIN = ("static_synapse", "static_synapse_hom_w", "cont_delay_synapse")
PLASTIC = ("stdp_synapse", "tsodyks_synapse", "bernoulli_synapse", "stdp_synapse_hom", "jonke_synapse", "ht_synapse")


def case_synapses_of_a_spike_generator(nest):
    found = {}
    for source in ("spike_generator", "spike_train_injector", "parrot_neuron"):
        for model in PLAIN + PLASTIC:
            nest.ResetKernel()
            nodes = nest.Create(source), nest.Create("iaf_psc_alpha")
            found[f"{source} {model}"] = error(lambda nodes=nodes, model=model: nest.Connect(*nodes, syn_spec=model))
    return found


def case_synapses_of_devices_to_recorders(nest):
    found = {}
    for source in ("spike_generator", "poisson_generator", "spike_train_injector", "parrot_neuron"):
        for model in ("static_synapse", "cont_delay_synapse", "tsodyks_synapse", "stdp_synapse"):
            nest.ResetKernel()
            nodes = nest.Create(source), nest.Create("spike_recorder")
            found[f"{source} {model}"] = error(lambda nodes=nodes, model=model: nest.Connect(*nodes, syn_spec=model))
    return found


def case_delays_after_simulate(nest):
    """Minimum and maximum stay as they were when it began, also of devices and defaults."""

    def network():
        nest.ResetKernel()
        cells = nest.Create("iaf_psc_alpha", 3)
        for delay in (1.0, 2.0):
            nest.Connect(cells[:1], cells[1:], syn_spec={"delay": delay})
        nest.Simulate(5.0)
        return cells

    found = {}
    for source, target in (("cell", "cell"), ("spike_generator", "cell"), ("poisson_generator", "cell"), ("cell", "spike_recorder")):
        for delay in (0.5, 0.951, 1.0, 2.049, 2.051, 3.0, None):
            cells = network()
            ends = [cells if name == "cell" else nest.Create(name) for name in (source, target)]
            spec = {} if delay is None else {"delay": delay}
            found[f"{source} {target} {delay}"] = error(lambda ends=ends, spec=spec: nest.Connect(*ends, syn_spec=spec))
            found[f"{source} {target} {delay} bounds"] = near([nest.min_delay, nest.max_delay])
    for delay in (0.5, 1.5, 3.0):
        network()
        found[f"defaults {delay}"] = error(lambda delay=delay: nest.SetDefaults("static_synapse", {"delay": delay}))
        found[f"copy {delay}"] = error(lambda delay=delay: nest.CopyModel("static_synapse", "copied", {"delay": delay}))
    cells = network()
    nest.Connect(cells, cells, syn_spec={"delay": nest.random.uniform(1.0, 2.0)})
    matrix = np.array([[2.0, 2.0, 2.0], [2.0, 2.0, 0.5], [2.0, 2.0, 2.0]])
    found["matrix"] = error(lambda: nest.Connect(cells, cells, syn_spec={"delay": matrix}))
    nest.ResetKernel()
    cells = nest.Create("iaf_psc_alpha")
    nest.Simulate(1.0)
    found["none before"] = error(lambda: nest.Connect(cells, cells, syn_spec={"delay": 1.5}))
    nest.ResetKernel()
    nest.set(min_delay=1.0, max_delay=3.0)
    cells = nest.Create("iaf_psc_alpha")
    found["rounded"] = [error(lambda d=d: nest.Connect(cells, cells, syn_spec={"delay": d})) for d in (0.951, 3.04, 3.06, 0.94)]
    return found


def since_time_0(model):
    def case(nest):
        """NEST begins as if sources had spiked at time 0."""
        found = {}
        for k, (pre, post) in enumerate(
            (([20.0], [5.0]), ([20.0], [5.0, 8.0]), ([20.0, 40.0], [30.0]), ([20.0], [19.0]), ([3.0], [1.0, 2.0]))
        ):
            nest.ResetKernel()
            cells = nest.Create("parrot_neuron", 2)
            for times, cell in ((pre, cells[0]), (post, cells[1])):
                nest.Connect(nest.Create("spike_generator", params={"spike_times": times}), cell)
            for own in ({}, {"tau_plus": 7.0, "alpha": 0.5}):
                nest.Connect(cells[0], cells[1], syn_spec={"synapse_model": model, "weight": 50.0, "receptor_type": 1} | own)
            nest.Simulate(60.0)
            found[str(k)] = near(sorted(nest.GetConnections(cells[0], cells[1]).weight), 1e-9)
        return found

    return case


case_stdp_nn_symm_since_time_0 = since_time_0("stdp_nn_symm_synapse")
case_stdp_nn_restr_since_time_0 = since_time_0("stdp_nn_restr_synapse")


def case_samples_of_a_meter_with_an_offset(nest):
    """With an offset, none is taken in the first step."""
    found = {}
    for offset in (0.0, 0.1, 0.2, 1.0):
        for interval in (0.1, 0.2, 1.0):
            for late in (0.0, 3.0, 3.1):
                nest.ResetKernel()
                cell = nest.Create("iaf_psc_alpha")
                nest.Connect(cell, cell, syn_spec={"delay": 0.1})
                nest.Simulate(late)
                meter = nest.Create("multimeter", params={"record_from": ["V_m"], "offset": offset, "interval": interval})
                nest.Connect(meter, cell, syn_spec={"delay": 0.1})
                nest.Simulate(2.0)
                nest.Simulate(1.5)
                found[f"{offset} {interval} {late}"] = near(meter.events["times"])
    return found


TUM = {"U": [0.5, 0.3, 0.5], "tau_rec": [400.0, 300.0, 400.0], "x": 1.0, "I_e": [500.0, 700.0, 900.0]}


def case_tum_sources_that_differ(nest):
    found = {}
    weights = {"all": 20.0, "matrix": np.array([[5.0, 6.0, 7.0], [8.0, 9.0, 10.0], [1.0, 2.0, 3.0]])}
    rules = {
        "all": ("all_to_all", "one_to_one", {"rule": "fixed_indegree", "indegree": 3, "allow_multapses": False}),
        "matrix": ("all_to_all",),
    }
    for name, weight in weights.items():
        for rule in rules[name]:
            nest.ResetKernel()
            sources, targets = nest.Create("iaf_tum_2000", 3, TUM), nest.Create("iaf_tum_2000", 3)
            nest.Connect(sources, targets, rule, {"weight": weight, "receptor_type": 1})
            meter = nest.Create("multimeter", params={"record_from": ["V_m"]})
            nest.Connect(meter, targets)
            nest.Simulate(40.0)
            found[f"{name} {rule} V_m"] = near(meter.events["V_m"], 1e-9)
            columns = nest.GetConnections(sources, targets).get(["source", "target", "weight"])
            found[f"{name} {rule}"] = sorted(zip(*columns.values(), strict=True))
    return found


def case_tum_refuses(nest):
    found = {}
    for values in ({"x": 0.8, "y": 0.3}, {"u": 1.2}, {"x": 0.5, "y": 0.5}, {"U": 1.1}):
        nest.ResetKernel()
        found[f"create {values}"] = error(lambda v=values: nest.Create("iaf_tum_2000", params=v))
        found[f"defaults {values}"] = error(lambda v=values: nest.SetDefaults("iaf_tum_2000", v))
        nest.ResetKernel()
        cells = nest.Create("iaf_tum_2000", 2)
        found[f"set {values}"] = error(lambda v=values, cells=cells: cells.set(v))
    for model in ("iaf_psc_alpha_ps", "parrot_neuron_ps", "iaf_bw_2001", "iaf_chxk_2008", "iaf_psc_exp"):
        nest.ResetKernel()
        ends = nest.Create("iaf_tum_2000"), nest.Create(model)
        found[model] = error(lambda ends=ends, port=int(model == "iaf_bw_2001"): nest.Connect(*ends, syn_spec={"receptor_type": port}))
    return found


def case_reset_of_glif_below_its_threshold(nest):
    found = {}
    for model in ("glif_psc", "glif_cond", "glif_psc_double_alpha"):
        for values in ({"V_reset": -51.68}, {"V_reset": -51.69}, {"V_th": -80.0}, {"E_L": -40.0}):
            nest.ResetKernel()
            found[f"{model} {values}"] = error(lambda m=model, v=values: nest.Create(m, params=v))
            found[f"{model} {values} defaults"] = error(lambda m=model, v=values: nest.SetDefaults(m, v))
    return found


def case_clamped_ht_neuron_spikes(nest):
    """The potential goes back to what it is held at after the step of a spike."""
    found = {}
    for theta in (-78.0, -60.0):
        nest.ResetKernel()
        cell = nest.Create("ht_neuron", params={"voltage_clamp": True})
        cell.theta = theta
        meter, recorder = (
            nest.Create("multimeter", params={"record_from": ["V_m", "theta"], "interval": 0.1}),
            nest.Create("spike_recorder"),
        )
        nest.Connect(meter, cell)
        nest.Connect(cell, recorder)
        nest.Simulate(6.0)
        found |= {f"{theta} {key}": near(meter.events[key], 1e-3) for key in ("V_m", "theta")}
        found[f"{theta} times"] = near(recorder.events["times"])
    return found


def case_far_below_rest(nest):
    """Gates follow so fast there that a step needs many substeps."""
    cell = nest.Create("hh_psc_alpha")
    meter = nest.Create("multimeter", params={"record_from": ["V_m", "I_syn_ex"]})
    nest.Connect(meter, cell)
    for times, weight in (([11.2], 1.0), ([3.1, 3.9, 4.0, 5.6, 5.9, 8.1], -2000.0)):
        nest.Connect(nest.Create("spike_generator", params={"spike_times": times}), cell, syn_spec={"weight": weight})
    nest.Simulate(19.0)
    return {"V_m": near(meter.events["V_m"], 0.05), "I_syn_ex": near(meter.events["I_syn_ex"], 2e-3)}


def taus(nest, models, post_model, receptor):
    """Weights while time constants of the targets change between calls of Simulate."""
    posts = nest.Create(post_model, 2, {"tau_minus": 20.0, "tau_minus_triplet": 110.0})
    found = {}
    pre = nest.Create("spike_train_injector", params={"spike_times": [12.0, 22.0, 34.0, 50.0, 70.0, 81.0, 101.0]})
    told = nest.Create("spike_train_injector", params={"spike_times": [10.0, 25.0, 29.0, 45.0, 62.0, 75.0, 90.0]})
    nest.Connect(told, posts)
    for model in models:
        nest.Connect(pre, posts, syn_spec={"synapse_model": model, "weight": 50.0, "receptor_type": receptor})
    for k, change in enumerate(({}, {"tau_minus": 5.0}, {"tau_minus": [20.0, 9.0]}, {}, {"tau_minus": 20.0})):
        posts.set(change)
        nest.Simulate(21.0)
        for model in models:
            rows = nest.GetConnections(pre, posts, model).get(["target", "weight"])
            found[f"{k} {model}"] = near([w for _, w in sorted(zip(*rows.values(), strict=True))], 1e-9)
    found["shown"] = near([*posts.tau_minus, *posts.tau_minus_triplet])
    return found


def case_tau_minus_after_simulate(nest):
    return taus(nest, ("stdp_synapse", "stdp_triplet_synapse", "stdp_nn_symm_synapse", "vogels_sprekeler_synapse"), "parrot_neuron", 1)


def case_tau_minus_of_precise_targets_after_simulate(nest):
    return taus(nest, ("stdp_synapse",), "parrot_neuron_ps", 1)


def case_defaults_leave_nodes_alone(nest):
    found = {}
    given = {"iaf_psc_alpha": {"tau_minus": 30.0, "tau_Ca": 50.0, "I_e": 3.0, "tau_minus_triplet": 40.0}, "spike_dilutor": {"p_copy": 0.3}}
    for model, values in (given | {"spike_generator": {"allow_offgrid_times": True, "start": 3.0}}).items():
        nest.ResetKernel()
        nodes = nest.Create(model, 2)
        nest.SetDefaults(model, values)
        fresh = nest.Create(model)
        nodes[0].set({key: value for key, value in values.items() if key == "tau_minus"})
        found |= {f"{model} {key}": [*nodes.get(key), fresh.get(key), nest.GetDefaults(model, key)] for key in values}
    return found
