# SPDX-License-Identifier: Apache-2.0
"""Pictures of what was recorded: their numbers are those of the events."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import neuropil.nest as nest


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nest.ResetKernel()
    yield
    nest.ResetKernel()
    plt.close("all")


@pytest.mark.parametrize("in_steps", [False, True])
def test_the_trace_of_files_is_that_of_the_chosen_neurons_in_the_chosen_unit(in_steps):
    cells = nest.Create("iaf_psc_alpha", 3, {"I_e": [0.0, 100.0, 200.0]})
    meter = nest.Create("voltmeter", params={"record_to": "ascii", "time_in_steps": in_steps})
    nest.Connect(meter, cells)
    nest.Simulate(10.0)
    (line,) = nest.voltage_trace.from_device(meter, neurons=[2], timeunit="s")
    assert np.allclose(line.get_xdata(), np.arange(10, 100, 10) if in_steps else 1e-3 * np.arange(1, 10))
    assert plt.gca().get_xlabel() == ("Steps" if in_steps else "Time (s)")
    assert line.get_ydata()[-1] > -70.0
