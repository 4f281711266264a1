# SPDX-License-Identifier: Apache-2.0
"""NodeCollection: a set of ids in ascending order."""

import numpy as np
from tests.nest.corpus.values import error


def case_length_iteration_membership(nest):
    nodes = nest.Create("parrot_neuron", 4)
    return {
        "len": len(nodes),
        "each": [part.global_id for part in nodes],
        "in": [3 in nodes, 9 in nodes],
        "type": type(next(iter(nodes))).__name__,
    }


def case_index_by_number(nest):
    nodes = nest.Create("parrot_neuron", 5)
    return {"first": nodes[0].tolist(), "last": nodes[-1].tolist(), "beyond": error(lambda: nodes[5]), "before": error(lambda: nodes[-6])}


def case_slices(nest):
    nodes = nest.Create("parrot_neuron", 10)
    some = (slice(2, 5), slice(None, None, 3), slice(-4, None), slice(1, -1, 2), slice(None, 4), slice(None))
    return {str(part): nodes[part].tolist() for part in some}


def case_bad_slices(nest):
    nodes = nest.Create("parrot_neuron", 3)
    bad = (slice(1, 5), slice(5, None), slice(1, 1), slice(None, None, -1), slice(None, None, 0), slice(2, 1), slice(-5, None))
    return {str(part): error(lambda part=part: nodes[part]) for part in bad}


def case_index_by_lists_and_arrays(nest):
    nodes = nest.Create("parrot_neuron", 6)
    return {
        "list": nodes[[0, 2, 5]].tolist(),
        "tuple": nodes[(1, 3)].tolist(),
        "array": nodes[np.array([2, 3, 4])].tolist(),
        "empty": len(nodes[[]]),
    }


def case_index_by_booleans(nest):
    nodes = nest.Create("iaf_psc_exp", 4, {"V_m": [-50.5, -70.0, -51.0, -80.0]})
    chosen = np.array(nodes.V_m) > -60.0
    return {"array": nodes[chosen].tolist(), "list": nodes[[True, False, False, True]].tolist()}


def case_bad_indices(nest):
    nodes = nest.Create("parrot_neuron", 4)
    bad = {"unsorted": [2, 0], "twice": [1, 1], "beyond": [0, 7], "mixed": [1, True], "float": [0.5, 1.0], "short mask": [True, False]}
    return {name: error(lambda index=index: nodes[index]) for name, index in bad.items()} | {"text": error(lambda: nodes["a"])}


def case_sum_joins(nest):
    a, b = nest.Create("parrot_neuron", 2), nest.Create("iaf_psc_exp", 2)
    c = nest.Create("parrot_neuron", 2)
    return {
        "a+b": (a + b).tolist(),
        "c+a": (c + a).tolist(),
        "sum": sum([a, b, c]).tolist(),
        "zero": (0 + a).tolist(),
        "len": len(a + b + c),
    }


def case_sum_merges_neighbours(nest):
    nodes = nest.Create("parrot_neuron", 6)
    return {"equal": nodes[:3] + nodes[3:] == nodes, "swapped": nodes[3:] + nodes[:3] == nodes}


def case_sum_refuses(nest):
    nodes = nest.Create("parrot_neuron", 4)
    return {"overlap": error(lambda: nodes[:3] + nodes[2:]), "number": error(lambda: nodes + 1), "list": error(lambda: nodes.__add__([1]))}


def case_equality(nest):
    nodes = nest.Create("parrot_neuron", 4)
    same = nest.NodeCollection([1, 2, 3, 4])
    return {
        "same": nodes == same,
        "part": nodes[:2] == nodes,
        "not": nodes[:2] != nodes[:2],
        "text": error(lambda: nodes == "a"),
        "hash": error(lambda: hash(nodes)),
    }


def case_from_ids(nest):
    nest.Create("parrot_neuron", 3)
    nest.Create("iaf_psc_exp", 3)
    return {
        "ids": nest.NodeCollection([1, 2, 5]).tolist(),
        "models": [str(m) for m in nest.NodeCollection([2, 3, 4]).model],
        "empty": len(nest.NodeCollection([])),
    }


def case_from_bad_ids(nest):
    nest.Create("parrot_neuron", 3)
    bad = {"unsorted": [3, 1], "twice": [1, 1], "missing": [2, 9], "zero": [0, 1], "text": ["a"]}
    return {name: error(lambda ids=ids: nest.NodeCollection(ids)) for name, ids in bad.items()}


def case_truth(nest):
    nodes = nest.Create("parrot_neuron", 3)
    return {"some": bool(nodes), "none": bool(nest.NodeCollection()), "empty": bool(nest.NodeCollection([]))}


def case_empty_collections(nest):
    empty = nest.NodeCollection()
    empty.set(V_m=-60.0)
    return {
        "len": len(empty),
        "list": empty.tolist(),
        "get": error(lambda: empty.get("V_m")),
        "read": error(lambda: empty.V_m),
        "str": str(empty),
        "sum": (empty + empty).tolist(),
    }


def case_index_of_an_id(nest):
    nest.Create("iaf_psc_exp", 3)
    nodes = nest.Create("parrot_neuron", 4)
    return {"first": nodes.index(4), "last": nodes.index(7), "sliced": nodes[::2].index(6), "absent": error(lambda: nodes.index(1))}


def case_as_array(nest):
    nodes = nest.Create("parrot_neuron", 5)
    return {"array": np.array(nodes[1:4]), "sum": int(np.sum(np.array(nodes))), "list": [int(part.global_id) for part in nodes[::2]]}


def case_text_of_a_collection(nest):
    nodes = nest.Create("iaf_psc_alpha", 3)
    return {
        "whole": str(nodes),
        "one": str(nodes[1]),
        "stepped": str(nodes[::2]),
        "repr": repr(nodes) == str(nodes),
        "empty": str(nest.NodeCollection()),
    }


def case_text_of_a_composite(nest):
    nodes = nest.Create("iaf_psc_alpha", 2) + nest.Create("parrot_neuron", 3)
    return {"text": str(nodes)}


def case_slices_of_slices(nest):
    nodes = nest.Create("parrot_neuron", 12)
    return {
        "twice": nodes[2:10][1:4].tolist(),
        "whole": nodes[3:][:].tolist(),
        "ends": nodes[::3][-1].tolist(),
        "list": nodes[4:][[0, 3]].tolist(),
    }


def case_slices_of_composites(nest):
    nodes = nest.Create("parrot_neuron", 4) + nest.Create("iaf_psc_exp", 4)
    return {
        "middle": nodes[2:6].tolist(),
        "steps": nodes[::3].tolist(),
        "index": nodes[5].tolist(),
        "list": nodes[[1, 4, 6]].tolist(),
        "last": nodes[-2:].tolist(),
    }


def case_slices_and_sums_of_sliced_composites(nest):
    a, p, s = nest.Create("iaf_psc_alpha", 4), nest.Create("parrot_neuron", 3), nest.Create("spike_generator", 2)
    c = a + p + s
    refused = {
        "slice of a stepped slice": lambda: c[::2][1:],
        "slice of a slice over two models": lambda: c[1:8][2:4],
        "whole slice": lambda: c[:][:],
        "stepped slice of one model": lambda: a[::2][:],
        "stepped slice + nodes": lambda: c[::2] + s[:1],
        "slice over two models + nodes": lambda: c[1:5] + s,
        "whole + nodes": lambda: (a + p)[:] + s,
        "composite + slice": lambda: (a + s) + (p + s)[1:4],
        "stepped slice of one model + nodes": lambda: a[::2] + p,
        "picked, sliced + nodes": lambda: c[[0, 2, 5]][1:] + s,
    }
    taken = {
        "one node": lambda: c[1:5][1:2],
        "one node of a stepped slice + nodes": lambda: a[::2][1:2] + p,
        "slice within one model": lambda: c[4:7][1:] + a,
        "picked + nodes": lambda: c[::2][[0, 1]] + s[:1],
        "ids + nodes": lambda: nest.NodeCollection([1, 3, 5]) + s,
    }
    return {key: error(call) for key, call in refused.items()} | {key: call().tolist() for key, call in taken.items()}


def case_slices_of_layers_are_composites(nest):
    layer = nest.Create("iaf_psc_alpha", positions=nest.spatial.grid([4, 4]))
    refused = {
        "slice": lambda: layer[1:4][1:],
        "sum of slices": lambda: layer[1:4] + layer[8:10],
        "sum of nodes": lambda: layer[2] + layer[3],
    }
    return {key: error(call) for key, call in refused.items()} | {
        "one": layer[1:4][1:2].tolist(),
        "whole": layer[:][1:].tolist(),
        "text": [str(layer[3]), str(layer[2:5]), str(layer[::5])],
    }


def case_text_of_sliced_composites(nest):
    a, b, p = nest.Create("iaf_psc_alpha", 3), nest.Create("iaf_psc_alpha", 4), nest.Create("parrot_neuron", 2)
    return {
        "calls of one model": str((a + b)[::2]),
        "ends": str((a[:2] + p)[1:]),
        "ids": str(nest.NodeCollection([1, 3, 5, 7, 9])[::2]),
        "picked": str((a + p)[[0, 2, 4]][1:]),
    }


def case_sliced_values(nest):
    nodes = nest.Create("iaf_psc_exp", 6, {"V_m": [-50.5, -51.0, -52.0, -53.0, -54.0, -55.5]})
    nodes[::2].I_e = [1.0, 2.0, 3.0]
    return {"V_m": nodes[1:4].V_m, "stepped": nodes[::2].V_m, "I_e": nodes.I_e}


def case_set_algebra_by_python(nest):
    nodes = nest.Create("parrot_neuron", 8)
    left, right = set(nodes[:5].tolist()), set(nodes[3:].tolist())
    make = nest.NodeCollection
    return {
        "and": make(sorted(left & right)).tolist(),
        "or": make(sorted(left | right)) == nodes,
        "minus": make(sorted(left - right)).tolist(),
    }


def case_location_of_nodes(nest):
    nodes = nest.Create("parrot_neuron", 3)
    return {"local": nodes.local, "one": nodes[0].local, "vp": nodes.vp, "thread": nodes.thread}


def case_spatial_is_none_without_positions(nest):
    nodes = nest.Create("parrot_neuron", 3)
    return {"spatial": nodes.spatial, "slice": nodes[:2].spatial}


def case_virtual_processes_take_turns(nest):
    nest.local_num_threads = 2
    nodes = nest.Create("parrot_neuron", 5)
    return {"vp": nodes.vp, "thread": nodes.thread}


def case_old_collections_after_reset(nest):
    nodes = nest.Create("parrot_neuron", 3)
    nest.ResetKernel()
    return {"get": error(lambda: nodes.get("vp")), "connect": error(lambda: nest.Connect(nodes, nodes))}


def case_attributes_that_cannot_be_set(nest):
    nodes = nest.Create("iaf_psc_exp", 2)
    return {
        "id": error(lambda: nodes.set(global_id=5)),
        "model": error(lambda: nodes.set(model="parrot_neuron")),
        "vp": error(lambda: nodes.set(vp=3)),
    }


def case_local_collection(nest):
    nodes = nest.Create("parrot_neuron", 4)
    return {"local": nest.GetLocalNodeCollection(nodes).tolist()}


def case_collections_of_devices(nest):
    devices = nest.Create("poisson_generator", 2, {"rate": [10.0, 20.0]}) + nest.Create("spike_recorder")
    return {"ids": devices.tolist(), "rates": devices.get("rate"), "models": [str(m) for m in devices.model]}
