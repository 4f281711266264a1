# SPDX-License-Identifier: Apache-2.0
"""Delays of plastic synapses that change during a run: a presynaptic spike meets postsynaptic ones by the delay with which it arrives.

So a spike at t that arrives with delay d pairs with postsynaptic spikes in (t_last - d, t - d], and those before t - d depress: only d counts. Spikes
that are on their way when a delay changes arrive with the old one (sent_before), or else with the new one where they would not be there already.
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
UNTIL = 1100
RULES = {
    name: rule for name, rule in RULES.items() if name != "stdp_nn_pre_centered_synapse"
}  # it keeps a trace, which met spikes have emptied


def changed(name, exact, old=False, layout="auto", go_on=lambda net: net, **settings):
    """The trains of N sources, the spikes of the target, the delays after each change, and the weights then and at the end."""
    rng = np.random.default_rng(3)
    trains = [np.sort(rng.uniform(2, 900, 40 >> k % 4)) if exact else np.unique(rng.integers(2, 900, 40 >> k % 4)) for k in range(N)]
    teacher = np.sort(rng.uniform(2, 900, 60)) if exact else np.unique(rng.integers(2, 900, 60))
    net = kernel(H, layout=layout, **settings)
    target = net.create("parrot_neuron_ps" if exact else "parrot_neuron", 1, {})
    connect(net, rows(generators(net, [teacher - 1.0], exact)), rows(target), delay=H)
    sources = generators(net, trains, exact)
    delays, weights = [rng.integers(1, 40, N) for _ in range(len(CHANGES) + 1)], []
    call = {"weight": 5.0, "delay": array(delays[0] * H), "synapse": name, "synapse_params": RULES[name][1], "doubles": True}
    connect(net, rows(sources, N), rows(target), receptor=1, **call)  # not repeated
    record = net.record_spikes(rows(target), 0, 10**9)

    def known():
        c = net.connections(None, None, name)
        return c, c["source"] - sources

    done = 0
    for now, delay in zip(CHANGES, delays[1:], strict=True):
        net.run(now - done, None)
        net, done = go_on(net), now
        c, source = known()
        net.edit(c["slice"], c["table"], c["position"], now if old else 0, delay_steps=delay[source])
        c, source = known()
        weights.append(c["weight"][np.argsort(source)])
    net.run(UNTIL - done, None)
    c, source = known()
    weights.append(c["weight"][np.argsort(source)])
    return trains, steps(net.spikes(record), exact), delays, np.array(weights)


def arriving(train, delays, old):
    """The delay with which each spike arrives, and after which change it has met its synapse (the last: at the end)."""
    stamps, with_delay, met = np.ceil(train).astype(int), [], []
    for stamp in stamps:
        first = np.searchsorted(CHANGES, stamp, side="left")  # changes before it do not matter
        d, done = delays[first], len(CHANGES)
        for k in range(first, len(CHANGES)):
            if stamp + d <= CHANGES[k] or old or stamp + delays[k + 1] <= CHANGES[k]:
                done = k
                break
            d = delays[k + 1]
        with_delay.append(d), met.append(done)
    return with_delay, np.array(met)


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("layout", ["runs", "words"])
@pytest.mark.parametrize("name", RULES)
def test_weights_are_those_of_the_delays_with_which_spikes_arrive(name, layout, exact, old):
    rule, p = RULES[name]
    trains, emitted, delays, weights = changed(name, exact, old, layout)
    for k, train in enumerate(trains):
        with_delay, met = arriving(train, [d[k] for d in delays], old)
        w, after = 5.0, []
        for i, now in enumerate(train):
            after.append(w := rule(p, w, train[:i].astype(float), now, emitted + with_delay[i]))
        expected = [([5.0] + [w for w, m in zip(after, met, strict=True) if m <= change])[-1] for change in range(len(CHANGES) + 1)]
        np.testing.assert_allclose(weights[:, k], expected, rtol=1e-10, atol=1e-10)
    assert len(np.unique(weights)) > 5


@pytest.mark.parametrize("exact", [False, True])
def test_checkpoints_and_threads_change_nothing(exact):
    def found(**options):
        return digest(changed("stdp_synapse", exact, **options)[3])

    expected = found()
    assert found(threads=2, block_size=1) == expected
    assert found(go_on=lambda net: continued(net, lambda: kernel(H), True)) == expected
