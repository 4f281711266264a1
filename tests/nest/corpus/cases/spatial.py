# SPDX-License-Identifier: Apache-2.0
"""Layers, positions, distances, and connections that depend on them."""

from pathlib import Path

import numpy as np
from tests.nest.corpus.values import counts, error, near, sample


def grid(nest, shape=(4, 3), **options):
    return nest.Create("parrot_neuron", positions=nest.spatial.grid(list(shape), **options))


def distances(nest):
    """Of all connections [mm]."""
    return np.array(nest.GetConnections().distance)


def case_grid_positions(nest):
    return {
        "default": near(nest.GetPosition(grid(nest))),
        "extent": near(nest.GetPosition(grid(nest, extent=[2.0, 6.0], center=[1.0, -1.0]))),
    }


def case_grid_in_three_dimensions(nest):
    nodes = grid(nest, (2, 3, 2), extent=[2.0, 3.0, 4.0])
    return {"positions": near(nest.GetPosition(nodes)), "number": len(nodes), "shape": nodes.spatial["shape"]}


def case_grid_metadata(nest):
    nodes = grid(nest, (4, 2), extent=[2.0, 1.0], center=[0.5, 0.5], edge_wrap=True)
    spatial = nodes.spatial
    return {key: spatial[key] for key in ("center", "extent", "edge_wrap", "network_size", "shape")} | {
        "keys": sorted(key for key in spatial if key != "positions")
    }


def case_free_positions(nest):
    nodes = nest.Create("parrot_neuron", positions=nest.spatial.free([[0.0, 0.0], [1.0, 0.5], [-1.0, 0.25]]))
    return {
        "positions": near(nest.GetPosition(nodes)),
        "number": len(nodes),
        "extent": near(nodes.spatial["extent"]),
        "center": near(nodes.spatial["center"]),
    }


def case_free_with_extent(nest):
    nodes = nest.Create("parrot_neuron", positions=nest.spatial.free([[0.0, 0.0], [1.0, 0.5]], extent=[4.0, 4.0], edge_wrap=True))
    return {"extent": near(nodes.spatial["extent"]), "wrap": nodes.spatial["edge_wrap"], "keys": sorted(nodes.spatial)}


def case_free_in_three_dimensions(nest):
    nodes = nest.Create("parrot_neuron", positions=nest.spatial.free([[0.0, 0.0, 1.0], [1.0, 0.5, -1.0]]))
    return {"positions": near(nest.GetPosition(nodes)), "extent": near(nodes.spatial["extent"])}


def case_drawn_positions(nest):
    nodes = nest.Create("parrot_neuron", 800, positions=nest.spatial.free(nest.random.uniform(-0.5, 0.5), num_dimensions=2))
    x, y = np.array(nest.GetPosition(nodes)).T
    return {"x": sample(x), "y": sample(y), "independent": bool(abs(np.corrcoef(x, y)[0, 1]) < 0.12)}


def case_drawn_positions_by_dimension(nest):
    nodes = nest.Create(
        "parrot_neuron",
        600,
        positions=nest.spatial.free([nest.random.uniform(0.0, 1.0), nest.random.normal(0.0, 0.2), nest.random.uniform(2.0, 3.0)]),
    )
    x, y, z = np.array(nest.GetPosition(nodes)).T
    return {"x": sample(x), "y": sample(y), "z": sample(z)}


def case_bad_positions(nest):
    return {
        "n and grid": error(lambda: nest.Create("parrot_neuron", 5, positions=nest.spatial.grid([2, 2]))),
        "lengths": error(lambda: nest.Create("parrot_neuron", positions=nest.spatial.free([[0.0, 0.0], [1.0, 1.0, 1.0]]))),
        "list": error(lambda: nest.Create("parrot_neuron", positions=[[0.0, 0.0]])),
        "outside": error(lambda: nest.Create("parrot_neuron", positions=nest.spatial.free([[0.0, 0.0], [5.0, 5.0]], extent=[1.0, 1.0]))),
        "one": error(lambda: nest.Create("parrot_neuron", positions=nest.spatial.grid([4]))),
    }


def case_distances(nest):
    nodes = grid(nest, (4, 3), extent=[4.0, 3.0])
    return {
        "one to all": near(nest.Distance(nodes[0], nodes)),
        "each": near(nest.Distance(nodes, nodes)),
        "point": near(nest.Distance([[0.5, 0.5]], nodes)),
        "displacement": near(nest.Displacement(nodes[2], nodes)),
        "of points": near(nest.Displacement([[0.0, 1.0]], nodes)),
    }


def case_distances_around_edges(nest):
    nodes = grid(nest, (5, 4), extent=[5.0, 4.0], edge_wrap=True)
    return {"one to all": near(nest.Distance(nodes[0], nodes)), "displacement": near(nest.Displacement(nodes[0], nodes))}


def case_distances_in_three_dimensions(nest):
    nodes = grid(nest, (3, 2, 2), extent=[3.0, 2.0, 2.0], edge_wrap=True)
    return {"one to all": near(nest.Distance(nodes[1], nodes)), "displacement": near(nest.Displacement(nodes[1], nodes))}


def case_nearest_and_center(nest):
    nodes = grid(nest, (5, 4), extent=[5.0, 4.0])
    return {
        "nearest": nest.FindNearestElement(nodes, [1.2, 0.9]).tolist(),
        "several": [found.tolist() for found in nest.FindNearestElement(nodes, [[1.2, 0.9], [-2.0, -2.0]])],
        "center": nest.FindCenterElement(nodes).tolist(),
    }


def case_nearest_of_equals(nest):
    nodes = grid(nest, (2, 2), extent=[2.0, 2.0])
    return {"all": [found.tolist() for found in nest.FindNearestElement(nodes, [[0.0, 0.0]], find_all=True)]}


def case_positions_of_parts(nest):
    nodes = grid(nest, (3, 3), extent=[3.0, 3.0])
    return {"slice": near(nest.GetPosition(nodes[2:5])), "one": near(nest.GetPosition(nodes[4])), "spatial": sorted(nodes[2:5].spatial)}


def case_functions_of_nodes_without_positions(nest):
    nodes = nest.Create("parrot_neuron", 3)
    return {
        "position": error(lambda: nest.GetPosition(nodes)),
        "distance": error(lambda: nest.Distance(nodes, nodes)),
        "center": error(lambda: nest.FindCenterElement(nodes)),
    }


def case_weights_of_distance(nest):
    nodes = grid(nest, (3, 3), extent=[3.0, 3.0])
    nest.Connect(
        nodes,
        nodes,
        {"rule": "pairwise_bernoulli", "p": 1.0},
        {"weight": 2.0 * nest.spatial.distance + 1.0, "delay": 1.0 + nest.spatial.distance},
    )
    found = sorted([c.source, c.target, c.weight, c.delay] for c in nest.GetConnections())
    return {"pairs": [row[:2] for row in found], "weights": near([row[2] for row in found]), "delays": near([row[3] for row in found])}


def case_weights_of_positions(nest):
    nodes = grid(nest, (3, 2), extent=[3.0, 2.0])
    spatial = nest.spatial
    nest.Connect(
        nodes,
        nodes,
        {"rule": "pairwise_bernoulli", "p": 1.0},
        {"weight": spatial.source_pos.x + 10.0 * spatial.target_pos.y + 100.0 * spatial.distance.x},
    )
    found = sorted([c.source, c.target, c.weight] for c in nest.GetConnections())
    return {"weights": near([row[2] for row in found])}


def case_distances_of_connections(nest):
    nodes = grid(nest, (4, 1), extent=[4.0, 1.0], edge_wrap=True)
    nest.Connect(nodes, nodes)
    return {"distances": near(sorted(distances(nest)))}


def case_mask_of_a_circle(nest):
    nodes = grid(nest, (7, 7), extent=[7.0, 7.0])
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"circular": {"radius": 1.6}}})
    found = nest.GetConnections()
    return {"pairs": sorted(zip(found.get("source"), found.get("target"), strict=True))}


def case_mask_that_is_not_symmetric(nest):
    """Without use_on_source the mask lies around each source."""
    nodes = grid(nest, (5, 5), extent=[5.0, 5.0])
    mask = {"rectangular": {"lower_left": [-0.5, -0.5], "upper_right": [2.1, 1.1]}}
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": mask})
    found = nest.GetConnections()
    return {"pairs": sorted(zip(found.get("source"), found.get("target"), strict=True))}


def case_mask_on_the_source(nest):
    nodes = grid(nest, (5, 5), extent=[5.0, 5.0])
    mask = {"rectangular": {"lower_left": [-0.5, -0.5], "upper_right": [2.1, 1.1]}}
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": mask, "use_on_source": True})
    found = nest.GetConnections()
    return {"pairs": sorted(zip(found.get("source"), found.get("target"), strict=True))}


def case_mask_around_edges(nest):
    nodes = grid(nest, (6, 4), extent=[6.0, 4.0], edge_wrap=True)
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"circular": {"radius": 1.5}}, "allow_autapses": False})
    found = nest.GetConnections()
    return {"pairs": sorted(zip(found.get("source"), found.get("target"), strict=True)), "distances": near(sorted(distances(nest)))}


def case_mask_in_three_dimensions(nest):
    nodes = grid(nest, (3, 3, 3), extent=[3.0, 3.0, 3.0])
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"spherical": {"radius": 1.2}}})
    found = nest.GetConnections()
    return {"pairs": sorted(zip(found.get("source"), found.get("target"), strict=True))}


def case_mask_with_an_anchor(nest):
    nodes = grid(nest, (5, 5), extent=[5.0, 5.0])
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"circular": {"radius": 1.1}, "anchor": [1.0, 0.5]}})
    found = nest.GetConnections()
    return {"pairs": sorted(zip(found.get("source"), found.get("target"), strict=True))}


def case_mask_of_a_grid(nest):
    nodes = grid(nest, (5, 5), extent=[5.0, 5.0])
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"grid": {"shape": [2, 3]}, "anchor": [1, 1]}})
    found = nest.GetConnections()
    return {"pairs": sorted(zip(found.get("source"), found.get("target"), strict=True))}


def case_between_two_layers(nest):
    a, b = grid(nest, (4, 4), extent=[4.0, 4.0]), grid(nest, (2, 2), extent=[4.0, 4.0])
    nest.Connect(a, b, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"circular": {"radius": 1.0}}})
    found = nest.GetConnections()
    return {"pairs": sorted(zip(found.get("source"), found.get("target"), strict=True))}


def case_kernel_of_distance(nest):
    nodes = nest.Create("parrot_neuron", positions=nest.spatial.grid([20, 20], extent=[2.0, 2.0], edge_wrap=True))
    nest.Connect(
        nodes,
        nodes,
        {
            "rule": "pairwise_bernoulli",
            "p": nest.spatial_distributions.gaussian(nest.spatial.distance, std=0.2),
            "mask": {"circular": {"radius": 0.6}},
        },
    )
    near_targets = np.bincount(np.array(nest.GetConnections().get("target")) - 1, minlength=400)
    return {"distances": counts(np.round(distances(nest) * 100).astype(int)), "in": counts(near_targets)}


def case_kernel_without_mask(nest):
    nodes = nest.Create("parrot_neuron", 300, positions=nest.spatial.free(nest.random.uniform(-1.0, 1.0), num_dimensions=2))
    nest.Connect(
        nodes, nodes, {"rule": "pairwise_bernoulli", "p": 0.8 * nest.math.exp(-nest.spatial.distance / 0.3), "allow_autapses": False}
    )
    return {"number": bool(2000 < nest.num_connections < 8000), "distances": sample(distances(nest)[::4])}


def case_kernel_and_fixed_indegree(nest):
    nodes = nest.Create("parrot_neuron", positions=nest.spatial.grid([15, 15], extent=[1.5, 1.5], edge_wrap=True))
    spec = {
        "rule": "fixed_indegree",
        "indegree": 12,
        "p": nest.spatial_distributions.gaussian(nest.spatial.distance, std=0.25),
        "mask": {"circular": {"radius": 0.7}},
    }
    nest.Connect(nodes, nodes, spec)
    found = nest.GetConnections()
    return {
        "in": sorted(set(np.bincount(found.get("target"))[1:].tolist())),
        "distances": counts(np.round(distances(nest) * 100).astype(int)),
    }


def case_fixed_indegree_without_multapses(nest):
    nodes = nest.Create("parrot_neuron", positions=nest.spatial.grid([12, 12], extent=[1.2, 1.2], edge_wrap=True))
    spec = {
        "rule": "fixed_indegree",
        "indegree": 15,
        "mask": {"circular": {"radius": 0.35}},
        "allow_multapses": False,
        "allow_autapses": False,
        "p": nest.math.exp(-nest.spatial.distance / 0.1),
    }
    nest.Connect(nodes, nodes, spec)
    found = nest.GetConnections()
    pairs = list(zip(found.get("source"), found.get("target"), strict=True))
    return {
        "in": sorted(set(np.bincount(found.get("target"))[1:].tolist())),
        "distinct": len(set(pairs)) == len(pairs),
        "distances": counts(np.round(distances(nest) * 100).astype(int)),
    }


def case_fixed_outdegree_in_a_mask(nest):
    nodes = nest.Create("parrot_neuron", positions=nest.spatial.grid([15, 15], extent=[1.5, 1.5], edge_wrap=True))
    spec = {
        "rule": "fixed_outdegree",
        "outdegree": 10,
        "p": nest.spatial_distributions.exponential(nest.spatial.distance, beta=0.2),
        "mask": {"circular": {"radius": 0.6}},
    }
    nest.Connect(nodes, nodes, spec)
    found = nest.GetConnections()
    return {
        "out": sorted(set(np.bincount(found.get("source"))[1:].tolist())),
        "distances": counts(np.round(distances(nest) * 100).astype(int)),
    }


def case_asymmetric_mask_and_degrees(nest):
    found = {}
    mask = {"rectangular": {"lower_left": [0.0, -0.25], "upper_right": [0.45, 0.25]}}
    for rule, number in (("fixed_indegree", "indegree"), ("fixed_outdegree", "outdegree")):
        nest.ResetKernel()
        nodes = nest.Create("parrot_neuron", positions=nest.spatial.grid([11, 11], extent=[1.1, 1.1], edge_wrap=True))
        nest.Connect(nodes, nodes, {"rule": rule, number: 10, "mask": mask})
        moves = np.array([nest.Displacement(nodes[c.source - 1], nodes[c.target - 1])[0] for c in nest.GetConnections()[::3]])
        found[rule] = counts(np.round(moves[:, 0] * 10).astype(int))
    return found


def case_poisson_number_per_pair(nest):
    nodes = nest.Create("parrot_neuron", positions=nest.spatial.grid([10, 10], extent=[1.0, 1.0], edge_wrap=True))
    nest.Connect(nodes, nodes, {"rule": "pairwise_poisson", "pairwise_avg_num_conns": 1.5, "mask": {"circular": {"radius": 0.25}}})
    return {"in": counts(np.bincount(nest.GetConnections().get("target"))[1:])}


def case_bernoulli_in_a_mask(nest):
    nodes = nest.Create("parrot_neuron", positions=nest.spatial.grid([12, 12], extent=[1.2, 1.2], edge_wrap=True))
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 0.3, "mask": {"circular": {"radius": 0.35}}})
    return {
        "in": counts(np.bincount(nest.GetConnections().get("target"), minlength=145)[1:]),
        "distances": counts(np.round(distances(nest) * 100).astype(int)),
    }


def case_drawn_weights_with_distance(nest):
    nodes = nest.Create("parrot_neuron", positions=nest.spatial.grid([10, 10], extent=[1.0, 1.0]))
    nest.Connect(
        nodes,
        nodes,
        {"rule": "pairwise_bernoulli", "p": 0.2},
        {"weight": nest.random.normal(1.0, 0.1) * nest.math.exp(-nest.spatial.distance)},
    )
    found = nest.GetConnections()
    return {"weights": sample(found.get("weight")), "undone": sample(np.array(found.get("weight")) * np.exp(distances(nest)))}


def case_all_to_all_with_distance(nest):
    nodes = grid(nest, (3, 2), extent=[3.0, 2.0])
    return {"raises": error(lambda: nest.Connect(nodes, nodes, "all_to_all", {"weight": nest.spatial.distance}))}


def case_bad_spatial_connects(nest):
    nodes, plain = grid(nest, (4, 4), extent=[4.0, 4.0]), nest.Create("parrot_neuron", 4)
    circle = {"circular": {"radius": 1.0}}
    return {
        "no positions": error(lambda: nest.Connect(plain, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": circle})),
        "rule": error(lambda: nest.Connect(nodes, nodes, {"rule": "one_to_one", "mask": circle})),
        "unknown mask": error(
            lambda: nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"no_such": {"radius": 1.0}}})
        ),
        "unknown key": error(
            lambda: nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"circular": {"no_such": 1.0}}})
        ),
        "dimensions": error(
            lambda: nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"spherical": {"radius": 1.0}}})
        ),
        "too few": error(
            lambda: nest.Connect(nodes, nodes, {"rule": "fixed_indegree", "indegree": 30, "mask": circle, "allow_multapses": False})
        ),
        "synapse": error(
            lambda: nest.Connect(
                nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": circle}, {"synapse_model": "stdp_synapse", "lambda": 0.1}
            )
        ),
    }


def case_targets_and_sources_of_nodes(nest):
    a, b = grid(nest, (5, 5), extent=[5.0, 5.0]), grid(nest, (5, 5), extent=[5.0, 5.0])
    nest.Connect(a, b, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"circular": {"radius": 1.1}}}, {"synapse_model": "static_synapse"})
    middle = nest.FindCenterElement(a)
    return {
        "targets": [sorted(found.tolist()) for found in nest.GetTargetNodes(middle, b)],
        "positions": [near_list(found) for found in nest.GetTargetPositions(middle, b)],
        "sources": [sorted(found.tolist()) for found in nest.GetSourceNodes(a, b[12])],
        "of sources": [near_list(found) for found in nest.GetSourcePositions(a, b[12])],
        "model": len(nest.GetTargetNodes(middle, b, syn_model="stdp_synapse")[0]),
    }


def near_list(positions):
    """Positions sorted, on a grid of 1e-9."""
    return sorted([round(float(x), 9) + 0.0 for x in position] for position in positions)


def case_dump_of_nodes(nest):
    nodes = grid(nest, (3, 2), extent=[3.0, 2.0])
    nest.DumpLayerNodes(nodes, "layer.txt")
    return {"rows": [[float(word) for word in line.split()] for line in Path("layer.txt").read_text().splitlines()]}


def case_dump_of_connections(nest):
    nodes = grid(nest, (2, 2), extent=[2.0, 2.0])
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0}, {"weight": 2.0})
    nest.DumpLayerConnections(nodes, nodes, "static_synapse", "connections.txt")
    return {"rows": sorted([float(word) for word in line.split()] for line in Path("connections.txt").read_text().splitlines())}


def case_joining_layers(nest):
    nodes, other = grid(nest, (3, 2)), grid(nest, (3, 2))
    return {"other": error(lambda: nodes + other), "plain": error(lambda: nodes + nest.Create("parrot_neuron"))}


def case_composite_parts_of_a_layer(nest):
    nodes = grid(nest, (4, 4), extent=[4.0, 4.0])
    nest.Connect(nodes[:8], nodes[8:], {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"circular": {"radius": 1.2}}})
    found = nest.GetConnections()
    return {"pairs": sorted(zip(found.get("source"), found.get("target"), strict=True))}
