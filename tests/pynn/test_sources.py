# SPDX-License-Identifier: Apache-2.0
"""Spike sources: each cell has one train for all its targets, with the rate and in the window that it was told."""

import numpy as np
import pytest
from pyNN.errors import InvalidParameterValueError


def counts(cells, segment=-1):
    return np.array([len(train) for train in cells.get_data("spikes").segments[segment].spiketrains])


def every_time(cells):
    return np.concatenate([train.magnitude for train in cells.get_data("spikes").segments[-1].spiketrains])


def test_poisson_window(sim):
    source = sim.Population(1000, sim.SpikeSourcePoisson(rate=50.0, start=100.0, duration=200.0))
    source.record("spikes")
    sim.run(400.0)
    times, n = every_time(source), counts(source)
    assert 100.0 < times.min() < 101.0 and 299.0 < times.max() <= 300.0 + 1e-9
    assert abs(n.mean() - 10.0) < 5 * np.sqrt(10.0 / 1000) and abs(n.var() / 10.0 - 1.0) < 5 * np.sqrt(2.0 / 1000)


def test_rates_of_each_cell_change(sim):
    source = sim.Population(3, sim.SpikeSourcePoisson(rate=[0.0, 200.0, 1000.0]))
    source.record("spikes")
    sim.run(1000.0)
    before = counts(source)
    source[:2].set(rate=[500.0, 0.0])
    np.testing.assert_array_equal(source.get("rate"), [500.0, 0.0, 1000.0])
    sim.run(1000.0)
    more = counts(source) - before
    for found, rate in ((before, (0.0, 200.0, 1000.0)), (more, (500.0, 0.0, 1000.0))):
        assert (abs(found - np.array(rate)) <= 5 * np.sqrt(rate)).all()


def test_targets_get_the_same_train(sim):
    source = sim.Population(1, sim.SpikeSourcePoisson(rate=100.0))
    targets = sim.Population(2, sim.IF_curr_exp())
    sim.Projection(source, targets, sim.AllToAllConnector(), sim.StaticSynapse(weight=0.1, delay=1.0))
    targets.record("v")
    sim.run(100.0)
    v = targets.get_data().segments[0].analogsignals[0].magnitude
    assert v.max() > -65.0
    np.testing.assert_array_equal(v[:, 0], v[:, 1])


def test_intervals(sim):
    """Gamma: mean alpha / beta, CV 1 / sqrt(alpha). With a refractory period: none is shorter, and the mean rate is as given."""
    gamma = sim.Population(100, sim.SpikeSourceGamma(alpha=4, beta=200.0))
    refractory = sim.Population(100, sim.SpikeSourcePoissonRefractory(rate=50.0, tau_refrac=8.0))
    for source in (gamma, refractory):
        source.record("spikes")
    sim.run(1000.0)
    intervals = [
        np.concatenate([np.diff(train.magnitude) for train in source.get_data().segments[0].spiketrains]) for source in (gamma, refractory)
    ]
    assert intervals[0].std() / intervals[0].mean() == pytest.approx(0.5, abs=0.05)
    assert intervals[1].min() >= 8.0 - 1e-9
    for source in (gamma, refractory):
        assert counts(source).mean() == pytest.approx(50.0, rel=0.04)


def test_given_trains(sim):
    source = sim.Population(2, sim.SpikeSourceArray(spike_times=[sim.Sequence([1.0, 2.04]), sim.Sequence([])]))
    source.record("spikes")
    np.testing.assert_array_equal(source.get("spike_times")[0].value, [1.0, 2.04])
    sim.run(5.0)
    source[1:].set(spike_times=[7.0])
    sim.run(5.0)
    trains = [train.magnitude for train in source.get_data().segments[0].spiketrains]
    np.testing.assert_allclose(trains[0], [1.0, 2.0])
    np.testing.assert_allclose(trains[1], [7.0])
    with pytest.raises(InvalidParameterValueError):
        sim.Population(1, sim.SpikeSourceArray(spike_times=[3.0, 2.0]))
