# SPDX-License-Identifier: Apache-2.0
"""Helpers of nest.raster_plot that scripts call although their names begin with an underscore."""

import numpy as np
import pytest

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


def test_files_that_numpy_wrote_are_drawn(tmp_path):
    rows = np.array([[1, 1.0, -70.0], [2, 1.0, -69.0], [1, 2.0, -68.0]])
    np.savetxt(tmp_path / "rows.txt", rows)
    lines = nest.voltage_trace.from_file(str(tmp_path / "rows.txt"))
    assert [line.get_xydata().tolist() for line in lines] == [[[1.0, -70.0], [2.0, -68.0]], [[1.0, -69.0]]]
    points = nest.raster_plot.from_file(str(tmp_path / "rows.txt"), hist=False)
    assert points[0].get_xydata().tolist() == rows[:, 1::-1].tolist()
    np.savetxt(tmp_path / "few.txt", rows[:, :2])
    with pytest.raises(ValueError, match="too few columns"):
        nest.voltage_trace.from_file(str(tmp_path / "few.txt"))
