# SPDX-License-Identifier: Apache-2.0
"""What Neo gets: one signal per variable with a sample at time 0, one train per cell."""

import numpy as np
import pytest


def cells(sim, n=4):
    return sim.Population(n, sim.IF_curr_exp(i_offset=1.0), label="cells")


def test_samples_begin_with_the_initial_value(sim):
    made = cells(sim)
    made.initialize(v=[-61.0, -62.0, -63.0, -64.0])
    made.record("v")
    sim.run(2.0)
    (signal,) = made.get_data().segments[0].analogsignals
    assert signal.shape == (21, 4) and signal.t_start == 0.0 and float(signal.sampling_period) == pytest.approx(0.1)
    np.testing.assert_array_equal(signal.magnitude[0], [-61.0, -62.0, -63.0, -64.0])
    assert signal.annotations["source_population"] == "cells"


def test_samples_are_those_of_smaller_intervals(sim):
    made = cells(sim)
    made[:2].record("v", sampling_interval=0.5)
    sim.run(3.3)
    every = made.get_data().segments[0].analogsignals[0].magnitude
    sim.setup(timestep=0.1, threads=1)
    made = cells(sim)
    made.record("v")
    sim.run(3.3)
    np.testing.assert_array_equal(every, made.get_data().segments[0].analogsignals[0].magnitude[::5, :2])


def test_cells_that_are_recorded_later(sim):
    """Their samples before are missing: NaN."""
    made = cells(sim)
    made[:2].record("v")
    sim.run(1.0)
    made[3:].record("v")
    sim.run(1.0)
    values = made.get_data().segments[0].analogsignals[0].magnitude
    assert values.shape == (21, 3)
    assert np.isnan(values[:10, 2]).all() and not np.isnan(values[10:]).any()
    np.testing.assert_array_equal(values[10:, 0], values[10:, 2])


def test_recording_that_begins_later(sim):
    made = cells(sim)
    sim.run(5.0)
    made.record(["v", "spikes"])
    sim.run(40.0)
    segment = made.get_data().segments[0]
    assert segment.analogsignals[0].t_start == 5.0 and segment.analogsignals[0].shape == (401, 4)
    assert all(train.t_start == 5.0 for train in segment.spiketrains)


def test_intervals_begin_where_recording_begins(sim):
    """Also after `clear` and `reset`."""
    made = cells(sim)
    made.initialize(v=-60.0)
    sim.run(0.3)
    made.record("v", sampling_interval=1.0)
    sim.run(2.4)
    one = made.get_data(clear=True).segments[0].analogsignals[0]
    sim.run(2.0)
    two = made.get_data(clear=True).segments[0].analogsignals[0]
    sim.reset()
    sim.run(5.0)
    three = made.get_data().segments[-1].analogsignals[0]
    sim.setup(timestep=0.1, threads=1)
    made = cells(sim)
    made.initialize(v=-60.0)
    made.record("v")
    sim.run(5.0)
    every = made.get_data().segments[0].analogsignals[0].magnitude
    for found, steps in ((one, slice(3, 24, 10)), (two, slice(27, 48, 10)), (three, slice(0, 51, 10))):
        np.testing.assert_array_equal(found.magnitude, every[steps])
    assert float(two.t_start) == pytest.approx(2.7)


def test_clear(sim):
    made = cells(sim)
    made.record(["v", "spikes"])
    sim.run(40.0)
    one = made.get_data(clear=True).segments[0]
    sim.run(40.0)
    two = made.get_data().segments[0]
    assert one.spiketrains[0].magnitude.max() <= 40.0 < two.spiketrains[0].magnitude.min()
    np.testing.assert_array_equal(one.analogsignals[0].magnitude[-1], two.analogsignals[0].magnitude[0])
    assert two.analogsignals[0].t_start == 40.0


def test_counts_and_views(sim):
    made = sim.Population(
        4,
        sim.SpikeSourceArray(
            spike_times=lambda i: sim.Sequence(np.arange(1, 1 + i)) if np.isscalar(i) else [sim.Sequence(np.arange(1.0, 1 + k)) for k in i]
        ),
    )
    made.record("spikes")
    sim.run(10.0)
    assert list(made.get_spike_counts().values()) == [0, 1, 2, 3]
    assert list(made[2:].get_spike_counts().values()) == [2, 3]
    assert made.mean_spike_count() == 1.5
    assert [len(train) for train in made[1:3].get_data().segments[0].spiketrains] == [1, 2]
    assembly = made[3:] + made[:1]
    assert assembly.mean_spike_count() == 1.5


def test_files(sim, tmp_path):
    made = cells(sim)
    made.record(["v", "spikes"], to_file=str(tmp_path / "data.pkl"))
    sim.run(30.0)
    sim.end()
    from neo.io import PickleIO

    (block,) = PickleIO(str(tmp_path / "data.pkl")).read()
    assert len(block.segments[0].spiketrains) == 4


def test_nothing_more_is_recorded(sim):
    made = cells(sim)
    made.record("v")
    sim.run(1.0)
    made.record(None)
    made.record("spikes")
    sim.run(40.0)
    segment = made.get_data().segments[0]
    assert not segment.analogsignals and len(segment.spiketrains) == 4
