# SPDX-License-Identifier: Apache-2.0
"""Kplus of rules of nearest pairs against their equations: the trace that a source has at time 0 meets spikes of targets before its first one."""

import math

import pytest

import neuropil as npl

RULE = {"tau_plus": 15.0, "tau_minus": 30.0, "lambda": 0.05, "alpha": 1.1, "mu_plus": 0.6, "mu_minus": 0.8, "Wmax": 100.0}


def expected(model, trace, pre, posts, w, delay):
    """One spike of the source at `pre`, those of the target before it, as the synapse sees them."""
    seen = [post + delay for post in posts if post + delay <= pre]
    for arrival in seen if model == "stdp_nn_symm_synapse" else seen[:1]:
        w += 100.0 * 0.05 * (1.0 - w / 100.0) ** 0.6 * trace * math.exp(-arrival / 15.0)
    before = [arrival for arrival in seen if arrival < pre]
    if before:
        w -= 100.0 * 1.1 * 0.05 * (w / 100.0) ** 0.8 * math.exp((before[-1] - pre) / 30.0)
    return w


@pytest.mark.parametrize("model", ["stdp_nn_symm_synapse", "stdp_nn_restr_synapse"])
@pytest.mark.parametrize("varied", [False, True])
@pytest.mark.parametrize("target", ["parrot_neuron", "parrot_neuron_ps"])
def test_nearest_pairs_with_a_trace_at_time_0(model, varied, target):
    for trace in (0.0, 1.0, 0.4):
        for posts in ([], [4.0], [4.0, 9.0], [18.5], [30.0]):
            net = npl.Network(resolution=0.1)
            source, cell = net.create("parrot_neuron", 1), net.create(target, 1)
            for times, node in (([19.0], source), ([time - 1.0 for time in posts], cell)):
                net.connect(net.create("spike_generator", 1, spike_times=times), node, weight=1.0, delay=1.0)
            synapse = npl.classes.Synapse(model, RULE | {"Kplus": trace} | ({"tau_plus": [15.0]} if varied else {}))
            made = net.connect(source, cell, "all_to_all", weight=50.0, delay=1.5, synapse=synapse, receptor=1, double_weights=True)
            net.run(40.0)
            wanted = expected(model, trace, 20.0, posts, 50.0, 1.5)
            assert made.weight[0] == pytest.approx(wanted, rel=1e-12), (trace, posts)
