# SPDX-License-Identifier: Apache-2.0
"""GetConnections and SynapseCollection. NEST orders connections by thread; what depends on the order is sorted here."""

import numpy as np
from tests.nest.corpus.values import error


def network(nest):
    """1, 2, 3 to 4, 5 with weights source * 10 + target, two models."""
    a, b = nest.Create("iaf_psc_exp", 3), nest.Create("iaf_psc_exp", 2)
    for source in a:
        for target in b:
            model = "static_synapse" if source.global_id < 3 else "stdp_synapse"
            nest.Connect(
                source,
                target,
                syn_spec={"synapse_model": model, "weight": source.global_id * 10.0 + target.global_id, "delay": float(source.global_id)},
            )
    return a, b


def weights(found):
    return sorted(c.weight for c in found)


def case_all(nest):
    network(nest)
    found = nest.GetConnections()
    return {"number": len(found), "weights": weights(found), "type": type(found).__name__}


def case_filters(nest):
    a, b = network(nest)
    return {
        "source": weights(nest.GetConnections(source=a[0])),
        "target": weights(nest.GetConnections(target=b[1])),
        "both": weights(nest.GetConnections(a[1:], b[0])),
        "model": weights(nest.GetConnections(synapse_model="stdp_synapse")),
        "positional": weights(nest.GetConnections(a)),
        "none": len(nest.GetConnections(b)),
    }


def case_get_one(nest):
    a, b = network(nest)
    one = nest.GetConnections(a[0], b[0])
    return {
        "weight": one.weight,
        "delay": one.get("delay"),
        "source": one.source,
        "target": one.target,
        "two": one.get(["weight", "delay"]),
        "model": str(one.synapse_model),
    }


def case_get_several(nest):
    network(nest)
    found = nest.GetConnections()
    both = found.get(["weight", "source"])
    return {
        "weight": sorted(found.get("weight")),
        "type": type(found.get("weight")).__name__,
        "keys": sorted(both),
        "agree": sorted(both["weight"]) == sorted(found.weight),
        "absent": sorted(str(value) for value in found.get("lambda")),
    }


def case_get_everything(nest):
    a, b = network(nest)
    status = nest.GetConnections(a[0], b[0]).get()
    return {
        name: name in status
        for name in ("source", "target", "weight", "delay", "synapse_model", "synapse_id", "port", "receptor", "target_thread")
    }


def case_set_one_value(nest):
    a, _ = network(nest)
    nest.GetConnections(source=a[0]).set(weight=1.5)
    nest.GetConnections(source=a[1]).weight = 2.5
    nest.GetConnections(source=a[2]).set({"weight": 3.5, "delay": 4.0})
    return {"weights": weights(nest.GetConnections()), "delays": sorted(nest.GetConnections().get("delay"))}


def case_set_a_list(nest):
    _, b = network(nest)
    found = nest.GetConnections(target=b[0])
    found.weight = [float(source) for source in found.get("source")]
    found.set({"delay": [0.5 * source for source in found.get("source")]})
    return {"rows": sorted([c.source, c.weight, c.delay] for c in found)}


def case_set_dicts(nest):
    a, b = network(nest)
    found = nest.GetConnections(a[0], b)
    found.set([{"weight": 1.0}, {"weight": 2.0, "delay": 2.5}])
    return {"weights": weights(nest.GetConnections(a[0])), "delays": sorted(found.get("delay"))}


def case_set_status_of_the_old_kind(nest):
    a, _ = network(nest)
    nest.SetStatus(nest.GetConnections(source=a[0]), {"weight": 9.0})
    nest.SetStatus(nest.GetConnections(source=a[1]), "weight", 8.0)
    return {"weights": weights(nest.GetConnections()), "get": sorted(nest.GetStatus(nest.GetConnections(source=a[:2]), "weight"))}


def case_set_a_synapse_parameter(nest):
    network(nest)
    found = nest.GetConnections(synapse_model="stdp_synapse")
    found.set({"lambda": 0.03, "alpha": 0.9})
    return {"lambda": found.get("lambda"), "alpha": found.get("alpha")}


def case_index_and_slice(nest):
    a, b = network(nest)
    found = nest.GetConnections(a[:2], b)
    return {
        "first": type(found[0]).__name__,
        "all": sorted(found[i].weight for i in range(4)),
        "slice": len(found[1:3]),
        "step": len(found[::2]),
        "negative": found[-1] == found[3],
        "beyond": error(lambda: found[4]),
    }


def case_iterate(nest):
    network(nest)
    found = nest.GetConnections()
    return {
        "each": sorted((c.source, c.target) for c in found),
        "types": sorted({type(c).__name__ for c in found}),
        "len": [len(c) for c in found],
    }


def case_equality(nest):
    a, _ = network(nest)
    return {
        "same": nest.GetConnections(a) == nest.GetConnections(a),
        "other": nest.GetConnections(a[0]) == nest.GetConnections(a[1]),
        "list": error(lambda: nest.GetConnections(a) == [1]),
    }


def case_empty(nest):
    nest.Create("parrot_neuron", 2)
    found = nest.GetConnections()
    return {"len": len(found), "get": found.get(), "weight": error(lambda: found.get("weight")), "list": list(found), "bool": bool(found)}


def case_sources_and_targets(nest):
    network(nest)
    found = nest.GetConnections()
    return {"sources": sorted(found.sources()), "targets": sorted(found.targets())}


def case_as_pandas(nest):
    network(nest)
    table = nest.GetConnections().get(["source", "target", "weight"], output="pandas")
    return {"columns": sorted(table.columns), "rows": sorted(table["weight"]), "group": table.groupby("source")["weight"].sum().tolist()}


def case_as_json(nest):
    a, b = network(nest)
    return {"one": nest.GetConnections(a[0], b[0]).get("weight", output="json")}


def case_text(nest):
    a, b = network(nest)
    text = str(nest.GetConnections(a[0], b))
    return {
        "has": [word in text for word in ("source", "target", "synapse model", "weight", "delay")],
        "lines": len([line for line in text.splitlines() if line.strip()]),
    }


def case_bad_filters(nest):
    network(nest)
    return {
        "list": error(lambda: nest.GetConnections([1, 2])),
        "number": error(lambda: nest.GetConnections(target=4)),
        "model": error(lambda: nest.GetConnections(synapse_model="no_such")),
    }


def case_bad_values(nest):
    network(nest)
    found = nest.GetConnections()
    return {
        "length": error(lambda: found.set(weight=[1.0, 2.0])),
        "unknown": error(lambda: found.set(no_such=1.0)),
        "get": error(lambda: found[0].get("no_such")),
        "delay": error(lambda: found.set(delay=-1.0)),
        "type": error(lambda: found.set(5)),
        "read only": error(lambda: found.set(source=3)),
    }


def case_unknown_for_several(nest):
    network(nest)
    return {"get": nest.GetConnections().get("no_such")}


def case_weights_change_what_is_delivered(nest):
    source, cell = nest.Create("spike_generator", params={"spike_times": [1.0, 21.0]}), nest.Create("iaf_psc_delta")
    nest.Connect(source, cell, syn_spec={"weight": 5.0})
    nest.Simulate(10.0)
    first = cell.V_m
    nest.GetConnections(source).weight = -5.0
    nest.Simulate(20.0)
    return {"first": round(first, 9), "second": round(cell.V_m, 9)}


def case_labels(nest):
    nodes = nest.Create("parrot_neuron", 4)
    nest.Connect(nodes[:2], nodes[2:], syn_spec={"synapse_model": "static_synapse_lbl", "synapse_label": 7})
    nest.Connect(nodes[:2], nodes[2:], syn_spec={"synapse_model": "static_synapse_lbl", "synapse_label": 8, "weight": 2.0})
    found = nest.GetConnections(synapse_label=8)
    return {"number": len(found), "weights": weights(found), "label": found[0].get("synapse_label")}


def case_threads_do_not_change_what_is_found(nest):
    nest.local_num_threads = 2
    a, _ = network(nest)
    return {
        "all": weights(nest.GetConnections()),
        "source": weights(nest.GetConnections(a[1])),
        "threads": sorted(set(nest.GetConnections().get("target_thread"))),
    }


def case_many_at_once(nest):
    nodes = nest.Create("parrot_neuron", 100)
    nest.Connect(nodes, nodes, syn_spec={"weight": 2.0})
    found = nest.GetConnections()
    found.weight = np.array(found.get("source")) * 1.0
    return {
        "number": len(found),
        "sum": float(np.sum(nest.GetConnections().get("weight"))),
        "some": sorted(nest.GetConnections(nodes[3]).get("weight"))[:3],
    }
