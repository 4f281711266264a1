# SPDX-License-Identifier: Apache-2.0
"""Every argument that is a time: with a unit it is converted, what is no time is refused with an error of neuropil."""

import numpy as np
import pytest
import quantities as pq
from matplotlib import pyplot

import neuropil as npl
from neuropil import analysis, plot
from neuropil.analysis import lfp
from neuropil.results import Spikes, TraceData


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def spikes():
    """Poisson trains of five nodes in 400 ms."""
    hits = np.random.default_rng(4).random((4000, 5)) < 0.02
    steps, nodes = np.nonzero(hits)
    return Spikes((steps + 1) / 10, nodes + 1, np.arange(1, 6), 0.0, 400.0, resolution=0.1)


S = spikes()
TRACE = TraceData(np.arange(1.0, 11.0), np.zeros((10, 1, 1)), [1], ["V_m"])
BINS = npl.results.BinnedData._made(np.arange(0.0, 40.0, 4.0), np.arange(10), 4.0, "rate", np.array([[1, 5, 1]]), 0.1, 1)
CELL = lfp.ball_and_stick()
KERNELS = {"E": np.ones((20, 1))}


def kernel(**times):
    synapse = {name: times.pop(name) for name in ("tau_syn", "delay") if name in times}
    return lfp.kernel(CELL, np.zeros((1, 3)), lfp.Synapses(100, 30.0, **synapse), [[0.0, 0.0, 50.0]], **times)


def axes_of(picture, **times):
    """What a picture shows: the corners of all that was drawn."""
    ax = picture(**times)
    return [*ax.get_xlim(), *ax.get_ylim()]


def made(**times):
    found = Spikes(np.array([10.0, 20.0]), [1, 2], **times)
    return [found.start, found.stop, found.resolution or 0.0, *found.offsets]


def selected(data, **times):
    found = data.select(**times)
    return [len(found), *found.times]


CASES = [  # function of one time, its value in ms
    ("bin_counts width", lambda t: analysis.bin_counts(S, t)[1], 20.0),
    ("population_rate width", lambda t: analysis.population_rate(S, t)[1], 20.0),
    ("correlation width", lambda t: analysis.correlation(S, t), 20.0),
    ("spike_count_correlation width", lambda t: analysis.spike_count_correlation(S, t), 20.0),
    ("fano_factor width", lambda t: analysis.fano_factor(S, t), 20.0),
    ("psth events", lambda t: analysis.psth(S, t)[1], 150.0),
    ("psth before", lambda t: analysis.psth(S, [150.0], before=t)[1], 20.0),
    ("psth after", lambda t: analysis.psth(S, [150.0], after=t)[1], 20.0),
    ("psth width", lambda t: analysis.psth(S, [150.0], width=t)[1], 2.0),
    ("power_spectrum width", lambda t: analysis.power_spectrum(S, t)[1], 2.0),
    ("power_spectrum segment", lambda t: analysis.power_spectrum(S, segment=t)[1], 200.0),
    ("cross_correlogram width", lambda t: analysis.cross_correlogram(S, [1], [2], width=t)[1], 2.0),
    ("cross_correlogram max_lag", lambda t: analysis.cross_correlogram(S, [1], [2], max_lag=t)[1], 20.0),
    ("lfp.predict dt", lambda t: lfp.predict(KERNELS, {"E": S}, t)[1], 0.5),
    ("lfp.Online dt", lambda t: lfp.Online(KERNELS, t).update({"E": S}, 400.0), 0.5),
    ("lfp.Online time", lambda t: lfp.Online(KERNELS, 0.5, t).time, 20.0),
    ("lfp.Online.update time", lambda t: lfp.Online(KERNELS, 0.5).update({"E": S.select(stop=20.0)}, t), 20.0),
    ("lfp.Online.update spikes", lambda t: lfp.Online(KERNELS, 0.5).update({"E": t}, 400.0), 20.0),
    ("lfp.kernel dt", lambda t: kernel(dt=t), 0.5),
    ("lfp.kernel length", lambda t: kernel(length=t), 20.0),
    ("lfp.Synapses tau_syn", lambda t: kernel(tau_syn=t), 5.0),
    ("lfp.Synapses delay", lambda t: kernel(delay=t), 2.0),
    ("lfp.ball_and_stick tau_m", lambda t: lfp.ball_and_stick(tau_m=t).tau_m, 20.0),
    ("plot.raster start", lambda t: axes_of(plot.raster, spikes=S, start=t), 20.0),
    ("plot.raster stop", lambda t: axes_of(plot.raster, spikes=S, stop=t), 20.0),
    ("plot.raster width", lambda t: axes_of(plot.raster, spikes=S, width=t), 20.0),
    ("plot.isi max", lambda t: axes_of(plot.isi, spikes=S, max=t), 20.0),
    ("plot.psth events", lambda t: axes_of(plot.psth, spikes=S, events=t), 150.0),
    ("plot.psth after", lambda t: axes_of(plot.psth, spikes=S, events=[150.0], after=t), 20.0),
    ("plot.power_spectrum width", lambda t: axes_of(plot.power_spectrum, spikes=S, width=t), 2.0),
    ("plot.fano_factor width", lambda t: axes_of(plot.fano_factor, spikes=S, width=t), 20.0),
    ("plot.spike_count_correlation width", lambda t: axes_of(plot.spike_count_correlation, spikes=S, width=t), 20.0),
    ("plot.cross_correlogram max_lag", lambda t: axes_of(plot.cross_correlogram, spikes=S, a=[1], b=[2], max_lag=t), 20.0),
    (
        "plot.spikes_over_rates",
        lambda t: plot.spikes_over_rates(([5.0], [1]), [5.0, 45.0], 1, bin_width=t)[0].figure.axes[1].get_ylim(),
        20.0,
    ),
    ("Spikes start", lambda t: made(start=t), 5.0),
    ("Spikes stop", lambda t: made(stop=t), 50.0),
    ("Spikes resolution", lambda t: made(resolution=t), 0.5),
    ("Spikes.select start", lambda t: selected(S, start=t), 100.0),
    ("Spikes.select stop", lambda t: selected(S, stop=t), 100.0),
    ("Spikes.counts start", lambda t: S.counts(t), 100.0),
    ("Spikes.to_xarray width", lambda t: S.to_xarray(t).values, 20.0),
    ("Trace.select start", lambda t: selected(TRACE, start=t), 5.0),
    ("BinnedData.select stop", lambda t: selected(BINS, stop=t), 20.0),
    ("TraceData interval", lambda t: TraceData([1.0], np.zeros((1, 1, 1)), [1], ["V_m"], interval=t).interval, 2.0),
]


@pytest.mark.parametrize(("call", "ms"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_time_is_converted_or_refused(net, call, ms):
    wanted = np.asarray(call(ms), np.float64)
    np.testing.assert_allclose(np.asarray(call(ms / 1000 * pq.s), np.float64), wanted, rtol=1e-9)
    np.testing.assert_allclose(np.asarray(call(ms * pq.ms), np.float64), wanted, rtol=1e-9)
    with pytest.raises(npl.errors.BadParameter, match="a quantity that can be converted to ms"):
        call(ms * pq.mV)
    for wrong in ("x", {}, net.create("iaf_psc_exp", 3)):
        with pytest.raises((npl.errors.BadType, npl.errors.BadParameter)):
            call(wrong)


def test_all_functions_of_analysis_are_here():
    """A new function with a time argument needs a case."""
    without = {"cv_isi", "isi", "lagged_pairs", "lfp", "pair_sums", "rates", "stays", "time_together"}
    assert {name.partition(" ")[0] for name, *_ in CASES} >= set(analysis.__all__) - without


def test_events_in_any_unit_of_their_own_have_none():
    for call in (
        lambda: list(analysis.lagged_pairs([1.0], [2.0], 5.0 * pq.ms, 5.0)),
        lambda: analysis.pair_sums([1] * pq.ms, [2], 1, 0, 5),
        lambda: analysis.time_together([[1, 2]] * pq.ms, [[1, 2]], 1),
    ):
        with pytest.raises(npl.errors.BadType, match="without a unit"):
            call()


def test_recorders_and_calls_keep_the_converted_time(net):
    cells = net.create("iaf_psc_exp", 2, I_e=1000.0)
    record = net.record(cells, start=0.01 * pq.s, stop=0.05 * pq.s)
    trace = net.record(cells, "V_m", interval=0.002 * pq.s)
    binned = net.record(cells, "rate", bin=0.005 * pq.s)
    called = net.every(0.02 * pq.s, lambda net: None)
    net.run(100.0)
    assert (record.start, record.stop) == (10.0, 50.0) and trace.interval == 2.0 and binned.bin == 5.0
    assert called.interval == 20.0 and "Every(20 ms" in repr(called)
