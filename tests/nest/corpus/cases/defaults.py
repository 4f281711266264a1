# SPDX-License-Identifier: Apache-2.0
"""GetDefaults, SetDefaults, CopyModel."""

from tests.nest.corpus.values import error


def case_get_one_and_all(nest):
    every = nest.GetDefaults("iaf_psc_exp")
    return {
        "one": nest.GetDefaults("iaf_psc_exp", "C_m"),
        "list": nest.GetDefaults("iaf_psc_exp", ["C_m", "tau_m"]),
        "same": every["C_m"] == 250.0,
        "type": type(every).__name__,
    }


def case_get_as_json(nest):
    return {"one": nest.GetDefaults("iaf_psc_exp", "C_m", output="json")}


def case_set_for_nodes_to_come(nest):
    before = nest.Create("iaf_psc_exp")
    nest.SetDefaults("iaf_psc_exp", {"C_m": 123.0, "V_m": -66.0})
    after = nest.Create("iaf_psc_exp")
    return {"before": before.C_m, "after": after.C_m, "V_m": after.V_m, "default": nest.GetDefaults("iaf_psc_exp", "C_m")}


def case_set_by_name_and_value(nest):
    nest.SetDefaults("iaf_psc_exp", "C_m", 77.0)
    return {"C_m": nest.Create("iaf_psc_exp").C_m}


def case_copy_of_a_neuron(nest):
    nest.CopyModel("iaf_psc_exp", "fast", {"tau_m": 2.0})
    node = nest.Create("fast", 2)
    return {
        "tau_m": node.tau_m,
        "model": str(node[0].model),
        "original": nest.GetDefaults("iaf_psc_exp", "tau_m"),
        "listed": "fast" in nest.node_models,
    }


def case_copy_of_a_copy(nest):
    nest.CopyModel("iaf_psc_exp", "a", {"tau_m": 2.0})
    nest.CopyModel("a", "b", {"C_m": 50.0})
    nest.SetDefaults("a", {"tau_m": 3.0})
    return {"a": nest.GetDefaults("a", ["tau_m", "C_m"]), "b": nest.GetDefaults("b", ["tau_m", "C_m"])}


def case_copy_of_a_synapse(nest):
    nest.CopyModel("static_synapse", "strong", {"weight": 7.0, "delay": 2.5})
    nodes = nest.Create("parrot_neuron", 2)
    nest.Connect(nodes[0], nodes[1], syn_spec="strong")
    nest.Connect(nodes[1], nodes[0], syn_spec={"synapse_model": "strong", "weight": 3.0})
    found = nest.GetConnections(synapse_model="strong")
    return {
        "weight": sorted(found.get("weight")),
        "delay": found.get("delay"),
        "model": str(found[0].synapse_model),
        "listed": "strong" in nest.synapse_models,
    }


def case_copy_of_a_device(nest):
    nest.CopyModel("poisson_generator", "drive", {"rate": 321.0})
    return {"rate": nest.Create("drive").rate}


def case_synapse_defaults(nest):
    nest.SetDefaults("static_synapse", {"weight": 4.0, "delay": 1.7})
    nodes = nest.Create("parrot_neuron", 2)
    nest.Connect(nodes[0], nodes[1])
    found = nest.GetConnections()
    return {"weight": found.weight, "delay": found.delay, "num": nest.GetDefaults("static_synapse", "num_connections")}


def case_copy_before_the_original_changes(nest):
    nest.CopyModel("stdp_synapse", "mine", {"lambda": 0.05})
    nest.SetDefaults("stdp_synapse", {"lambda": 0.5})
    return {"mine": nest.GetDefaults("mine", "lambda"), "original": nest.GetDefaults("stdp_synapse", "lambda")}


def case_errors(nest):
    nest.CopyModel("iaf_psc_exp", "mine")
    return {
        "unknown": error(lambda: nest.GetDefaults("no_such")),
        "unknown key": error(lambda: nest.GetDefaults("iaf_psc_exp", "no_such")),
        "set unknown": error(lambda: nest.SetDefaults("no_such", {"C_m": 1.0})),
        "set unknown key": error(lambda: nest.SetDefaults("iaf_psc_exp", {"no_such": 1.0})),
        "set bad": error(lambda: nest.SetDefaults("iaf_psc_exp", {"C_m": -1.0})),
        "copy unknown": error(lambda: nest.CopyModel("no_such", "a")),
        "copy twice": error(lambda: nest.CopyModel("iaf_psc_exp", "mine")),
        "copy over": error(lambda: nest.CopyModel("iaf_psc_exp", "iaf_psc_alpha")),
        "copy bad key": error(lambda: nest.CopyModel("iaf_psc_exp", "other", {"no_such": 1.0})),
    }


def case_synapse_errors(nest):
    return {
        "set unknown key": error(lambda: nest.SetDefaults("static_synapse", {"no_such": 1.0})),
        "delay": error(lambda: nest.SetDefaults("static_synapse", {"delay": -1.0})),
        "copy bad key": error(lambda: nest.CopyModel("static_synapse", "other", {"no_such": 1.0})),
    }


def case_resolution_after_defaults(nest):
    nest.SetDefaults("iaf_psc_exp", {"C_m": 123.0})
    return {"raises": error(lambda: setattr(nest, "resolution", 0.5))}


def case_copied_models_run_like_the_original(nest):
    nest.CopyModel("iaf_psc_exp", "mine", {"I_e": 450.0})
    cells = nest.Create("mine") + nest.Create("iaf_psc_exp", params={"I_e": 450.0})
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Simulate(100.0)
    events = recorder.events
    times = [events["times"][events["senders"] == node].tolist() for node in (1, 2)]
    return {"same": times[0] == times[1], "times": times[0]}


def case_model_status_keys(nest):
    status = nest.GetDefaults("iaf_psc_exp")
    return {
        "model": str(status["model"]),
        "element_type": str(status["element_type"]),
        "type_id": str(nest.GetDefaults("static_synapse")["synapse_model"]),
    }


def case_parts_of_a_compartment(nest):
    nest.SetDefaults("iaf_cond_alpha_mc", {"soma": {"g_L": 12.0}, "V_th": -50.0})
    nest.CopyModel("iaf_cond_alpha_mc", "copied", {"distal": {"C_m": 99.0}})
    a, b = nest.Create("iaf_cond_alpha_mc"), nest.Create("copied")
    shown = [nest.GetDefaults(model)[part]["g_L"] for model in ("iaf_cond_alpha_mc", "copied") for part in ("soma", "proximal", "distal")]
    return {"g_L": [n.get(part)["g_L"] for n in (a, b) for part in ("soma", "proximal", "distal")], "C_m": b.distal["C_m"], "shown": shown}
