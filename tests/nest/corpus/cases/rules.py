# SPDX-License-Identifier: Apache-2.0
"""Connection rules: which pairs are connected, and with which laws."""

import numpy as np
from tests.nest.corpus.values import counts, error


def pairs(nest, **filters):
    """(source, target) of all connections, sorted."""
    found = nest.GetConnections(**filters)
    return sorted(zip(found.get("source"), found.get("target"), strict=True)) if len(found) > 1 else [(c.source, c.target) for c in found]


def degrees(nest, which, nodes, low=None):
    """How many connections each node has on that side."""
    ends = np.array(nest.GetConnections().get(which))
    return np.bincount(ends, minlength=nodes[-1].global_id + 1)[nodes[0].global_id : nodes[-1].global_id + 1]


def case_all_to_all(nest):
    a, b = nest.Create("parrot_neuron", 2), nest.Create("parrot_neuron", 3)
    nest.Connect(a, b)
    return {"pairs": pairs(nest)}


def case_all_to_all_without_autapses(nest):
    nodes = nest.Create("parrot_neuron", 3)
    nest.Connect(nodes, nodes, {"rule": "all_to_all", "allow_autapses": False})
    return {"pairs": pairs(nest)}


def case_one_to_one(nest):
    a, b = nest.Create("parrot_neuron", 3), nest.Create("parrot_neuron", 3)
    nest.Connect(a, b, "one_to_one")
    return {"pairs": pairs(nest)}


def case_one_to_one_made_symmetric(nest):
    a, b = nest.Create("parrot_neuron", 3), nest.Create("parrot_neuron", 3)
    nest.Connect(a, b, {"rule": "one_to_one", "make_symmetric": True}, {"weight": 3.0})
    return {"pairs": pairs(nest)}


def case_all_to_all_cannot_be_made_symmetric(nest):
    a, b = nest.Create("parrot_neuron", 2), nest.Create("parrot_neuron", 2)
    return {"raises": error(lambda: nest.Connect(a, b, {"rule": "all_to_all", "make_symmetric": True}))}


def case_fixed_indegree(nest):
    a, b = nest.Create("parrot_neuron", 20), nest.Create("parrot_neuron", 200)
    nest.Connect(a, b, {"rule": "fixed_indegree", "indegree": 15})
    return {
        "in": sorted(set(degrees(nest, "target", b).tolist())),
        "out": counts(degrees(nest, "source", a)),
        "sources": counts(nest.GetConnections().get("source")),
    }


def case_fixed_indegree_without_multapses(nest):
    nodes = nest.Create("parrot_neuron", 12)
    nest.Connect(nodes, nodes, {"rule": "fixed_indegree", "indegree": 8, "allow_multapses": False, "allow_autapses": False})
    found = pairs(nest)
    return {"in": degrees(nest, "target", nodes), "distinct": len(set(found)) == len(found), "autapses": sum(a == b for a, b in found)}


def case_fixed_indegree_all_of_them(nest):
    a, b = nest.Create("parrot_neuron", 5), nest.Create("parrot_neuron", 3)
    nest.Connect(a, b, {"rule": "fixed_indegree", "indegree": 5, "allow_multapses": False})
    return {"pairs": pairs(nest)}


def case_fixed_indegree_drawn(nest):
    a, b = nest.Create("parrot_neuron", 20), nest.Create("parrot_neuron", 600)
    nest.Connect(a, b, {"rule": "fixed_indegree", "indegree": 2 + nest.random.uniform_int(5)})
    return {"in": counts(degrees(nest, "target", b))}


def case_fixed_outdegree(nest):
    a, b = nest.Create("parrot_neuron", 200), nest.Create("parrot_neuron", 20)
    nest.Connect(a, b, {"rule": "fixed_outdegree", "outdegree": 15})
    return {"out": sorted(set(degrees(nest, "source", a).tolist())), "targets": counts(nest.GetConnections().get("target"))}


def case_fixed_outdegree_without_multapses(nest):
    nodes = nest.Create("parrot_neuron", 12)
    nest.Connect(nodes, nodes, {"rule": "fixed_outdegree", "outdegree": 9, "allow_multapses": False, "allow_autapses": False})
    found = pairs(nest)
    return {"out": degrees(nest, "source", nodes), "distinct": len(set(found)) == len(found), "autapses": sum(a == b for a, b in found)}


def case_fixed_outdegree_drawn(nest):
    a, b = nest.Create("parrot_neuron", 600), nest.Create("parrot_neuron", 30)
    nest.Connect(a, b, {"rule": "fixed_outdegree", "outdegree": nest.random.uniform_int(6)})
    return {"out": counts(degrees(nest, "source", a))}


def case_fixed_total_number(nest):
    a, b = nest.Create("parrot_neuron", 15), nest.Create("parrot_neuron", 10)
    nest.Connect(a, b, {"rule": "fixed_total_number", "N": 3000})
    found = nest.GetConnections()
    return {"number": len(found), "sources": counts(found.get("source")), "targets": counts(found.get("target"))}


def case_fixed_total_number_without_autapses(nest):
    nodes = nest.Create("parrot_neuron", 6)
    nest.Connect(nodes, nodes, {"rule": "fixed_total_number", "N": 500, "allow_autapses": False})
    found = pairs(nest)
    return {"number": len(found), "autapses": sum(a == b for a, b in found)}


def case_pairwise_bernoulli(nest):
    a, b = nest.Create("parrot_neuron", 80), nest.Create("parrot_neuron", 400)
    nest.Connect(a, b, {"rule": "pairwise_bernoulli", "p": 0.15})
    found = pairs(nest)
    return {"in": counts(degrees(nest, "target", b)), "out": counts(degrees(nest, "source", a)), "distinct": len(set(found)) == len(found)}


def case_pairwise_bernoulli_never_and_always(nest):
    nodes = nest.Create("parrot_neuron", 4)
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 0.0})
    never = nest.num_connections
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "allow_autapses": False})
    return {"never": never, "always": nest.num_connections}


def case_pairwise_bernoulli_drawn(nest):
    a, b = nest.Create("parrot_neuron", 60), nest.Create("parrot_neuron", 300)
    nest.Connect(a, b, {"rule": "pairwise_bernoulli", "p": nest.random.uniform(0.0, 0.4)})
    return {"in": counts(degrees(nest, "target", b))}


def case_pairwise_poisson(nest):
    a, b = nest.Create("parrot_neuron", 30), nest.Create("parrot_neuron", 200)
    nest.Connect(a, b, {"rule": "pairwise_poisson", "pairwise_avg_num_conns": 1.3})
    found, repeats = np.unique(np.array(pairs(nest)), axis=0, return_counts=True)
    return {"in": counts(degrees(nest, "target", b)), "per pair": counts(repeats), "autapses": int((found[:, 0] == found[:, 1]).sum())}


def case_pairwise_poisson_without_autapses(nest):
    nodes = nest.Create("parrot_neuron", 10)
    nest.Connect(nodes, nodes, {"rule": "pairwise_poisson", "pairwise_avg_num_conns": 2.0, "allow_autapses": False})
    return {"autapses": sum(a == b for a, b in pairs(nest))}


def case_symmetric_pairwise_bernoulli(nest):
    """Each ordered pair is drawn, and each hit makes both directions: a pair can be connected twice."""
    nodes = nest.Create("parrot_neuron", 60)
    nest.Connect(nodes, nodes, {"rule": "symmetric_pairwise_bernoulli", "p": 0.2, "allow_autapses": False, "make_symmetric": True})
    found = pairs(nest)
    repeats = np.unique(np.array([pair for pair in found if pair[0] < pair[1]]), axis=0, return_counts=True)[1]
    mirrored = sorted((b, a) for a, b in found)
    return {
        "symmetric": found == mirrored,
        "autapses": sum(a == b for a, b in found),
        "in": counts(degrees(nest, "target", nodes)),
        "repeats": counts(repeats),
    }


def case_several_connects_add_up(nest):
    nodes = nest.Create("parrot_neuron", 3)
    for _ in range(2):
        nest.Connect(nodes[:2], nodes[2])
    return {"pairs": pairs(nest)}


def case_rule_by_name_only(nest):
    a, b = nest.Create("parrot_neuron", 2), nest.Create("parrot_neuron", 2)
    nest.Connect(a, b, "all_to_all")
    nest.Connect(a, b, conn_spec="one_to_one", syn_spec="static_synapse")
    return {"pairs": pairs(nest)}


def case_unequal_one_to_one(nest):
    a, b = nest.Create("parrot_neuron", 2), nest.Create("parrot_neuron", 3)
    return {"raises": error(lambda: nest.Connect(a, b, "one_to_one"))}


def case_bad_rules(nest):
    nodes = nest.Create("parrot_neuron", 4)

    def raised(**spec):
        return error(lambda: nest.Connect(nodes, nodes, spec))

    return {
        "unknown": raised(rule="no_such"),
        "no indegree": raised(rule="fixed_indegree"),
        "negative": raised(rule="fixed_indegree", indegree=-1),
        "too many": raised(rule="fixed_indegree", indegree=5, allow_multapses=False),
        "extra": raised(rule="all_to_all", indegree=3),
        "too many out": raised(rule="fixed_outdegree", outdegree=5, allow_multapses=False),
        "p": raised(rule="pairwise_bernoulli", p=1.5),
        "p below": raised(rule="pairwise_bernoulli", p=-0.1),
        "N": raised(rule="fixed_total_number", N=-1),
        "N single": raised(rule="fixed_total_number", N=3, allow_multapses=False),
        "poisson": raised(rule="pairwise_poisson", pairwise_avg_num_conns=-1.0),
        "poisson single": raised(rule="pairwise_poisson", pairwise_avg_num_conns=1.0, allow_multapses=False),
    }


def case_bad_symmetry(nest):
    nodes = nest.Create("parrot_neuron", 4)

    def raised(**spec):
        return error(lambda: nest.Connect(nodes, nodes, {"rule": "symmetric_pairwise_bernoulli", "p": 0.3} | spec))

    return {
        "autapses": raised(allow_autapses=True, make_symmetric=True),
        "not symmetric": raised(allow_autapses=False, make_symmetric=False),
        "multapses": raised(allow_autapses=False, make_symmetric=True, allow_multapses=False),
        "p": raised(allow_autapses=False, make_symmetric=True, p=1.0),
        "other rule": error(lambda: nest.Connect(nodes, nodes, {"rule": "fixed_indegree", "indegree": 1, "make_symmetric": True})),
    }


def case_random_rules_and_devices(nest):
    cells = nest.Create("iaf_psc_exp", 4)
    drive, recorder = nest.Create("poisson_generator"), nest.Create("spike_recorder")
    return {
        "to recorder": error(lambda: nest.Connect(cells, recorder, {"rule": "fixed_indegree", "indegree": 2})),
        "from generator": error(lambda: nest.Connect(drive, cells, {"rule": "fixed_outdegree", "outdegree": 2})),
        "bernoulli": error(lambda: nest.Connect(cells, recorder, {"rule": "pairwise_bernoulli", "p": 1.0})),
        "total": error(lambda: nest.Connect(cells, recorder, {"rule": "fixed_total_number", "N": 5})),
    }


def case_degrees_are_the_same_on_threads(nest):
    nest.local_num_threads = 2
    nodes = nest.Create("parrot_neuron", 50)
    nest.Connect(nodes, nodes, {"rule": "fixed_indegree", "indegree": 7})
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0})
    return {"in": sorted(set(degrees(nest, "target", nodes).tolist()))}


def case_tripartite(nest):
    pre, post, third = nest.Create("parrot_neuron", 20), nest.Create("parrot_neuron", 20), nest.Create("parrot_neuron", 10)
    spec = {"rule": "third_factor_bernoulli_with_pool", "p": 1.0, "pool_size": 1, "pool_type": "block"}
    nest.TripartiteConnect(
        pre,
        post,
        third,
        {"rule": "pairwise_bernoulli", "p": 1.0},
        spec,
        {"primary": {"weight": 1.0}, "third_in": {"weight": 2.0}, "third_out": {"weight": 3.0}},
    )
    primary, into, out = (nest.GetConnections(pre, post), nest.GetConnections(pre, third), nest.GetConnections(third, post))
    blocks = sorted({(c.source, c.target) for c in out})
    return {"numbers": [len(primary), len(into), len(out)], "blocks": blocks, "weights": sorted(set(out.get("weight")))}


def case_tripartite_at_random(nest):
    pre, post, third = nest.Create("parrot_neuron", 40), nest.Create("parrot_neuron", 40), nest.Create("parrot_neuron", 20)
    spec = {"rule": "third_factor_bernoulli_with_pool", "p": 0.4, "pool_size": 3, "pool_type": "random"}
    nest.TripartiteConnect(pre, post, third, {"rule": "pairwise_bernoulli", "p": 0.5}, spec)
    into, out = nest.GetConnections(pre, third), nest.GetConnections(third, post)
    per_target = {}
    for source, target in zip(out.get("source"), out.get("target"), strict=True):
        per_target.setdefault(target, set()).add(source)
    return {
        "pool": max(len(pool) for pool in per_target.values()),
        "same": len(into) == len(out),
        "in": counts(np.bincount(np.array(out.get("target")) - 41, minlength=40)),
    }
