# SPDX-License-Identifier: Apache-2.0
"""The kernel against the reference kernel, which shares no code with it, on random small networks."""

import numpy as np
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

import neuropil as npl
from property.random_networks import STATES, InKernel, InReference, description


@settings(max_examples=300)
@given(st.integers(0, 2**32 - 1))
@example(18114399)
def test_spikes_traces_and_weights_are_those_of_the_reference(seed):
    d = description(seed)
    try:
        fast = InKernel(d)
    except npl.errors.WeightOutgrown as error:  # potentiation in proportion to the weight (mu = 1) grows without bound: rightly refused
        assert error.synapse == "stdp_pl_synapse_hom" and error.weight > 1e6 and any(p.synapse == error.synapse for p in d.projections)
        reject()
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
