# SPDX-License-Identifier: Apache-2.0
"""The kernel and numpy draw the same: the same edges where there is no chance, the same distributions where there is."""

import numpy as np
import pytest
from scipy import stats
from tests.nest.spatial import by_spec

import neuropil.nest as nest
from neuropil.nest.parameters import Constant, logic, math
from neuropil.nest.parameters import spatial_distributions as profiles
from neuropil.nest.spatial import distance, free, layers, source_pos, target_pos
from neuropil.space import by_kernel
from neuropil.space.code import Code
from neuropil.space.pairs import PairContext

M = nest.CreateMask
MASKS = {
    2: [
        None,
        M("circular", {"radius": 0.3}),
        M("rectangular", {"lower_left": [-0.4, -0.2], "upper_right": [0.1, 0.3], "azimuth_angle": 20.0}),
        M("circular", {"radius": 0.2}, [0.3, 0.1]) | M("doughnut", {"inner_radius": 0.1, "outer_radius": 0.3}),
        M("elliptical", {"major_axis": 0.9, "minor_axis": 0.2, "azimuth_angle": 20.0}),
    ],
    3: [
        None,
        M("spherical", {"radius": 0.4}),
        M("box", {"lower_left": [-0.4, -0.2, 0.0], "upper_right": [0.1, 0.3, 0.4], "polar_angle": 30.0}),
        M("spherical", {"radius": 0.4}, [0.2, 0.1, 0.1]) & M("ellipsoidal", {"major_axis": 0.8, "minor_axis": 0.3, "polar_axis": 0.5}),
    ],
}
SURE = [1.0, distance < 0.25, (distance.x < 0.2) * (source_pos.y > target_pos.x), logic.conditional(target_pos.y >= 0.0, 0.0, 1.0)]


def scattered(n, dims, wrap, seed, first=1):
    positions = np.random.default_rng(seed).uniform(-0.5, 0.5, (n, dims))
    layer = layers.make(free(positions, extent=[1.1] * dims, edge_wrap=wrap), 1, 1, 1)
    layer.place(first)
    return layer.part()


def both(monkeypatch, *arguments, **more):
    """Edges by the kernel and by numpy."""
    found = by_spec.edges(*arguments, **more)
    with monkeypatch.context() as patch:
        patch.setattr(by_kernel, "drawing", lambda task: None)
        return found, by_spec.edges(*arguments, **more)


@pytest.mark.parametrize("trial", range(60))
def test_same_edges_without_chance(trial, monkeypatch):
    dims, wrap = 2 + trial % 2, bool(trial // 2 % 2)
    pre, post = scattered(50, dims, wrap, trial), scattered(60, dims, wrap, trial + 1, first=31)
    spec = {"rule": "pairwise_bernoulli", "p": SURE[trial % 4], "use_on_source": bool(trial % 5 % 2), "allow_autapses": bool(trial % 3)}
    mask = MASKS[dims][trial % len(MASKS[dims])]
    own = np.random.default_rng(trial).random(60) < 0.7
    spec |= {} if mask is None else {"mask": mask}
    kernel, numpy = both(monkeypatch, pre, post, spec, 1, 5, own, 1 + trial % 3)
    assert (np.diff(kernel[1]) >= 0).all()
    assert sorted(zip(*map(np.ndarray.tolist, kernel), strict=True)) == sorted(zip(*map(np.ndarray.tolist, numpy), strict=True))


def test_lists_are_the_same_edges():
    layer = scattered(400, 2, True, 3)
    mask = {"mask": {"circular": {"radius": 0.2}}}
    own = np.arange(400) % 3 != 1
    for spec in (
        {"rule": "pairwise_bernoulli", "p": profiles.gaussian(distance, std=0.1)},
        {"rule": "pairwise_poisson", "p": 0.7},
        {"rule": "fixed_indegree", "indegree": 12, "p": 1.0 - distance},
        {"rule": "fixed_indegree", "indegree": 12, "allow_multapses": False},
    ):
        nest.ResetKernel()
        nodes = nest.Create("iaf_psc_alpha", 400)
        network = nest.kernel.session().network
        listed = by_spec.edge_list(layer, layer, spec | mask, 1, 5, own, 2)
        source, target, _ = by_spec.edges(layer, layer, spec | mask, 1, 5, own)
        drawn = network._kernel.draw_edges(nodes._ranges.ascending(), nodes._ranges.ascending(), "explicit", {"list": listed})
        assert len(listed) == len(source) > 1000
        assert (drawn[0] == source).all()
        assert (drawn[1] == target).all()
    assert by_spec.edge_list(layer, layer, {"rule": "fixed_outdegree", "outdegree": 3}, 1, 5, own) is None


@pytest.mark.parametrize("rule", ["fixed_indegree", "fixed_outdegree"])
@pytest.mark.parametrize("repeats", [True, False])
def test_same_distribution_of_distances(rule, repeats, monkeypatch):
    layer = scattered(500, 2, True, 4)
    spec = {"rule": rule, rule[6:]: 20, "p": math.exp(-8.0 * distance), "mask": {"circular": {"radius": 0.5}}, "allow_multapses": repeats}
    drawn = []
    for found in both(monkeypatch, layer, layer, spec, 1, 5, np.ones(500, bool)):
        assert len(found[0]) == 10_000
        assert len(np.unique(found[2])) == 10_000
        drawn.append(distance.evaluate(by_spec.edge_context(layer, layer, spec, found, 1, 9)))
    assert stats.ks_2samp(*drawn).pvalue > 1e-3


def firsts(found, degree, n=3):
    """The first n choices of each driver."""
    return [column.reshape(-1, degree)[:, :n].tolist() for column in found]


@pytest.mark.parametrize("autapses", [True, False])
@pytest.mark.parametrize(("rule", "first"), [("fixed_indegree", 401), ("fixed_indegree", 201), ("fixed_outdegree", 401)])
def test_choices_are_the_same_however_they_are_searched(rule, first, autapses):
    """Many choices of a driver use an index of cumulative weights, few a search; weights that are all 1 need neither."""
    pre, post, own = scattered(400, 2, True, 4, first=first), scattered(300, 2, True, 5, first=401), np.ones(300, bool)

    def drawn(degree, **p):
        found = by_spec.edges(pre, post, {"rule": rule, rule[6:]: degree, "allow_autapses": autapses, **p}, 1, 5, own, 2)
        order = np.argsort(found[2], kind="stable")
        return tuple(column[order] for column in found)

    for p in ({}, {"p": profiles.gaussian(distance, std=0.05)}, {"p": profiles.exponential(distance, 0.01)}):
        assert firsts(drawn(200, **p), 200) == firsts(drawn(3, **p), 3)
    one = drawn(200)
    assert all((a == b).all() for a, b in zip(one, drawn(200, p=1.0 + 0.0 * distance), strict=True))
    assert autapses or not (pre.gids[one[0]] == post.gids[one[1]]).any()


FORMULAS = [
    profiles.gaussian(distance, 0.1, 0.2),
    profiles.gaussian2D(distance.x, target_pos.y - source_pos.y, 0.1, 0.2, 0.5, 0.4, 0.3),
    profiles.exponential(distance, 0.3),
    profiles.gamma(distance, 2.0, 0.2),
    math.max(math.min(distance.y * 3.0, 0.7), 0.2),
    (1.0 + distance) ** -1.5 / 2.0 - source_pos.x**2,
    logic.conditional(distance != 0.0, distance, 0.5) == distance,
    Constant(3.0) * distance >= 2.0,
]


@pytest.mark.parametrize("number", range(len(FORMULAS)))
def test_formulas_are_those_of_numpy(number, monkeypatch):
    """p > threshold, by both, for thresholds that cut the values into parts."""
    layer = scattered(120, 2, False, 5)
    i, j = (index.ravel() for index in np.indices((120, 120)))
    context = PairContext(1, 1, i, extent=layer.extent, periodic=False, ends=(layer.positions, i, layer.positions, j))
    values = FORMULAS[number].evaluate(context)
    for threshold in np.quantile(values, [0.2, 0.5, 0.8]) + 1e-9:
        spec = {"rule": "pairwise_bernoulli", "p": FORMULAS[number] > threshold}
        assert by_kernel.program(spec["p"], None, 2, True) is not None
        found = by_spec.edges(layer, layer, spec, 1, 5, np.ones(120, bool))
        expected = values > threshold
        assert abs(len(found[0]) - expected.sum()) <= 1  # a value on the threshold
        assert np.isin(found[0] * 120 + found[1], np.flatnonzero(expected)).sum() >= len(found[0]) - 1


def test_what_is_drawn_is_left_to_numpy():
    for kernel in (
        nest.random.uniform(),
        distance * nest.random.normal(),
        math.sin(distance),
        profiles.gabor(distance.x, distance.y),
        distance.z,
    ):
        assert by_kernel.program(kernel, None, 2, True) is None
    assert by_kernel.program(distance, M("grid", {"shape": [2, 2]}).native, 2, True) is None


def test_programs_say_nothing_twice():
    code = Code(2, True)
    distance.code(code)
    n = len(code.instructions)
    (distance * distance).code(code)
    assert len(code.instructions) == n + 1


def test_many_threads_one_network():
    spikes = []
    for threads in (1, 2):
        nest.ResetKernel()
        nest.local_num_threads = threads
        nodes = nest.Create("iaf_psc_alpha", 300, positions=free(nest.random.uniform(-0.5, 0.5), extent=[1.0, 1.0]))
        spec = {"rule": "pairwise_bernoulli", "p": profiles.gaussian(distance, std=0.2), "mask": {"circular": {"radius": 0.4}}}
        nest.Connect(nodes, nodes, spec, {"weight": nest.random.normal(1.0, 0.1)})
        found = nest.GetConnections(nodes, nodes)
        spikes.append((found.source, found.target, found.weight))
    assert spikes[0] == spikes[1]
