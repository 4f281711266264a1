# SPDX-License-Identifier: Apache-2.0
"""Connect: what goes into syn_spec, which ends can be connected, what comes back."""

import numpy as np
from tests.nest.corpus.values import error, near, sample


def table(nest, *names, **filters):
    """Rows (source, target, value, ...) of all connections, sorted."""
    found = nest.GetConnections(**filters)
    return sorted([c.source, c.target, *(c.get(name) for name in names)] for c in found)


def case_weight_and_delay(nest):
    nodes = nest.Create("parrot_neuron", 2)
    nest.Connect(nodes[0], nodes[1], syn_spec={"weight": 2.5, "delay": 3.0})
    return {"rows": table(nest, "weight", "delay")}


def case_defaults(nest):
    nodes = nest.Create("parrot_neuron", 2)
    nest.Connect(nodes[0], nodes[1])
    connection = nest.GetConnections()
    return {"weight": connection.weight, "delay": connection.delay, "model": str(connection.synapse_model), "receptor": connection.receptor}


def case_integer_weights(nest):
    nodes = nest.Create("parrot_neuron", 2)
    nest.Connect(nodes[0], nodes[1], syn_spec={"weight": 3, "delay": 2.0})
    return {"rows": table(nest, "weight")}


def case_array_for_one_to_one(nest):
    a, b = nest.Create("parrot_neuron", 3), nest.Create("parrot_neuron", 3)
    nest.Connect(a, b, "one_to_one", {"weight": [1.0, 2.0, 3.0], "delay": np.array([1.5, 2.5, 0.5])})
    return {"rows": table(nest, "weight", "delay")}


def case_array_for_all_to_all(nest):
    """Rows are targets, columns sources."""
    a, b = nest.Create("parrot_neuron", 2), nest.Create("parrot_neuron", 3)
    nest.Connect(a, b, "all_to_all", {"weight": np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])})
    return {"rows": table(nest, "weight")}


def case_array_for_fixed_indegree(nest):
    a, b = nest.Create("parrot_neuron", 6), nest.Create("parrot_neuron", 3)
    nest.Connect(a, b, {"rule": "fixed_indegree", "indegree": 2}, {"weight": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]})
    return {"weights": [sorted(row[2] for row in table(nest, "weight") if row[1] == target) for target in b.tolist()]}


def case_array_for_fixed_outdegree(nest):
    a, b = nest.Create("parrot_neuron", 3), nest.Create("parrot_neuron", 6)
    nest.Connect(a, b, {"rule": "fixed_outdegree", "outdegree": 2}, {"weight": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]})
    return {"weights": [sorted(row[2] for row in table(nest, "weight") if row[0] == source) for source in a.tolist()]}


def case_array_for_fixed_total_number(nest):
    a, b = nest.Create("parrot_neuron", 3), nest.Create("parrot_neuron", 3)
    nest.Connect(a, b, {"rule": "fixed_total_number", "N": 4}, {"weight": [1.0, 2.0, 3.0, 4.0]})
    return {"weights": sorted(row[2] for row in table(nest, "weight"))}


def case_arrays_of_wrong_shape(nest):
    a, b = nest.Create("parrot_neuron", 2), nest.Create("parrot_neuron", 3)
    return {
        "all_to_all": error(lambda: nest.Connect(a, b, "all_to_all", {"weight": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]})),
        "one_to_one": error(lambda: nest.Connect(a, b[:2], "one_to_one", {"weight": [1.0, 2.0, 3.0]})),
        "indegree": error(lambda: nest.Connect(a, b, {"rule": "fixed_indegree", "indegree": 2}, {"weight": [[1.0, 2.0]]})),
        "flat": error(lambda: nest.Connect(a, b, "all_to_all", {"weight": [1.0, 2.0]})),
    }


def case_arrays_for_the_wrong_rule(nest):
    nodes = nest.Create("parrot_neuron", 3)
    return {"bernoulli": error(lambda: nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0}, {"weight": [1.0, 2.0, 3.0]}))}


def case_drawn_weights_and_delays(nest):
    a, b = nest.Create("parrot_neuron", 30), nest.Create("parrot_neuron", 60)
    nest.Connect(a, b, syn_spec={"weight": nest.random.normal(5.0, 2.0), "delay": nest.random.uniform(1.0, 4.0)})
    found = nest.GetConnections()
    return {"weight": sample(found.get("weight")), "delay": sample(np.array(found.get("delay")) + 0.0)}


def case_drawn_weights_of_all_rules(nest):
    found = {}
    rules = (
        {"rule": "fixed_indegree", "indegree": 25},
        {"rule": "fixed_outdegree", "outdegree": 25},
        {"rule": "pairwise_bernoulli", "p": 0.5},
        {"rule": "fixed_total_number", "N": 1000},
        {"rule": "one_to_one"},
        {"rule": "pairwise_poisson", "pairwise_avg_num_conns": 0.5},
    )
    for rule in rules:
        nest.ResetKernel()
        size = 400 if rule["rule"] == "one_to_one" else 45
        a, b = nest.Create("parrot_neuron", size), nest.Create("parrot_neuron", size)
        nest.Connect(a, b, rule, {"weight": nest.math.redraw(nest.random.normal(0.0, 1.0), min=-0.5, max=2.0)})
        found[rule["rule"]] = sample(nest.GetConnections().get("weight"))
    return found


def case_expressions_as_weights(nest):
    a, b = nest.Create("parrot_neuron", 40), nest.Create("parrot_neuron", 40)
    nest.Connect(
        a,
        b,
        {"rule": "fixed_indegree", "indegree": 20},
        {"weight": nest.math.exp(0.5 * nest.random.normal()) * nest.random.uniform(1.0, 2.0)},
    )
    return {"weight": sample(nest.GetConnections().get("weight"))}


def case_conditional_weights(nest):
    nodes = nest.Create("parrot_neuron", 30)
    nest.Connect(nodes, nodes, syn_spec={"weight": nest.logic.conditional(nest.random.uniform() < 0.2, -4.0, nest.random.exponential(2.0))})
    return {"weight": sample(nest.GetConnections().get("weight"))}


def case_delays_are_rounded(nest):
    nodes = nest.Create("parrot_neuron", 2)
    for delay in (0.1, 0.14, 0.16, 1.23, 1.25, 1.27):
        nest.Connect(nodes[0], nodes[1], syn_spec={"delay": delay})
    return {"delays": near(sorted(nest.GetConnections().get("delay")))}


def case_bad_delays(nest):
    nodes = nest.Create("parrot_neuron", 2)
    bad = {"zero": 0.0, "negative": -1.0, "below": 0.01, "text": "a"}
    return {name: error(lambda delay=delay: nest.Connect(nodes[0], nodes[1], syn_spec={"delay": delay})) for name, delay in bad.items()}


def case_synapse_by_name(nest):
    nodes = nest.Create("iaf_psc_exp", 2)
    nest.Connect(nodes[0], nodes[1], syn_spec="stdp_synapse")
    connection = nest.GetConnections()
    return {"model": str(connection.synapse_model), "lambda": connection.get("lambda"), "Wmax": connection.get("Wmax")}


def case_synapse_parameters(nest):
    nodes = nest.Create("iaf_psc_exp", 2)
    nest.Connect(nodes[0], nodes[1], syn_spec={"synapse_model": "stdp_synapse", "weight": 5.0, "lambda": 0.02, "Wmax": 50.0, "alpha": 1.1})
    return nest.GetConnections().get(["weight", "lambda", "Wmax", "alpha", "mu_plus"])


def case_drawn_synapse_parameters(nest):
    nodes = nest.Create("iaf_psc_exp", 30)
    nest.Connect(nodes, nodes, syn_spec={"synapse_model": "stdp_synapse", "lambda": nest.random.uniform(0.01, 0.02), "weight": 1.0})
    return {"lambda": sample(nest.GetConnections().get("lambda"))}


def case_collocated_synapses(nest):
    a, b = nest.Create("iaf_psc_exp", 2), nest.Create("iaf_psc_exp", 3)
    nest.Connect(
        a, b, "all_to_all", nest.CollocatedSynapses({"weight": 2.0}, {"synapse_model": "stdp_synapse", "weight": 3.0, "delay": 2.0})
    )
    return {"rows": table(nest, "weight", "delay"), "models": sorted(str(model) for model in nest.GetConnections().get("synapse_model"))}


def case_collocated_at_random(nest):
    nodes = nest.Create("parrot_neuron", 20)
    nest.Connect(nodes, nodes, {"rule": "fixed_indegree", "indegree": 5}, nest.CollocatedSynapses({"weight": 1.0}, {"weight": -1.0}))
    rows = table(nest, "weight")
    return {"paired": sorted(row[:2] for row in rows if row[2] > 0) == sorted(row[:2] for row in rows if row[2] < 0), "number": len(rows)}


def case_ids_instead_of_collections(nest):
    nest.Create("parrot_neuron", 5)
    nest.Connect([1, 2], [4, 5], "all_to_all")
    nest.Connect(np.array([3]), np.array([5]), "one_to_one", {"weight": np.array([7.0]), "delay": np.array([1.0])})
    return {"rows": table(nest, "weight")}


def case_repeated_ids(nest):
    nest.Create("parrot_neuron", 4)
    nest.Connect([1, 1, 2, 3, 1], [4, 4, 3, 3, 2], "one_to_one", {"weight": [1.0, 2.0, 3.0, 4.0, 5.0], "delay": [1.0, 1.5, 2.0, 2.5, 3.0]})
    return {"rows": table(nest, "weight", "delay")}


def case_repeated_ids_with_another_rule(nest):
    nest.Create("parrot_neuron", 4)
    return {
        "raises": error(lambda: nest.Connect([1, 1, 2], [3, 4], "all_to_all")),
        "unequal": error(lambda: nest.Connect([1, 1, 2], [3, 4], "one_to_one")),
    }


def case_bad_ids(nest):
    nest.Create("parrot_neuron", 3)
    return {
        "missing": error(lambda: nest.Connect([1, 9], [2, 3], "one_to_one")),
        "text": error(lambda: nest.Connect(["a"], [2])),
        "number": error(lambda: nest.Connect(1, 2)),
    }


def case_returned_collection(nest):
    nodes = nest.Create("parrot_neuron", 3)
    nothing = nest.Connect(nodes, nodes)
    found = nest.Connect(nodes[:2], nodes[2], syn_spec={"weight": 4.0}, return_synapsecollection=True)
    return {"nothing": nothing, "size": len(found), "weight": sorted(found.weight), "type": type(found).__name__}


def case_bad_synapses(nest):
    nodes = nest.Create("iaf_psc_exp", 2)
    bad = {
        "unknown model": {"synapse_model": "no_such"},
        "unknown key": {"weights": 1.0},
        "weight": {"weight": "a"},
        "stdp key": {"synapse_model": "static_synapse", "lambda": 0.1},
    }
    found = {name: error(lambda spec=spec: nest.Connect(nodes, nodes, syn_spec=spec)) for name, spec in bad.items()}
    return found | {
        "name": error(lambda: nest.Connect(nodes, nodes, syn_spec="no_such")),
        "number": error(lambda: nest.Connect(nodes, nodes, syn_spec=5)),
    }


def case_bad_receptors(nest):
    cells, multi = nest.Create("iaf_psc_exp", 2), nest.Create("iaf_psc_exp_multisynapse", params={"tau_syn": [2.0, 5.0]})
    return {
        "no port": error(lambda: nest.Connect(cells[0], cells[1], syn_spec={"receptor_type": 3})),
        "port 0": error(lambda: nest.Connect(cells[0], multi, syn_spec={"receptor_type": 0})),
        "beyond": error(lambda: nest.Connect(cells[0], multi, syn_spec={"receptor_type": 3})),
        "good": error(lambda: nest.Connect(cells[0], multi, syn_spec={"receptor_type": 2})),
    }


def case_illegal_ends(nest):
    cell, recorder, drive, meter, dc = (
        nest.Create(model) for model in ("iaf_psc_exp", "spike_recorder", "poisson_generator", "multimeter", "dc_generator")
    )
    return {
        "neuron to generator": error(lambda: nest.Connect(cell, drive)),
        "recorder to neuron": error(lambda: nest.Connect(recorder, cell)),
        "neuron to meter": error(lambda: nest.Connect(cell, meter)),
        "meter to recorder": error(lambda: nest.Connect(meter, recorder)),
        "current to recorder": error(lambda: nest.Connect(dc, recorder)),
        "parrot": error(lambda: nest.Connect(dc, nest.Create("parrot_neuron"))),
        "meter to parrot": error(lambda: nest.Connect(meter, nest.Create("parrot_neuron"))),
    }


def case_current_and_stdp(nest):
    cell, dc, drive = nest.Create("iaf_psc_exp"), nest.Create("dc_generator"), nest.Create("poisson_generator")
    return {
        "dc": error(lambda: nest.Connect(dc, cell, syn_spec="stdp_synapse")),
        "poisson": error(lambda: nest.Connect(drive, cell, syn_spec="stdp_synapse")),
    }


def case_negative_conductance(nest):
    cell, source = nest.Create("iaf_cond_exp"), nest.Create("spike_generator", params={"spike_times": [5.0]})
    nest.Connect(source, cell, syn_spec={"weight": -20.0})
    nest.Simulate(10.0)
    return {"below rest": cell.V_m < -70.0, "g_in": near(cell.g_in, 1e-4), "g_ex": cell.g_ex}


def case_devices_and_neurons(nest):
    cells, drive, recorder = nest.Create("iaf_psc_exp", 3), nest.Create("poisson_generator"), nest.Create("spike_recorder")
    nest.Connect(drive, cells, syn_spec={"weight": 20.0, "delay": 1.5})
    nest.Connect(cells, recorder)
    return {"rows": table(nest, "weight", "delay"), "number": nest.num_connections}


def case_disconnect_a_pair(nest):
    nodes = nest.Create("parrot_neuron", 3)
    nest.Connect(nodes, nodes, syn_spec={"weight": 2.0})
    nest.Disconnect(nodes[0], nodes[1])
    nest.Disconnect(nodes, nodes, conn_spec="one_to_one")
    return {"rows": table(nest), "number": nest.num_connections}


def case_disconnect_connections(nest):
    nodes = nest.Create("parrot_neuron", 3)
    nest.Connect(nodes, nodes, syn_spec={"weight": 2.0})
    nest.GetConnections(source=nodes[1]).disconnect()
    nest.Disconnect(nest.GetConnections(target=nodes[2]))
    return {"rows": table(nest)}


def case_disconnect_what_is_not_there(nest):
    nodes = nest.Create("parrot_neuron", 3)
    nest.Connect(nodes[0], nodes[1])
    return {"raises": error(lambda: nest.Disconnect(nodes[1], nodes[2]))}


def case_disconnected_after_running(nest):
    source, relay, recorder = (
        nest.Create("spike_generator", params={"spike_times": [1.0, 11.0]}),
        nest.Create("parrot_neuron", 2),
        nest.Create("spike_recorder"),
    )
    nest.Connect(source, relay[0])
    nest.Connect(relay[0], relay[1])
    nest.Connect(relay, recorder)
    nest.Simulate(10.0)
    nest.Disconnect(relay[0], relay[1])
    nest.Simulate(10.0)
    return {"times": sorted(recorder.events["times"].tolist()), "senders": sorted(recorder.events["senders"].tolist())}


def case_bad_first_arguments(nest):
    nodes = nest.Create("parrot_neuron", 2)
    return {
        "none": error(lambda: nest.Connect(None, nodes)),
        "empty": error(lambda: nest.Connect(nest.NodeCollection(), nodes)),
        "rule": error(lambda: nest.Connect(nodes, nodes, 5)),
    }


def case_several_receptors_in_one_connect(nest):
    cells, parrots = nest.Create("iaf_psc_exp_multisynapse", 2, {"tau_syn": [1.0, 2.0, 3.0]}), nest.Create("parrot_neuron", 3)
    nest.Connect(parrots[:2], cells, "one_to_one", {"receptor_type": [1, 3]})
    nest.Connect(parrots, cells, "all_to_all", {"receptor_type": np.array([[1, 2, 3], [3, 2, 1]])})
    rows = sorted(zip(*(nest.GetConnections().get(key) for key in ("source", "target", "receptor")), strict=True))
    nest.Connect(parrots, cells, "all_to_all", {"receptor_type": nest.random.uniform_int(3) + 1})
    return {
        "rows": rows,
        "drawn": [len(nest.GetConnections()), set(nest.GetConnections().receptor) <= {1, 2, 3}],
        "floats": error(lambda: nest.Connect(parrots[:2], cells, "one_to_one", {"receptor_type": [1.0, 3.0]})),
        "beyond": error(lambda: nest.Connect(parrots[:2], cells, "one_to_one", {"receptor_type": [1, 9]})),
        "ids": error(lambda: nest.Connect([3, 4, 3], [1, 1, 2], "one_to_one", {"receptor_type": [1, 2, 3], "weight": [5.0, 6.0, 7.0]})),
    }


def case_devices_and_neurons_together(nest):
    cells, noise, recorder = nest.Create("iaf_psc_exp", 3), nest.Create("poisson_generator"), nest.Create("spike_recorder")
    nest.Connect(cells + noise, cells, "all_to_all", {"weight": np.arange(12.0).reshape(3, 4)})
    weights = [sorted(nest.GetConnections(noise).weight), sorted(nest.GetConnections(cells, cells).weight)]
    nest.Connect(cells + noise, cells, {"rule": "fixed_indegree", "indegree": 2})
    nest.Connect(cells + noise, cells, {"rule": "pairwise_bernoulli", "p": 1.0})
    return {
        "weights": weights,
        "number": nest.num_connections,
        "recorder": error(lambda: nest.Connect(cells, cells + recorder, {"rule": "pairwise_bernoulli", "p": 1.0})),
    }


def case_arrays_and_rules_from_stimulators(nest):
    cells, noise = nest.Create("iaf_psc_exp", 3), nest.Create("poisson_generator", 2)
    nest.Connect(noise, cells, {"rule": "fixed_indegree", "indegree": 2}, {"weight": np.arange(6.0).reshape(3, 2)})
    into = [sorted(nest.GetConnections(noise, cell).weight) for cell in cells]
    nest.Connect(noise, cells, {"rule": "fixed_outdegree", "outdegree": 2}, {"weight": 10.0 + np.arange(4.0).reshape(2, 2), "delay": 2.0})
    out = [sorted(w for w in nest.GetConnections(one).weight if w >= 10.0) for one in noise]
    nest.Connect(noise, cells, {"rule": "pairwise_bernoulli", "p": 1.0}, {"weight": nest.random.uniform(1.0, 2.0)})
    meter = nest.Create("voltmeter")
    nest.Connect(meter, cells, {"rule": "pairwise_bernoulli", "p": 1.0})
    return {"in": into, "out": out, "number": nest.num_connections, "meter": len(nest.GetConnections(meter))}


def case_parameters_of_sources_and_targets(nest):
    pre, post = nest.Create("parrot_neuron", 3), nest.Create("parrot_neuron", 2)
    spec = {"synapse_model": "stdp_synapse", "alpha": np.arange(4.0).reshape(2, 2), "weight": 10.0 + np.arange(4.0).reshape(2, 2)}
    nest.Connect(pre[:2], post, {"rule": "fixed_outdegree", "outdegree": 2}, spec)
    rows = sorted(zip(nest.GetConnections().alpha, nest.GetConnections().weight, strict=True))
    return {"together": rows, "by source": [sorted(nest.GetConnections(one).alpha) for one in pre[:2]]}


def case_rules_with_bad_numbers(nest):
    cells = nest.Create("iaf_psc_exp", 4)
    uniform = nest.random.uniform

    def connect(**conn_spec):
        return error(lambda: nest.Connect(cells, cells, conn_spec))

    return {
        "p": [connect(rule="pairwise_bernoulli", p=p) for p in (1.5, -0.1, "1", uniform(1.5, 2.0))],
        "mean": [connect(rule="pairwise_poisson", pairwise_avg_num_conns=mean) for mean in (-1.0, uniform(-2.0, -1.0))],
        "poisson": connect(rule="pairwise_poisson", pairwise_avg_num_conns=1.0, allow_multapses=False),
        "degree": [connect(rule="fixed_indegree", indegree=k) for k in (2.5, -1, uniform(-2.0, -1.0))],
        "number": [connect(rule="fixed_total_number", N=n) for n in (-1, nest.random.uniform_int(3))],
        "drawn and symmetric": error(
            lambda: nest.Connect(cells[:2], cells[2:], {"rule": "one_to_one", "make_symmetric": True}, {"weight": uniform(1.0, 2.0)})
        ),
    }


def case_create_with_dicts_of_different_keys(nest):
    cells = nest.Create("iaf_psc_exp", 3, [{"V_m": -60.0}, {"I_e": 3.0}, {}])
    return {"V_m": cells.V_m, "I_e": cells.I_e, "bad": error(lambda: nest.Create("iaf_psc_exp", 2, [{"V_m": -60.0}, {"nonsense": 3.0}]))}
