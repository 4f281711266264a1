# SPDX-License-Identifier: Apache-2.0
"""Pictures: that they are drawn, and from which numbers."""

import matplotlib as mpl
import numpy as np
from tests.nest.corpus.values import error, near

mpl.use("Agg")
import matplotlib.pyplot as plt


def spiking(nest):
    cells, recorder, meter = (
        nest.Create("iaf_psc_exp", 3, {"I_e": [400.0, 450.0, 500.0]}),
        nest.Create("spike_recorder"),
        nest.Create("voltmeter"),
    )
    nest.Connect(cells, recorder)
    nest.Connect(meter, cells)
    nest.Simulate(100.0)
    return recorder, meter


def points(axes):
    """All points of all lines and dots of an axes, sorted; of a collection of ticks their middles."""
    found = [pair for line in axes.get_lines() for pair in zip(*line.get_data(), strict=True)]
    for part in axes.collections:
        ticks = getattr(part, "get_segments", list)()
        found += [segment.mean(axis=0) for segment in ticks] if ticks else list(np.asarray(part.get_offsets()))
    return sorted([round(float(x), 6), round(float(y), 6)] for x, y in found)


def case_raster_plot(nest):
    recorder, _ = spiking(nest)
    nest.raster_plot.from_device(recorder)
    found = points(plt.gcf().axes[0])
    plt.close("all")
    return {"points": found}


def case_raster_plot_with_histogram(nest):
    recorder, _ = spiking(nest)
    found = error(lambda: nest.raster_plot.from_device(recorder, hist=True, hist_binwidth=10.0))
    number = len(plt.gcf().axes)
    plt.close("all")
    return {"raises": found, "axes": number}


def case_raster_plot_from_data(nest):
    found = error(lambda: nest.raster_plot.from_data(np.array([[1, 10.0], [2, 12.0], [1, 15.0]])))
    plt.close("all")
    return {"raises": found}


def case_raster_plot_without_spikes(nest):
    recorder = nest.Create("spike_recorder")
    return {
        "raises": error(lambda: nest.raster_plot.from_device(recorder)),
        "no recorder": error(lambda: nest.raster_plot.from_device(nest.Create("iaf_psc_exp"))),
    }


def case_voltage_trace(nest):
    _, meter = spiking(nest)
    nest.voltage_trace.from_device(meter)
    lines = plt.gca().get_lines()
    found = {"lines": len(lines), "ends": near(sorted(float(line.get_ydata()[-1]) for line in lines), 1e-5)}
    plt.close("all")
    return found


def case_layer_plots(nest):
    layer = nest.Create("parrot_neuron", positions=nest.spatial.grid([4, 3], extent=[4.0, 3.0]))
    nest.Connect(layer, layer, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"circular": {"radius": 1.1}}})
    figure = nest.PlotLayer(layer, nodesize=30)
    dots = [np.asarray(part.get_offsets()).round(6).tolist() for axes in figure.axes for part in axes.collections]
    raised = {"targets": error(lambda: nest.PlotTargets(layer[5], layer)), "sources": error(lambda: nest.PlotSources(layer, layer[5]))}
    plt.close("all")
    return {"dots": dots} | raised
