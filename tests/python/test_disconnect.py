# SPDX-License-Identifier: Apache-2.0
"""Network.disconnect."""

import numpy as np
import pytest

import neuropil as npl


def chain():
    """A generator that makes a parrot spike at 1 ms, which reaches two cells after 5 ms."""
    net = npl.Network()
    generator = net.create("spike_generator", spike_times=[1.0])
    parrot, cells = net.create("parrot_neuron", 1), net.create("iaf_psc_delta", 2)
    net.connect(generator, parrot, npl.all_to_all(), weight=1.0, delay=1.0)
    net.connect(parrot, cells, npl.all_to_all(), weight=3.0, delay=5.0)
    return net, parrot, cells, net.record(cells, "V_m", interval=0.1)


def test_what_is_on_its_way_arrives():
    found = []
    for removed in (0, 1, 2):
        net, parrot, _, trace = chain()
        net.run(4.0)
        net.disconnect(net.connections(source=parrot)[:removed])
        assert net.n_connections == 3 - removed
        net.run(6.0)
        found.append(np.asarray(trace["V_m"]))
    assert found[0].max() > -68.0
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_spikes_sent_later_do_not():
    net, parrot, _, trace = chain()
    net.disconnect(net.connections(source=parrot)[1:])
    net.run(10.0)
    values = np.asarray(trace["V_m"])
    assert values[:, 0].max() > -68.0
    assert values[:, 1].max() == -70.0


def test_it_refuses():
    net, parrot, _, _ = chain()
    found = net.connections(source=parrot)
    with pytest.raises(npl.errors.BadParameter, match="once"):
        net.disconnect(found[[0, 0]])
    with pytest.raises(npl.errors.BadType):
        net.disconnect([0])
    with pytest.raises(npl.errors.ForeignNodes):
        chain()[0].disconnect(found)
    net.disconnect(found[:1])
    with pytest.raises(npl.errors.Stale):
        net.disconnect(found[1:])
    assert len(net.connections(source=parrot)) == 1


def test_connections_are_found_again():
    net = npl.Network(seed=1)
    cells = net.create("iaf_psc_exp", 30)
    net.connect(cells, cells, npl.fixed_indegree(9), weight=npl.uniform(1.0, 2.0), delay=npl.uniform(1.0, 3.0))
    before = net.connections()
    weights, removed = np.asarray(before.weight), np.zeros(len(before), bool)
    removed[::4] = True
    net.disconnect(before[removed])
    net.connect(cells, cells, npl.fixed_indegree(3), weight=7.0, delay=1.5)
    now = net.connections()
    at = before.positions_in(now)
    there = at >= 0
    assert (np.sort(at[there]) == np.unique(at[there])).all()
    assert (now.source[at[there]] == before.source[there]).all()
    assert (now.target[at[there]] == before.target[there]).all()
    kept = there & ~removed
    assert kept[~removed].all()
    assert (np.sort(now.weight[at[kept]]) == np.sort(weights[kept])).all()
    assert (now.positions_in(now) == np.arange(len(now))).all()
    with pytest.raises(npl.errors.BadType):
        before.positions_in(3)


def test_a_projection_is_disconnected_by_the_network(net):
    cells = net.create("iaf_psc_exp", 3)
    kept, gone = net.connect(cells, cells, weight=1.0), net.connect(cells, cells, "one_to_one", weight=2.0)
    net.disconnect(gone)
    assert (len(kept), len(gone)) == (9, 0)
    other = npl.Network()
    with pytest.raises(npl.errors.ForeignNodes, match="this projection belongs to another network"):
        other.disconnect(kept)
    with pytest.raises(npl.errors.BadType, match="a projection or Connections"):
        net.disconnect(cells)
    with pytest.raises(npl.errors.BadType, match=r"net.record\(projection\) samples.*weight_recorder="):
        net.record_weights(kept)
