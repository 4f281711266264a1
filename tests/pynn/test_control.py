# SPDX-License-Identifier: Apache-2.0
"""Runs, callbacks and reset: after reset the network is the one of now, at time 0."""

import numpy as np
import pytest


def trains(cells, segment=-1):
    return [train.magnitude.tolist() for train in cells.get_data().segments[segment].spiketrains]


def first(sim):
    cells = sim.Population(3, sim.IF_curr_exp(i_offset=0.9))
    cells.record(["spikes", "v"])
    source = sim.Population(3, sim.SpikeSourceArray(spike_times=[5.0, 20.0]))
    projection = sim.Projection(source, cells, sim.OneToOneConnector(), sim.StaticSynapse(weight=0.4, delay=1.0))
    return cells, source, projection


def later(sim, cells, source, projection):
    cells.set(i_offset=1.1)
    projection.set(weight=0.8)
    source[1:2].set(spike_times=[7.0])
    more = sim.Population(2, sim.IF_curr_exp(i_offset=1.0))
    more.record("spikes")
    sim.Projection(cells[:2], more, sim.AllToAllConnector(), sim.StaticSynapse(weight=0.1, delay=0.5))
    sim.DCSource(amplitude=0.2, start=10.0, stop=20.0).inject_into(more)
    return more


def test_reset_keeps_what_was_changed_while_it_ran(sim):
    """As a fresh network to which the same was done before it ran."""
    made = first(sim)
    more = later(sim, *made)
    sim.run(50.0)
    expected = trains(made[0]), trains(more)
    sim.setup(timestep=0.1, threads=1)
    made = first(sim)
    sim.run(30.0)
    more = later(sim, *made)
    sim.run(13.0)
    sim.reset()
    assert sim.get_current_time() == 0.0
    sim.run(50.0)
    assert (trains(made[0]), trains(more)) == expected
    assert len(expected[0][0]) > 1 and expected[1] != [[], []]
    block = made[0].get_data()
    assert [segment.analogsignals[0].shape for segment in block.segments] == [(431, 3), (501, 3)]


def test_reset_brings_states_and_weights_back(sim):
    pre = sim.Population(1, sim.SpikeSourceArray(spike_times=[10.0, 20.0]))
    post = sim.Population(1, sim.IF_curr_exp(i_offset=1.5))
    post.initialize(v=-60.0)
    post.record("v")
    rule = sim.STDPMechanism(sim.SpikePairRule(A_plus=0.1, A_minus=0.05), sim.AdditiveWeightDependence(w_max=1.0), weight=0.01, delay=1.0)
    projection = sim.Projection(pre, post, sim.OneToOneConnector(), rule)
    sim.run(50.0)
    assert projection.get("weight", "list")[0][2] != 0.01
    sim.reset()
    assert projection.get("weight", "list")[0][2] == pytest.approx(0.01, rel=1e-6)
    sim.run(50.0)
    one, two = (segment.analogsignals[0].magnitude for segment in post.get_data().segments)
    np.testing.assert_array_equal(one, two)


def test_each_trial_has_other_noise(sim):
    source = sim.Population(20, sim.SpikeSourcePoisson(rate=100.0))
    source.record("spikes")
    for _ in range(3):
        sim.run(100.0)
        sim.reset()
    found = source.get_data().segments
    assert len(found) == 3
    assert len({tuple(segment.spiketrains[0].magnitude) for segment in found}) == 3


def test_callbacks(sim):
    times = []

    def call(t):
        times.append(round(t, 6))
        return t + 10.0

    assert sim.run_until(30.0, callbacks=[call]) == pytest.approx(30.0)
    assert times == [0.0, 10.0, 20.0, 30.0]
    assert sim.run_for(5.0) == pytest.approx(35.0)
    with pytest.raises(ValueError):
        sim.run_until(10.0)


def test_threads_do_not_change_results(sim):
    def spikes(threads):
        sim.setup(timestep=0.1, threads=threads)
        cells = sim.Population(200, sim.IF_curr_exp(tau_syn_E=2.0))
        noise = sim.Population(200, sim.SpikeSourcePoisson(rate=3000.0))
        sim.Projection(noise, cells, sim.OneToOneConnector(), sim.StaticSynapse(weight=0.15, delay=0.1))
        sim.Projection(cells, cells, sim.FixedProbabilityConnector(0.1), sim.StaticSynapse(weight=0.01, delay=1.0))
        cells.record("spikes")
        sim.run(100.0)
        return trains(cells)

    assert spikes(1) == spikes(2)
    assert sum(map(len, spikes(1))) > 200


def test_shortest_delay(sim):
    assert sim.get_min_delay() == 0.1
    cells = sim.Population(2, sim.IF_curr_exp())
    sim.Projection(cells, cells, sim.AllToAllConnector(), sim.StaticSynapse(weight=0.1, delay=0.7))
    assert sim.get_min_delay() == pytest.approx(0.7)
    sim.setup(timestep=0.1, min_delay=0.5, max_delay=3.0)
    assert (sim.get_min_delay(), sim.get_max_delay(), sim.get_time_step()) == (0.5, 3.0, 0.1)
    assert (sim.num_processes(), sim.rank()) == (1, 0)
