# SPDX-License-Identifier: Apache-2.0
"""Rules in space: who looks where, distributions against equations, the same edges however targets are dealt to ranks."""

import numpy as np
import pytest
from scipy import stats
from tests.nest.spatial import by_spec

import neuropil.nest as nest
from neuropil.nest.parameters import Context, math, random
from neuropil.nest.parameters.spatial_distributions import gaussian
from neuropil.nest.spatial import distance, free, grid, layers, pos, source_pos, target_pos
from neuropil.space import by_numpy

ERRORS = nest.NESTErrors
RIGHT = {"rectangular": {"lower_left": [-0.5, -0.5], "upper_right": [1.5, 0.5]}}  # a node and its neighbour to the right
DISC = {"circular": {"radius": 1.5}}


def on_grid(columns=5, rows=5, wrap=False, first=1):
    layer = layers.make(grid([columns, rows], extent=[float(columns), float(rows)], edge_wrap=wrap), 1, 1, 1)
    layer.place(first)
    return layer.part()


def connect(pre, post, seed=1, draw=5, own=None, **spec):
    return by_spec.edges(pre, post, spec, seed, draw, np.ones(len(post.gids), bool) if own is None else own)


def moves(layer, edges):
    """Whole steps from source to target on a grid of unit steps that wraps, int (n, 2)."""
    d = layer.positions[edges[1]] - layer.positions[edges[0]]
    return np.rint(d - layer.extent * np.floor(d / layer.extent + 0.5)).astype(int)


def counted(layer, edges):
    found, number = np.unique(moves(layer, edges), axis=0, return_counts=True)
    return {tuple(move): n for move, n in zip(found.tolist(), number.tolist(), strict=True)}


# --- who looks where: as observed on NEST 3.10


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"rule": "pairwise_bernoulli"}, {(0, 0): 25, (1, 0): 20}),
        ({"rule": "pairwise_bernoulli", "use_on_source": True}, {(0, 0): 25, (-1, 0): 20}),
        ({"rule": "pairwise_bernoulli", "allow_autapses": False}, {(1, 0): 20}),
    ],
)
def test_mask_lies_around_the_driver(spec, expected):
    layer = on_grid()
    assert counted(layer._replace(extent=layer.extent * 100), connect(layer, layer, mask=RIGHT, **spec)) == expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"rule": "pairwise_bernoulli", "p": 1.0}, {(0, 0), (1, 0)}),
        ({"rule": "fixed_indegree", "indegree": 4}, {(0, 0), (-1, 0)}),
        ({"rule": "fixed_outdegree", "outdegree": 4}, {(0, 0), (1, 0)}),
        ({"rule": "pairwise_poisson", "pairwise_avg_num_conns": 3.0}, {(0, 0), (-1, 0)}),
    ],
)
def test_drivers_of_the_rules(spec, expected):
    layer = on_grid(wrap=True)
    assert set(counted(layer, connect(layer, layer, mask=RIGHT, **spec))) == expected


@pytest.mark.parametrize(
    ("mask", "expected"),
    [
        ({"grid": {"shape": [2, 1]}}, {(0, 0), (1, 0)}),
        ({"grid": {"shape": [2, 1]}, "anchor": [1, 0]}, {(-1, 0), (0, 0)}),
        ({"grid": {"shape": [1, 2]}}, {(0, 0), (0, -1)}),
        ({"grid": {"shape": [2, 2]}, "anchor": [-1, -1]}, {(1, -1), (2, -1), (1, -2), (2, -2)}),
        ({"circular": {"radius": 0.6}, "anchor": [1.0, 0.0]}, {(1, 0)}),
        (nest.CreateMask("circular", {"radius": 1.0}) - nest.CreateMask("circular", {"radius": 0.1}), {(1, 0), (-1, 0), (0, 1), (0, -1)}),
    ],
)
def test_masks_on_a_grid(mask, expected):
    layer = on_grid(wrap=True)
    found = counted(layer, connect(layer, layer, rule="pairwise_bernoulli", mask=mask))
    assert found == dict.fromkeys(expected, 25)


@pytest.mark.parametrize(
    ("spec", "pool"),
    [
        ({"rule": "pairwise_bernoulli"}, "post"),
        ({"rule": "pairwise_bernoulli", "use_on_source": True}, "pre"),
        ({"rule": "fixed_indegree", "indegree": 30}, "pre"),
        ({"rule": "fixed_outdegree", "outdegree": 30}, "post"),
        ({"rule": "pairwise_poisson", "pairwise_avg_num_conns": 4.0}, "pre"),
    ],
)
@pytest.mark.parametrize("wrapping", ["pre", "post"])
def test_the_pool_says_whether_edges_are_joined(spec, pool, wrapping):
    pre, post = on_grid(5, 1, wrap=wrapping == "pre"), on_grid(5, 1, wrap=wrapping == "post", first=6)
    mask = {"rectangular": {"lower_left": [-1.1, -0.4], "upper_right": [1.1, 0.4]}}
    source, target, _ = connect(pre, post, mask=mask, **spec)
    across = np.abs(pre.positions[source, 0] - post.positions[target, 0]) > 3.0
    assert across.any() == (wrapping == pool)
    everywhere = connect(pre, post, **spec)
    context = by_spec.edge_context(pre, post, spec, everywhere, 1, 9)
    assert (distance.evaluate(context).max() > 2.5) == (wrapping != pool)


def test_slices_are_the_pool():
    layer = layers.make(grid([5, 5], extent=[5.0, 5.0]), 1, 1, 1)
    some = layer.part(np.arange(1, 26, 2))
    source, target, _ = connect(layer.part(), some, rule="pairwise_bernoulli", mask=RIGHT)
    assert len(source) == 23
    assert target.max() < 13


def test_parameters_of_edges():
    pre, post = on_grid(), on_grid(first=26)
    edges = connect(pre, post, rule="pairwise_bernoulli", mask=DISC)
    context = by_spec.edge_context(pre, post, {"rule": "pairwise_bernoulli"}, edges, 1, 9)
    d = post.positions[edges[1]] - pre.positions[edges[0]]
    assert (distance.evaluate(context) == np.sqrt((d**2).sum(axis=1))).all()
    assert ((target_pos.x - source_pos.x).evaluate(context) == d[:, 0]).all()
    with pytest.raises(ERRORS.BadParameterValue):
        pos.x.evaluate(context)
    assert len(np.unique(edges[2])) == len(edges[2])


# --- distributions


def test_bernoulli_with_a_kernel():
    layer = on_grid(60, 60, wrap=True)
    number = counted(
        layer, connect(layer, layer, rule="pairwise_bernoulli", p=0.7 * gaussian(distance, std=2.0), mask={"circular": {"radius": 4.0}})
    )
    steps = [(x, y) for x in range(-4, 5) for y in range(-4, 5) if x * x + y * y <= 16]
    p = np.array([0.7 * np.exp(-(x * x + y * y) / 8.0) for x, y in steps])
    seen = np.array([number.get(step, 0) for step in steps])
    z = (seen - 3600 * p) / np.sqrt(3600 * p * (1.0 - p))
    assert stats.kstest(z, "norm").pvalue > 1e-3
    assert sum(number.values()) == seen.sum()


def test_bernoulli_with_a_kernel_and_no_mask_and_random_kernels():
    layer = layers.make(free(random.uniform(-0.5, 0.5), extent=[1.0, 1.0]), 300, 3, 1).part()
    source, target, _ = connect(layer, layer, rule="pairwise_bernoulli", p=math.exp(-5.0 * distance) * random.uniform())
    d = np.sqrt(((layer.positions[:, None] - layer.positions[None]) ** 2).sum(axis=2))
    expected = 0.5 * np.exp(-5.0 * d)
    assert abs(len(source) - expected.sum()) < 4.0 * np.sqrt(expected.sum())
    near = d[source, target] < 0.2
    assert abs(near.sum() - expected[d < 0.2].sum()) < 4.0 * np.sqrt(expected[d < 0.2].sum())


@pytest.mark.parametrize("mean", [0.3, 4.0])
def test_poisson_number_of_connections(mean):
    layer = on_grid(40, 40, wrap=True)
    source, target, key = connect(layer, layer, rule="pairwise_poisson", pairwise_avg_num_conns=mean, mask=RIGHT)
    number = np.unique(source * 1600 + target, return_counts=True)[1]
    k = np.arange(16)
    seen = np.bincount(number, minlength=16)[:16]
    seen[0] = 3200 - len(number)
    expected = 3200 * stats.poisson(mean).pmf(k)
    kept = expected > 5
    assert stats.chisquare(seen[kept], expected[kept] / expected[kept].sum() * seen[kept].sum()).pvalue > 1e-3
    assert len(np.unique(key)) == len(key)


@pytest.mark.parametrize("repeats", [True, False])
@pytest.mark.parametrize("rule", ["fixed_indegree", "fixed_outdegree"])
@pytest.mark.parametrize("kernel", [EVEN := 1.0, math.exp(-distance)])
def test_fixed_degrees_choose_in_proportion(rule, repeats, kernel):
    layer = on_grid(60, 60, wrap=True)
    degree = 6 if repeats else 1
    edges = connect(layer, layer, rule=rule, **{rule[6:]: degree}, p=kernel, mask=DISC, allow_multapses=repeats)
    driver = edges[1] if rule == "fixed_indegree" else edges[0]
    assert (np.bincount(driver, minlength=3600) == degree).all()
    assert (np.diff(edges[1]) >= 0).all()
    number = counted(layer, edges)
    weight = np.array([1.0 if kernel is EVEN else np.exp(-np.hypot(*move)) for move in number])
    assert len(number) == 9
    assert stats.chisquare(list(number.values()), weight / weight.sum() * 3600 * degree).pvalue > 1e-3


def test_without_repeats_second_choices_are_among_what_is_left():
    """Three candidates of weights 1, 2, 3, two taken: the pair (i, j) has w_i w_j (1 / (s - w_i) + 1 / (s - w_j)) / s."""
    layer = on_grid(300, 3, wrap=False)
    mask = {"rectangular": {"lower_left": [-0.1, -1.1], "upper_right": [0.1, 1.1]}}
    middle = layer._replace(gids=np.arange(2, 900, 3), positions=layer.positions[1::3])
    source, target, _ = connect(
        layer, middle, rule="fixed_indegree", indegree=2, p=2.0 + source_pos.y - target_pos.y, mask=mask, allow_multapses=False
    )
    left_out = 3 - (source % 3)[::2] - (source % 3)[1::2]  # rows 0, 1, 2 from the top have weights 3, 2, 1
    assert (target[::2] == target[1::2]).all()
    w, s = np.array([3.0, 2.0, 1.0]), 6.0
    pair = [w[i] * w[j] / s * (1 / (s - w[i]) + 1 / (s - w[j])) for i, j in [(1, 2), (0, 2), (0, 1)]]
    assert stats.chisquare(np.bincount(left_out, minlength=3), 300 * np.array(pair)).pvalue > 1e-3


def test_degrees_that_differ():
    layer = on_grid(60, 60, wrap=True)
    _, target, _ = connect(layer, layer, rule="fixed_indegree", indegree=random.uniform_int(4), mask=DISC)
    degrees = np.bincount(target, minlength=3600)
    assert stats.chisquare(np.bincount(degrees, minlength=4)).pvalue > 1e-3
    by_place = connect(layer, layer, rule="fixed_outdegree", outdegree=math.max(pos.x, 0.0), mask=DISC)
    assert (np.bincount(by_place[0], minlength=3600) == np.rint(np.maximum(layer.positions[:, 0], 0.0))).all()


def test_no_node_with_itself_where_forbidden():
    layer = on_grid(wrap=True)
    for spec in (
        {"rule": "fixed_indegree", "indegree": 30},
        {"rule": "fixed_outdegree", "outdegree": 30, "p": math.exp(-distance)},
        {"rule": "fixed_indegree", "indegree": 8, "allow_multapses": False},
        {"rule": "pairwise_poisson", "p": 3.0},
        {"rule": "pairwise_bernoulli", "use_on_source": True},
    ):
        source, target, _ = connect(layer, layer, mask=DISC, allow_autapses=False, **spec)
        assert len(source) >= 200
        assert (source != target).all()


# --- ranks

SPECS = [
    {"rule": "pairwise_bernoulli", "p": gaussian(distance, std=0.1) * random.uniform(), "mask": {"circular": {"radius": 0.25}}},
    {"rule": "pairwise_bernoulli", "p": 0.2, "use_on_source": True, "mask": {"circular": {"radius": 0.25}, "anchor": [0.1, 0.2]}},
    {"rule": "pairwise_bernoulli", "p": 0.3 * distance},
    {"rule": "pairwise_poisson", "pairwise_avg_num_conns": 1.5, "mask": {"circular": {"radius": 0.2}}},
    {"rule": "fixed_indegree", "indegree": 5, "p": gaussian(distance, std=0.1), "mask": {"circular": {"radius": 0.4}}},
    {"rule": "fixed_indegree", "indegree": 5, "allow_multapses": False},
    {"rule": "fixed_outdegree", "outdegree": random.uniform_int(9), "mask": {"circular": {"radius": 0.4}}},
    {"rule": "fixed_outdegree", "outdegree": 4, "p": gaussian(distance, std=0.1), "allow_multapses": False},
]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec["rule"])
def test_edges_do_not_depend_on_ranks(spec):
    layer = layers.make(free(random.uniform(-0.5, 0.5), extent=[1.0, 1.0], edge_wrap=True), 400, 3, 1).part()
    whole = np.stack(connect(layer, layer, **spec))
    assert len(np.unique(whole[2])) == whole.shape[1] > 100
    for ranks in (2, 3):
        rank = np.random.default_rng(ranks).integers(0, ranks, 400)
        for k in range(ranks):
            assert (np.stack(connect(layer, layer, own=rank == k, **spec)) == whole[:, rank[whole[1]] == k]).all()


# --- errors


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ({"rule": "all_to_all"}, ValueError),
        ({"rule": "fixed_total_number", "N": 10}, ValueError),
        ({"rule": "pairwise_bernoulli", "foo": 3}, ValueError),
        ({"rule": "pairwise_bernoulli", "number_of_connections": 3}, ValueError),
        ({"rule": "pairwise_bernoulli", "indegree": 3}, ERRORS.UnaccessedDictionaryEntry),
        ({"rule": "fixed_indegree", "indegree": 2, "use_on_source": True}, ValueError),
        ({"rule": "fixed_indegree"}, KeyError),
        ({"rule": "fixed_indegree", "indegree": 1.0}, ERRORS.TypeMismatch),
        ({"rule": "fixed_indegree", "indegree": -1}, ERRORS.BadProperty),
        ({"rule": "fixed_indegree", "indegree": random.normal(-5.0)}, ERRORS.BadProperty),
        ({"rule": "fixed_indegree", "indegree": 3, "allow_multapses": False}, ERRORS.KernelException),
        ({"rule": "fixed_indegree", "indegree": 3, "p": 0.0}, ERRORS.KernelException),
        ({"rule": "fixed_outdegree", "outdegree": 3, "allow_multapses": False}, ERRORS.KernelException),
        ({"rule": "fixed_indegree", "indegree": 3, "allow_autapses": 3}, ERRORS.TypeMismatch),
        ({"rule": "pairwise_bernoulli", "p": "a"}, ERRORS.BadProperty),
        ({"rule": "pairwise_bernoulli", "p": distance.z}, ERRORS.KernelException),
        ({"rule": "pairwise_bernoulli", "p": pos.x}, ERRORS.BadParameterValue),
        ({"rule": "pairwise_bernoulli", "mask": 3}, ERRORS.TypeMismatch),
        ({"rule": "pairwise_bernoulli", "mask": {"spherical": {"radius": 1.0}}}, ERRORS.BadProperty),
        ({"rule": "pairwise_bernoulli", "mask": {"circular": {"radius": 3.0}}}, ERRORS.BadProperty),
    ],
)
def test_errors(spec, error):
    layer = on_grid(wrap=True)
    with pytest.raises(error) as raised:
        connect(layer, layer, **{"mask": RIGHT, **spec})
    assert raised.type is error


def test_layers_that_do_not_fit():
    flat, deep = on_grid(), layers.make(grid([2, 2, 2]), 1, 1, 1).part()
    scattered = layers.make(free([[0.0, 0.0], [1.0, 1.0]]), 1, 1, 1).part()
    with pytest.raises(ERRORS.BadProperty):
        connect(flat, deep, rule="pairwise_bernoulli")
    with pytest.raises(ERRORS.BadProperty):
        connect(flat, scattered, rule="pairwise_bernoulli", mask={"grid": {"shape": [1, 1]}})
    assert len(connect(scattered, flat, rule="pairwise_bernoulli", mask={"grid": {"shape": [1, 1]}})[0]) == 2


def test_quantiles_of_poisson():
    u = np.random.default_rng(1).random(20_000)
    for mean in (0.05, 1.0, 30.0, 400.0):
        assert (by_numpy.poisson_quantile(u, np.full(len(u), mean)) == stats.poisson(mean).ppf(u)).mean() > 0.9999
    assert (by_numpy.poisson_quantile(u, np.full(len(u), -1.0)) == 0).all()


def test_contexts_of_pairs_and_of_positions_agree():
    layer = on_grid(wrap=True)
    edges = connect(layer, layer, rule="pairwise_bernoulli", mask=DISC)
    by_pairs = by_spec.edge_context(layer, layer, {"rule": "pairwise_bernoulli"}, edges, 1, 9)
    ends = {"source_pos": layer.positions[edges[0]], "target_pos": layer.positions[edges[1]], "extent": layer.extent, "periodic": True}
    parameter = math.redraw(random.normal(), 0.0, 1.0) * distance.x + gaussian(distance) * source_pos.y
    assert (parameter.evaluate(by_pairs) == parameter.evaluate(Context(1, 9, edges[2], **ends))).all()
