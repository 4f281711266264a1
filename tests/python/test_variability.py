# SPDX-License-Identifier: Apache-2.0
"""Fano factors, spectra, correlograms, responses: against brute force over spikes, closed forms of point processes, scipy and Elephant."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot

import neuropil as npl
from neuropil import analysis

NODES = (3, 1, 7, 2, 5)
events = st.lists(st.tuples(st.integers(1, 100), st.sampled_from(NODES)), max_size=60)
widths = st.sampled_from([1, 2, 5, 10])  # steps of 0.1 ms


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def of(pairs, known=True, stop=10.0):
    steps, gids = (np.array(x, np.int64) for x in zip(*pairs, strict=True)) if pairs else (np.empty(0, np.int64),) * 2
    return npl.results.Spikes(steps / 10, gids, NODES, 0.0, stop, resolution=0.1 if known else None)


def poisson(rate, n, time, seed=1):
    """n Poisson trains on a grid of 0.1 ms: rate in spikes/s, time in ms."""
    hits = np.random.default_rng(seed).random((round(time * 10), n)) < rate * 1e-4
    steps, nodes = np.nonzero(hits)
    return npl.results.Spikes((steps + 1) / 10, nodes + 1, np.arange(1, n + 1), 0.0, time, resolution=0.1)


def clock(period, time, nodes=(1,)):
    """Spikes every `period` ms; those of the k-th node k ms later."""
    times = [np.arange(period, time - k + 1e-6, period) + k for k in range(len(nodes))]
    gids = np.repeat(nodes, [len(train) for train in times])
    return npl.results.Spikes(np.round(np.concatenate(times), 1), gids, nodes, 0.0, time, resolution=0.1)


def counted(pairs, node, first, last):
    """Spikes of a node in (first, last] steps."""
    return sum(first < step <= last for step, gid in pairs if gid == node)


# --- bins


def test_bins_that_hold_now_two_and_now_three_steps_are_refused():
    every_step = npl.results.Spikes(np.arange(1, 101) / 10, np.ones(100, int), stop=10.0, resolution=0.1)
    calls = (
        lambda: analysis.bin_counts(every_step, 0.25),
        lambda: analysis.population_rate(every_step, 0.25),
        lambda: analysis.correlation(every_step, 0.25),
        lambda: analysis.fano_factor(every_step, 0.25),
        lambda: analysis.power_spectrum(every_step, 0.25, 1.0),
        lambda: analysis.cross_correlogram(every_step, [1], [1], 0.25),
        lambda: analysis.psth(every_step, [5.0], 1.0, 1.0, 0.25),
        lambda: every_step.to_xarray(0.25),
    )
    for call in calls:
        with pytest.raises(npl.errors.BadParameter, match=r"width = 0\.25: must be a positive multiple of the resolution \(0\.1 ms\)"):
            call()
    assert (analysis.bin_counts(every_step, 0.3)[1] == 3).all()
    # Precise spikes are not on the grid, and nothing is known of data from elsewhere.
    off = npl.results.Spikes([0.95, 2.0], [1, 1], offsets=[0.05, 0.0], resolution=0.1, stop=10.0)
    assert analysis.bin_counts(off, 0.25)[1][:, 0].nonzero()[0].tolist() == [3, 7]
    assert analysis.bin_counts(npl.results.Spikes([0.9], [1]), 0.25)[1].sum() == 0


@given(events, widths, st.integers(0, 40), st.integers(41, 100), st.booleans())
def test_bins_of_any_window(pairs, width, start, stop, known):
    part = of(pairs, known).select(start=start / 10, stop=stop / 10)
    edges, counts = analysis.bin_counts(part, width / 10)
    assert counts.shape == ((stop - start) // width, len(NODES)) and np.allclose(edges, (start + width * np.arange(len(counts))) / 10)
    for b, k in itertools.product(range(len(counts)), range(len(NODES))):
        assert counts[b, k] == counted(pairs, NODES[k], start + b * width, start + (b + 1) * width)


def test_long_times_fall_into_the_right_bins():
    steps = np.arange(10**9, 10**9 + 1000)
    spikes = npl.results.Spikes(steps / 10, np.ones(1000, int), start=0.1 * (10**9 - 1), resolution=0.1)
    assert (analysis.bin_counts(spikes, 0.1)[1] == 1).all() and len(analysis.bin_counts(spikes, 0.1)[1]) == 1000


def test_usual_widths_are_whole_steps():
    spikes = npl.results.Spikes(0.3 * np.arange(1, 10_001), np.ones(10_000, int), resolution=0.3)
    for found in (analysis.population_rate(spikes)[1], analysis.psth(spikes, [300.0], after=60.0)[1], analysis.power_spectrum(spikes)[1]):
        assert np.ptp(found) == pytest.approx(0.0, abs=1e-6)
    assert analysis.fano_factor(spikes)[0] == 0.0
    lags, pairs = analysis.cross_correlogram(spikes, [1], [1], normalized=True)
    assert np.ptp(pairs[lags > 0.0]) < 1e-9
    spikes.plot()


# --- responses to events


@given(events, st.lists(st.integers(20, 60), min_size=1, max_size=4), widths)
def test_psth(pairs, onsets, width):
    spikes = of(pairs)
    middles, rates = analysis.psth(spikes, np.array(onsets) / 10, 2.0, 4.0, width / 10)
    n = 60 // width
    assert rates.shape == (n, len(NODES)) and np.allclose(middles, -2.0 + (np.arange(n) + 0.5) * width / 10)
    for b, k in itertools.product(range(n), range(len(NODES))):
        found = sum(counted(pairs, NODES[k], onset - 20 + b * width, onset - 20 + (b + 1) * width) for onset in onsets)
        assert rates[b, k] == pytest.approx(found / len(onsets) / (width * 1e-4))


def test_psth_of_a_clock_and_bad_events():
    ticks = clock(10.0, 1000.0)
    middles, rates = analysis.psth(ticks, np.arange(103.0, 900.0, 50.0), 5.0, 20.0, 1.0)
    assert middles[rates[:, 0] > 0].tolist() == [-3.5, 6.5, 16.5] and set(rates[:, 0]) == {0.0, 1000.0}
    for bad in ([20.0], [950.0], [], [np.nan], [100.05]):
        with pytest.raises(npl.errors.BadParameter, match="events"):
            analysis.psth(ticks, bad, 50.0, 100.0, 1.0)
    with pytest.raises(npl.errors.BadParameter, match="after"):
        analysis.psth(ticks, [500.0], 0.0, 0.5, 1.0)
    with pytest.raises(npl.errors.BadParameter, match="before"):
        analysis.psth(ticks, [500.0], 0.05, 10.0, 1.0)


# --- counts


@given(events, widths)
def test_fano_factor(pairs, width):
    found = analysis.fano_factor(of(pairs), width / 10)
    for k, node in enumerate(NODES):
        counts = [counted(pairs, node, b * width, (b + 1) * width) for b in range(100 // width)]
        mean = sum(counts) / len(counts)
        expected = sum((n - mean) ** 2 for n in counts) / (len(counts) - 1) / mean if mean else math.nan
        assert found[k] == pytest.approx(expected, nan_ok=True)


def test_fano_factors_of_processes():
    # Bernoulli trains: 1 - p. The s.d. of a mean of 200 over 200 windows is about sqrt(2 / 200 / 200).
    assert analysis.fano_factor(poisson(40.0, 200, 20_000.0)).mean() == pytest.approx(1.0 - 0.004, abs=0.02)
    assert analysis.fano_factor(clock(10.0, 1000.0))[0] == 0.0
    assert np.isnan(analysis.fano_factor(of([(5, 1)]), 10.0)).all()


@given(events, widths)
def test_spike_count_correlation(pairs, width):
    spikes = of(pairs)
    counts = analysis.bin_counts(spikes, width / 10)[1]
    found = analysis.spike_count_correlation(spikes, width / 10)
    for value, (i, j) in zip(found, itertools.combinations(range(len(NODES)), 2), strict=True):
        alive = counts[:, i].std() and counts[:, j].std()
        assert value == pytest.approx(np.corrcoef(counts[:, i], counts[:, j])[0, 1] if alive else math.nan, abs=1e-9, nan_ok=True)


def test_shared_spikes_correlate():
    """Trains that are half their own and half common: r = 1/2."""
    own, common = poisson(20.0, 20, 50_000.0), poisson(20.0, 1, 50_000.0, seed=2)
    times = np.concatenate([own.times, *[common.times] * 20])
    gids = np.concatenate([own.gids, np.repeat(np.arange(1, 21), len(common))])
    both = npl.results.Spikes(times, gids, np.arange(1, 21), 0.0, 50_000.0, resolution=0.1)
    assert analysis.spike_count_correlation(both, 100.0).mean() == pytest.approx(0.5, abs=0.03)
    assert analysis.spike_count_correlation(own, 100.0).mean() == pytest.approx(0.0, abs=0.01)


# --- spectra


@given(events.filter(len), st.booleans())
def test_power_spectrum_is_that_of_its_equation(pairs, pooled):
    spikes = of(pairs)
    frequencies, power = analysis.power_spectrum(spikes, 0.5, 2.5, pooled)
    assert np.allclose(frequencies, [400.0, 800.0])
    counts = analysis.bin_counts(spikes, 0.5)[1]
    counts = counts.sum(axis=1, keepdims=True) if pooled else counts
    for j, i in itertools.product((1, 2), range(counts.shape[1])):
        parts = [counts[s : s + 5, i] for s in range(0, 20, 5)]
        sums = [abs(sum(n * np.exp(-2j * np.pi * j * k / 5) for k, n in enumerate(part))) ** 2 for part in parts]
        assert power[j - 1, i] == pytest.approx(np.mean(sums) / 2.5e-3)


def test_power_spectrum_is_that_of_scipy():
    signal = pytest.importorskip("scipy.signal")
    spikes = poisson(50.0, 3, 4000.0)
    frequencies, power = analysis.power_spectrum(spikes, 2.0, 500.0)
    rate = analysis.bin_counts(spikes, 2.0)[1] / 2e-3
    f, two_sided = signal.welch(rate, 500.0, "boxcar", 250, 0, detrend="constant", return_onesided=False, axis=0)
    assert np.allclose(frequencies[:-1], f[1:125]) and np.allclose(power[:-1], two_sided[1:125])


def test_spectra_of_processes():
    frequencies, power = analysis.power_spectrum(poisson(40.0, 200, 10_000.0))
    assert power.shape == (500, 200) and frequencies[[0, -1]].tolist() == [1.0, 500.0]
    assert power.mean(axis=1) == pytest.approx(40.0, rel=0.12)  # flat
    assert power.mean() == pytest.approx(40.0, rel=0.01)
    frequencies, power = analysis.power_spectrum(clock(20.0, 4000.0), 1.0, 1000.0)
    comb = frequencies % 50.0 == 0.0  # all power at multiples of 1 / period: rate^2 * T, one tick in a bin of 1 ms
    assert np.allclose(power[comb], 50.0**2 * 1.0) and np.allclose(power[~comb], 0.0)
    for bad in (0.5, 1.0, 2.5, 1e5, np.inf):
        with pytest.raises(npl.errors.BadParameter, match="segment"):
            analysis.power_spectrum(clock(20.0, 4000.0), 1.0, bad)


# --- correlograms


@given(
    events,
    widths,
    st.integers(0, 6),
    st.lists(st.sampled_from(NODES), min_size=1, unique=True),
    st.lists(st.sampled_from(NODES), min_size=1, unique=True),
)
def test_cross_correlogram(pairs, width, most, a, b):
    lags, found = analysis.cross_correlogram(of(pairs), a, b, width / 10, most * width / 10)
    assert np.allclose(lags, np.arange(-most, most + 1) * width / 10)
    expected = np.zeros(2 * most + 1)
    for (i, (s, x)), (j, (t, y)) in itertools.product(enumerate(pairs), enumerate(pairs)):
        lag = (t - 1) // width - (s - 1) // width
        if i != j and x in a and y in b and abs(lag) <= most:
            expected[lag + most] += 1
    assert found.tolist() == expected.tolist()
    mirrored = analysis.cross_correlogram(of(pairs), b, a, width / 10, most * width / 10)[1]
    assert mirrored[::-1].tolist() == found.tolist()


def test_correlograms_of_processes():
    spikes = poisson(50.0, 40, 20_000.0)
    flat = analysis.cross_correlogram(spikes, np.arange(1, 21), np.arange(21, 41), normalized=True)[1]
    assert flat == pytest.approx(1.0, abs=0.05) and flat.mean() == pytest.approx(1.0, abs=0.01)
    lags, pairs = analysis.cross_correlogram(clock(10.0, 1000.0, (1, 2, 3, 4)), [1], [4], 1.0, 20.0)
    assert lags[pairs > 0].tolist() == [-17.0, -7.0, 3.0, 13.0]
    lags, pairs = analysis.cross_correlogram(clock(10.0, 1000.0), [1], [1], 1.0, 20.0)
    assert dict(zip(lags[pairs > 0].tolist(), pairs[pairs > 0].tolist(), strict=True)) == {-20.0: 98, -10.0: 99, 10.0: 99, 20.0: 98}
    with pytest.raises(npl.errors.BadParameter, match="max_lag"):
        analysis.cross_correlogram(spikes, [1], [2], 1.0, 0.5)
    with pytest.raises(npl.errors.BadParameter, match="nodes = 99"):
        analysis.cross_correlogram(spikes, [1], [99])


@pytest.mark.filterwarnings("ignore")
def test_elephant_finds_the_same():
    pytest.importorskip("elephant")
    import quantities as pq
    from elephant import conversion, spike_train_correlation, statistics

    spikes = poisson(60.0, 5, 2000.0)
    trains = list(spikes.to_neo().spiketrains)
    # Elephant's bins are [edge, edge + width): spikes are moved to the middles of their steps.
    middle = [train.duplicate_with_new_data(train.magnitude - 0.05, units="ms") for train in trains]
    binned = conversion.BinnedSpikeTrain(middle, bin_size=2.0 * pq.ms)
    counts = analysis.bin_counts(spikes, 2.0)[1]
    assert np.array_equal(binned.to_array().T, counts)
    found = spike_train_correlation.correlation_coefficient(binned)
    assert np.allclose(found[np.triu_indices(5, 1)], analysis.spike_count_correlation(spikes, 2.0))
    histogram, lags = spike_train_correlation.cross_correlation_histogram(binned[0], binned[1], window=[-10, 10], border_correction=False)
    ours = analysis.cross_correlogram(spikes, [1], [2], 2.0, 20.0)
    assert np.array_equal(lags * 2.0, ours[0]) and np.array_equal(np.ravel(histogram.magnitude), ours[1])
    assert statistics.cv(statistics.isi(trains[0]).magnitude) == pytest.approx(analysis.cv_isi(spikes)[0])
    windows = [train.time_slice(a * pq.ms, (a + 100) * pq.ms) for train in middle[:1] for a in range(0, 2000, 100)]
    assert statistics.fanofactor(windows) * 20 / 19 == pytest.approx(analysis.fano_factor(spikes, 100.0)[0])  # it divides by n


# --- pictures


def test_rows_of_a_subsample_are_labelled_with_its_gids(net):
    cells = net.create("iaf_psc_exp", 1000, I_e=500.0)
    spikes = net.record(cells[[700, 5, 33, 90]])
    net.run(100.0)
    for axes in (spikes.plot(), npl.plot.raster(spikes.select([91, 6]), ax=pyplot.subplots()[1])):
        watched = spikes.watched.tolist() if len(axes.figure.axes) > 1 else [91, 6]
        labels = {tick: text.get_text() for tick, text in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)}
        assert labels == {row + 0.5: str(gid) for row, gid in enumerate(watched)}


def test_rows_of_many_nodes_are_labelled_with_gids():
    gids = np.arange(1001, 6001)
    axes = npl.plot.raster(npl.results.Spikes(np.arange(1.0, 5001.0), gids, gids))
    for place, text in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True):
        assert int(text.get_text()) == gids[3 * int(place)]  # 1 of 3 nodes is shown
    assert len(axes.get_yticks()) > 3


def test_pictures_show_what_analysis_finds():
    spikes = poisson(50.0, 20, 2000.0)
    groups = {"a": np.arange(1, 11), "b": np.arange(11, 21)}
    axes = npl.plot.psth(spikes, [500.0, 1000.0], before=10.0, after=50.0, width=2.0)
    assert np.allclose(axes.patches[0].get_data().values, analysis.psth(spikes, [500.0, 1000.0], 10.0, 50.0, 2.0)[1].mean(axis=1))
    assert axes.get_title(loc="left") == "2 events"
    axes = npl.plot.power_spectrum(spikes, groups)
    assert np.allclose(axes.lines[2].get_ydata(), analysis.power_spectrum(spikes.select(groups["b"]))[1].mean(axis=1))
    axes = npl.plot.cross_correlogram(spikes, groups["a"], groups["b"], width=2.0, max_lag=20.0)
    assert np.array_equal(axes.patches[0].get_data().values, analysis.cross_correlogram(spikes, groups["a"], groups["b"], 2.0, 20.0)[1])
    for draw, total in ((npl.plot.fano_factor, 20), (npl.plot.spike_count_correlation, 190)):
        assert sum(patch.get_data().values.sum() for patch in draw(spikes).patches) == total
    for draw in (npl.plot.fano_factor, npl.plot.spike_count_correlation, npl.plot.power_spectrum):
        assert [text.get_text().partition(",")[0] for text in draw(spikes, groups).get_legend().get_texts()] == ["a", "b"]


@pytest.mark.filterwarnings("error")
def test_pictures_of_silence():
    silent = npl.results.Spikes([], np.empty(0, int), [1, 2], 0.0, 1000.0, resolution=0.1)
    for draw in (
        lambda: npl.plot.psth(silent, [500.0]),
        lambda: npl.plot.power_spectrum(silent),
        lambda: npl.plot.fano_factor(silent),
        lambda: npl.plot.spike_count_correlation(silent),
        lambda: npl.plot.cross_correlogram(silent, [1], [2], normalized=True),
        lambda: npl.plot.cross_correlogram(silent, [1], [2]),
        lambda: npl.plot.raster(silent),
    ):
        draw().figure.canvas.draw()
