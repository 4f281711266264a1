# SPDX-License-Identifier: Apache-2.0
"""Projections: what `connect` returns, and values that are set through the arrays they are read as."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neuropil as npl


@pytest.fixture
def cells(net):
    return net.create("iaf_psc_exp", 20, name="E"), net.create("iaf_psc_exp", 5, name="I")


# --- which connections


def test_a_projection_has_the_connections_of_its_call(net, cells):
    exc, inh = cells
    p = net.connect(exc, exc + inh, npl.fixed_indegree(4), weight=2.0, delay=1.5)
    q = net.connect(inh, exc + inh, npl.fixed_indegree(2), weight=-3.0)
    r = net.connect(exc, inh, synapse=npl.stdp(tau_plus=15.0))
    assert (len(p), len(q), len(r)) == (100, 50, 100)
    assert set(p.weight) == {2.0} and set(q.weight) == {-3.0} and set(p.delay) == {1.5}
    assert set(q.source) == set(inh.gids) and set(q.target) == set((exc + inh).gids)
    assert np.array_equal(q.source, q.connections().source) and not q.source.flags.writeable
    assert (p.pre, p.post, p.rule, r.synapse.name) == (exc, exc + inh, npl.fixed_indegree(4), "stdp_synapse")
    assert list(net.projections) == [p, q, r] and bool(p)


def test_a_label_is_given_once(net, cells):
    exc, _ = cells
    named = net.connect(exc, exc, npl.one_to_one(), weight=2.0, name="twice")
    assert net.projections["twice"] is named
    with pytest.raises(npl.errors.BadParameter, match="name = 'twice'"):
        net.connect(exc, exc, name="twice")


def test_a_label_of_a_growth_is_given_once(net, cells):
    net.connect(*cells, name="E to I")
    growth = net.grow("axon", "spine", weight=1.0)
    with pytest.raises(npl.errors.BadParameter, match="in use already"):
        net.connect(*cells, growth=growth, name="E to I")
    net.connect(*cells, growth=growth, name="more")
    assert [*net.growths] == ["axon to spine"] and growth.pre_element == "axon"


def test_projections_of_devices_have_no_list(net, cells):
    p = net.connect(net.create("poisson_generator", rate=10.0), cells[0])
    with pytest.raises(npl.errors.IllegalConnection, match="poisson_generator"):
        p.connections()
    trains = net.connect(net.create("spike_generator", spike_times=[1.0, 2.0]), cells[0], weight=4.0)
    assert set(trains.weight) == {4.0}


@pytest.mark.parametrize("model", ["parrot_neuron", "parrot_neuron_ps", "iaf_psc_exp_multisynapse"])
def test_projections_are_found_by_the_receptor_that_connect_took(net, model):
    """Of parrots receptors 0 and 1, of models with ports from 1. Spikes at receptor 1 of a parrot arrive and are not repeated."""
    parrots, targets = net.create("parrot_neuron", 2), net.create(model, 3)
    net.connect(net.create("spike_generator", spike_times=[1.0]), parrots)
    receptors = (0, 1) if model.startswith("parrot") else (1, 2)
    made = [net.connect(parrots, targets, weight=3.0 + r, delay=1.0 + r, receptor=r, name=f"at {r}") for r in receptors]
    spikes = net.record(targets)
    net.run(10.0)
    for p, receptor in zip(made, receptors, strict=True):
        assert p.connections().receptor.tolist() == [receptor] * 6 and set(p.weight) == {3.0 + receptor}
    if receptors[0] == 0:
        assert sorted(np.ceil(spikes.times).tolist()) == [3.0] * 6


def test_connect_gids_gives_a_projection_too(net, cells):
    p = net.connect_gids([1, 1, 2], [3, 4, 21], weight=[1.0, 2.0, 3.0])
    assert p.connections().source.tolist() == [1, 1, 2] and p.weight.tolist() == [1.0, 2.0, 3.0]
    assert p.pre == net.nodes(gids=[1, 2]) and p.post == net.nodes(gids=[3, 4, 21])


# --- setting


def test_values_are_set_through_the_array(net, cells):
    exc, inh = cells
    p, q = net.connect(exc, exc, weight=1.0, delay=1.0), net.connect(inh, exc, weight=-1.0)
    p.weight[:] = 3.0
    p.weight[[0, 2]] = [5.0, 6.0]
    p.weight *= 2.0
    assert p.weight[:4].tolist() == [10.0, 6.0, 12.0, 6.0] and set(q.weight) == {-1.0}
    p.delay[5] = 2.5
    assert p.delay[5] == 2.5 and np.count_nonzero(p.delay == 1.0) == 399
    p.weight[:2] = npl.uniform(0.5, 0.6)
    assert (p.weight[:2] >= 0.5).all() and (p.weight[:2] <= 0.6).all() and p.weight[3] == 6.0
    cells[0].V_m[3:5] = [-61.0, -62.0]
    assert cells[0].V_m[2:6].tolist() == [-70.0, -61.0, -62.0, -70.0]


def test_parameters_of_synapses_are_read_and_set(net, cells):
    p = net.connect(*cells, synapse=npl.stdp(tau_plus=15.0, Wmax=100.0), weight=1.0)
    assert set(p["tau_plus"]) == {15.0} and set(p["mu_plus"]) == {1.0}
    p["tau_plus"] = 16.0
    p["tau_plus"][4] = 17.0
    assert p["tau_plus"][3:6].tolist() == [16.0, 17.0, 16.0]
    before = p["tau_plus"].copy(), p.weight.copy(), p.delay.copy()
    for bad in (
        {"tau_plus": 3.0, "lambda": -1e400},
        {"weight": 1.0, "tau_plus": -1.0},
        {"weight": 101.0, "delay": 2.0},
        {"weight": 2.0, "taus": 1.0},
    ):
        with pytest.raises((npl.errors.BadParameter, npl.errors.UnknownName)):
            p.set(**bad)
    assert all(np.array_equal(a, b) for a, b in zip(before, (p["tau_plus"], p.weight, p.delay), strict=True)), "all or nothing"
    with pytest.raises(npl.errors.UnknownName, match="tau_plus"):
        p["tau_plu"]


def test_what_was_set_acts(net, cells):
    """A weight and a delay that are set give the spikes of a network that was made so."""

    def spikes(edit):
        net = npl.Network(seed=3, threads=2)
        pre, post = net.create("spike_generator", spike_times=[1.0, 5.0, 9.0]), net.create("iaf_psc_exp", 3)
        p = net.connect(pre, post, weight=10.0 if edit else 2500.0, delay=1.0 if edit else 3.0)
        if edit:
            p.set(weight=2500.0, delay=3.0)
        record = net.record(post)
        net.run(30.0)
        return record.times.tolist()

    assert len(spikes(False)) > 3 and spikes(True) == spikes(False)


def test_disconnect_by_mask(net, cells):
    p, q = net.connect(cells[0], cells[0], weight=npl.uniform(0.0, 1.0)), net.connect(cells[1], cells[0])
    kept = np.sort(p.weight[p.weight <= 0.5])
    p.disconnect(p.weight > 0.5)
    assert np.array_equal(np.sort(p.weight), kept) and len(q) == 100
    for bad, error in ((np.ones(3, bool), npl.errors.BadLength), ([1, 2], npl.errors.BadType)):
        with pytest.raises(error):
            p.disconnect(bad)
    p.disconnect()
    assert len(p) == 0 and len(q) == 100


# --- arrays of values


def test_what_cannot_be_written_through_is_refused(net, cells):
    V = cells[0].V_m
    for write in (lambda: V[2:].__setitem__(0, 1.0), lambda: V.sort(), lambda: np.add(V, 1.0, out=V), lambda: V.fill(0.0)):
        with pytest.raises((npl.errors.ReadOnly, ValueError)):
            write()
    for key, value, error in (
        (20, 1.0, npl.errors.OutOfRange),
        (slice(0, 2), [1.0, 2.0, 3.0], npl.errors.BadLength),
        (0, "x", npl.errors.BadType),
        ([0, 0], npl.normal(), npl.errors.BadType),
    ):
        with pytest.raises(error):
            V[key] = value
    with pytest.raises(npl.errors.ReadOnly):
        net.connect(*cells, synapse="tsodyks_synapse").connections()["u"][0] = 0.1
    c = net.connections()
    for column in (c.source, c.target, c.receptor):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1
    assert set(cells[0].V_m) == {-70.0}


def test_values_are_arrays_otherwise(cells):
    V = cells[0].V_m
    assert type(V + 1) is type(V[1:]) is type(V.copy()) is type(pickle.loads(pickle.dumps(V))) is np.ndarray
    assert V.mean() == -70.0 and np.sort(V)[0] == -70.0 and repr(V) == repr(np.asarray(V))
    plain = V.copy()
    plain[0] = 1.0
    assert cells[0].V_m[0] == -70.0


@given(st.lists(st.integers(-20, 19), max_size=30), st.data())
def test_only_the_elements_that_are_assigned_change(index, data):
    net = npl.Network(threads=1)
    cells = net.create("iaf_psc_exp", 20)
    new = data.draw(st.lists(st.floats(-100, 0), min_size=len(index), max_size=len(index)))
    V = cells.V_m
    cells.V_m = -1.0  # V is old by now: its other elements must not come back
    expected = np.full(20, -1.0)
    expected[index] = new
    V[index] = new
    assert np.array_equal(cells.V_m, expected)


# --- names and tables


def test_names_and_summary(net, cells):
    exc, inh = cells
    net.connect(exc, inh, npl.fixed_indegree(2), weight=npl.normal(3.0, 1.0), name="EI")
    net.connect(exc + inh, inh, weight=np.ones(125))
    assert net["E"] == exc and net.name_of(inh) == "I" and net.populations == [exc, inh]
    lines = str(net.summary()).splitlines()
    assert lines[2].split() == ["name", "model", "nodes", "gids"] and lines[3].split() == ["E", "iaf_psc_exp", "20", "1..20"]
    assert lines[7].split()[:4] == ["EI", "E", "I", "fixed_indegree(indegree=2)"] and "array of 125" in lines[8]
    assert lines[8].split()[:4] == ["E", "+", "I", "I"]  # no label; two populations, then one
    other = net.create("parrot_neuron", 2)
    assert [net.name_of(nodes) for nodes in (inh + exc, exc[:3], exc[3:] + inh, exc + other, other)] == ["I + E", "", "", "", ""]
    html = net.summary()._repr_html_()
    assert "<td>EI</td>" in html and html.count("<table>") == 2 and "<td>E</td>" in net.projections[0]._repr_html_()
    for call in (lambda: net["e"], lambda: net.projections["Ei"]):
        with pytest.raises(npl.errors.UnknownName, match="'E"):
            call()
    with pytest.raises(npl.errors.OutOfRange):
        net.projections[2]
    n = net.n_nodes
    for bad in ("E", 3):
        with pytest.raises((npl.errors.BadParameter, npl.errors.BadType)):
            net.create("iaf_psc_exp", 2, name=bad)
    assert net.n_nodes == n


def test_an_edit_orders_synapses_of_the_same_pair_as_a_checkpoint_does(tmp_path):
    """Another eta has a table of its own, and tables come before positions in the canonical order."""

    def read(p):
        connections = p.connections()
        return np.column_stack((connections.source, connections.target, p.weight, p["eta"]))

    found = []
    for threads, block_size in ((1, 0), (3, 2)):
        net = npl.Network(seed=3, threads=threads, block_size=block_size)
        cells = net.create("iaf_psc_alpha", 4)
        p = net.connect(cells, cells, npl.fixed_total_number(80), weight=npl.uniform(0.2, 0.8), synapse="vogels_sprekeler_synapse")
        held, weights = p.connections(), p.weight.copy()
        p.set(eta=np.tile([0.003, 0.001, 0.002], 27)[:80])
        np.testing.assert_array_equal(held.weight, weights, "those that were queried before stay in their order")
        found.append(read(p))
        net.save(tmp_path / "net.npc")
        found.extend(read(npl.load(tmp_path / "net.npc", threads=n).projections[0]) for n in (1, 2))
    assert len(set(found[0][:, 3])) == 3 and not np.array_equal(found[0][:, 2], weights)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


@pytest.mark.parametrize("only", [3, 7, 8])
def test_a_checkpoint_for_other_slices_keeps_the_order_of_synapses_of_the_same_pair(tmp_path, only):
    """A spike flies to the synapses that had a delay of 2 ms before, so that others are in another row, which some slices do not have."""
    net = npl.Network(seed=3, threads=3, block_size=2)
    relay = net.create("parrot_neuron")
    net.connect(net.create("spike_generator", spike_times=[5.0]), relay, delay=1.0)
    p = net.connect(relay, net.create("iaf_psc_alpha", 6), npl.fixed_total_number(40), weight=npl.uniform(0.2, 0.8), delay=2.0)
    early = (p.connections().target == only) | (np.random.default_rng(0).random(40) < 0.5)
    p.connections()[early].set(delay=1.0)
    net.run(6.5)
    p.connections()[p.delay == 1.0].set(delay=2.0)
    net.save(tmp_path / "net.npc")
    for threads in (1, 2, 3):
        np.testing.assert_array_equal(npl.load(tmp_path / "net.npc", threads=threads).projections[1].weight, p.weight)
