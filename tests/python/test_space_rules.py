# SPDX-License-Identifier: Apache-2.0
"""Rules in space and values of connections by position, against brute force over all pairs; every rule from every kind of node."""

import numpy as np
import pytest
from scipy import stats

import neuropil as npl
from neuropil.errors import BadDelay, BadLength, BadParameter, BadType, IllegalConnection, NoPositions, TooFewNodes

space = npl.space
EVERY = {"all": npl.all_to_all(), "one": npl.one_to_one(), "in": npl.fixed_indegree(3), "out": npl.fixed_outdegree(3)}


def network(**options):
    return npl.Network(seed=5, threads=2, **options)


def scattered(net, n, dims=2, periodic=False, seed=1, model="iaf_psc_alpha"):
    where = np.random.default_rng(seed).uniform(-0.5, 0.5, (n, dims))
    return net.create(model, positions=npl.free(where, extent=(1.0,) * dims, periodic=periodic))


def moves(a, b, periodic):
    """target - source of all pairs along the shortest way, (n_a, n_b, dims)."""
    d = b.positions[None] - a.positions[:, None]
    return d - np.round(d) if periodic else d


def pairs(p, a, b):
    """How often each pair is connected, int (n_a, n_b)."""
    c = p.connections()
    number = np.zeros((len(a), len(b)), int)
    np.add.at(number, (c.source - a.gids[0], c.target - b.gids[0]), 1)
    return number


# --- which pairs


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("around", ["source", "target"])
def test_masks(dims, periodic, around):
    net = network()
    a, b = scattered(net, 80, dims, periodic, 1), scattered(net, 90, dims, periodic, 2)
    mask = space.box((-0.1,) * dims, (0.3,) * dims) | (space.circle if dims == 2 else space.sphere)(0.2)
    found = pairs(net.connect(a, b, npl.pairwise_bernoulli(1.0, mask=mask, around=around)), a, b)
    expected = mask.contains((moves(a, b, periodic) if around == "source" else -moves(a, b, periodic)).reshape(-1, dims)).reshape(80, 90)
    assert (found == expected).all() and 0 < expected.sum() < expected.size


def test_probabilities():
    net = network()
    a = net.create("iaf_psc_alpha", positions=npl.grid((30, 30), periodic=True))
    found = pairs(net.connect(a, a, npl.pairwise_bernoulli(0.8 * space.gaussian(npl.distance, std=0.1))), a, a)
    distance = np.sqrt((moves(a, a, True) ** 2).sum(axis=2))
    p = 0.8 * np.exp(-(distance**2) / 0.02)
    for low, high in ((0.0, 0.01), (0.01, 0.05), (0.05, 0.1), (0.1, 0.2), (0.2, 1.0)):
        some = (distance >= low) & (distance < high)
        mean, sd = p[some].sum(), np.sqrt((p[some] * (1.0 - p[some])).sum())
        assert abs(found[some].sum() - mean) < 4.0 * sd + 1.0


def test_random_probabilities_and_parameters_of_the_ends():
    net = network()
    a = scattered(net, 300)
    found = pairs(net.connect(a, a, npl.pairwise_bernoulli(npl.uniform(0.0, 1.0) * (space.source.x > 0.0), autapses=False)), a, a)
    right = a.positions[:, 0] > 0.0
    assert not found[~right].any() and not found.diagonal().any()
    n = right.sum() * 299
    assert abs(found.sum() - n / 2) < 4.0 * np.sqrt(n / 4)


@pytest.mark.parametrize("mean", [0.4, 3.0])
def test_poisson(mean):
    net = network()
    a, b = net.create("iaf_psc_alpha", 120), net.create("iaf_psc_alpha", 100)
    found = pairs(net.connect(a, b, npl.pairwise_poisson(mean)), a, b)
    k = np.arange(15)
    expected, seen = 12_000 * stats.poisson(mean).pmf(k), np.bincount(found.ravel(), minlength=15)[:15]
    assert (
        stats.chisquare(seen[expected > 5], expected[expected > 5] / expected[expected > 5].sum() * seen[expected > 5].sum()).pvalue > 1e-3
    )
    c, d = scattered(net, 100, seed=1), scattered(net, 100, seed=2)
    inside = space.circle(0.2).contains(moves(c, d, False).reshape(-1, 2)).reshape(100, 100)
    found = pairs(net.connect(c, d, npl.pairwise_poisson(4.0 * npl.distance, mask=space.circle(0.2))), c, d)
    total = (4.0 * np.sqrt((moves(c, d, False) ** 2).sum(axis=2)) * inside).sum()
    assert not found[~inside].any() and abs(found.sum() - total) < 4.0 * np.sqrt(total)


def test_symmetric():
    net = network()
    a, b = scattered(net, 60, seed=1), scattered(net, 70, seed=2)
    p = net.connect(a, b, npl.symmetric_pairwise_bernoulli(0.3), weight=npl.uniform(1.0, 2.0))
    c = p.connections()
    there = set(zip(c.source.tolist(), c.target.tolist(), strict=True))
    assert there == {(target, source) for source, target in there} and len(there) == len(c)
    n = 60 * 70
    assert abs(len(c) / 2 - 0.3 * n) < 4.0 * np.sqrt(0.21 * n)
    q = net.connect(a, a, npl.symmetric_pairwise_bernoulli(space.exp(-4.0 * npl.distance)), name="near").connections()
    number = np.zeros((60, 60), int)
    np.add.at(number, (q.source - 1, q.target - 1), 1)
    assert (number == number.T).all() and not number.diagonal().any() and q.distances().mean() < 0.4
    r = net.connect(b, b, npl.symmetric_pairwise_bernoulli(npl.uniform(0.0, 1.0)), name="half").connections()
    assert 0.4 < len(r) / 2 / (70 * 69) < 0.6  # pairs (i, j) and (j, i) are drawn apart


@pytest.mark.parametrize("multapses", [True, False])
@pytest.mark.parametrize("inwards", [True, False])
def test_fixed_degrees(inwards, multapses):
    net = network()
    a = scattered(net, 400, periodic=True)
    make = npl.fixed_indegree if inwards else npl.fixed_outdegree
    mask = space.box((-0.05, -0.2), (0.3, 0.2))
    found = pairs(net.connect(a, a, make(8, p=space.exp(-10.0 * npl.distance), mask=mask, multapses=multapses, autapses=False)), a, a)
    inside = mask.contains((-1 if inwards else 1) * moves(a, a, True).reshape(-1, 2)).reshape(400, 400)
    assert not found[~inside].any() and not found.diagonal().any()
    assert (found.sum(axis=0 if inwards else 1) == 8).all() and (multapses or found.max() == 1)
    near = np.sqrt((moves(a, a, True) ** 2).sum(axis=2))
    assert (found * near).sum() / found.sum() < near[inside].mean() - 0.02


def test_degrees_that_differ():
    net = network()
    a, b = scattered(net, 200, seed=1), scattered(net, 100, seed=2)
    found = pairs(net.connect(a, b, npl.fixed_indegree(20.0 + 20.0 * npl.position.x)), a, b)
    assert (found.sum(axis=0) == np.rint(20.0 + 20.0 * b.positions[:, 0])).all()
    plain = net.create("iaf_psc_alpha", 3000)
    degrees = pairs(net.connect(plain, a, npl.fixed_outdegree(npl.uniform_int(4))), plain, a).sum(axis=1)
    assert stats.chisquare(np.bincount(degrees, minlength=4)).pvalue > 1e-3


def test_two_models_in_one_sheet():
    net = network()
    a, b = scattered(net, 50, seed=1), scattered(net, 60, seed=2, model="iaf_psc_exp")
    both = b + a
    p = net.connect(both, both, npl.pairwise_bernoulli(1.0, mask=space.circle(0.2)), weight=1.0 + npl.distance).connections()
    where = {gid: position for nodes in (a, b) for gid, position in zip(nodes.gids.tolist(), nodes.positions, strict=True)}
    positions = np.array([where[gid] for gid in range(1, 111)])
    distance = np.sqrt(((positions[None] - positions[:, None]) ** 2).sum(axis=2))
    assert set(zip(p.source.tolist(), p.target.tolist(), strict=True)) == {
        (i + 1, j + 1) for i, j in zip(*np.nonzero(distance <= 0.2), strict=True)
    }
    assert np.allclose(p.weight, 1.0 + distance[p.source - 1, p.target - 1], rtol=1e-6)


# --- values


@pytest.mark.parametrize(
    "rule", [*EVERY.values(), npl.fixed_total_number(500), npl.pairwise_bernoulli(0.1), npl.explicit([0, 5, 5], [7, 8, 8])]
)
def test_values_by_distance_with_every_rule(rule):
    net, plain = network(), network()
    a, b = scattered(net, 40, periodic=True, seed=1), scattered(net, 40, periodic=True, seed=2)
    made = npl.synapse("tsodyks2_synapse", U=0.2 + 0.5 * npl.distance, tau_rec=npl.uniform(500.0, 900.0))
    p = net.connect(a, b, rule, weight=5.0 * space.gaussian(npl.distance, std=0.2), delay=0.2 + 3.0 * npl.distance, synapse=made)
    d = p.distances()
    assert np.allclose(
        d, np.sqrt((moves(a, b, True) ** 2).sum(axis=2))[p.connections().source - 1, p.connections().target - 41], rtol=1e-14
    )
    assert np.allclose(p.weight, 5.0 * np.exp(-(d**2) / 0.08), rtol=1e-6)
    assert (np.abs(p.delay - (0.2 + 3.0 * d)) < 0.05 + 1e-9).all() and np.allclose(p["U"], 0.2 + 0.5 * d, rtol=1e-14)
    assert ((p["tau_rec"] >= 500.0) & (p["tau_rec"] < 900.0)).all()
    c, e = plain.create("iaf_psc_alpha", 40), plain.create("iaf_psc_alpha", 40)
    q, p = plain.connect(c, e, rule).connections(), p.connections()
    assert sorted(zip(q.source, q.target, strict=True)) == sorted(zip(p.source, p.target, strict=True))  # the same edges as without values


def test_arrays_beside_expressions():
    net = network()
    a = scattered(net, 10)
    weight = np.arange(1.0, 31.0).reshape(10, 3)
    p = net.connect(a, a, npl.fixed_indegree(3), weight=weight, delay=1.0 + npl.distance).connections()
    q = network()
    b = q.create("iaf_psc_alpha", 10)
    c = q.connect(b, b, npl.fixed_indegree(3), weight=weight).connections()
    key = sorted(zip(p.source, p.target, p.weight, strict=True))
    assert key == sorted(zip(c.source, c.target, c.weight, strict=True)) and len(set(p.delay.tolist())) > 5


def test_values_that_are_set_later():
    net = network()
    a = scattered(net, 30, periodic=True)
    p = net.connect(a, a, npl.fixed_indegree(5), delay=2.0)
    p.weight = 2.0 + npl.distance
    d = p.distances()
    assert np.allclose(p.weight, 2.0 + d, rtol=1e-6)
    p.weight[d > 0.3] = npl.uniform(5.0, 6.0) * space.where(npl.distance > 0.3, 1.0, 100.0)
    assert ((p.weight[d > 0.3] >= 5.0) & (p.weight[d > 0.3] < 6.0)).all() and np.allclose(p.weight[d <= 0.3], 2.0 + d[d <= 0.3], rtol=1e-6)
    p.set(delay=1.0 + npl.distance, weight=npl.uniform(0.0, 1.0) + npl.uniform(0.0, 1.0))
    assert (np.abs(p.delay - 1.0 - p.distances()) < 0.05 + 1e-9).all() and 0.7 < p.weight.mean() < 1.3
    before, draws = p.weight.copy(), net._draws
    for bad in (1.0 / (npl.distance * 0.0), npl.position.x):
        with pytest.raises((BadParameter, NoPositions)):
            p.weight = bad
    with pytest.raises(BadDelay):
        p.set(weight=3.0, delay=0.01 * npl.distance)
    assert (p.weight == before).all() and net._draws == draws
    empty = net.connect(a, a, npl.pairwise_bernoulli(0.0), name="none")
    assert len(empty.distances()) == 0
    plain = net.create("iaf_psc_alpha", 3)
    with pytest.raises(NoPositions):
        net.connect(plain, plain).weight = npl.distance


def test_expressions_that_the_kernel_draws():
    """What is a distribution in other words gives the bits of that distribution."""
    weights = []
    for weight in (npl.normal(3.0, 1.0), 1.0 * npl.normal() + 3.0, space.clip(npl.normal(3.0, 1.0), -100.0, 100.0)):
        net = network()
        a = net.create("iaf_psc_alpha", 30)
        weights.append(net.connect(a, a, weight=weight).weight.copy())
    assert (weights[0] == weights[1]).all() and np.allclose(weights[0], weights[2], rtol=1e-5)


# --- from devices, from several kinds


@pytest.mark.parametrize("name", EVERY)
def test_generators_by_every_rule(name):
    """A generator that fires once at each of its targets: the potentials say how strongly each is connected."""
    net = network()
    g = net.create("dc_generator", 4, amplitude=100.0)
    a = net.create("iaf_psc_delta", 4, tau_m=1e6, C_m=100.0, V_m=-70.0, E_L=-70.0, V_th=1e6)
    weight = np.arange(1.0, 1.0 + {"all": 16, "one": 4}.get(name, 12))
    shape = {"all": (4, 4), "one": (4,)}.get(name, (4, 3))
    net.connect(g, a, EVERY[name], weight=weight.reshape(shape), delay=0.1)
    other = network()
    b, c = other.create("parrot_neuron", 4), other.create("iaf_psc_delta", 4)
    p = other.connect(b, c, EVERY[name], weight=weight.reshape(shape)).connections()
    net.run(10.1)
    expected = np.bincount(p.target - 5, p.weight, minlength=4)
    assert np.allclose((a.V_m + 70.0) / 9.9, expected, rtol=1e-3)


def test_neurons_and_generators_at_once():
    net = network()
    n, g, d = net.create("iaf_psc_alpha", 3), net.create("poisson_generator", 2, rate=0.0), net.create("dc_generator", 2, amplitude=50.0)
    b, c = net.create("iaf_psc_alpha", 6, V_m=-70.0), net.create("iaf_cond_exp", 6)
    p = net.connect(g + n + d, c + b, npl.fixed_indegree(6), weight=npl.uniform(1.0, 2.0))
    found = net.connections(n, b + c)
    assert 20 < len(found) < 45 and ((found.weight >= 1.0) & (found.weight < 2.0)).all()
    net.run(20.0)
    assert b.V_m.max() > -69.0
    with pytest.raises(IllegalConnection):
        p.connections()


@pytest.mark.parametrize("bad", [{"weight": [[1.0] * 4] * 3 + [[1.0, 1.0, 1.0, np.nan]]}, {"synapse": "stdp_synapse"}, {"receptor": 7}])
def test_refused_calls_of_several_kinds_change_nothing(bad):
    net = network()
    pre = net.create("iaf_psc_alpha", 2) + net.create("poisson_generator") + net.create("dc_generator")
    post = net.create("iaf_psc_alpha", 4)
    with pytest.raises(npl.NeuropilError):
        net.connect(pre, post, **bad)
    assert net.n_connections == 0 and not len(net.projections) and net._draws == 0


# --- tripartite


@pytest.mark.parametrize(("pool", "size"), [("random", 3), ("block", 1), ("block", 2)])
def test_tripartite(pool, size):
    net = network()
    n = 20 if size == 2 else 5
    a, b, t = net.create("iaf_psc_alpha", 30), net.create("iaf_psc_alpha", 10), net.create("iaf_psc_alpha", n)
    first, into, out = net.connect_tripartite(
        a, b, t, npl.fixed_indegree(20), p=0.6, pool_size=size, pool=pool, primary={"weight": 2.0}, third_in={"weight": 3.0, "name": "in"},
        third_out={"delay": 2.0, "synapse": "stdp_synapse"},
    )  # fmt: skip
    assert len(first) == 200 and (first.weight == 2.0).all() and (into.weight == 3.0).all() and (out.delay == 2.0).all()
    assert len(into) == len(out) and abs(len(out) - 120) < 4.0 * np.sqrt(200 * 0.24)
    assert net.projections["in"] is into
    edges = out.connections()
    thirds = {target: set((edges.source[edges.target == target] - 41).tolist()) for target in b.gids.tolist()}
    assert all(1 <= len(found) <= size for found in thirds.values())
    if pool == "block":
        assert all(found <= set(range(k * size, k * size + size) if size == 2 else {k // 2}) for k, found in enumerate(thirds.values()))


def test_tripartite_in_space():
    net = network()
    a, t = scattered(net, 100, seed=1), scattered(net, 30, seed=2)
    first, into, out = net.connect_tripartite(
        a, a, t, npl.pairwise_bernoulli(1.0, mask=space.circle(0.2), autapses=False), p=0.5, pool_size=4, third_out={"weight": npl.distance}
    )
    assert first.distances().max() <= 0.2 and abs(len(out) - len(first) / 2) < 4.0 * np.sqrt(len(first) / 4)
    assert np.allclose(out.weight, out.distances(), rtol=1e-6) and len(into) == len(out)


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (BadParameter, {"p": 1.5}),
        (BadParameter, {"pool_size": 6}),
        (BadParameter, {"pool": "near"}),
        (BadParameter, {"pool": "block", "pool_size": 3}),
        (npl.errors.UnknownArgument, {"primary": {"wieght": 1.0}}),
        (BadType, {"third_in": {"weight": [1.0]}}),
        (BadDelay, {"third_out": {"delay": 0.0}}),
        (BadParameter, {"primary": {"name": "x"}, "third_in": {"name": "x"}}),
        (NoPositions, {"third_out": {"weight": npl.distance}}),
        (BadParameter, {"third_out": {"weight": npl.normal() / 0.0 if False else np.nan}}),
        (BadParameter, {"third_out": {"synapse": npl.stdp(Wmax=-1.0)}}),
    ],
)
def test_tripartite_is_refused(error, options):
    net = network()
    a, t = net.create("iaf_psc_alpha", 10), net.create("iaf_psc_alpha", 5)
    with pytest.raises(error):
        net.connect_tripartite(a, a, t, npl.fixed_indegree(3), **options)
    assert net.n_connections == 0 and not len(net.projections) and net._draws == 0


# --- errors

NEAR = npl.pairwise_bernoulli(1.0, mask=space.circle(0.1))
REFUSED = [
    (NoPositions, lambda n, s, d, p: n.connect(s, p, NEAR)),
    (NoPositions, lambda n, s, d, p: n.connect(p, s, weight=npl.distance)),
    (NoPositions, lambda n, s, d, p: n.connect(s, s, weight=npl.position.x)),
    (NoPositions, lambda n, s, d, p: n.connect(s, s, weight=space.source.z)),
    (IllegalConnection, lambda n, s, d, p: n.connect(s, d, weight=npl.distance)),
    (BadLength, lambda n, s, d, p: n.connect(s, s, npl.pairwise_bernoulli(1.0, mask=space.sphere(0.1)))),
    (TooFewNodes, lambda n, s, d, p: n.connect(s, s, npl.fixed_indegree(30, mask=space.circle(0.1), multapses=False))),
    (TooFewNodes, lambda n, s, d, p: n.connect(s, s, npl.fixed_outdegree(1, p=npl.distance * 0.0))),
    (BadParameter, lambda n, s, d, p: n.connect(s, s, npl.fixed_indegree(npl.normal(-9.0, 1.0)))),
    (BadParameter, lambda n, s, d, p: n.connect(s, s, weight=1.0 / npl.distance)),
    (BadDelay, lambda n, s, d, p: n.connect(s, s, delay=npl.distance)),
    (BadDelay, lambda n, s, d, p: n.connect(s, s, NEAR, delay=0.04 + npl.distance)),
    (BadParameter, lambda n, s, d, p: n.connect(s, s, NEAR, weight=np.ones(3))),
    (BadLength, lambda n, s, d, p: n.connect(s, s, weight=np.ones((3, 3)), delay=1.0 + npl.distance)),
    (BadParameter, lambda n, s, d, p: n.connect(s, s, npl.fixed_total_number(3), weight=np.ones(3), delay=1.0 + npl.distance)),
    (BadParameter, lambda n, s, d, p: n.connect(s, s, npl.pairwise_poisson(600.0 * npl.distance + 1000.0))),
    (BadParameter, lambda n, s, d, p: npl.pairwise_bernoulli(1.5)),
    (BadParameter, lambda n, s, d, p: npl.pairwise_bernoulli(0.5, around="both")),
    (BadParameter, lambda n, s, d, p: npl.pairwise_poisson(-1.0)),
    (BadParameter, lambda n, s, d, p: npl.fixed_indegree(3, p=0.0)),
    (BadParameter, lambda n, s, d, p: n.connect(s, s, "tripartite")),
    (BadParameter, lambda n, s, d, p: n.connect(s, s, "pairwise_poisson")),
    (BadType, lambda n, s, d, p: n.connect(s, s, synapse=npl.synapse("stdp_synapse", tau_minus=npl.distance))),
    (BadParameter, lambda n, s, d, p: n.connect(s, s, synapse=npl.stdp(Wmax=1.0), weight=2.0 + npl.distance)),
]


@pytest.mark.parametrize(("error", "call"), REFUSED)
def test_refused_calls_change_nothing(error, call):
    net = network()
    s, d = net.create("iaf_psc_alpha", positions=npl.grid((5, 5))), net.create("iaf_psc_alpha", positions=npl.grid((5, 5), periodic=True))
    p = net.create("iaf_psc_alpha", 5)
    with pytest.raises(error):
        call(net, s, d, p)
    assert net.n_connections == 0 and not len(net.projections) and net._draws == 0


def test_rules_are_listed_and_shown():
    assert {"pairwise_poisson", "symmetric_pairwise_bernoulli", "tripartite", "pairwise_bernoulli"} <= set(npl.rules())
    rule = npl.fixed_indegree(3, p=space.gaussian(npl.distance, std=0.5), mask=space.circle(1.0))
    assert "gaussian(distance, mean=0, std=0.5)" in repr(rule)
    assert npl.fixed_indegree(3, p=2.0) == npl.fixed_indegree(3) and not npl.fixed_indegree(3).drawn
    net = network()
    s = net.create("iaf_psc_alpha", positions=npl.grid((5, 5)))
    net.connect(s, s, rule, weight=3.0 * npl.distance)
    assert "3 * distance" in repr(net.summary())
