# SPDX-License-Identifier: Apache-2.0
"""Create: what is made, its ids, its parameters and its status."""

import numpy as np
from tests.nest.corpus.values import counts, error, sample


def case_ids_count_up_over_models(nest):
    first, second, third = nest.Create("iaf_psc_exp"), nest.Create("parrot_neuron", 3), nest.Create("poisson_generator", 2)
    return {"ids": [part.tolist() for part in (first, second, third)], "size": nest.network_size}


def case_one_node_gives_scalars(nest):
    node = nest.Create("iaf_psc_alpha")
    return {"V_m": node.V_m, "one": node.get("C_m"), "two": node.get(["tau_m", "C_m"]), "id": node.global_id, "model": node.model}


def case_many_nodes_give_tuples(nest):
    nodes = nest.Create("iaf_psc_alpha", 3, {"V_m": [-60.0, -61.0, -62.0]})
    return {"V_m": nodes.V_m, "is": type(nodes.get("V_m")).__name__, "two": nodes.get(["V_m", "C_m"]), "ids": nodes.global_id}


def case_params_as_dict(nest):
    nodes = nest.Create("iaf_psc_exp", 4, params={"C_m": 200.0, "tau_m": 15.0})
    return {"C_m": nodes.C_m, "tau_m": nodes.tau_m, "other": nodes.tau_syn_ex}


def case_params_as_lists(nest):
    nodes = nest.Create("iaf_psc_exp", 3, {"C_m": [100.0, 200.0, 300.0], "I_e": 5.0})
    return {"C_m": nodes.C_m, "I_e": nodes.I_e}


def case_params_as_arrays(nest):
    nodes = nest.Create("iaf_psc_delta", 5, {"V_m": np.linspace(-70.0, -60.0, 5), "t_ref": np.arange(1.0, 6.0)})
    return {"V_m": nodes.V_m, "t_ref": nodes.t_ref}


def case_params_as_list_of_dicts(nest):
    nodes = nest.Create("iaf_psc_exp", 2, [{"C_m": 111.0}, {"C_m": 222.0, "I_e": 3.0}])
    return {"C_m": nodes.C_m, "I_e": nodes.I_e}


def case_second_argument_may_be_the_params(nest):
    node = nest.Create("iaf_psc_exp", params={"E_L": -60.0})
    return {"E_L": node.E_L, "n": len(node)}


def case_params_as_parameters(nest):
    nodes = nest.Create("iaf_psc_exp", 2000, {"V_m": nest.random.normal(-65.0, 3.0), "I_e": nest.random.uniform(100.0, 200.0)})
    return {"V_m": sample(nodes.V_m), "I_e": sample(nodes.I_e), "distinct": len(set(nodes.V_m)) > 1990}


def case_params_as_integer_draws(nest):
    nodes = nest.Create("iaf_psc_exp", 3000, {"C_m": 100.0 + 10.0 * nest.random.uniform_int(7)})
    return {"C_m": counts(np.round(np.array(nodes.C_m)))}


def case_integers_where_floats_are_meant(nest):
    node = nest.Create("iaf_psc_exp", params={"C_m": 200, "I_e": 10})
    return {"C_m": node.C_m, "I_e": node.I_e}


def case_set_by_attribute(nest):
    nodes = nest.Create("iaf_psc_exp", 3)
    nodes.V_m = -60.0
    nodes.I_e = [1.0, 2.0, 3.0]
    nodes[1].C_m = 99.0
    return {"V_m": nodes.V_m, "I_e": nodes.I_e, "C_m": nodes.C_m}


def case_set_by_dict_and_by_keywords(nest):
    nodes = nest.Create("iaf_psc_exp", 2)
    nodes.set({"V_m": -61.0, "tau_m": [11.0, 12.0]})
    nodes.set(C_m=300.0, I_e=[7.0, 8.0])
    return nodes.get(["V_m", "tau_m", "C_m", "I_e"])


def case_set_by_list_of_dicts(nest):
    nodes = nest.Create("iaf_psc_exp", 3)
    nodes.set([{"V_m": -61.0}, {"V_m": -62.0}, {"V_m": -63.0, "I_e": 4.0}])
    return nodes.get(["V_m", "I_e"])


def case_set_by_parameter(nest):
    nodes = nest.Create("iaf_psc_exp", 1500)
    nodes.V_m = nest.random.uniform(-70.0, -55.0)
    nodes.set(I_e=nest.random.exponential(50.0))
    return {"V_m": sample(nodes.V_m), "I_e": sample(nodes.I_e)}


def case_set_status_of_the_old_kind(nest):
    nodes = nest.Create("iaf_psc_exp", 3)
    nest.SetStatus(nodes, {"V_m": -66.0})
    nest.SetStatus(nodes[:2], "I_e", 12.0)
    nest.SetStatus(nodes, [{"C_m": 100.0}, {"C_m": 101.0}, {"C_m": 102.0}])
    return {"V_m": nest.GetStatus(nodes, "V_m"), "both": nest.GetStatus(nodes, ["I_e", "C_m"])}


def case_get_status_of_the_old_kind(nest):
    nodes = nest.Create("parrot_neuron", 2)
    found = nest.GetStatus(nodes)
    return {"type": type(found).__name__, "n": len(found), "ids": [entry["global_id"] for entry in found], "model": str(found[0]["model"])}


def case_status_keys_of_a_neuron(nest):
    status = nest.Create("iaf_psc_exp").get()
    names = ("global_id", "model", "element_type", "vp", "thread", "local", "thread_local_id", "frozen", "node_uses_wfr")
    return {name: str(status[name]) for name in names}


def case_status_keys_of_devices(nest):
    kinds = ("poisson_generator", "spike_recorder", "multimeter", "dc_generator", "parrot_neuron")
    return {kind: str(nest.Create(kind).get("element_type")) for kind in kinds}


def case_frozen_neurons_stay(nest):
    nodes = nest.Create("iaf_psc_exp", 2, {"I_e": 400.0, "V_m": -65.0})
    nodes[0].frozen = True
    nest.Simulate(5.0)
    return {"frozen": nodes.frozen, "still": nodes[0].V_m == -65.0, "moves": nodes[1].V_m != -65.0}


def case_recordables(nest):
    names = ("iaf_psc_exp", "iaf_psc_alpha", "iaf_psc_delta", "iaf_cond_exp", "izhikevich")
    return {name: sorted(str(key) for key in nest.Create(name).recordables) for name in names}


def case_state_and_threshold(nest):
    node = nest.Create("iaf_psc_exp", params={"V_th": -50.0, "V_reset": -60.0, "E_L": -60.0})
    return {"V_th": node.V_th, "V_reset": node.V_reset, "V_m": node.V_m}


def case_resting_potential_moves_nothing_else(nest):
    """A new E_L leaves V_m, V_th and V_reset where they are."""
    found = {}
    for model in ("iaf_psc_exp", "iaf_psc_alpha", "iaf_psc_delta", "iaf_cond_exp"):
        node = nest.Create(model, params={"E_L": -60.0})
        found[model] = [node.E_L, node.V_m, node.V_th, node.V_reset]
        node.set(E_L=-75.0, V_th=-50.0)
        found[model] += [node.V_m, node.V_th, node.V_reset]
    return found


def case_frozen_and_labels_of_devices(nest):
    recorder = nest.Create("spike_recorder", params={"label": "mine", "start": 1.0, "stop": 5.0, "origin": 0.5})
    return {"label": recorder.label, "start": recorder.start, "stop": recorder.stop, "origin": recorder.origin, "n": recorder.n_events}


def case_get_as_json(nest):
    nodes = nest.Create("iaf_psc_exp", 2, {"C_m": [100.0, 200.0]})
    return {"one": nodes.get("C_m", output="json"), "two": nodes.get(["C_m", "I_e"], output="json")}


def case_get_as_pandas(nest):
    nodes = nest.Create("iaf_psc_exp", 3, {"C_m": [100.0, 200.0, 300.0]})
    table = nodes.get(["C_m", "tau_m"], output="pandas")
    return {"columns": sorted(table.columns), "index": list(table.index), "C_m": list(table["C_m"]), "shape": list(table.shape)}


def case_get_inside_events(nest):
    recorder = nest.Create("spike_recorder")
    source = nest.Create("spike_generator", params={"spike_times": [1.0, 2.5]})
    relay = nest.Create("parrot_neuron")
    nest.Connect(source, relay)
    nest.Connect(relay, recorder)
    nest.Simulate(10.0)
    both = recorder.get("events", ["times", "senders"])
    return {"times": recorder.get("events", "times"), "keys": sorted(both), "senders": both["senders"]}


def case_models_differ_in_keys(nest):
    nodes = nest.Create("iaf_psc_exp") + nest.Create("iaf_cond_exp", params={"g_L": 12.0})
    return {"g_L": nodes.get("g_L"), "C_m": nodes.get("C_m")}


def case_unknown_model(nest):
    return {"raises": error(lambda: nest.Create("iaf_psc_expo"))}


def case_bad_number_of_nodes(nest):
    return {str(n): error(lambda n=n: nest.Create("iaf_psc_exp", n)) for n in (0, -3, 2.5, "5", None)}


def case_whole_floats_count(nest):
    return {"raises": error(lambda: nest.Create("iaf_psc_exp", 2.0)), "numpy": len(nest.Create("iaf_psc_exp", np.int64(3)))}


def case_list_of_wrong_length(nest):
    return {
        "dict": error(lambda: nest.Create("iaf_psc_exp", 3, {"V_m": [-60.0, -61.0]})),
        "list of dicts": error(lambda: nest.Create("iaf_psc_exp", 3, [{"V_m": -60.0}, {"V_m": -61.0}])),
    }


def case_unknown_parameter(nest):
    node = nest.Create("iaf_psc_exp")
    return {
        "create": error(lambda: nest.Create("iaf_psc_exp", params={"tau_mm": 1.0})),
        "set": error(lambda: node.set({"tau_mm": 1.0})),
        "get": error(lambda: node.get("tau_mm")),
        "get list": error(lambda: node.get(["V_m", "tau_mm"])),
        "read": error(lambda: node.tau_mm),
        "write": error(lambda: setattr(node, "tau_mm", 1.0)),
    }


def case_bad_values(nest):
    node = nest.Create("iaf_psc_exp")
    bad = {"C_m": -1.0, "tau_m": 0.0, "tau_syn_ex": -2.0, "t_ref": -1.0, "V_reset": 10.0}
    return {key: error(lambda key=key: node.set({key: bad[key]})) for key in bad} | {"unchanged": node.get(list(bad))}


def case_bad_types(nest):
    node = nest.Create("iaf_psc_exp")
    return {
        "text": error(lambda: node.set(V_m="much")),
        "dict": error(lambda: node.set(V_m={"a": 1.0})),
        "number": error(lambda: node.set(5)),
        "both": error(lambda: node.set({"V_m": -60.0}, I_e=3.0)),
    }


def case_get_nodes_by_model_and_value(nest):
    nest.Create("iaf_psc_exp", 3, {"C_m": [100.0, 200.0, 100.0]})
    nest.Create("parrot_neuron", 2)
    return {
        "all": nest.GetNodes().tolist(),
        "parrots": nest.GetNodes({"model": "parrot_neuron"}).tolist(),
        "C_m": nest.GetNodes({"C_m": 100.0}).tolist(),
        "none": nest.GetNodes({"C_m": 1.0}).tolist(),
    }


def case_many_models_make_a_composite(nest):
    nodes = nest.Create("iaf_psc_exp", 2) + nest.Create("iaf_psc_alpha", 2)
    nodes.V_m = [-60.0, -61.0, -62.0, -63.0]
    return {"models": [str(name) for name in nodes.model], "V_m": nodes.V_m}


def case_print_of_nodes(nest):
    nest.Create("iaf_psc_exp", 3)
    nest.Create("parrot_neuron")
    nest.Create("iaf_psc_exp", 2)
    return {"said": error(nest.PrintNodes)}
