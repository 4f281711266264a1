# SPDX-License-Identifier: Apache-2.0
"""Pictures of what was recorded: their numbers are those of the events."""

import sys

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import neuropil.nest as nest
from neuropil.errors import MissingLibrary


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


def spiking():
    """A spike_recorder and a voltmeter of three neurons that spiked."""
    cells, recorder, meter = (
        nest.Create("iaf_psc_exp", 3, {"I_e": [400.0, 450.0, 500.0]}),
        nest.Create("spike_recorder"),
        nest.Create("voltmeter"),
    )
    nest.Connect(cells, recorder)
    nest.Connect(meter, cells)
    nest.Simulate(60.0)
    return recorder, meter


def test_what_scripts_take_from_memory():
    recorder, meter = spiking()
    times, senders = nest.raster_plot._from_memory(recorder)
    assert times.tolist() == [13.9, 18.0, 27.8, 29.8, 38.0, 45.7, 57.6, 58.0]
    assert senders.tolist() == [3, 2, 1, 3, 2, 3, 1, 2]
    times, potentials = nest.voltage_trace._from_memory(meter)
    events = meter.events
    assert [*times] == [*potentials] == [1, 2, 3]
    for gid in (1, 2, 3):
        assert np.array_equal(times[gid], np.float32(events["times"][events["senders"] == gid]))
        assert np.array_equal(potentials[gid], np.float32(events["V_m"][events["senders"] == gid]))
    with pytest.raises(KeyError, match="events"):
        nest.raster_plot._from_memory(nest.Create("parrot_neuron"))


@pytest.mark.parametrize(
    ("options", "counts", "edges"),
    [
        ({}, [2, 2, 1, 0, 0, 0, 1, 0, 0, 1], 0.5 + 0.95 * np.arange(10)),
        ({"bins": 5}, [4, 1, 0, 1, 1], 0.5 + 1.9 * np.arange(5)),
        ({"bins": 3, "bin_range": (0, 6)}, [2, 3, 2], [0.0, 2.0, 4.0]),
        ({"bins": 3, "bin_range": (6, 6)}, [0, 0, 2], [5.5, 5.5 + 1 / 3, 5.5 + 2 / 3]),
        ({"bins": 5, "normed": True}, np.array([4, 1, 0, 1, 1]) / (7 * 1.9), 0.5 + 1.9 * np.arange(5)),
        ({"bins": np.array([1.0, 2.0])}, [1, 5], [1.0, 2.0]),
        ({"bins": np.array([1.0, 2.0, 4.0]), "normed": True}, [1 / 7, 3 / 7, 2 / 7], [1.0, 2.0, 4.0]),
    ],
)
def test_histograms_are_those_of_nest_3_10(options, counts, edges):
    found = nest.raster_plot._histogram([0.5, 1.0, 2.0, 2.0, 3.0, 7.0, 10.0], **options)
    assert np.allclose(found[0], counts)
    assert np.allclose(found[1], edges)


@pytest.mark.parametrize("options", [{"bins": np.array([4.0, 2.0])}, {"bin_range": (5, 1)}])
def test_histograms_that_cannot_be_are_refused(options):
    with pytest.raises(ValueError, match=r"increase|larger"):
        nest.raster_plot._histogram([1.0, 2.0], **options)


@pytest.mark.parametrize(("neurons", "rate"), [([1, 2, 3], 400 / 3), ([2], 400.0)])
def test_rates_below_a_raster_are_of_all_spikes_per_neuron_that_is_named(neurons, rate):
    times, senders = nest.raster_plot._from_memory(spiking()[0])
    some = np.isin(senders, neurons)
    drawn = nest.raster_plot._make_plot(times, times[some], senders[some], neurons, title="T", xlabel="X")
    upper, lower = plt.gcf().axes
    assert [type(artist) for artist in drawn] == [plt.Line2D] and np.array_equal(drawn[0].get_xdata(), times[some])
    assert np.allclose([bar.get_height() for bar in lower.patches], np.array([2, 0, 1, 1, 1, 0, 1, 0, 2]) * rate / 2)
    assert (upper.get_title(), lower.get_xlabel()) == ("T", "X")
    nest.raster_plot.from_data(np.stack([senders, times], axis=1), sel=[1, 2])
    assert np.allclose([bar.get_height() for bar in plt.gcf().axes[1].patches], np.array([2, 0, 1, 1, 1, 0, 1, 0, 2]) * 200 / 3)
    with pytest.raises(TypeError, match="colour"):
        nest.raster_plot.from_data([[1, 2.0]], colour="red")


def test_a_library_that_is_missing_is_named(monkeypatch):
    recorder, meter = spiking()
    for name in ("pandas", "matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    connections = nest.GetConnections()
    for call in (
        lambda: nest.raster_plot.from_device(recorder),
        lambda: nest.voltage_trace.from_device(meter),
        lambda: nest.visualization.plot_network(recorder, "network.png"),
        lambda: recorder.get("n_events", output="pandas"),
        lambda: connections.get("weight", output="pandas"),
    ):
        with pytest.raises(MissingLibrary, match="pip install"):
            call()
