# SPDX-License-Identifier: Apache-2.0
"""Statistics against brute force over single trains, and closed forms of point processes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neuropil as npl
from neuropil import analysis
from neuropil.results.spikes import Spikes

events = st.lists(st.tuples(st.integers(1, 100), st.integers(1, 5)), max_size=60)


def of(pairs, watched=(3, 1, 7, 2, 5, 4), start=0.0, stop=10.0):
    times, gids = (np.array(x) for x in zip(*pairs, strict=True)) if pairs else (np.empty(0), np.empty(0, int))
    return Spikes(times * 0.1, gids, watched, start, stop)


def trains(pairs, watched=(3, 1, 7, 2, 5, 4)):
    return [sorted(0.1 * t for t, gid in pairs if gid == who) for who in watched]


@given(events)
def test_counts_trains_and_rates(pairs):
    spikes = of(pairs)
    expected = trains(pairs)
    assert [train.tolist() for train in spikes.trains()] == expected
    assert spikes.counts().tolist() == [len(train) for train in expected]
    assert np.allclose(analysis.rates(spikes), [len(train) / 0.010 for train in expected])


@given(events)
def test_isi_and_cv(pairs):
    spikes = of(pairs)
    intervals, owners = analysis.isi(spikes)
    for k, train in enumerate(trains(pairs)):
        expected = np.diff(train)
        assert np.allclose(intervals[owners == k], expected)
        cv = analysis.cv_isi(spikes)[k]
        if len(train) < 3 or expected.mean() == 0.0:
            assert np.isnan(cv)
        else:
            assert cv == pytest.approx(expected.std() / expected.mean(), abs=1e-9)


@given(events, st.sampled_from([0.1, 0.5, 1.0, 3.0]))
def test_bins(pairs, width):
    spikes = of(pairs)
    edges, counts = analysis.bin_counts(spikes, width)
    assert counts.shape == (int(10.0 / width + 1e-9), 6)
    for k, train in enumerate(trains(pairs)):
        for b, edge in enumerate(edges):
            assert counts[b, k] == sum(edge + 1e-6 < t <= edge + width + 1e-6 for t in train)
    middles, rate = analysis.population_rate(spikes, width)
    assert np.allclose(rate, counts.sum(axis=1) / 6 / (width * 1e-3))
    assert np.allclose(middles, edges + width / 2)


@given(events)
def test_correlation_is_that_of_numpy(pairs):
    spikes = of(pairs)
    _, counts = analysis.bin_counts(spikes, 1.0)
    found = analysis.correlation(spikes, 1.0)
    for i in range(6):
        for j in range(6):
            if counts[:, i].std() and counts[:, j].std():
                assert found[i, j] == pytest.approx(np.corrcoef(counts[:, i], counts[:, j])[0, 1], abs=1e-9)
            else:
                assert np.isnan(found[i, j])


@given(events, st.integers(0, 50), st.integers(51, 100))
def test_select(pairs, start, stop):
    part = of(pairs).select([1, 5], 0.1 * start, 0.1 * stop)
    kept = [(t, gid) for t, gid in pairs if gid in (1, 5) and start < t <= stop]
    assert sorted(zip(part.times.round(6).tolist(), part.gids.tolist(), strict=True)) == sorted((round(0.1 * t, 6), gid) for t, gid in kept)
    assert part.watched.tolist() == [1, 5]
    assert (part.start, part.stop) == (0.1 * start, 0.1 * stop)


def test_poisson_and_clock(net):
    a = net.create("parrot_neuron", 400)
    net.stimulate(a, npl.poisson(rate=40.0))
    clock = net.create("spike_generator", spike_times=np.arange(10.0, 10_000.0, 10.0))
    record = net.record(a)
    ticks = net.record(clock)
    net.run(10_000.0)
    assert analysis.rates(record).mean() == pytest.approx(40.0, rel=0.02)
    assert np.nanmean(analysis.cv_isi(record)) == pytest.approx(1.0, abs=0.03)
    assert analysis.cv_isi(ticks)[0] == pytest.approx(0.0, abs=1e-9)
    some = analysis.correlation(record.select(a[:50]), 5.0)
    off = some[~np.eye(50, dtype=bool)]
    assert abs(off.mean()) < 0.005
    assert np.allclose(np.diag(some), 1.0)


def test_bad_values():
    spikes = of([(5, 1)])
    with pytest.raises(npl.errors.BadParameter, match="width"):
        analysis.bin_counts(spikes, 0.0)
    with pytest.raises(npl.errors.BadParameter, match="min_spikes"):
        analysis.cv_isi(spikes, min_spikes=2)
    with pytest.raises(npl.errors.BadParameter, match="nodes = 9"):
        spikes.select([9])
    with pytest.raises(npl.errors.BadLength):
        Spikes([1.0, 2.0], [1])
    assert np.isnan(analysis.rates(of([], stop=0.0))).all()


def test_spikes_from_arrays():
    spikes = Spikes([3.0, 1.0, 2.0], [2, 4, 2])
    assert spikes.times.tolist() == [1.0, 2.0, 3.0]
    assert spikes.gids.tolist() == [4, 2, 2]
    assert spikes.watched.tolist() == [2, 4]
    assert (spikes.start, spikes.stop) == (0.0, 3.0)
    assert repr(spikes) == "Spikes(3 spikes of 2 nodes in (0, 3] ms)"


def test_spikes_of_nodes_that_were_not_watched_are_refused():
    with pytest.raises(npl.errors.BadParameter, match="gids = 7: must be among `nodes`, the recorded nodes"):
        Spikes([1.0], [7], nodes=[1, 2])
    assert Spikes([1.0], [2], nodes=[1, 2]).counts().tolist() == [0, 1]


def test_spikes_that_make_no_sense_are_refused():
    for error, what, arguments in (
        (npl.errors.BadParameter, "times = 6.0", {"stop": 5.0}),
        (npl.errors.BadParameter, "times = 1.0", {"start": 1.0}),
        (npl.errors.BadParameter, "times = nan", {"times": [1.0, np.nan], "stop": 2.0}),
        (npl.errors.BadParameter, "stop = inf", {"stop": np.inf}),
        (npl.errors.BadParameter, "nodes = 2: must be without repeats", {"nodes": [1, 2, 2]}),
        (npl.errors.BadType, "gids", {"gids": [1.0, 2.0]}),
        (npl.errors.BadType, "nodes", {"nodes": ["1", "2"]}),
        (npl.errors.BadLength, "offsets", {"offsets": [0.1]}),
        (npl.errors.BadParameter, "times = 1.0", {"resolution": 0.7}),
        (npl.errors.BadParameter, "resolution = 0.0", {"resolution": 0.0}),
    ):
        with pytest.raises(error, match=what):
            Spikes(**{"times": [1.0, 6.0], "gids": [1, 2]} | arguments)


def test_steps_and_offsets():
    spikes = Spikes([0.35, 0.2], [1, 2], offsets=[0.05, 0.0], resolution=0.1, seed=3)
    assert spikes.steps.tolist() == [2, 4] and spikes.offsets.tolist() == [0.0, 0.05] and spikes.off_grid
    assert not spikes.select([2]).off_grid and spikes.select([1]).steps.tolist() == [4]
    assert (spikes.select([1]).resolution, spikes.select([1]).seed) == (0.1, 3)
    with pytest.raises(npl.errors.BadParameter, match="resolution"):
        print(Spikes([1.0], [1]).steps)
