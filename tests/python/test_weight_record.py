# SPDX-License-Identifier: Apache-2.0
"""Recorders of weights and the state of synapses, as users see them."""

import numpy as np
import pytest

import neuropil as npl


@pytest.fixture
def recorded(net):
    cells = net.create("iaf_psc_exp", 6, I_e=500.0)
    record = net.record_weights(source=cells[:3])
    net.connect(cells, cells, weight=20.0, delay=1.5, synapse="tsodyks2_synapse", weight_recorder=record)
    spikes = net.record(cells)
    net.run(200.0)
    return net, cells, record, spikes


def test_columns_tell_what_was_sent(recorded):
    _net, cells, record, spikes = recorded
    assert len(record) == len(record.times) > 50
    assert set(record.source.tolist()) == set(cells[:3].gids.tolist())
    assert (record.delay == 1.5).all() and (record.receptor == 1).all()
    first = record.weight[record.times == record.times[0]]
    assert np.allclose(first, 0.5 * 1.0 * 20.0)  # u x of the first spike
    some = (spikes.times <= 198.5) & np.isin(spikes.gids, cells[:3].gids)
    assert len(record) == 6 * some.sum()
    assert list(record.to_pandas().columns) == ["time_ms", "source", "target", "weight", "delay_ms", "receptor"]
    assert repr(record) == f"WeightRecord({len(record)} events)"


def test_events_are_counted_without_reading_them(recorded):
    net, _, record, _ = recorded
    for _ in range(3):
        number = len(record)
        assert number == net._kernel.weight_count(0) == len(record.times)
        net.run(20.0)
        assert len(record) > number
    with pytest.raises(npl.NeuropilError, match="recorder = 1: must be"):
        net._kernel.weight_count(1)


def test_clear_and_go_on(recorded):
    net, _, record, _ = recorded
    record.clear()
    assert len(record) == 0
    net.run(50.0)
    assert len(record) and record.times.min() > 198.5


def test_other_nodes_are_chosen(recorded):
    net, cells, record, _ = recorded
    before = len(record)
    record.choose(source=cells[3:], target=cells[:2])
    assert len(record) == before
    now = net.time
    net.run(50.0)
    later = record.select(now, None)
    assert len(later) and set(later.source.tolist()) <= set(cells[3:].gids.tolist()) and set(later.target.tolist()) == {1, 2}
    record.choose()
    net.run(50.0)
    assert len(set(record.select(now + 50.0, None).source.tolist())) == 6
    with pytest.raises(npl.NeuropilError, match="another network"):
        record.choose(target=npl.Network(threads=1).create("iaf_psc_exp", 1))


def test_weights_outlive_an_edit_and_a_checkpoint_for_other_slices(tmp_path):
    """The edit takes all synapses to another table: the one that noted the weights is empty."""
    net = npl.Network(seed=3, threads=3, block_size=2)
    cells, record = net.create("iaf_psc_exp", 5, I_e=500.0), net.record_weights()
    plastic = net.connect(cells, cells, weight=20.0, delay=1.5, synapse=npl.stdp(), weight_recorder=record)
    net.run(100.0)
    plastic.set(tau_plus=15.0)
    before = record.copy()
    assert len(before) > 20
    net.save(tmp_path / "net.npc", {"record": record})
    for threads in (1, 2):
        after = npl.load(tmp_path / "net.npc", threads=threads).extra["record"]
        for name in ("times", "source", "target", "weight"):
            np.testing.assert_array_equal(getattr(after, name), getattr(before, name))


def test_state_of_connections(recorded):
    net, cells, _, _ = recorded
    net.connect(cells, cells, delay=2.0)
    found = net.connections()
    plastic = found.synapse == "tsodyks2_synapse"
    assert np.isnan(found.state("u")[~plastic]).all() and np.isnan(found.state("Kplus")).all()
    assert ((found.state("x")[plastic] > 0) & (found.state("x")[plastic] < 1)).all()
    with pytest.raises(npl.errors.UnknownName, match=r"'Kpluss'.*'Kplus'"):
        found.state("Kpluss")
    net.disconnect(found[:1])
    with pytest.raises(npl.errors.Stale, match="removed"):
        found.state("x")


def test_refusals(net):
    cells, other = net.create("iaf_psc_exp", 2), npl.Network(threads=1)
    foreign = other.record_weights()
    with pytest.raises(npl.NeuropilError, match="another network"):
        net.connect(cells, cells, weight_recorder=foreign)
    for wrong in ("all", 0, True):
        with pytest.raises(TypeError, match="weight_recorder"):
            net.connect(cells, cells, weight_recorder=wrong)
    noise = net.create("poisson_generator", rate=100.0)
    with pytest.raises(npl.NeuropilError, match="cannot be recorded"):
        net.connect(noise, cells, weight_recorder=net.record_weights())
    assert net.n_connections == 0


@pytest.mark.parametrize("target", ["parrot_neuron_ps", "parrot_neuron"])
def test_times_between_grid_points_are_noted_in_steps(net, target):
    """Emission at the end of the step of the spike, whether a delay between grid points lets it arrive in a whole number of steps or not."""
    sender, cells = net.create("iaf_psc_exp_ps", I_e=900.0), net.create(target, 3)
    record, emitted, arrived = net.record_weights(), net.record(sender), net.record(cells)
    for sub_step in (0.0, 0.05):
        synapse = npl.synapse("cont_delay_synapse", sub_step_delay=sub_step)
        net.connect(sender, cells, weight=2.5, delay=1.5, synapse=synapse, weight_recorder=record, name=f"{sub_step} ms less")
    net.run(100.0)
    steps = np.ceil(emitted.times / 0.1 - 1e-6)
    assert len(record) == len(arrived) == 6 * len(emitted) > 20 and len(set(np.round(emitted.times / 0.1 - steps, 3))) > 2
    assert np.round(record.times / 0.1).tolist() == np.repeat(steps, 6).tolist() and set(record.weight) == {2.5}


def test_memory_is_planned(net):
    cells = net.create("iaf_psc_exp", 50)
    net.connect(cells, cells, synapse="quantal_stp_synapse", weight_recorder=net.record_weights())
    planned = net.plan().bytes
    net.build()
    assert net.memory["synapses"] == pytest.approx(planned["synapses"])
    assert net.memory["index"] == pytest.approx(planned["index"], rel=0.05)
