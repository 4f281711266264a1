# SPDX-License-Identifier: Apache-2.0
"""The rule small_world against the equations of Watts & Strogatz (1998), and against their procedure written as a loop."""

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.sparse.csgraph import shortest_path

import neuropil as npl
from thread_ranks import on_ranks, the_same


def edges(n, k, p, seed=1, n_other=0, **settings):
    """(source, target) positions and weights, target by target in the order of the slots: the weight of an edge is its index."""
    net = npl.Network(seed=seed, **settings)
    post = net.create("iaf_psc_exp", n)
    pre = net.create("iaf_psc_exp", n_other) if n_other else post
    net.connect(pre, post, npl.small_world(k=k, p=p), weight=np.arange(n * k, dtype=float).reshape(n, k), delay=1.0)
    c = net.connections()
    order = np.argsort(c.weight)
    return c.source[order] - pre.gids[0], c.target[order] - post.gids[0], c.weight[order]


def ring(n, k):
    """Sources [n, k]: the neighbours in the order of the ring."""
    steps = np.r_[-(k // 2) : 0, 1 : k // 2 + 1]
    return (np.arange(n)[:, None] + steps) % n


def matrix(source, target, n):
    return sparse.csr_array((np.ones(len(source)), (source, target)), shape=(n, n))


def clustering(a):
    """Mean over targets of the share of ordered pairs of their sources of which the first is connected to the second."""
    k = a.sum(axis=0)
    return float(np.mean((a * (a @ a)).sum(axis=0) / (k * (k - 1))))


def path_length(a, some=100):
    distance = shortest_path(a, unweighted=True, indices=np.arange(some))
    return float(distance[distance > 0].mean())


def watts_strogatz(n, k, p, seed):
    """Their procedure for directed edges: one edge after the other, to any node that is not a source of the target yet."""
    dice = np.random.default_rng(seed)
    sources = ring(n, k)
    for target in range(n):
        for slot in np.flatnonzero(dice.random(k) < p):
            taken = {target, *np.delete(sources[target], slot)}
            while (new := int(dice.integers(n))) in taken:
                pass
            sources[target, slot] = new
    return matrix(sources.ravel(), np.repeat(np.arange(n), k), n)


@pytest.mark.parametrize(("n", "k"), [(7, 2), (10, 4), (9, 8), (700, 600), (5, 0)])
def test_without_rewiring_it_is_the_ring(n, k):
    source, target, weight = edges(n, k, 0.0)
    assert source.reshape(n, k).tolist() == ring(n, k).tolist()
    assert target.tolist() == np.repeat(np.arange(n), k).tolist()
    assert weight.tolist() == list(range(n * k))


@pytest.mark.parametrize("p", [0.0, 1e-3, 0.1, 0.5, 0.999, 1.0])
@pytest.mark.parametrize(("n", "k"), [(60, 10), (21, 20), (640, 520)])
def test_every_target_has_k_sources_and_itself_is_none(n, k, p):
    source, target, _ = edges(n, k, p)
    assert (target.reshape(n, k) == np.arange(n)[:, None]).all()
    assert all(len(set(row)) == k for row in source.reshape(n, k).tolist())
    assert (source != target).all() and source.min() >= 0 and source.max() < n


@pytest.mark.parametrize("p", [0.003, 0.1, 0.5, 0.9])
def test_the_share_of_rewired_edges_is_p(p):
    """Of all edges, of each slot, and binomial within a target."""
    n, k = 4000, 10
    source, _, _ = edges(n, k, p, seed=3)
    moved = source.reshape(n, k) != ring(n, k)
    # One in n - k rewired edges at most draws the source that it had.
    assert stats.binomtest(int(moved.sum()), n * k, p * (1 - 1 / (n - k))).pvalue > 1e-4
    assert stats.chisquare(moved.sum(axis=0)).pvalue > 1e-4
    counts = np.bincount(moved.sum(axis=1), minlength=k + 1)
    expected = n * stats.binom.pmf(np.arange(k + 1), k, p)
    keep = expected > 5
    assert (
        stats.chisquare(np.r_[counts[keep], counts[~keep].sum() + 1e-9], np.r_[expected[keep], expected[~keep].sum() + 1e-9]).pvalue > 1e-4
    )


def test_all_rewired_is_uniform():
    """Every other node is as likely, seen from the target; and every set of sources is."""
    n, k = 50, 6
    steps = np.concatenate([(s - t) % n for s, t, _ in (edges(n, k, 1.0, seed=seed) for seed in range(60))])
    assert stats.chisquare(np.bincount(steps, minlength=n)[1:]).pvalue > 1e-4
    sets = [tuple(sorted((row - t) % 7)) for seed in range(600) for t, row in enumerate(edges(7, 4, 1.0, seed=seed)[0].reshape(7, 4))]
    _, counts = np.unique(sets, axis=0, return_counts=True)
    assert len(counts) == 15 and stats.chisquare(counts).pvalue > 1e-4


def test_rewired_edges_reach_the_other_nodes_uniformly():
    """One slot rewired of a small ring: its source is one of the n - k nodes that are no other neighbour, each as likely."""
    n, k, found = 12, 4, []
    for seed in range(800):
        rows = edges(n, k, 0.1, seed=seed)[0].reshape(n, k)
        moved = rows != ring(n, k)
        found += [int((rows[t][m][0] - t) % n) for t, m in enumerate(moved) if m.sum() == 1]
    far = np.bincount(found, minlength=n)[3:10]  # neither the target nor its neighbours
    assert far.sum() > 2000 and stats.chisquare(far).pvalue > 1e-4


@pytest.mark.parametrize("p", [0.0, 0.01, 0.1, 0.3, 1.0])
def test_clustering_falls_as_one_minus_p_cubed(p):
    """All three edges of a triangle of neighbours must stay; other triangles are chance, of order k / n."""
    n, k = 1000, 10
    found = clustering(matrix(*edges(n, k, p, seed=5)[:2], n))
    exact = 3 * (k - 2) / (4 * (k - 1))
    assert found == pytest.approx(exact * (1 - p) ** 3, rel=0.04, abs=2 * k / n if p else 1e-12)


@pytest.mark.parametrize("p", [0.01, 0.1, 1.0])
def test_clustering_and_paths_are_those_of_their_procedure(p):
    """Means over networks of the rule and of the loop."""
    n, k = 1000, 10
    ours = [matrix(*edges(n, k, p, seed=seed)[:2], n) for seed in range(20)]
    loop = [watts_strogatz(n, k, p, seed) for seed in range(20)]
    for measure in (clustering, path_length):
        found, expected = (np.array([measure(a) for a in networks]) for networks in (ours, loop))
        assert stats.ttest_ind(found, expected, equal_var=False).pvalue > 1e-3, measure.__name__
        assert found.mean() == pytest.approx(expected.mean(), rel=0.1)


def test_paths_along_the_ring():
    n, k = 1000, 10
    distance = np.minimum(np.arange(1, n), n - np.arange(1, n))
    assert path_length(matrix(*edges(n, k, 0.0)[:2], n)) == pytest.approx(np.ceil(distance / (k / 2)).mean(), rel=1e-12)


def test_a_small_world_is_clustered_and_short():
    """Their figure 2: few rewired edges shorten paths long before they undo clusters."""
    n, k = 1000, 10
    a, b = (matrix(*edges(n, k, p)[:2], n) for p in (0.0, 0.01))
    assert path_length(b) < 0.5 * path_length(a) and clustering(b) > 0.95 * clustering(a)


def test_sets_of_other_nodes_are_rings_as_well():
    source, target, _ = edges(30, 4, 0.3, n_other=30)
    one, two, _ = edges(30, 4, 0.3)
    assert source.tolist() == one.tolist() and target.tolist() == two.tolist()


def on(comm=None, threads=1, **settings):
    net = npl.Network(seed=4, threads=threads, ranks=comm, **settings)
    n = net.create("iaf_psc_exp", 90, I_e=npl.uniform(300.0, 500.0))
    net.connect(n, n, npl.small_world(12, 0.25), weight=npl.normal(20.0, 5.0), delay=npl.uniform(0.5, 3.0))
    net.connect(n[:40], n[:40], npl.small_world(6, 0.5), weight=npl.uniform(5.0, 60.0), delay=1.5, synapse=npl.stdp())
    record = net.record(n)
    net.run(50.0, progress=False)
    c = net.connections()
    assert len(record) > 50
    rows = np.c_[c.source, c.target, c.weight, c.delay]
    return sorted(map(tuple, rows.tolist())), record.steps.tolist(), record.gids.tolist()


def test_the_same_on_any_threads_ranks_and_distribution():
    alone = on()
    assert on(threads=3) == alone
    for ranks, distribution in ((2, "round_robin"), (3, "consecutive"), (5, "shuffled")):
        assert the_same(on_ranks(ranks, lambda comm, way=distribution: on(comm, 2, distribution=way))) == alone


def test_a_checkpoint_draws_it_again(tmp_path):
    net = npl.Network(seed=4)
    n = net.create("iaf_psc_exp", 90)
    net.connect(n, n, npl.small_world(12, 0.25), weight=npl.normal(20.0, 5.0), delay=1.0)
    net.run(1.0, progress=False)
    net.save(tmp_path / "net.npc")
    with np.load(tmp_path / "net.npc") as columns:
        assert columns["common/drawn_again"].all()
    found, again = net.connections(), npl.load(tmp_path / "net.npc").connections()
    for name in ("source", "target", "weight", "delay"):
        assert sorted(getattr(found, name).tolist()) == sorted(getattr(again, name).tolist())
    assert set(zip(found.source, found.target, found.weight, strict=True)) == set(
        zip(again.source, again.target, again.weight, strict=True)
    )


@pytest.mark.parametrize("p", [0.0, 0.3])
def test_plans_and_dry_runs_know_it(p):
    def described(**settings):
        net = npl.Network(seed=4, threads=1, **settings)
        n = net.create("iaf_psc_exp", 600)
        net.connect(n, n, npl.small_world(20, p), weight=npl.normal(20.0, 5.0), delay=npl.uniform(0.5, 3.0))
        return net

    def built(comm):
        net = described(ranks=comm)
        planned = net.plan().bytes["synapses"]
        net.build()
        return net._kernel.table_hashes(), planned, net.memory["synapses"]

    assert described().plan().synapses == 12_000
    for rank, (hashes, planned, held) in enumerate(on_ranks(3, built)):
        assert planned == pytest.approx(held, rel=0.1)
        net = described(dry_run=npl.dry_run(3, rank))
        net.build()
        assert net._kernel.table_hashes() == hashes


@pytest.mark.parametrize(
    ("given", "error", "part"),
    [
        ({"k": 3, "p": 0.1}, npl.errors.BadParameter, "k = 3: must be an even number"),
        ({"k": 20, "p": 0.1}, npl.errors.BadParameter, "k = 20: must be a whole number from 0 to 19, fewer than the nodes of the ring"),
        ({"k": -2, "p": 0.1}, npl.errors.BadParameter, "k = -2"),
        ({"k": 2.5, "p": 0.1}, npl.errors.BadType, "k"),
        ({"k": 4, "p": 1.01}, npl.errors.BadParameter, "p = 1.01"),
        ({"k": 4, "p": -0.01}, npl.errors.BadParameter, "p = -0.01"),
        ({"k": 4, "p": float("nan")}, npl.NeuropilError, "p"),
        ({"k": 4, "q": 0.1}, npl.errors.UnknownArgument, "'q'"),
        ({"k": 4}, TypeError, "'p'"),
    ],
)
def test_what_cannot_be_is_refused_by_name(given, error, part):
    net = npl.Network()
    n = net.create("iaf_psc_exp", 20)
    with pytest.raises(error, match=part):
        net.connect(n, n, npl.small_world(**given), weight=1.0, delay=1.0)
    assert net.n_connections == 0


def test_sets_must_fit():
    net = npl.Network()
    n = net.create("iaf_psc_exp", 20)
    with pytest.raises(npl.errors.BadLength, match="post"):
        net.connect(n, n[:10], npl.small_world(4, 0.1), weight=1.0, delay=1.0)
    with pytest.raises(npl.errors.BadParameter, match="post = nodes of pre at other positions"):
        net.connect(n[:10], n[5:15], npl.small_world(4, 0.1), weight=1.0, delay=1.0)
    with pytest.raises(npl.errors.BadParameter, match=r"p = 1\.5"):
        net.connect(n, n, npl.classes.Rule("small_world", {"k": 4, "p": 1.5}), weight=1.0, delay=1.0)
    with pytest.raises(npl.errors.BadLength, match=r"\(20, 4\)"):
        net.connect(n, n, npl.small_world(4, 0.1), weight=np.ones((4, 20)), delay=1.0)
    assert net.n_connections == 0


def test_it_is_listed():
    assert "Watts & Strogatz" in npl.rules()["small_world"].doc
    assert npl.small_world.__doc__ and "shape (n_post, k)" in npl.small_world.__doc__
    net = npl.Network()
    n = net.create("iaf_psc_exp", 20)
    with pytest.raises(npl.errors.BadParameter, match=r"neuropil.small_world\(k, p\)"):
        net.connect(n, n, "small_world", weight=1.0, delay=1.0)
