# SPDX-License-Identifier: Apache-2.0
"""Projections that connect the same nodes, and those of devices: each has an identity of its own, whatever else is connected."""

import numpy as np
import pytest

import neuropil as npl
from thread_ranks import on_ranks, the_same


@pytest.fixture
def cells(net):
    return net.create("iaf_psc_exp", 20, name="E"), net.create("iaf_psc_exp", 5, name="I")


def overlapping(net, exc, **how):
    """Three projections between the same nodes."""
    return [
        net.connect(exc, exc, npl.fixed_indegree(4), weight=1.0, **how),
        net.connect(exc, exc, npl.fixed_indegree(3), weight=npl.uniform(2.0, 3.0), delay=2.0, **how),
        net.connect(exc[:10], exc, weight=4.0, **how),
    ]


def sizes(projections):
    return [len(p) for p in projections]


# --- each has its own


def test_without_labels_each_reads_its_own(net, cells):
    p, q, r = made = overlapping(net, cells[0])
    assert sizes(made) == [80, 60, 200] and set(p.weight) == {1.0} and set(q.delay) == {2.0} and set(r.weight) == {4.0}
    assert q.weight.min() >= 2.0 and q.weight.max() <= 3.0
    assert len(net.connections()) == 340


def test_each_sets_and_removes_its_own(net, cells):
    p, q, r = made = overlapping(net, cells[0])
    q.weight = 9.0
    r.weight[r.connections().source == 3] = 5.0
    p.set(weight=1.5, delay=3.0)
    assert (set(p.weight), set(q.weight), sorted(set(r.weight))) == ({1.5}, {9.0}, [4.0, 5.0])
    assert set(p.delay) == {3.0} and set(r.delay) == {1.0}
    q.disconnect(q.connections().target <= 10)
    assert sizes(made) == [80, 30, 200]
    p.disconnect()
    assert sizes(made) == [0, 30, 200] and len(net.connections()) == 230


@pytest.mark.parametrize("synapse", ["stdp_synapse", "tsodyks_synapse", "static_synapse"])
def test_after_a_run_they_are_still_told_apart(net, cells, synapse):
    made = overlapping(net, cells[0], synapse=synapse)
    net.stimulate(cells[0], npl.poisson(rate=9000.0), weight=60.0)
    net.run(30.0)
    late = net.connect(cells[0], cells[0], npl.one_to_one(), weight=7.0, synapse=synapse)
    assert sizes([*made, late]) == [80, 60, 200, 20] and set(late.weight) == {7.0}
    made[1].set(weight=2.5, delay=1.5)
    net.run(10.0)
    assert sizes([*made, late]) == [80, 60, 200, 20] and set(made[1].delay) == {1.5} and set(made[2].delay) == {1.0}


def test_parameters_move_synapses_to_other_tables_of_their_projection(net, cells):
    made = overlapping(net, cells[0], synapse=npl.stdp(Wmax=100.0))
    made[1]["tau_plus"] = 33.0
    made[1]["tau_plus"][::2] = 44.0
    assert set(made[0]["tau_plus"]) == set(made[2]["tau_plus"]) == {20.0} and sorted(set(made[1]["tau_plus"])) == [33.0, 44.0]
    made[0]["tau_plus"] = 33.0  # as some of the other projection
    assert sizes(made) == [80, 60, 200] and set(made[0].weight) == {1.0}


def test_labels_are_names(net, cells):
    exc, _ = cells
    plain = net.connect(exc, exc, npl.one_to_one(), weight=1.0)
    named = net.connect(exc, exc, npl.one_to_one(), weight=2.0, name="twice")
    third = net.connect(exc[:3], exc, weight=3.0)
    assert [set(p.weight) for p in (plain, named, third)] == [{1.0}, {2.0}, {3.0}] and net.projections["twice"] is named


def test_recorded_synapses_are_those_of_the_projection(net, cells):
    made = overlapping(net, cells[0])
    trace = net.record(made[1], "weight", interval=1.0)
    net.run(3.0)
    assert trace["weight"].shape == (4 if 0.0 in trace.times else 3, 60) or trace["weight"].shape[1] == 60
    assert np.array_equal(np.sort(trace["weight"][-1]), np.sort(made[1].weight))


def test_tripartite_projections_that_overlap(net, cells):
    exc, _ = cells
    glia = net.create("astrocyte_lr_1994", 6)
    for weight in (1.0, 2.0):
        parts = {"third_in": {"synapse": "tsodyks_synapse", "weight": weight}, "third_out": {"synapse": "sic_connection", "weight": weight}}
        targets = net.create("aeif_cond_alpha_astro", 8)
        first = net.connect_tripartite(exc, targets, glia, npl.pairwise_bernoulli(0.5), primary={"weight": weight}, **parts)
        again = net.connect_tripartite(exc, targets, glia, npl.pairwise_bernoulli(0.5), primary={"weight": weight + 10}, **parts)
        assert set(first[0].weight) == {weight} and set(again[0].weight) == {weight + 10}
        assert len(first[1]) == len(first[0]) and len(again[2]) == len(again[0])


def test_growth_keeps_projections_apart(net):
    cells = net.create("iaf_psc_exp", 30, synaptic_elements={
        name: npl.synaptic_elements("linear", growth_rate=0.05, eps=0.5, z=6.0) for name in ("axon", "spine")
    })  # fmt: skip
    growth = net.grow("axon", "spine", weight=3.0)
    plain = net.connect(cells, cells, npl.fixed_indegree(2), weight=1.0)
    again = net.connect(cells, cells, npl.fixed_indegree(3), weight=2.0)
    one = net.connect(cells[:15], cells, npl.fixed_indegree(1), weight=3.0, growth=growth)
    two = net.connect(cells, cells[:10], npl.fixed_indegree(1), weight=3.5, growth=growth)
    assert sizes((plain, again, one, two)) == [60, 90, 30, 10]
    net.growth_interval = 10.0
    net.run(40.0)
    assert sizes((plain, again)) == [60, 90] and set(again.weight) == {2.0}
    assert set(two.weight) <= {3.5} and len(growth) > 0


def test_connections_are_followed_within_their_projection(net, cells):
    p = net.connect(cells[0], cells[0], npl.one_to_one(), weight=1.0)
    q = net.connect(cells[0], cells[0], npl.one_to_one(), weight=2.0)
    before = net.connections()
    weights = before.weight.copy()
    p.disconnect()
    now = net.connections()
    at = before.positions_in(now)
    assert np.array_equal(at >= 0, weights == 2.0) and set(now.weight[at[at >= 0]]) == {2.0} and len(q) == 20


def test_copies_and_stored_states_keep_them(net, cells):
    made = overlapping(net, cells[0])
    net.store()
    for other in (net.copy(), net.copy()):
        assert [sorted(p.weight.tolist()) for p in other.projections] == [sorted(p.weight.tolist()) for p in made]
        other.projections[1].weight = 8.0
        assert set(other.projections[1].weight) == {8.0} and set(other.projections[0].weight) == {1.0}
    made[1].disconnect()
    net.connect(cells[0], cells[0], weight=0.5)
    net.restore()
    assert sizes(net.projections) == [80, 60, 200]
    net.run(1.0)
    net.reset()
    assert sizes(net.projections) == [80, 60, 200]
    assert len(net.connect(cells[0], cells[0])) == 400


def test_a_refused_call_leaves_no_trace(net, cells):
    exc, _ = cells
    p = net.connect(exc, exc, weight=1.0)
    for bad in ({"delay": -1.0}, {"weight": 1e300}, {"synapse": npl.stdp(Wmax=1.0), "weight": 2.0}):
        with pytest.raises(npl.NeuropilError):
            net.connect(exc, exc, **bad)
    q = net.connect(exc, exc, weight=2.0)
    assert set(p.weight) == {1.0} and set(q.weight) == {2.0} and len(net.projections) == 2


def test_more_overlapping_calls_than_there_are_layers_are_refused_by_name(net):
    a, b = net.create("iaf_psc_exp", 2), net.create("iaf_psc_exp", 2)
    made = [net.connect(a, b, weight=float(k)) for k in range(258)]
    assert set(made[255].weight) == {255.0} and set(made[1].weight) == {1.0}
    for k in (0, 256, 257):
        with pytest.raises(npl.errors.IllegalConnection, match="cannot be told from projections"):
            len(made[k])
    apart = net.connect(b, a, weight=3.0)
    assert set(apart.weight) == {3.0}


def test_lists_of_edges_have_fewer_layers(net, cells):
    """A list in many parts must not make as many short rows."""
    made = [net.connect_gids([1, 2, 3], [4, 5, 6 + k % 5], weight=1.0 + k) for k in range(18)]
    assert set(made[15].weight) == {16.0} and set(made[3].weight) == {4.0}
    for k in (0, 16):
        with pytest.raises(npl.errors.IllegalConnection, match="cannot be told from projections"):
            len(made[k])
    assert len(net.connections()) == 54
    columns = net.connections()._columns
    assert len(set(columns["layer"].tolist())) == 16


def test_pairs_of_a_ring_share_a_layer(net, cells):
    exc, _ = cells
    made = [net.connect(exc[: 20 - k], exc[k:], "one_to_one", weight=1.0 + k) for k in range(1, 20)]
    for k, p in enumerate(made, 1):
        c = p.connections()
        assert (c.target - c.source).tolist() == [k] * (20 - k) and set(p.weight) == {1.0 + k}
    made[4].weight = 0.5
    made[5].disconnect()
    assert set(made[3].weight) == {5.0} and set(made[4].weight) == {0.5} and len(made[5]) == 0 and len(made[6]) == 13
    assert set(net.connections()._columns["layer"].tolist()) == {0}


def test_disjoint_calls_share_a_table(net, cells):
    """What does not overlap costs nothing: not even calls for single pairs, or for every other node."""
    exc, inh = cells
    for k in range(19):
        net.connect(exc[k], exc[k + 1], weight=1.0 + k, delay=1.0)
    net.connect(exc[::2], inh, weight=2.0), net.connect(exc[1::2], inh, weight=2.0)
    net.build(progress=False)
    columns = net.connections()._columns
    assert len(set(columns["table"][columns["slice"] == 0].tolist())) <= 17 + 1
    assert [set(p.weight) for p in net.projections[:19]] == [{1.0 + k} for k in range(19)]


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_on_several_ranks(ranks):
    def program(comm):
        net = npl.Network(seed=4, threads=2, ranks=comm)
        made = overlapping(net, net.create("iaf_psc_exp", 20), synapse=npl.stdp(Wmax=100.0))
        net.stimulate(net.nodes("iaf_psc_exp"), npl.poisson(rate=9000.0), weight=60.0)
        net.run(20.0)
        made[0].set(weight=7.0, delay=1.5)
        made[1].disconnect(made[1].connections().source % 2 == 0)
        net.run(20.0)
        found = []
        for p in made:
            c = p.connections()
            found += [c.source.tolist(), c.target.tolist(), p.weight.tolist(), p.delay.tolist()]
        return found, net.projections[3].weight.tolist()

    assert the_same(on_ranks(ranks, program)) == the_same(on_ranks(1, program))


# --- drives


def test_drives_are_projections(net, cells):
    exc, inh = cells
    drive = net.stimulate(exc, npl.poisson(rate=8000.0), weight=npl.uniform(1.0, 2.0), delay=1.5)
    assert net.projections[-1] is drive and drive.pre.model == "poisson_generator" and drive.post == exc
    assert "poisson_generator" in str(net.summary())
    assert len(drive) == 20 and drive.weight.min() >= 1.0 and len(set(drive.weight)) == 20 and set(drive.delay) == {1.5}
    two = net.connect(net.create("dc_generator", 2, amplitude=[1.0, 2.0]), inh, weight=np.arange(10.0), delay=1.0)
    assert two.weight.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 1.0, 3.0, 5.0, 7.0, 9.0], "by source, then target"
    pairs = net.connect(net.create("poisson_generator", 5, rate=1.0), inh, npl.one_to_one(), weight=np.arange(5.0))
    assert pairs.weight.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0] and len(pairs) == 5


def test_values_of_drives_are_set(net, cells):
    exc, inh = cells
    net.stimulate(exc, npl.poisson(rate=8000.0), weight=2.0, delay=1.5)
    drive = net.projections[0]
    drive.weight = 3.0
    drive.weight[4] = 5.0
    assert drive.weight[3:6].tolist() == [3.0, 5.0, 3.0] and set(drive.delay) == {1.5}
    drive.set(weight=npl.uniform(1.0, 2.0), delay=2.0)
    assert len(set(drive.weight)) == 20 and set(drive.delay) == {2.0}
    two = net.connect(net.create("dc_generator", 2, amplitude=1.0), inh, weight=1.0)
    two.weight[two.weight == 1.0] = np.arange(10.0)
    assert two.weight.tolist() == np.arange(10.0).tolist()
    before = drive.weight.copy()
    for bad, error in (
        ({"weight": np.nan}, npl.errors.BadParameter),
        ({"delay": 0.0}, npl.errors.BadDelay),
        ({"weight": [1.0, 2.0]}, npl.errors.BadLength),
        ({"weight": 2.0, "U": 1.0}, npl.errors.IllegalConnection),
    ):
        with pytest.raises(error):
            drive.set(**bad)
    assert np.array_equal(drive.weight, before)
    for call in (drive.connections, drive.disconnect, drive.distances, lambda: drive["U"]):
        with pytest.raises(
            npl.errors.IllegalConnection, match=r"poisson_generator .*: .* p.weight = 0.0 \(or p.weight\[mask\] = 0.0\) silences"
        ):
            call()


@pytest.mark.parametrize("drive", [npl.poisson(rate=9000.0), npl.dc(amplitude=800.0)], ids=lambda drive: drive.name)
def test_a_drive_of_weight_0_is_silent(drive):
    """What errors of `disconnect` say to do instead."""
    net = npl.Network(seed=3)
    cells = net.create("iaf_psc_exp", 12)
    driven = net.stimulate(cells, drive, weight=50.0 if drive.name == "poisson_generator" else 1.0)
    record = net.record(cells)
    net.run(40.0)
    assert np.array_equal(np.unique(record.gids), cells.gids)
    driven.weight[driven.target > 6] = 0.0
    assert set(driven.source) == set(driven.pre.gids)
    net.run(40.0)  # what is on its way, and what has charged the membranes, goes by
    record.clear()
    net.run(40.0)
    assert np.unique(record.gids).tolist() == cells[:6].gids.tolist()
    driven.weight = 0.0
    net.run(40.0)
    record.clear()
    net.run(40.0)
    assert len(record) == 0


def test_what_was_set_of_a_drive_acts():
    """As a network that had these weights from the beginning."""

    def spikes(edit, ranks=None):
        net = npl.Network(seed=3, threads=2, ranks=ranks)
        cells = net.create("iaf_psc_exp", 12)
        net.stimulate(cells, npl.poisson(rate=9000.0), weight=1.0 if edit else 50.0, delay=1.0)
        if edit:
            net.projections[0].weight[:] = 50.0
        record = net.record(cells)
        net.run(40.0)
        return record.times.tolist(), record.gids.tolist()

    expected = spikes(False)
    assert len(expected[0]) > 20 and spikes(True) == expected
    assert the_same(on_ranks(2, lambda comm: spikes(True, comm))) == expected


def test_drives_by_other_rules_have_several_calls_of_the_kernel(net, cells):
    exc, _ = cells
    p = net.connect(net.create("poisson_generator", 3, rate=10.0), exc, npl.fixed_indegree(2), weight=npl.uniform(1.0, 2.0))
    assert len(p) == 40
    p.weight = 6.0
    assert set(p.weight) == {6.0}
    mixed = net.connect(exc[:2] + net.create("poisson_generator", 1), exc, weight=2.0)
    with pytest.raises(npl.errors.IllegalConnection, match="poisson_generator"):
        len(mixed)


def test_drives_in_checkpoints(net, cells, tmp_path):
    net.stimulate(cells[0], npl.poisson(rate=8000.0), weight=npl.uniform(1.0, 2.0))
    overlapping(net, cells[0])
    net.run(5.0)
    net.save(tmp_path / "net.npc")
    other = npl.load(tmp_path / "net.npc", threads=1)
    assert np.array_equal(other.projections[0].weight, net.projections[0].weight)
    other.projections[0].weight = 4.0
    assert set(other.projections[0].weight) == {4.0} and sizes(other.projections[1:]) == [80, 60, 200]


# --- checkpoints of versions without identities


def forgotten(net):
    """The projections of a network as a checkpoint of a former version has them."""
    for p in net.projections:
        object.__setattr__(p, "_given", p._given._replace(number=-1))


def test_projections_without_identity_are_found_as_before(net, cells):
    exc, inh = cells
    p, q = net.connect(exc, exc, npl.fixed_indegree(4), weight=1.0), net.connect(exc, inh, weight=2.0, name="named")
    forgotten(net)
    assert set(p.weight) == {1.0} and set(q.weight) == {2.0}
    third = net.connect(exc[:3], exc, weight=3.0)
    assert set(third.weight) == {3.0} and set(p.weight) == {1.0}
    fourth = net.connect(exc[:2], exc, weight=3.0)
    forgotten(net)
    for each in (p, fourth):
        with pytest.raises(npl.errors.IllegalConnection, match="cannot be told from"):
            len(each)


def test_a_label_of_connections_that_take_elements_is_not_the_name_of_the_growth():
    net = npl.Network(threads=1)
    cells = net.create("iaf_psc_exp", 3)
    growth = net.grow("axon", "spine", weight=1.0)
    made = net.connect(cells, cells, weight=1.0, growth=growth, name="own")
    assert [*net.growths] == [growth.name] == ["axon to spine"]
    assert (len(net.projections["own"]), len(made), len(net.growths["axon to spine"])) == (9, 9, 9)
    assert [*net.copy().growths] == [*net.copy().growths] == ["axon to spine"]
