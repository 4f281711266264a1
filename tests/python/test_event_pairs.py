# SPDX-License-Identifier: Apache-2.0
"""Pairs of events by lag as found among all pairs; steps that two things last together as counted step by step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neuropil as npl

times = st.lists(st.integers(-40, 40), max_size=30).map(sorted)


@given(times, times, st.integers(0, 30), st.integers(0, 30))
def test_pairs_are_all_that_are_near(first, second, before, after):
    found = [pair for i, j in npl.analysis.lagged_pairs(first, second, before, after) for pair in zip(i.tolist(), j.tolist(), strict=True)]
    every = [(i, j) for j, b in enumerate(second) for i, a in enumerate(first) if -before <= b - a <= after]
    assert found == every


def test_pairs_of_times_between_steps():
    ((i, j),) = npl.analysis.lagged_pairs([0.25, 1.5], [0.5, 0.75, 9.0], 0.0, 0.25)
    assert (i.tolist(), j.tolist()) == ([0], [0])
    with pytest.raises(npl.errors.BadParameter, match="ascending"):
        next(npl.analysis.lagged_pairs([2.0, 1.0], [1.0], 1.0, 1.0))


@given(times, times, st.integers(1, 9), st.integers(-20, 20), st.integers(1, 12), st.integers(-50, 20), st.integers(0, 2**32 - 1))
def test_sums_by_lag(first, second, width, lowest, bins, begin, seed):
    weights = [np.random.default_rng([seed, k]).normal(size=len(t)) for k, t in enumerate((first, second))]
    found, number = npl.analysis.pair_sums(first, second, width, lowest, bins, weights=tuple(weights), later=(begin, begin + 30))
    sums, counts = np.zeros(bins), np.zeros(bins, int)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            for k in range(bins):
                if -width <= 2 * (b - a - lowest - k * width) < width and begin <= max(a, b) <= begin + 30:
                    sums[k] += weights[0][i] * weights[1][j]
                    counts[k] += 1
    assert number.tolist() == counts.tolist()
    np.testing.assert_allclose(found, sums, atol=1e-12)
    plain, same = npl.analysis.pair_sums(first, second, width, lowest, bins, later=(begin, begin + 30))
    assert plain.tolist() == same.tolist() == counts.tolist()


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 5)), max_size=12), st.integers(0, 60))
def test_times_in_state_1_from_spikes(gaps, last):
    """A neuron that begins in state 1 and goes to 0 and 1 in turn."""
    turns = np.cumsum(np.array(gaps, np.int64).ravel())
    spikes = np.repeat(turns, [1 + k % 2 for k in range(len(turns))])
    begins, ends = [0, *turns[1::2].tolist()], turns[::2].tolist()
    expected = [[a, b] for a, b in zip(begins, ends, strict=False) if b < last]
    assert npl.analysis.stays(spikes, last).tolist() == expected


def stays(gaps):
    """Times in state 1 from the lengths of times in states 0 and 1 in turn; times in state 1 may follow one another at once."""
    return np.cumsum(np.array(gaps, np.int64).ravel()).reshape(-1, 2)


gaps = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 30)), max_size=12).map(stays)


@given(gaps, gaps, st.integers(0, 50))
def test_overlaps_are_those_counted_step_by_step(first, second, most):
    end, pad = 800, 60
    one, two = (np.zeros(end + 2 * pad, np.int64) for _ in range(2))
    for state, times in ((one, first), (two, second)):
        for begin, stop in times.tolist():
            state[pad + begin : pad + stop] += 1
    counted = [int((one[pad : pad + end] * two[pad - lag : pad - lag + end]).sum()) for lag in range(-most, most + 1)]
    assert npl.analysis.time_together(first, second, most).tolist() == counted
