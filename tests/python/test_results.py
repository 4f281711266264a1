# SPDX-License-Identifier: Apache-2.0
"""Results as pandas and Neo objects, and as pictures."""

import numpy as np
import pytest
from matplotlib import pyplot

import neuropil as npl


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


@pytest.fixture
def activity(net):
    """(network, excitatory, inhibitory, spikes, trace) of a small balanced network."""
    exc, inh = net.create("iaf_psc_exp", 80, V_m=npl.normal(-65.0, 5.0).redraw(max=-55.5)), net.create("iaf_psc_exp", 20)
    net.connect(exc, exc + inh, npl.fixed_indegree(20), weight=npl.normal(40.0, 4.0))
    net.connect(inh, exc + inh, npl.fixed_indegree(5), weight=-200.0)
    net.stimulate(exc + inh, npl.poisson(rate=6000.0), weight=40.0)
    spikes, trace = net.record(exc + inh), net.record(exc[:4], ["V_m", "I_syn_ex"], interval=0.5)
    net.run(200.0)
    return net, exc, inh, spikes, trace


def test_spikes_to_pandas(activity):
    spikes = activity[3]
    table = spikes.to_pandas()
    assert list(table.columns) == ["time_ms", "gid"]
    assert np.array_equal(table.time_ms, spikes.times)
    assert table.groupby("gid").size().sum() == len(spikes)


def test_trace_to_pandas(activity):
    trace = activity[4]
    table = trace.to_pandas()
    assert table.shape == (400, 8)
    assert np.array_equal(table["V_m"][2], trace["V_m"][:, 1])
    assert table.index.name == "time_ms"


def test_spikes_to_neo(activity):
    pytest.importorskip("neo")
    spikes = activity[3]
    trains = spikes.to_neo().spiketrains
    gids, times = trains.multiplexed
    assert trains._items is None  # two arrays: no object per neuron until one is asked for
    assert np.array_equal(times.magnitude, spikes.times) and np.array_equal(gids, spikes.gids)
    assert len(trains) == 100
    for gid, train, expected in zip(spikes.watched, trains, spikes.trains(), strict=True):
        assert train.annotations["channel_id"] == gid
        assert np.array_equal(train.magnitude, expected)
        assert (float(train.t_start.rescale("ms")), float(train.t_stop.rescale("ms"))) == (0.0, 200.0)


def test_neo_of_no_spikes(net):
    pytest.importorskip("neo")
    spikes = net.record(net.create("iaf_psc_exp", 3))
    net.run(5.0)
    assert [len(train) for train in spikes.to_neo().spiketrains] == [0, 0, 0]


def test_to_xarray(activity):
    pytest.importorskip("xarray")
    _, exc, _, spikes, trace = activity
    counts = spikes.to_xarray(5.0)
    assert counts.dims == ("time", "gid") and counts.shape == (40, 100)
    assert np.array_equal(counts.sum("time"), spikes.counts())
    assert counts.sel(gid=exc.gids[3]).sum() == spikes.counts()[3]
    assert counts.sel(time=50.0).sum() == ((spikes.times > 50.0) & (spikes.times <= 55.0)).sum()
    table = trace.to_xarray()
    assert table.V_m.attrs == {"units": "mV"} and table.I_syn_ex.dims == ("time", "gid")
    assert np.array_equal(table.V_m.sel(gid=exc.gids[1]), trace["V_m"][:, 1])


def test_select_of_traces(activity):
    _, exc, inh, _, trace = activity
    part = trace.select(exc[[3, 0]], start=20.0, stop=30.0)
    keep = (trace.times > 20.0) & (trace.times <= 30.0)
    assert type(part) is npl.results.TraceData and part.watched.tolist() == [4, 1]
    assert np.array_equal(part.times, trace.times[keep]) and len(part) == 20
    assert np.array_equal(part["I_syn_ex"], trace["I_syn_ex"][keep][:, [3, 0]])
    assert np.array_equal(part.select([1]).values, part.values[:, 1:])
    assert np.array_equal(trace.select().values, trace.values)
    with pytest.raises(npl.errors.BadParameter, match=f"nodes = {inh.gids[0]}"):
        trace.select(inh)


def test_traces_from_arrays():
    trace = npl.results.TraceData([1.0, 2.0], np.arange(6.0).reshape(2, 3, 1), [7, 3, 5], ["V_m"], {"V_m": "mV"})
    assert repr(trace) == "TraceData(V_m of 3 nodes, 2 samples, every 1 ms)"
    assert trace.select([5, 7])["V_m"].tolist() == [[2.0, 0.0], [5.0, 3.0]]
    with pytest.raises(ValueError, match="read-only"):
        trace.values[0] = 1.0
    with pytest.raises(npl.errors.UnknownName, match=r"'V_n'.*'V_m'"):
        trace["V_n"]
    for error, changed in (
        (npl.errors.BadLength, {"values": np.zeros((2, 2, 1))}),
        (npl.errors.BadParameter, {"times": [2.0, 1.0]}),
        (npl.errors.BadParameter, {"nodes": [7, 7, 5]}),
        (npl.errors.BadParameter, {"interval": 0.0}),
        (npl.errors.BadParameter, {"names": ["a", "a"]}),
    ):
        with pytest.raises(error, match=next(iter(changed))):
            npl.results.TraceData(**{"times": [1.0, 2.0], "values": np.zeros((2, 3, 1)), "nodes": [7, 3, 5], "names": ["V_m"]} | changed)


def test_trace_to_neo(activity):
    pytest.importorskip("neo")
    trace = activity[4]
    signals = {signal.name: signal for signal in trace.to_neo().analogsignals}
    assert set(signals) == {"V_m", "I_syn_ex"}
    assert np.array_equal(signals["V_m"].magnitude, trace["V_m"])
    assert str(signals["V_m"].units.dimensionality) == "mV"
    assert np.allclose(signals["V_m"].times.rescale("ms").magnitude, trace.times)


def test_raster(activity):
    _, exc, inh, spikes, _ = activity
    axes = spikes.plot(groups={"E": exc, "I": inh})
    assert sum(len(dots.get_offsets()) for dots in axes.collections) == len(spikes)
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["E", "I"]
    rate = axes.figure.axes[1]
    assert rate.get_xlabel() == "time (ms)"
    assert len(rate.lines) == 2
    alone = npl.plot.raster(spikes, start=50.0, stop=100.0, ax=pyplot.subplots()[1])
    shown = np.concatenate([dots.get_offsets()[:, 0] for dots in alone.collections])
    assert shown.min() > 50.0
    assert shown.max() <= 100.0


def test_raster_of_many_nodes_says_what_it_leaves_out():
    times = np.arange(1.0, 5001.0)
    spikes = npl.results.Spikes(times, times.astype(int), np.arange(1, 5001))
    axes = npl.plot.raster(spikes)
    assert "1 of 3 nodes" in axes.get_title(loc="left")
    assert sum(len(dots.get_offsets()) for dots in axes.collections) == 1667


def test_histograms_hold_everything(activity):
    net, exc, inh, spikes, _ = activity
    for axes, total in (
        (npl.plot.rates(spikes), 100),
        (npl.plot.weights(net.connections(source=exc)), 2000),
        (npl.plot.isi(spikes, max=1e4), len(npl.analysis.isi(spikes)[0])),
    ):
        assert sum(patch.get_data().values.sum() for patch in axes.patches) == total
    groups = npl.plot.rates(spikes, {"E": exc, "I": inh})
    assert len(groups.get_legend().get_texts()) == 2
    assert "CV" in npl.plot.isi(spikes, {"E": exc, "I": inh}).get_legend().get_texts()[0].get_text()


def test_trace_plot(activity):
    trace = activity[4]
    axes = trace.plot(name="V_m", nodes=[0, 2])
    assert axes.get_ylabel() == "V_m (mV)"
    assert np.array_equal(axes.lines[1].get_ydata(), trace["V_m"][:, 2])
    with pytest.raises(npl.errors.BadParameter, match="V_m, I_syn_ex"):
        trace.plot()


@pytest.mark.filterwarnings("error")
def test_pictures_of_nothing(net):
    a = net.create("iaf_psc_exp", 5)
    spikes, trace = net.record(a), net.record(a, "V_m")
    net.run(5.0)
    for draw in (spikes.plot, trace.plot, lambda: npl.plot.rates(spikes), lambda: npl.plot.isi(spikes), lambda: net.connections().plot()):
        draw().figure.canvas.draw()
