# SPDX-License-Identifier: Apache-2.0
"""Weights and delays that follow from positions, beside their formula: computed by the kernel, and by numpy where bounds of delays are set."""

import numpy as np
import pytest

import neuropil.nest as nest

EXTENT = [2.0, 1.0]


def connections(wrap, bounded, rule, make=None, threads=1):
    """Connections, and the way from source to target of each. make: gives weight and delay from the distance."""
    nest.ResetKernel()
    nest.local_num_threads = threads
    if bounded:
        nest.set(min_delay=0.1, max_delay=10.0)
    spread = nest.spatial.free(nest.random.uniform(-0.5, 0.5), extent=EXTENT, edge_wrap=wrap)
    sources = nest.Create("iaf_psc_alpha", 40, positions=spread)
    targets = nest.Create("iaf_psc_alpha", 50, positions=spread)
    d = nest.spatial.distance
    syn = {"weight": 3.0 * nest.math.exp(-d / 0.3) - nest.spatial.distance.x, "delay": 1.0 + 2.0 * d}
    nest.Connect(sources, targets, rule, make(d) if make else syn)
    found = nest.GetConnections().get(["source", "target", "weight", "delay"])
    gids = [*sources.tolist(), *targets.tolist()]
    places = dict(zip(gids, [*nest.GetPosition(sources), *nest.GetPosition(targets)], strict=True))
    return found, np.array([np.subtract(places[t], places[s]) for s, t in zip(found["source"], found["target"], strict=True)])


@pytest.mark.parametrize(
    "rule", [{"rule": "fixed_indegree", "indegree": 7}, {"rule": "pairwise_bernoulli", "p": 0.3}], ids=lambda r: r["rule"]
)
@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("wrap", [False, True])
def test_values_are_those_of_the_formula(wrap, bounded, rule):
    found, move = connections(wrap, bounded, rule)
    if wrap:
        move -= EXTENT * np.floor(move / EXTENT + 0.5)
    distance = np.hypot(*move.T)
    assert len(distance) > 200
    np.testing.assert_allclose(found["weight"], 3.0 * np.exp(-distance / 0.3) - np.abs(move[:, 0]), rtol=1e-14, atol=1e-14)
    np.testing.assert_array_equal(np.round(np.multiply(found["delay"], 10)), np.floor(10.0 + 20.0 * distance + 0.5))


def mixed(distance):
    draw = nest.random
    return {"weight": nest.math.exp(-distance / 0.3) * draw.normal(2.0, 0.5), "delay": 1.0 + 3.0 * distance * draw.uniform(0.5, 1.0)}


@pytest.mark.parametrize("rule", [{"rule": "fixed_indegree", "indegree": 35}, {"rule": "pairwise_bernoulli", "p": 0.8}])
@pytest.mark.parametrize("bounded", [False, True])
def test_what_is_drawn_may_depend_on_distance(bounded, rule):
    found, move = connections(False, bounded, rule, mixed)
    distance = np.hypot(*move.T)
    drawn, factor = found["weight"] / np.exp(-distance / 0.3), (np.array(found["delay"]) - 1.0) / (3.0 * distance)
    assert len(np.unique(drawn.round(9))) == len(drawn) > 1500
    assert abs(drawn.mean() - 2.0) < 5.0 * 0.5 / np.sqrt(len(drawn))
    assert abs(drawn.std() - 0.5) < 0.05
    far = distance > 0.5
    assert abs(factor[far].mean() - 0.75) < 5.0 * (0.5 / np.sqrt(12.0)) / np.sqrt(far.sum())
    assert abs(np.corrcoef(drawn[far], factor[far])[0, 1]) < 5.0 / np.sqrt(far.sum())
    assert connections(False, bounded, rule, mixed, threads=3)[0] == found


def test_pairs_do_not_depend_on_who_computes():
    rule = {"rule": "fixed_indegree", "indegree": 7}
    (one, _), (other, _) = connections(True, False, rule), connections(True, True, rule)
    assert one["source"] == other["source"]
    assert one["target"] == other["target"]
    np.testing.assert_allclose(one["weight"], other["weight"], rtol=1e-14)


@pytest.mark.parametrize(
    "values",
    [{"delay": nest.spatial.distance - 5.0}, {"weight": 1.0 / (nest.spatial.distance - nest.spatial.distance)}],
    ids=["delay", "weight"],
)
def test_impossible_values_are_refused(values):
    nest.ResetKernel()
    layer = nest.Create("iaf_psc_alpha", positions=nest.spatial.grid([4, 4]))
    with pytest.raises(nest.NESTErrors.KernelException):
        nest.Connect(layer, layer, {"rule": "pairwise_bernoulli", "p": 1.0}, values)
    assert nest.num_connections == 0
