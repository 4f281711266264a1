# SPDX-License-Identifier: Apache-2.0
"""Delays of plastic synapses that change during a run: a presynaptic spike meets postsynaptic ones by the delay that it was sent with.

So a spike at t, sent with delay d, pairs with postsynaptic spikes in (t_last - d, t - d], and those before t - d depress: none but d counts.
"""

import numpy as np
import pytest

from lowlevel import array, connect, digest, kernel, rows
from property.test_axonal import RULES
from property.test_exact_plasticity import generators, steps
from snapshots import continued

H = 0.1
N = 8
CHANGES = (170, 171, 400, 640)  # steps at which delays change
RULES = {
    name: rule for name, rule in RULES.items() if name != "stdp_nn_pre_centered_synapse"
}  # it keeps a trace, which met spikes have emptied


def changed(name, exact, layout="auto", go_on=lambda net: net, **settings):
    """Weights sent by N sources, with their trains, the spikes of the target and the delays by time."""
    rng = np.random.default_rng(3)
    trains = [np.sort(rng.uniform(2, 900, 40 >> k % 4)) if exact else np.unique(rng.integers(2, 900, 40 >> k % 4)) for k in range(N)]
    teacher = np.sort(rng.uniform(2, 900, 60)) if exact else np.unique(rng.integers(2, 900, 60))
    net = kernel(H, layout=layout, **settings)
    target = net.create("parrot_neuron_ps" if exact else "parrot_neuron", 1, {})
    connect(net, rows(generators(net, [teacher - 1.0], exact)), rows(target), delay=H)
    sources, recorder = generators(net, trains, exact), net.record_weights(None, None)
    delays = [rng.integers(1, 40, N) for _ in range(len(CHANGES) + 1)]
    call = {
        "weight": 5.0,
        "delay": array(delays[0] * H),
        "synapse": name,
        "synapse_params": RULES[name][1],
        "doubles": True,
        "recorder": recorder,
    }
    connect(net, rows(sources, N), rows(target), **call)
    record = net.record_spikes(rows(target), 0, 10**9)
    done = 0
    for now, delay in zip(CHANGES, delays[1:], strict=True):
        net.run(now - done, None)
        net, done = go_on(net), now
        c = net.connections(None, None, name)
        net.edit(c["slice"], c["table"], c["position"], 0, delay_steps=delay[c["source"] - sources])
    net.run(1100 - done, None)
    return sources, trains, delays, steps(net.spikes(record)), net.sent_weights(recorder)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("layout", ["runs", "words"])
@pytest.mark.parametrize("name", RULES)
def test_weights_are_those_of_the_delays_that_spikes_were_sent_with(name, layout, exact):
    rule, p = RULES[name]
    sources, trains, delays, emitted, sent = changed(name, exact, layout)
    for k, train in enumerate(trains):
        w, expected = 5.0, []
        for i, now in enumerate(train):
            d = delays[np.searchsorted(CHANGES, np.ceil(now), side="left")][k]  # a stamp at the time of the change was sent before
            expected.append(w := rule(p, w, train[:i].astype(float), now, emitted + d))
        mine = sent["source"] == sources + k
        order = np.argsort(sent["steps"][mine], kind="stable")
        np.testing.assert_allclose(sent["weight"][mine][order], expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("exact", [False, True])
def test_checkpoints_and_threads_change_nothing(exact):
    def found(**options):
        sent = changed("stdp_synapse", exact, **options)[4]
        order = np.lexsort((sent["steps"], sent["source"]))
        return digest(*(sent[key][order] for key in ("source", "steps", "weight")))

    expected = found()
    assert found(threads=2, block_size=1) == expected
    assert found(go_on=lambda net: continued(net, lambda: kernel(H), True)) == expected
