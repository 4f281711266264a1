# SPDX-License-Identifier: Apache-2.0
"""Rules as seen through connections(): exact degrees, orders of arrays, what is forbidden does not happen."""

import numpy as np
import pytest

import neuropil as npl


@pytest.fixture
def two(net):
    return net.create("iaf_psc_exp", 30), net.create("iaf_psc_alpha", 20)


def degrees(connections, nodes, side):
    return np.bincount(getattr(connections, side), minlength=int(nodes.gids.max()) + 1)[nodes.gids]


def pairs(connections):
    return list(zip(connections.source.tolist(), connections.target.tolist(), strict=True))


def test_all_to_all_is_the_default(net, two):
    pre, post = two
    net.connect(pre, post)
    assert pairs(net.connections()) == [(s, t) for s in pre.gids for t in post.gids]


def test_one_to_one_follows_the_order_of_the_nodes(net, two):
    pre, post = two
    net.connect(pre[:20][::-1], post, npl.one_to_one(), weight=np.arange(20.0))
    c = net.connections()
    assert pairs(c) == [(20 - k, 31 + k) for k in reversed(range(20))]
    assert c.weight.tolist() == list(reversed(range(20)))


@pytest.mark.parametrize("multapses", [True, False])
def test_fixed_indegree(net, two, multapses):
    pre, _ = two
    net.connect(pre, pre, npl.fixed_indegree(7, autapses=False, multapses=multapses))
    c = net.connections()
    assert (degrees(c, pre, "target") == 7).all()
    assert (c.source != c.target).all()
    assert (len(set(pairs(c))) == len(c)) is not multapses


@pytest.mark.parametrize("multapses", [True, False])
def test_fixed_outdegree(net, two, multapses):
    pre, post = two
    net.connect(pre, post, npl.fixed_outdegree(9, multapses=multapses))
    c = net.connections()
    assert (degrees(c, pre, "source") == 9).all()
    assert (len(set(pairs(c))) == len(c)) is not multapses


def test_fixed_total_number(net, two):
    pre, post = two
    net.connect(pre, post, npl.fixed_total_number(321))
    assert len(net.connections()) == net.n_connections == 321


def test_pairwise_bernoulli(net, two):
    pre, post = two
    net.connect(pre, post, npl.pairwise_bernoulli(1.0))
    assert len(net.connections()) == 600
    net.connect(pre, post, npl.pairwise_bernoulli(0.0))
    assert len(net.connections()) == 600
    net.connect(pre, post, npl.pairwise_bernoulli(0.3))
    c = net.connections()
    assert len(set(pairs(c))) == 600, "no pair twice within a call"
    assert 600 + 120 < len(c) < 600 + 240


def test_rules_and_synapses_by_name(net, two):
    pre, post = two
    net.connect(pre[:20], post, "one_to_one", synapse="stdp_synapse")
    assert net.connections(synapse="stdp_synapse").synapse.tolist() == ["stdp_synapse"] * 20
    assert len(net.connections(synapse=npl.static())) == 0


def test_matrices_of_weights_are_post_by_pre(net, two):
    pre, post = two
    matrix = np.arange(600.0).reshape(20, 30)
    net.connect(pre, post, npl.all_to_all(), weight=matrix, delay=0.1 * (1 + matrix % 7))
    c = net.connections()
    row, column = c.target - 31, c.source - 1
    assert np.array_equal(c.weight, matrix[row, column])
    assert np.allclose(c.delay, 0.1 * (1 + matrix[row, column] % 7), atol=1e-12)


def test_arrays_of_fixed_degrees_belong_to_their_node(net, two):
    pre, post = two
    into = np.arange(20.0 * 3).reshape(20, 3)
    net.connect(pre, post, npl.fixed_indegree(3), weight=into)
    c = net.connections()
    for k, gid in enumerate(post.gids):
        assert sorted(c.weight[c.target == gid]) == into[k].tolist()
    other = npl.Network(seed=1, threads=2)
    pre, post = other.create("iaf_psc_exp", 30), other.create("iaf_psc_exp", 20)
    outof = np.arange(30.0 * 4).reshape(30, 4)
    other.connect(pre, post, npl.fixed_outdegree(4), weight=outof)
    c = other.connections()
    for k, gid in enumerate(pre.gids):
        assert sorted(c.weight[c.source == gid]) == outof[k].tolist()


def test_explicit_arrays(net, two):
    rng = np.random.default_rng(1)
    sources, targets = rng.integers(1, 51, 200), rng.integers(1, 31, 200)
    weights, delays = rng.normal(size=200), 0.1 * rng.integers(1, 50, 200)
    net.connect_gids(sources, targets, weight=weights, delay=delays)
    c = net.connections()
    wanted = sorted(zip(sources.tolist(), targets.tolist(), weights.tolist(), delays.round(6).tolist(), strict=True))
    assert sorted(zip(c.source.tolist(), c.target.tolist(), c.weight.tolist(), c.delay.round(6).tolist(), strict=True)) == wanted


def test_explicit_arrays_take_nodes_and_scalars(net, two):
    pre, post = two
    net.connect_gids(pre[:3], post[:3], weight=2.0)
    assert pairs(net.connections()) == [(1, 31), (2, 32), (3, 33)]
    net.connect_gids([5], [5])
    assert (5, 5) in pairs(net.connections())


def test_one_seed_one_network():
    def build(seed, threads):
        net = npl.Network(seed=seed, threads=threads)
        a = net.create("iaf_psc_exp", 100)
        net.connect(a, a, npl.fixed_indegree(10), weight=npl.uniform(1.0, 2.0), delay=npl.uniform(0.5, 5.0))
        c = net.connections()
        return np.stack([c.source, c.target, c.weight, c.delay])

    assert np.array_equal(build(3, 1), build(3, 2))
    assert not np.array_equal(build(3, 1), build(4, 1))


def test_arrays_of_delays_are_rounded_to_steps_one_number_is_not(net, two):
    pre, _ = two
    net.connect(pre[0], pre[1], delay=[0.17])
    with pytest.raises(npl.errors.BadDelay, match=r"delay = 0\.14: must be a positive multiple of the resolution"):
        net.connect(pre[0], pre[1], delay=0.14)
    net.connect(pre[0], pre[2], delay=2.0)
    assert net.connections().delay.tolist() == [0.2, 2.0]
    assert (net.min_delay, net.max_delay) == (0.2, 2.0)


# --- what connections() gives


@pytest.fixture
def connected(net, two):
    pre, post = two
    net.connect(pre, post, npl.fixed_indegree(5), weight=npl.uniform(1.0, 2.0))
    net.connect(pre, pre, npl.fixed_indegree(2), weight=3.0, synapse=npl.stdp(Wmax=10.0))
    return net


def test_order_is_canonical(connected):
    c = connected.connections()
    assert len(c) == 160
    assert pairs(c) == sorted(pairs(c))


def test_queries(connected, two):
    pre, post = two
    everything = connected.connections()
    some = connected.connections(source=pre[3:9:2], target=post[[0, 7]])
    keep = np.isin(everything.source, pre[3:9:2].gids) & np.isin(everything.target, post[[0, 7]].gids)
    assert pairs(some) == pairs(everything[keep])
    assert len(connected.connections(synapse="stdp_synapse")) == 60
    assert len(connected.connections(source=post)) == 0


def test_some_connections(connected):
    c = connected.connections()
    assert pairs(c[10:20]) == pairs(c)[10:20]
    assert pairs(c[-1]) == pairs(c)[-1:]
    assert pairs(c[[5, 2]]) == [pairs(c)[5], pairs(c)[2]]
    assert c[c.weight > 2.5].weight.tolist() == [3.0] * 60
    with pytest.raises(npl.errors.OutOfRange):
        c[160]
    with pytest.raises(npl.errors.OutOfRange):
        c[[0, 500]]


def test_weights_can_be_set_and_read_back(connected):
    c = connected.connections()
    before = c.weight
    half = c[::2]
    half.weight = np.linspace(5.0, 6.0, 80)
    assert np.allclose(connected.connections().weight[::2], np.linspace(5.0, 6.0, 80), rtol=1e-6)
    assert np.array_equal(c.weight[1::2], before[1::2]), "the others stay"
    c.weight = 4.0
    assert set(connected.connections().weight) == {4.0}
    c.weight = npl.uniform(1.0, 2.0)
    assert 1.0 <= c.weight.min() < c.weight.max() <= 2.0


def test_refused_weights_change_nothing(connected):
    c = connected.connections()
    before = c.weight
    for bad, error in (
        (np.nan, npl.errors.BadParameter),
        ([1.0, 2.0], npl.errors.BadLength),
        (-1.0, npl.errors.BadParameter),
        ("a", npl.errors.BadType),
    ):
        with pytest.raises(error):
            c.weight = bad
    with pytest.raises(npl.errors.ReadOnly):
        c.source = 1
    assert np.array_equal(c.weight, before)


def test_connections_made_later_make_a_query_stale(connected, two):
    c = connected.connections()
    connected.connect(two[0], two[1])
    with pytest.raises(npl.errors.Stale):
        c.weight = 1.0
    with pytest.raises(npl.errors.Stale):
        _ = c.weight
    assert len(c.source) == 160, "what does not change can still be read"


def test_to_pandas_and_repr(connected):
    c = connected.connections()
    table = c.to_pandas()
    assert list(table.columns) == ["source", "target", "weight", "delay_ms", "synapse"]
    assert np.array_equal(table.weight, c.weight)
    assert repr(c) == "Connections(100 static_synapse, 60 stdp_synapse)"
    assert repr(c[:0]) == "Connections(none)"


def test_plan_counts_what_is_not_built(net, two):
    pre, post = two
    net.connect(pre, post, npl.fixed_indegree(100), weight=npl.normal(1.0, 0.1))
    plan = net.plan()
    assert plan.synapses == 2000
    assert 0 < plan.needed < plan.available
    assert plan.fits
    assert "2000 synapses" in repr(plan)
    assert net.memory["synapses"] == 0, "nothing was allocated"
    net.build()
    assert net.plan().synapses == 0
    assert net.memory["synapses"] > 0


def test_every_second_node_may_enclose_a_device():
    """A union of nodes on both sides of a device is a range with a stride over it; the device is not in it."""
    net = npl.Network(seed=1)
    a = net.create("iaf_psc_exp")
    net.create("poisson_generator")
    b = net.create("iaf_psc_exp")
    net.connect(a + b, a + b, weight=3.0)
    spikes = net.record(a + b)
    net.run(1.0)
    assert len(net.connections()) == 4
    assert len(spikes.times) == 0


def test_values_of_devices_need_a_delay():
    """Without one they were those of some earlier step (program 1003349)."""
    net = npl.Network(threads=1)
    device, rates = (
        net.create("step_rate_generator", amplitude_times=[1.0], amplitude_values=[2.0]),
        net.create("lin_rate_opn", 2, sigma=0.0),
    )
    with pytest.raises(npl.errors.IllegalConnection, match="step_rate_generator sends values by connections with a delay only"):
        net.connect(device, rates, synapse="rate_connection_instantaneous", weight=1.0)
    net.connect(device, rates, synapse="rate_connection_delayed", weight=1.0, delay=1.0)
    net.run(2.0)
    assert rates.get("rate").tolist() == pytest.approx([2.0 * -np.expm1(-0.11)] * 2)  # from the step that ends at 1 ms, as in NEST
