# SPDX-License-Identifier: Apache-2.0
"""The kernel against the reference kernel, which shares no code with it, on random small networks."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from property.random_networks import STATES, InKernel, InReference, description


@settings(max_examples=300)
@given(st.integers(0, 2**32 - 1))
def test_spikes_traces_and_weights_are_those_of_the_reference(seed):
    d = description(seed)
    fast = InKernel(d)
    slow = InReference(fast)
    stamps, senders = fast.spikes()
    neurons = senders <= sum(p.size for p in d.populations)
    expected = slow.ref.spikes()
    np.testing.assert_array_equal(np.stack([stamps[neurons], senders[neurons]]), np.stack(expected))
    for k, (i, g, v) in enumerate(slow.records):
        trace = fast.net.samples(fast.state_recorders[i])[1][:, g, v]
        scale = max(1.0, float(np.abs(trace).max()))
        np.testing.assert_allclose(
            trace,
            slow.ref.trace(k),
            rtol=0,
            atol=1e-9 * scale,
            err_msg=f"{STATES[d.populations[i].model][v]} of population {i}, neuron {g}",
        )
    np.testing.assert_allclose(fast.weights(), slow.weights(), rtol=1e-9, atol=1e-9)
