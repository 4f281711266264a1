# SPDX-License-Identifier: Apache-2.0
"""Helpers of nest.raster_plot that scripts call although their names begin with an underscore."""

import numpy as np

import neuropil.nest as nest


def test_from_memory_gives_times_and_senders():
    nest.ResetKernel()
    generator = nest.Create("spike_generator", params={"spike_times": [1.0, 2.0]})
    recorder = nest.Create("spike_recorder")
    nest.Connect(generator, recorder)
    nest.Simulate(5.0)
    times, senders = nest.raster_plot._from_memory(recorder)  # NEST 3.10: (array([1., 2.]), array([1, 1]))
    np.testing.assert_array_equal(times, [1.0, 2.0])
    np.testing.assert_array_equal(senders, [1, 1])
