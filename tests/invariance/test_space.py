# SPDX-License-Identifier: Apache-2.0
"""Rules and values in space: one network for any threads and ranks; a call that one rank must refuse is refused by all."""

import numpy as np
import pytest

import neuropil as npl
from lowlevel import digest
from neuropil.errors import BadDelay, BadParameter, TooFewNodes
from thread_ranks import on_ranks, the_same

space = npl.space
NEAR = space.circle(0.25)
PROFILE = space.gaussian(npl.distance, std=0.12)
RULES = [
    npl.pairwise_bernoulli(PROFILE, mask=NEAR),
    npl.pairwise_bernoulli(0.3 * npl.uniform(0.0, 1.0), mask=NEAR, around="target", autapses=False),
    npl.pairwise_poisson(2.0 * PROFILE, mask=NEAR),
    npl.fixed_indegree(4, p=PROFILE, mask=NEAR),
    npl.fixed_indegree(npl.uniform_int(7), multapses=False),
    npl.fixed_outdegree(4, p=PROFILE * npl.uniform(0.5, 1.0), mask=NEAR),
    npl.symmetric_pairwise_bernoulli(0.1 * PROFILE),
    npl.fixed_outdegree(2),
    npl.one_to_one(),
]
VALUES = [
    (npl.normal(20.0, 5.0), 1.0),
    (30.0 * PROFILE, 0.1 + 2.0 * npl.distance),
    (npl.uniform(-20.0, 30.0) + 10.0 * npl.distance, npl.uniform(0.5, 2.0) + npl.distance),
    (-10.0 * space.sin(npl.distance), npl.uniform(0.5, 2.0)),
]


def built(comm=None, threads=1, distribution="round_robin"):
    net = npl.Network(seed=4, threads=threads, ranks=comm, distribution=distribution)
    where = npl.free(npl.uniform(-0.5, 0.5), extent=(1.0, 1.0), periodic=True)
    a = net.create("iaf_psc_exp", 90, positions=where, V_m=-65.0 + 3.0 * npl.position.x + npl.normal())
    b = net.create("iaf_psc_alpha", 70, positions=npl.grid((10, 7), periodic=True))
    g = net.create("poisson_generator", 90, rate=9000.0 * npl.uniform(0.8, 1.2), positions=where)
    net.connect(g, b + a, npl.fixed_indegree(1, p=space.exp(-20.0 * npl.distance)), weight=60.0 - 20.0 * npl.distance)
    for k, rule in enumerate(RULES):
        weight, delay = VALUES[k % len(VALUES)]
        net.connect(a, a if rule.name == "one_to_one" else a + b, rule, weight=weight, delay=delay, name=str(k))
    net.connect_tripartite(
        a,
        b,
        a[:9],
        npl.pairwise_bernoulli(0.2, mask=NEAR),
        p=0.5,
        pool_size=3,
        third_out={"weight": 5.0 * npl.distance},
        third_in={"weight": 3.0},
    )
    return net, a, b


def result(*arguments):
    """A digest of connections, spikes and positions."""
    net, a, b = built(*arguments)
    record = net.record(a + b)
    net.run(40.0, progress=False)
    assert len(record) > 50
    c = net.connections()
    sizes = [len(p) for p in net.projections if p.name]
    assert min(sizes) > 30
    return digest(record.steps, record.gids, c.source, c.target, c.weight, c.delay, a.positions, a.V_m), sizes


def test_one_network():
    alone = result()
    for threads in (2, 4):
        assert result(None, threads) == alone
    for ranks, threads, distribution in ((2, 1, "round_robin"), (3, 2, "shuffled"), (3, 1, "consecutive")):
        assert the_same(on_ranks(ranks, lambda comm: result(comm, threads, distribution))) == alone  # noqa: B023


def test_one_network_of_large_layers():
    """Without a mask most pairs are not looked at; equal partners are not listed."""

    def program(comm=None, threads=1, distribution="round_robin"):
        net = npl.Network(seed=4, threads=threads, ranks=comm, distribution=distribution)
        a = net.create("iaf_psc_exp", 2500, positions=npl.free(npl.uniform(-0.5, 0.5), extent=(1.0, 1.0), periodic=True))
        near = space.gaussian(npl.distance, std=0.02)
        net.connect(a, a, npl.pairwise_bernoulli(near, autapses=False), weight=30.0 * npl.distance)
        net.connect(a, a, npl.pairwise_bernoulli(near * (space.source.x > 0.0)), weight=npl.normal(1.0, 0.1))
        net.connect(a, a, npl.fixed_indegree(npl.uniform_int(7), multapses=False, autapses=False), weight=npl.normal(1.0, 0.1))
        net.run(1.0, progress=False)
        c = net.connections()
        assert min(len(p) for p in net.projections) > 5000
        return digest(c.source, c.target, c.weight, c.delay)

    alone = program()
    assert program(None, 3) == alone
    for ranks, threads, distribution in ((2, 1, "shuffled"), (3, 2, "consecutive")):
        assert the_same(on_ranks(ranks, lambda comm: program(comm, threads, distribution))) == alone  # noqa: B023


def test_the_edges_are_as_long_as_memory_of_them():
    """A mask and a profile alone: the edges are kept as a list of four bytes each."""
    net, a, _ = built()
    p = net.connect(a, a, npl.pairwise_bernoulli(PROFILE, mask=NEAR), name="listed")
    assert p.distances().max() <= 0.25


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (TooFewNodes, {"rule": npl.fixed_indegree(1, mask=space.box((0.35, -1.0), (0.45, 1.0)))}),
        (BadDelay, {"delay": 0.01 * npl.distance}),
        (BadParameter, {"weight": 1.0 / (space.target.x + 0.45)}),
        (BadParameter, {"weight": 1.0 / (space.target.x + 0.45), "rule": npl.fixed_outdegree(3)}),
    ],
)
def test_what_one_rank_refuses_all_refuse(error, options):
    """Of a grid of 10 columns only nodes of one column are at fault."""

    def program(comm):
        net = npl.Network(seed=4, threads=1, ranks=comm, distribution="consecutive")
        a = net.create("iaf_psc_exp", positions=npl.grid((10, 2)))
        bad = {key: (space.where(space.target.x < -0.44, value, 1.0) if key == "delay" else value) for key, value in options.items()}
        with pytest.raises(error) as raised:
            net.connect(a, a, **bad)
        assert net.n_connections == 0 and not len(net.projections)
        net.connect(a, a, npl.fixed_indegree(2), weight=1.0 + npl.distance)
        net.run(5.0, progress=False)
        return str(raised.value)

    alone = program(None)
    assert the_same(on_ranks(3, program)) == alone


def test_few_edges_and_none():
    def program(comm):
        net = npl.Network(seed=4, threads=1, ranks=comm)
        a = net.create("iaf_psc_exp", positions=npl.grid((4, 4)))
        p = net.connect(a, a, npl.pairwise_bernoulli(1.0, mask=space.circle(0.01), autapses=False), weight=npl.distance)
        q = net.connect(
            a[:1], a, npl.pairwise_bernoulli(npl.distance < 0.26), weight=1.0 + npl.distance, delay=npl.uniform(1.0, 2.0), name="few"
        )
        return len(p), q.connections().target.tolist(), q.weight.tolist(), q.delay.tolist()

    alone = program(None)
    assert alone[0] == 0 and alone[1] == [1, 2, 5]
    assert the_same(on_ranks(3, program)) == alone
    assert np.allclose(alone[2], [1.0, 1.25, 1.25])


def test_a_rank_alone_builds_its_share():
    whole = built()[0]
    net = npl.Network(seed=4, threads=1, dry_run=npl.dry_run(ranks=3, rank=1))
    a = net.create("iaf_psc_exp", positions=npl.grid((30, 30), periodic=True))
    p = net.connect(a, a, npl.fixed_indegree(6), weight=30.0 * PROFILE - 1.0, delay=0.2 + npl.distance)
    q = net.connect(a, a, npl.fixed_indegree(4, p=PROFILE, mask=NEAR), weight=npl.normal(1.0, 0.1) * npl.distance, name="q")
    net.run(2.0, progress=False)
    assert whole.n_connections > 1000 and net.n_connections == 9000
    assert p.rule.name == q.rule.name == "fixed_indegree"
