# SPDX-License-Identifier: Apache-2.0
"""Steps that two neurons are in state 1 together, by lag: as counted step by step."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neuropil.nest.devices.spin_correlations import _together


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
    assert _together(first, second, most).tolist() == counted
