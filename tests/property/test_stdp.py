# SPDX-License-Identifier: Apache-2.0
"""Weights of plastic synapses against the rule, evaluated over all pairs of spikes. Both trains are given: generators send the presynaptic
spikes, parrots driven by other generators emit the postsynaptic ones, besides those that the plastic synapses themselves bring them."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lowlevel import array, connect, digest, floats, gids, kernel, rows
from neuropil import _core

H = 0.1
PARAMS = {
    "stdp_synapse": [
        {"lambda": 0.05, "alpha": 1.1, "tau_plus": 15.0, "tau_minus": 30.0, "mu_plus": 0.0, "mu_minus": 0.0, "Wmax": 10.0},
        {"lambda": 0.1, "alpha": 0.9, "tau_plus": 8.0, "tau_minus": 11.0, "mu_plus": 1.0, "mu_minus": 1.0, "Wmax": 10.0},
        {"lambda": 0.1, "alpha": 1.0, "tau_plus": 20.0, "tau_minus": 20.0, "mu_plus": 0.4, "mu_minus": 0.6, "Wmax": -10.0},
    ],
    "stdp_pl_synapse_hom": [
        {"lambda": 0.1, "alpha": 0.1, "tau_plus": 15.0, "tau_minus": 30.0, "mu": 0.4},
        {"lambda": 0.2, "alpha": 0.3, "tau_plus": 5.0, "tau_minus": 3.0, "mu": 0.0},
    ],
}
CASES = [(name, p) for name, sets in PARAMS.items() for p in sets]


def potentiate(p, w, k):
    if "mu" in p:
        return w + p["lambda"] * w ** p["mu"] * k
    x = w / p["Wmax"] + p["lambda"] * (1 - w / p["Wmax"]) ** p["mu_plus"] * k
    return p["Wmax"] * min(x, 1.0)


def depress(p, w, k):
    if "mu" in p:
        return max(w - p["lambda"] * p["alpha"] * w * k, 0.0)
    x = w / p["Wmax"]
    return p["Wmax"] * max(x - p["lambda"] * p["alpha"] * x ** p["mu_minus"] * k, 0.0)


def brute_force(p, w, pre, post, delay, stored=float):
    """pre, post: stamps; the delay is dendritic: a postsynaptic spike reaches the synapse `delay` steps after it was emitted."""
    post = np.sort(post) + delay
    for n, t in enumerate(pre):
        for s in post:
            if n > 0 and pre[n - 1] < s <= t:
                w = float(stored(potentiate(p, w, np.exp((pre[:n] - s) * H / p["tau_plus"]).sum())))
        w = float(stored(depress(p, w, np.exp((post[post < t] - t) * H / p["tau_minus"]).sum())))
    return w


def run_kernel(name, p, w0, trains, post_train, delays, steps, doubles, layout):
    """One source per train, each with a synapse of its own delay onto one parrot. Returns weights and the parrot's stamps."""
    net = kernel(H, layout=layout)
    sources = net.create("spike_generator", len(trains), {})
    for k, train in enumerate(trains):
        net.set(np.array([sources + k]), {}, {"spike_times": np.sort(train) * H})
    teacher = net.create("spike_generator", 1, {})
    net.set(np.array([teacher]), {}, {"spike_times": (np.sort(post_train) - 1) * H})
    target = net.create("parrot_neuron", 1, {})
    connect(net, rows(teacher), rows(target), weight=1.0, delay=H)
    connect(
        net,
        rows(sources, len(trains)),
        rows(target),
        weight=w0,
        delay=array(np.array(delays) * H),
        synapse=name,
        synapse_params=p,
        doubles=doubles,
    )
    recorder = net.record_spikes(rows(target), 0, 10**9)
    net.run(steps, None)
    return net.connections(None, None, name)["weight"], net.spikes(recorder)[0]


train = st.lists(st.integers(2, 300), min_size=1, max_size=12)
silence = st.lists(
    st.one_of(st.integers(2, 20), st.integers(380, 400)), min_size=2, max_size=5
)  # far apart: many postsynaptic spikes between


@settings(max_examples=120)
@given(
    st.sampled_from(CASES),
    st.lists(st.one_of(train, silence), min_size=1, max_size=4),
    st.lists(st.integers(2, 380), max_size=60),
    st.data(),
)
@example((CASES[1]), [[5, 5, 5, 390], [200]], list(range(10, 300, 7)), None).via("silence with many postsynaptic spikes")
@example((CASES[1]), [[50, 50]], list(range(20, 60)), None).via("two spikes in a step, postsynaptic ones in every step of the delay")
def test_weights_are_those_of_the_rule_over_all_pairs(case, trains, post, data):
    name, p = case
    delays = [data.draw(st.integers(1, 30)) for _ in trains] if data else [30] * len(trains)
    layout = data.draw(st.sampled_from(["runs", "words"])) if data else "runs"
    w0 = 0.4 * p.get("Wmax", 10.0)
    weights, emitted = run_kernel(name, p, w0, trains, post, delays, 440, True, layout)
    expected = [brute_force(p, w0, np.sort(t), emitted, d) for t, d in zip(trains, delays, strict=True)]
    np.testing.assert_allclose(weights, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("name", "p"), CASES)
def test_float_weights_are_rounded_at_each_pair(name, p):
    rng = np.random.default_rng(3)
    trains = [np.sort(rng.integers(2, 1900, 40)) for _ in range(30)]
    delays = rng.integers(1, 31, 30)
    w0 = float(np.float32(0.4 * p.get("Wmax", 10.0)))
    weights, emitted = run_kernel(name, p, w0, trains, rng.integers(2, 1900, 60), delays, 2000, False, "auto")
    assert len(emitted) > 1000  # the plastic synapses bring spikes of their own
    expected = [brute_force(p, w0, t, emitted, d, np.float32) for t, d in zip(trains, delays, strict=True)]
    np.testing.assert_allclose(weights, expected, rtol=1e-5, atol=1e-7)
    assert (np.float32(weights) == weights).all()


@pytest.mark.parametrize("read", [False, True])
def test_traces_go_on_with_another_time_constant(read):
    """From their values, or, where other synapses of the target read such a trace already, from theirs."""
    p, delay = PARAMS["stdp_synapse"][0], 5
    net = kernel(H)
    sources, teacher, target = (
        net.create("spike_generator", 2, {}),
        net.create("spike_generator", 1, {}),
        net.create("parrot_neuron", 1, {}),
    )
    net.set(gids(sources), {}, {"spike_times": np.array([80.0]) * H})
    net.set(gids(teacher), {}, {"spike_times": np.array([19.0, 29.0, 59.0]) * H})
    connect(net, rows(teacher), rows(target), weight=1.0, delay=H)
    for k, tau in enumerate((30.0, 12.0)[: 1 + read]):
        own = {**p, "tau_minus": tau}
        connect(net, rows(sources + k), rows(target), weight=4.0, delay=delay * H, synapse="stdp_synapse", synapse_params=own, doubles=True)
    recorder = net.record_spikes(rows(target), 0, 10**9)
    net.run(45, None)
    one = net.connections(rows(sources), None, "stdp_synapse")
    net.edit(one["slice"], one["table"], one["position"], 0, parameters={"tau_minus": np.array([12.0])})
    net.run(60, None)
    post, k = [int(t) for t in net.spikes(recorder)[0] if t < 75], 0.0
    for now, then in zip(post, [*post[1:], 80 - delay], strict=True):
        k = (k + 1.0) * np.exp((now - then) * H / (30.0 if then <= 45 and not read else 12.0))
    assert len(post) == 3
    np.testing.assert_allclose(net.connections(rows(sources), None, "stdp_synapse")["weight"], depress(p, 4.0, k), rtol=1e-12)


def outgrowing(pieces, threads=1, block_size=0):
    """A weight that grows a thousandfold and more: the kernel, its trace of the synaptic current, its target's spikes."""
    net = kernel(H, threads=threads, block_size=block_size)
    source, target = net.create("spike_generator", 1, {}), net.create("iaf_psc_exp", 1, floats(I_e=1200.0))
    net.set(np.array([source]), {}, {"spike_times": np.arange(10, 500, 20) * H})
    p = {"lambda": 1.0, "alpha": 0.0, "mu": 1.0}
    connect(net, rows(source), rows(target), weight=0.1, delay=1.5, synapse="stdp_pl_synapse_hom", synapse_params=p, doubles=True)
    current, spikes = net.record_state(np.array([target]), ["I_syn_ex"], 1, 0), net.record_spikes(rows(target), 0, 10**9)
    for steps in pieces:
        net.run(steps, None)
    return net, net.samples(current)[1].ravel(), net.spikes(spikes)[0], p


def test_a_weight_that_outgrows_the_scale_arrives_in_full():
    net, current, spikes, p = outgrowing([600])
    ref = _core.Reference(H)
    ref.add_neurons("iaf_psc_exp", gids(2), floats(I_e=1200.0))
    ref.add_edges(gids(1), gids(2), np.array([0.1]), np.array([15]), np.zeros(1, np.int32), "stdp_pl_synapse_hom", p)
    ref.add_spikes(1, np.arange(10, 500, 20))
    ref.record(2, "I_syn_ex")
    ref.run(600)
    assert ref.weights()[0] > 1000.0
    np.testing.assert_array_equal(spikes, ref.spikes()[0])
    np.testing.assert_allclose(current, ref.trace(0), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(net.connections(None, None, "")["weight"], ref.weights(), rtol=1e-12)


@pytest.mark.parametrize("pieces", [[1] * 600, [7] * 85 + [5], [299, 301]])
def test_when_the_scale_changes_does_not_depend_on_how_a_run_is_split(pieces):
    whole, parts = outgrowing([600]), outgrowing(pieces, threads=2, block_size=1)
    assert digest(whole[1], whole[2], whole[0].connections(None, None, "")["weight"]) == digest(
        parts[1], parts[2], parts[0].connections(None, None, "")["weight"]
    )
